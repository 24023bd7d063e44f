//! K-PKE, the encryption scheme inside ML-KEM (FIPS 203 §5), with the hashing of an operation packed
//! into lanes by its plan.

use crate::backend::Backend;
use crate::jobs::Noise;
use crate::lanes::RATE;
use crate::params::{Array, ETA2, MAX_K, POLY_BYTES, ParameterSet};
use crate::plan::Plan;
use crate::poly::{MulCache, NttPoly, Poly};
use crate::sponge::{self, Jobs, Message};
use zeroize::{Zeroize, Zeroizing};

/// Â, the matrix that ρ expands to, by rows.
pub(crate) type Matrix<P> = <P as ParameterSet>::Vector<<P as ParameterSet>::Vector<NttPoly>>;

/// A matrix of zeros.
#[inline(always)]
pub(crate) fn zero_matrix<P: ParameterSet>() -> Matrix<P> {
    Matrix::<P>::filled(P::Vector::filled(NttPoly::ZERO))
}

/// Entry e of a matrix, by rows.
#[inline(always)]
pub(crate) fn entry<P: ParameterSet>(matrix: &mut Matrix<P>, e: usize) -> &mut NttPoly {
    &mut matrix.as_mut()[e / P::K].as_mut()[e % P::K]
}

/// t̂ and Â: the encryption key, decoded and expanded.
#[derive(Clone)]
pub(crate) struct EncryptionKey<P: ParameterSet> {
    pub(crate) t_hat: P::Vector<NttPoly>,
    pub(crate) matrix: Matrix<P>,
}

impl<P: ParameterSet> EncryptionKey<P> {
    #[inline(always)]
    pub(crate) fn zeroed() -> Self {
        Self { t_hat: P::Vector::filled(NttPoly::ZERO), matrix: zero_matrix::<P>() }
    }
}

/// ByteDecode₁₂ of k polynomials; true if every coefficient is below q.
#[inline(always)]
pub(crate) fn decode_vector<B: Backend>(b: B, bytes: &[u8], out: &mut [NttPoly]) -> bool {
    let mut reduced = true;
    for (bytes, out) in bytes.as_chunks::<POLY_BYTES>().0.iter().zip(out) {
        reduced &= b.decode12(bytes, out);
    }
    reduced
}

/// SamplePolyCBD_η of one PRF output.
#[inline(always)]
pub(crate) fn cbd<B: Backend>(b: B, eta: usize, bytes: &[u8], out: &mut Poly) {
    if eta == ETA2 {
        b.cbd2(bytes.first_chunk().expect("128 bytes"), out);
    } else {
        b.cbd3(bytes.first_chunk().expect("192 bytes"), out);
    }
}

/// The rows of t̂ = Â∘ŝ + ê in the making (Algorithm 13, steps 8–18).
pub(crate) struct Rows<P: ParameterSet> {
    s_cache: P::Vector<MulCache>,
    e_hat: P::Vector<NttPoly>,
}

impl<P: ParameterSet> Rows<P> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { s_cache: P::Vector::filled(MulCache::ZERO), e_hat: P::Vector::filled(NttPoly::ZERO) }
    }

    /// Steps 9, 13, 16 and 17 for nonce n: s below k, e from there on.
    #[inline(always)]
    pub(crate) fn noise<B: Backend>(
        &mut self,
        b: B,
        n: usize,
        bytes: &[u8],
        s_hat: &mut [NttPoly],
    ) {
        let mut f = Zeroizing::new(Poly::ZERO);
        cbd(b, P::ETA1, bytes, &mut f);
        if n < P::K {
            b.ntt(&f, &mut s_hat[n]);
            b.reduce(&mut s_hat[n]);
            b.mul_cache(&s_hat[n], &mut self.s_cache.as_mut()[n]);
        } else {
            b.ntt(&f, &mut self.e_hat.as_mut()[n - P::K]);
        }
    }

    /// Row i of step 18, and of step 19's encoding.
    #[inline(always)]
    pub(crate) fn finish<B: Backend>(
        &self,
        b: B,
        i: usize,
        row: &[NttPoly],
        s_hat: &[NttPoly],
        t_hat: &mut NttPoly,
        ek: &mut [u8],
    ) {
        let mut a = [&NttPoly::ZERO; MAX_K];
        for (a, entry) in a.iter_mut().zip(row) {
            *a = entry;
        }
        b.dot(&a[..P::K], s_hat, self.s_cache.as_ref(), t_hat);
        b.scale_add(t_hat, &self.e_hat.as_ref()[i]);
        b.encode12(t_hat, &mut ek.as_chunks_mut::<POLY_BYTES>().0[i]);
    }
}

