//! Keys and ciphertexts: the public door. What exists here has passed its checks.

use crate::error::Error;
use crate::kem;
use crate::kpke::EncryptionKey;
use crate::params::{Array, ByteArray, POLY_BYTES, ParameterSet};
use crate::poly::NttPoly;
use crate::secret::{Seed, SharedSecret, StoredSeed};
use core::convert::Infallible;
use core::fmt;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{ZeroizeOnDrop, Zeroizing};

/// The public key: bytes that passed the checks of FIPS 203 §7.2.
///
/// Encapsulation expands the matrix anew each time, beside the hash of the key; see
/// [`prepare`](Self::prepare) for a peer that is met again.
#[derive(Clone, PartialEq, Eq)]
pub struct EncapsulationKey<P: ParameterSet>(pub(crate) P::EncapsulationKeyBytes);

impl<P: ParameterSet> EncapsulationKey<P> {
    /// Its length in bytes.
    pub const LEN: usize = P::ENCAPSULATION_KEY_LEN;

    /// Parses a peer's key, with the checks of FIPS 203 §7.2.
    ///
    /// # Errors
    /// [`Error::EncapsulationKeyLength`], [`Error::EncapsulationKeyModulus`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let key = Self(copy(bytes, Error::EncapsulationKeyLength)?);
        P::check_encapsulation_key(kem::CheckEncapsulationKey(&key.0))?;
        Ok(key)
    }

    /// The key's bytes: 384·k for t̂, 32 for ρ.
    pub fn to_bytes(&self) -> P::EncapsulationKeyBytes {
        self.0
    }

    /// The key's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }

    /// ML-KEM.Encaps (Algorithm 20): a fresh shared secret and its ciphertext for the key's owner.
    pub fn encapsulate<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> (Ciphertext<P>, SharedSecret) {
        infallible(self.try_encapsulate(rng))
    }

    /// [`encapsulate`](Self::encapsulate) with an RNG that may fail.
    ///
    /// # Errors
    /// The RNG's.
    pub fn try_encapsulate<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(Ciphertext<P>, SharedSecret), R::Error> {
        let m = random(rng)?;
        Ok(P::encapsulate(kem::Encapsulate { ek: self, m: &m }))
    }

    /// [`encapsulate`](Self::encapsulate) with the operating system's RNG.
    ///
    /// # Errors
    /// The operating system's.
    #[cfg(feature = "getrandom")]
    pub fn encapsulate_os(&self) -> Result<(Ciphertext<P>, SharedSecret), getrandom::Error> {
        let mut m = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *m)?;
        Ok(P::encapsulate(kem::Encapsulate { ek: self, m: &m }))
    }

    /// ML-KEM.Encaps_internal (Algorithm 17) with the randomness m given.
    ///
    /// For tests. `m` must be fresh, uniform and secret: whoever knows it knows the shared secret.
    #[cfg(feature = "hazmat")]
    pub fn encapsulate_with(&self, m: &[u8; 32]) -> (Ciphertext<P>, SharedSecret) {
        P::encapsulate(kem::Encapsulate { ek: self, m })
    }

    /// The form for a peer that is met again: the matrix and the key's hash are computed once.
    pub fn prepare(&self) -> PreparedEncapsulationKey<P> {
        let mut key =
            PreparedEncapsulationKey { ek: self.clone(), h: [0; 32], pke: EncryptionKey::zeroed() };
        P::prepare(kem::Prepare(&mut key));
        key
    }
}

impl<P: ParameterSet> fmt::Debug for EncapsulationKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_bytes(f, P::NAME, "EncapsulationKey", self.as_bytes())
    }
}

impl<P: ParameterSet> AsRef<[u8]> for EncapsulationKey<P> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: ParameterSet> TryFrom<&[u8]> for EncapsulationKey<P> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }
}

/// An [`EncapsulationKey`] with its matrix and hash kept: encapsulation takes half the time or less,
/// for 512·k·(k + 1) bytes more memory.
#[derive(Clone)]
pub struct PreparedEncapsulationKey<P: ParameterSet> {
    pub(crate) ek: EncapsulationKey<P>,
    pub(crate) h: [u8; 32],
    pub(crate) pke: EncryptionKey<P>,
}

