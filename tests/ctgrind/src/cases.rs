//! The operations of one parameter set. Every case also shows that the secrets were secrets, by their
//! traces in the output, and that the operation gave the right result.

use crate::Suite;
use crate::taint::{self, Rng};
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, Error, ParameterSet,
    Seed, SharedSecret,
};
use std::array;
use subtle::ConstantTimeEq;

/// Full passes over 8 and over 4 lanes, and one that is not full.
pub(crate) const BATCH: usize = 11;

pub(crate) fn run<P: ParameterSet>(suite: &mut Suite) {
    keygen::<P>(suite);
    encaps::<P>(suite);
    decaps::<P>(suite);
    forms::<P>(suite);
    parse::<P>(suite);
}

/// Equality of shared secrets, which belongs to no parameter set.
pub(crate) fn shared_secret(suite: &mut Suite) {
    let (ek, mut rng) = (public_key::<lanekem::MlKem512>(), Rng::secret(2));
    let [(_, a), (_, b)] = array::from_fn(|_| ek.encapsulate(&mut rng));
    suite.case("op=ct_eq", || {
        for (other, expected) in [(&a, 1), (&b, 0)] {
            let equal = [a.ct_eq(other).unwrap_u8()];
            assert!(taint::is_secret(&equal));
            assert_eq!(taint::published(equal), [expected]);
        }
    });
}

fn keygen<P: ParameterSet>(suite: &mut Suite) {
    let name = |rest: &str| format!("set={} op=keygen {rest}", P::NAME);
    let mut rng = Rng::secret(3);
    let seeds: [Seed; BATCH] = array::from_fn(|_| rng.bytes().into());
    suite.case(&name("form=prepared single"), || {
        publish(DecapsulationKey::<P>::generate(&mut rng).encapsulation_key());
        publish(DecapsulationKey::<P>::from_seed(&seeds[0]).encapsulation_key());
    });
    suite.case(&name("form=compact single"), || {
        publish(CompactDecapsulationKey::<P>::generate(&mut rng).encapsulation_key());
        publish(CompactDecapsulationKey::<P>::from_seed(&seeds[0]).encapsulation_key());
    });
    suite.case(&name("form=prepared batch"), || {
        let mut keys = [const { None }; BATCH];
        DecapsulationKey::<P>::generate_batch(&mut rng, &mut keys);
        keys.iter().flatten().for_each(|key| publish(key.encapsulation_key()));
        DecapsulationKey::<P>::from_seed_batch(&seeds, &mut keys).unwrap();
        keys.iter().flatten().for_each(|key| publish(key.encapsulation_key()));
    });
}

/// Declassifies a public key that key generation has put out: ρ is public already, t̂ is not.
fn publish<P: ParameterSet>(ek: &EncapsulationKey<P>) {
    publish_ek::<P>(ek.as_bytes());
}

pub(crate) fn publish_ek<P: ParameterSet>(ek: &[u8]) {
    let (t, rho) = ek.split_at(P::ENCAPSULATION_KEY_LEN - 32);
    assert!(t.chunks(384).all(taint::is_secret) && !taint::is_secret(rho));
    taint::public(t);
    assert!(EncapsulationKey::<P>::from_bytes(ek).is_ok());
}

/// Some public key.
fn public_key<P: ParameterSet>() -> EncapsulationKey<P> {
    DecapsulationKey::<P>::generate(&mut Rng::public(4)).encapsulation_key().clone()
}

