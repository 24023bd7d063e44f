//! Typed loads and stores: with them the kernels need no `unsafe`.
#![allow(unsafe_code)]

use core::arch::x86_64::*;
use core::ptr::{from_mut, from_ref};

/// Arrays that a register's bits may come from and go to.
///
/// # Safety
/// No padding, and every pattern of bits is a value.
pub(super) unsafe trait Plain {}

// SAFETY: integers.
unsafe impl<const LEN: usize> Plain for [u8; LEN] {}
// SAFETY: integers.
unsafe impl<const LEN: usize> Plain for [i16; LEN] {}
// SAFETY: integers.
unsafe impl<const LEN: usize> Plain for [u32; LEN] {}
// SAFETY: integers.
unsafe impl<const LEN: usize> Plain for [u64; LEN] {}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load<T: Plain>(from: &T) -> __m512i {
    const { assert!(size_of::<T>() == 64) }
    // SAFETY: 64 bytes are readable.
    unsafe { _mm512_loadu_si512(from_ref(from).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store<T: Plain>(to: &mut T, x: __m512i) {
    const { assert!(size_of::<T>() == 64) }
    // SAFETY: 64 bytes are writable and may hold any bits.
    unsafe { _mm512_storeu_si512(from_mut(to).cast(), x) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load256<T: Plain>(from: &T) -> __m256i {
    const { assert!(size_of::<T>() == 32) }
    // SAFETY: 32 bytes are readable.
    unsafe { _mm256_loadu_si256(from_ref(from).cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn store256<T: Plain>(to: &mut T, x: __m256i) {
    const { assert!(size_of::<T>() == 32) }
    // SAFETY: 32 bytes are writable and may hold any bits.
    unsafe { _mm256_storeu_si256(from_mut(to).cast(), x) }
}

/// The words of a bank: element i of a register is lane i.
#[inline]
pub(super) fn words<V: Vector>(state: &[V; 25]) -> &[V::Words; 25] {
    // SAFETY: a vector has the size of its words, at least their alignment, and is plain data.
    unsafe { &*from_ref(state).cast() }
}

/// A register type.
///
/// # Safety
/// `Words` is an array of the vector's size.
pub(super) unsafe trait Vector {
    type Words;
}

// SAFETY: 64 bytes.
unsafe impl Vector for __m512i {
    type Words = [u64; 8];
}
// SAFETY: 32 bytes.
unsafe impl Vector for __m256i {
    type Words = [u64; 4];
}

/// The mask of the first LEN bytes.
const fn first(len: usize) -> u64 {
    assert!(len <= 64);
    if len == 64 { !0 } else { (1 << len) - 1 }
}

/// The first LEN ≤ 64 bytes of x.
#[inline]
#[target_feature(enable = "avx512bw")]
pub(super) fn store_bytes<const LEN: usize>(to: &mut [u8; LEN], x: __m512i) {
    // SAFETY: LEN bytes are writable; what the mask leaves out is not accessed.
    unsafe { _mm512_mask_storeu_epi8(to.as_mut_ptr().cast(), const { first(LEN) }, x) }
}
