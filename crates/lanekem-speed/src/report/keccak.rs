//! How much of an operation is Keccak: calls of the permutation, times the cost of a call.

use super::matrix::{OPS, batch, single};
use crate::clock::Clock;
use crate::report::matrix::Measured;
use crate::test::{Op, Set};
use lanekem::bench_api::{Calls, KERNELS, calls, lanes};
use lanekem::{Backend, MlKem512, MlKem768, MlKem1024};

/// Nanoseconds of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Permutations {
    single: f64,
    bank: f64,
    wide: f64,
}

/// Seconds of a sample, longer than the clock is coarse and shorter than a time slice.
const SAMPLE: f64 = 5e-4;
const SAMPLES: usize = 41;

impl Permutations {
    pub(super) fn measure(backend: Backend, clock: &Clock) -> Self {
        Self {
            single: cost(backend, "permute", clock),
            bank: cost(backend, "permute_bank", clock),
            wide: cost(backend, "permute_wide", clock),
        }
    }
}

/// Nanoseconds of a kernel: the median of samples.
fn cost(backend: Backend, name: &str, clock: &Clock) -> f64 {
    let kernel = KERNELS.iter().find(|kernel| kernel.name == name).expect("a kernel of that name");
    let sample = |iterations: u64| {
        let start = clock.ticks();
        (kernel.run)(backend, iterations);
        clock.nanoseconds((clock.ticks() - start) as f64) / iterations as f64
    };
    let few = 100;
    let iterations = (SAMPLE * 1e9 / sample(few)).ceil() as u64;
    let mut samples: Vec<_> = (0..SAMPLES).map(|_| sample(iterations)).collect();
    samples.sort_by(f64::total_cmp);
    samples[SAMPLES / 2]
}

/// Nanoseconds of one operation of a set, and those of them that are Keccak's.
pub(super) struct Share {
    pub(super) backend: Backend,
    pub(super) op: Op,
    /// Operations a call.
    pub(super) batch: usize,
    pub(super) keccak: f64,
    pub(super) all: f64,
}

/// The batch that is shown beside single operations.
const BATCH: usize = 64;

/// Single operations and batches of a set on all backends, as far as they were measured.
pub(super) fn shares(measured: &Measured, set: Set) -> Vec<Share> {
    let mut shares = vec![];
    for (op_number, &op) in OPS.iter().enumerate() {
        for &(backend, _, cost) in measured.backends.iter().rev() {
            let calls = calls_of(set, backend)[op_number];
            let alone = calls.bank as f64 * cost.bank + calls.single as f64 * cost.single;
            // One lane: a batch is as many single operations.
            let [_, wide] = lanes(backend);
            let of_batch =
                if wide == 1 { alone } else { calls.wide as f64 * cost.wide / wide as f64 };
            let rows = [(single(set, op), alone), (batch(set, op, BATCH), of_batch)];
            shares.extend(rows.into_iter().filter_map(|(test, keccak)| {
                let all = 1e9 / measured.rate(backend, test)?;
                Some(Share { backend, op, batch: test.batch, keccak, all })
            }));
        }
    }
    shares
}

fn calls_of(set: Set, backend: Backend) -> [Calls; 3] {
    match set {
        Set::MlKem512 => calls::<MlKem512>(backend),
        Set::MlKem768 => calls::<MlKem768>(backend),
        Set::MlKem1024 => calls::<MlKem1024>(backend),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FIPS 203 asks for so many permutations: see `docs/performance.md` of lanekem.
    #[test]
    fn calls_are_those_of_the_standard() {
        let expected = [[27, 26, 14], [43, 44, 17], [69, 70, 22]];
        for &backend in Backend::ALL.iter().filter(|backend| backend.is_available()) {
            for (set, expected) in Set::ALL.into_iter().zip(expected) {
                let calls = calls_of(set, backend);
                assert_eq!(calls.map(|calls| calls.wide), expected, "{backend} {set}");
                let [bank, _] = lanes(backend);
                for calls in calls {
                    assert!(bank * calls.bank + calls.single >= calls.wide);
                    assert!(bank > 1 || calls.bank + calls.single == calls.wide);
                }
            }
        }
    }
}
