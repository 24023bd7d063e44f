//! Keccak-f[1600] (FIPS 202, §3), written once for lanes of any width.
//!
//! The permutation is a pair of macros and not a generic function, because a trait method that is
//! safe can be neither `#[target_feature]` nor an intrinsic's caller. A backend defines the
//! functions below on its lane type and expands a macro in its own `#[target_feature]` function:
//! no `unsafe`, nothing left to the inliner but leaves.
//!
//! - `xor(a, b)`, `xor3(a, b, c)`, `chi(a, b, c)` = a ⊕ (¬b ∧ c)
//! - `rotl::<N>(a)`, left, each 64-bit lane
//! - `iota(a, rc)` = a ⊕ rc, each 64-bit lane
//!
//! Lane (x, y) of the state is element 5y + x. No branch and no address depends on the state.

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

/// Row y after ρ, π and χ; with `^ d`, each lane takes its column's share of θ on the way.
macro_rules! row {
    ($a:ident $(^ $d:ident)?, $y:literal) => {{
        let b = [
            $crate::keccak::rho_pi!($a $(^ $d)?, 0, $y),
            $crate::keccak::rho_pi!($a $(^ $d)?, 1, $y),
            $crate::keccak::rho_pi!($a $(^ $d)?, 2, $y),
            $crate::keccak::rho_pi!($a $(^ $d)?, 3, $y),
            $crate::keccak::rho_pi!($a $(^ $d)?, 4, $y),
        ];
        [
            chi(b[0], b[1], b[2]),
            chi(b[1], b[2], b[3]),
            chi(b[2], b[3], b[4]),
            chi(b[3], b[4], b[0]),
            chi(b[4], b[0], b[1]),
        ]
    }};
}

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

macro_rules! join_rows {
    ($($r:ident)+) => { [$($r[0], $r[1], $r[2], $r[3], $r[4]),+] };
}

/// Column sums of rows that are arrays of five.
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

/// The column parities of a whole state.
macro_rules! parities {
    ($a:ident) => {
        [
            xor3(xor3($a[0], $a[5], $a[10]), $a[15], $a[20]),
            xor3(xor3($a[1], $a[6], $a[11]), $a[16], $a[21]),
            xor3(xor3($a[2], $a[7], $a[12]), $a[17], $a[22]),
            xor3(xor3($a[3], $a[8], $a[13]), $a[18], $a[23]),
            xor3(xor3($a[4], $a[9], $a[14]), $a[19], $a[24]),
        ]
    };
}

/// A round for 16 registers. Most of the state is on the stack, so a lane is loaded once, where
/// its row is made, and the parities `c` for the next round are summed before the row is stored.
macro_rules! round_by_rows {
    ($a:ident, $c:ident, $rc:expr) => {{
        use $crate::keccak::{add_rows, join_rows, row};
        let d = [
            xor($c[4], rotl::<1>($c[1])),
            xor($c[0], rotl::<1>($c[2])),
            xor($c[1], rotl::<1>($c[3])),
            xor($c[2], rotl::<1>($c[4])),
            xor($c[3], rotl::<1>($c[0])),
        ];
        let mut r0 = row!($a ^ d, 0);
        r0[0] = iota(r0[0], $rc);
        let r1 = row!($a ^ d, 1);
        $c = add_rows!(r0, r1);
        let r2 = row!($a ^ d, 2);
        $c = add_rows!($c, r2);
        let r3 = row!($a ^ d, 3);
        $c = add_rows!($c, r3);
        let r4 = row!($a ^ d, 4);
        $c = add_rows!($c, r4);
        join_rows!(r0 r1 r2 r3 r4)
    }};
}

/// The permutation for 16 registers, two rounds an iteration: one needs copies from the new state
/// to the old, and more outgrow the micro-op cache.
macro_rules! permute_by_rows {
    ($state:ident) => {{
        use $crate::keccak::{RC, parities, round_by_rows};
        let mut a = *$state;
        let mut c = parities!(a);
        for rc in RC.as_chunks::<2>().0 {
            a = round_by_rows!(a, c, rc[0]);
            a = round_by_rows!(a, c, rc[1]);
        }
        *$state = a;
    }};
}

/// θ on the five lanes of a column: a ⊕ l ⊕ r.
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

/// θ in place. In this order of columns a parity dies as the next rotated one is born, so that 31
/// registers are enough.
macro_rules! theta {
    ($a:ident) => {{
        use $crate::keccak::{parities, theta_column};
        let c = parities!($a);
        theta_column!($a[0], c[4], rotl::<1>(c[1]));
        theta_column!($a[2], c[1], rotl::<1>(c[3]));
        theta_column!($a[4], c[3], rotl::<1>(c[0]));
        theta_column!($a[1], c[0], rotl::<1>(c[2]));
        theta_column!($a[3], c[2], rotl::<1>(c[4]));
    }};
}

/// ρ, π, χ and ι.
macro_rules! rho_pi_chi_iota {
    ($a:ident, $rc:expr) => {{
        use $crate::keccak::{join_rows, row};
        let mut r0 = row!($a, 0);
        r0[0] = iota(r0[0], $rc);
        let r1 = row!($a, 1);
        let r2 = row!($a, 2);
        let r3 = row!($a, 3);
        let r4 = row!($a, 4);
        $a = join_rows!(r0 r1 r2 r3 r4);
    }};
}

/// The permutation for 32 registers and three-input logic: 90 operations a round and no spill.
/// The loop is cut behind θ, not between rounds: the compiler would otherwise interleave θ with
/// the rows, which takes more registers than there are.
macro_rules! permute_in_registers {
    ($state:ident) => {{
        use $crate::keccak::{RC, rho_pi_chi_iota, theta};
        let mut a = *$state;
        theta!(a);
        for rc in RC[..22].as_chunks::<2>().0 {
            rho_pi_chi_iota!(a, rc[0]);
            theta!(a);
            rho_pi_chi_iota!(a, rc[1]);
            theta!(a);
        }
        rho_pi_chi_iota!(a, RC[22]);
        theta!(a);
        rho_pi_chi_iota!(a, RC[23]);
        *$state = a;
    }};
}

pub(crate) use {
    add_rows, join_rows, parities, permute_by_rows, permute_in_registers, rho_pi, rho_pi_chi_iota,
    round_by_rows, row, theta, theta_column,
};