fn encaps<P: ParameterSet>(suite: &mut Suite) {
    let name = |rest: &str| format!("set={} op=encaps {rest}", P::NAME);
    let mut rng = Rng::secret(5);
    let key = DecapsulationKey::<P>::generate(&mut Rng::public(4));
    let ek = key.encapsulation_key();
    let prepared = ek.prepare();
    let check = |(c, secret): &(Ciphertext<P>, SharedSecret)| {
        let (u, v) = c.as_bytes().split_at(32 * P::DU * P::K);
        assert!(u.chunks(32 * P::DU).chain([v]).all(taint::is_secret));
        assert!(taint::is_secret(secret.as_bytes()));
        taint::public(c.as_bytes());
        let secret = taint::published(*secret.as_bytes());
        assert_eq!(*key.decapsulate(c).as_bytes(), secret);
    };
    suite.case(&name("form=bytes single"), || check(&ek.encapsulate(&mut rng)));
    suite.case(&name("form=prepared single"), || check(&prepared.encapsulate(&mut rng)));
    suite.case(&name("form=bytes batch"), || {
        let keys = [(); BATCH].map(|()| ek.clone());
        let mut out = [const { None }; BATCH];
        EncapsulationKey::encapsulate_batch(&keys, &mut rng, &mut out).unwrap();
        out.iter().for_each(|out| check(out.as_ref().unwrap()));
    });
    suite.case(&name("form=prepared batch"), || {
        let mut out = [const { None }; BATCH];
        prepared.encapsulate_many(&mut rng, &mut out);
        out.iter().for_each(|out| check(out.as_ref().unwrap()));
    });
}

/// Ciphertexts for a key as its owner gets them, public: valid ones with their secrets, and one
/// forgery each of the first byte, the last byte and all bytes.
struct Received<P: ParameterSet> {
    valid: [Ciphertext<P>; BATCH],
    secrets: [SharedSecret; BATCH],
    forged: [Ciphertext<P>; BATCH],
}

impl<P: ParameterSet> Received<P> {
    fn new(ek: &EncapsulationKey<P>) -> Self {
        let mut rng = Rng::public(6);
        let pairs: [_; BATCH] = array::from_fn(|_| ek.encapsulate(&mut rng));
        let valid = array::from_fn(|i| pairs[i].0.clone());
        let secrets = pairs.map(|(_, secret)| secret);
        let forged = array::from_fn(|i| {
            let mut bytes = Ciphertext::<P>::as_bytes(&valid[i]).to_vec();
            match i % 3 {
                0 => bytes[0] ^= 1,
                1 => *bytes.last_mut().unwrap() ^= 0x80,
                _ => bytes.iter_mut().for_each(|byte| *byte ^= 0x5a),
            }
            Ciphertext::from_bytes(&bytes).unwrap()
        });
        Self { valid, secrets, forged }
    }

    /// Checks the secret that came of ciphertext i.
    fn check(&self, i: usize, valid: bool, secret: &SharedSecret) {
        assert!(taint::is_secret(secret.as_bytes()));
        let secret = taint::published(*secret.as_bytes());
        assert_eq!(secret == *self.secrets[i].as_bytes(), valid);
    }
}

fn decaps<P: ParameterSet>(suite: &mut Suite) {
    let seed = Seed::from(Rng::secret(7).bytes());
    let key = DecapsulationKey::<P>::from_seed(&seed);
    let compact = CompactDecapsulationKey::<P>::from_seed(&seed);
    publish(key.encapsulation_key());
    publish(compact.encapsulation_key());
    let received = Received::new(key.encapsulation_key());
    for (kind, valid) in [("valid", true), ("forged", false)] {
        let name = |rest: &str| format!("set={} op=decaps ct={kind} {rest}", P::NAME);
        let ciphertexts = if valid { &received.valid } else { &received.forged };
        suite.case(&name("form=prepared single"), || {
            (0..3).for_each(|i| received.check(i, valid, &key.decapsulate(&ciphertexts[i])));
        });
        suite.case(&name("form=compact single"), || {
            (0..3).for_each(|i| received.check(i, valid, &compact.decapsulate(&ciphertexts[i])));
        });
        let mut out = [const { None }; BATCH];
        suite.case(&name("form=prepared batch of keys"), || {
            let keys: [_; BATCH] = array::from_fn(|_| DecapsulationKey::from_seed(&seed));
            DecapsulationKey::decapsulate_batch(&keys, ciphertexts, &mut out).unwrap();
            (0..BATCH).for_each(|i| received.check(i, valid, out[i].as_ref().unwrap()));
        });
        suite.case(&name("form=prepared batch of ciphertexts"), || {
            key.decapsulate_many(ciphertexts, &mut out).unwrap();
            (0..BATCH).for_each(|i| received.check(i, valid, out[i].as_ref().unwrap()));
        });
    }
}

