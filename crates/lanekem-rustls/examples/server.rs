//! An HTTPS server whose page says which key-exchange group was negotiated.
//!
//! `cargo run --example server -- [ADDRESS] [CERTIFICATE]`
//!
//! Makes itself a certificate and writes it to the file CERTIFICATE, for the example `client`. A browser has to be
//! told to go on in spite of it.

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::{env, fs, thread};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let address = args.next().unwrap_or_else(|| "127.0.0.1:4433".to_owned());
    let file = args.next().unwrap_or_else(|| "lanekem-example.der".to_owned());
    let (config, certificate) = config()?;
    fs::write(&file, certificate)?;
    let listener = TcpListener::bind(address)?;
    println!("https://{}/, certificate in {file}", listener.local_addr()?);
    serve(&listener, &config)
}

/// A configuration with every group of this crate over *ring*, and its self-signed certificate.
pub(crate) fn config() -> Result<(Arc<ServerConfig>, Vec<u8>), Box<dyn Error>> {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let identity = rcgen::generate_simple_self_signed(names)?;
    let certificate = identity.cert.der().clone();
    let key = identity.signing_key.serialize_der().try_into()?;
    let provider = lanekem_rustls::extend(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)?;
    Ok((Arc::new(config), certificate.to_vec()))
}

/// Answers each connection in a thread of its own.
pub(crate) fn serve(
    listener: &TcpListener,
    config: &Arc<ServerConfig>,
) -> Result<(), Box<dyn Error>> {
    loop {
        let (stream, peer) = listener.accept()?;
        let config = Arc::clone(config);
        thread::spawn(move || {
            if let Err(error) = answer(config, stream) {
                eprintln!("{peer}: {error}");
            }
        });
    }
}

fn answer(config: Arc<ServerConfig>, stream: TcpStream) -> Result<(), Box<dyn Error>> {
    let connection = ServerConnection::new(config)?;
    let mut request = BufReader::new(StreamOwned::new(connection, stream));
    loop {
        let mut line = String::new();
        if request.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if line.trim_end().is_empty() {
            break;
        }
    }
    let mut stream = request.into_inner();
    let group = stream.conn.negotiated_key_exchange_group().map(|group| group.name());
    let group = match group.map(u16::from) {
        // Has no name in rustls 0.23.
        Some(0x11ed) => "SecP384r1MLKEM1024".to_owned(),
        _ => format!("{:?}", group.ok_or("no key exchange")?),
    };
    let page = format!("<!doctype html><title>lanekem</title><p>Key exchange: {group}</p>\n");
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
        page.len()
    )?;
    stream.conn.send_close_notify();
    stream.flush()?;
    Ok(())
}
