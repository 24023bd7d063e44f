//! The secrets a caller holds: seeds and shared secrets.

use crate::{Error, ct};
use core::fmt;
use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop, optimization_barrier};

/// Overwrites bytes with zeros, by whole vectors where `Zeroize` writes byte after byte.
#[inline(always)]
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    optimization_barrier(bytes);
}

macro_rules! secret_bytes {
    ($(#[$doc:meta])* $name:ident, $len:literal) => {
        $(#[$doc])*
        pub struct $name(pub(crate) [u8; $len]);

        impl $name {
            /// Its length in bytes.
            pub const LEN: usize = $len;

            /// The secret bytes.
            pub fn as_bytes(&self) -> &[u8; $len] {
                &self.0
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        /// In constant time.
        impl ConstantTimeEq for $name {
            fn ct_eq(&self, other: &Self) -> Choice {
                Choice::from(ct::equal_mask(&self.0, &other.0) & 1)
            }
        }

        /// In constant time.
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.ct_eq(other).into()
            }
        }

        impl Eq for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(redacted)"))
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.0.zeroize();
            }
        }

        impl ZeroizeOnDrop for $name {}
    };
}

secret_bytes! {
    /// The 32 bytes that encapsulation and decapsulation agree on. Wiped when dropped.
    SharedSecret, 32
}
secret_bytes! {
    /// The 64 bytes d ‖ z that a key pair is made from: the form to store (FIPS 203 §3.3).
    /// Wiped when dropped.
    Seed, 64
}

impl Seed {
    /// A seed from stored bytes, d ‖ z. They must have come from a cryptographic random generator.
    pub fn from_bytes(bytes: &[u8; Self::LEN]) -> Self {
        Self(*bytes)
    }

    pub(crate) fn d(&self) -> &[u8; 32] {
        self.0.first_chunk().expect("64 bytes")
    }

    pub(crate) fn z(&self) -> &[u8; 32] {
        self.0.last_chunk().expect("64 bytes")
    }
}

/// The seed that a key may have. Not an `Option`: of a `None`, the bytes that a seed would take keep
/// whatever lay there before.
pub(crate) struct StoredSeed {
    seed: Seed,
    known: bool,
}

impl StoredSeed {
    #[inline(always)]
    pub(crate) fn new(seed: Option<Seed>) -> Self {
        let known = seed.is_some();
        Self { seed: seed.unwrap_or(Seed([0; 64])), known }
    }

    #[inline(always)]
    pub(crate) fn as_ref(&self) -> Option<&Seed> {
        self.known.then_some(&self.seed)
    }

    /// Keeps a copy of a seed.
    pub(crate) fn set(&mut self, seed: &[u8; Seed::LEN]) {
        self.seed.0 = *seed;
        self.known = true;
    }

    /// Forgets the seed.
    pub(crate) fn clear(&mut self) {
        self.seed.0.zeroize();
        self.known = false;
    }
}

impl From<[u8; 64]> for Seed {
    fn from(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }
}

/// [`Error::SeedLength`] unless there are 64 bytes.
impl TryFrom<&[u8]> for Seed {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        bytes.try_into().map(Self).map_err(|_| Error::SeedLength)
    }
}
