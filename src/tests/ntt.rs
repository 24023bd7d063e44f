//! Reductions over their whole domain; NTT, inverse and products against the schoolbook model, at the
//! bounds of the contracts.

use super::schoolbook::{self, Q, modulo, widen};
use super::{TestRng, backend_test};
use crate::poly::{MulCache, NttPoly, Poly};
use crate::portable::ntt::{barrett_reduce, canonical, montgomery_mul, montgomery_reduce};
use crate::zetas;
use std::vec::Vec;

const Q32: i32 = Q as i32;
/// R⁻¹ = 2⁻¹⁶ modulo q.
const R_INV: i64 = 169;

#[test]
fn constants() {
    assert_eq!(modulo(R_INV << 16), 1);
    for i in 0..128 {
        let r = 1 << 16;
        let reversed = (i as u32).reverse_bits() >> 25;
        assert_eq!(modulo(zetas::ZETAS[i].into()), modulo(schoolbook::power(17, reversed) * r));
        assert_eq!(modulo(zetas::GAMMAS[i].into()), modulo(schoolbook::gamma(i) * r));
    }
}

#[test]
fn barrett_over_its_whole_domain() {
    for a in i16::MIN..=i16::MAX {
        let r = barrett_reduce(a);
        assert_eq!(modulo(r.into()), modulo(a.into()));
        assert!(i32::from(r).abs() <= (Q32 - 1) / 2);
        assert_eq!(i64::from(canonical(a)), modulo(a.into()));
    }
}

/// The result is a function of c's low half plus c's high half, so all low halves with the extreme
/// high halves, and all products with every ζ, are the whole domain.
#[test]
fn montgomery_over_its_whole_domain() {
    for low in 0..=u16::MAX {
        for high in [-(Q32 << 15) >> 16, -1, 0, 1, ((Q32 << 15) >> 16) - 1] {
            let c = high << 16 | i32::from(low);
            if c.abs() >= Q32 << 15 {
                continue;
            }
            let r = montgomery_reduce(c);
            assert_eq!(modulo(i64::from(r) << 16), modulo(c.into()));
            assert!(i32::from(r).abs() < Q32, "{c} gives {r}");
        }
    }
    let factors = zetas::ZETAS.iter().chain(&zetas::GAMMAS).chain(&[zetas::R2, zetas::R2_OVER_128]);
    for &b in factors {
        for a in i16::MIN..=i16::MAX {
            let r = montgomery_mul(a, b);
            assert_eq!(modulo(i64::from(r) << 16), modulo(i64::from(a) * i64::from(b)));
            assert!(i32::from(r).abs() < Q32);
        }
    }
}

/// A kernel that reduces, over all of i16.
fn whole_domain() -> impl Iterator<Item = [i16; 256]> {
    (i16::MIN..=i16::MAX).step_by(256).map(|base| core::array::from_fn(|i| base + i as i16))
}

backend_test! {
    fn reduce_over_its_whole_domain<B>(b) {
        for input in whole_domain() {
            let mut f = NttPoly(input);
            b.reduce(&mut f);
            for (r, a) in f.0.iter().zip(input) {
                assert_eq!(i64::from(*r), modulo(a.into()));
            }
        }
    }
}

backend_test! {
    fn scale_add<B>(b) {
        let mut rng = TestRng(11);
        let r = 1 << 16;
        for t in (1 - 8 * Q32..8 * Q32).step_by(256) {
            let t: [i16; 256] = core::array::from_fn(|i| (t + i as i32).min(8 * Q32 - 1) as i16);
            let e = rng.signed(8 * Q32 + 1);
            let mut out = NttPoly(t);
            b.scale_add(&mut out, &NttPoly(e));
            for i in 0..256 {
                assert_eq!(i64::from(out.0[i]), modulo(i64::from(t[i]) * r + i64::from(e[i])));
            }
        }
    }
}

backend_test! {
    fn ntt_is_its_definition<B>(b) {
        let mut rng = TestRng(12);
        for round in 0..60 {
            let f = match round {
                0 => [(Q - 1) as i16; 256],
                1 => [1 - Q as i16; 256],
                2..20 => core::array::from_fn(|i| i16::from(i == 13 * round)),
                _ => rng.signed(Q32),
            };
            let mut f_hat = NttPoly::ZERO;
            b.ntt(&Poly(f), &mut f_hat);
            assert_eq!(widen(&f_hat.0), schoolbook::ntt(&f));
            assert!(f_hat.0.iter().all(|&c| i32::from(c).abs() < 8 * Q32));
        }
    }
}

