//! NTT, its inverse and products in T_q (FIPS 203 §4.3), 16 coefficients to a vector.
//!
//! Layers of length 16 and more pair whole vectors. The three shortest are computed two vectors A, B
//! (32 coefficients) at a time, with the blocks' halves sorted into one register each:
//!
//! | length | first operand | second operand |
//! |---|---|---|
//! | 8 | A₀₋₇ B₀₋₇ | A₈₋₁₅ B₈₋₁₅ |
//! | 4 | A₀₋₃ A₈₋₁₁ B₀₋₃ B₈₋₁₁ | A₄₋₇ A₁₂₋₁₅ B₄₋₇ B₁₂₋₁₅ |
//! | 2 | A₀₁ A₄₅ A₈₉ A₁₂₋₁₃ B… | A₂₃ A₆₇ A₁₀₋₁₁ A₁₄₋₁₅ B… |
//!
//! so that each layer's twiddles stand in the order of FIPS 203.

use super::mem::{load, load_i16, store};
use crate::params::{N, Q};
use crate::poly::{MulCache, NttPoly, Poly, Q32, assert_bound, assert_unsigned};
use crate::portable::ntt::montgomery_reduce;
use crate::zetas::{GAMMAS, Q_INV, R2, R2_OVER_128, ZETAS, times_q_inv};
use core::arch::x86_64::*;

/// Factors of a Montgomery product, and the same times q⁻¹ modulo R.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Factors {
    z: [i16; 16],
    z_q_inv: [i16; 16],
}

impl Factors {
    const fn new(z: [i16; 16]) -> Self {
        Self { z, z_q_inv: times_q_inv(z) }
    }
}

/// The twiddles of a layer of 16, 32 or 64 blocks: element j is for vectors 2j and 2j + 1.
const fn twiddles(blocks: usize, inverse: bool) -> [Factors; 8] {
    let mut out = [Factors::new([0; 16]); 8];
    let mut i = 0;
    while i < 128 {
        let block = i * blocks / 128;
        let zeta = if inverse { 2 * blocks - 1 - block } else { blocks + block };
        out[i / 16].z[i % 16] = ZETAS[zeta];
        i += 1;
    }
    let mut j = 0;
    while j < 8 {
        out[j] = Factors::new(out[j].z);
        j += 1;
    }
    out
}

static FORWARD_8: [Factors; 8] = twiddles(16, false);
static FORWARD_4: [Factors; 8] = twiddles(32, false);
static FORWARD_2: [Factors; 8] = twiddles(64, false);
static INVERSE_8: [Factors; 8] = twiddles(16, true);
static INVERSE_4: [Factors; 8] = twiddles(32, true);
static INVERSE_2: [Factors; 8] = twiddles(64, true);

/// γᵢ where [`MulCache`] has a product with it.
static CACHE: [Factors; 16] = {
    let mut out = [Factors::new([0; 16]); 16];
    let mut i = 0;
    while i < 128 {
        out[i / 8].z[2 * (i % 8) + 1] = GAMMAS[i];
        i += 1;
    }
    let mut j = 0;
    while j < 16 {
        out[j] = Factors::new(out[j].z);
        j += 1;
    }
    out
};

/// a·z·R⁻¹ mod q: |result| < q for every a.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply_by(a: __m256i, z: __m256i, z_q_inv: __m256i) -> __m256i {
    let m = _mm256_mullo_epi16(a, z_q_inv);
    let high = _mm256_mulhi_epi16(a, z);
    _mm256_sub_epi16(high, _mm256_mulhi_epi16(m, _mm256_set1_epi16(Q)))
}

#[inline]
#[target_feature(enable = "avx2")]
fn multiply(a: __m256i, f: &Factors) -> __m256i {
    multiply_by(a, load_i16(&f.z), load_i16(&f.z_q_inv))
}

