//! Shares that must be refused. What a peer is told then: see `alerts.rs`.

mod common;

use common::*;
use lanekem::MlKem768;
use lanekem_rustls::{Hybrid, Layout, extend};
use rustls::crypto::{
    ActiveKeyExchange, CompletedKeyExchange, SharedSecret, SupportedKxGroup, ring,
};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup};

const Q: u16 = 3329;

/// A group's shares: lengths, and where its halves begin.
struct Shape {
    code_point: u16,
    /// Polynomials of the encapsulation key.
    k: usize,
    client: usize,
    server: usize,
    mlkem_at: usize,
    /// Where the classical half begins in the client's and the server's share, and its length.
    classical: Option<([usize; 2], usize)>,
}

const SHAPES: [Shape; 6] = [
    shape(0x11ec, 3, 1216, 1120, 0, Some(([1184, 1088], 32))),
    shape(0x11eb, 3, 1249, 1153, 65, Some(([0, 0], 65))),
    shape(SECP384R1MLKEM1024, 4, 1665, 1665, 97, Some(([0, 0], 97))),
    shape(0x0200, 2, 800, 768, 0, None),
    shape(0x0201, 3, 1184, 1088, 0, None),
    shape(0x0202, 4, 1568, 1568, 0, None),
];

const fn shape(
    code_point: u16,
    k: usize,
    client: usize,
    server: usize,
    mlkem_at: usize,
    classical: Option<([usize; 2], usize)>,
) -> Shape {
    Shape { code_point, k, client, server, mlkem_at, classical }
}

/// Each group of each provider.
fn each(mut check: impl FnMut(&str, Group, &Shape)) {
    for (name, provider) in providers() {
        let provider = extend(provider);
        for shape in &SHAPES {
            check(name, group(&provider, shape.code_point), shape);
        }
    }
}

/// Answers a client's share.
fn respond(group: Group, share: &[u8]) -> Result<CompletedKeyExchange, Error> {
    group.start_and_complete(share)
}

/// Takes a server's share.
fn finish(group: Group, share: &[u8]) -> Result<SharedSecret, Error> {
    group.start()?.complete(share)
}

fn share_of(group: Group) -> Vec<u8> {
    group.start().unwrap().pub_key().to_vec()
}

/// Sets coefficient i of an encoded key.
fn set_coefficient(key: &mut [u8], i: usize, value: u16) {
    let bytes = &mut key[i / 2 * 3..][..3];
    if i.is_multiple_of(2) {
        bytes[0] = value as u8;
        bytes[1] = bytes[1] & 0xf0 | (value >> 8) as u8;
    } else {
        bytes[1] = bytes[1] & 0x0f | (value << 4) as u8;
        bytes[2] = (value >> 4) as u8;
    }
}

#[test]
fn good_shares_have_the_lengths_of_the_standard_and_agree() {
    each(|name, group, shape| {
        let client = group.start().unwrap();
        assert_eq!(client.pub_key().len(), shape.client, "{name} {group:?}");
        let server = respond(group, client.pub_key()).unwrap();
        assert_eq!(server.pub_key.len(), shape.server, "{name} {group:?}");
        let secret = client.complete(&server.pub_key).unwrap();
        assert_eq!(secret.secret_bytes(), server.secret.secret_bytes(), "{name} {group:?}");
    });
}

#[test]
fn shares_of_any_other_length_are_refused() {
    each(|name, group, _| {
        let ours = share_of(group);
        let theirs = respond(group, &ours).unwrap().pub_key;
        let wrong = |good: &[u8]| {
            let longer = [good, &[0; 2]].concat();
            let right = good.len();
            (0..=right + 2).filter(move |len| *len != right).map(move |len| longer[..len].to_vec())
        };
        for share in wrong(&ours) {
            let error = respond(group, &share).err();
            assert_eq!(error, Some(INVALID_KEY_SHARE), "{name} {group:?} {}", share.len());
        }
        for share in wrong(&theirs) {
            let error = finish(group, &share).err();
            assert_eq!(error, Some(INVALID_KEY_SHARE), "{name} {group:?} {}", share.len());
        }
    });
}

#[test]
fn a_coefficient_of_q_or_more_is_refused_wherever_it_is() {
    let provider = extend(ring::default_provider());
    for shape in &SHAPES {
        let group = group(&provider, shape.code_point);
        let share = share_of(group);
        let with = |i, value| {
            let mut share = share.clone();
            set_coefficient(&mut share[shape.mlkem_at..], i, value);
            respond(group, &share)
        };
        let count = 256 * shape.k;
        for i in 0..count {
            for value in [Q, Q + 1, 4095] {
                assert_eq!(with(i, value).err(), Some(INVALID_KEY_SHARE), "{i} {value}");
            }
        }
        // The largest coefficient there is, at positions of each kind.
        for i in [0, 1, 255, 256, count - 2, count - 1] {
            assert!(with(i, Q - 1).is_ok(), "{i}");
        }
    }
}

