//! RFC 9935 files: those that OpenSSL wrote are read and written again byte for byte, and what is
//! near to one is refused.

mod common;

use common::{Expanded, for_each_set, model, params};
use lanekem::pkcs8::{
    DecodeError, DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding,
};
use lanekem::{
    CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, Error, ParameterSet, Seed,
};
use pkcs8::{KeyError, spki};
use std::fs;

type Dk<P> = DecapsulationKey<P>;
type Compact<P> = CompactDecapsulationKey<P>;
type Ek<P> = EncapsulationKey<P>;

/// The seed of every file in `kat/pkcs8`.
fn seed() -> [u8; 64] {
    core::array::from_fn(|i| i as u8)
}

fn path<P: ParameterSet>(name: &str) -> String {
    let set = P::NAME.strip_prefix("ML-KEM-").unwrap();
    format!("{}/kat/pkcs8/mlkem{set}-{name}", env!("CARGO_MANIFEST_DIR"))
}

fn der<P: ParameterSet>(name: &str) -> Vec<u8> {
    fs::read(path::<P>(&format!("{name}.der"))).unwrap()
}

fn pem<P: ParameterSet>(name: &str) -> String {
    fs::read_to_string(path::<P>(&format!("{name}.pem"))).unwrap()
}

/// Both key types by every way in; they must agree on whether the bytes are a key and which. A compact
/// key keeps ŝ as it came; `prepare` reduces it modulo q, as the other type does when it reads.
fn read<P: ParameterSet>(der: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let result = Dk::<P>::from_pkcs8(der).map(|key| key.expanded());
    assert_eq!(Compact::<P>::from_pkcs8(der).map(|key| key.prepare().expanded()), result);
    let by_trait = result.as_ref().map_err(|error| pkcs8::Error::from(*error));
    let dk = Dk::<P>::from_pkcs8_der(der).map(|key| key.expanded());
    assert_eq!(dk.as_ref().map_err(|error| *error), by_trait);
    let compact = Compact::<P>::from_pkcs8_der(der).map(|key| key.prepare().expanded());
    assert_eq!(compact.as_ref().map_err(|error| *error), by_trait);
    result
}

fn read_public<P: ParameterSet>(der: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let result = Ek::<P>::from_spki(der).map(|key| key.as_bytes().to_vec());
    let by_trait = Ek::<P>::from_public_key_der(der).map(|key| key.as_bytes().to_vec());
    assert_eq!(by_trait, result.clone().map_err(spki::Error::from));
    result
}

fn is_format<T>(result: &Result<T, DecodeError>) -> bool {
    matches!(result, Err(DecodeError::Format(_)))
}

fn key_error<T>(error: Error) -> Result<T, DecodeError> {
    Err(DecodeError::Key(error))
}

/// The key pair of [`seed`] by the model.
fn model_keys<P: ParameterSet>() -> (Vec<u8>, Vec<u8>) {
    let seed = seed();
    model::keygen(params::<P>(), seed.first_chunk().unwrap(), seed.last_chunk().unwrap())
}

fn reads<P: ParameterSet>() {
    let (ek, expanded) = model_keys::<P>();
    for form in ["seed", "expanded", "both"] {
        assert_eq!(read::<P>(&der::<P>(form)).unwrap(), expanded);

        let dk = Dk::<P>::from_pkcs8_pem(&pem::<P>(form)).unwrap();
        let compact = Compact::<P>::from_pkcs8_pem(&pem::<P>(form)).unwrap();
        assert_eq!(dk.expanded(), expanded);
        assert_eq!(compact.expanded(), expanded);
        assert_eq!(dk.encapsulation_key().as_bytes(), ek);
        let seed = (form != "expanded").then(|| Seed::from(seed()));
        assert_eq!(dk.seed(), seed.as_ref());
        assert_eq!(compact.seed(), seed.as_ref());
    }
    assert_eq!(read_public::<P>(&der::<P>("public")).unwrap(), ek);
    assert_eq!(Ek::<P>::from_public_key_pem(&pem::<P>("public")).unwrap().as_bytes(), ek);
}

#[test]
fn openssl_files_are_read() {
    for_each_set!(reads());
}