/// [`multiply_by`] with the same factor everywhere.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn multiply_all(a: __m256i, z: i16) -> __m256i {
    multiply_by(a, _mm256_set1_epi16(z), _mm256_set1_epi16(z.wrapping_mul(Q_INV)))
}

/// a − q·⌊10·a/2¹⁵⌉: every a gives |result| < 2q/3, as 10/2¹⁵ is off 1/q by less than 1/(6·2¹⁵).
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn barrett_reduce(a: __m256i) -> __m256i {
    let quotient = _mm256_mulhrs_epi16(a, _mm256_set1_epi16(10));
    _mm256_sub_epi16(a, _mm256_mullo_epi16(quotient, _mm256_set1_epi16(Q)))
}

const _: () = assert!(10 * Q32 - (1 << 15) > 0 && (10 * Q32 - (1 << 15)) * 6 < Q32);

/// Every a gives 0 ≤ result < q. Without a sign, the smaller of r and r + q is the one in range.
#[inline]
#[target_feature(enable = "avx2")]
fn canonical(a: __m256i) -> __m256i {
    let r = barrett_reduce(a);
    _mm256_min_epu16(r, _mm256_add_epi16(r, _mm256_set1_epi16(Q)))
}

/// Algorithm 9, steps 8–12.
#[inline]
#[target_feature(enable = "avx2")]
fn butterfly(a: &mut __m256i, b: &mut __m256i, f: &Factors) {
    let t = multiply(*b, f);
    *b = _mm256_sub_epi16(*a, t);
    *a = _mm256_add_epi16(*a, t);
}

/// The same on two of a few vectors.
#[inline]
#[target_feature(enable = "avx2")]
fn butterfly_of<const LEN: usize>(v: &mut [__m256i; LEN], i: usize, j: usize, zeta: i16) {
    let t = multiply_all(v[j], zeta);
    v[j] = _mm256_sub_epi16(v[i], t);
    v[i] = _mm256_add_epi16(v[i], t);
}

/// Algorithm 10, steps 8–12.
#[inline]
#[target_feature(enable = "avx2")]
fn inverse_butterfly(a: &mut __m256i, b: &mut __m256i, f: &Factors) {
    let difference = _mm256_sub_epi16(*b, *a);
    *a = _mm256_add_epi16(*a, *b);
    *b = multiply(difference, f);
}

#[inline]
#[target_feature(enable = "avx2")]
fn inverse_butterfly_of<const LEN: usize>(v: &mut [__m256i; LEN], i: usize, j: usize, zeta: i16) {
    let difference = _mm256_sub_epi16(v[j], v[i]);
    v[i] = _mm256_add_epi16(v[i], v[j]);
    v[j] = multiply_all(difference, zeta);
}

/// Every other vector from vector i on.
#[inline]
#[target_feature(enable = "avx2")]
fn load_alternate(f: &[i16; N], i: usize) -> [__m256i; 8] {
    let mut v = [_mm256_setzero_si256(); 8];
    for (j, v) in v.iter_mut().enumerate() {
        *v = load(f, i + 2 * j);
    }
    v
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_alternate(f: &mut [i16; N], i: usize, v: [__m256i; 8]) {
    for (j, v) in v.into_iter().enumerate() {
        store(f, i + 2 * j, v);
    }
}

/// The low halves of two vectors, and the high ones. Its own inverse.
#[inline]
#[target_feature(enable = "avx2")]
fn split_128(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    (_mm256_permute2x128_si256(a, b, 0x20), _mm256_permute2x128_si256(a, b, 0x31))
}

/// Even and odd elements of 64 bits of two vectors, alternating. Its own inverse.
#[inline]
#[target_feature(enable = "avx2")]
fn split_64(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b))
}

/// Even and odd elements of 32 bits of two vectors, alternating. Its own inverse.
#[inline]
#[target_feature(enable = "avx2")]
fn split_32(a: __m256i, b: __m256i) -> (__m256i, __m256i) {
    (
        _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xaa),
        _mm256_blend_epi32(_mm256_srli_epi64(a, 32), b, 0xaa),
    )
}

