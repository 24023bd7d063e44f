//! FIPS 203 written down as the standard states it, for comparison only: signed 64-bit integers,
//! `% Q` after every step, bits in arrays, the NTT as the residues it is defined by rather than
//! as butterflies, and hashes from another crate. It shares no code with `lanekem`.

use sha3::{Digest, Sha3_256, Sha3_512};
use shake::{ExtendableOutput, Shake128, Shake256, Update, XofReader};

pub(crate) const Q: i64 = 3329;
const N: usize = 256;

type Poly = [i64; N];

/// One row of FIPS 203 table 2; eta2 is 2 in all of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Params {
    pub(crate) k: usize,
    eta1: usize,
    du: usize,
    dv: usize,
}

impl Params {
    pub(crate) fn of(k: usize) -> Self {
        let (eta1, du, dv) = match k {
            2 => (3, 10, 4),
            3 => (2, 10, 4),
            4 => (2, 11, 5),
            _ => panic!("no parameter set has k = {k}"),
        };
        Self { k, eta1, du, dv }
    }
}

pub(crate) fn h(input: &[u8]) -> [u8; 32] {
    Sha3_256::digest(input).into()
}

fn g(input: &[u8]) -> ([u8; 32], [u8; 32]) {
    let out: [u8; 64] = Sha3_512::digest(input).into();
    (out[..32].try_into().unwrap(), out[32..].try_into().unwrap())
}

fn shake256(parts: &[&[u8]], out: &mut [u8]) {
    let mut hasher = Shake256::default();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize_xof().read(out);
}

/// J of §4.1, over z ‖ c: the key that implicit rejection gives.
pub(crate) fn j(z: &[u8], c: &[u8]) -> [u8; 32] {
    let mut key = [0; 32];
    shake256(&[z, c], &mut key);
    key
}

fn bits(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|b| (0..8).map(move |i| b >> i & 1)).collect()
}

/// Algorithm 5, without a reduction of the input.
fn byte_encode(d: usize, f: &Poly) -> Vec<u8> {
    let mut out = vec![0; 32 * d];
    for i in 0..N * d {
        let bit = (f[i / d] >> (i % d) & 1) as u8;
        out[i / 8] |= bit << (i % 8);
    }
    out
}

/// Algorithm 6. For d = 12 the values may be up to 4095: [`reduce`] is the standard's last step.
fn byte_decode_raw(d: usize, bytes: &[u8]) -> Poly {
    let bits = bits(bytes);
    core::array::from_fn(|i| (0..d).map(|n| i64::from(bits[i * d + n]) << n).sum())
}

fn byte_encode12(f: &Poly) -> Vec<u8> {
    byte_encode(12, f)
}

fn reduce(f: Poly) -> Poly {
    f.map(|c| c.rem_euclid(Q))
}

/// (4.7): rounds half up.
fn compress(d: usize, f: &Poly) -> Poly {
    f.map(|x| (((x << d) * 2 + Q) / (2 * Q)) % (1 << d))
}

/// (4.8)
fn decompress(d: usize, f: &Poly) -> Poly {
    f.map(|y| (Q * y * 2 + (1 << d)) / (1 << (d + 1)))
}

fn pow(base: i64, exponent: usize) -> i64 {
    (0..exponent).fold(1, |acc, _| acc * base % Q)
}

/// ζ^(2·BitRev7(i) + 1), the root that the i-th pair of NTT coefficients belongs to.
fn gamma(i: usize) -> i64 {
    pow(17, 2 * usize::from((i as u8).reverse_bits() >> 1) + 1)
}

/// Powers γ_i^j, i.e. the matrix of the transform.
fn roots() -> &'static [[i64; 128]; 128] {
    static ROOTS: std::sync::OnceLock<Box<[[i64; 128]; 128]>> = std::sync::OnceLock::new();
    ROOTS.get_or_init(|| {
        let mut table = Box::new([[1; 128]; 128]);
        for (i, row) in table.iter_mut().enumerate() {
            for j in 1..128 {
                row[j] = row[j - 1] * gamma(i) % Q;
            }
        }
        table
    })
}

/// f mod (X² − γ_i) for every i, by evaluation.
fn ntt(f: &Poly) -> Poly {
    let mut out = [0; N];
    for (i, row) in roots().iter().enumerate() {
        for odd in 0..2 {
            out[2 * i + odd] = (0..128).map(|j| f[2 * j + odd] * row[j]).sum::<i64>() % Q;
        }
    }
    out
}

