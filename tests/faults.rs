//! Faults that ML-KEM implementations have shipped with, and cases that the public vectors leave
//! out, for every backend.

mod common;

use common::case::{Case, check_batch};
use common::model::{self, set_coefficient};
use common::{
    Expanded, ShakeRng, decapsulate_batch, decapsulate_many, filled, for_each_backend,
    for_each_set, keys, params, short, slots,
};
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, Error, ParameterSet,
    Seed,
};

fn flip<P: ParameterSet>(ct: &Ciphertext<P>, bit: usize) -> Ciphertext<P> {
    let mut bytes = ct.as_bytes().to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    Ciphertext::from_bytes(&bytes).unwrap()
}

/// A comparison that leaves out a part of the ciphertext accepts a forgery there.
fn flipped_ciphertexts<P: ParameterSet>() {
    let mut rng = ShakeRng::new(b"flips");
    let seed = rng.seed();
    let m = rng.bytes();
    let z = &seed.as_bytes()[32..];
    let seeds = rng.seeds(P::CIPHERTEXT_LEN);
    let ms = rng.messages(P::CIPHERTEXT_LEN);
    for_each_backend(|backend| {
        let dk = DecapsulationKey::<P>::from_seed(&seed);
        let compact = dk.to_compact();
        let (ct, key) = dk.encapsulation_key().encapsulate_with(&m);
        assert_eq!(dk.decapsulate(&ct), key);
        assert_eq!(compact.decapsulate(&ct), key);

        // One key, every bit; or, in a short run, one in every byte or nearly.
        let step = if short() { 9 } else { 1 };
        let forged: Vec<_> =
            (0..8 * P::CIPHERTEXT_LEN).step_by(step).map(|bit| flip(&ct, bit)).collect();
        let expected: Vec<_> = forged.iter().map(|ct| model::j(z, ct.as_bytes())).collect();
        assert!(decapsulate_many(&dk, &forged) == expected);
        for (forged, expected) in forged.iter().zip(&expected) {
            assert_eq!(dk.decapsulate(forged).as_bytes(), expected);
            assert_eq!(compact.decapsulate(forged).as_bytes(), expected);
        }

        // As many keys as bytes: byte i flipped in the ciphertext for key i.
        let dks = keys::<P>(&seeds);
        let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
        let mut pairs = slots(dks.len());
        EncapsulationKey::encapsulate_batch_with(&eks, &ms, &mut pairs).unwrap();
        let forged_each: Vec<_> =
            filled(pairs).iter().enumerate().map(|(i, (ct, _))| flip(ct, 8 * i + i % 8)).collect();
        let expected: Vec<_> = seeds
            .iter()
            .zip(&forged_each)
            .map(|(seed, ct)| model::j(&seed.as_bytes()[32..], ct.as_bytes()))
            .collect();
        assert!(decapsulate_batch(&dks, &forged_each) == expected);
        println!(
            "faults backend={} set={} flipped={}",
            backend.name(),
            P::NAME,
            forged.len() + forged_each.len()
        );
    });
}

#[test]
fn every_flipped_bit_gives_the_rejection_key() {
    for_each_set!(flipped_ciphertexts());
}

fn import_error<P: ParameterSet>(dk: &[u8]) -> Option<Error> {
    let prepared = DecapsulationKey::<P>::from_expanded_bytes(dk).err();
    let compact = CompactDecapsulationKey::<P>::from_expanded_bytes(dk).err();
    let ct = Ciphertext::<P>::from_bytes(&vec![0; P::CIPHERTEXT_LEN]).unwrap();
    let at_once = DecapsulationKey::<P>::decapsulate_from_expanded_bytes(dk, &ct).err();
    assert_eq!(prepared, compact);
    assert_eq!(prepared, at_once);
    prepared
}

/// The same key with its hash put right.
fn rehash<P: ParameterSet>(dk: &mut [u8]) {
    let (ek, hash) = dk[384 * P::K..].split_at_mut(P::ENCAPSULATION_KEY_LEN);
    hash[..32].copy_from_slice(&model::h(ek));
}

