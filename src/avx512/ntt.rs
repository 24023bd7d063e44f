//! NTT, its inverse and products in T_q with all 256 coefficients in 8 registers.
//!
//! The layers down to a distance of 32 pair whole registers. For the four below, the shuffles that
//! split a distance LEN bring both sides of each butterfly to the same slot of two registers, always
//! within a pair of registers; the order of the standard comes back at the end in one permutation.

use super::mem::{load, store};
use super::tables::{FORWARD, FROM_STANDARD, Factors, GAMMA, INVERSE, TO_STANDARD, W};
use crate::params::{N, Q};
use crate::poly::{MulCache, NttPoly, Poly, Q32, assert_bound, assert_unsigned};
use crate::zetas::{BARRETT_V, Q_INV, R2, R2_OVER_128, ZETAS};
use core::arch::x86_64::*;

/// Odd coefficients.
const ODD: __mmask32 = 0xaaaa_aaaa;

/// A Montgomery product with a constant.
#[inline]
#[target_feature(enable = "avx512bw")]
fn mul_constant(a: __m512i, z: i16) -> __m512i {
    mul(a, _mm512_set1_epi16(z), _mm512_set1_epi16(z.wrapping_mul(Q_INV)))
}

#[inline]
#[target_feature(enable = "avx512bw")]
fn mul_factors(a: __m512i, f: &Factors) -> __m512i {
    mul(a, load(&f.0), load(&f.1))
}

/// a·z·R⁻¹, |result| < q.
#[inline]
#[target_feature(enable = "avx512bw")]
fn mul(a: __m512i, z: __m512i, z_times_q_inv: __m512i) -> __m512i {
    let m = _mm512_mullo_epi16(a, z_times_q_inv);
    let low = _mm512_mulhi_epi16(m, _mm512_set1_epi16(Q));
    _mm512_sub_epi16(_mm512_mulhi_epi16(a, z), low)
}

/// a − q·⌊a/q⌉: every a gives |result| ≤ (q − 1)/2.
#[inline]
#[target_feature(enable = "avx512bw")]
fn barrett_reduce(a: __m512i) -> __m512i {
    let quotient = _mm512_mulhi_epi16(a, _mm512_set1_epi16(BARRETT_V));
    // ⌊x/2¹⁰⌉ as (2⁵·x + 2¹⁴)/2¹⁵
    let quotient = _mm512_mulhrs_epi16(quotient, _mm512_set1_epi16(1 << 5));
    _mm512_sub_epi16(a, _mm512_mullo_epi16(quotient, _mm512_set1_epi16(Q)))
}

/// The canonical representative.
#[inline]
#[target_feature(enable = "avx512bw")]
fn canonical(a: __m512i) -> __m512i {
    let r = barrett_reduce(a);
    // A negative r is large as unsigned.
    _mm512_min_epu16(r, _mm512_add_epi16(r, _mm512_set1_epi16(Q)))
}

type Pair = (__m512i, __m512i);