fn writes<P: ParameterSet>() {
    let seed = Seed::from(seed());
    let dk = Dk::<P>::from_seed(&seed);
    let compact = Compact::<P>::from_seed(&seed);
    let ek = dk.encapsulation_key();
    assert_eq!(dk.to_pkcs8_der().unwrap().as_bytes(), der::<P>("seed"));
    assert_eq!(compact.to_pkcs8_der().unwrap().as_bytes(), der::<P>("seed"));
    assert_eq!(*dk.to_pkcs8_pem(LineEnding::LF).unwrap(), pem::<P>("seed"));
    assert_eq!(*compact.to_pkcs8_pem(LineEnding::LF).unwrap(), pem::<P>("seed"));
    assert_eq!(ek.to_public_key_der().unwrap().as_bytes(), der::<P>("public"));
    assert_eq!(ek.to_public_key_pem(LineEnding::LF).unwrap(), pem::<P>("public"));

    // Whatever had a seed is written as OpenSSL's seed form.
    let both = Dk::<P>::from_pkcs8(&der::<P>("both")).unwrap();
    assert_eq!(both.to_pkcs8_der().unwrap().as_bytes(), der::<P>("seed"));
    let without_seed = pkcs8::Error::KeyMalformed(KeyError::Invalid);
    let expanded = Dk::<P>::from_pkcs8(&der::<P>("expanded")).unwrap();
    assert_eq!(expanded.to_pkcs8_der().unwrap_err(), without_seed);
    assert_eq!(expanded.to_compact().to_pkcs8_der().unwrap_err(), without_seed);
}

#[test]
fn openssl_files_are_written() {
    for_each_set!(writes());
}

/// Where the payload of OpenSSL's files lies: seed, expanded key.
fn payload<P: ParameterSet>(form: &str, len: usize) -> (Option<usize>, Option<usize>) {
    let expanded = len - P::EXPANDED_KEY_LEN.min(len);
    match form {
        "seed" => (Some(len - 64), None),
        "expanded" => (None, Some(expanded)),
        _ => (Some(expanded - 4 - 64), Some(expanded)),
    }
}

/// Every other value of a byte of structure; one flipped bit of a byte of payload.
fn damaged(at: usize, old: u8, structure: bool) -> impl Iterator<Item = u8> {
    let flip = move |x: &u8| structure || *x == 1 << (at % 8);
    (1..=255).filter(flip).map(move |x| old ^ x)
}

fn corrupts<P: ParameterSet>() {
    for form in ["seed", "expanded", "both"] {
        let good = der::<P>(form);
        let (seed_at, expanded_at) = payload::<P>(form, good.len());
        let seed_range = seed_at.map_or(0..0, |at| at..at + 64);
        let expanded_range = expanded_at.map_or(0..0, |at| at..good.len());
        let mut bad = good.clone();
        for (at, old) in good.iter().enumerate() {
            let structure = !seed_range.contains(&at) && !expanded_range.contains(&at);
            for value in damaged(at, *old, structure) {
                bad[at] = value;
                let result = read::<P>(&bad);
                if structure {
                    assert!(result.is_err(), "{form} {at} {value:#x}");
                } else if form == "both" {
                    assert_eq!(result, key_error(Error::SeedMismatch));
                } else if form == "seed" {
                    // Any 64 bytes are a seed: the key is that of the bytes that are there.
                    let seed = Seed::try_from(&bad[seed_range.clone()]).unwrap();
                    assert_eq!(result, Ok(Dk::<P>::from_seed(&seed).expanded()));
                } else {
                    // No check of FIPS 203 covers ŝ and z; the rest has its hash.
                    let imported = Dk::<P>::from_expanded_bytes(&bad[expanded_range.clone()]);
                    let imported = imported.map(|key| key.expanded());
                    assert_eq!(result, imported.map_err(DecodeError::Key));
                    let public = 384 * P::K..P::EXPANDED_KEY_LEN - 32;
                    assert_eq!(result.is_err(), public.contains(&(at - expanded_range.start)));
                }
            }
            bad[at] = *old;
        }
        refuses_other_lengths(&good, |bytes| is_format(&read::<P>(bytes)));
    }
}

