//! NTT, its inverse and products in T_q (FIPS 203 §4.3), and the two modular reductions beneath them.

use crate::params::{N, Q};
use crate::poly::{MulCache, NttPoly, Poly, Q32, Sum, assert_bound, assert_unsigned};
use crate::zetas::{BARRETT_V, GAMMAS, Q_INV, R2, R2_OVER_128, ZETAS};

/// a·b·R⁻¹ mod q for i32 products: |c| < 2¹⁵·q gives |result| < q. Equal to (c − m·q)/R with
/// m = c·q⁻¹ mod R centred, so that the low halves cancel.
#[inline(always)]
pub(crate) const fn montgomery_reduce(c: i32) -> i16 {
    let m = (c as i16).wrapping_mul(Q_INV);
    ((c >> 16) - ((m as i32 * Q32) >> 16)) as i16
}

/// a·b·R⁻¹ mod q. |b| < q gives |result| < q for every a.
#[inline(always)]
pub(crate) fn montgomery_mul(a: i16, b: i16) -> i16 {
    montgomery_reduce(i32::from(a) * i32::from(b))
}

/// a − q·⌊a/q⌉: every a gives |result| ≤ (q − 1)/2.
#[inline(always)]
pub(crate) fn barrett_reduce(a: i16) -> i16 {
    let quotient = (i32::from(a) * i32::from(BARRETT_V) + (1 << 25)) >> 26;
    a.wrapping_sub((quotient as i16).wrapping_mul(Q))
}

/// The canonical representative: every a gives 0 ≤ result < q.
#[inline(always)]
pub(crate) fn canonical(a: i16) -> i16 {
    let r = barrett_reduce(a);
    r + (Q & (r >> 15))
}

/// One layer of butterflies (Algorithm 9, steps 4–13) over blocks of 2·LEN coefficients.
#[inline(always)]
fn forward_layer<const LEN: usize>(f: &mut [i16; N]) {
    let blocks = N / (2 * LEN);
    for (block, &zeta) in f.chunks_exact_mut(2 * LEN).zip(&ZETAS[blocks..2 * blocks]) {
        let (low, high) = block.split_at_mut(LEN);
        for (a, b) in low.iter_mut().zip(high) {
            let t = montgomery_mul(*b, zeta);
            *b = *a - t;
            *a += t;
        }
    }
}

/// |f| < q gives |out| < 8q: each of the 7 layers adds less than q.
pub(crate) fn ntt(f: &Poly, out: &mut NttPoly) {
    assert_bound(&f.0, Q32);
    let f_hat = &mut out.0;
    *f_hat = f.0;
    forward_layer::<128>(f_hat);
    forward_layer::<64>(f_hat);
    forward_layer::<32>(f_hat);
    forward_layer::<16>(f_hat);
    forward_layer::<8>(f_hat);
    forward_layer::<4>(f_hat);
    forward_layer::<2>(f_hat);
    assert_bound(f_hat, 8 * Q32);
}

/// One layer of inverse butterflies (Algorithm 10, steps 4–13). Differences come out below q, sums
/// double unless REDUCE brings them to at most q/2.
#[inline(always)]
fn inverse_layer<const LEN: usize, const REDUCE: bool>(f: &mut [i16; N]) {
    let blocks = N / (2 * LEN);
    for (block, &zeta) in f.chunks_exact_mut(2 * LEN).zip(ZETAS[blocks..2 * blocks].iter().rev()) {
        let (low, high) = block.split_at_mut(LEN);
        for (a, b) in low.iter_mut().zip(high) {
            let sum = *a + *b;
            *b = montgomery_mul(*b - *a, zeta);
            *a = if REDUCE { barrett_reduce(sum) } else { sum };
        }
    }
}

/// |f| < 9q/2 gives |out| < q. Bounds of the sums after each layer: 9q → q/2, 2q, 4q, 8q → q/2, 2q,
/// 4q, 8q.
pub(crate) fn inv_ntt(f_hat: &NttPoly, out: &mut Poly) {
    assert_bound(&f_hat.0, 9 * Q32 / 2 + 1);
    let f = &mut out.0;
    *f = f_hat.0;
    inverse_layer::<2, true>(f);
    inverse_layer::<4, false>(f);
    inverse_layer::<8, false>(f);
    inverse_layer::<16, true>(f);
    inverse_layer::<32, false>(f);
    inverse_layer::<64, false>(f);
    // The last layer carries the factor R²/128 of step 14 and of the product.
    const HIGH: i16 = montgomery_reduce(ZETAS[1] as i32 * R2_OVER_128 as i32);
    let (low, high) = f.split_at_mut(N / 2);
    for (a, b) in low.iter_mut().zip(high) {
        let sum = *a + *b;
        *b = montgomery_mul(*b - *a, HIGH);
        *a = montgomery_mul(sum, R2_OVER_128);
    }
    assert_bound(f, Q32);
}

