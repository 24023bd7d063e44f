//! Key generation for many keys at once, in groups of as many as a wide bank has lanes.

use super::kem::{KeyGen, Parts};
use crate::backend::Backend;
use crate::ct;
use crate::dispatch::Operation;
use crate::group::Fewest;
use crate::kpke::Rows;
use crate::lanes::{Bank, MAX_LANES};
use crate::lockstep::Lockstep;
use crate::params::{Array, POLY_BYTES, ParameterSet};
use crate::plan::Shape;
use crate::plans::Plans;
use crate::poly::NttPoly;

impl<P: ParameterSet, B: Backend> Fewest<P, B> {
    const ONE_TIME_KEY_GEN: usize = Self::fewest(
        1 + Shape::one_time_keygen(P::K, P::ETA1).permutations(),
        Self::G + Self::cost(&Plans::<P, B>::ONE_TIME_KEYGEN),
    );
}

/// K-PKE.KeyGen (Algorithm 13) from each d, into as many keys.
pub struct KeyGenGroup<'a, P: ParameterSet> {
    pub(crate) d: &'a [[u8; 32]],
    pub(crate) keys: [Option<Parts<'a, P>>; MAX_LANES],
}

impl<P: ParameterSet> Operation for KeyGenGroup<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(mut self, b: B) {
        let lanes = Lockstep::<B>::LANES;
        for (d, keys) in self.d.chunks(lanes).zip(self.keys.chunks_mut(lanes)) {
            if d.len() >= Fewest::<P, B>::ONE_TIME_KEY_GEN {
                key_gen(b, d, keys);
            } else {
                for (d, key) in d.iter().zip(keys) {
                    if let Some(key) = key.take() {
                        b.enter(KeyGen { d, key });
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn key_gen<P: ParameterSet, B: Backend>(b: B, d: &[[u8; 32]], keys: &mut [Option<Parts<'_, P>>]) {
    let mut lanes = Lockstep::new(b, d.len());
    // Step 1: (ρ, σ) ← G(d ‖ k)
    let seeds = lanes.g(|lane| [&d[lane], const { &[P::K as u8] }]);
    let seeds = seeds.as_ref();
    for (key, seeds) in keys.iter_mut().flatten().zip(seeds) {
        let rho = &seeds[0];
        ct::declassify(rho);
        key.ek.as_mut()[P::K * POLY_BYTES..].copy_from_slice(rho);
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
    // Row by row: no more than one of each key's matrix is in memory.
    let mut row = B::Wide::lanes(|_| P::Vector::filled(NttPoly::ZERO));
    let row = row.as_mut();
    let mut t_hat = NttPoly::ZERO;
    for i in 0..P::K {
        for j in 0..P::K {
            let rho = |lane: usize| &seeds[lane][0];
            lanes.entry(rho, i, j, |lane, sampler| sampler.finish(&mut row[lane].as_mut()[j]));
        }
        for ((key, rows), row) in keys.iter_mut().flatten().zip(&*rows).zip(&*row) {
            let s_hat = (*key.s_hat).as_ref();
            rows.finish(b, i, row.as_ref(), s_hat, &mut t_hat, key.ek.as_mut());
        }
    }
}
