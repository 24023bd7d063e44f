//! Keccak-f[1600] (FIPS 202, §3), written once for lanes of any width.
//!
//! The permutation is a macro and not a generic function: a safe `#[target_feature]` function can
//! be no trait method, and a trait method that calls intrinsics needs `unsafe` and luck with the
//! inliner. A backend defines these functions on its lane type, and expands the macro in a
//! `#[target_feature]` function beside them:
//!
//! - `xor(a, b)`, `xor3(a, b, c)`, `chi(a, b, c)` = a ⊕ (¬b ∧ c)
//! - `rotl::<N>(a)`, to the left, each 64-bit word
//! - `iota(a, rc)` = a ⊕ rc, each 64-bit word
//!
//! Lane (x, y) of the state is element 5y + x. No branch and no address depends on the state.
//!
//! There are two shapes of the same round, because what limits it differs: `permute_by_rows`
//! where the state does not fit the registers, `permute_in_registers` where it does. The order of
//! rows, of columns and of sums is free, but the compiler's schedule follows from it; those below are
//! the best of some hundreds tried, 2 to 4 % better than the average.

/// ι: bit 2ʲ − 1 of constant t is output 7t + j of the LFSR x⁸ + x⁶ + x⁵ + x⁴ + 1.
pub(crate) const RC: [u64; 24] = {
    let mut rc = [0; 24];
    let mut lfsr: u32 = 1;
    let mut t = 0;
    while t < 24 {
        let mut j = 0;
        while j < 7 {
            rc[t] |= ((lfsr & 1) as u64) << ((1 << j) - 1);
            lfsr = (lfsr << 1) ^ ((lfsr >> 7) * 0x171);
            j += 1;
        }
        t += 1;
    }
    rc
};

/// ρ: lane i turns left by `RHO[i]`.
pub(crate) const RHO: [u32; 25] = {
    let mut rho = [0; 25];
    let (mut x, mut y) = (1, 0);
    let mut t = 0;
    while t < 24 {
        rho[5 * y + x] = (t + 1) * (t + 2) / 2 % 64;
        (x, y) = (y, (2 * x + 3 * y) % 5);
        t += 1;
    }
    rho
};

const _: () = assert!(RC[0] == 1 && RC[23] == 0x8000_0000_8000_8008 && RHO[24] == 14);

/// π: the lane that moves to (x, y). Its column is `pi(x, y) % 5`.
pub(crate) const fn pi(x: usize, y: usize) -> usize {
    5 * x + (x + 3 * y) % 5
}

/// Forces a frame to cache-line alignment if [`black_box`](core::hint::black_box) sees it. The
/// compiler spills vector registers unaligned and leaves the stack as the caller had it: spills
/// that straddle cache lines cost up to two thirds of a permutation more.
#[repr(align(64))]
#[cfg(target_arch = "x86_64")]
pub(crate) struct AlignedFrame;

/// Lane (x, y) after ρ and π; with `^ d`, the lane takes its column's share of θ on the way.
macro_rules! rho_pi {
    ($a:ident, $x:literal, $y:literal) => {
        rotl::<{ $crate::keccak::RHO[$crate::keccak::pi($x, $y)] }>(
            $a[const { $crate::keccak::pi($x, $y) }],
        )
    };
    ($a:ident ^ $d:ident, $x:literal, $y:literal) => {
        rotl::<{ $crate::keccak::RHO[$crate::keccak::pi($x, $y)] }>(xor(
            $a[const { $crate::keccak::pi($x, $y) }],
            $d[const { $crate::keccak::pi($x, $y) % 5 }],
        ))
    };
}

/// Row y after ρ, π, χ and, where given, ι. ι comes before χ: what it adds to the lane (0, 0) is
/// the same, it is off the critical path, and it makes a copy that χ in place needs anyway.
macro_rules! row {
    ($chi:ident: $a:ident $(^ $d:ident)?, $y:literal $(, $rc:expr)?) => {{
        let b = [
            $crate::keccak::rho_pi!($a $(^ $d)?, 0, $y),
            $crate::keccak::rho_pi!($a $(^ $d)?, 1, $y),
            $crate::keccak::rho_pi!($a $(^ $d)?, 2, $y),
            $crate::keccak::rho_pi!($a $(^ $d)?, 3, $y),
            $crate::keccak::rho_pi!($a $(^ $d)?, 4, $y),
        ];
        let b0 = b[0];
        $(let b0 = iota(b0, $rc);)?
        $crate::keccak::$chi!(b0, b)
    }};
}

/// χ on a row; `$b0` is lane 0 as it goes into the output.
macro_rules! chi_row {
    ($b0:ident, $b:ident) => {
        [
            chi($b0, $b[1], $b[2]),
            chi($b[1], $b[2], $b[3]),
            chi($b[2], $b[3], $b[4]),
            chi($b[3], $b[4], $b[0]),
            chi($b[4], $b[0], $b[1]),
        ]
    };
}

/// χ with one copy (of lane 0) instead of two where an instruction overwrites an operand. Where
/// bᵢ₊₁ = 1, χ leaves bᵢ as it is; so ¬bᵢ ∧ bᵢ₊₁ = ¬eᵢ ∧ bᵢ₊₁, and an output stands in for its input.
#[cfg(target_arch = "x86_64")]
macro_rules! chi_row_in_place {
    ($b0:ident, $b:ident) => {{
        let e0 = chi($b0, $b[1], $b[2]);
        let e2 = chi($b[2], $b[3], $b[4]);
        let e4 = chi($b[4], $b[0], $b[1]);
        let e1 = chi($b[1], e2, $b[3]);
        let e3 = chi($b[3], e4, $b[0]);
        [e0, e1, e2, e3, e4]
    }};
}

