//! The crate against the model, on random and on extreme inputs, for every backend.

mod common;

use common::case::{Case, check_batch};
use common::model::{self, set_coefficient};
use common::{
    Expanded, ShakeRng, decapsulate_batch, decapsulate_many, for_each_backend, for_each_set, pair,
    params, short,
};
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, ParameterSet,
};
use proptest::prelude::*;
use std::iter::repeat_n;

const Q: u16 = model::Q as u16;

const RANDOM_CASES: usize = 300;

fn random_cases<P: ParameterSet>() {
    let mut rng = ShakeRng::new(P::NAME.as_bytes());
    let random = if short() { RANDOM_CASES / 10 } else { RANDOM_CASES };
    let mut cases: Vec<_> = (0..random).map(|_| Case::<P>::random(&mut rng)).collect();
    // Bytes all equal, in d ‖ z, in m and in the forged ciphertext.
    for byte in [0x00, 0x01, 0x55, 0x80, 0xaa, 0xff] {
        let forged = Ciphertext::from_bytes(&vec![byte; P::CIPHERTEXT_LEN]).unwrap();
        cases.push(Case::new([byte; 64], [byte; 32], forged.clone()));
        cases.push(Case::new(rng.bytes(), [byte; 32], forged));
    }
    for_each_backend(|backend| {
        cases.iter().for_each(Case::check_single);
        check_batch(&cases.iter().collect::<Vec<_>>());
        println!("model backend={} set={} cases={}", backend.name(), P::NAME, cases.len());
    });
}

#[test]
fn agrees_on_random_cases() {
    for_each_set!(random_cases());
}

/// A vector in ByteEncode12 form.
fn encode(coefficients: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let coefficients: Vec<_> = coefficients.into_iter().collect();
    let mut bytes = vec![0; coefficients.len() / 2 * 3];
    for (i, &c) in coefficients.iter().enumerate() {
        set_coefficient(&mut bytes, i, c);
    }
    bytes
}

/// An expanded key that passes §7.3, from parts that need not have anything to do with each other.
fn assemble(s: &[u8], ek: &[u8], z: &[u8; 32]) -> Vec<u8> {
    [s, ek, &model::h(ek), z].concat()
}

/// Encapsulation to `ek` and decapsulation of `ct` with `dk`, which the model must agree with; a
/// key pair that is not one makes the decapsulation of `ct` a rejection, which is fine too.
fn check_keys<P: ParameterSet>(dk: &[u8], m: &[u8; 32], ct: &Ciphertext<P>) {
    let p = params::<P>();
    let ek = &dk[384 * P::K..][..P::ENCAPSULATION_KEY_LEN];
    let encapsulated = model::encaps(p, ek, m);
    let honest = Ciphertext::<P>::from_bytes(&encapsulated.0).unwrap();
    let expected = [&honest, ct].map(|ct| model::decaps(p, dk, ct.as_bytes()));
    for_each_backend(|_| {
        let ek = EncapsulationKey::<P>::from_bytes(ek).unwrap();
        assert_eq!(pair(&ek.encapsulate_with(m)), encapsulated);
        assert_eq!(pair(&ek.prepare().encapsulate_with(m)), encapsulated);

        let import = || DecapsulationKey::<P>::from_expanded_bytes(dk).unwrap();
        let compact = CompactDecapsulationKey::<P>::from_expanded_bytes(dk).unwrap();
        let key = import();
        for (ct, expected) in [&honest, ct].iter().zip(&expected) {
            assert_eq!(key.decapsulate(ct).as_bytes(), expected);
            assert_eq!(compact.decapsulate(ct).as_bytes(), expected);
            let keys: Vec<_> = (0..9).map(|_| import()).collect();
            let cts = vec![(*ct).clone(); 9];
            assert_eq!(decapsulate_batch(&keys, &cts), [*expected; 9]);
            assert_eq!(decapsulate_many(&key, &cts), [*expected; 9]);
        }
    });
}