/// |f| < q gives |out| < 8q: each of the 7 layers adds less than q.
#[target_feature(enable = "avx2")]
pub(crate) fn ntt(f: &Poly, out: &mut NttPoly) {
    assert_bound(&f.0, Q32);
    // Lengths 128, 64 and 32 on every other vector.
    for i in 0..2 {
        let mut v = load_alternate(&f.0, i);
        for j in 0..4 {
            butterfly_of(&mut v, j, j + 4, ZETAS[1]);
        }
        for j in 0..2 {
            butterfly_of(&mut v, j, j + 2, ZETAS[2]);
            butterfly_of(&mut v, j + 4, j + 6, ZETAS[3]);
        }
        for j in 0..4 {
            butterfly_of(&mut v, 2 * j, 2 * j + 1, ZETAS[4 + j]);
        }
        store_alternate(&mut out.0, i, v);
    }
    // Lengths 16, 8, 4 and 2.
    for j in 0..8 {
        let mut v = [load(&out.0, 2 * j), load(&out.0, 2 * j + 1)];
        butterfly_of(&mut v, 0, 1, ZETAS[8 + j]);
        let (mut a, mut b) = split_128(v[0], v[1]);
        butterfly(&mut a, &mut b, &FORWARD_8[j]);
        (a, b) = split_64(a, b);
        butterfly(&mut a, &mut b, &FORWARD_4[j]);
        (a, b) = split_32(a, b);
        butterfly(&mut a, &mut b, &FORWARD_2[j]);
        (a, b) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        (a, b) = split_128(a, b);
        store(&mut out.0, 2 * j, a);
        store(&mut out.0, 2 * j + 1, b);
    }
    assert_bound(&out.0, 8 * Q32);
}

/// |f| < 9q/2 gives |out| < q. Bounds of the sums after each layer: 9q → 2q/3, 2q, 4q, 8q → 2q/3, 2q,
/// 4q, 8q; differences come out below q.
#[target_feature(enable = "avx2")]
pub(crate) fn inv_ntt(f: &NttPoly, out: &mut Poly) {
    assert_bound(&f.0, 9 * Q32 / 2 + 1);
    // Lengths 2, 4, 8 and 16.
    for j in 0..8 {
        let (a, b) = split_128(load(&f.0, 2 * j), load(&f.0, 2 * j + 1));
        let (a, b) = (_mm256_castsi256_ps(a), _mm256_castsi256_ps(b));
        let (mut a, mut b) = (
            _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)),
            _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd)),
        );
        inverse_butterfly(&mut a, &mut b, &INVERSE_2[j]);
        (a, b) = split_32(barrett_reduce(a), b);
        inverse_butterfly(&mut a, &mut b, &INVERSE_4[j]);
        (a, b) = split_64(a, b);
        inverse_butterfly(&mut a, &mut b, &INVERSE_8[j]);
        (a, b) = split_128(a, b);
        let mut v = [a, b];
        inverse_butterfly_of(&mut v, 0, 1, ZETAS[15 - j]);
        store(&mut out.0, 2 * j, barrett_reduce(v[0]));
        store(&mut out.0, 2 * j + 1, v[1]);
    }
    // Lengths 32, 64 and 128; the last carries the factor R²/128 of step 14 and of the product.
    const HIGH: i16 = montgomery_reduce(ZETAS[1] as i32 * R2_OVER_128 as i32);
    for i in 0..2 {
        let mut v = load_alternate(&out.0, i);
        for j in 0..4 {
            inverse_butterfly_of(&mut v, 2 * j, 2 * j + 1, ZETAS[7 - j]);
        }
        for j in 0..2 {
            inverse_butterfly_of(&mut v, j, j + 2, ZETAS[3]);
            inverse_butterfly_of(&mut v, j + 4, j + 6, ZETAS[2]);
        }
        for j in 0..4 {
            inverse_butterfly_of(&mut v, j, j + 4, HIGH);
            v[j] = multiply_all(v[j], R2_OVER_128);
        }
        store_alternate(&mut out.0, i, v);
    }
    assert_bound(&out.0, Q32);
}

