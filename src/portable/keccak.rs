//! The permutation on one state of 64-bit words.

use crate::keccak::ROUND_CONSTANTS;

/// Rotations of ρ, indexed 5y + x like the state.
const RHO: [u32; 25] =
    [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

pub(crate) fn permute(state: &mut [u64; 25]) {
    let mut a = *state;
    for rc in ROUND_CONSTANTS {
        let c: [u64; 5] =
            core::array::from_fn(|x| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
        let d: [u64; 5] = core::array::from_fn(|x| c[(x + 4) % 5] ^ c[(x + 1) % 5].rotate_left(1));
        let mut b = [0; 25];
        for y in 0..5 {
            for x in 0..5 {
                b[5 * ((2 * x + 3 * y) % 5) + y] =
                    (a[5 * y + x] ^ d[x]).rotate_left(RHO[5 * y + x]);
            }
        }
        for y in 0..5 {
            for x in 0..5 {
                a[5 * y + x] = b[5 * y + x] ^ (!b[5 * y + (x + 1) % 5] & b[5 * y + (x + 2) % 5]);
            }
        }
        a[0] ^= rc;
    }
    *state = a;
}
