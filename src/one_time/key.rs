//! Key pairs, public keys and ciphertexts of the one-time KEMs.

use super::group::KeyGenGroup;
use super::kem::{Input, KeyGen, Parts};
use super::transform::Transform;
use crate::batch::Unfinished;
use crate::error::Error;
use crate::key::{copy, debug_bytes, infallible};
use crate::lanes::MAX_LANES;
use crate::params::{Array, ByteArray, ParameterSet};
use crate::poly::NttPoly;
use crate::secret::SharedSecret;
use core::fmt;
use core::marker::PhantomData;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// A key pair that decapsulates once: `decapsulate` consumes it. No `Clone` and no form to store it in;
/// wiped when dropped.
pub struct OneTimeKeyPair<P: ParameterSet, T: Transform> {
    ek: EncapsulationKey<P, T>,
    pub(crate) s_hat: P::Vector<NttPoly>,
}

impl<P: ParameterSet, T: Transform> OneTimeKeyPair<P, T> {
    #[inline(always)]
    fn unfilled() -> Self {
        let bytes = P::EncapsulationKeyBytes::zeroed();
        let ek = EncapsulationKey { key: crate::EncapsulationKey(bytes), transform: PhantomData };
        Self { ek, s_hat: P::Vector::filled(NttPoly::ZERO) }
    }

    fn parts(&mut self) -> Parts<'_, P> {
        Parts { ek: &mut self.ek.key.0, s_hat: &mut self.s_hat }
    }

    /// A fresh key pair: K-PKE.KeyGen (FIPS 203 Algorithm 13).
    pub fn generate<R: CryptoRng + ?Sized>(rng: &mut R) -> Self {
        infallible(Self::try_generate(rng))
    }

    /// [`generate`](Self::generate) with an RNG that may fail.
    ///
    /// # Errors
    /// The RNG's.
    pub fn try_generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        Self::from_random(|d| rng.try_fill_bytes(d))
    }

    /// [`generate`](Self::generate) with the operating system's RNG.
    ///
    /// # Errors
    /// The operating system's.
    #[cfg(feature = "getrandom")]
    pub fn generate_os() -> Result<Self, getrandom::Error> {
        Self::from_random(getrandom::fill)
    }

    /// [`generate`](Self::generate) with the randomness d given.
    ///
    /// For tests. `d` must be fresh, uniform and secret, and must not be kept: a key made twice from it
    /// can be used twice.
    #[cfg(feature = "hazmat")]
    pub fn generate_with(d: &[u8; 32]) -> Self {
        infallible(Self::from_random(|out| {
            out.copy_from_slice(d);
            Ok(())
        }))
    }

    fn from_random<E>(fill: impl FnOnce(&mut [u8]) -> Result<(), E>) -> Result<Self, E> {
        let mut d = Zeroizing::new([0; 32]);
        fill(&mut *d)?;
        let mut pair = Self::unfilled();
        P::one_time_key_gen(KeyGen { d: &d, key: pair.parts() });
        Ok(pair)
    }

    /// Fills every slot with a fresh key pair, over what was in it. No allocation; any number of
    /// slots. Identical to as many calls of [`generate`](Self::generate) with an RNG whose output does not
    /// depend on how many bytes a call asks for; one call draws the randomness of up to 8 keys.
    pub fn generate_batch<R: CryptoRng + ?Sized>(rng: &mut R, out: &mut [Option<Self>]) {
        infallible(Self::try_generate_batch(rng, out));
    }

    /// [`generate_batch`](Self::generate_batch) with an RNG that may fail.
    ///
    /// # Errors
    /// The RNG's; all slots are `None` then.
    pub fn try_generate_batch<R: TryCryptoRng + ?Sized>(
        rng: &mut R,
        out: &mut [Option<Self>],
    ) -> Result<(), R::Error> {
        let unfinished = Unfinished(out);
        for slots in unfinished.0.chunks_mut(MAX_LANES) {
            let mut d = Zeroizing::new([[0; 32]; MAX_LANES]);
            let d = &mut d[..slots.len()];
            rng.try_fill_bytes(d.as_flattened_mut())?;
            let mut slots = slots.iter_mut();
            let keys = core::array::from_fn(|_| {
                slots.next().map(|slot| slot.get_or_insert_with(Self::unfilled).parts())
            });
            P::one_time_key_gen_group(KeyGenGroup { d, keys });
        }
        unfinished.finish();
        Ok(())
    }

    /// `count` fresh key pairs: see [`generate_batch`](Self::generate_batch).
    #[cfg(feature = "alloc")]
    pub fn generate_vec<R: CryptoRng + ?Sized>(rng: &mut R, count: usize) -> alloc::vec::Vec<Self> {
        let mut keys = crate::batch::slots(count);
        Self::generate_batch(rng, &mut keys);
        keys.into_iter().flatten().collect()
    }

    /// The public key.
    pub fn encapsulation_key(&self) -> &EncapsulationKey<P, T> {
        &self.ek
    }
}

impl<P: ParameterSet, T: Transform> fmt::Debug for OneTimeKeyPair<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}::OneTimeKeyPair(redacted)", T::NAME, P::NAME)
    }
}

impl<P: ParameterSet, T: Transform> Drop for OneTimeKeyPair<P, T> {
    fn drop(&mut self) {
        self.s_hat.zeroize();
    }
}