/// |b| ≤ 8q gives |cache₂ᵢ₊₁| < q.
#[target_feature(enable = "avx2")]
pub(crate) fn mul_cache(b: &NttPoly, out: &mut MulCache) {
    assert_bound(&b.0, 8 * Q32 + 1);
    for (i, gammas) in CACHE.iter().enumerate() {
        let b = load(&b.0, i);
        store(&mut out.0, i, _mm256_blend_epi16(b, multiply(b, gammas), 0xaa));
    }
}

/// R⁻¹·Σ aᵢ∘bᵢ. 0 ≤ a < 4096 and |b| ≤ 8q: |sum| ≤ 4·2·4096·8q = 4q·R, so |out| < 4q + q/2.
#[target_feature(enable = "avx2")]
pub(crate) fn dot(a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly) {
    for ((a, b), cache) in a.iter().zip(b).zip(cache) {
        assert_unsigned(&a.0, 4096);
        assert_bound(&b.0, 8 * Q32 + 1);
        assert_bound(&cache.0, 8 * Q32 + 1);
    }
    match a.len() {
        2 => dot_k::<2>(a, b, cache, out),
        3 => dot_k::<3>(a, b, cache, out),
        _ => dot_k::<4>(a, b, cache, out),
    }
    assert_bound(&out.0, 9 * Q32 / 2 + 1);
}

#[inline]
#[target_feature(enable = "avx2")]
fn dot_k<const K: usize>(a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly) {
    let a: &[&NttPoly; K] = a.first_chunk().expect("k polynomials");
    let b: &[NttPoly; K] = b.first_chunk().expect("k polynomials");
    let cache: &[MulCache; K] = cache.first_chunk().expect("k polynomials");
    // The other coefficient of each pair.
    let swap = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13,
    ));
    for i in 0..16 {
        let (mut even, mut odd) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        for j in 0..K {
            let a = load(&a[j].0, i);
            let swapped = _mm256_shuffle_epi8(load(&b[j].0, i), swap);
            even = _mm256_add_epi32(even, _mm256_madd_epi16(a, load(&cache[j].0, i)));
            odd = _mm256_add_epi32(odd, _mm256_madd_epi16(a, swapped));
        }
        let low = _mm256_blend_epi16(even, _mm256_slli_epi32(odd, 16), 0xaa);
        let high = _mm256_blend_epi16(_mm256_srli_epi32(even, 16), odd, 0xaa);
        let m = _mm256_mullo_epi16(low, _mm256_set1_epi16(Q_INV));
        let reduced = _mm256_sub_epi16(high, _mm256_mulhi_epi16(m, _mm256_set1_epi16(Q)));
        store(&mut out.0, i, reduced);
    }
}

/// R·t + e. |t| < 8q and |e| ≤ 8q give 0 ≤ t < q.
#[target_feature(enable = "avx2")]
pub(crate) fn scale_add(t: &mut NttPoly, e: &NttPoly) {
    assert_bound(&t.0, 8 * Q32);
    assert_bound(&e.0, 8 * Q32 + 1);
    for i in 0..16 {
        let scaled = multiply_all(load(&t.0, i), R2);
        store(&mut t.0, i, canonical(_mm256_add_epi16(scaled, load(&e.0, i))));
    }
    assert_unsigned(&t.0, Q32);
}

/// Any f gives 0 ≤ f < q.
#[target_feature(enable = "avx2")]
pub(crate) fn reduce(f: &mut NttPoly) {
    for i in 0..16 {
        let r = canonical(load(&f.0, i));
        store(&mut f.0, i, r);
    }
    assert_unsigned(&f.0, Q32);
}