/// The inverse of [`ntt`]: the γ_i are the 128 roots of X^128 + 1, so the inverse of their
/// Vandermonde matrix is its transpose at the inverse roots, over 128. γ^-j = −γ^(128−j).
fn inverse_ntt(f: &Poly) -> Poly {
    let table = roots();
    let mut out = [0; N];
    for j in 0..128 {
        for odd in 0..2 {
            let inverse = |i: usize| if j == 0 { 1 } else { Q - table[i][128 - j] };
            let sum = (0..128).map(|i| f[2 * i + odd] * inverse(i)).sum::<i64>() % Q;
            out[2 * j + odd] = sum * 3303 % Q; // 128⁻¹ mod q
        }
    }
    out
}

/// Algorithms 11 and 12.
fn multiply(f: &Poly, g: &Poly) -> Poly {
    let mut out = [0; N];
    for i in 0..128 {
        let (a0, a1, b0, b1) = (f[2 * i], f[2 * i + 1], g[2 * i], g[2 * i + 1]);
        out[2 * i] = (a0 * b0 + a1 * b1 % Q * roots()[i][1]) % Q;
        out[2 * i + 1] = (a0 * b1 + a1 * b0) % Q;
    }
    out
}

fn add(f: &Poly, g: &Poly) -> Poly {
    core::array::from_fn(|i| (f[i] + g[i]) % Q)
}

fn sub(f: &Poly, g: &Poly) -> Poly {
    core::array::from_fn(|i| (f[i] - g[i]).rem_euclid(Q))
}

fn dot<'a>(f: impl Iterator<Item = &'a Poly>, g: &[Poly]) -> Poly {
    f.zip(g).fold([0; N], |acc, (x, y)| add(&acc, &multiply(x, y)))
}

/// The candidates of Algorithm 7 for entry (i, j), without end; `None` is a rejected one.
fn candidates(rho: &[u8], j: usize, i: usize) -> impl Iterator<Item = Option<i64>> {
    let mut xof = Shake128::default();
    xof.update(rho);
    xof.update(&[j as u8, i as u8]);
    let mut xof = xof.finalize_xof();
    core::iter::from_fn(move || {
        let mut c = [0; 3];
        xof.read(&mut c);
        let c = c.map(i64::from);
        Some([c[0] + 256 * (c[1] % 16), c[1] / 16 + 16 * c[2]])
    })
    .flatten()
    .map(|d| (d < Q).then_some(d))
}

/// Algorithm 7.
fn sample_ntt(rho: &[u8], j: usize, i: usize) -> Poly {
    let mut accepted = candidates(rho, j, i).flatten();
    core::array::from_fn(|_| accepted.next().unwrap())
}

/// How many coefficients of entry (i, j) the first three XOF blocks (504 bytes) give; below 256
/// the sampler needs a fourth.
pub(crate) fn accepted_in_three_blocks(rho: &[u8], i: usize, j: usize) -> usize {
    candidates(rho, j, i).take(336).flatten().count()
}

/// Algorithm 8 over PRF_eta(s, b).
fn sample_cbd(eta: usize, s: &[u8], b: usize) -> Poly {
    let mut bytes = vec![0; 64 * eta];
    shake256(&[s, &[b as u8]], &mut bytes);
    let bits = bits(&bytes);
    let ones = |from: usize| bits[from..from + eta].iter().map(|&b| i64::from(b)).sum::<i64>();
    core::array::from_fn(|i| (ones(2 * i * eta) - ones(2 * i * eta + eta)).rem_euclid(Q))
}

fn matrix(k: usize, rho: &[u8]) -> Vec<Vec<Poly>> {
    (0..k).map(|i| (0..k).map(|j| sample_ntt(rho, j, i)).collect()).collect()
}

/// (rho, sigma) of Algorithm 13.
pub(crate) fn expand_d(k: usize, d: &[u8; 32]) -> ([u8; 32], [u8; 32]) {
    g(&[&d[..], &[k as u8]].concat())
}

/// Algorithm 16 (with 13): ek and dk.
pub(crate) fn keygen(p: Params, d: &[u8; 32], z: &[u8; 32]) -> (Vec<u8>, Vec<u8>) {
    let (rho, sigma) = expand_d(p.k, d);
    keygen_from(p, &rho, &sigma, z)
}

