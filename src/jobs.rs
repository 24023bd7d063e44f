//! The sponges of an encryption, packed into lanes: Â, the noise, and the hashes that ride beside them.

use crate::backend::Backend;
use crate::kpke::{Matrix, cbd, entry};
use crate::lanes::RATE;
use crate::params::{Array, ETA2, POLY_BYTES, ParameterSet};
use crate::plan::Plan;
use crate::plans::Plans;
use crate::poly::{MulCache, NttPoly, Poly};
use crate::sponge::{self, Jobs, Message};
use zeroize::{Zeroize, Zeroizing};

/// Expands Â (Algorithm 14, steps 4–8). With `hash`, runs beside it and returns H(ek).
#[inline(always)]
pub(crate) fn expand_matrix<P: ParameterSet, B: Backend>(
    b: B,
    ek: &P::EncapsulationKeyBytes,
    matrix: &mut Matrix<P>,
    hash: bool,
) -> Zeroizing<[u8; 32]> {
    let rho = ek.as_ref()[P::K * POLY_BYTES..].first_chunk().expect("32 bytes of ρ");
    let plan = if hash {
        const { &Plans::<P, B>::MATRIX_AND_HASH }
    } else {
        const { &Plans::<P, B>::MATRIX }
    };
    let mut jobs = EncryptJobs::<P, B> {
        b,
        matrix: Some(matrix),
        message: Message::h(ek.as_ref()),
        check: None,
        noise: None,
        derivation: None,
    };
    sponge::run(b, &mut b.bank(), plan, rho, &[0; 32], &mut jobs)
}

/// y and the errors of an encryption (Algorithm 14, steps 9–17), y in T_q.
pub(crate) struct Noise<P: ParameterSet> {
    pub(crate) y_hat: P::Vector<NttPoly>,
    pub(crate) y_cache: P::Vector<MulCache>,
    pub(crate) e1: P::Vector<Poly>,
    pub(crate) e2: Poly,
}

impl<P: ParameterSet> Noise<P> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self {
            y_hat: P::Vector::filled(NttPoly::ZERO),
            y_cache: P::Vector::filled(MulCache::ZERO),
            e1: P::Vector::filled(Poly::ZERO),
            e2: Poly::ZERO,
        }
    }

    /// Takes the PRF's output for nonce n: y, then e₁, then e₂.
    #[inline(always)]
    pub(crate) fn sample<B: Backend>(&mut self, b: B, n: usize, bytes: &[u8]) {
        let (y_hat, y_cache) = (self.y_hat.as_mut(), self.y_cache.as_mut());
        if n < P::K {
            let mut y = Zeroizing::new(Poly::ZERO);
            cbd(b, P::ETA1, bytes, &mut y);
            b.ntt(&y, &mut y_hat[n]);
            b.mul_cache(&y_hat[n], &mut y_cache[n]);
        } else {
            let e = self.e1.as_mut().get_mut(n - P::K).unwrap_or(&mut self.e2);
            cbd(b, ETA2, bytes, e);
        }
    }
}

impl<P: ParameterSet> Drop for Noise<P> {
    fn drop(&mut self) {
        self.y_hat.zeroize();
        self.y_cache.zeroize();
        self.e1.zeroize();
        self.e2.zeroize();
    }
}

/// Jobs of encapsulation and decapsulation: whichever of them the plan has.
struct EncryptJobs<'a, P: ParameterSet, B> {
    b: B,
    matrix: Option<&'a mut Matrix<P>>,
    message: Message<'a>,
    check: Option<Check<'a>>,
    noise: Option<&'a mut Noise<P>>,
    derivation: Option<Derivation<'a>>,
}

/// A second message to hash, and its hash.
pub(crate) struct Check<'a> {
    pub(crate) message: Message<'a>,
    pub(crate) hash: &'a mut [u8; 32],
}

/// G(m′ ‖ h) and the first half of its output, K′.
struct Derivation<'a> {
    m: &'a [u8; 32],
    h: &'a [u8; 32],
    k: &'a mut [u8; 32],
}

