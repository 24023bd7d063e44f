//! Groups of the one-time KEMs: whole handshakes, refusals, and that nobody gets them unasked.

mod common;

use common::*;
use lanekem::one_time::tch::Tch;
use lanekem::one_time::th::Th;
use lanekem::{MlKem512, MlKem768, MlKem1024};
use lanekem_rustls::extend;
use lanekem_rustls::one_time::{OneTime, OneTimeHybrid};
use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs, ring};
use rustls::{Error, HandshakeKind, NamedGroup, ProtocolVersion};

static HYBRID: OneTimeHybrid<MlKem768> = OneTimeHybrid::x25519(ring::kx_group::X25519);
static AWS_HYBRID: OneTimeHybrid<MlKem768> = OneTimeHybrid::x25519(aws_lc_rs::kx_group::X25519);

/// Each group with its code point, the lengths of its shares, and whether a forged ciphertext is noticed.
const GROUPS: [(Group, u16, usize, usize, bool); 7] = [
    (&OneTime::<MlKem512, Th>::new(), 0xfe00, 800, 768, false),
    (&OneTime::<MlKem768, Th>::new(), 0xfe01, 1184, 1088, false),
    (&OneTime::<MlKem1024, Th>::new(), 0xfe02, 1568, 1568, false),
    (&OneTime::<MlKem512, Tch>::new(), 0xfe10, 800, 800, true),
    (&OneTime::<MlKem768, Tch>::new(), 0xfe11, 1184, 1120, true),
    (&OneTime::<MlKem1024, Tch>::new(), 0xfe12, 1568, 1600, true),
    (&HYBRID, 0xfeec, 1216, 1120, false),
];

fn provider(group: Group) -> CryptoProvider {
    with_groups(&ring::default_provider(), &[group])
}

#[test]
fn handshakes() {
    for (group, code_point, ..) in GROUPS {
        assert_eq!(u16::from(group.name()), code_point);
        let provider = provider(group);
        let expected = Finished { group: code_point, kind: HandshakeKind::Full, client_flights: 2 };
        for _ in 0..20 {
            let client = client_config(provider.clone());
            let finished = handshake(&client, &server_config(provider.clone()));
            assert_eq!(finished.as_ref(), Ok(&expected));
        }
    }
}

/// The classical half may be another provider's on the other side.
#[test]
fn hybrid_over_two_providers() {
    let client = client_config(provider(&AWS_HYBRID));
    assert!(handshake(&client, &server_config(provider(&HYBRID))).is_ok());
}

#[test]
fn shares_and_secrets() {
    for (group, code_point, client_len, server_len, _) in GROUPS {
        let client = group.start().unwrap();
        assert_eq!(u16::from(client.group()), code_point);
        assert_eq!(client.pub_key().len(), client_len);
        let server = group.start_and_complete(client.pub_key()).unwrap();
        assert_eq!((u16::from(server.group), server.pub_key.len()), (code_point, server_len));
        let secret = client.complete(&server.pub_key).unwrap();
        assert_eq!(secret.secret_bytes(), server.secret.secret_bytes());
        assert_eq!(secret.secret_bytes().len(), if code_point == 0xfeec { 64 } else { 32 });
    }
}

#[test]
fn shares_of_any_other_length_are_refused() {
    for (group, _, client_len, server_len, _) in GROUPS {
        for len in (0..client_len + 40).filter(|&len| len != client_len) {
            let error = group.start_and_complete(&vec![0; len]).err();
            assert_eq!(error, Some(INVALID_KEY_SHARE), "{group:?} {len}");
        }
        for len in (0..server_len + 40).filter(|&len| len != server_len) {
            let error = group.start().unwrap().complete(&vec![0; len]).err();
            assert_eq!(error, Some(INVALID_KEY_SHARE), "{group:?} {len}");
        }
    }
}

#[test]
fn keys_that_are_not_reduced_are_refused() {
    for (group, ..) in GROUPS {
        let mut share = group.start().unwrap().pub_key().to_vec();
        share[..2].fill(0xff);
        assert_eq!(group.start_and_complete(&share).err(), Some(INVALID_KEY_SHARE), "{group:?}");
    }
}

/// T_CH notices and says so; T_H gives another secret, at which the handshake fails.
#[test]
fn forged_ciphertexts() {
    for (group, _, _, server_len, noticed) in GROUPS {
        for at in [0, 700, server_len - 33] {
            let client = group.start().unwrap();
            let mut server = group.start_and_complete(client.pub_key()).unwrap();
            server.pub_key[at] ^= 1;
            match client.complete(&server.pub_key) {
                Ok(secret) => {
                    assert!(!noticed, "{group:?} {at}");
                    assert_ne!(secret.secret_bytes(), server.secret.secret_bytes());
                }
                Err(error) => {
                    assert!(noticed, "{group:?} {at}");
                    assert_eq!(error, INVALID_KEY_SHARE);
                }
            }
        }
    }
}

/// A server without the group takes X25519 of the same message.
#[test]
fn the_classical_half_is_offered_by_itself() {
    let offer = [&HYBRID as Group, ring::kx_group::X25519];
    let client = client_config(with_groups(&ring::default_provider(), &offer));
    let expected = Finished { group: 0x001d, kind: HandshakeKind::Full, client_flights: 2 };
    assert_eq!(handshake(&client, &server_config(ring::default_provider())), Ok(expected));
}

#[test]
fn a_classical_half_that_is_not_x25519_is_refused() {
    let group = OneTimeHybrid::x25519(ring::kx_group::SECP256R1);
    assert!(matches!(group.start().err(), Some(Error::General(_))));
    assert!(matches!(group.start_and_complete(&[0; 1216]).err(), Some(Error::General(_))));
}

/// ML-KEM and T_H have shares of the same lengths; their secrets differ.
#[test]
fn not_mlkem() {
    let theirs = extend(ring::default_provider());
    for ((ours, ..), code_point) in GROUPS.into_iter().zip([0x0200, 0x0201, 0x0202]) {
        let client = ours.start().unwrap();
        let server = group(&theirs, code_point).start_and_complete(client.pub_key()).unwrap();
        let secret = client.complete(&server.pub_key).unwrap();
        assert_ne!(secret.secret_bytes(), server.secret.secret_bytes());
    }
}

#[test]
fn nobody_gets_them_unasked() {
    for (name, provider) in providers() {
        for group in extend(provider).kx_groups {
            assert!(u16::from(group.name()) < 0xfe00, "{name} {group:?}");
        }
    }
    for (group, ..) in GROUPS {
        assert!(!group.fips() && group.ffdhe_group().is_none());
        assert!(group.usable_for_version(ProtocolVersion::TLSv1_3));
        assert!(!group.usable_for_version(ProtocolVersion::TLSv1_2));
        assert!(matches!(group.name(), NamedGroup::Unknown(_)));
    }
}
