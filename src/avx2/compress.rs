//! Compress_d and Decompress_d (FIPS 203 §4.2.1) together with ByteEncode_d and ByteDecode_d.

use super::mem::{load, load_halves, store, store_half};
use super::ntt::{barrett_reduce, multiply_all};
use crate::params::Q;
use crate::poly::{Poly, Q32, assert_bound, assert_unsigned};
use crate::zetas::{BARRETT_V, Q_INV};
use core::arch::x86_64::*;

/// Compress_d for d ≤ 5. ⌊1024·x·(1 + ε)/q⌋ with ε < 2^-17 errs by less than ½·2^(10−d)/q, the least
/// distance of 1024·x/q from where the rounding to d bits changes, for |x| < 2q/3.
#[inline]
#[target_feature(enable = "avx2")]
fn compress_few<const D: u32>(x: __m256i) -> __m256i {
    let t = _mm256_mulhi_epi16(barrett_reduce(x), _mm256_set1_epi16(BARRETT_V));
    // (t + 2^(9−d)) / 2^(10−d)
    let rounded = _mm256_mulhrs_epi16(t, _mm256_set1_epi16(1 << (5 + D)));
    _mm256_and_si256(rounded, _mm256_set1_epi16((1 << D) - 1))
}

/// Compress_d for every x and d: with r = x·2ᵈ mod q in −q/2 < r < q/2, the quotient (x·2ᵈ − r)/q is
/// the product (x·2ᵈ − r)·q⁻¹ modulo 2¹⁶.
#[inline]
#[target_feature(enable = "avx2")]
fn compress_many<const D: i32>(x: __m256i) -> __m256i {
    let factor = const {
        let r = (1i64 << (16 + D)) % Q as i64;
        (if r > Q as i64 / 2 { r - Q as i64 } else { r }) as i16
    };
    let half = _mm256_set1_epi16(Q / 2);
    let r = multiply_all(x, factor);
    let n = _mm256_sub_epi16(_mm256_slli_epi16(x, D), r);
    let quotient = _mm256_mullo_epi16(n, _mm256_set1_epi16(Q_INV));
    // |r| < q: one too low where r > q/2, one too high where r < −q/2.
    let up = _mm256_cmpgt_epi16(r, half);
    let down = _mm256_cmpgt_epi16(_mm256_set1_epi16(-(Q / 2)), r);
    let rounded = _mm256_add_epi16(_mm256_sub_epi16(quotient, up), down);
    _mm256_and_si256(rounded, _mm256_set1_epi16((1 << D) - 1))
}

/// Joins pairs of fields: BITS bits of each even element of 32 and of the odd one above it, in 64.
#[inline]
#[target_feature(enable = "avx2")]
fn join_32<const BITS: i32>(v: __m256i) -> __m256i {
    let up = _mm256_set1_epi64x(32 - i64::from(BITS));
    let lifted = _mm256_sllv_epi32(v, up);
    match BITS {
        20 => _mm256_srli_epi64(lifted, 12),
        _ => _mm256_srli_epi64(lifted, 10),
    }
}

/// Stores 20 bytes, of which each half of `v` has 5 in every 64 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn store_fives(out: &mut [u8; 20], v: __m256i) {
    let gather = _mm256_setr_epi8(
        0, 1, 2, 3, 4, 8, 9, 10, 11, 12, -1, -1, -1, -1, -1, -1, //
        9, 10, 11, 12, -1, -1, -1, -1, -1, -1, 0, 1, 2, 3, 4, 8,
    );
    let bytes = _mm256_shuffle_epi8(v, gather);
    let (low, high) = (_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
    let (first, last) = out.split_first_chunk_mut().expect("20 bytes");
    store_half(first, _mm_blend_epi16(low, high, 0xe0));
    last.copy_from_slice(&_mm_cvtsi128_si32(high).to_le_bytes());
}

#[target_feature(enable = "avx2")]
pub(crate) fn compress(d: usize, f: &Poly, out: &mut [u8]) {
    assert_bound(&f.0, 4 * Q32);
    match d {
        4 => compress4(f, out),
        5 => compress5(f, out),
        10 => compress10(f, out),
        _ => compress11(f, out),
    }
}

