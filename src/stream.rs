//! Key generation, encryption and decryption where a bank has a single lane. There is nothing to pack into
//! lanes then, so nothing is kept that a plan would need: each entry of Â is used when it is sampled, each
//! piece of the ciphertext is compressed, or compared, when it is there. Beside keys and ciphertexts this
//! takes k + 5 polynomials of memory where a matrix alone takes k².

use crate::backend::Backend;
use crate::kpke::cbd;
use crate::lanes::{Bank, RATE, XOF_RATE, prf_suffix, seeded_state, squeeze_words, xof_suffix};
use crate::params::{Array, ETA2, N, POLY_BYTES, ParameterSet, Q};
use crate::poly::{NttPoly, Poly, Sum};
use crate::portable::ntt::{multiply_add, reduce_sum};
use crate::secret::wipe;
use crate::sponge;
use zeroize::{Zeroize, Zeroizing};

/// Whether a backend's operations on one key without a stored matrix are those of this file.
pub(crate) const fn serves<B: Backend>() -> bool {
    <B::Bank as Bank>::LANES == 1
}

/// What key generation and encryption work on. One object, for what is moved into place lies on the stack
/// twice in a build for size.
struct Work<P: ParameterSet> {
    sum: Sum,
    /// An operand of the sum, then the sum.
    product: NttPoly,
    f: Poly,
    /// ŝ or ŷ.
    vector: P::Vector<NttPoly>,
}

impl<P: ParameterSet> Work<P> {
    #[inline(always)]
    fn new() -> Self {
        Self {
            sum: Sum::ZERO,
            product: NttPoly::ZERO,
            f: Poly::ZERO,
            vector: P::Vector::filled(NttPoly::ZERO),
        }
    }

    /// Adds Â\[i\]\[j\] times an element of the vector to the sum.
    #[inline(always)]
    fn add_entry<B: Backend>(
        &mut self,
        backend: B,
        rho: &[u8; 32],
        [i, j]: [usize; 2],
        element: usize,
    ) {
        sample_ntt(backend, rho, i, j, &mut self.product);
        multiply_add(&self.product, &self.vector.as_ref()[element], &mut self.sum);
    }

    /// R⁻¹ times the sum of products, which begins anew.
    #[inline(always)]
    fn finish_sum(&mut self) {
        reduce_sum(&self.sum, &mut self.product);
        self.sum = Sum::ZERO;
    }
}

impl<P: ParameterSet> Drop for Work<P> {
    fn drop(&mut self) {
        self.sum.zeroize();
        self.product.zeroize();
        self.f.zeroize();
        self.vector.as_mut().iter_mut().zeroize();
    }
}

/// SampleNTT (Algorithm 7) for Â\[i\]\[j\]. Unlike [`Sampler`](crate::lanes::Sampler), which may take candidates
/// beyond the last, it needs no room but the polynomial's.
fn sample_ntt<B: Backend>(b: B, rho: &[u8; 32], i: usize, j: usize, out: &mut NttPoly) {
    let mut state = seeded_state(rho, xof_suffix(i, j), XOF_RATE);
    let mut block = [0; XOF_RATE];
    let mut len = 0;
    while len < N {
        sponge::permute(b, &mut state);
        squeeze_words(&state, &mut block);
        for bytes in block.as_chunks::<3>().0 {
            let [b0, b1, b2] = bytes.map(i16::from);
            for d in [b0 | (b1 & 15) << 8, b1 >> 4 | b2 << 4] {
                // The step is conditional, the store is not: acceptance is no branch to predict.
                if let Some(coefficient) = out.0.get_mut(len) {
                    *coefficient = d;
                    len += usize::from(d < Q);
                }
            }
        }
    }
}

/// SamplePolyCBD_η(PRF_η(seed, n)).
fn noise<B: Backend>(b: B, seed: &[u8; 32], n: usize, eta: usize, out: &mut Poly) {
    let mut state = Zeroizing::new(seeded_state(seed, prf_suffix(n), RATE));
    let mut bytes = [0; 192];
    for block in bytes[..64 * eta].chunks_mut(RATE) {
        sponge::permute(b, &mut state);
        squeeze_words(&state, block);
    }
    cbd(b, eta, &bytes, out);
    wipe(&mut bytes);
}

