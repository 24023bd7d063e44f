//! The plans of each operation, by parameter set and number of lanes.

use crate::backend::Backend;
use crate::lanes::Bank;
use crate::params::ParameterSet;
use crate::plan::Job::{Check as C, Derive as G, Hash as H, Idle, Prf as P, Xof as X};
use crate::plan::{Job, Plan, Shape};
use core::marker::PhantomData;

/// The plans of a backend's bank for one parameter set.
pub(crate) struct Plans<S, B>(PhantomData<(S, B)>);

impl<S: ParameterSet, B: Backend> Plans<S, B> {
    /// Key generation: matrix, noise and H(ek).
    pub(crate) const KEYGEN: Plan = Self::plan(Shape::keygen(S::K, S::ETA1), keygen4(S::K));
    /// Encapsulation and parsing of a decapsulation key: matrix and H(ek).
    pub(crate) const MATRIX_AND_HASH: Plan =
        Self::plan(Shape::matrix(S::K, true), matrix_and_hash4(S::K));
    /// The matrix where h is known.
    pub(crate) const MATRIX: Plan = Self::plan(Shape::matrix(S::K, false), matrix4(S::K));
    /// Encapsulation's noise.
    pub(crate) const NOISE: Plan = Self::plan(Shape::noise(S::K, S::ETA1), noise4(S::K));
    /// Decapsulation: G, noise and J(z ‖ c).
    pub(crate) const REENCRYPT: Plan =
        Self::plan(Shape::reencrypt(S::K, S::ETA1, S::CIPHERTEXT_LEN, false), reencrypt4(S::K));
    /// Decapsulation without a stored matrix.
    pub(crate) const MATRIX_AND_REENCRYPT: Plan = Self::plan(
        Shape::reencrypt(S::K, S::ETA1, S::CIPHERTEXT_LEN, true),
        matrix_and_reencrypt4(S::K),
    );

    /// Decapsulation with the bytes of an expanded key, and its check.
    pub(crate) const CHECK_AND_REENCRYPT: Plan = Self::plan(
        Shape::check_and_reencrypt(S::K, S::ETA1, S::CIPHERTEXT_LEN),
        check_and_reencrypt4(S::K),
    );

    pub(crate) const fn plan(shape: Shape, four: Programs<4>) -> Plan {
        match <B::Bank as Bank>::LANES {
            4 => Plan::expand(shape, &four),
            _ => Plan::sequential(shape),
        }
    }
}

/// What each lane does. X: XOF for an entry of the matrix, 3 permutations; P: PRF, 1, or 2 for η = 3;
/// H: blocks of H(ek) or J(z ‖ c); C: blocks of H(ek) that check a key; G: 1.
pub(crate) type Programs<const LANES: usize> = [&'static [Job]; LANES];

/// The hash begins so late that it never waits for a row; 4 blocks are left over.
const fn keygen4(k: usize) -> Programs<4> {
    match k {
        2 => [&[X(0), X(2)], &[X(1), X(3)], &[P(0), P(1)], &[P(2), P(3), H(2)]],
        3 => [
            &[P(0), X(0), X(3), X(6)],
            &[P(1), X(1), X(4), X(7)],
            &[P(2), X(2), X(5), X(8)],
            &[P(3), P(4), P(5), Idle(2), H(5)],
        ],
        _ => [
            &[P(5), X(0), X(3), X(6), X(9), X(12)],
            &[P(6), X(1), X(4), X(7), X(10), X(13)],
            &[P(7), X(2), X(5), X(8), X(11), X(14)],
            &[P(0), P(1), P(2), P(3), P(4), X(15), H(8)],
        ],
    }
}

const fn matrix_and_hash4(k: usize) -> Programs<4> {
    match k {
        2 => [&[H(6)], &[X(0), X(3)], &[X(1)], &[X(2)]],
        3 => [&[H(9)], &[X(0), X(1), X(2)], &[X(3), X(4), X(5)], &[X(6), X(7), X(8)]],
        _ => [
            &[H(12), X(15)],
            &[X(0), X(1), X(2), X(3), X(4)],
            &[X(5), X(6), X(7), X(8), X(9)],
            &[X(10), X(11), X(12), X(13), X(14)],
        ],
    }
}

const fn matrix4(k: usize) -> Programs<4> {
    match k {
        2 => [&[X(0)], &[X(1)], &[X(2)], &[X(3)]],
        3 => [&[X(0), X(1), X(2)], &[X(3), X(4)], &[X(5), X(6)], &[X(7), X(8)]],
        _ => [
            &[X(0), X(1), X(2), X(3)],
            &[X(4), X(5), X(6), X(7)],
            &[X(8), X(9), X(10), X(11)],
            &[X(12), X(13), X(14), X(15)],
        ],
    }
}

const fn noise4(k: usize) -> Programs<4> {
    match k {
        2 => [&[P(0)], &[P(1)], &[P(2), P(3)], &[P(4)]],
        3 => [&[P(0), P(4)], &[P(1), P(5)], &[P(2), P(6)], &[P(3)]],
        // The ninth is faster on a single state.
        _ => [&[P(0), P(4)], &[P(1), P(5)], &[P(2), P(6)], &[P(3), P(7)]],
    }
}

/// J rides for as long as there is noise beside it; the rest of it is faster on a single state.
const fn reencrypt4(k: usize) -> Programs<4> {
    match k {
        2 => [&[H(4)], &[G, P(0), P(4)], &[Idle(1), P(1)], &[Idle(1), P(2), P(3)]],
        3 => [&[H(4)], &[G, P(0), P(3), P(6)], &[Idle(1), P(1), P(4)], &[Idle(1), P(2), P(5)]],
        _ => [
            &[H(4)],
            &[G, P(0), P(3), P(6)],
            &[Idle(1), P(1), P(4), P(7)],
            &[Idle(1), P(2), P(5), P(8)],
        ],
    }
}

const fn matrix_and_reencrypt4(k: usize) -> Programs<4> {
    match k {
        2 => [&[H(6), P(4)], &[G, X(0), X(3)], &[X(1), P(0), P(2), P(3)], &[X(2), P(1)]],
        3 => [
            &[H(9), P(0), P(1)],
            &[G, X(0), X(1), X(2), P(2)],
            &[X(3), X(4), X(5), P(3), P(4)],
            &[X(6), X(7), X(8), P(5), P(6)],
        ],
        _ => [
            &[H(12), X(15), P(0), P(1), P(2)],
            &[G, X(0), X(1), X(2), X(3), X(4), P(3), P(4)],
            &[X(5), X(6), X(7), X(8), X(9), P(5), P(6)],
            &[X(10), X(11), X(12), X(13), X(14), P(7), P(8)],
        ],
    }
}

const fn check_and_reencrypt4(k: usize) -> Programs<4> {
    match k {
        2 => [&[H(6), P(0)], &[C(6), P(1)], &[G, X(0), X(1), P(2)], &[X(2), X(3), P(3), P(4)]],
        3 => [
            &[H(9), P(0), P(1), P(2), P(3), P(4)],
            &[C(9), X(0), P(5), P(6)],
            &[G, X(1), X(2), X(3), X(4)],
            &[X(5), X(6), X(7), X(8)],
        ],
        _ => [
            &[H(12), X(0), X(1), X(2)],
            &[C(12), X(3), X(4), X(5)],
            &[G, X(6), X(7), X(8), X(9), X(10), X(11), P(0), P(1)],
            &[X(12), X(13), X(14), X(15), P(2), P(3), P(4), P(5), P(6), P(7), P(8)],
        ],
    }
}
