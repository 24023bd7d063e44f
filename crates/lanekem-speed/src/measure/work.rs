//! The calls that are timed. Results are dropped, and secrets so wiped, within the time.
//!
//! Randomness comes from ChaCha12 in user space, seeded once by the operating system: a system call an
//! operation would be a visible part of the figures and says nothing about ML-KEM.

use crate::test::{Mode, Op, Set, Test};
use chacha20::ChaCha12Rng;
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768,
    MlKem1024, ParameterSet,
};
use std::hint::black_box;

/// Keys taken in turn, so that the rare fourth block of the XOF is in the average.
pub(crate) const KEYS: usize = 16;

/// A call of the test's operation, with keys of its own.
pub(crate) fn work(test: Test, rng: ChaCha12Rng) -> Box<dyn FnMut()> {
    match test.set {
        Set::MlKem512 => of::<MlKem512>(test, rng),
        Set::MlKem768 => of::<MlKem768>(test, rng),
        Set::MlKem1024 => of::<MlKem1024>(test, rng),
    }
}

fn of<P: ParameterSet + 'static>(test: Test, mut rng: ChaCha12Rng) -> Box<dyn FnMut()> {
    let (op, n) = (test.op, test.batch);
    let count = n.max(KEYS);
    let dks: Vec<_> = (0..count).map(|_| DecapsulationKey::<P>::generate(&mut rng)).collect();
    let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let cts: Vec<_> = eks.iter().map(|ek| ek.encapsulate(&mut rng).0).collect();
    match test.mode {
        Mode::Single => single(op, dks, eks, cts, rng),
        Mode::Prepared if n == 1 => prepared(op, dks, &eks, cts, rng),
        Mode::Prepared => prepared_many(op, n, dks, &eks, cts, rng),
        Mode::Compact => compact(op, &dks, cts, rng),
        Mode::Batch => batch(op, n, dks, eks, cts, rng),
    }
}

/// A closure that passes the numbers of the keys in turn.
fn in_turn(mut f: impl FnMut(usize) + 'static) -> Box<dyn FnMut()> {
    let mut i = 0;
    Box::new(move || {
        i = (i + 1) % KEYS;
        f(i);
    })
}

fn single<P: ParameterSet + 'static>(
    op: Op,
    dks: Vec<DecapsulationKey<P>>,
    eks: Vec<EncapsulationKey<P>>,
    cts: Vec<Ciphertext<P>>,
    mut rng: ChaCha12Rng,
) -> Box<dyn FnMut()> {
    match op {
        Op::Keygen => Box::new(move || drop(black_box(DecapsulationKey::<P>::generate(&mut rng)))),
        Op::Encaps => in_turn(move |i| drop(black_box(eks[i].encapsulate(&mut rng)))),
        Op::Decaps => in_turn(move |i| drop(black_box(dks[i].decapsulate(black_box(&cts[i]))))),
        Op::Server => in_turn(move |i| {
            let ek = EncapsulationKey::<P>::from_bytes(black_box(eks[i].as_bytes()));
            drop(black_box(ek.expect("a valid key").encapsulate(&mut rng)));
        }),
        // The ciphertext is another key's: implicit rejection takes the same time.
        Op::Client => in_turn(move |i| {
            let dk = DecapsulationKey::<P>::generate(&mut rng);
            drop(black_box(dk.decapsulate(black_box(&cts[i]))));
        }),
    }
}

fn prepared<P: ParameterSet + 'static>(
    op: Op,
    dks: Vec<DecapsulationKey<P>>,
    eks: &[EncapsulationKey<P>],
    cts: Vec<Ciphertext<P>>,
    mut rng: ChaCha12Rng,
) -> Box<dyn FnMut()> {
    if op == Op::Encaps {
        let keys: Vec<_> = eks.iter().map(EncapsulationKey::prepare).collect();
        return in_turn(move |i| drop(black_box(keys[i].encapsulate(&mut rng))));
    }
    in_turn(move |i| drop(black_box(dks[i].decapsulate(black_box(&cts[i])))))
}

