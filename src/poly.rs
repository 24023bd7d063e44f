//! Polynomials. [`Poly`] lives in R_q = Z_q\[X\]/(X²⁵⁶ + 1), [`NttPoly`] in T_q, its image under
//! the NTT, [`MulCache`] holds products that a multiplication in T_q needs again and again. They
//! are types of their own so that mixing them does not compile.
//!
//! Coefficients are `i16`, in the order of FIPS 203 for every backend, and represent a residue by
//! any integer congruent to it; how far from zero that integer may be is stated by each kernel
//! (`backend.rs`) as a multiple of q and asserted in debug builds.

use crate::params::{N, Q};
use zeroize::{Zeroize, optimization_barrier};

macro_rules! polynomial {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(C, align(64))]
        pub(crate) struct $name(pub(crate) [i16; N]);

        impl $name {
            pub(crate) const ZERO: Self = Self([0; N]);
        }

        impl Zeroize for $name {
            #[inline]
            fn zeroize(&mut self) {
                self.0 = [0; N];
                optimization_barrier(self);
            }
        }
    };
}

polynomial! {
    /// Element of R_q: coefficient i belongs to Xⁱ.
    Poly
}
polynomial! {
    /// Element of T_q: coefficients 2i and 2i + 1 are the residue modulo X² − ζ^(2·BitRev₇(i) + 1).
    NttPoly
}
polynomial! {
    /// For b in T_q the pairs (b₂ᵢ, b₂ᵢ₊₁·γᵢ) with γᵢ = ζ^(2·BitRev₇(i) + 1): with it the product's
    /// even coefficient a₂ᵢ·b₂ᵢ + a₂ᵢ₊₁·b₂ᵢ₊₁·γᵢ is one multiply-and-add of pairs.
    MulCache
}

/// A sum of products in T_q that is not reduced yet, at twice the width.
#[derive(Clone, Copy)]
pub(crate) struct Sum(pub(crate) [i32; N]);

impl Sum {
    pub(crate) const ZERO: Self = Self([0; N]);
}

impl Zeroize for Sum {
    #[inline]
    fn zeroize(&mut self) {
        self.0 = [0; N];
        optimization_barrier(self);
    }
}

impl Poly {
    /// Adds `other`; the bounds add up.
    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a += b;
        }
    }

    /// Replaces self by `other` − self; the bounds add up.
    #[inline(always)]
    pub(crate) fn sub_from(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a = b - *a;
        }
    }
}

/// Asserts, in debug builds, that every coefficient is in −bound < c < bound.
#[inline(always)]
#[track_caller]
pub(crate) fn assert_bound(coefficients: &[i16; N], bound: i32) {
    debug_assert!(
        coefficients.iter().all(|&c| i32::from(c).abs() < bound),
        "a coefficient is outside ±{bound}"
    );
}

/// Asserts, in debug builds, that every coefficient is in 0 ≤ c < bound.
#[inline(always)]
#[track_caller]
pub(crate) fn assert_unsigned(coefficients: &[i16; N], bound: i32) {
    debug_assert!(
        coefficients.iter().all(|&c| (0..bound).contains(&i32::from(c))),
        "a coefficient is outside 0..{bound}"
    );
}

/// q as `i32`, for bounds.
pub(crate) const Q32: i32 = Q as i32;
