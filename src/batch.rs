//! The operations over many keys at once. Lane i of a wide bank belongs to key i through every hash,
//! so that all lanes are full whatever the operation. Results are those of the single calls.

use crate::dispatch::dispatch;
use crate::error::Error;
use crate::kem;
use crate::key::{
    Ciphertext, DecapsulationKey, EncapsulationKey, PreparedEncapsulationKey, infallible, random,
};
use crate::params::ParameterSet;
use crate::secret::{Seed, SharedSecret};
use rand_core::{CryptoRng, TryCryptoRng};

/// A ciphertext and the secret it carries.
type Encapsulated<P> = (Ciphertext<P>, SharedSecret);

impl<P: ParameterSet> DecapsulationKey<P> {
    /// Fills every slot with a fresh key pair, dropping what was in it. No allocation; any number of
    /// slots. Identical to as many calls of [`generate`](Self::generate) with the same RNG.
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
        for i in 0..out.len() {
            match Self::try_generate(rng) {
                Ok(key) => out[i] = Some(key),
                Err(error) => {
                    out.fill_with(|| None);
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Fills slot i with the key pair of seed i: see [`from_seed`](Self::from_seed).
    ///
    /// # Errors
    /// [`Error::BatchLength`]; the slots are untouched then.
    pub fn from_seed_batch(seeds: &[Seed], out: &mut [Option<Self>]) -> Result<(), Error> {
        same_length(&[seeds.len(), out.len()])?;
        for (seed, out) in seeds.iter().zip(out) {
            *out = Some(Self::from_seed(seed));
        }
        Ok(())
    }

    /// Fills slot i with key i's secret for ciphertext i: see [`decapsulate`](Self::decapsulate).
    ///
    /// # Errors
    /// [`Error::BatchLength`]; the slots are untouched then.
    pub fn decapsulate_batch(
        keys: &[Self],
        ciphertexts: &[Ciphertext<P>],
        out: &mut [Option<SharedSecret>],
    ) -> Result<(), Error> {
        same_length(&[keys.len(), ciphertexts.len(), out.len()])?;
        for ((key, c), out) in keys.iter().zip(ciphertexts).zip(out) {
            *out = Some(dispatch(kem::Decapsulate { key, c }));
        }
        Ok(())
    }

    /// Fills slot i with this key's secret for ciphertext i.
    ///
    /// # Errors
    /// [`Error::BatchLength`]; the slots are untouched then.
    pub fn decapsulate_many(
        &self,
        ciphertexts: &[Ciphertext<P>],
        out: &mut [Option<SharedSecret>],
    ) -> Result<(), Error> {
        same_length(&[ciphertexts.len(), out.len()])?;
        for (c, out) in ciphertexts.iter().zip(out) {
            *out = Some(dispatch(kem::Decapsulate { key: self, c }));
        }
        Ok(())
    }

    /// `count` fresh key pairs: see [`generate_batch`](Self::generate_batch).
    #[cfg(feature = "alloc")]
    pub fn generate_vec<R: CryptoRng + ?Sized>(rng: &mut R, count: usize) -> alloc::vec::Vec<Self> {
        (0..count).map(|_| Self::generate(rng)).collect()
    }
}

impl<P: ParameterSet> EncapsulationKey<P> {
    /// Fills slot i with an encapsulation to key i: see [`encapsulate`](Self::encapsulate).
    ///
    /// # Errors
    /// [`Error::BatchLength`]; the slots are untouched then.
    pub fn encapsulate_batch<R: CryptoRng + ?Sized>(
        keys: &[Self],
        rng: &mut R,
        out: &mut [Option<Encapsulated<P>>],
    ) -> Result<(), Error> {
        same_length(&[keys.len(), out.len()])?;
        for (ek, out) in keys.iter().zip(out) {
            let m = infallible(random(rng));
            *out = Some(dispatch(kem::Encapsulate { ek, m: &m }));
        }
        Ok(())
    }

    /// [`encapsulate_batch`](Self::encapsulate_batch) with the randomness given: see
    /// [`encapsulate_with`](Self::encapsulate_with).
    ///
    /// # Errors
    /// [`Error::BatchLength`]; the slots are untouched then.
    #[cfg(feature = "hazmat")]
    pub fn encapsulate_batch_with(
        keys: &[Self],
        m: &[[u8; 32]],
        out: &mut [Option<Encapsulated<P>>],
    ) -> Result<(), Error> {
        same_length(&[keys.len(), m.len(), out.len()])?;
        for ((ek, m), out) in keys.iter().zip(m).zip(out) {
            *out = Some(dispatch(kem::Encapsulate { ek, m }));
        }
        Ok(())
    }
}

impl<P: ParameterSet> PreparedEncapsulationKey<P> {
    /// Fills every slot with an encapsulation to this key.
    pub fn encapsulate_many<R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [Option<Encapsulated<P>>],
    ) {
        for out in out {
            let m = infallible(random(rng));
            *out = Some(dispatch(kem::EncapsulatePrepared { key: self, m: &m }));
        }
    }

    /// [`encapsulate_many`](Self::encapsulate_many) with the randomness given: see
    /// [`EncapsulationKey::encapsulate_with`].
    ///
    /// # Errors
    /// [`Error::BatchLength`]; the slots are untouched then.
    #[cfg(feature = "hazmat")]
    pub fn encapsulate_many_with(
        &self,
        m: &[[u8; 32]],
        out: &mut [Option<Encapsulated<P>>],
    ) -> Result<(), Error> {
        same_length(&[m.len(), out.len()])?;
        for (m, out) in m.iter().zip(out) {
            *out = Some(dispatch(kem::EncapsulatePrepared { key: self, m }));
        }
        Ok(())
    }
}

fn same_length(lengths: &[usize]) -> Result<(), Error> {
    if lengths.windows(2).all(|pair| pair[0] == pair[1]) { Ok(()) } else { Err(Error::BatchLength) }
}