/// Many operations with one key.
fn prepared_many<P: ParameterSet + 'static>(
    op: Op,
    n: usize,
    mut dks: Vec<DecapsulationKey<P>>,
    eks: &[EncapsulationKey<P>],
    mut cts: Vec<Ciphertext<P>>,
    mut rng: ChaCha12Rng,
) -> Box<dyn FnMut()> {
    if op == Op::Encaps {
        let (key, mut out) = (eks[0].prepare(), slots(n));
        return Box::new(move || key.encapsulate_many(&mut rng, black_box(&mut out)));
    }
    let (dk, mut out) = (dks.swap_remove(0), slots(n));
    cts.truncate(n);
    Box::new(move || dk.decapsulate_many(&cts, black_box(&mut out)).expect("equal lengths"))
}

fn compact<P: ParameterSet + 'static>(
    op: Op,
    dks: &[DecapsulationKey<P>],
    cts: Vec<Ciphertext<P>>,
    mut rng: ChaCha12Rng,
) -> Box<dyn FnMut()> {
    let mut generate = move || CompactDecapsulationKey::<P>::generate(&mut rng);
    match op {
        Op::Keygen => Box::new(move || drop(black_box(generate()))),
        Op::Client => in_turn(move |i| drop(black_box(generate().decapsulate(black_box(&cts[i]))))),
        _ => {
            let keys: Vec<_> = dks.iter().map(DecapsulationKey::to_compact).collect();
            in_turn(move |i| drop(black_box(keys[i].decapsulate(black_box(&cts[i])))))
        }
    }
}

fn batch<P: ParameterSet + 'static>(
    op: Op,
    n: usize,
    mut dks: Vec<DecapsulationKey<P>>,
    mut eks: Vec<EncapsulationKey<P>>,
    mut cts: Vec<Ciphertext<P>>,
    mut rng: ChaCha12Rng,
) -> Box<dyn FnMut()> {
    dks.truncate(n);
    eks.truncate(n);
    cts.truncate(n);
    let (mut keys, mut sent, mut secrets) = (slots(n), slots(n), slots(n));
    match op {
        Op::Keygen => Box::new(move || {
            DecapsulationKey::<P>::generate_batch(&mut rng, black_box(&mut keys));
        }),
        Op::Encaps => Box::new(move || {
            let done = EncapsulationKey::encapsulate_batch(&eks, &mut rng, black_box(&mut sent));
            done.expect("equal lengths");
        }),
        Op::Decaps => Box::new(move || {
            let done = DecapsulationKey::decapsulate_batch(&dks, &cts, black_box(&mut secrets));
            done.expect("equal lengths");
        }),
        Op::Server => {
            let bytes: Vec<_> = eks.iter().map(EncapsulationKey::to_bytes).collect();
            Box::new(move || {
                eks.clear();
                eks.extend(bytes.iter().map(|bytes| {
                    EncapsulationKey::<P>::from_bytes(black_box(bytes.as_ref())).expect("valid")
                }));
                let done = EncapsulationKey::encapsulate_batch(&eks, &mut rng, &mut sent);
                done.expect("equal lengths");
            })
        }
        Op::Client => Box::new(move || {
            DecapsulationKey::<P>::generate_batch(&mut rng, &mut keys);
            dks.clear();
            dks.extend(keys.iter_mut().filter_map(Option::take));
            let done = DecapsulationKey::decapsulate_batch(&dks, &cts, black_box(&mut secrets));
            done.expect("equal lengths");
        }),
    }
}

pub(crate) fn slots<T>(n: usize) -> Vec<Option<T>> {
    (0..n).map(|_| None).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;
    use rand_core::SeedableRng;

    #[test]
    fn every_mode_runs_what_it_does() {
        for set in Set::ALL {
            for mode in Mode::value_variants().iter().copied() {
                for op in Op::ALL.into_iter().filter(|&op| mode.does(op)) {
                    for batch in [1, 3, KEYS + 1] {
                        let test = Test { set, op, mode, batch, threads: 1 };
                        let mut call = work(test, ChaCha12Rng::from_seed([7; 32]));
                        (0..3).for_each(|_| call());
                    }
                }
            }
        }
    }
}