macro_rules! join_rows {
    ($($r:ident)+) => {
        [$($r[0], $r[1], $r[2], $r[3], $r[4]),+]
    };
}

macro_rules! add_rows {
    ($c:expr, $r:expr) => {
        [
            xor($c[0], $r[0]),
            xor($c[1], $r[1]),
            xor($c[2], $r[2]),
            xor($c[3], $r[3]),
            xor($c[4], $r[4]),
        ]
    };
}

/// The parities of the columns.
macro_rules! parities {
    ($a:ident) => {
        [
            xor3(xor3($a[10], $a[20], $a[15]), $a[0], $a[5]),
            xor3(xor3($a[11], $a[21], $a[16]), $a[1], $a[6]),
            xor3(xor3($a[12], $a[22], $a[17]), $a[2], $a[7]),
            xor3(xor3($a[13], $a[23], $a[18]), $a[3], $a[8]),
            xor3(xor3($a[14], $a[24], $a[19]), $a[4], $a[9]),
        ]
    };
}

/// A round, row by row: a lane is loaded once, where its row is made, and the parities `c` of the
/// next round are summed while the row is in registers.
macro_rules! round_by_rows {
    ($a:ident, $c:ident, $rc:expr) => {{
        use $crate::keccak::{add_rows, join_rows, row};
        let d0 = xor($c[4], rotl::<1>($c[1]));
        let d2 = xor($c[1], rotl::<1>($c[3]));
        let d4 = xor($c[3], rotl::<1>($c[0]));
        let d1 = xor($c[0], rotl::<1>($c[2]));
        let d3 = xor($c[2], rotl::<1>($c[4]));
        let d = [d0, d1, d2, d3, d4];
        let r4 = row!(chi_row: $a ^ d, 4);
        let r2 = row!(chi_row: $a ^ d, 2);
        $c = add_rows!(r4, r2);
        let r1 = row!(chi_row: $a ^ d, 1);
        $c = add_rows!($c, r1);
        let r0 = row!(chi_row: $a ^ d, 0, $rc);
        $c = add_rows!($c, r0);
        let r3 = row!(chi_row: $a ^ d, 3);
        $c = add_rows!($c, r3);
        $a = join_rows!(r0 r1 r2 r3 r4);
    }};
}

/// The permutation with most of the state on the stack. Two rounds an iteration: one needs copies
/// from the new state to the old, and all 24 outgrow the micro-op cache.
macro_rules! permute_by_rows {
    ($state:ident) => {{
        use $crate::keccak::{RC, parities, round_by_rows};
        let mut a = *$state;
        let mut c = parities!(a);
        for rc in RC.as_chunks::<2>().0 {
            round_by_rows!(a, c, rc[0]);
            round_by_rows!(a, c, rc[1]);
        }
        *$state = a;
    }};
}

/// θ on the five lanes of a column: a ⊕ l ⊕ r.
#[cfg(target_arch = "x86_64")]
macro_rules! theta_column {
    ($a:ident[$x:literal], $l:expr, $r:expr) => {
        let r = $r;
        $a[$x] = xor3($a[$x], $l, r);
        $a[$x + 5] = xor3($a[$x + 5], $l, r);
        $a[$x + 10] = xor3($a[$x + 10], $l, r);
        $a[$x + 15] = xor3($a[$x + 15], $l, r);
        $a[$x + 20] = xor3($a[$x + 20], $l, r);
    };
}

/// θ in place. In this order of the columns a parity dies as the next is rotated, so that 31
/// registers are enough.
#[cfg(target_arch = "x86_64")]
macro_rules! theta {
    ($a:ident) => {{
        use $crate::keccak::{parities, theta_column};
        let c = parities!($a);
        theta_column!($a[1], c[0], rotl::<1>(c[2]));
        theta_column!($a[3], c[2], rotl::<1>(c[4]));
        theta_column!($a[0], c[4], rotl::<1>(c[1]));
        theta_column!($a[2], c[1], rotl::<1>(c[3]));
        theta_column!($a[4], c[3], rotl::<1>(c[0]));
    }};
}

/// ρ, π, χ and ι.
#[cfg(target_arch = "x86_64")]
macro_rules! rows {
    ($chi:ident: $a:ident, $rc:expr) => {{
        use $crate::keccak::{join_rows, row};
        let r4 = row!($chi: $a, 4);
        let r3 = row!($chi: $a, 3);
        let r0 = row!($chi: $a, 0, $rc);
        let r2 = row!($chi: $a, 2);
        let r1 = row!($chi: $a, 1);
        $a = join_rows!(r0 r1 r2 r3 r4);
    }};
}

/// The permutation for 32 registers and three-operand logic, without a spill: 90 operations a round
/// and 9 copies, or 14 with the plain `chi_row`. The loop is cut behind θ and not between rounds,
/// for within a basic block the compiler interleaves θ with the rows that follow, which takes more
/// registers than there are.
#[cfg(target_arch = "x86_64")]
macro_rules! permute_in_registers {
    ($chi:ident: $state:ident) => {{
        use $crate::keccak::{RC, rows, theta};
        let mut a = *$state;
        theta!(a);
        for rc in RC[..22].as_chunks::<2>().0 {
            rows!($chi: a, rc[0]);
            theta!(a);
            rows!($chi: a, rc[1]);
            theta!(a);
        }
        rows!($chi: a, RC[22]);
        theta!(a);
        rows!($chi: a, RC[23]);
        *$state = a;
    }};
}

pub(crate) use {
    add_rows, chi_row, join_rows, parities, permute_by_rows, rho_pi, round_by_rows, row,
};
#[cfg(target_arch = "x86_64")]
pub(crate) use {chi_row_in_place, permute_in_registers, rows, theta, theta_column};
