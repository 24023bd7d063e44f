//! Keccak-f\[1600\] (FIPS 202 §3), written once over the small [`Lane`] trait.

/// ι's round constants, from the LFSR of FIPS 202 Algorithm 5.
pub(crate) const ROUND_CONSTANTS: [u64; 24] = {
    let mut constants = [0u64; 24];
    let mut lfsr: u8 = 1;
    let mut round = 0;
    while round < 24 {
        let mut j = 0;
        while j < 7 {
            if lfsr & 1 != 0 {
                constants[round] |= 1 << ((1u32 << j) - 1);
            }
            // x⁸ + x⁶ + x⁵ + x⁴ + 1
            lfsr = (lfsr << 1) ^ (if lfsr & 0x80 != 0 { 0x71 } else { 0 });
            j += 1;
        }
        round += 1;
    }
    constants
};

const _: () = assert!(ROUND_CONSTANTS[23] == 0x8000_0000_8000_8008);
