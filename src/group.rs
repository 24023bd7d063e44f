//! ML-KEM's operations on any number of keys, in groups of as many as a wide bank has lanes: all lanes
//! are full whatever the operation. The last group leaves lanes idle, or is made one key at a time,
//! whichever is faster.

use crate::backend::Backend;
use crate::ct;
use crate::dispatch::Operation;
use crate::dk::DecapsulationKey;
use crate::jobs;
use crate::kem::{Decapsulate, Encapsulate, EncapsulatePrepared, KeyGen, reencrypt};
use crate::key::{Ciphertext, Encapsulated, EncapsulationKey, PreparedEncapsulationKey, unfilled};
use crate::kpke::{self, Matrix, Rows};
use crate::lanes::Bank;
use crate::lockstep::Lockstep;
use crate::params::{Array, ByteArray, MAX_K, POLY_BYTES, ParameterSet};
use crate::plan::{Plan, Shape};
use crate::plans::Plans;
use crate::poly::{NttPoly, Poly};
use crate::secret::SharedSecret;
use crate::sponge::Message;
use core::marker::PhantomData;
use zeroize::Zeroizing;

/// From how many keys on a group is faster than single calls: by the permutation calls of both and what
/// one takes on this backend.
pub(crate) struct Fewest<P, B>(PhantomData<(P, B)>);

impl<P: ParameterSet, B: Backend> Fewest<P, B> {
    const KEY_GEN: usize = Self::fewest(
        1 + Shape::keygen(P::K, P::ETA1).permutations(),
        Self::G + Self::cost(&Plans::<P, B>::KEYGEN),
    );
    const ENCAPSULATE: usize = Self::fewest(
        1 + Shape::matrix(P::K, true).permutations() + Shape::noise(P::K, P::ETA1).permutations(),
        Self::G + Self::cost(&Plans::<P, B>::MATRIX_AND_HASH) + Self::cost(&Plans::<P, B>::NOISE),
    );
    const ENCAPSULATE_PREPARED: usize = Self::fewest(
        1 + Shape::noise(P::K, P::ETA1).permutations(),
        Self::G + Self::cost(&Plans::<P, B>::NOISE),
    );
    const DECAPSULATE: usize = Self::fewest(
        Shape::reencrypt(P::K, P::ETA1, P::CIPHERTEXT_LEN, false).permutations(),
        Self::cost(&Plans::<P, B>::REENCRYPT),
    );

    /// G on a single state.
    pub(crate) const G: usize = B::COSTS[0];

    pub(crate) const fn cost(plan: &Plan) -> usize {
        let [one, bank, _] = B::COSTS;
        bank * plan.len() + one * plan.singles()
    }

    /// Of `group` permutations of a wide bank against the cost of a single call.
    pub(crate) const fn fewest(group: usize, single: usize) -> usize {
        let [_, _, wide] = B::COSTS;
        if Lockstep::<B>::LANES == 1 { usize::MAX } else { (wide * group).div_ceil(single) }
    }
}

/// ML-KEM.KeyGen_internal (Algorithm 16) from the seeds in the keys, all of which must be there.
pub struct KeyGenGroup<'a, P: ParameterSet>(pub(crate) &'a mut [Option<DecapsulationKey<P>>]);

impl<P: ParameterSet> Operation for KeyGenGroup<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        for keys in self.0.chunks_mut(Lockstep::<B>::LANES) {
            if keys.len() >= Fewest::<P, B>::KEY_GEN {
                key_gen(b, keys, None);
            } else {
                keys.iter_mut().flatten().for_each(|key| b.enter(KeyGen(key)));
            }
        }
    }
}

/// A key of a group.
#[inline(always)]
fn get<P: ParameterSet>(keys: &[Option<DecapsulationKey<P>>], lane: usize) -> &DecapsulationKey<P> {
    keys[lane].as_ref().expect("a key with a seed")
}

/// Key generation with one ρ and one Â for all keys, whose seeds are σ ‖ z here and are cleared. Not
/// FIPS 203's.
pub struct SharedMatrixGroup<'a, P: ParameterSet> {
    pub(crate) rho: &'a [u8; 32],
    pub(crate) keys: &'a mut [Option<DecapsulationKey<P>>],
}

impl<P: ParameterSet> Operation for SharedMatrixGroup<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let mut matrix = kpke::zero_matrix::<P>();
        let mut ek = P::EncapsulationKeyBytes::zeroed();
        ek.as_mut()[P::K * POLY_BYTES..].copy_from_slice(self.rho);
        jobs::expand_matrix::<P, B>(b, &ek, &mut matrix, false);
        for keys in self.keys.chunks_mut(Lockstep::<B>::LANES) {
            key_gen(b, keys, Some((self.rho, &matrix)));
        }
    }
}

