//! ByteDecode₁₂ (FIPS 203 Algorithm 6). ByteEncode₁₂ is AVX2's.

use super::mem::{load, store};
use crate::params::{POLY_BYTES, Q};
use crate::poly::NttPoly;
use core::arch::x86_64::*;

/// Bytes of 32 coefficients.
const LEN: usize = 48;

/// The 2 bytes that a coefficient has a part in.
static SPREAD: [u8; 64] = spread();

/// Also for rejection sampling, whose candidates have this form.
pub(super) const fn spread() -> [u8; 64] {
    let mut index = [0; 64];
    let mut i = 0;
    while i < 64 {
        index[i] = (i / 4 * 3 + i % 4 - i % 4 / 2) as u8;
        i += 1;
    }
    index
}

/// 12-bit numbers from the 2 bytes that each has a part in.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn twelve_bits(bytes: __m512i) -> __m512i {
    let shifted = _mm512_srlv_epi16(bytes, _mm512_set1_epi32(4 << 16));
    _mm512_and_si512(shifted, _mm512_set1_epi16(0xfff))
}

/// The bytes of part i of LEN bytes where `index` wants them. Loads 64 bytes that the part lies in: the
/// compiler turns a load under a mask of whole words into an expansion, which is slow.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi")]
pub(super) fn spread_part<const LEN: usize>(index: &[u8; 64], bytes: &[u8], i: usize) -> __m512i {
    let at = (LEN * i).min(bytes.len() - 64);
    let index = _mm512_add_epi8(load(index), _mm512_set1_epi8((LEN * i - at) as i8));
    let bytes: &[u8; 64] = bytes[at..].first_chunk().expect("64 bytes");
    _mm512_permutexvar_epi8(index, load(bytes))
}

/// 0 ≤ out < 4096; true if all are below q.
#[target_feature(enable = "avx512bw,avx512vbmi")]
pub(super) fn decode12(bytes: &[u8; POLY_BYTES], out: &mut NttPoly) -> bool {
    let mut max = _mm512_setzero_si512();
    for (i, out) in out.0.as_chunks_mut().0.iter_mut().enumerate() {
        let f = twelve_bits(spread_part::<LEN>(&SPREAD, bytes, i));
        max = _mm512_max_epu16(max, f);
        store::<[i16; 32]>(out, f);
    }
    // One comparison after all: half of the polynomials decoded are secret.
    _mm512_cmpge_epu16_mask(max, _mm512_set1_epi16(Q)) == 0
}