/// NIST's first invalid keys had wrong lengths, so that no modulus check was needed to refuse them.
fn unreduced_coefficients<P: ParameterSet>() {
    let mut rng = ShakeRng::new(b"modulus");
    let (ek, dk) = model::keygen(params::<P>(), &rng.bytes(), &rng.bytes());
    let check = |ek: &[u8]| EncapsulationKey::<P>::from_bytes(ek).err();
    for_each_backend(|backend| {
        let mut refused = 0;
        for i in 0..256 * P::K {
            for value in [3329, 3330, 3333, 4095] {
                let mut bad = ek.clone();
                set_coefficient(&mut bad, i, value);
                assert_eq!(check(&bad), Some(Error::EncapsulationKeyModulus), "{value} at {i}");
                refused += 1;
            }
            let mut good = ek.clone();
            set_coefficient(&mut good, i, 3328);
            assert_eq!(check(&good), None, "3328 at {i}");

            let mut bad = dk.clone();
            set_coefficient(&mut bad[384 * P::K..], i, 3329);
            rehash::<P>(&mut bad);
            assert_eq!(import_error::<P>(&bad), Some(Error::EncapsulationKeyModulus), "{i}");
        }

        let (mut largest, mut largest_dk) = (ek.clone(), dk.clone());
        for i in 0..256 * P::K {
            set_coefficient(&mut largest, i, 3328);
            set_coefficient(&mut largest_dk[384 * P::K..], i, 3328);
        }
        rehash::<P>(&mut largest_dk);
        assert_eq!(check(&largest), None);
        assert_eq!(import_error::<P>(&largest_dk), None);
        println!("faults backend={} set={} unreduced={refused}", backend.name(), P::NAME);
    });
}

#[test]
fn every_coefficient_must_be_reduced() {
    for_each_set!(unreduced_coefficients());
}

/// §7.3 binds ek to its hash; it cannot see a change of the secret or of z.
fn changed_keys<P: ParameterSet>() {
    let mut rng = ShakeRng::new(b"hash");
    let (ek, dk) = model::keygen(params::<P>(), &rng.bytes(), &rng.bytes());
    let start = 384 * P::K;
    let hash = start + ek.len();
    for_each_backend(|backend| {
        assert_eq!(import_error::<P>(&dk), None);
        let mut refused = 0;
        for i in start..hash + 32 {
            let mut bad = dk.clone();
            bad[i] ^= 1 << (i % 8);
            let ek = &bad[start..hash];
            let expected = match (EncapsulationKey::<P>::from_bytes(ek), import_error::<P>(&bad)) {
                (Err(_), Some(error)) => error, // both checks fail; which is named first is open
                _ => Error::DecapsulationKeyHash,
            };
            assert_eq!(import_error::<P>(&bad), Some(expected), "byte {i}");
            refused += 1;
        }
        for i in hash + 32..dk.len() {
            let mut changed = dk.clone();
            changed[i] ^= 1 << (i % 8);
            let key = DecapsulationKey::<P>::from_expanded_bytes(&changed).unwrap();
            assert_eq!(key.expanded(), changed);
            let compact = CompactDecapsulationKey::<P>::from_expanded_bytes(&changed).unwrap();
            assert_eq!(compact.expanded(), changed);
        }
        println!("faults backend={} set={} wrong_hash={refused}", backend.name(), P::NAME);
    });
}

#[test]
fn a_wrong_hash_is_refused() {
    for_each_set!(changed_keys());
}

