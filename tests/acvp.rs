//! NIST's ACVP vectors for ML-KEM, through single and batch calls of every backend.

mod common;

use common::model;
use common::{
    Expanded, decapsulate_batch, decapsulate_many, filled, for_each_backend, for_each_set, keys,
    pair, params, slots, unhex,
};
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, Error, MlKem512,
    MlKem768, MlKem1024, ParameterSet, Seed,
};
use serde_json::Value;

const KEYGEN: &str = include_str!("../kat/acvp/ML-KEM-keyGen-FIPS203.json");
const ENCAP_DECAP: &str = include_str!("../kat/acvp/ML-KEM-encapDecap-FIPS203.json");

#[derive(Default, Debug, PartialEq)]
struct Counts {
    keygen: usize,
    encaps: usize,
    decaps: usize,
    keycheck: usize,
}

fn field(test: &Value, name: &str) -> Vec<u8> {
    unhex(test[name].as_str().unwrap())
}

fn array(test: &Value, name: &str) -> [u8; 32] {
    field(test, name).try_into().unwrap()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

#[test]
fn acvp() {
    let files = [KEYGEN, ENCAP_DECAP].map(|text| serde_json::from_str::<Value>(text).unwrap());
    for_each_backend(|backend| {
        let mut counts = Counts::default();
        for file in &files {
            for group in list(file, "testGroups") {
                match group["parameterSet"].as_str().unwrap() {
                    "ML-KEM-512" => run_group::<MlKem512>(group, &mut counts),
                    "ML-KEM-768" => run_group::<MlKem768>(group, &mut counts),
                    "ML-KEM-1024" => run_group::<MlKem1024>(group, &mut counts),
                    other => panic!("unknown parameter set {other}"),
                }
            }
        }
        assert_eq!(counts, Counts { keygen: 75, encaps: 75, decaps: 30, keycheck: 60 });
        println!(
            "acvp backend={} keygen={} encaps={} decaps={} keycheck={}",
            backend.name(),
            counts.keygen,
            counts.encaps,
            counts.decaps,
            counts.keycheck
        );
    });
}

/// What the other suites compare with.
#[test]
fn the_model_passes_too() {
    fn check<P: ParameterSet>() {
        let p = params::<P>();
        for text in [KEYGEN, ENCAP_DECAP] {
            let file: Value = serde_json::from_str(text).unwrap();
            for group in list(&file, "testGroups") {
                if group["parameterSet"] != P::NAME {
                    continue;
                }
                for test in list(group, "tests") {
                    match group["function"].as_str() {
                        None => assert_eq!(
                            model::keygen(p, &array(test, "d"), &array(test, "z")),
                            (field(test, "ek"), field(test, "dk"))
                        ),
                        Some("encapsulation") => assert_eq!(
                            model::encaps(p, &field(test, "ek"), &array(test, "m")),
                            (field(test, "c"), array(test, "k"))
                        ),
                        Some("decapsulation") => assert_eq!(
                            model::decaps(p, &field(test, "dk"), &field(test, "c")),
                            array(test, "k")
                        ),
                        _ => {} // the model does not check keys
                    }
                }
            }
        }
    }
    for_each_set!(check());
}

fn run_group<P: ParameterSet>(group: &Value, counts: &mut Counts) {
    let tests = list(group, "tests");
    match group["function"].as_str() {
        None => counts.keygen += keygen::<P>(tests),
        Some("encapsulation") => counts.encaps += encapsulation::<P>(tests),
        Some("decapsulation") => counts.decaps += decapsulation::<P>(tests),
        Some("encapsulationKeyCheck") => counts.keycheck += encapsulation_key_check::<P>(tests),
        Some("decapsulationKeyCheck") => counts.keycheck += decapsulation_key_check::<P>(tests),
        Some(other) => panic!("unknown function {other}"),
    }
}

fn keygen<P: ParameterSet>(tests: &[Value]) -> usize {
    let seeds: Vec<_> = tests
        .iter()
        .map(|t| Seed::try_from(&[field(t, "d"), field(t, "z")].concat()[..]).unwrap())
        .collect();
    let batch = keys::<P>(&seeds);
    for ((test, seed), from_batch) in tests.iter().zip(&seeds).zip(&batch) {
        let (ek, dk) = (field(test, "ek"), field(test, "dk"));
        let key = DecapsulationKey::<P>::from_seed(seed);
        let compact = CompactDecapsulationKey::<P>::from_seed(seed);
        for key in [&key, from_batch, &compact.prepare()] {
            assert_eq!(key.encapsulation_key().as_bytes(), ek, "tcId {}", test["tcId"]);
            assert_eq!(key.expanded(), dk, "tcId {}", test["tcId"]);
        }
        for key in [&compact, &key.to_compact()] {
            assert_eq!(key.encapsulation_key().as_bytes(), ek, "tcId {}", test["tcId"]);
            assert_eq!(key.expanded(), dk, "tcId {}", test["tcId"]);
        }
    }
    tests.len()
}

fn encapsulation<P: ParameterSet>(tests: &[Value]) -> usize {
    let eks: Vec<_> =
        tests.iter().map(|t| EncapsulationKey::<P>::from_bytes(&field(t, "ek")).unwrap()).collect();
    let ms: Vec<_> = tests.iter().map(|t| array(t, "m")).collect();
    let mut batch = slots(tests.len());
    EncapsulationKey::encapsulate_batch_with(&eks, &ms, &mut batch).unwrap();
    let batch = filled(batch);

    for (i, test) in tests.iter().enumerate() {
        let expected = (field(test, "c"), array(test, "k"));
        let prepared = eks[i].prepare();
        // One key for the messages of all tests, of which only its own has a vector.
        let mut many = slots(ms.len());
        prepared.encapsulate_many_with(&ms, &mut many).unwrap();
        let many = filled(many);
        for (m, from_many) in ms.iter().zip(&many) {
            assert_eq!(pair(from_many), pair(&eks[i].encapsulate_with(m)));
        }
        let single = [eks[i].encapsulate_with(&ms[i]), prepared.encapsulate_with(&ms[i])];
        for got in single.iter().chain([&batch[i], &many[i]]) {
            assert_eq!(pair(got), expected, "tcId {}", test["tcId"]);
        }
        let dk = DecapsulationKey::<P>::from_expanded_bytes(&field(test, "dk")).unwrap();
        assert_eq!(dk.decapsulate(&batch[i].0).as_bytes(), &expected.1, "tcId {}", test["tcId"]);
    }
    tests.len()
}

fn decapsulation<P: ParameterSet>(tests: &[Value]) -> usize {
    let dks: Vec<_> = tests
        .iter()
        .map(|t| DecapsulationKey::<P>::from_expanded_bytes(&field(t, "dk")).unwrap())
        .collect();
    let cts: Vec<_> =
        tests.iter().map(|t| Ciphertext::<P>::from_bytes(&field(t, "c")).unwrap()).collect();
    let batch = decapsulate_batch(&dks, &cts);

    for (i, test) in tests.iter().enumerate() {
        let expected = array(test, "k");
        let compact =
            CompactDecapsulationKey::<P>::from_expanded_bytes(&field(test, "dk")).unwrap();
        let many = decapsulate_many(&dks[i], &cts);
        for (ct, from_many) in cts.iter().zip(&many) {
            assert_eq!(from_many, dks[i].decapsulate(ct).as_bytes());
        }
        let at_once =
            DecapsulationKey::<P>::decapsulate_from_expanded_bytes(&field(test, "dk"), &cts[i]);
        let single = [dks[i].decapsulate(&cts[i]), compact.decapsulate(&cts[i]), at_once.unwrap()];
        for got in single.iter().map(|key| key.as_bytes()).chain([&batch[i], &many[i]]) {
            assert_eq!(got, &expected, "tcId {}", test["tcId"]);
        }
    }
    tests.len()
}

fn expected_outcome(test: &Value, error: Error) -> Result<(), Error> {
    if test["testPassed"].as_bool().unwrap() { Ok(()) } else { Err(error) }
}

fn encapsulation_key_check<P: ParameterSet>(tests: &[Value]) -> usize {
    for test in tests {
        let ek = field(test, "ek");
        assert_eq!(ek.len(), P::ENCAPSULATION_KEY_LEN);
        let expected = expected_outcome(test, Error::EncapsulationKeyModulus);
        for got in [EncapsulationKey::<P>::from_bytes(&ek), EncapsulationKey::try_from(&ek[..])] {
            assert_eq!(got.map(|key| assert_eq!(key.as_bytes(), ek)), expected);
        }
    }
    tests.len()
}

fn decapsulation_key_check<P: ParameterSet>(tests: &[Value]) -> usize {
    for test in tests {
        let dk = field(test, "dk");
        assert_eq!(dk.len(), P::EXPANDED_KEY_LEN);
        let expected = expected_outcome(test, Error::DecapsulationKeyHash);
        let key = DecapsulationKey::<P>::from_expanded_bytes(&dk);
        assert_eq!(key.map(|key| assert_eq!(key.expanded(), dk)), expected);
        let ct = Ciphertext::<P>::from_bytes(&vec![0; P::CIPHERTEXT_LEN]).unwrap();
        let at_once = DecapsulationKey::<P>::decapsulate_from_expanded_bytes(&dk, &ct);
        assert_eq!(at_once.map(drop), expected);
        let compact = CompactDecapsulationKey::<P>::from_expanded_bytes(&dk);
        assert_eq!(compact.map(|key| assert_eq!(key.expanded(), dk)), expected);
    }
    tests.len()
}
