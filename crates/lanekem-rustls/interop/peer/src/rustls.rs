//! Clients and servers over rustls.

use crate::{Result, Setup, echo, talk};
use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, SupportedKxGroup};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, HandshakeKind, NamedGroup, RootCertStore, ServerConfig,
    ServerConnection, StreamOwned, SupportedProtocolVersion,
};
use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;

static TLS13: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13];

/// Names and code points in the order of the tables.
pub const GROUPS: [(&str, u16); 6] = [
    ("X25519MLKEM768", 0x11ec),
    ("SecP256r1MLKEM768", 0x11eb),
    ("SecP384r1MLKEM1024", 0x11ed),
    ("MLKEM512", 0x0200),
    ("MLKEM768", 0x0201),
    ("MLKEM1024", 0x0202),
];

/// What one side says of a finished handshake.
#[derive(Debug, PartialEq)]
pub struct Finished {
    pub group: &'static str,
    pub kind: HandshakeKind,
}

/// What connects, echoes data and closes.
pub fn client(
    provider: CryptoProvider,
    setup: &Setup,
) -> Result<impl Fn(TcpStream) -> Result<Finished> + use<>> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(&setup.certificate)?)?;
    let mut config = ClientConfig::builder_with_provider(only(provider, &setup.groups)?.into())
        .with_protocol_versions(TLS13)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    if !setup.resume {
        config.resumption = Resumption::disabled();
    }
    let config = Arc::new(config);
    Ok(move |tcp| {
        let name = ServerName::try_from("localhost")?;
        let connection = ClientConnection::new(Arc::clone(&config), name)?;
        let mut stream = StreamOwned::new(connection, tcp);
        talk(&mut stream)?;
        let finished = finished(&stream.conn)?;
        stream.conn.send_close_notify();
        stream.flush()?;
        Ok(finished)
    })
}

/// What answers a connection by an echo.
pub fn server(
    provider: CryptoProvider,
    setup: &Setup,
) -> Result<impl Fn(TcpStream) -> Result<Finished> + Send + use<>> {
    let accept = acceptor(provider, setup)?;
    Ok(move |tcp| {
        let mut stream = accept(tcp)?;
        echo(&mut stream)?;
        finished(&stream.conn)
    })
}

/// What makes a server's stream of a connection.
pub fn acceptor(
    provider: CryptoProvider,
    setup: &Setup,
) -> Result<impl Fn(TcpStream) -> Result<StreamOwned<ServerConnection, TcpStream>> + Send + use<>> {
    let certificate = CertificateDer::from_pem_file(&setup.certificate)?;
    let mut config = ServerConfig::builder_with_provider(only(provider, &setup.groups)?.into())
        .with_protocol_versions(TLS13)?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], PrivateKeyDer::from_pem_file(&setup.key)?)?;
    if !setup.resume {
        config.send_tls13_tickets = 0;
    }
    let config = Arc::new(config);
    Ok(move |tcp| Ok(StreamOwned::new(ServerConnection::new(Arc::clone(&config))?, tcp)))
}

/// The provider with these groups alone, in this order.
fn only(provider: CryptoProvider, names: &[String]) -> Result<CryptoProvider> {
    let find = |name: &String| -> Result<&'static dyn SupportedKxGroup> {
        let (_, code) = GROUPS.iter().find(|(known, _)| known == name).ok_or("no such group")?;
        let code = NamedGroup::from(*code);
        let found = provider.kx_groups.iter().find(|group| group.name() == code);
        Ok(*found.ok_or_else(|| format!("the provider has no {name}"))?)
    };
    let kx_groups = names.iter().map(find).collect::<Result<_>>()?;
    Ok(CryptoProvider { kx_groups, ..provider })
}

/// What was negotiated.
pub fn finished<D>(connection: &rustls::ConnectionCommon<D>) -> Result<Finished> {
    let group = connection.negotiated_key_exchange_group().ok_or("no key exchange")?.name();
    let (group, _) = GROUPS
        .into_iter()
        .find(|(_, code)| *code == u16::from(group))
        .ok_or_else(|| format!("negotiated {group:?}"))?;
    Ok(Finished { group, kind: connection.handshake_kind().ok_or("no handshake")? })
}
