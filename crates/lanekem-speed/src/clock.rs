//! Time stamps that cost a few nanoseconds.

/// Reads the TSC where it is invariant, the operating system's monotonic clock elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    clock: quanta::Clock,
    ns_per_tick: f64,
}

impl Clock {
    /// Measures the length of a tick, in some 20 ms.
    pub(crate) fn new() -> Self {
        let clock = quanta::Clock::new();
        let ticks = 1 << 40;
        let ns_per_tick = clock.delta_as_nanos(0, ticks) as f64 / ticks as f64;
        Self { clock, ns_per_tick }
    }

    pub(crate) fn ticks(&self) -> u64 {
        self.clock.raw()
    }

    pub(crate) fn nanoseconds(&self, ticks: f64) -> f64 {
        ticks * self.ns_per_tick
    }

    pub(crate) fn seconds(&self, ticks: f64) -> f64 {
        self.nanoseconds(ticks) / 1e9
    }

    pub(crate) fn ticks_of(&self, seconds: f64) -> f64 {
        seconds * 1e9 / self.ns_per_tick
    }

    /// Frequency of the TSC if ticks are its.
    pub(crate) fn tsc_hz(&self) -> Option<f64> {
        crate::cpu::has_invariant_tsc().then(|| self.ticks_of(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn agrees_with_the_operating_system() {
        let clock = Clock::new();
        let (instant, ticks) = (Instant::now(), clock.ticks());
        std::thread::sleep(Duration::from_millis(50));
        let (elapsed, ticks) = (instant.elapsed().as_secs_f64(), clock.ticks() - ticks);
        let seconds = clock.seconds(ticks as f64);
        assert!((seconds / elapsed - 1.0).abs() < 0.01, "{seconds} {elapsed}");
        assert!((clock.ticks_of(seconds) / ticks as f64 - 1.0).abs() < 1e-9);
    }
}
