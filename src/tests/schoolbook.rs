//! A model of the arithmetic straight from the definitions, in 64-bit integers with `%`.

pub(crate) const Q: i64 = 3329;

pub(crate) fn modulo(a: i64) -> i64 {
    a.rem_euclid(Q)
}

pub(crate) fn power(base: i64, exponent: u32) -> i64 {
    (0..exponent).fold(1, |r, _| modulo(r * base))
}

/// Exponent of ζ in the i-th factor X² − ζ^(2·BitRev₇(i) + 1) of X²⁵⁶ + 1.
pub(crate) fn gamma(i: usize) -> i64 {
    let reversed = (0..7).fold(0, |r, bit| r | ((i as u32 >> bit & 1) << (6 - bit)));
    power(17, 2 * reversed + 1)
}

/// The NTT as its definition: f modulo each X² − γ.
pub(crate) fn ntt(f: &[i16; 256]) -> [i64; 256] {
    let mut out = [0; 256];
    for i in 0..128 {
        let gamma = gamma(i);
        let mut power = 1;
        for j in 0..128 {
            for parity in 0..2 {
                let c = &mut out[2 * i + parity];
                *c = modulo(*c + power * i64::from(f[2 * j + parity]));
            }
            power = modulo(power * gamma);
        }
    }
    out
}

/// Product in Z_q[X]/(X²⁵⁶ + 1).
pub(crate) fn multiply(f: &[i64; 256], g: &[i64; 256]) -> [i64; 256] {
    let mut out = [0; 256];
    for (i, f) in f.iter().enumerate() {
        for (j, g) in g.iter().enumerate() {
            let sign = if i + j < 256 { 1 } else { -1 };
            let c = &mut out[(i + j) % 256];
            *c = modulo(*c + sign * f * g);
        }
    }
    out
}

/// Product in T_q.
pub(crate) fn base_multiply(f: &[i64; 256], g: &[i64; 256]) -> [i64; 256] {
    let mut out = [0; 256];
    for i in 0..128 {
        let (f0, f1, g0, g1) = (f[2 * i], f[2 * i + 1], g[2 * i], g[2 * i + 1]);
        out[2 * i] = modulo(f0 * g0 + modulo(f1 * g1) * gamma(i));
        out[2 * i + 1] = modulo(f0 * g1 + f1 * g0);
    }
    out
}

pub(crate) fn widen(f: &[i16; 256]) -> [i64; 256] {
    f.map(|c| modulo(i64::from(c)))
}