/// Checks that ŝ and z of an expanded key are secret, and declassifies it.
fn publish_expanded<P: ParameterSet>(bytes: &[u8]) {
    assert!(bytes[..384 * P::K].chunks(384).all(taint::is_secret));
    assert!(taint::is_secret(&bytes[P::EXPANDED_KEY_LEN - 32..]));
    taint::public(bytes);
}

/// From one form of a key to another.
fn forms<P: ParameterSet>(suite: &mut Suite) {
    let name = |op: &str| format!("set={} op={op} single", P::NAME);
    let seed = Seed::from(Rng::secret(8).bytes());
    let key = DecapsulationKey::<P>::from_seed(&seed);
    let compact = CompactDecapsulationKey::<P>::from_seed(&seed);
    let expanded = DecapsulationKey::<P>::from_seed(&Rng::public(8).bytes().into());
    let expanded = expanded.to_expanded_bytes();
    let check = |bytes: &[u8]| {
        publish_expanded::<P>(bytes);
        assert_eq!(bytes, expanded.as_ref());
    };
    suite.case(&name("to_expanded form=prepared"), || check(key.to_expanded_bytes().as_ref()));
    suite.case(&name("to_expanded form=compact"), || check(compact.to_expanded_bytes().as_ref()));
    suite.case(&name("to_compact"), || check(key.to_compact().to_expanded_bytes().as_ref()));
    suite.case(&name("prepare"), || check(compact.prepare().to_expanded_bytes().as_ref()));
}

/// Import of expanded keys, ŝ and z secret.
fn parse<P: ParameterSet>(suite: &mut Suite) {
    let name = |rest: &str| format!("set={} op=parse {rest} single", P::NAME);
    let key = DecapsulationKey::<P>::generate(&mut Rng::public(9));
    let received = Received::new(key.encapsulation_key());
    let import = |wrong: Option<usize>| {
        let mut bytes = key.to_expanded_bytes();
        let bytes = (*bytes).as_mut();
        if let Some(at) = wrong {
            bytes[at..at + 2].fill(0xff);
        }
        taint::secret(&mut bytes[..384 * P::K]);
        taint::secret(&mut bytes[P::EXPANDED_KEY_LEN - 32..]);
        bytes.to_vec()
    };
    let good = import(None);
    suite.case(&name("form=prepared"), || {
        let key = DecapsulationKey::<P>::from_expanded_bytes(&good).unwrap();
        received.check(0, true, &key.decapsulate(&received.valid[0]));
        received.check(1, false, &key.decapsulate(&received.forged[1]));
    });
    suite.case(&name("form=compact"), || {
        let key = CompactDecapsulationKey::<P>::from_expanded_bytes(&good).unwrap();
        received.check(0, true, &key.decapsulate(&received.valid[0]));
        received.check(1, false, &key.decapsulate(&received.forged[1]));
    });
    suite.case(&name("form=none"), || {
        let at_once = DecapsulationKey::<P>::decapsulate_from_expanded_bytes;
        received.check(0, true, &at_once(&good, &received.valid[0]).unwrap());
        received.check(1, false, &at_once(&good, &received.forged[1]).unwrap());
    });
    for (what, at, error) in [
        ("modulus", 384 * P::K, Error::EncapsulationKeyModulus),
        ("hash", P::EXPANDED_KEY_LEN - 64, Error::DecapsulationKeyHash),
    ] {
        let bad = import(Some(at));
        suite.case(&name(&format!("wrong={what}")), || {
            assert_eq!(DecapsulationKey::<P>::from_expanded_bytes(&bad).unwrap_err(), error);
            assert_eq!(CompactDecapsulationKey::<P>::from_expanded_bytes(&bad).unwrap_err(), error);
            let at_once =
                DecapsulationKey::<P>::decapsulate_from_expanded_bytes(&bad, &received.valid[0]);
            assert_eq!(at_once.unwrap_err(), error);
        });
    }
}