/// 32 coefficients, as bytes in order but for the middle quarters, which have changed places.
#[inline]
#[target_feature(enable = "avx2")]
fn compress_bytes<const D: u32>(f: &Poly, i: usize) -> __m256i {
    let a = compress_few::<D>(load(&f.0, 2 * i));
    let b = compress_few::<D>(load(&f.0, 2 * i + 1));
    _mm256_packus_epi16(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn compress4(f: &Poly, out: &mut [u8]) {
    for (i, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let nibbles = compress_bytes::<4>(f, i);
        let bytes = _mm256_maddubs_epi16(nibbles, _mm256_set1_epi16(16 << 8 | 1));
        let packed = _mm256_packus_epi16(bytes, bytes);
        let order = _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5);
        let ordered = _mm256_permutevar8x32_epi32(packed, order);
        store_half(out, _mm256_castsi256_si128(ordered));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn compress5(f: &Poly, out: &mut [u8]) {
    for (i, out) in out.as_chunks_mut::<20>().0.iter_mut().enumerate() {
        let fives = _mm256_permute4x64_epi64(compress_bytes::<5>(f, i), 0xd8);
        let tens = _mm256_maddubs_epi16(fives, _mm256_set1_epi16(32 << 8 | 1));
        let twenties = _mm256_madd_epi16(tens, _mm256_set1_epi32(1024 << 16 | 1));
        store_fives(out, join_32::<20>(twenties));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn compress10(f: &Poly, out: &mut [u8]) {
    for (i, out) in out.as_chunks_mut::<20>().0.iter_mut().enumerate() {
        let tens = compress_many::<10>(load(&f.0, i));
        let twenties = _mm256_madd_epi16(tens, _mm256_set1_epi32(1024 << 16 | 1));
        store_fives(out, join_32::<20>(twenties));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn compress11(f: &Poly, out: &mut [u8]) {
    // 5 of the high half's 11 bytes behind the low half's 11, then the other 6.
    let gather = _mm256_setr_epi8(
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -1, -1, -1, -1, -1, //
        5, 6, 7, 8, 9, 10, -1, -1, -1, -1, -1, 0, 1, 2, 3, 4,
    );
    let behind = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1);
    for (i, out) in out.as_chunks_mut::<22>().0.iter_mut().enumerate() {
        let elevens = compress_many::<11>(load(&f.0, i));
        let pairs = _mm256_madd_epi16(elevens, _mm256_set1_epi32(2048 << 16 | 1));
        let fours = join_32::<22>(pairs);
        // 44 bits of the odd element of 64 behind the 44 of the even one.
        let odd = _mm256_slli_epi64(_mm256_bsrli_epi128(fours, 8), 44);
        let shift = _mm256_setr_epi64x(0, 20, 0, 20);
        let eights = _mm256_or_si256(_mm256_srlv_epi64(fours, shift), odd);
        let bytes = _mm256_shuffle_epi8(eights, gather);
        let (low, high) = (_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
        let (first, last) = out.split_first_chunk_mut().expect("22 bytes");
        store_half(first, _mm_blendv_epi8(low, high, behind));
        last.copy_from_slice(&_mm_cvtsi128_si64(high).to_le_bytes()[..6]);
    }
}

/// ⌊y·q/2ᵈ⌉ from y·2^(15−d).
#[inline]
#[target_feature(enable = "avx2")]
fn scale(y: __m256i) -> __m256i {
    _mm256_mulhrs_epi16(y, _mm256_set1_epi16(Q))
}

#[target_feature(enable = "avx2")]
pub(crate) fn decompress(d: usize, bytes: &[u8], out: &mut Poly) {
    match d {
        4 => decompress4(bytes, out),
        5 => decompress5(bytes, out),
        10 => decompress10(bytes, out),
        _ => decompress11(bytes, out),
    }
    assert_unsigned(&out.0, Q32);
}

#[inline]
#[target_feature(enable = "avx2")]
fn decompress4(bytes: &[u8], out: &mut Poly) {
    let spread = _mm256_setr_epi8(
        0, -1, 0, -1, 1, -1, 1, -1, 2, -1, 2, -1, 3, -1, 3, -1, //
        4, -1, 4, -1, 5, -1, 5, -1, 6, -1, 6, -1, 7, -1, 7, -1,
    );
    let mask = _mm256_set1_epi32(0x00f0_000f);
    let shift = _mm256_set1_epi32(1 << (7 + 16) | 1 << 11);
    for (i, bytes) in bytes.as_chunks::<8>().0.iter().enumerate() {
        let all = _mm256_set1_epi64x(i64::from_le_bytes(*bytes));
        let fields = _mm256_and_si256(_mm256_shuffle_epi8(all, spread), mask);
        store(&mut out.0, i, scale(_mm256_mullo_epi16(fields, shift)));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn decompress5(bytes: &[u8], out: &mut Poly) {
    // Field j of a half begins at bit 5·j; the high half's five bytes are 3 to 7 of its eight.
    let spread = _mm256_setr_epi8(
        0, 1, 0, 1, 1, 2, 1, 2, 2, 3, 3, 4, 3, 4, 4, 5, //
        3, 4, 3, 4, 4, 5, 4, 5, 5, 6, 6, 7, 6, 7, 7, 8,
    );
    let (mask, shift) = const {
        let (mut mask, mut shift) = ([0; 16], [0; 16]);
        let mut i = 0;
        while i < 16 {
            let offset = 5 * i % 8;
            mask[i] = 31 << offset;
            shift[i] = 1 << (10 - offset);
            i += 1;
        }
        (mask, shift)
    };
    let (mask, shift) = (super::mem::load_i16(&mask), super::mem::load_i16(&shift));
    for (i, bytes) in bytes.as_chunks::<10>().0.iter().enumerate() {
        let low = i64::from_le_bytes(*bytes.first_chunk().expect("10 bytes"));
        let high = i64::from_le_bytes(*bytes.last_chunk().expect("10 bytes"));
        let all = _mm256_set_m128i(_mm_cvtsi64_si128(high), _mm_cvtsi64_si128(low));
        let fields = _mm256_and_si256(_mm256_shuffle_epi8(all, spread), mask);
        store(&mut out.0, i, scale(_mm256_mullo_epi16(fields, shift)));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn decompress10(bytes: &[u8], out: &mut Poly) {
    // Field j of a half begins at bit 10·j; the high half's ten bytes end its 16.
    let spread = _mm256_setr_epi8(
        0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 6, 7, 7, 8, 8, 9, //
        6, 7, 7, 8, 8, 9, 9, 10, 11, 12, 12, 13, 13, 14, 14, 15,
    );
    let mask = _mm256_set1_epi64x(0xffc0_3ff0_0ffc_03ff_u64 as i64);
    let shift = _mm256_set1_epi64x(0x0001_0004_0010_0040);
    for (i, bytes) in bytes.as_chunks::<20>().0.iter().enumerate() {
        let words = _mm256_shuffle_epi8(load_halves(bytes, 0, 4), spread);
        let fields = _mm256_mullo_epi16(_mm256_and_si256(words, mask), shift);
        store(&mut out.0, i, scale(_mm256_srli_epi16(fields, 1)));
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn decompress11(bytes: &[u8], out: &mut Poly) {
    // Field j of a half begins at bit 11·j and covers up to three bytes: the first, in the high byte
    // of a word, and the other two. The high half's eleven bytes end its 16.
    let first = _mm256_setr_epi8(
        -1, 0, -1, 1, -1, 2, -1, 4, -1, 5, -1, 6, -1, 8, -1, 9, //
        -1, 5, -1, 6, -1, 7, -1, 9, -1, 10, -1, 11, -1, 13, -1, 14,
    );
    let others = _mm256_setr_epi8(
        1, 2, 2, 3, 3, 4, 5, 6, 6, 7, 7, 8, 9, 10, 10, 11, //
        6, 7, 7, 8, 8, 9, 10, 11, 11, 12, 12, 13, 14, 15, 15, -1,
    );
    // 2^(12 − offset)
    let shift = _mm256_broadcastsi128_si256(_mm_setr_epi16(
        1 << 12,
        1 << 9,
        1 << 6,
        1 << 11,
        1 << 8,
        1 << 5,
        1 << 10,
        1 << 7,
    ));
    for (i, bytes) in bytes.as_chunks::<22>().0.iter().enumerate() {
        let all = load_halves(bytes, 0, 6);
        let low = _mm256_mulhi_epu16(_mm256_shuffle_epi8(all, first), shift);
        let high = _mm256_mullo_epi16(_mm256_shuffle_epi8(all, others), shift);
        let fields = _mm256_and_si256(_mm256_or_si256(low, high), _mm256_set1_epi16(0x7ff0));
        store(&mut out.0, i, scale(fields));
    }
}

#[target_feature(enable = "avx2")]
pub(crate) fn compress1(f: &Poly, out: &mut [u8; 32]) {
    assert_bound(&f.0, 4 * Q32);
    for (i, out) in out.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let bits = _mm256_permute4x64_epi64(compress_bytes::<1>(f, i), 0xd8);
        *out = _mm256_movemask_epi8(_mm256_slli_epi16(bits, 7)).to_le_bytes();
    }
}

#[target_feature(enable = "avx2")]
pub(crate) fn decompress1(m: &[u8; 32], out: &mut Poly) {
    let bit = _mm256_setr_epi16(
        1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, -32768,
    );
    for (i, &bytes) in m.as_chunks::<2>().0.iter().enumerate() {
        let all = _mm256_set1_epi16(i16::from_le_bytes(bytes));
        let set = _mm256_cmpeq_epi16(_mm256_and_si256(all, bit), bit);
        store(&mut out.0, i, _mm256_and_si256(set, _mm256_set1_epi16((Q + 1) / 2)));
    }
}