/// K-PKE.KeyGen (Algorithm 13) from step 2 on: the bytes of ŝ and of ek.
#[inline(never)]
pub(crate) fn key_gen<P: ParameterSet, B: Backend>(
    b: B,
    rho: &[u8; 32],
    sigma: &[u8; 32],
    s_bytes: &mut [[u8; POLY_BYTES]],
    ek: &mut P::EncapsulationKeyBytes,
) {
    let mut work = Work::<P>::new();
    // Steps 8–11 and 16
    for (n, (s, bytes)) in work.vector.as_mut().iter_mut().zip(s_bytes).enumerate() {
        noise(b, sigma, n, P::ETA1, &mut work.f);
        b.ntt(&work.f, s);
        b.reduce(s);
        b.encode12(s, bytes);
    }
    // Steps 3–7 and 12–19, row by row
    let mut e_hat = Zeroizing::new(NttPoly::ZERO);
    let (t_bytes, rest) = ek.as_mut().as_chunks_mut::<POLY_BYTES>();
    for (i, bytes) in t_bytes.iter_mut().enumerate() {
        for j in 0..P::K {
            work.add_entry(b, rho, [i, j], j);
        }
        work.finish_sum();
        noise(b, sigma, P::K + i, P::ETA1, &mut work.f);
        b.ntt(&work.f, &mut e_hat);
        b.scale_add(&mut work.product, &e_hat);
        b.encode12(&work.product, bytes);
    }
    rest.copy_from_slice(rho);
}

/// K-PKE.Encrypt (Algorithm 14) up to the compression: hands out each polynomial of the ciphertext with its
/// place there and its bits a coefficient. True if all coefficients of t̂ are below q.
#[inline(never)]
pub(crate) fn encrypt<P: ParameterSet, B: Backend>(
    b: B,
    ek: &[u8],
    m: &[u8; 32],
    r: &[u8; 32],
    mut piece: impl FnMut(usize, usize, &Poly),
) -> bool {
    let mut work = Work::<P>::new();
    let mut g = Zeroizing::new(Poly::ZERO);
    let rho = ek.last_chunk().expect("32 bytes of ρ");
    // Steps 9–12 and 18
    for (n, y) in work.vector.as_mut().iter_mut().enumerate() {
        noise(b, r, n, P::ETA1, &mut work.f);
        b.ntt(&work.f, y);
    }
    // Steps 13–16, 19 and 22, column by column
    for i in 0..P::K {
        for j in 0..P::K {
            work.add_entry(b, rho, [j, i], j);
        }
        work.finish_sum();
        b.inv_ntt(&work.product, &mut work.f);
        noise(b, r, P::K + i, ETA2, &mut g);
        work.f.add(&g);
        piece(32 * P::DU * i, P::DU, &work.f);
    }
    // Steps 2, 17, 20, 21 and 23
    let mut reduced = true;
    for (bytes, y) in ek.as_chunks::<POLY_BYTES>().0.iter().zip(work.vector.as_ref()) {
        reduced &= b.decode12(bytes, &mut work.product);
        multiply_add(&work.product, y, &mut work.sum);
    }
    work.finish_sum();
    b.inv_ntt(&work.product, &mut work.f);
    noise(b, r, 2 * P::K, ETA2, &mut g);
    work.f.add(&g);
    b.decompress1(m, &mut g);
    work.f.add(&g);
    piece(32 * P::DU * P::K, P::DV, &work.f);
    reduced
}

/// K-PKE.Decrypt (Algorithm 15) with the bytes of ŝ.
#[inline(never)]
pub(crate) fn decrypt<P: ParameterSet, B: Backend>(
    b: B,
    s_bytes: &[u8],
    c: &P::CiphertextBytes,
) -> Zeroizing<[u8; 32]> {
    let (c1, c2) = c.as_ref().split_at(32 * P::DU * P::K);
    let (mut f, mut v) = (Zeroizing::new(Poly::ZERO), Poly::ZERO);
    let mut u_hat = NttPoly::ZERO;
    let mut s_hat = Zeroizing::new(NttPoly::ZERO);
    let mut sum = Zeroizing::new(Sum::ZERO);
    let s_bytes = s_bytes.as_chunks::<POLY_BYTES>().0;
    for (c1, s_bytes) in c1.chunks_exact(32 * P::DU).zip(s_bytes) {
        b.decompress(P::DU, c1, &mut f);
        b.ntt(&f, &mut u_hat);
        b.decode12(s_bytes, &mut s_hat);
        multiply_add(&s_hat, &u_hat, &mut sum);
    }
    // No longer needed as ŝ.
    reduce_sum(&sum, &mut s_hat);
    b.inv_ntt(&s_hat, &mut f);
    b.decompress(P::DV, c2, &mut v);
    // w = v − NTT⁻¹(ŝᵀ∘NTT(u))
    f.sub_from(&v);
    let mut m = Zeroizing::new([0; 32]);
    b.compress1(&f, &mut m);
    m
}
