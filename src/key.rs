//! Keys and ciphertexts: the public door. What exists here has passed its checks.

use crate::error::Error;
use crate::kem;
use crate::kpke::EncryptionKey;
use crate::params::{ByteArray, ParameterSet};
use crate::secret::SharedSecret;
use core::convert::Infallible;
use core::fmt;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::Zeroizing;

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
        Ok(self.encapsulated(&m))
    }

    /// [`encapsulate`](Self::encapsulate) with the operating system's RNG.
    ///
    /// # Errors
    /// The operating system's.
    #[cfg(feature = "getrandom")]
    pub fn encapsulate_os(&self) -> Result<(Ciphertext<P>, SharedSecret), getrandom::Error> {
        let mut m = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *m)?;
        Ok(self.encapsulated(&m))
    }

    /// ML-KEM.Encaps_internal (Algorithm 17) with the randomness m given.
    ///
    /// For tests. `m` must be fresh, uniform and secret: whoever knows it knows the shared secret.
    #[cfg(feature = "hazmat")]
    pub fn encapsulate_with(&self, m: &[u8; 32]) -> (Ciphertext<P>, SharedSecret) {
        self.encapsulated(m)
    }

    fn encapsulated(&self, m: &[u8; 32]) -> Encapsulated<P> {
        let mut out = unfilled();
        P::encapsulate(kem::Encapsulate { ek: self, m, out: &mut out });
        out
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
        Ok(self.encapsulated(&m))
    }

    /// [`encapsulate`](Self::encapsulate) with the operating system's RNG.
    ///
    /// # Errors
    /// The operating system's.
    #[cfg(feature = "getrandom")]
    pub fn encapsulate_os(&self) -> Result<(Ciphertext<P>, SharedSecret), getrandom::Error> {
        let mut m = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *m)?;
        Ok(self.encapsulated(&m))
    }

    /// ML-KEM.Encaps_internal (Algorithm 17) with the randomness m given: see
    /// [`EncapsulationKey::encapsulate_with`].
    #[cfg(feature = "hazmat")]
    pub fn encapsulate_with(&self, m: &[u8; 32]) -> (Ciphertext<P>, SharedSecret) {
        self.encapsulated(m)
    }

    fn encapsulated(&self, m: &[u8; 32]) -> Encapsulated<P> {
        let mut out = unfilled();
        P::encapsulate_prepared(kem::EncapsulatePrepared { key: self, m, out: &mut out });
        out
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

/// A ciphertext and the secret it carries.
pub(crate) type Encapsulated<P> = (Ciphertext<P>, SharedSecret);

/// Where an encapsulation writes.
#[inline(always)]
pub(crate) fn unfilled<P: ParameterSet>() -> Encapsulated<P> {
    (Ciphertext(P::CiphertextBytes::zeroed()), SharedSecret([0; 32]))
}

/// A copy of bytes that have the right length.
pub(crate) fn copy<A: ByteArray>(bytes: &[u8], wrong_length: Error) -> Result<A, Error> {
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
pub(crate) fn debug_bytes(
    f: &mut fmt::Formatter<'_>,
    set: &str,
    name: &str,
    bytes: &[u8],
) -> fmt::Result {
    write!(f, "{set}::{name}(")?;
    for byte in &bytes[..8] {
        write!(f, "{byte:02x}")?;
    }
    f.write_str("…)")
}