/// Classical halves that no honest peer sends.
fn bad_halves(len: usize) -> Vec<Vec<u8>> {
    if len == 32 {
        // Points of order 1, 2 and 4 of Curve25519: the shared secret is zero.
        let p = [&[0xed], [0xff; 30].as_slice(), &[0x7f]].concat();
        let p_minus_1 = [&[0xec], [0xff; 30].as_slice(), &[0x7f]].concat();
        let one = [&[1], [0; 31].as_slice()].concat();
        return vec![vec![0; 32], one, p, p_minus_1];
    }
    let point = |first: u8, rest: u8| [&[first], vec![rest; len - 1].as_slice()].concat();
    vec![
        point(4, 1),    // off the curve
        point(4, 0),    // off the curve
        point(4, 0xff), // coordinates beyond p
        point(0, 0),    // infinity, padded
        point(2, 1),    // a compressed point's first byte
        point(6, 1),    // a hybrid point's
    ]
}

#[test]
fn a_bad_classical_half_is_refused() {
    each(|name, group, shape| {
        let Some((at, len)) = shape.classical else { return };
        let ours = share_of(group);
        let theirs = respond(group, &ours).unwrap().pub_key;
        for half in bad_halves(len) {
            let mut share = ours.clone();
            share[at[0]..][..len].copy_from_slice(&half);
            let error = respond(group, &share).err();
            assert_eq!(error, Some(INVALID_KEY_SHARE), "{name} {group:?} {half:x?}");
            let mut share = theirs.clone();
            share[at[1]..][..len].copy_from_slice(&half);
            let error = finish(group, &share).err();
            assert_eq!(error, Some(INVALID_KEY_SHARE), "{name} {group:?} {half:x?}");
            let client = group.start().unwrap();
            let error = client.complete_hybrid_component(&half).err();
            assert_eq!(error, Some(INVALID_KEY_SHARE), "{name} {group:?} {half:x?}");
        }
    });
}

#[test]
fn halves_in_the_wrong_order_are_refused_or_disagree() {
    each(|name, group, shape| {
        let Some(([in_ours, in_theirs], len)) = shape.classical else { return };
        let swap = |share: &[u8], at: usize| {
            let mut share = share.to_vec();
            if at == 0 {
                share.rotate_left(len);
            } else {
                share.rotate_right(len);
            }
            share
        };
        let client = group.start().unwrap();
        let error = respond(group, &swap(client.pub_key(), in_ours)).err();
        assert_eq!(error, Some(INVALID_KEY_SHARE), "{name} {group:?}");
        // Any bytes are a ciphertext and an X25519 share, but few are a point of the other curves.
        let server = respond(group, client.pub_key()).unwrap();
        match client.complete(&swap(&server.pub_key, in_theirs)) {
            Ok(secret) => assert_ne!(secret.secret_bytes(), server.secret.secret_bytes()),
            Err(error) => assert_eq!(error, INVALID_KEY_SHARE, "{name} {group:?}"),
        }
    });
}

/// A classical group of a provider that does not look at what it computes.
#[derive(Debug)]
struct Careless {
    share_len: usize,
    secret: &'static [u8],
}

impl SupportedKxGroup for Careless {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        Ok(Box::new(ActiveCareless(vec![9; self.share_len], self.secret)))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

struct ActiveCareless(Vec<u8>, &'static [u8]);

impl ActiveKeyExchange for ActiveCareless {
    fn complete(self: Box<Self>, _share: &[u8]) -> Result<SharedSecret, Error> {
        Ok(SharedSecret::from(self.1))
    }

    fn pub_key(&self) -> &[u8] {
        &self.0
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

/// What becomes of an exchange over such a group, on each way through it.
fn outcomes(classical: Group) -> [Result<(), Error>; 3] {
    let hybrid: &'static Hybrid<MlKem768> =
        Box::leak(Box::new(Hybrid::new(classical, Layout::X25519MLKEM768)));
    let good = Hybrid::new(ring::kx_group::X25519, Layout::X25519MLKEM768);
    let ours = good.start().unwrap();
    let theirs = good.start_and_complete(ours.pub_key()).unwrap().pub_key;
    [
        hybrid.start_and_complete(ours.pub_key()).map(drop),
        hybrid.start().and_then(|kx| kx.complete(&theirs)).map(drop),
        hybrid.start().and_then(|kx| kx.complete_hybrid_component(&[9; 32])).map(drop),
    ]
}

#[test]
fn an_all_zero_secret_is_refused_whatever_the_provider_thinks_of_it() {
    static ZERO: Careless = Careless { share_len: 32, secret: &[0; 32] };
    assert_eq!(outcomes(&ZERO), [const { Err(INVALID_KEY_SHARE) }; 3]);
    static NOT_ZERO: Careless = Careless { share_len: 32, secret: &[8; 32] };
    assert_eq!(outcomes(&NOT_ZERO), [const { Ok(()) }; 3]);
}

#[test]
fn a_classical_group_that_does_not_fit_is_an_error() {
    static SHORT_SECRET: Careless = Careless { share_len: 32, secret: &[8; 31] };
    static LONG_SHARE: Careless = Careless { share_len: 33, secret: &[8; 32] };
    for classical in [&SHORT_SECRET as Group, &LONG_SHARE, ring::kx_group::SECP256R1] {
        for outcome in outcomes(classical) {
            assert!(matches!(outcome, Err(Error::General(_))), "{classical:?} {outcome:?}");
        }
    }
}
