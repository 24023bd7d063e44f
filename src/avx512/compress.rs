//! Compress_d and Decompress_d (FIPS 203 §4.2.1) together with ByteEncode_d and ByteDecode_d.

use super::codec::spread_part;
use super::mem::{load, store, store_bytes};
use crate::avx2::compress as avx2;
use crate::params::Q;
use crate::poly::{Poly, Q32, assert_bound, assert_unsigned};
use core::arch::x86_64::*;

#[target_feature(enable = "avx2,avx512bw,avx512vbmi")]
pub(super) fn compress(d: usize, f: &Poly, out: &mut [u8]) {
    assert_bound(&f.0, 4 * Q32);
    match d {
        10 => pack::<10, 40>(f, out),
        11 => pack::<11, 44>(f, out),
        // So short that stores under a mask take longer than the rest.
        _ => avx2::compress(d, f, out),
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi")]
pub(super) fn decompress(d: usize, bytes: &[u8], out: &mut Poly) {
    match d {
        4 => unpack::<4, 16>(bytes, out),
        5 => unpack::<5, 20>(bytes, out),
        10 => unpack::<10, 40>(bytes, out),
        _ => unpack::<11, 44>(bytes, out),
    }
    assert_unsigned(&out.0, Q32);
}

/// Compress_d but for the reduction modulo 2ᵈ, for |f| < 4q: t = ⌊f·c/2¹⁶⌋ with c close to 2¹⁶⁺ᵈ/q is
/// ⌊2ᵈ·f/q⌋ or next to it, so that 2ᵈ·f − t·q, known modulo 2¹⁶, tells whether to round up.
#[inline]
#[target_feature(enable = "avx512bw")]
fn compress_coefficients<const D: u32>(f: __m512i) -> __m512i {
    // From d = 11 on c does not fit into an i16; 2·f does.
    let (f, d) = if D > 10 { (_mm512_add_epi16(f, f), D - 1) } else { (f, D) };
    let c = ((1 << (16 + d)) + Q32 / 2) / Q32;
    let t = _mm512_mulhi_epi16(f, _mm512_set1_epi16(c as i16));
    let rest = _mm512_sub_epi16(
        _mm512_sll_epi16(f, _mm_cvtsi32_si128(d as i32)),
        _mm512_mullo_epi16(t, _mm512_set1_epi16(Q)),
    );
    let up = _mm512_cmpgt_epi16_mask(rest, _mm512_set1_epi16(Q / 2));
    _mm512_mask_add_epi16(t, up, t, _mm512_set1_epi16(1))
}

/// `out` of each 64-bit element's lowest 4·d bits: the bytes that one element fills alone or first, and
/// the bytes that the next one completes. In every other element the bits start at bit 4 if 4·d is not a
/// multiple of 8.
const fn close_indices(d: usize) -> ([u8; 64], [u8; 64], u64) {
    let (mut index, mut shared) = ([0; 64], [0; 64]);
    let mut mask = 0;
    let mut i = 0;
    while i < 4 * d {
        let element = 8 * i / (4 * d);
        let byte = i - element * 4 * d / 8;
        index[i] = (8 * element + byte) as u8;
        if (8 * i + 7) / (4 * d) > element {
            shared[i] = (8 * element + 8) as u8;
            mask |= 1 << i;
        }
        i += 1;
    }
    (index, shared, mask)
}

/// 32 coefficients of D bits fill BYTES bytes.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi")]
fn pack<const D: u32, const BYTES: usize>(f: &Poly, out: &mut [u8]) {
    let (index, shared, mask) = const { close_indices(D as usize) };
    let (index, shared) = (load(&index), load(&shared));
    for (out, f) in out.as_chunks_mut().0.iter_mut().zip(f.0.as_chunks().0) {
        let f = compress_coefficients::<D>(load::<[i16; 32]>(f));
        let f = _mm512_and_si512(f, _mm512_set1_epi16((1 << D) - 1));
        // 2, then 4 coefficients side by side
        let f = _mm512_madd_epi16(f, _mm512_set1_epi32((1 << (16 + D)) + 1));
        let f = _mm512_sllv_epi32(f, _mm512_set1_epi64(32 - 2 * i64::from(D)));
        let f = _mm512_srl_epi64(f, _mm_cvtsi32_si128(32 - 2 * D as i32));
        let bytes = if mask == 0 {
            _mm512_permutexvar_epi8(index, f)
        } else {
            let f = _mm512_sllv_epi64(f, _mm512_setr_epi64(0, 4, 0, 4, 0, 4, 0, 4));
            _mm512_or_si512(
                _mm512_permutexvar_epi8(index, f),
                _mm512_maskz_permutexvar_epi8(mask, shared, f),
            )
        };
        store_bytes::<BYTES>(out, bytes);
    }
}

/// The 8 bytes in which 4 coefficients lie, for each 64-bit element.
const fn spread(d: usize) -> [u8; 64] {
    let mut index = [0; 64];
    let mut i = 0;
    while i < 64 {
        index[i] = (i / 8 * 4 * d / 8 + i % 8) as u8;
        i += 1;
    }
    index
}

/// Bit offsets that bring the d bits of a coefficient below the top bit of its 16.
const fn shifts(d: usize) -> [u8; 64] {
    let mut shift = [0; 64];
    let mut i = 0;
    while i < 64 {
        let bit = i / 8 * 4 * d % 8 + i / 2 % 4 * d;
        shift[i] = ((64 + bit + d + 8 * (i % 2) - 15) % 64) as u8;
        i += 1;
    }
    shift
}

#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi")]
fn unpack<const D: u32, const BYTES: usize>(bytes: &[u8], out: &mut Poly) {
    let bytes = &bytes[..8 * BYTES];
    let shifts = load(const { &shifts(D as usize) });
    for (i, out) in out.0.as_chunks_mut().0.iter_mut().enumerate() {
        let y = spread_part::<BYTES>(const { &spread(D as usize) }, bytes, i);
        let y = _mm512_multishift_epi64_epi8(shifts, y);
        let y = _mm512_and_si512(y, _mm512_set1_epi16(((1 << D) - 1) << (15 - D)));
        // ⌊2¹⁵⁻ᵈ·y·q/2¹⁵⌉
        store::<[i16; 32]>(out, _mm512_mulhrs_epi16(y, _mm512_set1_epi16(Q)));
    }
}

#[target_feature(enable = "avx512bw")]
pub(super) fn compress1(f: &Poly, out: &mut [u8; 32]) {
    assert_bound(&f.0, 4 * Q32);
    for (out, f) in out.as_chunks_mut().0.iter_mut().zip(f.0.as_chunks().0) {
        let f = compress_coefficients::<1>(load::<[i16; 32]>(f));
        *out = _mm512_test_epi16_mask(f, _mm512_set1_epi16(1)).to_le_bytes();
    }
}

#[target_feature(enable = "avx512bw")]
pub(super) fn decompress1(m: &[u8; 32], out: &mut Poly) {
    for (out, m) in out.0.as_chunks_mut().0.iter_mut().zip(m.as_chunks().0) {
        let bits = u32::from_le_bytes(*m);
        store::<[i16; 32]>(out, _mm512_maskz_set1_epi16(bits, (Q + 1) / 2));
    }
}
