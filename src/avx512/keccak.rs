//! Keccak-f\[1600\] on one, four and eight states.

use core::arch::x86_64::{_mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_setzero_si128};

/// The lane operations on one vector type, and the permutation on it.
macro_rules! permutation {
    ($inline:meta, $V:ident, $permute:ident, $xor:ident, $ternary:ident, $rolv:ident, $set1:ident, $chi_row:ident) => {
        use core::arch::x86_64::*;

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn xor3(a: $V, b: $V, c: $V) -> $V {
            $ternary::<0x96>(a, b, c)
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn chi(a: $V, b: $V, c: $V) -> $V {
            $ternary::<0xd2>(a, b, c)
        }

        /// Becomes the rotation by an immediate, whose intrinsic wants an `i32` parameter.
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn rotl<const N: u32>(a: $V) -> $V {
            $rolv(a, $set1(i64::from(N)))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn iota(a: $V, rc: u64) -> $V {
            $xor(a, $set1(rc as i64))
        }

        #[$inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(in crate::avx512) fn $permute(state: &mut [$V; 25]) {
            crate::keccak::permute_in_registers!($chi_row: state);
        }
    };
}

/// Four states in 256-bit registers; element i holds lane i of each.
mod x4 {
    permutation!(
        inline(never),
        __m256i,
        permute4,
        _mm256_xor_si256,
        _mm256_ternarylogic_epi64,
        _mm256_rolv_epi64,
        _mm256_set1_epi64x,
        chi_row_in_place
    );
}

/// Eight states in 512-bit registers; element i holds lane i of each.
mod x8 {
    permutation!(
        inline(never),
        __m512i,
        permute8,
        _mm512_xor_si512,
        _mm512_ternarylogic_epi64,
        _mm512_rolv_epi64,
        _mm512_set1_epi64,
        chi_row
    );
}

/// One state in the low halves of 128-bit registers: ternary logic and rotations make up for the way
/// there and back.
mod x1 {
    permutation!(
        inline,
        __m128i,
        permute1,
        _mm_xor_si128,
        _mm_ternarylogic_epi64,
        _mm_rolv_epi64,
        _mm_set1_epi64x,
        chi_row
    );
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn permute(state: &mut [u64; 25]) {
    let mut vectors = [_mm_setzero_si128(); 25];
    for (v, s) in vectors.iter_mut().zip(state.iter()) {
        *v = _mm_cvtsi64_si128(*s as i64);
    }
    x1::permute1(&mut vectors);
    for (v, s) in vectors.iter().zip(state) {
        *s = _mm_cvtsi128_si64(*v) as u64;
    }
}

pub(super) use {x4::permute4, x8::permute8};
