//! Whole handshakes over each provider: our groups with themselves, with the aws-lc-rs provider's own,
//! and with servers that have something else.

mod common;

use common::*;
use lanekem_rustls::{MLKEM768, MLKEM1024, extend};
use rustls::crypto::{aws_lc_rs, ring};
use rustls::{HandshakeKind, NamedGroup};

fn full(group: u16) -> Result<Finished, Failed> {
    Ok(Finished { group, kind: HandshakeKind::Full, client_flights: 2 })
}

#[test]
fn every_group_over_every_provider() {
    for (name, provider) in providers() {
        let provider = extend(provider);
        let server = server_config(provider.clone());
        for code_point in OURS {
            let group = group(&provider, code_point);
            assert!(!group.fips());
            assert_eq!(group.ffdhe_group(), None);
            let client = client_config(with_groups(&provider, &[group]));
            assert_eq!(handshake(&client, &server), full(code_point), "{name} {group:?}");
        }
    }
}

#[test]
fn groups_are_for_tls_1_3_alone() {
    for code_point in OURS {
        let group = group(&extend(ring::default_provider()), code_point);
        assert!(group.usable_for_version(rustls::ProtocolVersion::TLSv1_3));
        assert!(!group.usable_for_version(rustls::ProtocolVersion::TLSv1_2));
    }
}

#[test]
fn every_provider_with_aws_lc_rs_own_groups() {
    let theirs = {
        use aws_lc_rs::kx_group::{MLKEM768, MLKEM1024, SECP256R1MLKEM768, X25519MLKEM768};
        with_groups(
            &aws_lc_rs::default_provider(),
            &[X25519MLKEM768, SECP256R1MLKEM768, MLKEM768, MLKEM1024],
        )
    };
    for (name, provider) in providers() {
        let ours = extend(provider);
        for their_group in &theirs.kx_groups {
            let code_point = u16::from(their_group.name());
            let one_of_theirs = with_groups(&theirs, &[*their_group]);
            let one_of_ours = with_groups(&ours, &[group(&ours, code_point)]);

            let client = client_config(one_of_ours.clone());
            let server = server_config(one_of_theirs.clone());
            assert_eq!(handshake(&client, &server), full(code_point), "{name}'s client");

            let client = client_config(one_of_theirs);
            let server = server_config(one_of_ours);
            assert_eq!(handshake(&client, &server), full(code_point), "{name}'s server");
        }
    }
}

#[test]
fn a_server_that_wants_another_group_asks_for_it() {
    for (name, provider) in providers() {
        let provider = extend(provider);
        let client = client_config(provider.clone());
        for code_point in
            OURS.into_iter().filter(|c| NamedGroup::from(*c) != provider.kx_groups[0].name())
        {
            let server = server_config(with_groups(&provider, &[group(&provider, code_point)]));
            let expected = Finished {
                group: code_point,
                kind: HandshakeKind::FullWithHelloRetryRequest,
                client_flights: 3,
            };
            assert_eq!(handshake(&client, &server), Ok(expected), "{name} {code_point:#06x}");
        }
    }
}

#[test]
fn a_server_without_mlkem_takes_the_classical_half_at_once() {
    for (name, provider) in providers() {
        let plain = provider.clone();
        let extended = extend(provider);
        for (hybrid, classical) in [
            (0x11ec, NamedGroup::X25519),
            (0x11eb, NamedGroup::secp256r1),
            (SECP384R1MLKEM1024, NamedGroup::secp384r1),
        ] {
            let classical = u16::from(classical);
            let server = server_config(with_groups(&plain, &[group(&plain, classical)]));
            let offer = [group(&extended, hybrid), group(&extended, classical)];
            let client = client_config(with_groups(&extended, &offer));
            assert_eq!(handshake(&client, &server), full(classical), "{name} {hybrid:#06x}");
        }
    }
}

#[test]
fn the_default_offer_meets_a_plain_provider_without_a_retry() {
    for (name, provider) in providers() {
        let client = client_config(extend(provider));
        let finished = handshake(&client, &server_config(ring::default_provider()));
        assert_eq!(finished, full(NamedGroup::X25519.into()), "{name}");
    }
}

#[test]
fn static_groups_need_no_provider() {
    for group in [lanekem_rustls::MLKEM512, MLKEM768, MLKEM1024] {
        let provider = with_groups(&ring::default_provider(), &[group]);
        let finished = handshake(&client_config(provider.clone()), &server_config(provider));
        assert_eq!(finished, full(group.name().into()));
    }
}
