//! The constants of the NTT, laid out for its registers.

use crate::params::N;
use crate::zetas::{GAMMAS, ZETAS, times_q_inv};

/// Coefficients in a register.
pub(super) const W: usize = 32;

/// Factors of a Montgomery product: z and z·q⁻¹ mod R.
#[repr(C, align(64))]
pub(super) struct Factors(pub(super) [i16; W], pub(super) [i16; W]);

impl Factors {
    const fn new(z: [i16; W]) -> Self {
        Self(z, times_q_inv(z))
    }
}

/// Which of a pair's 64 coefficients is in which slot of its two registers.
type Slots = [[usize; W]; 2];

/// Splits both registers, in units of `unit` slots, into even and odd runs of `len` slots.
const fn split(s: Slots, unit: usize, len: usize) -> Slots {
    let mut out = [[0; W]; 2];
    let mut i = 0;
    while i < W {
        // Where slot i's unit takes its runs from: first those of one register, then the other's.
        let run = i % unit / len;
        let (source, run) = (run / (unit / len / 2), run % (unit / len / 2));
        let from = i / unit * unit + 2 * run * len + i % len;
        out[0][i] = s[source][from];
        out[1][i] = s[source][from + len];
        i += 1;
    }
    out
}

/// The order for butterflies at distance 16, 8, 4 and 2. Must agree with the
/// shuffles in `ntt.rs`.
const ORDER: [Slots; 4] = {
    let mut s = [[0; W]; 2];
    let mut i = 0;
    while i < 2 * W {
        s[i / W][i % W] = i;
        i += 1;
    }
    let s16 = split(s, 32, 16);
    let s8 = split(s16, 32, 8);
    let s4 = split(s8, 8, 4);
    [s16, s8, s4, split(s4, 8, 2)]
};

/// Indices of the permutations of pairs of coefficients from the last order to the standard's, and back.
pub(super) static TO_STANDARD: [[u32; 16]; 2] = permutations().0;
pub(super) static FROM_STANDARD: [[u32; 16]; 2] = permutations().1;

const fn permutations() -> ([[u32; 16]; 2], [[u32; 16]; 2]) {
    let (mut to, mut from) = ([[0; 16]; 2], [[0; 16]; 2]);
    let mut i = 0;
    while i < 32 {
        let pair = ORDER[3][i / 16][2 * (i % 16)] / 2;
        from[i / 16][i % 16] = pair as u32;
        to[pair / 16][pair % 16] = i as u32;
        i += 1;
    }
    (to, from)
}

/// Factors of the butterflies at distance 16, 8, 4 and 2 for each pair of registers.
pub(super) static FORWARD: [[Factors; 4]; 4] = factors_of_layers(false);
pub(super) static INVERSE: [[Factors; 4]; 4] = factors_of_layers(true);

const fn factors_of_layers(inverse: bool) -> [[Factors; 4]; 4] {
    [
        factors_of_layer(0, inverse),
        factors_of_layer(1, inverse),
        factors_of_layer(2, inverse),
        factors_of_layer(3, inverse),
    ]
}

const fn factors_of_layer(layer: usize, inverse: bool) -> [Factors; 4] {
    let mut z = [[0; W]; 4];
    let len = 16 >> layer;
    let blocks = N / (2 * len);
    let mut i = 0;
    while i < 4 * W {
        let block = (i / W * 2 * W + ORDER[layer][0][i % W]) / (2 * len);
        z[i / W][i % W] = ZETAS[if inverse { 2 * blocks - 1 - block } else { blocks + block }];
        i += 1;
    }
    [Factors::new(z[0]), Factors::new(z[1]), Factors::new(z[2]), Factors::new(z[3])]
}

/// γᵢ in the odd coefficients.
pub(super) static GAMMA: [Factors; 8] = {
    const fn part(r: usize) -> Factors {
        let mut z = [0; W];
        let mut i = 0;
        while i < W / 2 {
            z[2 * i + 1] = GAMMAS[r * W / 2 + i];
            i += 1;
        }
        Factors::new(z)
    }
    [part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7)]
};
