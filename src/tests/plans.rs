//! Permutation calls of each operation, pinned: what packing into lanes buys.

use super::backend_test;
use super::count::calls;
use crate::backend::Backend;
use crate::dispatch::Operation;
use crate::dk::DecapsulationKey;
use crate::group::{DecapsulateGroup, EncapsulateGroup, EncapsulatePreparedGroup, KeyGenGroup};
use crate::kem;
use crate::key::{Ciphertext, EncapsulationKey, unfilled as empty};
use crate::lanes::Bank;
use crate::one_time::kem as one_time;
use crate::params::{Array, ByteArray, MlKem512, MlKem768, MlKem1024, ParameterSet};
use crate::poly::NttPoly;
use crate::secret::Seed;
use std::vec::Vec;

/// Calls of a bank's permutation, and of that of a single state.
type Count = (usize, usize);

/// Fewest calls over a few seeds: a fourth XOF block, which one entry in 120 needs, is in no plan.
fn fewest(run: impl Fn(u8)) -> Count {
    (0..8).map(|seed| calls(|| run(seed))).min().map(|c| (c.bank, c.single)).expect("8 seeds")
}

/// [`fewest`] of an operation on keys that are made uncounted.
fn fewest_with<T>(make: impl Fn(u8) -> T, run: impl Fn(&T)) -> Count {
    let made: Vec<T> = (0..8).map(make).collect();
    fewest(|seed| run(&made[usize::from(seed)]))
}

fn unfilled<P: ParameterSet>(seed: u8) -> DecapsulationKey<P> {
    DecapsulationKey::unfilled(Some(Seed::from_bytes(&[seed; 64])))
}

fn key<P: ParameterSet>(seed: u8) -> DecapsulationKey<P> {
    DecapsulationKey::from_seed(&Seed::from_bytes(&[seed; 64]))
}

const M: &[u8; 32] = &[1; 32];

fn encapsulated<P: ParameterSet, B: Backend>(b: B, ek: &EncapsulationKey<P>) -> Ciphertext<P> {
    let mut out = empty();
    kem::Encapsulate { ek, m: M, out: &mut out }.run(b);
    out.0
}

/// Key generation of both one-time KEMs, encapsulation and decapsulation of T_H, then of T_CH.
fn one_time<P: ParameterSet, B: Backend>(b: B) -> [Count; 5] {
    let pair = |seed: u8| {
        let mut pair = (P::EncapsulationKeyBytes::zeroed(), P::Vector::filled(NttPoly::ZERO));
        let key = one_time::Parts::<P> { ek: &mut pair.0, s_hat: &mut pair.1 };
        one_time::KeyGen::<P> { d: &[seed; 32], key }.run(b);
        pair
    };
    let mut tagged = P::TaggedCiphertextBytes::zeroed();
    let (ek, s_hat) = &pair(0);
    let input = one_time::Input::<P> { ek, m: M, r: M };
    one_time::EncapsulateTch::<P> { input, c: &mut tagged }.run(b);
    [
        fewest(|seed| {
            pair(seed);
        }),
        fewest_with(pair, |(ek, _)| {
            let input = one_time::Input::<P> { ek, m: M, r: M };
            one_time::EncapsulateTh::<P> { input, c: &mut P::CiphertextBytes::zeroed() }.run(b);
        }),
        fewest(|_| {
            one_time::DecapsulateTh::<P> { s_hat, c: &P::CiphertextBytes::zeroed() }.run(b);
        }),
        fewest_with(pair, |(ek, _)| {
            let input = one_time::Input::<P> { ek, m: M, r: M };
            one_time::EncapsulateTch::<P> { input, c: &mut P::TaggedCiphertextBytes::zeroed() }
                .run(b);
        }),
        fewest(|_| {
            one_time::DecapsulateTch::<P> { s_hat, c: &tagged }.run(b).unwrap();
        }),
    ]
}

/// Key generation, encapsulation, encapsulation with a prepared key, decapsulation, decapsulation
/// without a stored matrix, and with an expanded key to be checked.
fn one_key<P: ParameterSet, B: Backend>(b: B) -> [Count; 6] {
    let c = &encapsulated(b, key::<P>(0).encapsulation_key());
    [
        fewest(|seed| kem::KeyGen(&mut unfilled::<P>(seed)).run(b)),
        fewest_with(key::<P>, |key| {
            encapsulated(b, key.encapsulation_key());
        }),
        fewest_with(
            |seed| key::<P>(seed).encapsulation_key().prepare(),
            |key| {
                kem::EncapsulatePrepared { key, m: M, out: &mut empty() }.run(b);
            },
        ),
        fewest_with(key::<P>, |key| {
            kem::Decapsulate { key, c }.run(b);
        }),
        fewest_with(
            |seed| key::<P>(seed).to_compact(),
            |key| {
                kem::DecapsulateCompact { key, c }.run(b);
            },
        ),
        fewest_with(
            |seed| key::<P>(seed).to_expanded_bytes(),
            |bytes| {
                kem::DecapsulateExpanded { bytes: (**bytes).as_ref(), c }.run(b).unwrap();
            },
        ),
    ]
}