#[inline]
#[target_feature(enable = "avx512f")]
fn split16((a, b): Pair) -> Pair {
    (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0xee>(a, b))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn split8((a, b): Pair) -> Pair {
    (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0xdd>(a, b))
}

/// The inverse of [`split8`].
#[inline]
#[target_feature(enable = "avx512f")]
fn join8((a, b): Pair) -> Pair {
    let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    (_mm512_permutex2var_epi64(a, low, b), _mm512_permutex2var_epi64(a, high, b))
}

/// Its own inverse.
#[inline]
#[target_feature(enable = "avx512f")]
fn split4((a, b): Pair) -> Pair {
    (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn split2((a, b): Pair) -> Pair {
    let (a, b) = (_mm512_castsi512_ps(a), _mm512_castsi512_ps(b));
    (
        _mm512_castps_si512(_mm512_shuffle_ps::<0x88>(a, b)),
        _mm512_castps_si512(_mm512_shuffle_ps::<0xdd>(a, b)),
    )
}

/// The inverse of [`split2`].
#[inline]
#[target_feature(enable = "avx512f")]
fn join2((a, b): Pair) -> Pair {
    (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b))
}

/// Permutes the pairs of coefficients.
#[inline]
#[target_feature(enable = "avx512f")]
fn reorder((a, b): Pair, order: &[[u32; 16]; 2]) -> Pair {
    (
        _mm512_permutex2var_epi32(a, load(&order[0]), b),
        _mm512_permutex2var_epi32(a, load(&order[1]), b),
    )
}

/// a + b and a − b for a product b.
#[inline]
#[target_feature(enable = "avx512bw")]
fn add_sub(a: __m512i, b: __m512i) -> Pair {
    (_mm512_add_epi16(a, b), _mm512_sub_epi16(a, b))
}

/// The butterfly of Algorithm 9.
#[inline]
#[target_feature(enable = "avx512bw")]
fn forward((a, b): Pair, f: &Factors) -> Pair {
    add_sub(a, mul_factors(b, f))
}

/// The butterfly of Algorithm 10.
#[inline]
#[target_feature(enable = "avx512bw")]
fn inverse((a, b): Pair, f: &Factors) -> Pair {
    (_mm512_add_epi16(a, b), mul_factors(_mm512_sub_epi16(b, a), f))
}

/// The registers of a polynomial. Written out, like the calls of the functions on pairs below: what
/// the compiler keeps as a loop goes through memory.
#[inline]
#[target_feature(enable = "avx512bw")]
fn load_all(f: &[i16; N]) -> [__m512i; 8] {
    let f: &[[i16; W]] = f.as_chunks().0;
    [
        load(&f[0]),
        load(&f[1]),
        load(&f[2]),
        load(&f[3]),
        load(&f[4]),
        load(&f[5]),
        load(&f[6]),
        load(&f[7]),
    ]
}

/// The layers at distances 16 to 2 for pair i.
#[inline]
#[target_feature(enable = "avx512bw")]
fn forward_pair(p: Pair, i: usize, out: &mut [i16; N]) {
    let p = forward(split16(p), &FORWARD[0][i]);
    let p = forward(split8(p), &FORWARD[1][i]);
    let p = forward(split4(p), &FORWARD[2][i]);
    let p = forward(split2(p), &FORWARD[3][i]);
    let (low, high) = reorder(p, &TO_STANDARD);
    let out: &mut [[i16; W]] = out.as_chunks_mut().0;
    store(&mut out[2 * i], low);
    store(&mut out[2 * i + 1], high);
}

/// |f| < q gives |out| < 8q: each of the 7 layers adds less than q.
#[target_feature(enable = "avx512bw")]
pub(super) fn ntt(f: &Poly, out: &mut NttPoly) {
    assert_bound(&f.0, Q32);
    let mut z = load_all(&f.0);
    // Distances 128, 64 and 32.
    for i in 0..4 {
        (z[i], z[i + 4]) = add_sub(z[i], mul_constant(z[i + 4], ZETAS[1]));
    }
    for i in [0, 1, 4, 5] {
        (z[i], z[i + 2]) = add_sub(z[i], mul_constant(z[i + 2], ZETAS[2 + i / 4]));
    }
    for i in [0, 2, 4, 6] {
        (z[i], z[i + 1]) = add_sub(z[i], mul_constant(z[i + 1], ZETAS[4 + i / 2]));
    }
    forward_pair((z[0], z[1]), 0, &mut out.0);
    forward_pair((z[2], z[3]), 1, &mut out.0);
    forward_pair((z[4], z[5]), 2, &mut out.0);
    forward_pair((z[6], z[7]), 3, &mut out.0);
    assert_bound(&out.0, 8 * Q32);
}

/// The layers at distances 2 to 16 for pair i.
#[inline]
#[target_feature(enable = "avx512bw")]
fn inverse_pair(p: Pair, i: usize) -> Pair {
    let p = inverse(reorder(p, &FROM_STANDARD), &INVERSE[3][i]);
    let p = inverse(join2((barrett_reduce(p.0), p.1)), &INVERSE[2][i]);
    let p = inverse(split4(p), &INVERSE[1][i]);
    let p = inverse(join8(p), &INVERSE[0][i]);
    split16((barrett_reduce(p.0), p.1))
}

/// |f| < 9q/2 gives |out| < q. Sums are reduced at distances 2 and 16; their bounds are those of the
/// portable kernel.
#[target_feature(enable = "avx512bw")]
pub(super) fn inv_ntt(f: &NttPoly, out: &mut Poly) {
    assert_bound(&f.0, 9 * Q32 / 2 + 1);
    let mut z = load_all(&f.0);
    (z[0], z[1]) = inverse_pair((z[0], z[1]), 0);
    (z[2], z[3]) = inverse_pair((z[2], z[3]), 1);
    (z[4], z[5]) = inverse_pair((z[4], z[5]), 2);
    (z[6], z[7]) = inverse_pair((z[6], z[7]), 3);
    for i in [0, 2, 4, 6] {
        let difference = _mm512_sub_epi16(z[i + 1], z[i]);
        z[i] = _mm512_add_epi16(z[i], z[i + 1]);
        z[i + 1] = mul_constant(difference, ZETAS[7 - i / 2]);
    }
    for i in [0, 1, 4, 5] {
        let difference = _mm512_sub_epi16(z[i + 2], z[i]);
        z[i] = _mm512_add_epi16(z[i], z[i + 2]);
        z[i + 2] = mul_constant(difference, ZETAS[3 - i / 4]);
    }
    // The last layer carries the factor R²/128 of step 14 and of the product.
    const HIGH: i16 = crate::portable::ntt::montgomery_reduce(ZETAS[1] as i32 * R2_OVER_128 as i32);
    for i in 0..4 {
        let difference = _mm512_sub_epi16(z[i + 4], z[i]);
        z[i] = mul_constant(_mm512_add_epi16(z[i], z[i + 4]), R2_OVER_128);
        z[i + 4] = mul_constant(difference, HIGH);
    }
    for (i, out) in out.0.as_chunks_mut().0.iter_mut().enumerate() {
        store::<[i16; W]>(out, z[i]);
    }
    assert_bound(&out.0, Q32);
}

/// |b| ≤ 8q gives |cache₂ᵢ₊₁| < q.
#[target_feature(enable = "avx512bw")]
pub(super) fn mul_cache(b: &NttPoly, out: &mut MulCache) {
    assert_bound(&b.0, 8 * Q32 + 1);
    let chunks = b.0.as_chunks().0.iter().zip(&GAMMA);
    for (out, (b, gamma)) in out.0.as_chunks_mut().0.iter_mut().zip(chunks) {
        let b = load::<[i16; W]>(b);
        store::<[i16; W]>(out, _mm512_mask_blend_epi16(ODD, b, mul_factors(b, gamma)));
    }
}

/// R⁻¹·Σ aᵢ∘bᵢ. 0 ≤ a < 4096 and |b| ≤ 8q: |sum| ≤ 4·2·4096·8q = 4q·R, so |out| < 4q + q/2.
#[target_feature(enable = "avx512bw")]
pub(super) fn dot(a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly) {
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
#[target_feature(enable = "avx512bw")]
fn dot_k<const K: usize>(a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly) {
    let a: &[&NttPoly; K] = a.first_chunk().expect("k polynomials");
    let b: &[NttPoly; K] = b.first_chunk().expect("k polynomials");
    let cache: &[MulCache; K] = cache.first_chunk().expect("k polynomials");
    for (i, out) in out.0.as_chunks_mut().0.iter_mut().enumerate() {
        let mut even = _mm512_setzero_si512();
        let mut odd = _mm512_setzero_si512();
        for j in 0..K {
            let a = load::<[i16; W]>(&a[j].0.as_chunks().0[i]);
            let b = load::<[i16; W]>(&b[j].0.as_chunks().0[i]);
            let cache = load::<[i16; W]>(&cache[j].0.as_chunks().0[i]);
            even = _mm512_add_epi32(even, _mm512_madd_epi16(a, cache));
            odd = _mm512_add_epi32(odd, _mm512_madd_epi16(a, _mm512_rol_epi32::<16>(b)));
        }
        // The low and the high halves of all sums, in the order of the result.
        let low = _mm512_mask_blend_epi16(ODD, even, _mm512_slli_epi32::<16>(odd));
        let high = _mm512_mask_blend_epi16(ODD, _mm512_srli_epi32::<16>(even), odd);
        let m = _mm512_mullo_epi16(low, _mm512_set1_epi16(Q_INV));
        let m = _mm512_mulhi_epi16(m, _mm512_set1_epi16(Q));
        store::<[i16; W]>(out, _mm512_sub_epi16(high, m));
    }
}

/// R·t + e. |t| < 8q and |e| ≤ 8q give 0 ≤ t < q.
#[target_feature(enable = "avx512bw")]
pub(super) fn scale_add(t: &mut NttPoly, e: &NttPoly) {
    assert_bound(&t.0, 8 * Q32);
    assert_bound(&e.0, 8 * Q32 + 1);
    for (t, e) in t.0.as_chunks_mut().0.iter_mut().zip(e.0.as_chunks().0) {
        let sum = _mm512_add_epi16(mul_constant(load::<[i16; W]>(t), R2), load::<[i16; W]>(e));
        store(t, canonical(sum));
    }
    assert_unsigned(&t.0, Q32);
}

/// Any f gives 0 ≤ f < q.
#[target_feature(enable = "avx512bw")]
pub(super) fn reduce(f: &mut NttPoly) {
    for f in f.0.as_chunks_mut().0 {
        store(f, canonical(load::<[i16; W]>(f)));
    }
    assert_unsigned(&f.0, Q32);
}
