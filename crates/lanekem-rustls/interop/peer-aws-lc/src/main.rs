//! The aws-lc-rs provider of rustls with the groups of its own.

use interop_peer::rustls::{client, server};
use interop_peer::{Connected, Peer, Result, Setup, locked};
use rustls::HandshakeKind;
use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::{default_provider, kx_group};
use std::net::TcpStream;

struct AwsLc;

impl Peer for AwsLc {
    fn version() -> String {
        let [rustls, aws_lc_rs, sys] = ["rustls", "aws-lc-rs", "aws-lc-sys"].map(locked);
        format!("rustls {rustls}, aws-lc-rs {aws_lc_rs}, aws-lc-sys {sys}")
    }

    fn client(setup: &Setup) -> Result<impl FnMut(TcpStream) -> Result<Connected>> {
        let connect = client(provider(), setup)?;
        Ok(move |tcp| {
            let finished = connect(tcp)?;
            let resumed = finished.kind == HandshakeKind::Resumed;
            Ok(Connected { group: finished.group.to_owned(), resumed })
        })
    }

    fn server(setup: &Setup) -> Result<impl Fn(TcpStream) -> Result<()> + Send + 'static> {
        let answer = server(provider(), setup)?;
        Ok(move |tcp| answer(tcp).map(drop))
    }
}

fn provider() -> CryptoProvider {
    use kx_group::{MLKEM768, MLKEM1024, SECP256R1MLKEM768, X25519MLKEM768};
    let kx_groups = vec![X25519MLKEM768, SECP256R1MLKEM768, MLKEM768, MLKEM1024];
    CryptoProvider { kx_groups, ..default_provider() }
}

fn main() -> Result<()> {
    interop_peer::run::<AwsLc>()
}
