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

/// Runs the call for so many seconds. The trace grows meanwhile.
pub(super) fn run(
    work: &mut dyn FnMut(),
    block: u64,
    clock: &Clock,
    seconds: f64,
    trace: &Mutex<Trace>,
) -> Histogram<u64> {
    let slice = clock.ticks_of((seconds / SLICES).clamp(SLICE.start, SLICE.end)) as u64;
    let mut latencies = latencies();
    let add = |point| trace.lock().expect("no thread panics with it").0.push(point);
    let start = clock.ticks();
    let end = start + clock.ticks_of(seconds) as u64;
    add(Point { ticks: start, calls: 0 });
    let (mut now, mut calls, mut next) = (start, 0, start + slice);
    while now < end && !stop::requested() {
        work();
        let first = clock.ticks();
        latencies.saturating_record(first - now);
        (1..block).for_each(|_| work());
        now = if block == 1 { first } else { clock.ticks() };
        calls += block;
        if now >= next || now >= end {
            add(Point { ticks: now, calls });
            next = now + slice;
        }
    }
    latencies
}
