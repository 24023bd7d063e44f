//! Decapsulation keys, with and without the matrix. What exists here has passed its checks.

use crate::error::Error;
use crate::kem;
use crate::key::{Ciphertext, EncapsulationKey, infallible};
use crate::kpke::EncryptionKey;
use crate::params::{Array, ByteArray, POLY_BYTES, ParameterSet};
use crate::poly::NttPoly;
use crate::secret::{Seed, SharedSecret, StoredSeed};
use core::fmt;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// The private key in the form that a TLS client wants: it keeps the expanded matrix, so that
/// decapsulation hashes no more than it must. Wiped when dropped; no `Clone`.
pub struct DecapsulationKey<P: ParameterSet> {
    pub(crate) seed: StoredSeed,
    pub(crate) ek: EncapsulationKey<P>,
    pub(crate) h: [u8; 32],
    pub(crate) z: [u8; 32],
    pub(crate) s_hat: P::Vector<NttPoly>,
    pub(crate) pke: EncryptionKey<P>,
}

impl<P: ParameterSet> DecapsulationKey<P> {
    /// A key of zeros to be filled; never handed out unfilled.
    #[inline(always)]
    pub(crate) fn unfilled(seed: Option<Seed>) -> Self {
        Self {
            seed: StoredSeed::new(seed),
            ek: EncapsulationKey(P::EncapsulationKeyBytes::zeroed()),
            h: [0; 32],
            z: [0; 32],
            s_hat: P::Vector::filled(NttPoly::ZERO),
            pke: EncryptionKey::zeroed(),
        }
    }

    /// ML-KEM.KeyGen (Algorithm 19).
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        infallible(Self::try_generate(rng))
    }

    /// [`generate`](Self::generate) with an RNG that may fail.
    ///
    /// # Errors
    /// The RNG's.
    pub fn try_generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut seed = Seed([0; 64]);
        rng.try_fill_bytes(&mut seed.0)?;
        Ok(Self::expand(seed))
    }

    /// [`generate`](Self::generate) with the operating system's RNG.
    ///
    /// # Errors
    /// The operating system's.
    #[cfg(feature = "getrandom")]
    pub fn generate_os() -> Result<Self, getrandom::Error> {
        let mut seed = Seed([0; 64]);
        getrandom::fill(&mut seed.0)?;
        Ok(Self::expand(seed))
    }

    /// ML-KEM.KeyGen_internal (Algorithm 16): the key pair that belongs to a stored seed.
    pub fn from_seed(seed: &Seed) -> Self {
        Self::expand(Seed(seed.0))
    }

    /// [`from_seed`](Self::from_seed) without a copy of the key on the stack: makes it in the slot, over
    /// what was there, and returns it.
    pub fn from_seed_in<'a>(slot: &'a mut Option<Self>, seed: &Seed) -> &'a mut Self {
        let key = Self::place(slot);
        key.seed.set(&seed.0);
        P::key_gen(kem::KeyGen(key));
        key
    }

    /// The slot's key, to be filled: the one that is there or one of zeros. Not inlined: a build for
    /// size makes a copy of the key, which is gone from the stack when this returns.
    #[inline(never)]
    pub(crate) fn place(slot: &mut Option<Self>) -> &mut Self {
        slot.get_or_insert_with(|| Self::unfilled(None))
    }

    fn expand(seed: Seed) -> Self {
        let mut key = Self::unfilled(Some(seed));
        P::key_gen(kem::KeyGen(&mut key));
        key
    }

    /// The seed d ‖ z, the form to store; `None` if the key was imported expanded.
    pub fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// Imports an expanded key dk_PKE ‖ ek ‖ H(ek) ‖ z, with the checks of FIPS 203 §7.3 (length, hash)
    /// and those of §7.2 on the encapsulation key in it. Coefficients of dk_PKE, which the standard does
    /// not check, are taken modulo q, and come out reduced.
    ///
    /// # Errors
    /// [`Error::DecapsulationKeyLength`], [`Error::EncapsulationKeyModulus`],
    /// [`Error::DecapsulationKeyHash`].
    pub fn from_expanded_bytes(bytes: &[u8]) -> Result<Self, Error> {
        expect_length::<P>(bytes)?;
        let mut key = Self::unfilled(None);
        P::parse_decapsulation_key(kem::ParseDecapsulationKey { bytes, key: &mut key })?;
        Ok(key)
    }

    /// The expanded key dk_PKE ‖ ek ‖ H(ek) ‖ z. Prefer to store the [`seed`](Self::seed).
    pub fn to_expanded_bytes(&self) -> Zeroizing<P::ExpandedKeyBytes> {
        self.to_compact().to_expanded_bytes()
    }

    /// The public key.
    pub fn encapsulation_key(&self) -> &EncapsulationKey<P> {
        &self.ek
    }

    /// ML-KEM.Decaps (Algorithm 21). A ciphertext that was not made for this key gives a secret that
    /// its sender cannot know (implicit rejection), never an error, in the same time.
    pub fn decapsulate(&self, ciphertext: &Ciphertext<P>) -> SharedSecret {
        P::decapsulate(kem::Decapsulate { key: self, c: ciphertext })
    }

    /// Decapsulates with an expanded key that is used for nothing else: the same as
    /// [`from_expanded_bytes`](Self::from_expanded_bytes) and [`decapsulate`](Self::decapsulate), but the
    /// hash of the check runs beside everything that the decapsulation hashes.
    ///
    /// # Errors
    /// Those of [`from_expanded_bytes`](Self::from_expanded_bytes).
    pub fn decapsulate_from_expanded_bytes(
        bytes: &[u8],
        ciphertext: &Ciphertext<P>,
    ) -> Result<SharedSecret, Error> {
        expect_length::<P>(bytes)?;
        P::decapsulate_expanded(kem::DecapsulateExpanded { bytes, c: ciphertext })
    }

    /// The form without the matrix, for large key stores and small devices.
    pub fn to_compact(&self) -> CompactDecapsulationKey<P> {
        let mut compact = CompactDecapsulationKey {
            seed: StoredSeed::new(self.seed.as_ref().map(|s| Seed(s.0))),
            ek: self.ek.clone(),
            h: self.h,
            z: self.z,
            s_bytes: P::Vector::filled([0; POLY_BYTES]),
        };
        P::encode_secret(kem::EncodeSecret { key: self, out: compact.s_bytes.as_mut() });
        compact
    }
}