/// The same from (rho, sigma), Algorithm 13 from step 2 on.
pub(crate) fn keygen_from(
    p: Params,
    rho: &[u8; 32],
    sigma: &[u8; 32],
    z: &[u8; 32],
) -> (Vec<u8>, Vec<u8>) {
    let a = matrix(p.k, rho);
    let noise = |n: usize| ntt(&sample_cbd(p.eta1, sigma, n));
    let s: Vec<_> = (0..p.k).map(noise).collect();
    let e: Vec<_> = (p.k..2 * p.k).map(noise).collect();
    let t: Vec<_> = (0..p.k).map(|i| add(&dot(a[i].iter(), &s), &e[i])).collect();

    let mut ek: Vec<u8> = t.iter().flat_map(byte_encode12).collect();
    ek.extend(rho);
    let mut dk: Vec<u8> = s.iter().flat_map(byte_encode12).collect();
    dk.extend(&ek);
    dk.extend(h(&ek));
    dk.extend(z);
    (ek, dk)
}

/// Algorithm 14.
pub(crate) fn encrypt(p: Params, ek: &[u8], m: &[u8; 32], r: &[u8; 32]) -> Vec<u8> {
    let (t, rho) = ek.split_at(384 * p.k);
    let t: Vec<_> = t.chunks(384).map(|b| reduce(byte_decode_raw(12, b))).collect();
    let a = matrix(p.k, rho);
    let y: Vec<_> = (0..p.k).map(|n| ntt(&sample_cbd(p.eta1, r, n))).collect();
    let e1: Vec<_> = (p.k..2 * p.k).map(|n| sample_cbd(2, r, n)).collect();
    let e2 = sample_cbd(2, r, 2 * p.k);

    let mut c = Vec::new();
    for i in 0..p.k {
        let u = add(&inverse_ntt(&dot(a.iter().map(|row| &row[i]), &y)), &e1[i]);
        c.extend(byte_encode(p.du, &compress(p.du, &u)));
    }
    let mu = decompress(1, &byte_decode_raw(1, m));
    let v = add(&add(&inverse_ntt(&dot(t.iter(), &y)), &e2), &mu);
    c.extend(byte_encode(p.dv, &compress(p.dv, &v)));
    c
}

/// Algorithm 15.
pub(crate) fn decrypt(p: Params, s: &[u8], c: &[u8]) -> [u8; 32] {
    let (c1, c2) = c.split_at(32 * p.du * p.k);
    let u = c1.chunks(32 * p.du).map(|b| ntt(&decompress(p.du, &byte_decode_raw(p.du, b))));
    let u: Vec<_> = u.collect();
    let v = decompress(p.dv, &byte_decode_raw(p.dv, c2));
    let s: Vec<_> = s.chunks(384).map(|b| reduce(byte_decode_raw(12, b))).collect();
    let w = sub(&v, &inverse_ntt(&dot(s.iter(), &u)));
    byte_encode(1, &compress(1, &w)).try_into().unwrap()
}

/// Algorithm 17: ciphertext and shared secret.
pub(crate) fn encaps(p: Params, ek: &[u8], m: &[u8; 32]) -> (Vec<u8>, [u8; 32]) {
    let (key, r) = g(&[&m[..], &h(ek)].concat());
    (encrypt(p, ek, m, &r), key)
}

/// Algorithm 18.
pub(crate) fn decaps(p: Params, dk: &[u8], c: &[u8]) -> [u8; 32] {
    let (s, rest) = dk.split_at(384 * p.k);
    let (ek, rest) = rest.split_at(384 * p.k + 32);
    let (hash, z) = rest.split_at(32);
    let m = decrypt(p, s, c);
    let (key, r) = g(&[&m, hash].concat());
    if encrypt(p, ek, &m, &r) == c { key } else { j(z, c) }
}

/// Overwrites coefficient `i` of a vector in ByteEncode12 form.
pub(crate) fn set_coefficient(bytes: &mut [u8], i: usize, value: u16) {
    let pair = &mut bytes[i / 2 * 3..][..3];
    let [low, high] = value.to_le_bytes();
    if i.is_multiple_of(2) {
        pair[0] = low;
        pair[1] = pair[1] & 0xf0 | high;
    } else {
        pair[1] = pair[1] & 0x0f | low << 4;
        pair[2] = low >> 4 | high << 4;
    }
}
