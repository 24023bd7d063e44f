//! Keccak-f[1600] on one state.

use crate::keccak::permute_by_rows;

#[inline(always)]
fn xor(a: u64, b: u64) -> u64 {
    a ^ b
}

#[inline(always)]
fn xor3(a: u64, b: u64, c: u64) -> u64 {
    a ^ b ^ c
}

#[inline(always)]
fn chi(a: u64, b: u64, c: u64) -> u64 {
    a ^ (!b & c)
}

#[inline(always)]
fn rotl<const N: u32>(a: u64) -> u64 {
    a.rotate_left(N)
}

#[inline(always)]
fn iota(a: u64, rc: u64) -> u64 {
    a ^ rc
}

/// Keccak-f[1600]. Inlined into a function with BMI1 and BMI2, it uses ANDN and RORX.
#[inline(always)]
pub(crate) fn permute_inline(state: &mut [u64; 25]) {
    permute_by_rows!(state);
}

/// Keccak-f[1600].
pub(crate) fn permute(state: &mut [u64; 25]) {
    permute_inline(state);
}
