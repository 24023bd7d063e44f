//! The figures of a run: what `--format json` prints and `--save` keeps. Described for its readers in
//! `schema/results.schema.json`.

use crate::clock::Clock;
use crate::compare::Compared;
use crate::cpu;
use crate::measure::{LIVE, Sample};
use crate::test::Test;
use lanekem::Backend;
use serde::{Deserialize, Serialize};

/// Changes with every change that an old reader would misread.
pub(crate) const VERSION: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Document {
    /// [`VERSION`].
    pub(crate) schema: u32,
    /// Version of lanekem.
    pub(crate) lanekem: String,
    pub(crate) machine: Machine,
    pub(crate) backend: String,
    /// Asked for, a test.
    pub(crate) seconds: f64,
    /// Whether Ctrl-C ended the run.
    pub(crate) interrupted: bool,
    pub(crate) results: Vec<Figures>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) cpu: String,
    /// That this process may run on.
    pub(crate) cpus: usize,
    pub(crate) arch: String,
    pub(crate) os: String,
    pub(crate) tsc_hz: Option<f64>,
}

impl Machine {
    pub(crate) fn here(clock: &Clock) -> Self {
        Self {
            cpu: cpu::name(),
            cpus: cpu::count(),
            arch: std::env::consts::ARCH.to_owned(),
            os: std::env::consts::OS.to_owned(),
            tsc_hz: clock.tsc_hz().map(f64::round),
        }
    }
}

impl Document {
    pub(crate) fn new(clock: &Clock, backend: Backend, seconds: f64) -> Self {
        Self {
            schema: VERSION,
            lanekem: env!("CARGO_PKG_VERSION").to_owned(),
            machine: Machine::here(clock),
            backend: backend.name().to_owned(),
            seconds,
            interrupted: false,
            results: vec![],
        }
    }
}

/// Of one test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Figures {
    #[serde(flatten)]
    pub(crate) test: Test,
    pub(crate) operations: u64,
    pub(crate) elapsed_s: f64,
    pub(crate) ops_per_s: Rates,
    /// Of one thread: threads ÷ mean.
    pub(crate) ns_per_op: f64,
    pub(crate) tsc_cycles_per_op: Option<f64>,
    pub(crate) latency_ns: Latency,
    /// With several threads.
    pub(crate) scaling: Option<Scaling>,
    /// With `--compare`, where the file has this test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) compared: Option<Compared>,
}

/// Operations a second, all threads together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rates {
    pub(crate) mean: f64,
    /// Slowest and fastest second; of a short measurement, tenth of it.
    pub(crate) min: f64,
    pub(crate) max: f64,
    /// Of 20 slices.
    pub(crate) median: f64,
    /// How much the slices differ: half the distance between their quartiles, as a share of the median.
    pub(crate) noise: f64,
}

/// Nanoseconds a call; a call of a batch does many operations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Latency {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    #[serde(rename = "p99.9")]
    pub(crate) p999: f64,
    pub(crate) max: f64,
    /// Calls that were timed.
    pub(crate) samples: u64,
}

/// Against one thread, measured just before.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Scaling {
    pub(crate) one_thread_ops_per_s: f64,
    pub(crate) factor: f64,
}

const SLICES: f64 = 20.0;

impl Figures {
    pub(crate) fn of(test: Test, sample: &Sample, clock: &Clock, one_thread: Option<f64>) -> Self {
        let per_second = |rate: f64| rate * clock.ticks_of(1.0) * test.batch as f64;
        let elapsed = clock.seconds(sample.ticks());
        let window = if elapsed >= LIVE { clock.ticks_of(1.0) } else { sample.ticks() / 10.0 };
        let windows = sorted(sample.rates(window));
        let slices = sorted(sample.rates(sample.ticks() / SLICES));
        let mean = per_second(sample.mean_rate());
        let median = quantile(&slices, 0.5);
        let quartiles = quantile(&slices, 0.75) - quantile(&slices, 0.25);
        let ns_per_op = test.threads as f64 * 1e9 / mean;
        let latency = |q| tenth(clock.nanoseconds(sample.latencies.value_at_quantile(q) as f64));
        Self {
            test,
            operations: sample.calls() * test.batch as u64,
            elapsed_s: elapsed,
            ops_per_s: Rates {
                mean: tenth(mean),
                min: tenth(per_second(quantile(&windows, 0.0))),
                max: tenth(per_second(quantile(&windows, 1.0))),
                median: tenth(per_second(median)),
                noise: if median > 0.0 { quartiles / 2.0 / median } else { 1.0 },
            },
            ns_per_op: tenth(ns_per_op),
            tsc_cycles_per_op: clock.tsc_hz().map(|hz| tenth(ns_per_op * hz / 1e9)),
            latency_ns: Latency {
                p50: latency(0.5),
                p99: latency(0.99),
                p999: latency(0.999),
                max: latency(1.0),
                samples: sample.latencies.len(),
            },
            scaling: one_thread.map(|one_thread_ops_per_s| Scaling {
                one_thread_ops_per_s,
                factor: mean / one_thread_ops_per_s,
            }),
            compared: None,
        }
    }
}

/// More digits are noise.
fn tenth(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// Of sorted values, between two of them in proportion.
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let place = q * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        let values = sorted(vec![4.0, 1.0, 3.0, 2.0, 5.0]);
        let of = |q| quantile(&values, q);
        assert_eq!([of(0.0), of(0.25), of(0.5), of(0.875), of(1.0)], [1.0, 2.0, 3.0, 4.5, 5.0]);
        assert_eq!(quantile(&[7.0], 0.3), 7.0);
    }
}