impl<P: ParameterSet> PreparedEncapsulationKey<P> {
    /// ML-KEM.Encaps (Algorithm 20): a fresh shared secret and its ciphertext for the key's owner.
    pub fn encapsulate<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> (Ciphertext<P>, SharedSecret) {
        infallible(self.try_encapsulate(rng))
    }

    /// [`encapsulate`](Self::encapsulate) with an RNG that may fail.
    ///
    /// # Errors
    /// The RNG's.
    pub fn try_encapsulate<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(Ciphertext<P>, SharedSecret), R::Error> {
        let m = random(rng)?;
        Ok(P::encapsulate_prepared(kem::EncapsulatePrepared { key: self, m: &m }))
    }

    /// ML-KEM.Encaps_internal (Algorithm 17) with the randomness m given: see
    /// [`EncapsulationKey::encapsulate_with`].
    #[cfg(feature = "hazmat")]
    pub fn encapsulate_with(&self, m: &[u8; 32]) -> (Ciphertext<P>, SharedSecret) {
        P::encapsulate_prepared(kem::EncapsulatePrepared { key: self, m })
    }

    /// The key this was prepared from.
    pub fn encapsulation_key(&self) -> &EncapsulationKey<P> {
        &self.ek
    }
}

impl<P: ParameterSet> fmt::Debug for PreparedEncapsulationKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_bytes(f, P::NAME, "PreparedEncapsulationKey", self.ek.as_bytes())
    }
}

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
        let bytes = Zeroizing::new(copy(bytes, Error::DecapsulationKeyLength)?);
        let mut key = Self::unfilled(None);
        P::parse_decapsulation_key(kem::ParseDecapsulationKey { bytes: &*bytes, key: &mut key })?;
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

    /// ML-KEM.KeyGen_internal (Algorithm 16): the key pair that belongs to a stored seed.
    pub fn from_seed(seed: &Seed) -> Self {
        let mut key = Self::unfilled(Some(Seed(seed.0)));
        P::compact_key_gen(kem::CompactKeyGen(&mut key));
        key
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
        let bytes = Zeroizing::new(copy(bytes, Error::DecapsulationKeyLength)?);
        let mut key = Self::unfilled(None);
        P::parse_compact_key(kem::ParseCompactKey { bytes: &*bytes, key: &mut key })?;
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

/// A ciphertext: any bytes of the right length (FIPS 203 §7.3 asks no more).
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext<P: ParameterSet>(pub(crate) P::CiphertextBytes);

impl<P: ParameterSet> Ciphertext<P> {
    /// Its length in bytes.
    pub const LEN: usize = P::CIPHERTEXT_LEN;

    /// Takes a peer's ciphertext.
    ///
    /// # Errors
    /// [`Error::CiphertextLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        copy(bytes, Error::CiphertextLength).map(Self)
    }

    /// The ciphertext's bytes.
    pub fn to_bytes(&self) -> P::CiphertextBytes {
        self.0
    }

    /// The ciphertext's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl<P: ParameterSet> fmt::Debug for Ciphertext<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug_bytes(f, P::NAME, "Ciphertext", self.as_bytes())
    }
}

impl<P: ParameterSet> AsRef<[u8]> for Ciphertext<P> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: ParameterSet> TryFrom<&[u8]> for Ciphertext<P> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }
}

/// A copy of bytes that have the right length.
fn copy<A: ByteArray>(bytes: &[u8], wrong_length: Error) -> Result<A, Error> {
    let mut out = A::zeroed();
    if bytes.len() != out.as_ref().len() {
        return Err(wrong_length);
    }
    out.as_mut().copy_from_slice(bytes);
    Ok(out)
}

/// m of an encapsulation.
pub(crate) fn random<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
) -> Result<Zeroizing<[u8; 32]>, R::Error> {
    let mut m = Zeroizing::new([0; 32]);
    rng.try_fill_bytes(&mut *m)?;
    Ok(m)
}

pub(crate) fn infallible<T>(result: Result<T, Infallible>) -> T {
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// Public bytes by their first eight.
fn debug_bytes(f: &mut fmt::Formatter<'_>, set: &str, name: &str, bytes: &[u8]) -> fmt::Result {
    write!(f, "{set}::{name}(")?;
    for byte in &bytes[..8] {
        write!(f, "{byte:02x}")?;
    }
    f.write_str("…)")
}