impl<P: ParameterSet> fmt::Debug for DecapsulationKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::DecapsulationKey(redacted)", P::NAME)
    }
}

impl<P: ParameterSet> ZeroizeOnDrop for DecapsulationKey<P> {}

/// The length check of §7.3.
fn expect_length<P: ParameterSet>(bytes: &[u8]) -> Result<(), Error> {
    if bytes.len() == P::EXPANDED_KEY_LEN { Ok(()) } else { Err(Error::DecapsulationKeyLength) }
}

/// The private key without its matrix: 768·k + 96 bytes and a seed, expanded anew by each
/// decapsulation, beside the hash of the ciphertext. Wiped when dropped; no `Clone`.
pub struct CompactDecapsulationKey<P: ParameterSet> {
    pub(crate) seed: StoredSeed,
    pub(crate) ek: EncapsulationKey<P>,
    pub(crate) h: [u8; 32],
    pub(crate) z: [u8; 32],
    pub(crate) s_bytes: P::Vector<[u8; POLY_BYTES]>,
}

impl<P: ParameterSet> CompactDecapsulationKey<P> {
    #[inline(always)]
    fn unfilled(seed: Option<Seed>) -> Self {
        Self {
            seed: StoredSeed::new(seed),
            ek: EncapsulationKey(P::EncapsulationKeyBytes::zeroed()),
            h: [0; 32],
            z: [0; 32],
            s_bytes: P::Vector::filled([0; POLY_BYTES]),
        }
    }

