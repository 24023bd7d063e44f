//! A provider's randomness for lanekem.
#![forbid(unsafe_code)]

use core::fmt;
use rand_core::{TryCryptoRng, TryRng};
use rustls::Error;
use rustls::crypto::{GetRandomFailed, SecureRandom};

/// A provider's randomness, or the operating system's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(pub(super) Option<&'static dyn SecureRandom>);

impl TryRng for Random {
    type Error = NoRandom;

    fn try_next_u32(&mut self) -> Result<u32, NoRandom> {
        rand_core::utils::next_word_via_fill(self)
    }

    fn try_next_u64(&mut self) -> Result<u64, NoRandom> {
        rand_core::utils::next_word_via_fill(self)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), NoRandom> {
        match self.0 {
            Some(provider) => provider.fill(bytes).map_err(|_| NoRandom),
            None => getrandom::SysRng.try_fill_bytes(bytes).map_err(|_| NoRandom),
        }
    }
}

impl TryCryptoRng for Random {}

/// [`GetRandomFailed`] as an [`Error`](core::error::Error).
#[derive(Debug)]
pub(super) struct NoRandom;

impl fmt::Display for NoRandom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no random bytes")
    }
}

impl core::error::Error for NoRandom {}

impl From<NoRandom> for Error {
    fn from(NoRandom: NoRandom) -> Self {
        GetRandomFailed.into()
    }
}