/// Algorithm 16 for each key, or the same from σ ‖ z with a ρ and Â that are `shared`.
#[inline(always)]
fn key_gen<P: ParameterSet, B: Backend>(
    b: B,
    keys: &mut [Option<DecapsulationKey<P>>],
    shared: Option<(&[u8; 32], &Matrix<P>)>,
) {
    let mut lanes = Lockstep::new(b, keys.len());
    let seed = |lane| get(keys, lane).seed.as_ref().expect("a key with a seed");
    // (ρ, σ) ← G(d ‖ k)
    let seeds = match shared {
        None => lanes.g(|lane| [seed(lane).d(), const { &[P::K as u8] }]),
        Some((rho, _)) => {
            B::Wide::lanes(|lane| Zeroizing::new([*rho, *seed(lane.min(keys.len() - 1)).d()]))
        }
    };
    let seeds = seeds.as_ref();
    for (key, seeds) in keys.iter_mut().flatten().zip(seeds) {
        let rho = &seeds[0];
        ct::declassify(rho);
        key.z = *key.seed.as_ref().expect("a key with a seed").z();
        key.ek.0.as_mut()[P::K * POLY_BYTES..].copy_from_slice(rho);
    }
    let mut rows = B::Wide::lanes(|_| Rows::<P>::new());
    let rows = rows.as_mut();
    for n in 0..2 * P::K {
        lanes.prf(
            |lane| &seeds[lane][1],
            n,
            P::ETA1,
            |lane, bytes| {
                let key = keys[lane].as_mut().expect("a key");
                rows[lane].noise(b, n, bytes.as_flattened(), key.s_hat.as_mut());
            },
        );
    }
    if let Some((_, matrix)) = shared {
        for key in keys.iter_mut().flatten() {
            key.pke.matrix = *matrix;
            key.seed.clear();
        }
    }
    for i in 0..P::K {
        for j in 0..P::K {
            if shared.is_none() {
                lanes.entry(
                    |lane| &seeds[lane][0],
                    i,
                    j,
                    |lane, sampler| {
                        let key = keys[lane].as_mut().expect("a key");
                        sampler.finish(&mut key.pke.matrix.as_mut()[i].as_mut()[j]);
                    },
                );
            }
        }
        for (key, rows) in keys.iter_mut().flatten().zip(&*rows) {
            let (pke, s_hat) = (&mut key.pke, key.s_hat.as_ref());
            let row = pke.matrix.as_ref()[i].as_ref();
            rows.finish(b, i, row, s_hat, &mut pke.t_hat.as_mut()[i], key.ek.0.as_mut());
        }
    }
    let h = lanes.hash(|lane| Message::h(get(keys, lane).ek.as_bytes()));
    for (key, h) in keys.iter_mut().flatten().zip(h.as_ref()) {
        key.h = h[0];
    }
}

/// ML-KEM.Encaps_internal (Algorithm 17), each with a key of its own. All slices have one length.
pub struct EncapsulateGroup<'a, P: ParameterSet> {
    pub(crate) keys: &'a [EncapsulationKey<P>],
    pub(crate) m: &'a [[u8; 32]],
    pub(crate) out: &'a mut [Option<Encapsulated<P>>],
}

impl<P: ParameterSet> Operation for EncapsulateGroup<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let lanes = Lockstep::<B>::LANES;
        let groups = self.keys.chunks(lanes).zip(self.m.chunks(lanes));
        for ((keys, m), out) in groups.zip(self.out.chunks_mut(lanes)) {
            if keys.len() >= Fewest::<P, B>::ENCAPSULATE {
                encapsulate(b, keys, m, out);
            } else {
                for ((ek, m), out) in keys.iter().zip(m).zip(out) {
                    b.enter(Encapsulate { ek, m, out: out.insert(unfilled()) });
                }
            }
        }
    }
}

#[inline(always)]
fn encapsulate<P: ParameterSet, B: Backend>(
    b: B,
    keys: &[EncapsulationKey<P>],
    m: &[[u8; 32]],
    out: &mut [Option<Encapsulated<P>>],
) {
    let mut lanes = Lockstep::new(b, keys.len());
    let h = lanes.hash(|lane| Message::h(keys[lane].as_bytes()));
    // (K, r) ← G(m ‖ H(ek))
    let seeds = lanes.g(|lane| [&m[lane], &h.as_ref()[lane][0]]);
    let seeds = seeds.as_ref();
    let noise = lanes.noise::<P>(|lane| &seeds[lane][1]);
    let noise = noise.as_ref();
    for ((out, seeds), _) in out.iter_mut().zip(seeds).zip(keys) {
        *out = Some((Ciphertext(P::CiphertextBytes::zeroed()), SharedSecret(seeds[0])));
    }
    // Column by column, so that no more than one of each key's matrix is in memory.
    let mut columns = B::Wide::lanes(|_| P::Vector::filled(NttPoly::ZERO));
    let columns = columns.as_mut();
    let mut f = Zeroizing::new(Poly::ZERO);
    for i in 0..P::K {
        for j in 0..P::K {
            let rho = |lane: usize| keys[lane].as_bytes().last_chunk().expect("32 bytes of ρ");
            lanes.entry(rho, j, i, |lane, sampler| sampler.finish(&mut columns[lane].as_mut()[j]));
        }
        for ((out, noise), column) in out.iter_mut().flatten().zip(noise).zip(&*columns) {
            let mut entries = [&NttPoly::ZERO; MAX_K];
            for (a, entry) in entries.iter_mut().zip(column.as_ref()) {
                *a = entry;
            }
            kpke::encrypt_u(b, i, &entries, noise, &mut f);
            b.compress(P::DU, &f, &mut out.0.0.as_mut()[32 * P::DU * i..32 * P::DU * (i + 1)]);
        }
    }
    let mut t_hat = P::Vector::filled(NttPoly::ZERO);
    for (lane, out) in out.iter_mut().flatten().enumerate() {
        kpke::decode_vector(b, keys[lane].as_bytes(), t_hat.as_mut());
        kpke::encrypt_v(b, &t_hat, &m[lane], &noise[lane], &mut f);
        b.compress(P::DV, &f, &mut out.0.0.as_mut()[32 * P::DU * P::K..]);
    }
}

