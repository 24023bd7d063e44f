//! SamplePolyCBD_η (FIPS 203 Algorithm 8), by adding bits in parallel: no look-up, no branch.

use crate::poly::{Poly, assert_bound};

/// 8 coefficients from 4 bytes: x − y with x, y the sums of 2 bits each.
pub(crate) fn cbd2(bytes: &[u8; 128], out: &mut Poly) {
    const ODD: u32 = 0x5555_5555;
    for (chunk, bytes) in out.0.as_chunks_mut::<8>().0.iter_mut().zip(bytes.as_chunks::<4>().0) {
        let bits = u32::from_le_bytes(*bytes);
        let sums = (bits & ODD) + (bits >> 1 & ODD);
        for (i, c) in chunk.iter_mut().enumerate() {
            let x = (sums >> (4 * i)) & 3;
            let y = (sums >> (4 * i + 2)) & 3;
            *c = x as i16 - y as i16;
        }
    }
    assert_bound(&out.0, 3);
}

/// 4 coefficients from 3 bytes: x − y with x, y the sums of 3 bits each.
pub(crate) fn cbd3(bytes: &[u8; 192], out: &mut Poly) {
    const THIRD: u32 = 0x0024_9249;
    for (chunk, bytes) in out.0.as_chunks_mut::<4>().0.iter_mut().zip(bytes.as_chunks::<3>().0) {
        let bits = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0]);
        let sums = (bits & THIRD) + (bits >> 1 & THIRD) + (bits >> 2 & THIRD);
        for (i, c) in chunk.iter_mut().enumerate() {
            let x = (sums >> (6 * i)) & 7;
            let y = (sums >> (6 * i + 3)) & 7;
            *c = x as i16 - y as i16;
        }
    }
    assert_bound(&out.0, 4);
}