backend_test! {
    /// NTT⁻¹ undoes the NTT but for the factor R that a product takes away.
    fn inverse<B>(b) {
        let mut rng = TestRng(13);
        for _ in 0..100 {
            let f = rng.signed(Q32);
            let (mut f_hat, mut back) = (NttPoly::ZERO, Poly::ZERO);
            b.ntt(&Poly(f), &mut f_hat);
            b.reduce(&mut f_hat);
            b.inv_ntt(&f_hat, &mut back);
            assert_eq!(widen(&back.0), widen(&f).map(|c| modulo(c << 16)));
        }
        // At the bound.
        for sign in [-1, 1] {
            let extreme = NttPoly([(sign * (9 * Q32 / 2)) as i16; 256]);
            let mut reduced = extreme;
            b.reduce(&mut reduced);
            let (mut out, mut expected) = (Poly::ZERO, Poly::ZERO);
            b.inv_ntt(&extreme, &mut out);
            b.inv_ntt(&reduced, &mut expected);
            assert_eq!(widen(&out.0), widen(&expected.0));
            assert!(out.0.iter().all(|&c| i32::from(c).abs() < Q32));
        }
    }
}

backend_test! {
    fn mul_cache<B>(b) {
        let mut rng = TestRng(14);
        for _ in 0..100 {
            let f = rng.signed(8 * Q32 + 1);
            let mut cache = MulCache::ZERO;
            b.mul_cache(&NttPoly(f), &mut cache);
            for i in 0..128 {
                let (even, odd) = (cache.0[2 * i], cache.0[2 * i + 1]);
                assert_eq!(even, f[2 * i]);
                assert_eq!(modulo(odd.into()), modulo(i64::from(f[2 * i + 1]) * schoolbook::gamma(i)));
                assert!(i32::from(odd).abs() < Q32);
            }
        }
    }
}

backend_test! {
    fn dot_products<B>(b) {
        let mut rng = TestRng(15);
        for round in 0..60 {
            let k = 2 + round % 3;
            let (mut fs, mut gs, mut caches) = (Vec::new(), Vec::new(), Vec::new());
            let mut expected = [0; 256];
            for _ in 0..k {
                let (f, g) = match round {
                    0..6 => ([4095; 256], [(8 * Q32) as i16; 256]),
                    6..12 => ([4095; 256], [-(8 * Q32) as i16; 256]),
                    _ => (rng.unsigned(4096), rng.signed(8 * Q32 + 1)),
                };
                let product = schoolbook::base_multiply(&widen(&f), &widen(&g));
                for (sum, p) in expected.iter_mut().zip(product) {
                    *sum = modulo(*sum + p * R_INV);
                }
                let mut cache = MulCache::ZERO;
                b.mul_cache(&NttPoly(g), &mut cache);
                fs.push(NttPoly(f));
                gs.push(NttPoly(g));
                caches.push(cache);
            }
            let fs: Vec<&NttPoly> = fs.iter().collect();
            let mut out = NttPoly::ZERO;
            b.dot(&fs, &gs, &caches, &mut out);
            assert_eq!(widen(&out.0), expected);
            assert!(out.0.iter().all(|&c| i32::from(c).abs() <= 9 * Q32 / 2));
        }
    }
}

backend_test! {
    /// NTT, product and inverse together are the product in R_q.
    fn product_in_r_q<B>(b) {
        let mut rng = TestRng(16);
        for _ in 0..20 {
            let (f, g) = (rng.signed(Q32), rng.signed(Q32));
            let (mut f_hat, mut g_hat) = (NttPoly::ZERO, NttPoly::ZERO);
            b.ntt(&Poly(f), &mut f_hat);
            b.reduce(&mut f_hat);
            b.ntt(&Poly(g), &mut g_hat);
            let (mut cache, mut product, mut out) = (MulCache::ZERO, NttPoly::ZERO, Poly::ZERO);
            b.mul_cache(&g_hat, &mut cache);
            let zero = (NttPoly::ZERO, MulCache::ZERO);
            b.dot(&[&f_hat, &zero.0], &[g_hat, zero.0], &[cache, zero.1], &mut product);
            b.inv_ntt(&product, &mut out);
            assert_eq!(widen(&out.0), schoolbook::multiply(&widen(&f), &widen(&g)));
        }
    }
}
