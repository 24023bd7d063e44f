//! Retired instructions of a call, by the emulator's RDTSC, with the timer's interrupt masked.

use std::arch::asm;
use std::arch::x86_64::_rdtsc;
use std::ffi::{c_int, c_ulong};

unsafe extern "C" {
    fn ioperm(from: c_ulong, num: c_ulong, turn_on: c_int) -> c_int;
}

/// The interrupt mask of the first 8259, through which all interrupts go.
const MASK: u16 = 0x21;

/// Masks all interrupts while it lives.
struct Masked(u8);

impl Masked {
    fn new() -> Self {
        let former: u8;
        // SAFETY: gives this process the port of the mask, which needs root.
        let refused = unsafe { ioperm(MASK.into(), 1, 1) };
        assert_eq!(refused, 0, "ioperm");
        // SAFETY: reads the mask.
        unsafe { asm!("in al, dx", in("dx") MASK, out("al") former) };
        Self::set(0xff);
        Self(former)
    }

    fn set(mask: u8) {
        // SAFETY: delays interrupts, whose handlers do not touch this program's memory.
        unsafe { asm!("out dx, al", in("dx") MASK, in("al") mask) };
    }
}

impl Drop for Masked {
    fn drop(&mut self) {
        Self::set(self.0);
    }
}

fn ticks() -> u64 {
    // SAFETY: every x86-64 CPU has it.
    unsafe { _rdtsc() }
}

/// One copy of it, not inlined twice in two ways.
#[inline(never)]
fn once<F: FnMut()>(f: &mut F) -> u64 {
    let start = ticks();
    f();
    ticks() - start
}

/// Instructions of `f`, which must be the same twice over. The call before them takes the page faults.
pub(crate) fn instructions(mut f: impl FnMut()) -> u64 {
    let _masked = Masked::new();
    f();
    let counts = [once(&mut f), once(&mut f)];
    assert_eq!(counts[0], counts[1], "the count of one call is not stable");
    counts[0]
}