/// Every coefficient at an end of its range, where lazy reductions overflow if they ever do.
/// s may be 4095: FIPS 203 checks only ek, and ByteDecode12 reduces.
fn extremes<P: ParameterSet>() {
    let n = 256 * P::K;
    let mut rng = ShakeRng::new(b"extremes");
    for t in [0, 1, Q / 2, Q / 2 + 1, Q - 1] {
        for s in [0, 1, Q / 2, Q - 1, Q, 4095] {
            let ek = [encode(repeat_n(t, n)), rng.vec(32)].concat();
            let dk = assemble(&encode(repeat_n(s, n)), &ek, &rng.bytes());
            for byte in [0x00, 0xff] {
                let ct = Ciphertext::<P>::from_bytes(&vec![byte; P::CIPHERTEXT_LEN]).unwrap();
                check_keys(&dk, &[byte; 32], &ct);
            }
        }
    }
}

#[test]
fn agrees_on_extreme_keys_and_ciphertexts() {
    for_each_set!(extremes());
}

/// Adding q where 12 bits have room for it changes the bytes of s and nothing else.
fn unreduced<P: ParameterSet>() {
    let mut rng = ShakeRng::new(b"unreduced");
    let p = params::<P>();
    for _ in 0..20 {
        let (ek, reduced) = model::keygen(p, &rng.bytes(), &rng.bytes());
        let mut dk = reduced.clone();
        let (s, _) = dk.split_at_mut(384 * P::K);
        let mut changed = 0;
        for i in 0..256 * P::K {
            let pair = &s[i / 2 * 3..];
            let c = [u16::from(pair[0]), u16::from(pair[1]), u16::from(pair[2])];
            let c = if i % 2 == 0 { c[0] | (c[1] & 15) << 8 } else { c[1] >> 4 | c[2] << 4 };
            if c < 4096 - Q {
                set_coefficient(s, i, c + Q);
                changed += 1;
            }
        }
        assert!(changed > 20 * P::K);
        let m = rng.bytes();
        let (ct, key) = model::encaps(p, &ek, &m);
        assert_eq!(model::decaps(p, &dk, &ct), key);
        check_keys(&dk, &m, &rng.ciphertext::<P>());

        // Exported, it is the key as it came or reduced.
        for_each_backend(|_| {
            let key = DecapsulationKey::<P>::from_expanded_bytes(&dk).unwrap();
            let compact = CompactDecapsulationKey::<P>::from_expanded_bytes(&dk).unwrap();
            let (from_key, from_compact) = (key.to_compact(), compact.prepare());
            let exports: [&dyn Expanded; 4] = [&key, &compact, &from_key, &from_compact];
            for export in exports.map(Expanded::expanded) {
                assert!(export == dk || export == reduced);
            }
        });
    }
}

#[test]
fn reduces_the_secret_of_an_imported_key() {
    for_each_set!(unreduced());
}

#[derive(Debug)]
struct Parts {
    s: Vec<u16>,
    t: Vec<u16>,
    rho: [u8; 32],
    z: [u8; 32],
    m: [u8; 32],
    ct: Vec<u8>,
}

fn parts<P: ParameterSet>() -> impl Strategy<Value = Parts> {
    let n = 256 * P::K;
    let s = prop_oneof![0..4096u16, Just(4095), Just(0)];
    let t = prop_oneof![0..Q, Just(Q - 1), Just(0)];
    let bytes = || any::<[u8; 32]>();
    let vectors = (prop::collection::vec(s, n), prop::collection::vec(t, n));
    (vectors, bytes(), bytes(), bytes(), prop::collection::vec(any::<u8>(), P::CIPHERTEXT_LEN))
        .prop_map(|((s, t), rho, z, m, ct)| Parts { s, t, rho, z, m, ct })
}

fn check_parts<P: ParameterSet>(parts: &Parts) {
    let ek = [encode(parts.t.iter().copied()), parts.rho.to_vec()].concat();
    let dk = assemble(&encode(parts.s.iter().copied()), &ek, &parts.z);
    check_keys::<P>(&dk, &parts.m, &Ciphertext::from_bytes(&parts.ct).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn agrees_on_any_importable_key_512(parts in parts::<lanekem::MlKem512>()) {
        check_parts::<lanekem::MlKem512>(&parts);
    }

    #[test]
    fn agrees_on_any_importable_key_768(parts in parts::<lanekem::MlKem768>()) {
        check_parts::<lanekem::MlKem768>(&parts);
    }

    #[test]
    fn agrees_on_any_importable_key_1024(parts in parts::<lanekem::MlKem1024>()) {
        check_parts::<lanekem::MlKem1024>(&parts);
    }
}