impl<P: ParameterSet> Drop for Rows<P> {
    fn drop(&mut self) {
        self.s_cache.zeroize();
        self.e_hat.zeroize();
    }
}

/// K-PKE.KeyGen (Algorithm 13) from step 2 on, by a plan that may have H(ek) beside it: fills the
/// encryption key, ŝ and the bytes of ek, and returns the hash.
#[inline(always)]
pub(crate) fn key_gen<P: ParameterSet, B: Backend>(
    b: B,
    plan: &Plan,
    rho: &[u8; 32],
    sigma: &[u8; 32],
    key: &mut EncryptionKey<P>,
    s_hat: &mut P::Vector<NttPoly>,
    ek: &mut P::EncapsulationKeyBytes,
) -> Zeroizing<[u8; 32]> {
    ek.as_mut()[P::K * POLY_BYTES..].copy_from_slice(rho);
    let mut jobs = KeyGenJobs {
        b,
        key,
        s_hat: s_hat.as_mut(),
        ek: ek.as_mut(),
        rows: Rows::new(),
        finished: 0,
    };
    let hash = sponge::run(b, &mut b.bank(), plan, rho, sigma, &mut jobs);
    // Those that no hash asked for.
    jobs.finish_rows(P::K);
    hash
}

struct KeyGenJobs<'a, P: ParameterSet, B> {
    b: B,
    key: &'a mut EncryptionKey<P>,
    s_hat: &'a mut [NttPoly],
    ek: &'a mut [u8],
    rows: Rows<P>,
    /// Rows of t̂ that are finished.
    finished: usize,
}

impl<P: ParameterSet, B: Backend> KeyGenJobs<'_, P, B> {
    /// Finishes the first `rows` rows of t̂.
    #[inline(always)]
    fn finish_rows(&mut self, rows: usize) {
        while self.finished < rows {
            let row = self.key.matrix.as_ref()[self.finished].as_ref();
            let t_hat = &mut self.key.t_hat.as_mut()[self.finished];
            self.rows.finish(self.b, self.finished, row, self.s_hat, t_hat, self.ek);
            self.finished += 1;
        }
    }
}

impl<P: ParameterSet, B: Backend> Jobs for KeyGenJobs<'_, P, B> {
    #[inline(always)]
    fn hash_block<'b>(&'b mut self, i: usize, block: &'b mut [u8; RATE]) -> &'b [u8; RATE] {
        self.finish_rows(P::K.min((RATE * (i + 1)).div_ceil(POLY_BYTES)));
        Message::h(self.ek).block(i, block)
    }

    #[inline(always)]
    fn entry(&mut self, e: usize) -> &mut NttPoly {
        entry::<P>(&mut self.key.matrix, e)
    }

    #[inline(always)]
    fn noise(&mut self, n: usize, bytes: &[[u8; RATE]; 2]) {
        self.rows.noise(self.b, n, bytes.as_flattened(), self.s_hat);
    }
}

/// K-PKE.Encrypt (Algorithm 14) from step 18 on.
#[inline(always)]
pub(crate) fn encrypt<P: ParameterSet, B: Backend>(
    b: B,
    matrix: &Matrix<P>,
    t_hat: &P::Vector<NttPoly>,
    m: &[u8; 32],
    noise: &Noise<P>,
    c: &mut P::CiphertextBytes,
) {
    let c = c.as_mut();
    encrypt_pieces::<P, B>(b, matrix, t_hat, m, noise, |at, d, f| {
        b.compress(d, f, &mut c[at..at + 32 * d]);
    });
}

/// K-PKE.Encrypt up to the compression: hands out each polynomial of the ciphertext with its place
/// there and its bits a coefficient.
#[inline(always)]
pub(crate) fn encrypt_pieces<P: ParameterSet, B: Backend>(
    b: B,
    matrix: &Matrix<P>,
    t_hat: &P::Vector<NttPoly>,
    m: &[u8; 32],
    noise: &Noise<P>,
    mut piece: impl FnMut(usize, usize, &Poly),
) {
    let mut f = Zeroizing::new(Poly::ZERO);
    for i in 0..P::K {
        encrypt_u(b, i, &column::<P>(matrix, i), noise, &mut f);
        piece(32 * P::DU * i, P::DU, &f);
    }
    encrypt_v(b, t_hat, m, noise, &mut f);
    piece(32 * P::DU * P::K, P::DV, &f);
}

