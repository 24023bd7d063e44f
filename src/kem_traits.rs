//! The traits of the crate `kem`, for code that is generic over them.
//!
//! A decapsulation key is initialised from its seed ([`KeyInit`], [`FromSeed`]) and
//! not exported: [`KeyExport`] cannot fail, and a key that was imported expanded has no seed. The
//! shared keys of these traits are plain arrays, neither wiped nor compared in constant time, unlike
//! [`SharedSecret`].
//!
//! ```
//! use lanekem::kem_traits::{Decapsulate, Encapsulate, Kem};
//! let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! fn agree<K: Kem<DecapsulationKey: Decapsulate>>(rng: &mut impl rand_core::CryptoRng) {
//!     let (dk, ek) = K::generate_keypair_from_rng(rng);
//!     let (ciphertext, shared_key) = ek.encapsulate_with_rng(rng);
//!     assert_eq!(dk.decapsulate(&ciphertext), shared_key);
//! }
//! agree::<lanekem::MlKem768>(&mut rng);
//! ```
#![forbid(unsafe_code)]

use crate::params::{ByteArray, MlKem512, MlKem768, MlKem1024, ParameterSet};
use crate::secret::{Seed, SharedSecret};
use crate::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey,
    PreparedEncapsulationKey,
};
use hybrid_array::sizes::{U32, U64, U768, U800, U1088, U1184, U1568};
use hybrid_array::{Array, ArraySize};
use kem::{InvalidKey, Key, KeySizeUser};
use rand_core::{CryptoRng, TryCryptoRng};

pub use kem::{
    Decapsulate, Decapsulator, Encapsulate, FromSeed, Generate, Kem, KeyExport, KeyInit,
    TryDecapsulate, TryKeyInit,
};

/// A parameter set with its sizes as types.
pub trait Sizes: ParameterSet + Kem<EncapsulationKey = EncapsulationKey<Self>> {
    /// [`ENCAPSULATION_KEY_LEN`](ParameterSet::ENCAPSULATION_KEY_LEN).
    type EncapsulationKeySize: ArraySize;
}

macro_rules! sizes {
    ($set:ident, $ek:ident, $ct:ident) => {
        impl Kem for $set {
            type DecapsulationKey = DecapsulationKey<Self>;
            type EncapsulationKey = EncapsulationKey<Self>;
            type SharedKeySize = U32;
            type CiphertextSize = $ct;
        }

        impl Sizes for $set {
            type EncapsulationKeySize = $ek;
        }
    };
}
sizes!(MlKem512, U800, U768);
sizes!(MlKem768, U1184, U1088);
sizes!(MlKem1024, U1568, U1568);

fn array<N: ArraySize>(bytes: &[u8]) -> Array<u8, N> {
    let mut out = Array::default();
    out.copy_from_slice(bytes);
    out
}

type Encapsulated<P> = (kem::Ciphertext<P>, kem::SharedKey<P>);

fn encapsulated<P: Sizes>((c, k): (Ciphertext<P>, SharedSecret)) -> Encapsulated<P> {
    (array(c.as_bytes()), array(k.as_bytes()))
}

macro_rules! encapsulation_key {
    ($key:ident, |$ek:ident| $from:expr, |$self:ident| $bytes:expr) => {
        impl<P: Sizes> KeySizeUser for $key<P> {
            type KeySize = P::EncapsulationKeySize;
        }

        /// With the checks of FIPS 203 §7.2.
        impl<P: Sizes> TryKeyInit for $key<P> {
            fn new(key: &Key<Self>) -> Result<Self, InvalidKey> {
                EncapsulationKey::from_bytes(key).map(|$ek| $from).map_err(|_| InvalidKey)
            }
        }

        impl<P: Sizes> KeyExport for $key<P> {
            fn to_bytes(&$self) -> Key<Self> {
                array($bytes)
            }
        }

        impl<P: Sizes> Encapsulate for $key<P> {
            type Kem = P;

            fn encapsulate_with_rng<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Encapsulated<P> {
                encapsulated(self.encapsulate(rng))
            }
        }
    };
}
encapsulation_key!(EncapsulationKey, |ek| ek, |self| self.as_bytes());
encapsulation_key!(PreparedEncapsulationKey, |ek| ek.prepare(), |self| self.ek.as_bytes());

macro_rules! decapsulation_key {
    ($key:ident) => {
        impl<P: Sizes> KeySizeUser for $key<P> {
            type KeySize = U64;
        }

        /// From the seed d ‖ z.
        impl<P: Sizes> KeyInit for $key<P> {
            fn new(seed: &Key<Self>) -> Self {
                Self::from_seed(&Seed(seed.0))
            }
        }

        impl<P: Sizes> Generate for $key<P> {
            fn try_generate_from_rng<R: TryCryptoRng + ?Sized>(
                rng: &mut R,
            ) -> Result<Self, R::Error> {
                Self::try_generate(rng)
            }
        }

        impl<P: Sizes> Decapsulator for $key<P> {
            type Kem = P;

            fn encapsulation_key(&self) -> &EncapsulationKey<P> {
                &self.ek
            }
        }

        impl<P: Sizes> Decapsulate for $key<P> {
            fn decapsulate(&self, ciphertext: &kem::Ciphertext<P>) -> kem::SharedKey<P> {
                let mut c = P::CiphertextBytes::zeroed();
                c.as_mut().copy_from_slice(&ciphertext[..]);
                array(self.decapsulate(&Ciphertext(c)).as_bytes())
            }
        }
    };
}
decapsulation_key!(DecapsulationKey);
decapsulation_key!(CompactDecapsulationKey);
