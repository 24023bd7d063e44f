//! An HTTPS client that prints the negotiated key-exchange group and the page it got. Its key pairs come out of a pool.
//!
//! `cargo run --example client -- [ADDRESS] [CERTIFICATE]`, with the example `server` running.

use lanekem::MlKem768;
use lanekem_rustls::{Pool, Pools, extend_with_pools};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::error::Error;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

static POOL: Pool<MlKem768> = Pool::new(64, Duration::from_secs(60));

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let address = args.next().unwrap_or_else(|| "127.0.0.1:4433".to_owned());
    let file = args.next().unwrap_or_else(|| "lanekem-example.der".to_owned());
    let (group, page) = get(&config(fs::read(file)?)?, &address)?;
    println!("group: {group}\n{page}");
    Ok(())
}

/// Every group of this crate over *ring*, and trust in one certificate.
pub(crate) fn config(certificate: Vec<u8>) -> Result<Arc<ClientConfig>, Box<dyn Error>> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.into())?;
    let pools = Pools { mlkem768: Some(&POOL), ..Pools::default() };
    let provider = extend_with_pools(rustls::crypto::ring::default_provider(), pools);
    let config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// The group and the page.
pub(crate) fn get(
    config: &Arc<ClientConfig>,
    address: &str,
) -> Result<(String, String), Box<dyn Error>> {
    let connection = ClientConnection::new(Arc::clone(config), ServerName::try_from("localhost")?)?;
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address)?);
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut page = String::new();
    stream.read_to_string(&mut page)?;
    let group = stream.conn.negotiated_key_exchange_group().ok_or("no key exchange")?;
    Ok((format!("{:?}", group.name()), page))
}
