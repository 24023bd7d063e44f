//! Keccak-f\[1600\] on four and on eight states.

/// The lane operations on one vector type, and the permutation on it.
macro_rules! permutation {
    ($V:ident, $permute:ident, $xor:ident, $ternary:ident, $rolv:ident, $set1:ident) => {
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
            $rolv(a, $set1(N as i64))
        }

        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn iota(a: $V, rc: u64) -> $V {
            $xor(a, $set1(rc as i64))
        }

        #[inline(never)]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(in crate::avx512) fn $permute(state: &mut [$V; 25]) {
            crate::keccak::permute_in_registers!(state);
        }
    };
}

/// Four states in 256-bit registers; element i holds lane i of each.
mod x4 {
    permutation!(
        __m256i,
        permute4,
        _mm256_xor_si256,
        _mm256_ternarylogic_epi64,
        _mm256_rolv_epi64,
        _mm256_set1_epi64x
    );
}

/// Eight states in 512-bit registers; element i holds lane i of each.
mod x8 {
    permutation!(
        __m512i,
        permute8,
        _mm512_xor_si512,
        _mm512_ternarylogic_epi64,
        _mm512_rolv_epi64,
        _mm512_set1_epi64
    );
}

pub(super) use {x4::permute4, x8::permute8};
