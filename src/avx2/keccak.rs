//! Keccak-f[1600] on one state with BMI and on four states with AVX2.

use crate::keccak::{AlignedFrame, permute_by_rows};
use crate::portable::keccak as portable;
use core::arch::x86_64::*;
use core::hint::black_box;

#[target_feature(enable = "avx2")]
#[inline]
fn xor(a: __m256i, b: __m256i) -> __m256i {
    _mm256_xor_si256(a, b)
}

#[target_feature(enable = "avx2")]
#[inline]
fn xor3(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(xor(a, b), c)
}

#[target_feature(enable = "avx2")]
#[inline]
fn chi(a: __m256i, b: __m256i, c: __m256i) -> __m256i {
    xor(a, _mm256_andnot_si256(b, c))
}

/// Whole bytes take the shuffle port and leave the two shift ports to the rest.
#[target_feature(enable = "avx2")]
#[inline]
fn rotl<const N: u32>(a: __m256i) -> __m256i {
    let bytes = |low, high| _mm256_shuffle_epi8(a, _mm256_set_epi64x(high, low, high, low));
    match N {
        0 => a,
        8 => bytes(0x0605_0403_0201_0007, 0x0e0d_0c0b_0a09_080f),
        56 => bytes(0x0007_0605_0403_0201, 0x080f_0e0d_0c0b_0a09),
        _ => _mm256_or_si256(
            _mm256_sll_epi64(a, _mm_cvtsi32_si128(N as i32)),
            _mm256_srl_epi64(a, _mm_cvtsi32_si128(64 - N as i32)),
        ),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn iota(a: __m256i, rc: u64) -> __m256i {
    xor(a, _mm256_set1_epi64x(rc as i64))
}

/// Keccak-f[1600].
#[target_feature(enable = "bmi1,bmi2,avx2")]
pub(crate) fn permute(state: &mut [u64; 25]) {
    portable::permute_inline(state);
}

/// Keccak-f[1600] on four states; element i holds lane i of each.
#[target_feature(enable = "avx2")]
pub(crate) fn permute4(state: &mut [__m256i; 25]) {
    black_box(&mut AlignedFrame);
    permute_by_rows!(state);
}