impl<P: ParameterSet, B: Backend> Jobs for EncryptJobs<'_, P, B> {
    #[inline(always)]
    fn hash_block<'a>(&'a mut self, i: usize, block: &'a mut [u8; RATE]) -> &'a [u8; RATE] {
        self.message.block(i, block)
    }

    #[inline(always)]
    fn entry(&mut self, e: usize) -> &mut NttPoly {
        entry::<P>(self.matrix.as_mut().expect("a plan with a matrix"), e)
    }

    #[inline(always)]
    fn noise(&mut self, n: usize, bytes: &[[u8; RATE]; 2]) {
        self.noise.as_mut().expect("a plan with noise").sample(self.b, n, bytes.as_flattened());
    }

    #[inline(always)]
    fn check_block<'b>(&'b self, i: usize, block: &'b mut [u8; RATE]) -> &'b [u8; RATE] {
        self.check.as_ref().expect("a plan with a check").message.block(i, block)
    }

    #[inline(always)]
    fn checked(&mut self, h: &[u8; 32]) {
        *self.check.as_mut().expect("a plan with a check").hash = *h;
    }

    #[inline(always)]
    fn derive(&self) -> [&[u8]; 2] {
        let derivation = self.derivation.as_ref().expect("a plan with G");
        [derivation.m, derivation.h]
    }

    #[inline(always)]
    fn derived(&mut self, k: &[u8; 32]) {
        *self.derivation.as_mut().expect("a plan with G").k = *k;
    }
}

/// Samples the noise of an encryption from r.
#[inline(always)]
pub(crate) fn sample_noise<P: ParameterSet, B: Backend>(b: B, r: &[u8; 32], noise: &mut Noise<P>) {
    let plan = const { &Plans::<P, B>::NOISE };
    let mut jobs = EncryptJobs::<P, B> {
        b,
        matrix: None,
        message: Message::h(&[]),
        check: None,
        noise: Some(noise),
        derivation: None,
    };
    sponge::run(b, &mut b.bank(), plan, &[0; 32], r, &mut jobs);
}

/// What a re-encryption is derived from: m′, h, z, c, and ρ where Â is not at hand. With a matrix, H(ek)
/// may be checked beside.
pub(crate) struct Reencryption<'a, P: ParameterSet> {
    pub(crate) m: &'a [u8; 32],
    pub(crate) h: &'a [u8; 32],
    pub(crate) j: Message<'a>,
    pub(crate) matrix: Option<(&'a [u8; 32], &'a mut Matrix<P>)>,
    pub(crate) check: Option<Check<'a>>,
}

/// (K′, r′) ← G(m′ ‖ h) and the noise that r′ gives, beside K̄ = J(z ‖ c) and, if wanted, the expansion
/// of Â. Returns K′ and K̄.
#[inline(always)]
pub(crate) fn sample_reencryption<P: ParameterSet, B: Backend>(
    b: B,
    input: Reencryption<'_, P>,
    noise: &mut Noise<P>,
) -> [Zeroizing<[u8; 32]>; 2] {
    let plan: &Plan = match (&input.matrix, &input.check) {
        (Some(_), Some(_)) => const { &Plans::<P, B>::CHECK_AND_REENCRYPT },
        (Some(_), None) => const { &Plans::<P, B>::MATRIX_AND_REENCRYPT },
        (None, _) => const { &Plans::<P, B>::REENCRYPT },
    };
    let (rho, matrix) = input.matrix.unzip();
    let mut k = Zeroizing::new([0; 32]);
    let mut jobs = EncryptJobs::<P, B> {
        b,
        matrix,
        message: input.j,
        check: input.check,
        noise: Some(noise),
        derivation: Some(Derivation { m: input.m, h: input.h, k: &mut k }),
    };
    let rho = rho.unwrap_or(&[0; 32]);
    let rejected = sponge::run(b, &mut b.bank(), plan, rho, &[0; 32], &mut jobs);
    [k, rejected]
}