/// Every length from 0 to one too many, as the start of valid bytes.
fn lengths<P: ParameterSet>() {
    fn check(valid: &[u8], error: Error, parse: impl Fn(&[u8]) -> Option<Error>) {
        let bytes = [valid, &[0]].concat();
        for len in 0..=bytes.len() {
            let expected = if len == valid.len() { None } else { Some(error) };
            assert_eq!(parse(&bytes[..len]), expected, "length {len}");
        }
    }
    let mut rng = ShakeRng::new(b"lengths");
    let (ek, dk) = model::keygen(params::<P>(), &rng.bytes(), &rng.bytes());
    let ct = rng.vec(P::CIPHERTEXT_LEN);
    for_each_backend(|_| {
        check(&ek, Error::EncapsulationKeyLength, |b| EncapsulationKey::<P>::from_bytes(b).err());
        check(&ek, Error::EncapsulationKeyLength, |b| EncapsulationKey::<P>::try_from(b).err());
        check(&dk, Error::DecapsulationKeyLength, import_error::<P>);
        check(&ct, Error::CiphertextLength, |b| Ciphertext::<P>::from_bytes(b).err());
        check(&[7; 64], Error::SeedLength, |b| Seed::try_from(b).err());
    });
}

#[test]
fn every_wrong_length_is_refused() {
    for_each_set!(lengths());
}

/// Seeds d = counter (little-endian, zeros after it) whose matrix has an entry that three XOF
/// blocks do not fill. Together they cover every entry; the last two have two in one matrix.
fn fourth_block<P: ParameterSet>() -> &'static [u32] {
    match P::K {
        2 => &[72, 74, 144, 156, 5444, 10305],
        3 => &[16, 29, 33, 83, 211, 223, 259, 364, 572, 419, 1189],
        _ => &[0, 6, 42, 44, 59, 60, 65, 69, 105, 109, 198, 210, 249, 308, 416, 152, 153],
    }
}

/// Seeds with an entry that three blocks fill to the last coefficient and no further.
fn exactly_filled<P: ParameterSet>() -> &'static [u32] {
    match P::K {
        2 => &[8, 173],
        3 => &[39, 98],
        _ => &[4],
    }
}

fn unlucky_seeds<P: ParameterSet>() {
    let mut rng = ShakeRng::new(b"unlucky");
    let mut covered = vec![false; P::K * P::K];
    let mut counts = vec![];
    let mut unlucky = vec![];
    for &counter in fourth_block::<P>().iter().chain(exactly_filled::<P>()) {
        let mut seed = rng.bytes::<64>();
        seed[..32].fill(0);
        seed[..4].copy_from_slice(&counter.to_le_bytes());
        let (rho, _) = model::expand_d(P::K, seed.first_chunk().unwrap());
        let accepted: Vec<_> = (0..P::K * P::K)
            .map(|n| model::accepted_in_three_blocks(&rho, n / P::K, n % P::K))
            .collect();
        if fourth_block::<P>().contains(&counter) {
            assert!(accepted.iter().any(|&n| n < 256), "{counter}");
        }
        if exactly_filled::<P>().contains(&counter) {
            assert!(accepted.contains(&256), "{counter}");
        }
        for (covered, &n) in covered.iter_mut().zip(&accepted) {
            *covered |= n < 256;
        }
        counts.extend(accepted);
        unlucky.push(Case::<P>::new(seed, rng.bytes(), rng.ciphertext()));
    }
    assert!(covered.iter().all(|&c| c), "{covered:?}");
    assert!(counts.contains(&255), "no entry lacks exactly one coefficient");

    let ordinary: Vec<_> = (0..8).map(|_| Case::<P>::random(&mut rng)).collect();
    for_each_backend(|backend| {
        unlucky.iter().for_each(Case::check_single);
        check_batch(&unlucky.iter().collect::<Vec<_>>());
        // Among others, in every lane, where the rest of the lanes need no fourth block.
        for case in &unlucky {
            for lane in 0..=ordinary.len() {
                let (before, after) = ordinary.split_at(lane);
                check_batch(&before.iter().chain([case]).chain(after).collect::<Vec<_>>());
            }
        }
        println!("faults backend={} set={} unlucky={}", backend.name(), P::NAME, unlucky.len());
    });
}

#[test]
fn a_fourth_xof_block_is_squeezed() {
    for_each_set!(unlucky_seeds());
}