/// Column i of a matrix.
#[inline(always)]
pub(crate) fn column<P: ParameterSet>(matrix: &Matrix<P>, i: usize) -> [&NttPoly; MAX_K] {
    let mut column = [&NttPoly::ZERO; MAX_K];
    for (a, row) in column.iter_mut().zip(matrix.as_ref()) {
        *a = &row.as_ref()[i];
    }
    column
}

/// Element i of u = NTT⁻¹(Âᵀ∘ŷ) + e₁. Row i of Âᵀ is column i of Â.
#[inline(always)]
pub(crate) fn encrypt_u<P: ParameterSet, B: Backend>(
    b: B,
    i: usize,
    column: &[&NttPoly; MAX_K],
    noise: &Noise<P>,
    f: &mut Poly,
) {
    product(b, column, noise, f);
    f.add(&noise.e1.as_ref()[i]);
}

/// v = NTT⁻¹(t̂ᵀ∘ŷ) + e₂ + μ.
#[inline(always)]
pub(crate) fn encrypt_v<P: ParameterSet, B: Backend>(
    b: B,
    t_hat: &P::Vector<NttPoly>,
    m: &[u8; 32],
    noise: &Noise<P>,
    f: &mut Poly,
) {
    let mut row = [&NttPoly::ZERO; MAX_K];
    for (a, t) in row.iter_mut().zip(t_hat.as_ref()) {
        *a = t;
    }
    product(b, &row, noise, f);
    f.add(&noise.e2);
    let mut mu = Zeroizing::new(Poly::ZERO);
    b.decompress1(m, &mut mu);
    f.add(&mu);
}

/// NTT⁻¹(aᵀ∘ŷ).
#[inline(always)]
fn product<P: ParameterSet, B: Backend>(
    b: B,
    a: &[&NttPoly; MAX_K],
    noise: &Noise<P>,
    out: &mut Poly,
) {
    let mut product = Zeroizing::new(NttPoly::ZERO);
    b.dot(&a[..P::K], noise.y_hat.as_ref(), noise.y_cache.as_ref(), &mut product);
    b.inv_ntt(&product, out);
}

/// What a decryption works on. In one piece, so that the compiler lays it over what the re-encryption
/// works on later: it overlays variables one by one, not several on a larger one.
struct Decryption<P: ParameterSet> {
    u_hat: P::Vector<NttPoly>,
    u_cache: P::Vector<MulCache>,
    v: Poly,
    product: NttPoly,
    f: Poly,
}

impl<P: ParameterSet> Drop for Decryption<P> {
    fn drop(&mut self) {
        self.product.zeroize();
        self.f.zeroize();
    }
}

/// K-PKE.Decrypt (Algorithm 15).
#[inline(always)]
pub(crate) fn decrypt<P: ParameterSet, B: Backend>(
    b: B,
    s_hat: &P::Vector<NttPoly>,
    c: &[u8],
) -> Zeroizing<[u8; 32]> {
    let (c1, c2) = c.split_at(32 * P::DU * P::K);
    let mut d = Decryption::<P> {
        u_hat: P::Vector::filled(NttPoly::ZERO),
        u_cache: P::Vector::filled(MulCache::ZERO),
        v: Poly::ZERO,
        product: NttPoly::ZERO,
        f: Poly::ZERO,
    };
    for ((c1, u_hat), u_cache) in
        c1.chunks_exact(32 * P::DU).zip(d.u_hat.as_mut()).zip(d.u_cache.as_mut())
    {
        b.decompress(P::DU, c1, &mut d.f);
        b.ntt(&d.f, u_hat);
        b.mul_cache(u_hat, u_cache);
    }
    let mut row = [&NttPoly::ZERO; MAX_K];
    for (a, s) in row.iter_mut().zip(s_hat.as_ref()) {
        *a = s;
    }
    b.dot(&row[..P::K], d.u_hat.as_ref(), d.u_cache.as_ref(), &mut d.product);
    b.inv_ntt(&d.product, &mut d.f);
    b.decompress(P::DV, c2, &mut d.v);
    // w = v − NTT⁻¹(ŝᵀ∘NTT(u))
    d.f.sub_from(&d.v);
    let mut m = Zeroizing::new([0; 32]);
    b.compress1(&d.f, &mut m);
    m
}
