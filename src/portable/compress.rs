//! Compress_d and Decompress_d (FIPS 203 §4.2.1) together with ByteEncode_d and ByteDecode_d.

use super::ntt::canonical;
use crate::params::Q;
use crate::poly::{Poly, Q32, assert_bound, assert_unsigned};

/// Compress_d for d = DIVISOR's argument. A division by q could be compiled into an instruction whose
/// time depends on the dividend, so it is a multiplication by ⌈2³⁴/q⌉, exact here: for n = x·2ᵈ + ⌊q/2⌋
/// < 2²³ the excess n·(⌈2³⁴/q⌉ − 2³⁴/q) stays below 2³⁴/q.
#[inline(always)]
pub(crate) const fn compress_coefficient(d: usize, x: i16) -> u16 {
    const RECIPROCAL: u64 = (1u64 << 34).div_ceil(Q as u64);
    let n = ((x as u32) << d) + Q as u32 / 2;
    ((n as u64 * RECIPROCAL) >> 34) as u16 & ((1 << d) - 1)
}

/// Decompress_d: ⌊y·q/2ᵈ⌉.
#[inline(always)]
pub(crate) const fn decompress_coefficient(d: usize, y: u16) -> i16 {
    ((y as u32 * Q as u32 + (1 << (d - 1))) >> d) as i16
}

pub(crate) fn compress(d: usize, f: &Poly, out: &mut [u8]) {
    assert_bound(&f.0, 4 * Q32);
    match d {
        4 => pack::<4, 2, 1>(f, out),
        5 => pack::<5, 8, 5>(f, out),
        10 => pack::<10, 4, 5>(f, out),
        _ => pack::<11, 8, 11>(f, out),
    }
}

pub(crate) fn decompress(d: usize, bytes: &[u8], out: &mut Poly) {
    match d {
        4 => unpack::<4, 2, 1>(bytes, out),
        5 => unpack::<5, 8, 5>(bytes, out),
        10 => unpack::<10, 4, 5>(bytes, out),
        _ => unpack::<11, 8, 11>(bytes, out),
    }
    assert_unsigned(&out.0, Q32);
}

/// COUNT coefficients of D bits fill BYTES bytes.
#[inline(always)]
fn pack<const D: usize, const COUNT: usize, const BYTES: usize>(f: &Poly, out: &mut [u8]) {
    let chunks = f.0.as_chunks::<COUNT>().0;
    for (bytes, chunk) in out.as_chunks_mut::<BYTES>().0.iter_mut().zip(chunks) {
        let mut bits = 0u128;
        for (i, &c) in chunk.iter().enumerate() {
            bits |= u128::from(compress_coefficient(D, canonical(c))) << (D * i);
        }
        bytes.copy_from_slice(&bits.to_le_bytes()[..BYTES]);
    }
}

#[inline(always)]
fn unpack<const D: usize, const COUNT: usize, const BYTES: usize>(bytes: &[u8], out: &mut Poly) {
    let chunks = out.0.as_chunks_mut::<COUNT>().0;
    for (chunk, bytes) in chunks.iter_mut().zip(bytes.as_chunks::<BYTES>().0) {
        let mut bits = [0; 16];
        bits[..BYTES].copy_from_slice(bytes);
        let bits = u128::from_le_bytes(bits);
        for (i, c) in chunk.iter_mut().enumerate() {
            *c = decompress_coefficient(D, (bits >> (D * i)) as u16 & ((1 << D) - 1));
        }
    }
}

pub(crate) fn compress1(f: &Poly, out: &mut [u8; 32]) {
    assert_bound(&f.0, 4 * Q32);
    for (byte, chunk) in out.iter_mut().zip(f.0.as_chunks::<8>().0) {
        *byte = 0;
        for (i, &c) in chunk.iter().enumerate() {
            // |c| > q/4 for the centred representative: the sign of q/4 − |c|.
            let c = super::ntt::barrett_reduce(c);
            let magnitude = (c ^ (c >> 15)) - (c >> 15);
            *byte |= (((Q / 4 - magnitude) >> 15) as u8 & 1) << i;
        }
    }
}

pub(crate) fn decompress1(m: &[u8; 32], out: &mut Poly) {
    for (&byte, chunk) in m.iter().zip(out.0.as_chunks_mut::<8>().0) {
        // A compiler that sees 0 or 1 may branch on it.
        let byte = i16::from(core::hint::black_box(byte));
        for (i, c) in chunk.iter_mut().enumerate() {
            *c = -((byte >> i) & 1) & ((Q + 1) / 2);
        }
    }
}
