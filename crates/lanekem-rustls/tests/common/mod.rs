//! Providers, configurations and handshakes in memory.
#![allow(dead_code, unreachable_pub, missing_docs)] // Each test file uses some of it.

#[path = "../../examples/handshakes/graviola.rs"]
mod graviola;

use rustls::crypto::{CryptoProvider, SupportedKxGroup, aws_lc_rs, ring};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    AlertDescription, ClientConfig, ClientConnection, Error, HandshakeKind, NamedGroup,
    PeerMisbehaved, RootCertStore, ServerConfig, ServerConnection,
};
use std::io::{Read, Write};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};

pub type Group = &'static dyn SupportedKxGroup;

pub const INVALID_KEY_SHARE: Error = Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare);
pub const SECP384R1MLKEM1024: u16 = 0x11ed;
/// Every group of this crate.
pub const OURS: [u16; 6] = [0x11ec, 0x11eb, SECP384R1MLKEM1024, 0x0201, 0x0202, 0x0200];

/// The providers that this machine can run.
pub fn providers() -> Vec<(&'static str, CryptoProvider)> {
    let mut providers =
        vec![("ring", ring::default_provider()), ("aws-lc-rs", aws_lc_rs::default_provider())];
    providers.extend(graviola::graviola().map(|provider| ("graviola", provider)));
    providers
}

/// A provider with these groups alone.
pub fn with_groups(provider: &CryptoProvider, groups: &[Group]) -> CryptoProvider {
    CryptoProvider { kx_groups: groups.to_vec(), ..provider.clone() }
}

/// A provider's group.
pub fn group(provider: &CryptoProvider, code_point: u16) -> Group {
    let name = NamedGroup::from(code_point);
    *provider.kx_groups.iter().find(|group| group.name() == name).expect("the provider has it")
}

/// A self-signed certificate, the same for the whole process.
fn identity() -> (CertificateDer<'static>, PrivateKeyDer<'static>) {
    static IDENTITY: OnceLock<(CertificateDer<'static>, Vec<u8>)> = OnceLock::new();
    let (certificate, key) = IDENTITY.get_or_init(|| {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        (made.cert.der().clone(), made.signing_key.serialize_der())
    });
    (certificate.clone(), PrivateKeyDer::try_from(key.clone()).unwrap())
}

pub fn client_config(provider: CryptoProvider) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    roots.add(identity().0).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    // Each handshake exchanges keys.
    config.resumption = rustls::client::Resumption::disabled();
    Arc::new(config)
}

pub fn server_config(provider: CryptoProvider) -> Arc<ServerConfig> {
    let (certificate, key) = identity();
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    Arc::new(config)
}

/// What both sides say of a finished handshake.
#[derive(Debug, PartialEq)]
pub struct Finished {
    pub group: u16,
    pub kind: HandshakeKind,
    /// Messages' flights from client to server, the last one (Finished) included.
    pub client_flights: usize,
}

/// How a handshake failed: the error of the side that saw it, and the alert that the other one got.
#[derive(Debug, PartialEq)]
pub struct Failed {
    pub error: Error,
    pub alert: Option<AlertDescription>,
}

/// A handshake in memory, and some data each way after it.
pub fn handshake(
    client: &Arc<ClientConfig>,
    server: &Arc<ServerConfig>,
) -> Result<Finished, Failed> {
    let name = ServerName::try_from("localhost").unwrap();
    let mut client = ClientConnection::new(Arc::clone(client), name)
        .map_err(|error| Failed { error, alert: None })?;
    let mut server = ServerConnection::new(Arc::clone(server)).unwrap();
    let mut client_flights = 0;
    while client.is_handshaking() || server.is_handshaking() {
        client_flights += usize::from(client.wants_write());
        transfer(&mut client, &mut server)?;
        transfer(&mut server, &mut client)?;
    }

    client.writer().write_all(b"ping").unwrap();
    transfer(&mut client, &mut server)?;
    let mut data = [0; 4];
    server.reader().read_exact(&mut data).unwrap();
    assert_eq!(&data, b"ping");
    server.writer().write_all(b"pong").unwrap();
    transfer(&mut server, &mut client)?;
    client.reader().read_exact(&mut data).unwrap();
    assert_eq!(&data, b"pong");

    let group = client.negotiated_key_exchange_group().unwrap().name();
    assert_eq!(server.negotiated_key_exchange_group().unwrap().name(), group);
    assert_eq!(client.handshake_kind(), server.handshake_kind());
    Ok(Finished { group: group.into(), kind: client.handshake_kind().unwrap(), client_flights })
}

/// Brings what one side has written to the other, and, if that refuses it, the alert back.
fn transfer<A, B, DA, DB>(from: &mut A, to: &mut B) -> Result<(), Failed>
where
    A: DerefMut + Deref<Target = rustls::ConnectionCommon<DA>>,
    B: DerefMut + Deref<Target = rustls::ConnectionCommon<DB>>,
    DA: rustls::SideData,
    DB: rustls::SideData,
{
    deliver(from, to).map_err(|error| {
        let alert = match deliver(to, from) {
            Err(Error::AlertReceived(alert)) => Some(alert),
            _ => None,
        };
        Failed { error, alert }
    })
}

fn deliver<A, B, DA, DB>(from: &mut A, to: &mut B) -> Result<(), Error>
where
    A: DerefMut + Deref<Target = rustls::ConnectionCommon<DA>>,
    B: DerefMut + Deref<Target = rustls::ConnectionCommon<DB>>,
    DA: rustls::SideData,
    DB: rustls::SideData,
{
    let mut bytes = Vec::new();
    while from.wants_write() {
        from.write_tls(&mut bytes).unwrap();
    }
    let mut bytes = bytes.as_slice();
    while !bytes.is_empty() {
        to.read_tls(&mut bytes).unwrap();
        to.process_new_packets()?;
    }
    Ok(())
}
