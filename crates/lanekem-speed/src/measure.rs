//! Timing. A figure is the time per operation of samples of about a millisecond each, longer than
//! the clock is coarse and shorter than a time slice, so that many samples are undisturbed.
//!
//! Randomness comes from ChaCha12 in user space, seeded once by the operating system: a system call an
//! operation would be a visible part of the figures and says nothing about ML-KEM.

use chacha20::ChaCha12Rng;
use lanekem::{Ciphertext, DecapsulationKey, EncapsulationKey, ParameterSet};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Keys of a batch.
pub(crate) const BATCH: usize = 64;
/// Public keys encapsulated to in turn, so that the rare fourth block of the XOF is in the average.
const PEERS: usize = 16;
const SAMPLE: Duration = Duration::from_millis(1);

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    KeyGen,
    Encaps,
    Decaps,
    /// What a TLS server does: parses (and checks) a key, encapsulates.
    Server,
    /// What a TLS client does: makes a key, decapsulates.
    Client,
    KeyGenBatch,
    EncapsBatch,
    DecapsBatch,
}

impl Op {
    pub(crate) const ALL: [Self; 8] = [
        Self::KeyGen,
        Self::Encaps,
        Self::Decaps,
        Self::Server,
        Self::Client,
        Self::KeyGenBatch,
        Self::EncapsBatch,
        Self::DecapsBatch,
    ];

    /// The name for programs.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::KeyGen => "keygen",
            Self::Encaps => "encaps",
            Self::Decaps => "decaps",
            Self::Server => "server",
            Self::Client => "client",
            Self::KeyGenBatch => "keygen_batch64",
            Self::EncapsBatch => "encaps_batch64",
            Self::DecapsBatch => "decaps_batch64",
        }
    }

    /// The name for people.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Server => "parse + encaps (server)",
            Self::Client => "keygen + decaps (client)",
            Self::KeyGenBatch => "keygen, batch of 64",
            Self::EncapsBatch => "encaps, batch of 64",
            Self::DecapsBatch => "decaps, batch of 64",
            _ => self.name(),
        }
    }
}

/// Nanoseconds per operation; per key in a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    pub(crate) best: f64,
    pub(crate) median: f64,
}

impl Figure {
    /// Of nanoseconds per operation, one a sample and at least one.
    fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        Self { best: samples[0], median: samples[samples.len() / 2] }
    }

    /// Of the best sample.
    pub(crate) fn per_second(self) -> f64 {
        1e9 / self.best
    }
}

/// Times calls of `f`, each of which does `operations` operations.
fn time(budget: Duration, operations: usize, mut f: impl FnMut()) -> Figure {
    let mut run = |calls: u32| {
        let start = Instant::now();
        (0..calls).for_each(|_| f());
        start.elapsed()
    };
    // Also warms caches and branch predictors up.
    let mut calls = 1;
    let mut took = run(calls);
    while took < SAMPLE / 4 {
        calls *= 2;
        took = run(calls);
    }
    let calls = (f64::from(calls) * SAMPLE.as_secs_f64() / took.as_secs_f64()).ceil();
    let mut samples = vec![];
    let start = Instant::now();
    while samples.is_empty() || start.elapsed() < budget {
        samples.push(run(calls as u32).as_secs_f64() * 1e9 / (calls * operations as f64));
    }
    Figure::of(samples)
}

pub(crate) fn slots<T>(n: usize) -> Vec<Option<T>> {
    (0..n).map(|_| None).collect()
}

/// What the operations work on.
pub(crate) struct Bench<P: ParameterSet> {
    rng: ChaCha12Rng,
    dks: Vec<DecapsulationKey<P>>,
    eks: Vec<EncapsulationKey<P>>,
    cts: Vec<Ciphertext<P>>,
}

impl<P: ParameterSet> Bench<P> {
    pub(crate) fn new(mut rng: ChaCha12Rng) -> Self {
        let dks: Vec<_> = (0..BATCH).map(|_| DecapsulationKey::<P>::generate(&mut rng)).collect();
        let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
        let cts = eks.iter().map(|ek| ek.encapsulate(&mut rng).0).collect();
        Self { rng, dks, eks, cts }
    }

    /// Results are dropped, and secrets so wiped, within the time.
    pub(crate) fn figure(&mut self, op: Op, budget: Duration) -> Figure {
        let Self { rng, dks, eks, cts } = self;
        let mut next = (0..PEERS).cycle();
        let mut next = || next.next().expect("a cycle has no end");
        match op {
            Op::KeyGen => time(budget, 1, || drop(black_box(DecapsulationKey::<P>::generate(rng)))),
            Op::Encaps => time(budget, 1, || drop(black_box(eks[next()].encapsulate(rng)))),
            Op::Decaps => {
                time(budget, 1, || drop(black_box(dks[0].decapsulate(black_box(&cts[0])))))
            }
            Op::Server => time(budget, 1, || {
                let bytes = black_box(eks[next()].as_bytes());
                let ek = EncapsulationKey::<P>::from_bytes(bytes).expect("a valid key");
                drop(black_box(ek.encapsulate(rng)));
            }),
            // The ciphertext is another key's: implicit rejection takes the same time.
            Op::Client => time(budget, 1, || {
                let dk = DecapsulationKey::<P>::generate(rng);
                drop(black_box(dk.decapsulate(black_box(&cts[0]))));
            }),
            Op::KeyGenBatch => {
                let mut out = slots(BATCH);
                time(budget, BATCH, || {
                    DecapsulationKey::<P>::generate_batch(rng, black_box(&mut out));
                })
            }
            Op::EncapsBatch => {
                let mut out = slots(BATCH);
                time(budget, BATCH, || {
                    EncapsulationKey::encapsulate_batch(eks, rng, black_box(&mut out))
                        .expect("equal lengths");
                })
            }
            Op::DecapsBatch => {
                let mut out = slots(BATCH);
                time(budget, BATCH, || {
                    DecapsulationKey::decapsulate_batch(dks, cts, black_box(&mut out))
                        .expect("equal lengths");
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_and_median() {
        let figure = Figure::of(vec![9.0, 4.0, 5.0]);
        assert_eq!(figure, Figure { best: 4.0, median: 5.0 });
        assert_eq!(figure.per_second(), 2.5e8);
    }

    #[test]
    fn time_is_per_operation() {
        let mut calls = 0;
        let figure = time(Duration::from_millis(5), 10, || {
            calls += 1;
            std::thread::sleep(Duration::from_micros(500));
        });
        assert!(figure.best >= 50_000.0 && figure.best <= figure.median);
        assert!(calls > 2);
    }
}
