//! What the two KEMs differ in.

use super::kem::Input;
use crate::params::{ByteArray, ParameterSet};
use crate::secret::SharedSecret;
use core::fmt::Debug;

/// How a KEM is made of K-PKE: [`Th`](super::th::Th) or [`Tch`](super::tch::Tch).
pub trait Transform: Sealed + Copy + Debug + Eq + Send + Sync + 'static {
    /// Its name in the papers.
    const NAME: &'static str;
    /// Bytes of the tag that follows the ciphertext of K-PKE.
    const TAG_LEN: usize;
    /// `[u8; P::CIPHERTEXT_LEN + TAG_LEN]`.
    type CiphertextBytes<P: ParameterSet>: ByteArray;
}

/// Nobody else's.
pub trait Sealed: Sized {
    /// Writes the ciphertext and returns the shared secret.
    fn encapsulate<P: ParameterSet>(
        input: Input<'_, P>,
        c: &mut Self::CiphertextBytes<P>,
    ) -> SharedSecret
    where
        Self: Transform;
}