/// ML-KEM.Encaps_internal, all with one key. Both slices have one length.
pub struct EncapsulatePreparedGroup<'a, P: ParameterSet> {
    pub(crate) key: &'a PreparedEncapsulationKey<P>,
    pub(crate) m: &'a [[u8; 32]],
    pub(crate) out: &'a mut [Option<Encapsulated<P>>],
}

impl<P: ParameterSet> Operation for EncapsulatePreparedGroup<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let (lanes, key) = (Lockstep::<B>::LANES, self.key);
        for (m, out) in self.m.chunks(lanes).zip(self.out.chunks_mut(lanes)) {
            if m.len() >= Fewest::<P, B>::ENCAPSULATE_PREPARED {
                encapsulate_prepared(b, key, m, out);
            } else {
                for (m, out) in m.iter().zip(out) {
                    b.enter(EncapsulatePrepared { key, m, out: out.insert(unfilled()) });
                }
            }
        }
    }
}

#[inline(always)]
fn encapsulate_prepared<P: ParameterSet, B: Backend>(
    b: B,
    key: &PreparedEncapsulationKey<P>,
    m: &[[u8; 32]],
    out: &mut [Option<Encapsulated<P>>],
) {
    let mut lanes = Lockstep::new(b, m.len());
    let seeds = lanes.g(|lane| [&m[lane], &key.h]);
    let seeds = seeds.as_ref();
    let noise = lanes.noise::<P>(|lane| &seeds[lane][1]);
    for (lane, (out, noise)) in out.iter_mut().zip(noise.as_ref()).enumerate() {
        let mut c = P::CiphertextBytes::zeroed();
        kpke::encrypt(b, &key.pke.matrix, &key.pke.t_hat, &m[lane], noise, &mut c);
        *out = Some((Ciphertext(c), SharedSecret(seeds[lane][0])));
    }
}

/// ML-KEM.Decaps_internal (Algorithm 18). All slices have one length.
pub struct DecapsulateGroup<'a, P: ParameterSet> {
    pub(crate) keys: &'a [&'a DecapsulationKey<P>],
    pub(crate) c: &'a [Ciphertext<P>],
    pub(crate) out: &'a mut [Option<SharedSecret>],
}

impl<P: ParameterSet> Operation for DecapsulateGroup<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let lanes = Lockstep::<B>::LANES;
        let groups = self.keys.chunks(lanes).zip(self.c.chunks(lanes));
        for ((keys, c), out) in groups.zip(self.out.chunks_mut(lanes)) {
            if keys.len() >= Fewest::<P, B>::DECAPSULATE {
                decapsulate(b, keys, c, out);
            } else {
                for ((&key, c), out) in keys.iter().zip(c).zip(out) {
                    *out = Some(b.enter(Decapsulate { key, c }));
                }
            }
        }
    }
}

#[inline(always)]
fn decapsulate<P: ParameterSet, B: Backend>(
    b: B,
    keys: &[&DecapsulationKey<P>],
    c: &[Ciphertext<P>],
    out: &mut [Option<SharedSecret>],
) {
    let mut lanes = Lockstep::new(b, keys.len());
    let mut m = B::Wide::lanes(|_| Zeroizing::new([0; 32]));
    for ((m, key), c) in m.as_mut().iter_mut().zip(keys).zip(c) {
        *m = kpke::decrypt::<P, B>(b, &key.s_hat, c.as_bytes());
    }
    let m = m.as_ref();
    // (K′, r′) ← G(m′ ‖ h)
    let seeds = lanes.g(|lane| [&*m[lane], &keys[lane].h]);
    let seeds = seeds.as_ref();
    let noise = lanes.noise::<P>(|lane| &seeds[lane][1]);
    // K̄ ← J(z ‖ c)
    let rejected = lanes.hash(|lane| Message::j(&keys[lane].z, c[lane].as_bytes()));
    for (lane, (out, noise)) in out.iter_mut().zip(noise.as_ref()).enumerate() {
        let (k, rejected) = (&seeds[lane][0], &rejected.as_ref()[lane][0]);
        *out = Some(reencrypt(b, &keys[lane].pke, &m[lane], noise, &c[lane].0, k, rejected));
    }
}