/// |b| ≤ 8q gives |cache₂ᵢ₊₁| < q.
pub(crate) fn mul_cache(b: &NttPoly, out: &mut MulCache) {
    assert_bound(&b.0, 8 * Q32 + 1);
    let pairs = b.0.as_chunks::<2>().0.iter().zip(&GAMMAS);
    for (c, (b, &gamma)) in out.0.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
        *c = [b[0], montgomery_mul(b[1], gamma)];
    }
}

/// R⁻¹·Σ aᵢ∘bᵢ. 0 ≤ a < 4096 and |b| ≤ 8q: |sum| ≤ 4·2·4096·8q = 4q·R, so |out| < 4q + q/2.
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

#[inline(always)]
fn dot_k<const K: usize>(a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly) {
    let a: &[&NttPoly; K] = a.first_chunk().expect("k polynomials");
    let b: &[NttPoly; K] = b.first_chunk().expect("k polynomials");
    let cache: &[MulCache; K] = cache.first_chunk().expect("k polynomials");
    for (i, out) in out.0.as_chunks_mut::<2>().0.iter_mut().enumerate() {
        let (mut even, mut odd) = (0, 0);
        for j in 0..K {
            let (a0, a1) = (i32::from(a[j].0[2 * i]), i32::from(a[j].0[2 * i + 1]));
            let (b0, b1) = (i32::from(b[j].0[2 * i]), i32::from(b[j].0[2 * i + 1]));
            let b1_gamma = i32::from(cache[j].0[2 * i + 1]);
            even += a0 * b0 + a1 * b1_gamma;
            odd += a0 * b1 + a1 * b0;
        }
        *out = [montgomery_reduce(even), montgomery_reduce(odd)];
    }
}

/// Adds a∘b (Algorithms 11 and 12) to `sum`, which may hold the sum of up to 4 products. 0 ≤ a < 4096 and
/// |b| ≤ 8q: each adds at most 2·4096·8q = q·R.
pub(crate) fn multiply_add(a: &NttPoly, b: &NttPoly, sum: &mut Sum) {
    assert_unsigned(&a.0, 4096);
    assert_bound(&b.0, 8 * Q32 + 1);
    let pairs = a.0.as_chunks::<2>().0.iter().zip(b.0.as_chunks::<2>().0).zip(&GAMMAS);
    for ([even, odd], ((a, b), &gamma)) in sum.0.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
        let b1_gamma = i32::from(montgomery_mul(b[1], gamma));
        let ([a0, a1], [b0, b1]) = (a.map(i32::from), b.map(i32::from));
        *even += a0 * b0 + a1 * b1_gamma;
        *odd += a0 * b1 + a1 * b0;
    }
}

/// R⁻¹ times a sum of up to 4 products by [`multiply_add`]: |out| < 4q + q/2.
pub(crate) fn reduce_sum(sum: &Sum, out: &mut NttPoly) {
    for (out, &sum) in out.0.iter_mut().zip(&sum.0) {
        *out = montgomery_reduce(sum);
    }
    assert_bound(&out.0, 9 * Q32 / 2 + 1);
}

/// R·t + e. |t| < 8q and |e| ≤ 8q give 0 ≤ t < q.
pub(crate) fn scale_add(t: &mut NttPoly, e: &NttPoly) {
    assert_bound(&t.0, 8 * Q32);
    assert_bound(&e.0, 8 * Q32 + 1);
    for (t, &e) in t.0.iter_mut().zip(&e.0) {
        *t = canonical(montgomery_mul(*t, R2) + e);
    }
    assert_unsigned(&t.0, Q32);
}

/// Any f gives 0 ≤ f < q.
pub(crate) fn reduce(f: &mut NttPoly) {
    for c in &mut f.0 {
        *c = canonical(*c);
    }
    assert_unsigned(&f.0, Q32);
}
