//! SamplePolyCBD_η (FIPS 203 Algorithm 8), by adding bits in parallel: no look-up, no branch.

use super::mem::{load_bytes, load_halves, store};
use crate::poly::{Poly, assert_bound};
use core::arch::x86_64::*;

/// 64 coefficients from 32 bytes: x − y with x, y the sums of 2 bits each.
#[target_feature(enable = "avx2")]
pub(crate) fn cbd2(bytes: &[u8; 128], out: &mut Poly) {
    let odd = _mm256_set1_epi8(0x55);
    let two = _mm256_set1_epi8(0x33);
    let nibble = _mm256_set1_epi8(0x0f);
    let three = _mm256_set1_epi8(3);
    for (i, bytes) in bytes.as_chunks::<32>().0.iter().enumerate() {
        let f = load_bytes(bytes);
        let sums = _mm256_add_epi8(
            _mm256_and_si256(f, odd),
            _mm256_and_si256(_mm256_srli_epi16(f, 1), odd),
        );
        let x = _mm256_and_si256(sums, two);
        let y = _mm256_and_si256(_mm256_srli_epi16(sums, 2), two);
        // x − y + 3 in every nibble.
        let d = _mm256_sub_epi8(_mm256_add_epi8(x, two), y);
        let even = _mm256_sub_epi8(_mm256_and_si256(d, nibble), three);
        let odd = _mm256_sub_epi8(_mm256_and_si256(_mm256_srli_epi16(d, 4), nibble), three);
        let low = _mm256_unpacklo_epi8(even, odd);
        let high = _mm256_unpackhi_epi8(even, odd);
        store(&mut out.0, 4 * i, _mm256_cvtepi8_epi16(_mm256_castsi256_si128(low)));
        store(&mut out.0, 4 * i + 1, _mm256_cvtepi8_epi16(_mm256_castsi256_si128(high)));
        store(&mut out.0, 4 * i + 2, _mm256_cvtepi8_epi16(_mm256_extracti128_si256(low, 1)));
        store(&mut out.0, 4 * i + 3, _mm256_cvtepi8_epi16(_mm256_extracti128_si256(high, 1)));
    }
    assert_bound(&out.0, 3);
}

/// 32 coefficients from 24 bytes: x − y with x, y the sums of 3 bits each.
#[target_feature(enable = "avx2")]
pub(crate) fn cbd3(bytes: &[u8; 192], out: &mut Poly) {
    // Three bytes in each element of 32 bits; the high half's 12 end its 16.
    let spread = _mm256_setr_epi8(
        0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, //
        4, 5, 6, -1, 7, 8, 9, -1, 10, 11, 12, -1, 13, 14, 15, -1,
    );
    let third = _mm256_set1_epi32(0x0024_9249);
    let field = _mm256_set1_epi32(0x001c_71c7);
    let low = _mm256_set1_epi32(0x3f);
    let high = _mm256_set1_epi32(0x3f << 16);
    let three = _mm256_set1_epi16(3);
    for i in 0..8 {
        let f = _mm256_shuffle_epi8(load_halves(bytes, 24 * i, 24 * i + 8), spread);
        let sums = _mm256_add_epi32(
            _mm256_add_epi32(
                _mm256_and_si256(f, third),
                _mm256_and_si256(_mm256_srli_epi32(f, 1), third),
            ),
            _mm256_and_si256(_mm256_srli_epi32(f, 2), third),
        );
        let x = _mm256_and_si256(sums, field);
        let y = _mm256_and_si256(_mm256_srli_epi32(sums, 3), field);
        // x − y + 3 in every 6 bits.
        let d = _mm256_sub_epi32(_mm256_add_epi32(x, _mm256_set1_epi32(0x000c_30c3)), y);
        let first = _mm256_or_si256(
            _mm256_and_si256(d, low),
            _mm256_and_si256(_mm256_slli_epi32(d, 10), high),
        );
        let second = _mm256_or_si256(
            _mm256_and_si256(_mm256_srli_epi32(d, 12), low),
            _mm256_and_si256(_mm256_srli_epi32(d, 2), high),
        );
        let a = _mm256_sub_epi16(_mm256_unpacklo_epi32(first, second), three);
        let b = _mm256_sub_epi16(_mm256_unpackhi_epi32(first, second), three);
        store(&mut out.0, 2 * i, _mm256_permute2x128_si256(a, b, 0x20));
        store(&mut out.0, 2 * i + 1, _mm256_permute2x128_si256(a, b, 0x31));
    }
    assert_bound(&out.0, 4);
}
