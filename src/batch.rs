//! The operations over many keys at once, byte for byte the single calls. What is drawn from an RNG is
//! drawn here, for a group at a time; `group.rs` does the rest.

use crate::dk::DecapsulationKey;
use crate::error::Error;
#[cfg(feature = "hazmat")]
use crate::group::SharedMatrixGroup;
use crate::group::{DecapsulateGroup, EncapsulateGroup, EncapsulatePreparedGroup, KeyGenGroup};
use crate::key::{
    Ciphertext, Encapsulated, EncapsulationKey, PreparedEncapsulationKey, infallible,
};
use crate::lanes::MAX_LANES;
use crate::params::ParameterSet;
use crate::secret::{Seed, SharedSecret};
use rand_core::{CryptoRng, TryCryptoRng};
use zeroize::Zeroizing;

impl<P: ParameterSet> DecapsulationKey<P> {
    /// Fills every slot with a fresh key pair, over what was in it. No allocation; any number of
    /// slots. Identical to as many calls of [`generate`](Self::generate) with an RNG whose output does not
    /// depend on how many bytes a call asks for; one call draws the seeds of up to 8 keys.
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
        // Group by group, so that what is written first is still in the cache when it is filled.
        for keys in unfinished.0.chunks_mut(MAX_LANES) {
            draw_seeds(rng, keys)?;
            P::key_gen_group(KeyGenGroup(keys));
        }
        unfinished.finish();
        Ok(())
    }

    /// Fills every slot with a fresh key pair, all with **one ρ and one matrix Â**: 15 permutations a key
    /// for ML-KEM-768 instead of 43. Fit for generating load, unfit for keys that protect something:
    ///
    /// - It is not the key generation of FIPS 203. No seed reproduces such a key ([`seed`](Self::seed) is
    ///   `None`); it can be stored in expanded form alone.
    /// - All keys of a batch can be told to belong together by the last 32 bytes of their public halves.
    /// - A lattice attack on the matrix shares its work between all keys of the batch.
    ///
    /// Each key by itself is valid, and any implementation accepts it. After an RNG error all slots are
    /// `None`.
    ///
    /// # Errors
    /// The RNG's.
    #[cfg(feature = "hazmat")]
    pub fn generate_batch_shared_matrix<R: TryCryptoRng + ?Sized>(
        rng: &mut R,
        out: &mut [Option<Self>],
    ) -> Result<(), R::Error> {
        let unfinished = Unfinished(out);
        for keys in unfinished.0.chunks_mut(MAX_LANES) {
            draw_seeds(rng, keys)?;
        }
        let mut rho = [0; 32];
        rng.try_fill_bytes(&mut rho)?;
        P::shared_matrix_group(SharedMatrixGroup { rho: &rho, keys: unfinished.0 });
        unfinished.finish();
        Ok(())
    }

    /// Fills slot i with the key pair of seed i: see [`from_seed`](Self::from_seed).
    ///
    /// # Errors
    /// [`Error::BatchLength`]; the slots are untouched then.
    pub fn from_seed_batch(seeds: &[Seed], out: &mut [Option<Self>]) -> Result<(), Error> {
        same_length(&[seeds.len(), out.len()])?;
        for (seeds, keys) in seeds.chunks(MAX_LANES).zip(out.chunks_mut(MAX_LANES)) {
            for (seed, key) in seeds.iter().zip(keys.iter_mut()) {
                Self::place(key).seed.set(&seed.0);
            }
            P::key_gen_group(KeyGenGroup(keys));
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
        let groups = ciphertexts.chunks(MAX_LANES).zip(out.chunks_mut(MAX_LANES));
        for (i, (c, out)) in groups.enumerate() {
            let keys: [&Self; MAX_LANES] =
                core::array::from_fn(|lane| key(MAX_LANES * i + lane.min(c.len() - 1)));
            P::decapsulate_group(DecapsulateGroup { keys: &keys[..c.len()], c, out });
        }
    }

    /// Key i's secret for ciphertext i: see [`decapsulate_batch`](Self::decapsulate_batch).
    ///
    /// # Errors
    /// [`Error::BatchLength`].
    #[cfg(feature = "alloc")]
    pub fn decapsulate_vec(
        keys: &[Self],
        ciphertexts: &[Ciphertext<P>],
    ) -> Result<alloc::vec::Vec<SharedSecret>, Error> {
        let mut out = slots(keys.len());
        Self::decapsulate_batch(keys, ciphertexts, &mut out)?;
        Ok(out.into_iter().flatten().collect())
    }

    /// `count` fresh key pairs: see [`generate_batch`](Self::generate_batch).
    #[cfg(feature = "alloc")]
    pub fn generate_vec<R: CryptoRng + ?Sized>(rng: &mut R, count: usize) -> alloc::vec::Vec<Self> {
        let mut keys = slots(count);
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
        for (keys, out) in keys.chunks(MAX_LANES).zip(out.chunks_mut(MAX_LANES)) {
            let m = infallible(randoms(rng, keys.len()));
            P::encapsulate_group(EncapsulateGroup { keys, m: &m[..keys.len()], out });
        }
        Ok(())
    }

    /// An encapsulation to each key: see [`encapsulate_batch`](Self::encapsulate_batch).
    #[cfg(feature = "alloc")]
    pub fn encapsulate_vec<R: CryptoRng + ?Sized>(
        keys: &[Self],
        rng: &mut R,
    ) -> alloc::vec::Vec<Encapsulated<P>> {
        let mut out = slots(keys.len());
        Self::encapsulate_batch(keys, rng, &mut out).expect("slices of one length");
        out.into_iter().flatten().collect()
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
        P::encapsulate_group(EncapsulateGroup { keys, m, out });
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
        infallible(self.try_encapsulate_many(rng, out));
    }

    /// [`encapsulate_many`](Self::encapsulate_many) with an RNG that may fail.
    ///
    /// # Errors
    /// The RNG's; all slots are `None` then.
    pub fn try_encapsulate_many<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [Option<Encapsulated<P>>],
    ) -> Result<(), R::Error> {
        out.fill_with(|| None);
        let filled = self.fill_slots(rng, out);
        filled.inspect_err(|_| out.fill_with(|| None))
    }

    fn fill_slots<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [Option<Encapsulated<P>>],
    ) -> Result<(), R::Error> {
        for out in out.chunks_mut(MAX_LANES) {
            let m = &randoms(rng, out.len())?[..out.len()];
            P::encapsulate_prepared_group(EncapsulatePreparedGroup { key: self, m, out });
        }
        Ok(())
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
        P::encapsulate_prepared_group(EncapsulatePreparedGroup { key: self, m, out });
        Ok(())
    }
}

