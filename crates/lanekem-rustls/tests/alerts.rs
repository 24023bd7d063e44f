//! What is sent over the wire when a share is refused, or should have been.

mod common;

use common::*;
use lanekem_rustls::extend;
use rustls::crypto::{ActiveKeyExchange, CompletedKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{AlertDescription, Error, NamedGroup};

/// Sends what another group makes, changed.
#[derive(Debug)]
struct Liar {
    honest: Group,
    lie: fn(&mut Vec<u8>),
}

impl SupportedKxGroup for Liar {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let honest = self.honest.start()?;
        let mut share = honest.pub_key().to_vec();
        (self.lie)(&mut share);
        Ok(Box::new(ActiveLiar { honest, share }))
    }

    fn start_and_complete(&self, share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let mut completed = self.honest.start_and_complete(share)?;
        (self.lie)(&mut completed.pub_key);
        Ok(completed)
    }

    fn name(&self) -> NamedGroup {
        self.honest.name()
    }
}

struct ActiveLiar {
    honest: Box<dyn ActiveKeyExchange>,
    share: Vec<u8>,
}

impl ActiveKeyExchange for ActiveLiar {
    fn complete(self: Box<Self>, share: &[u8]) -> Result<SharedSecret, Error> {
        self.honest.complete(share)
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        self.honest.group()
    }
}

#[test]
fn both_sides_answer_a_bad_share_with_illegal_parameter() {
    let truncate: fn(&mut Vec<u8>) = |share| share.truncate(share.len() - 1);
    let extend_by_one: fn(&mut Vec<u8>) = |share| share.push(0);
    let all_ones: fn(&mut Vec<u8>) = |share| share.fill(0xff);
    let refused =
        Failed { error: INVALID_KEY_SHARE, alert: Some(AlertDescription::IllegalParameter) };
    for (name, provider) in providers() {
        let provider = extend(provider);
        for code_point in OURS {
            let honest = group(&provider, code_point);
            let honestly = with_groups(&provider, &[honest]);
            // All ones is a ciphertext, and an X25519 share: that client fails at the next message.
            let ecdh = [0x11eb, SECP384R1MLKEM1024].contains(&code_point);
            for (lie, client_sees_it) in [(truncate, true), (extend_by_one, true), (all_ones, ecdh)]
            {
                let liar: Group = Box::leak(Box::new(Liar { honest, lie }));
                let lying = with_groups(&provider, &[liar]);
                let outcome =
                    handshake(&client_config(lying.clone()), &server_config(honestly.clone()));
                assert_eq!(outcome.as_ref(), Err(&refused), "{name}'s server {honest:?}");
                if client_sees_it {
                    let outcome =
                        handshake(&client_config(honestly.clone()), &server_config(lying));
                    assert_eq!(outcome.as_ref(), Err(&refused), "{name}'s client {honest:?}");
                }
            }
        }
    }
}

/// Implicit rejection: a forged ciphertext gives the client a secret of its own, with which it cannot read what the
/// server sends next.
#[test]
fn a_forged_ciphertext_ends_the_handshake_at_the_next_message() {
    for (name, provider) in providers() {
        let provider = extend(provider);
        for code_point in [0x0200, 0x0201, 0x0202, 0x11ec] {
            let honest = group(&provider, code_point);
            let liar: Group = Box::leak(Box::new(Liar { honest, lie: |share| share[0] ^= 1 }));
            let server = server_config(with_groups(&provider, &[liar]));
            let outcome = handshake(&client_config(with_groups(&provider, &[honest])), &server);
            // An alert comes encrypted under keys that the server does not share, so it sees none.
            let expected = Failed { error: Error::DecryptError, alert: None };
            assert_eq!(outcome, Err(expected), "{name} {honest:?}");
        }
    }
}
