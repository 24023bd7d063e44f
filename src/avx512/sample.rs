//! SamplePolyCBD_η (FIPS 203 Algorithm 8), by adding bits in parallel.

use super::codec::spread_part;
use super::mem::{load, store};
use crate::poly::{Poly, assert_bound};
use core::arch::x86_64::*;

/// Byte i/2 of 16 to both halves of coefficient i's neighbours: 2 coefficients a byte.
static BYTES2: [u8; 64] = {
    let mut index = [0; 64];
    let mut i = 0;
    while i < 64 {
        index[i] = (i / 4) as u8;
        i += 1;
    }
    index
};

/// 32 coefficients from 16 bytes: x − y with x, y the sums of 2 bits each.
#[target_feature(enable = "avx512bw,avx512vbmi")]
pub(super) fn cbd2(bytes: &[u8; 128], out: &mut Poly) {
    let three = _mm512_set1_epi8(0x33);
    let five = _mm512_set1_epi8(0x55);
    for (out, bytes) in out.0.as_chunks_mut::<128>().0.iter_mut().zip(bytes.as_chunks().0) {
        let bits = load::<[u8; 64]>(bytes);
        let sums = _mm512_add_epi8(
            _mm512_and_si512(bits, five),
            _mm512_and_si512(_mm512_srli_epi16::<1>(bits), five),
        );
        // x + 3 − y in every half byte
        let y = _mm512_and_si512(_mm512_srli_epi16::<2>(sums), three);
        let x = _mm512_add_epi8(_mm512_and_si512(sums, three), three);
        let differences = _mm512_sub_epi8(x, y);
        for (i, out) in out.as_chunks_mut().0.iter_mut().enumerate() {
            let index = _mm512_add_epi8(load(&BYTES2), _mm512_set1_epi8(16 * i as i8));
            let pairs = _mm512_permutexvar_epi8(index, differences);
            let c = _mm512_srlv_epi16(pairs, _mm512_set1_epi32(4 << 16));
            let c = _mm512_and_si512(c, _mm512_set1_epi16(15));
            store::<[i16; 32]>(out, _mm512_sub_epi16(c, _mm512_set1_epi16(3)));
        }
    }
    assert_bound(&out.0, 3);
}

/// 3 bytes to each 64-bit element.
static BYTES3: [u8; 64] = {
    let mut index = [0; 64];
    let mut i = 0;
    while i < 64 {
        index[i] = (i / 8 * 3 + i % 8) as u8;
        i += 1;
    }
    index
};

/// 32 coefficients from 24 bytes: x − y with x, y the sums of 3 bits each.
#[target_feature(enable = "avx512bw,avx512vbmi")]
pub(super) fn cbd3(bytes: &[u8; 192], out: &mut Poly) {
    let third = _mm512_set1_epi64(0x0024_9249);
    // Where the 4 coefficients of an element have their x; y is 3 bits further.
    let x_at = _mm512_set1_epi64(0x3f12_3f0c_3f06_3f00);
    let y_at = _mm512_add_epi16(x_at, _mm512_set1_epi16(3));
    let seven = _mm512_set1_epi16(7);
    for (i, out) in out.0.as_chunks_mut().0.iter_mut().enumerate() {
        let bits = spread_part::<24>(&BYTES3, bytes, i);
        let sums = _mm512_add_epi64(
            _mm512_and_si512(bits, third),
            _mm512_and_si512(_mm512_srli_epi64::<1>(bits), third),
        );
        let sums = _mm512_add_epi64(sums, _mm512_and_si512(_mm512_srli_epi64::<2>(bits), third));
        let x = _mm512_and_si512(_mm512_multishift_epi64_epi8(x_at, sums), seven);
        let y = _mm512_and_si512(_mm512_multishift_epi64_epi8(y_at, sums), seven);
        store::<[i16; 32]>(out, _mm512_sub_epi16(x, y));
    }
    assert_bound(&out.0, 4);
}