/// Slots that are being filled. Dropped before all are, by an error or by a panic of the RNG, it empties
/// them.
pub(crate) struct Unfinished<'a, T>(pub(crate) &'a mut [Option<T>]);

impl<T> Unfinished<'_, T> {
    pub(crate) fn finish(self) {
        core::mem::forget(self);
    }
}

impl<T> Drop for Unfinished<'_, T> {
    fn drop(&mut self) {
        self.0.fill_with(|| None);
    }
}

/// Keys that have nothing but seeds, drawn in one call, in as many slots as there are lanes, or fewer.
fn draw_seeds<P: ParameterSet, R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    out: &mut [Option<DecapsulationKey<P>>],
) -> Result<(), R::Error> {
    let mut seeds = Zeroizing::new([[0; Seed::LEN]; MAX_LANES]);
    let seeds = &mut seeds[..out.len()];
    rng.try_fill_bytes(seeds.as_flattened_mut())?;
    for (slot, seed) in out.iter_mut().zip(seeds) {
        DecapsulationKey::place(slot).seed.set(seed);
    }
    Ok(())
}

/// m of as many encapsulations as there are lanes, the first `count` of them drawn.
fn randoms<R: TryCryptoRng + ?Sized>(
    rng: &mut R,
    count: usize,
) -> Result<Zeroizing<[[u8; 32]; MAX_LANES]>, R::Error> {
    let mut out = Zeroizing::new([[0; 32]; MAX_LANES]);
    rng.try_fill_bytes(out[..count].as_flattened_mut())?;
    Ok(out)
}

/// Empty slots.
#[cfg(feature = "alloc")]
pub(crate) fn slots<T>(count: usize) -> alloc::vec::Vec<Option<T>> {
    (0..count).map(|_| None).collect()
}

fn same_length(lengths: &[usize]) -> Result<(), Error> {
    if lengths.windows(2).all(|pair| pair[0] == pair[1]) { Ok(()) } else { Err(Error::BatchLength) }
}
