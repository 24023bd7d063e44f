//! Comparison and selection in constant time.

use core::hint::black_box;

/// Zero if and only if the slices are equal, in time that depends on their (equal) length alone.
#[inline(always)]
pub(crate) fn difference(a: &[u8], b: &[u8]) -> u64 {
    debug_assert_eq!(a.len(), b.len());
    let mut difference = 0u64;
    let (a, a_rest) = a.as_chunks::<8>();
    let (b, b_rest) = b.as_chunks::<8>();
    for (a, b) in a.iter().zip(b) {
        difference |= u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
    }
    for (a, b) in a_rest.iter().zip(b_rest) {
        difference |= u64::from(a ^ b);
    }
    difference
}

/// 0xff for zero, 0 for all else.
#[inline(always)]
pub(crate) fn zero_mask(x: u64) -> u8 {
    // The barriers keep the compiler from turning the mask back into a condition.
    let x = black_box(x);
    let nonzero = ((x | x.wrapping_neg()) >> 63) as u8;
    black_box(nonzero.wrapping_sub(1))
}

/// 0xff if the slices are equal, 0 otherwise, in time that depends on their (equal) length alone.
#[inline(always)]
pub(crate) fn equal_mask(a: &[u8], b: &[u8]) -> u8 {
    zero_mask(difference(a, b))
}

/// `a` where the mask is 0xff, `b` where it is 0.
#[inline(always)]
pub(crate) fn select(mask: u8, a: &[u8; 32], b: &[u8; 32], out: &mut [u8; 32]) {
    let mask = black_box(mask);
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = (mask & (a ^ b)) ^ b;
    }
}

/// Tells valgrind, in the constant-time suite alone, that these bytes are public from here on.
#[inline(always)]
pub(crate) fn declassify<T: AsRef<[u8]>>(public: &T) {
    #[cfg(lanekem_ctgrind)]
    {
        let bytes = public.as_ref();
        let _ = crabgrind::memcheck::mark_memory(
            bytes.as_ptr().cast(),
            bytes.len(),
            crabgrind::memcheck::MemState::Defined,
        );
    }
    #[cfg(not(lanekem_ctgrind))]
    let _ = public;
}
