//! Powers of ζ = 17, the primitive 256th root of unity modulo q (FIPS 203 §4.3), and the constants
//! of Montgomery and Barrett reduction, all computed at compile time.

use crate::params::Q;

const Q32: i32 = Q as i32;

/// Montgomery radix R = 2¹⁶.
const R: i32 = 1 << 16;
/// q⁻¹ mod R.
pub(crate) const Q_INV: i16 = -3327;
/// R mod q, centred.
const R_MOD_Q: i16 = centred(R);
/// R² mod q, centred: `montgomery_mul(a, R2)` is a·R.
pub(crate) const R2: i16 = centred(R_MOD_Q as i32 * R_MOD_Q as i32);
/// R²/128 mod q, centred: a Montgomery product with it undoes both the factor 128 of the inverse NTT and
/// the R⁻¹ of a product in T_q.
pub(crate) const R2_OVER_128: i16 = centred(R2 as i32 * 3303);
/// ⌊2²⁶/q⌉: ⌊a·V/2²⁶⌉ is ⌊a/q⌉ within the bounds of Barrett reduction.
pub(crate) const BARRETT_V: i16 = 20159;

const _: () = {
    assert!((Q_INV.wrapping_mul(Q)) == 1);
    assert!(128 * 3303 % Q32 == 1);
    assert!(BARRETT_V as i32 == ((1 << 26) + Q32 / 2) / Q32);
};

/// The representative of `a` modulo q in −q/2 < a < q/2.
const fn centred(a: i32) -> i16 {
    let r = a % Q32;
    let r = if r < 0 { r + Q32 } else { r };
    (if r > Q32 / 2 { r - Q32 } else { r }) as i16
}

const fn power_of_zeta(exponent: u32) -> i32 {
    let mut r = 1;
    let mut i = 0;
    while i < exponent {
        r = r * 17 % Q32;
        i += 1;
    }
    r
}

const fn bit_rev7(i: u32) -> u32 {
    i.reverse_bits() >> 25
}

/// `ZETAS[i]` = ζ^BitRev₇(i)·R mod q, centred (FIPS 203 Appendix A, in Montgomery form).
pub(crate) const ZETAS: [i16; 128] = {
    let mut z = [0; 128];
    let mut i = 0;
    while i < 128 {
        z[i] = centred(power_of_zeta(bit_rev7(i as u32)) * R_MOD_Q as i32);
        i += 1;
    }
    z
};

/// `GAMMAS[i]` = ζ^(2·BitRev₇(i) + 1)·R mod q, centred: T_q's i-th factor is X² − γᵢ.
pub(crate) const GAMMAS: [i16; 128] = {
    let mut z = [0; 128];
    let mut i = 0;
    while i < 128 {
        z[i] = centred(power_of_zeta(2 * bit_rev7(i as u32) + 1) * R_MOD_Q as i32);
        i += 1;
    }
    z
};

/// z·q⁻¹ mod R for each element: with it a Montgomery product takes one low multiplication, off the
/// critical path.
#[cfg(target_arch = "x86_64")]
pub(crate) const fn times_q_inv<const LEN: usize>(z: [i16; LEN]) -> [i16; LEN] {
    let mut out = [0; LEN];
    let mut i = 0;
    while i < LEN {
        out[i] = z[i].wrapping_mul(Q_INV);
        i += 1;
    }
    out
}
