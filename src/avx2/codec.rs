//! ByteEncode₁₂ and ByteDecode₁₂ (FIPS 203 Algorithms 5 and 6), 16 coefficients or 24 bytes at a time.

use super::mem::{load, load_halves, store, store_bytes, store_half};
use crate::params::{POLY_BYTES, Q};
use crate::poly::{NttPoly, Q32, assert_unsigned};
use core::arch::x86_64::*;

/// 0 ≤ f < q.
#[target_feature(enable = "avx2")]
pub(crate) fn encode12(f: &NttPoly, out: &mut [u8; POLY_BYTES]) {
    assert_unsigned(&f.0, Q32);
    // The low three bytes of every four, and the two halves' 12 bytes side by side.
    let three = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1,
    ));
    let join = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
    for i in 0..16 {
        let pairs = _mm256_madd_epi16(load(&f.0, i), _mm256_set1_epi32(4096 << 16 | 1));
        let bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(pairs, three), join);
        let out = &mut out[24 * i..];
        if let Some(out) = out.first_chunk_mut() {
            // The next vector overwrites what is too much.
            store_bytes(out, bytes);
        } else {
            store_half(out.first_chunk_mut().expect("24 bytes"), _mm256_castsi256_si128(bytes));
            let last = _mm256_extract_epi64(bytes, 2);
            out[16..].copy_from_slice(&last.to_le_bytes());
        }
    }
}

/// 16 fields of 12 bits, of which 12 bytes begin the low half of `bytes` and 12 end the high half.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn unpack12(bytes: __m256i) -> __m256i {
    let spread = _mm256_setr_epi8(
        0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11, //
        4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11, 12, 13, 14, 14, 15,
    );
    let words = _mm256_shuffle_epi8(bytes, spread);
    let even = _mm256_and_si256(words, _mm256_set1_epi16(0xfff));
    _mm256_blend_epi16(even, _mm256_srli_epi16(words, 4), 0xaa)
}

/// 0 ≤ out < 4096; true if all are below q.
#[target_feature(enable = "avx2")]
pub(crate) fn decode12(bytes: &[u8; POLY_BYTES], out: &mut NttPoly) -> bool {
    // Gathered without a branch: half of the polynomials decoded are secret.
    let mut above = _mm256_setzero_si256();
    for i in 0..16 {
        let c = unpack12(load_halves(bytes, 24 * i, 24 * i + 8));
        above = _mm256_or_si256(above, _mm256_cmpgt_epi16(c, _mm256_set1_epi16(Q - 1)));
        store(&mut out.0, i, c);
    }
    _mm256_movemask_epi8(above) == 0
}