impl<P: ParameterSet, T: Transform> ZeroizeOnDrop for OneTimeKeyPair<P, T> {}

/// A slot whose key is in use. It is emptied when the use ends, however it ends.
pub(crate) struct Once<'a, P: ParameterSet, T: Transform>(
    pub(crate) &'a mut Option<OneTimeKeyPair<P, T>>,
);

impl<P: ParameterSet, T: Transform> Drop for Once<'_, P, T> {
    fn drop(&mut self) {
        *self.0 = None;
    }
}

/// The public half of a [`OneTimeKeyPair`]: bytes that passed the modulus check of FIPS 203 §7.2.
#[derive(Clone, PartialEq, Eq)]
pub struct EncapsulationKey<P: ParameterSet, T: Transform> {
    key: crate::EncapsulationKey<P>,
    transform: PhantomData<T>,
}

impl<P: ParameterSet, T: Transform> EncapsulationKey<P, T> {
    /// Its length in bytes.
    pub const LEN: usize = P::ENCAPSULATION_KEY_LEN;

    /// Parses a peer's key, with the checks of FIPS 203 §7.2.
    ///
    /// # Errors
    /// [`Error::EncapsulationKeyLength`], [`Error::EncapsulationKeyModulus`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let key = crate::EncapsulationKey::from_bytes(bytes)?;
        Ok(Self { key, transform: PhantomData })
    }

    /// The key's bytes: 384·k for t̂, 32 for ρ.
    pub fn to_bytes(&self) -> P::EncapsulationKeyBytes {
        self.key.to_bytes()
    }

    /// The key's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.key.as_bytes()
    }

    /// A fresh shared secret and its ciphertext for the key's owner.
    pub fn encapsulate<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> (Ciphertext<P, T>, SharedSecret) {
        infallible(self.try_encapsulate(rng))
    }

    /// [`encapsulate`](Self::encapsulate) with an RNG that may fail.
    ///
    /// # Errors
    /// The RNG's.
    pub fn try_encapsulate<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<(Ciphertext<P, T>, SharedSecret), R::Error> {
        self.with_random(|random| rng.try_fill_bytes(random))
    }

    /// [`encapsulate`](Self::encapsulate) with the operating system's RNG.
    ///
    /// # Errors
    /// The operating system's.
    #[cfg(feature = "getrandom")]
    pub fn encapsulate_os(&self) -> Result<(Ciphertext<P, T>, SharedSecret), getrandom::Error> {
        self.with_random(getrandom::fill)
    }

    /// [`encapsulate`](Self::encapsulate) with the message m and the randomness r of K-PKE.Encrypt given.
    ///
    /// For tests. Both must be fresh, uniform and secret: whoever knows m knows the shared secret, and two
    /// ciphertexts of one r give away their messages' difference.
    #[cfg(feature = "hazmat")]
    pub fn encapsulate_with(&self, m: &[u8; 32], r: &[u8; 32]) -> (Ciphertext<P, T>, SharedSecret) {
        infallible(self.with_random(|random| {
            random[..32].copy_from_slice(m);
            random[32..].copy_from_slice(r);
            Ok(())
        }))
    }

    /// Encapsulates with m ‖ r.
    fn with_random<E>(
        &self,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(Ciphertext<P, T>, SharedSecret), E> {
        let mut random = Zeroizing::new([[0; 32]; 2]);
        fill(random.as_flattened_mut())?;
        let [m, r] = &*random;
        let mut bytes = T::CiphertextBytes::<P>::zeroed();
        let secret = T::encapsulate(Input { ek: &self.key.0, m, r }, &mut bytes);
        Ok((Ciphertext { bytes }, secret))
    }
}

impl<P: ParameterSet, T: Transform> fmt::Debug for EncapsulationKey<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of ", T::NAME)?;
        debug_bytes(f, P::NAME, "EncapsulationKey", self.as_bytes())
    }
}

impl<P: ParameterSet, T: Transform> AsRef<[u8]> for EncapsulationKey<P, T> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: ParameterSet, T: Transform> TryFrom<&[u8]> for EncapsulationKey<P, T> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }
}

/// A ciphertext: any bytes of the right length.
#[derive(Clone, PartialEq, Eq)]
pub struct Ciphertext<P: ParameterSet, T: Transform> {
    pub(crate) bytes: T::CiphertextBytes<P>,
}

impl<P: ParameterSet, T: Transform> Ciphertext<P, T> {
    /// Its length in bytes.
    pub const LEN: usize = P::CIPHERTEXT_LEN + T::TAG_LEN;

    /// Takes a peer's ciphertext.
    ///
    /// # Errors
    /// [`Error::CiphertextLength`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Ok(Self { bytes: copy(bytes, Error::CiphertextLength)? })
    }

    /// The ciphertext's bytes.
    pub fn to_bytes(&self) -> T::CiphertextBytes<P> {
        self.bytes
    }

    /// The ciphertext's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

impl<P: ParameterSet, T: Transform> fmt::Debug for Ciphertext<P, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of ", T::NAME)?;
        debug_bytes(f, P::NAME, "Ciphertext", self.as_bytes())
    }
}

impl<P: ParameterSet, T: Transform> AsRef<[u8]> for Ciphertext<P, T> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl<P: ParameterSet, T: Transform> TryFrom<&[u8]> for Ciphertext<P, T> {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes(bytes)
    }
}