    /// ML-KEM.KeyGen (Algorithm 19).
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        infallible(Self::try_generate(rng))
    }

    /// [`generate`](Self::generate) with an RNG that may fail.
    ///
    /// # Errors
    /// The RNG's.
    pub fn try_generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut seed = Seed([0; 64]);
        rng.try_fill_bytes(&mut seed.0)?;
        Ok(Self::from_seed(&seed))
    }

    /// [`generate`](Self::generate) with the operating system's RNG.
    ///
    /// # Errors
    /// The operating system's.
    #[cfg(feature = "getrandom")]
    pub fn generate_os() -> Result<Self, getrandom::Error> {
        let mut seed = Seed([0; 64]);
        getrandom::fill(&mut seed.0)?;
        Ok(Self::from_seed(&seed))
    }

    /// ML-KEM.KeyGen_internal (Algorithm 16): the key pair that belongs to a stored seed.
    pub fn from_seed(seed: &Seed) -> Self {
        let mut key = Self::unfilled(Some(Seed(seed.0)));
        P::compact_key_gen(kem::CompactKeyGen(&mut key));
        key
    }

    /// [`from_seed`](Self::from_seed) without a copy of the key on the stack: makes it in the slot, over
    /// what was there, and returns it.
    pub fn from_seed_in<'a>(slot: &'a mut Option<Self>, seed: &Seed) -> &'a mut Self {
        let key = Self::place(slot);
        key.seed.set(&seed.0);
        P::compact_key_gen(kem::CompactKeyGen(key));
        key
    }

    /// See `DecapsulationKey::place`.
    #[inline(never)]
    fn place(slot: &mut Option<Self>) -> &mut Self {
        slot.get_or_insert_with(|| Self::unfilled(None))
    }

    /// The seed d ‖ z, the form to store; `None` if the key was imported expanded.
    pub fn seed(&self) -> Option<&Seed> {
        self.seed.as_ref()
    }

    /// Imports an expanded key: see [`DecapsulationKey::from_expanded_bytes`].
    ///
    /// # Errors
    /// [`Error::DecapsulationKeyLength`], [`Error::EncapsulationKeyModulus`],
    /// [`Error::DecapsulationKeyHash`].
    pub fn from_expanded_bytes(bytes: &[u8]) -> Result<Self, Error> {
        expect_length::<P>(bytes)?;
        let mut key = Self::unfilled(None);
        P::parse_compact_key(kem::ParseCompactKey { bytes, key: &mut key })?;
        Ok(key)
    }

    /// The expanded key dk_PKE ‖ ek ‖ H(ek) ‖ z. Prefer to store the [`seed`](Self::seed).
    pub fn to_expanded_bytes(&self) -> Zeroizing<P::ExpandedKeyBytes> {
        let mut bytes = Zeroizing::new(P::ExpandedKeyBytes::zeroed());
        let parts = [self.s_bytes.as_ref().as_flattened(), self.ek.as_bytes(), &self.h, &self.z];
        let mut rest = (*bytes).as_mut();
        for part in parts {
            let (out, after) = rest.split_at_mut(part.len());
            out.copy_from_slice(part);
            rest = after;
        }
        bytes
    }

    /// The public key.
    pub fn encapsulation_key(&self) -> &EncapsulationKey<P> {
        &self.ek
    }

    /// ML-KEM.Decaps (Algorithm 21): see [`DecapsulationKey::decapsulate`].
    pub fn decapsulate(&self, ciphertext: &Ciphertext<P>) -> SharedSecret {
        P::decapsulate_compact(kem::DecapsulateCompact { key: self, c: ciphertext })
    }

    /// The form that keeps the matrix.
    pub fn prepare(&self) -> DecapsulationKey<P> {
        let mut key = DecapsulationKey::unfilled(None);
        P::prepare_decapsulation_key(kem::PrepareDecapsulationKey { compact: self, key: &mut key });
        key
    }
}

impl<P: ParameterSet> fmt::Debug for CompactDecapsulationKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::CompactDecapsulationKey(redacted)", P::NAME)
    }
}

impl<P: ParameterSet> ZeroizeOnDrop for CompactDecapsulationKey<P> {}
