//! ByteEncode₁₂ and ByteDecode₁₂ (FIPS 203 Algorithms 5 and 6).

use crate::params::{POLY_BYTES, Q};
use crate::poly::{NttPoly, Q32, assert_unsigned};

/// 0 ≤ f < q.
pub(crate) fn encode12(f: &NttPoly, out: &mut [u8; POLY_BYTES]) {
    assert_unsigned(&f.0, Q32);
    for (bytes, pair) in out.as_chunks_mut::<3>().0.iter_mut().zip(f.0.as_chunks::<2>().0) {
        let (a, b) = (pair[0] as u16, pair[1] as u16);
        *bytes = [a as u8, (a >> 8 | b << 4) as u8, (b >> 4) as u8];
    }
}

/// 0 ≤ out < 4096; true if all are below q.
pub(crate) fn decode12(bytes: &[u8; POLY_BYTES], out: &mut NttPoly) -> bool {
    // The sign of q − 1 − c, gathered without a branch: half of the polynomials decoded are secret.
    let mut above = 0;
    for (pair, bytes) in out.0.as_chunks_mut::<2>().0.iter_mut().zip(bytes.as_chunks::<3>().0) {
        let [b0, b1, b2] = bytes.map(i16::from);
        *pair = [b0 | (b1 & 15) << 8, b1 >> 4 | b2 << 4];
        above |= (Q - 1 - pair[0]) | (Q - 1 - pair[1]);
    }
    above >= 0
}