/// Truncation at every byte, and bytes after the end.
fn refuses_other_lengths(good: &[u8], is_format: impl Fn(&[u8]) -> bool) {
    for len in 0..good.len() {
        assert!(is_format(&good[..len]), "{len} of {} bytes", good.len());
    }
    for tail in [&[0][..], &[5, 0], good] {
        assert!(is_format(&[good, tail].concat()));
    }
}

#[test]
fn damaged_private_keys() {
    for_each_set!(corrupts());
}

fn corrupts_public<P: ParameterSet>() {
    let good = der::<P>("public");
    let start = good.len() - P::ENCAPSULATION_KEY_LEN;
    let mut bad = good.clone();
    for (at, old) in good.iter().enumerate() {
        for value in damaged(at, *old, at < start) {
            bad[at] = value;
            let result = read_public::<P>(&bad);
            if at < start {
                assert!(result.is_err(), "{at} {value:#x}");
            } else {
                let bytes = Ek::<P>::from_bytes(&bad[start..]).map(|key| key.as_bytes().to_vec());
                assert_eq!(result, bytes.map_err(DecodeError::Key));
            }
        }
        bad[at] = *old;
    }
    refuses_other_lengths(&good, |bytes| is_format(&read_public::<P>(bytes)));
}

#[test]
fn damaged_public_keys() {
    for_each_set!(corrupts_public());
}

/// DER of one value.
fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let len = content.len();
    let mut out = match len {
        0..0x80 => vec![tag, len as u8],
        0x80..0x100 => vec![tag, 0x81, len as u8],
        _ => vec![tag, 0x82, (len >> 8) as u8, len as u8],
    };
    out.extend(content);
    out
}

fn algorithm(last_arc: u8, parameters: &[u8]) -> Vec<u8> {
    let oid = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x04, last_arc];
    tlv(0x30, &[&tlv(0x06, &[&oid]), parameters])
}

fn private(version: u8, algorithm: &[u8], inner: &[u8], rest: &[u8]) -> Vec<u8> {
    tlv(0x30, &[&[2, 1, version], algorithm, &tlv(0x04, &[inner]), rest])
}

