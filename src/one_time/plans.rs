//! The plans of the one-time KEMs.

use super::kem::PREFIX_LEN;
use crate::backend::Backend;
use crate::params::ParameterSet;
use crate::plan::Job::{Check as C, Hash as H, Idle, Prf as P, Xof as X};
use crate::plan::{Plan, Shape};
use crate::plans::{Plans, Programs};

impl<S: ParameterSet, B: Backend> Plans<S, B> {
    /// K-PKE.KeyGen: matrix and noise.
    pub(crate) const ONE_TIME_KEYGEN: Plan =
        Self::plan(Shape::one_time_keygen(S::K, S::ETA1), keygen4(S::K));
    /// K-PKE.Encrypt, and the hash of what it puts out.
    pub(crate) const ENCRYPT_TH: Plan = Self::plan(encrypt::<S>(false), encrypt_th4(S::K));
    /// The same with the hash that gives the shared secret.
    pub(crate) const ENCRYPT_TCH: Plan = Self::plan(encrypt::<S>(true), encrypt_tch4(S::K));
}

const fn encrypt<S: ParameterSet>(second_hash: bool) -> Shape {
    let piece = 32 * S::DU;
    Shape::one_time_encrypt(S::K, S::ETA1, PREFIX_LEN, piece, S::CIPHERTEXT_LEN, second_hash)
}

const fn keygen4(k: usize) -> Programs<4> {
    match k {
        2 => [&[X(0), P(0)], &[X(1), P(1)], &[X(2), P(2)], &[X(3), P(3)]],
        3 => [
            &[X(0), X(1), X(2)],
            &[X(3), X(4), X(5)],
            &[X(6), X(7), X(8)],
            &[P(0), P(1), P(2), P(3), P(4), P(5)],
        ],
        _ => [
            &[X(0), X(1), X(2), X(3), P(0), P(1)],
            &[X(4), X(5), X(6), X(7), P(2), P(3)],
            &[X(8), X(9), X(10), X(11), P(4), P(5)],
            &[X(12), X(13), X(14), X(15), P(6), P(7)],
        ],
    }
}

/// Column by column, so that the hash can ride as soon as a piece of the ciphertext is there; it begins
/// so late that it never waits for the next one.
const fn encrypt_th4(k: usize) -> Programs<4> {
    match k {
        2 => [&[X(0), X(1)], &[X(2), X(3)], &[P(0), P(2), P(4)], &[P(1), P(3), Idle(1), H(2)]],
        3 => [
            &[P(0), X(0), X(1), X(2)],
            &[P(1), X(3), X(4), X(5)],
            &[P(2), X(6), X(7), X(8)],
            &[P(3), P(4), P(5), P(6), Idle(1), H(5)],
        ],
        _ => [
            &[P(0), X(0), X(1), X(13), X(10), X(7)],
            &[P(1), X(4), X(5), X(2), X(14), X(11)],
            &[P(2), X(8), X(9), X(6), X(3), X(15)],
            &[P(3), X(12), P(4), P(5), P(6), P(7), P(8), H(7)],
        ],
    }
}

const fn encrypt_tch4(k: usize) -> Programs<4> {
    match k {
        2 => {
            [&[X(0), X(1)], &[X(2), X(3)], &[P(0), P(2), P(4), C(1)], &[P(1), P(3), Idle(1), H(2)]]
        }
        3 => [
            &[P(0), X(0), X(1), X(2)],
            &[P(1), X(3), X(4), X(5)],
            &[P(2), X(6), X(7), X(8)],
            &[P(3), P(4), P(5), P(6), C(1), H(5)],
        ],
        _ => [
            &[P(0), X(0), X(1), X(13), X(10), X(7)],
            &[P(1), X(4), X(5), X(2), X(14), X(11)],
            &[P(2), X(8), X(9), X(6), X(3), X(15)],
            &[P(3), X(12), P(4), P(5), P(6), P(7), P(8), C(1), H(6)],
        ],
    }
}
