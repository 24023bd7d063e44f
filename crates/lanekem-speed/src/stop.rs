//! Ctrl-C ends the measurement, not the program: what was measured is still reported.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Exit status of a program that was interrupted, as shells have it.
pub(crate) const STATUS: u8 = 130;

/// From now on the first Ctrl-C is a request, the second ends the program at once.
pub(crate) fn listen() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            process::exit(STATUS.into());
        }
    })
}

pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Ends the measurement as Ctrl-C does.
pub(crate) fn request() {
    REQUESTED.store(true, Ordering::Relaxed);
}