fn variants<P: ParameterSet>() {
    let (ek, expanded) = model_keys::<P>();
    let seed = seed();
    let arc = (P::K - 1) as u8;
    let alg = algorithm(arc, &[]);
    let seed_form = tlv(0x80, &[&seed]);
    let expanded_form = tlv(0x04, &[&expanded]);
    let both_form = tlv(0x30, &[&tlv(0x04, &[&seed]), &expanded_form]);
    let forms = [("seed", &seed_form), ("expanded", &expanded_form), ("both", &both_form)];
    let get = |inner: &[u8]| read::<P>(&private(0, &alg, inner, &[]));

    for (name, inner) in forms {
        // This builder is right, and the variants below differ in what they say they do.
        assert_eq!(private(0, &alg, inner, &[]), der::<P>(name));

        // RFC 9935 §3: parameters MUST be absent.
        let null = private(0, &algorithm(arc, &[5, 0]), inner, &[]);
        let malformed = pkcs8::Error::ParametersMalformed;
        assert_eq!(read::<P>(&null), Err(DecodeError::Format(malformed)));

        for other in (0..=255).filter(|other| *other != arc && *other < 0x80) {
            let error = read::<P>(&private(0, &algorithm(other, &[]), inner, &[])).unwrap_err();
            let DecodeError::Format(pkcs8::Error::PublicKey(spki::Error::OidUnknown { oid })) =
                error
            else {
                panic!("{error:?}");
            };
            assert_eq!(oid.to_string(), format!("2.16.840.1.101.3.4.4.{other}"));
        }

        assert!(is_format(&get(&[inner, &[0][..]].concat())));
        assert!(is_format(&get(&[&inner[..], inner].concat())));
        assert!(is_format(&get(&[])));

        // RFC 5958's attributes are skipped; its public key must be that of the private key.
        let attributes = tlv(0xa0, &[]);
        assert_eq!(read::<P>(&private(0, &alg, inner, &attributes)).unwrap(), expanded);
        let mut public = [&[0], &ek[..]].concat();
        let rest = tlv(0x81, &[&public]);
        assert_eq!(read::<P>(&private(1, &alg, inner, &rest)).unwrap(), expanded);
        assert!(is_format(&read::<P>(&private(0, &alg, inner, &rest))));
        public[1] ^= 1;
        assert!(is_format(&read::<P>(&private(1, &alg, inner, &tlv(0x81, &[&public])))));
    }

    // Lengths, by form.
    for seed in [&[][..], &seed[1..], &[&seed[..], &[0]].concat()] {
        assert_eq!(get(&tlv(0x80, &[seed])), key_error(Error::SeedLength));
        let both = tlv(0x30, &[&tlv(0x04, &[seed]), &expanded_form]);
        assert_eq!(get(&both), key_error(Error::SeedLength));
    }
    // The last is a seed without its tag.
    for bytes in [&[][..], &expanded[1..], &[&expanded[..], &[0]].concat(), &seed] {
        let octets = tlv(0x04, &[bytes]);
        assert_eq!(get(&octets), key_error(Error::DecapsulationKeyLength));
        let both = tlv(0x30, &[&tlv(0x04, &[&seed]), &octets]);
        assert_eq!(get(&both), key_error(Error::DecapsulationKeyLength));
    }

    // A valid expanded key of another seed.
    let mut other_seed = seed;
    other_seed[0] ^= 1;
    let other = Dk::<P>::from_seed(&Seed::from(other_seed)).expanded();
    let both = tlv(0x30, &[&tlv(0x04, &[&seed]), &tlv(0x04, &[&other])]);
    assert_eq!(get(&both), key_error(Error::SeedMismatch));
    let malformed = Err(pkcs8::Error::KeyMalformed(KeyError::Invalid));
    assert_eq!(Dk::<P>::from_pkcs8_der(&private(0, &alg, &both, &[])).map(drop), malformed);

    // An expanded key whose hash is not its encapsulation key's, one with a coefficient of q.
    let mut bad = expanded.clone();
    bad[P::EXPANDED_KEY_LEN - 64] ^= 1;
    assert_eq!(get(&tlv(0x04, &[&bad])), key_error(Error::DecapsulationKeyHash));
    let mut bad = expanded.clone();
    bad[384 * P::K..][..2].copy_from_slice(&3329u16.to_le_bytes());
    assert_eq!(get(&tlv(0x04, &[&bad])), key_error(Error::EncapsulationKeyModulus));

    // Forms of BER that are not DER, other tags, other members of the SEQUENCE.
    let long_length = [&[0x80, 0x81, 64], &seed[..]].concat();
    let indefinite = [&[0xa0, 0x80, 0x04, 64][..], &seed, &[0, 0]].concat();
    let explicit = tlv(0xa0, &[&tlv(0x04, &[&seed])]);
    let constructed = tlv(0xa0, &[&seed]);
    let half = tlv(0x30, &[&tlv(0x04, &[&seed])]);
    let swapped = tlv(0x30, &[&expanded_form, &tlv(0x04, &[&seed])]);
    let tagged = tlv(0x30, &[&seed_form, &expanded_form]);
    let three = tlv(0x30, &[&tlv(0x04, &[&seed]), &expanded_form, &[5, 0]]);
    for inner in [&long_length, &indefinite, &explicit, &constructed, &half, &tagged, &three] {
        assert!(is_format(&get(inner)), "{:x?}", &inner[..4]);
    }
    assert_eq!(get(&swapped), key_error(Error::SeedLength));
    assert!(is_format(&get(&tlv(0x81, &[&seed]))));

    let public = |alg: &[u8], unused: u8, ek: &[u8]| {
        read_public::<P>(&tlv(0x30, &[alg, &tlv(0x03, &[&[unused], ek])]))
    };
    assert_eq!(public(&alg, 0, &ek).unwrap(), ek);
    assert!(is_format(&public(&algorithm(arc, &[5, 0]), 0, &ek)));
    assert!(is_format(&public(&algorithm(arc + 1, &[]), 0, &ek)));
    assert!(is_format(&public(&alg, 4, &[&ek[..ek.len() - 1], &[0]].concat())));
    assert_eq!(public(&alg, 0, &ek[1..]), key_error(Error::EncapsulationKeyLength));
    let mut bad = ek.clone();
    bad[..2].copy_from_slice(&3329u16.to_le_bytes());
    assert_eq!(public(&alg, 0, &bad), key_error(Error::EncapsulationKeyModulus));
}

#[test]
fn near_misses_are_refused() {
    for_each_set!(variants());
}
