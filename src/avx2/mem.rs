//! Loads and stores of vectors, typed by what they touch: with them the kernels need no unsafe code.

#![allow(unsafe_code)]

use crate::params::N;
use core::arch::x86_64::*;

/// Coefficients 16·i to 16·i + 15.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load(f: &[i16; N], i: usize) -> __m256i {
    load_i16(&f.as_chunks::<16>().0[i])
}

/// Overwrites coefficients 16·i to 16·i + 15.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn store(f: &mut [i16; N], i: usize, v: __m256i) {
    let out = &mut f.as_chunks_mut::<16>().0[i];
    // SAFETY: an unaligned store of 32 bytes into an array of that size.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load_i16(v: &[i16; 16]) -> __m256i {
    // SAFETY: an unaligned load of 32 bytes from an array of that size.
    unsafe { _mm256_loadu_si256(v.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load_words(v: &[u64; 4]) -> __m256i {
    // SAFETY: an unaligned load of 32 bytes from an array of that size.
    unsafe { _mm256_loadu_si256(v.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load_bytes(v: &[u8; 32]) -> __m256i {
    // SAFETY: an unaligned load of 32 bytes from an array of that size.
    unsafe { _mm256_loadu_si256(v.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn store_bytes(out: &mut [u8; 32], v: __m256i) {
    // SAFETY: an unaligned store of 32 bytes into an array of that size.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load_half(v: &[u8; 16]) -> __m128i {
    // SAFETY: an unaligned load of 16 bytes from an array of that size.
    unsafe { _mm_loadu_si128(v.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn store_half(out: &mut [u8; 16], v: __m128i) {
    // SAFETY: an unaligned store of 16 bytes into an array of that size.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), v) }
}

#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn store_eight(out: &mut [i16; 8], v: __m128i) {
    // SAFETY: an unaligned store of 16 bytes into an array of that size.
    unsafe { _mm_storeu_si128(out.as_mut_ptr().cast(), v) }
}

/// 16 bytes from `low` on in the low half, 16 from `high` on in the high half.
#[inline]
#[target_feature(enable = "avx2")]
pub(crate) fn load_halves(bytes: &[u8], low: usize, high: usize) -> __m256i {
    let low = load_half(bytes[low..].first_chunk().expect("16 bytes"));
    let high = load_half(bytes[high..].first_chunk().expect("16 bytes"));
    _mm256_set_m128i(high, low)
}

/// The state's words, each of every lane.
#[inline(always)]
pub(crate) fn words(state: &[__m256i; 25]) -> &[[u64; 4]; 25] {
    // SAFETY: same size, no invalid bit patterns, and the vector type is the more aligned.
    unsafe { &*core::ptr::from_ref(state).cast() }
}