/// Key generation, encapsulation, encapsulation with a prepared key and decapsulation for as many
/// keys as there are lanes.
fn group<P: ParameterSet, B: Backend>(b: B) -> [Count; 4] {
    let lanes = <B::Wide as Bank>::LANES;
    let none = || (0..lanes).map(|_| None).collect::<Vec<_>>();
    let ms = &std::vec![*M; lanes][..];
    let c = encapsulated(b, key::<P>(0).encapsulation_key());
    let cs = &std::vec![c; lanes][..];
    [
        fewest(|seed| {
            let mut keys: Vec<_> = (0..lanes).map(|_| Some(unfilled::<P>(seed))).collect();
            KeyGenGroup(&mut keys).run(b);
        }),
        fewest_with(
            |seed| std::vec![key::<P>(seed).encapsulation_key().clone(); lanes],
            |keys| EncapsulateGroup { keys, m: ms, out: &mut none() }.run(b),
        ),
        fewest_with(
            |seed| key::<P>(seed).encapsulation_key().prepare(),
            |key| EncapsulatePreparedGroup { key, m: ms, out: &mut none() }.run(b),
        ),
        fewest_with(key::<P>, |key| {
            let out = &mut (0..lanes).map(|_| None).collect::<Vec<_>>();
            DecapsulateGroup { keys: &std::vec![key; lanes], c: cs, out }.run(b);
        }),
    ]
}

backend_test! {
    fn calls_of_one_key<B>(b) {
        let expected = match <B::Bank as Bank>::LANES {
            // Without a stored matrix all is on single states.
            1 => [
                [(26, 1), (0, 26), (7, 1), (14, 0), (0, 26), (0, 32)],
                [(42, 1), (0, 44), (7, 1), (17, 0), (0, 44), (0, 53)],
                [(68, 1), (0, 70), (9, 1), (22, 0), (0, 70), (0, 82)],
            ],
            4 => [
                [(6, 5), (8, 1), (2, 1), (4, 2), (7, 0), (8, 0)],
                [(10, 5), (11, 1), (2, 1), (4, 5), (11, 0), (14, 0)],
                [(16, 5), (17, 2), (2, 2), (4, 8), (18, 0), (21, 0)],
            ],
            lanes => panic!("no expectation for {lanes} lanes"),
        };
        let sets =
            [one_key::<MlKem512, B>(b), one_key::<MlKem768, B>(b), one_key::<MlKem1024, B>(b)];
        assert_eq!(sets, expected);
    }
}

backend_test! {
    /// Nothing but the hash of the ciphertext is left in decapsulation.
    fn calls_of_one_time_kems<B>(b) {
        let expected = match <B::Bank as Bank>::LANES {
            1 => [
                [(20, 1), (25, 0), (0, 6), (26, 0), (0, 7)],
                [(33, 1), (43, 0), (0, 9), (44, 0), (0, 10)],
                [(56, 1), (69, 0), (0, 12), (70, 0), (0, 13)],
            ],
            4 => [
                [(5, 1), (6, 4), (0, 6), (6, 4), (0, 7)],
                [(9, 1), (10, 4), (0, 9), (10, 4), (0, 10)],
                [(14, 1), (16, 5), (0, 12), (16, 6), (0, 13)],
            ],
            lanes => panic!("no expectation for {lanes} lanes"),
        };
        let sets =
            [one_time::<MlKem512, B>(b), one_time::<MlKem768, B>(b), one_time::<MlKem1024, B>(b)];
        assert_eq!(sets, expected);
    }
}

backend_test! {
    /// A group of keys takes the permutations of one key, each in all lanes.
    fn calls_of_a_group<B>(b) {
        // A group on one lane is that many single calls.
        let expected = if <B::Wide as Bank>::LANES == 1 {
            [
                [(26, 1), (0, 26), (7, 1), (14, 0)],
                [(42, 1), (0, 44), (7, 1), (17, 0)],
                [(68, 1), (0, 70), (9, 1), (22, 0)],
            ]
        } else {
            [
            [(27, 0), (26, 0), (8, 0), (14, 0)],
            [(43, 0), (44, 0), (8, 0), (17, 0)],
            [(69, 0), (70, 0), (10, 0), (22, 0)],
        ]
        };
        let sets = [group::<MlKem512, B>(b), group::<MlKem768, B>(b), group::<MlKem1024, B>(b)];
        assert_eq!(sets, expected);
    }
}
