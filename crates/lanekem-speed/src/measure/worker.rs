//! One thread's loop.
//!
//! A call's latency is not taken from every call but from the first of each block of calls, and a
//! block takes some 20 µs: the two time stamps and one entry in a histogram are then less than
//! 0.3 % of it.

use super::trace::{Point, Trace};
use crate::clock::Clock;
use crate::stop;
use hdrhistogram::Histogram;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Seconds of a block.
const BLOCK: f64 = 20e-6;
/// Seconds between two points of a trace, and how many points there are at least.
const SLICE: std::ops::Range<f64> = 1e-3..0.1;
const SLICES: f64 = 50.0;
/// Seconds of warming up, as a share of the measurement and at most.
const WARM_UP: (f64, f64) = (0.2, 0.1);

/// Latencies are kept with three digits, within 0.1 %, up to some minutes.
const DIGITS: u8 = 3;
const LONGEST: u64 = 1 << 40;

/// Ticks of calls.
pub(super) fn latencies() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST, DIGITS).expect("valid bounds")
}

/// Runs the call for a while and returns how many calls are a block. The number is odd, so that each
/// of the keys that are taken in turn comes to be the first of a block.
pub(super) fn warm_up(work: &mut dyn FnMut(), clock: &Clock, seconds: f64) -> u64 {
    let length = clock.ticks_of((seconds * WARM_UP.0).min(WARM_UP.1)) as u64;
    let start = clock.ticks();
    let (mut calls, mut took) = (0u32, 0);
    while calls < 2 || took < length && !stop::requested() {
        work();
        calls += 1;
        took = clock.ticks() - start;
    }
    let call = clock.seconds(took as f64) / f64::from(calls);
    (BLOCK / call).ceil() as u64 | 1
}

/// When a measurement ends: so many seconds after the last thread began, so that there is a time when
/// all are at work.
pub(super) struct End {
    missing: AtomicUsize,
    ticks: AtomicU64,
}

impl End {
    pub(super) fn new(threads: usize) -> Self {
        Self { missing: AtomicUsize::new(threads), ticks: AtomicU64::new(u64::MAX) }
    }

    /// One more thread begins.
    fn begin(&self, now: u64, length: u64) {
        if self.missing.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.ticks.store(now + length, Ordering::Relaxed);
        }
    }

    fn passed(&self, now: u64) -> bool {
        now >= self.ticks.load(Ordering::Relaxed)
    }
}

/// Runs the call for so many seconds. The trace grows meanwhile.
pub(super) fn run(
    work: &mut dyn FnMut(),
    block: u64,
    clock: &Clock,
    seconds: f64,
    end: &End,
    trace: &Mutex<Trace>,
) -> Histogram<u64> {
    let slice = clock.ticks_of((seconds / SLICES).clamp(SLICE.start, SLICE.end)) as u64;
    let mut latencies = latencies();
    let add = |point| trace.lock().expect("no thread panics with it").0.push(point);
    let start = clock.ticks();
    end.begin(start, clock.ticks_of(seconds) as u64);
    add(Point { ticks: start, calls: 0 });
    let (mut now, mut calls, mut next) = (start, 0, start + slice);
    let mut over = false;
    while !over {
        work();
        let first = clock.ticks();
        latencies.saturating_record(first - now);
        (1..block).for_each(|_| work());
        now = if block == 1 { first } else { clock.ticks() };
        calls += block;
        over = end.passed(now) || stop::requested();
        if now >= next || over {
            add(Point { ticks: now, calls });
            next = now + slice;
        }
    }
    latencies
}
