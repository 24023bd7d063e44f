//! Encoding and compression against bit strings and exact rounding, for every value at every d.

use super::{TestRng, backend_test};
use crate::params::Q;
use crate::poly::{NttPoly, Poly};
use std::vec;
use std::vec::Vec;

/// ByteEncode_d by its definition: bit i of coefficient j is bit j·d + i.
fn encode(d: usize, f: &[u16; 256]) -> Vec<u8> {
    let mut out = vec![0; 32 * d];
    for (j, &c) in f.iter().enumerate() {
        for i in 0..d {
            let bit = j * d + i;
            out[bit / 8] |= ((c >> i & 1) as u8) << (bit % 8);
        }
    }
    out
}

/// ⌊2ᵈ·x/q⌉ mod 2ᵈ in exact arithmetic.
fn compress(d: usize, x: i16) -> u16 {
    let x = i64::from(x).rem_euclid(Q.into());
    (((x << (d + 1)) + i64::from(Q)) / (2 * i64::from(Q)) % (1 << d)) as u16
}

/// ⌊q·y/2ᵈ⌉ in exact arithmetic.
fn decompress(d: usize, y: u16) -> i16 {
    ((2 * i64::from(y) * i64::from(Q) + (1 << d)) >> (d + 1)) as i16
}

/// Polynomials that hold every input of −4q < x < 4q at some position, then random ones.
fn inputs() -> Vec<[i16; 256]> {
    let bound = 4 * i32::from(Q);
    let mut out: Vec<_> = (1 - bound..bound)
        .step_by(256)
        .map(|base| core::array::from_fn(|i| (base + i as i32).min(bound - 1) as i16))
        .collect();
    let mut rng = TestRng(21);
    out.extend((0..200).map(|_| rng.signed(bound)));
    out
}

backend_test! {
    fn compress_every_input_at_every_d<B>(b) {
        for f in inputs() {
            for d in [4, 5, 10, 11] {
                let mut out = vec![0; 32 * d];
                b.compress(d, &Poly(f), &mut out);
                assert_eq!(out, encode(d, &f.map(|x| compress(d, x))), "d = {d}");
            }
            let mut out = [0; 32];
            b.compress1(&Poly(f), &mut out);
            assert_eq!(out[..], encode(1, &f.map(|x| compress(1, x))), "d = 1");
        }
    }
}

backend_test! {
    fn decompress_every_input_at_every_d<B>(b) {
        let mut rng = TestRng(22);
        for round in 0..200u16 {
            // The first rounds go through all values, each at a position that moves.
            let values: [u16; 256] = core::array::from_fn(|i| {
                if round < 64 { (round * 32 + (i as u16 * 17) % 256 + round / 8) % 2048 } else { rng.next() as u16 }
            });
            for d in [4, 5, 10, 11] {
                let y = values.map(|v| v % (1 << d));
                let mut out = Poly::ZERO;
                b.decompress(d, &encode(d, &y), &mut out);
                assert_eq!(out.0, y.map(|y| decompress(d, y)), "d = {d}");
            }
            let bits = values.map(|v| v & 1);
            let mut out = Poly::ZERO;
            b.decompress1(encode(1, &bits).as_slice().try_into().unwrap(), &mut out);
            assert_eq!(out.0, bits.map(|y| decompress(1, y)), "d = 1");
        }
        for d in [4usize, 5, 10, 11] {
            for base in (0..1u16 << d).step_by(256) {
                let y: [u16; 256] = core::array::from_fn(|i| (base + i as u16) % (1 << d));
                let mut out = Poly::ZERO;
                b.decompress(d, &encode(d, &y), &mut out);
                assert_eq!(out.0, y.map(|y| decompress(d, y)), "d = {d}");
            }
        }
    }
}

backend_test! {
    fn twelve_bits<B>(b) {
        let mut rng = TestRng(23);
        for round in 0..100 {
            let f = if round < 13 {
                core::array::from_fn(|i| ((256 * round + i) % Q as usize) as i16)
            } else {
                rng.unsigned(Q.into())
            };
            let mut bytes = [0; 384];
            b.encode12(&NttPoly(f), &mut bytes);
            assert_eq!(bytes[..], encode(12, &f.map(|c| c as u16)));
            let mut back = NttPoly::ZERO;
            assert!(b.decode12(&bytes, &mut back));
            assert_eq!(back.0, f);
        }
        // One coefficient of q or more, at every position.
        for value in [Q as u16, Q as u16 + 1, 3333, 4095] {
            for position in 0..256 {
                let mut f = [Q as u16 - 1; 256];
                f[position] = value;
                let bytes = encode(12, &f);
                let mut out = NttPoly::ZERO;
                assert!(!b.decode12(bytes.as_slice().try_into().unwrap(), &mut out));
                assert_eq!(out.0, f.map(|c| c as i16));
            }
        }
    }
}
