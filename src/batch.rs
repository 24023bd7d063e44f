//! The operations over many keys at once: as many in lockstep as the backend has lanes, and what is
//! left one at a time, where that is faster. Results are those of the single calls.

use crate::dispatch::dispatch;
use crate::error::Error;
use crate::group::{
    DecapsulateGroup, Divide, Division, EncapsulateGroup, EncapsulatePreparedGroup, Group,
    KeyGenGroup,
};
use crate::kem;
use crate::key::{
    Ciphertext, DecapsulationKey, EncapsulationKey, PreparedEncapsulationKey, infallible, random,
};
use crate::lanes::MAX_LANES;
use crate::params::ParameterSet;
use crate::secret::{Seed, SharedSecret};
use core::marker::PhantomData;
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::Zeroizing;

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
            let mut seed = Seed([0; 64]);
            if let Err(error) = rng.try_fill_bytes(&mut seed.0) {
                out.fill_with(|| None);
                return Err(error);
            }
            out[i] = Some(Self::unfilled(Some(seed)));
        }
        Self::expand_batch(out);
        Ok(())
    }

    /// Fills slot i with the key pair of seed i: see [`from_seed`](Self::from_seed).
    ///
    /// # Errors
    /// [`Error::BatchLength`]; the slots are untouched then.
    pub fn from_seed_batch(seeds: &[Seed], out: &mut [Option<Self>]) -> Result<(), Error> {
        same_length(&[seeds.len(), out.len()])?;
        for (seed, out) in seeds.iter().zip(out.iter_mut()) {
            *out = Some(Self::unfilled(Some(Seed::from_bytes(seed.as_bytes()))));
        }
        Self::expand_batch(out);
        Ok(())
    }

    /// Completes keys that have nothing but their seeds.
    fn expand_batch(keys: &mut [Option<Self>]) {
        let group = divide::<P>(Division::KeyGen);
        for keys in keys.chunks_mut(group.lanes) {
            if keys.len() >= group.fewest {
                dispatch(KeyGenGroup(keys));
            } else {
                keys.iter_mut().flatten().for_each(|key| dispatch(kem::KeyGen(key)));
            }
        }
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
        Self::decapsulate_each(|i| &keys[i], ciphertexts, out);
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
        Self::decapsulate_each(|_| self, ciphertexts, out);
        Ok(())
    }

    /// Decapsulates ciphertext i with key i.
    fn decapsulate_each<'a>(
        key: impl Fn(usize) -> &'a Self,
        ciphertexts: &[Ciphertext<P>],
        out: &mut [Option<SharedSecret>],
    ) {
        let group = divide::<P>(Division::Decapsulate);
        let mut first = 0;
        for (c, out) in ciphertexts.chunks(group.lanes).zip(out.chunks_mut(group.lanes)) {
            if c.len() >= group.fewest {
                let keys: [&Self; MAX_LANES] =
                    core::array::from_fn(|lane| key(first + lane.min(c.len() - 1)));
                dispatch(DecapsulateGroup { keys: &keys[..c.len()], c, out });
            } else {
                for (i, (c, out)) in c.iter().zip(out).enumerate() {
                    *out = Some(dispatch(kem::Decapsulate { key: key(first + i), c }));
                }
            }
            first += c.len();
        }
    }

    /// `count` fresh key pairs: see [`generate_batch`](Self::generate_batch).
    #[cfg(feature = "alloc")]
    pub fn generate_vec<R: CryptoRng + ?Sized>(rng: &mut R, count: usize) -> alloc::vec::Vec<Self> {
        let mut keys: alloc::vec::Vec<_> = (0..count).map(|_| None).collect();
        Self::generate_batch(rng, &mut keys);
        keys.into_iter().flatten().collect()
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
        let group = divide::<P>(Division::Encapsulate);
        for (keys, out) in keys.chunks(group.lanes).zip(out.chunks_mut(group.lanes)) {
            let m = randoms(rng, keys.len());
            Self::encapsulate_group(group, keys, &m[..keys.len()], out);
        }
        Ok(())
    }

    /// Encapsulates to at most as many keys as there are lanes.
    fn encapsulate_group(
        group: Group,
        keys: &[Self],
        m: &[[u8; 32]],
        out: &mut [Option<Encapsulated<P>>],
    ) {
        if keys.len() >= group.fewest {
            dispatch(EncapsulateGroup { keys, m, out });
        } else {
            for ((ek, m), out) in keys.iter().zip(m).zip(out) {
                *out = Some(dispatch(kem::Encapsulate { ek, m }));
            }
        }
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
        let group = divide::<P>(Division::Encapsulate);
        let groups = keys.chunks(group.lanes).zip(m.chunks(group.lanes));
        for ((keys, m), out) in groups.zip(out.chunks_mut(group.lanes)) {
            Self::encapsulate_group(group, keys, m, out);
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
        let group = divide::<P>(Division::EncapsulatePrepared);
        for out in out.chunks_mut(group.lanes) {
            let m = randoms(rng, out.len());
            self.encapsulate_group(group, &m[..out.len()], out);
        }
    }

    /// Encapsulates at most as many times as there are lanes.
    fn encapsulate_group(&self, group: Group, m: &[[u8; 32]], out: &mut [Option<Encapsulated<P>>]) {
        if m.len() >= group.fewest {
            dispatch(EncapsulatePreparedGroup { key: self, m, out });
        } else {
            for (m, out) in m.iter().zip(out) {
                *out = Some(dispatch(kem::EncapsulatePrepared { key: self, m }));
            }
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
        let group = divide::<P>(Division::EncapsulatePrepared);
        for (m, out) in m.chunks(group.lanes).zip(out.chunks_mut(group.lanes)) {
            self.encapsulate_group(group, m, out);
        }
        Ok(())
    }
}

/// How this CPU divides a batch.
fn divide<P: ParameterSet>(operation: Division) -> Group {
    dispatch(Divide::<P>(operation, PhantomData))
}

/// m of as many encapsulations as there are lanes, the first `count` of them drawn.
fn randoms<R: CryptoRng + ?Sized>(rng: &mut R, count: usize) -> Zeroizing<[[u8; 32]; MAX_LANES]> {
    let mut out = Zeroizing::new([[0; 32]; MAX_LANES]);
    for m in &mut out[..count] {
        *m = *infallible(random(rng));
    }
    out
}

fn same_length(lengths: &[usize]) -> Result<(), Error> {
    if lengths.windows(2).all(|pair| pair[0] == pair[1]) { Ok(()) } else { Err(Error::BatchLength) }
}
