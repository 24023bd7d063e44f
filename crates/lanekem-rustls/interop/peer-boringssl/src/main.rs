//! BoringSSL. A program of its own, since it and OpenSSL have symbols in common.

use boring::ssl::{
    Ssl, SslConnector, SslContext, SslFiletype, SslMethod, SslSession, SslSessionCacheMode,
    SslStream, SslVersion,
};
use interop_peer::{Connected, Peer, Result, Setup, echo, locked, talk};
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};

struct BoringSsl;

impl Peer for BoringSsl {
    fn version() -> String {
        format!("boring {}, boring-sys {}", locked("boring"), locked("boring-sys"))
    }

    fn client(setup: &Setup) -> Result<impl FnMut(TcpStream) -> Result<Connected>> {
        let session = Arc::new(Mutex::new(None::<SslSession>));
        let mut connector = SslConnector::builder(SslMethod::tls())?;
        connector.set_min_proto_version(Some(SslVersion::TLS1_3))?;
        connector.set_curves_list(&setup.groups.join(":"))?;
        connector.set_ca_file(&setup.certificate)?;
        if setup.resume {
            connector.set_session_cache_mode(SslSessionCacheMode::CLIENT);
            let newest = Arc::clone(&session);
            connector.set_new_session_callback(move |_, session| {
                *newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
            });
        }
        let connector = connector.build();
        Ok(move |tcp| {
            let mut ssl = connector.configure()?.into_ssl("localhost")?;
            if let Some(session) = session.lock().unwrap_or_else(PoisonError::into_inner).take() {
                // SAFETY: the session is of the same context.
                unsafe { ssl.set_session(&session)? };
            }
            let mut stream = ssl.connect(tcp)?;
            talk(&mut stream)?;
            stream.shutdown()?;
            Ok(Connected {
                group: stream.ssl().curve_name().unwrap_or("none").to_owned(),
                resumed: stream.ssl().session_reused(),
            })
        })
    }

    fn server(setup: &Setup) -> Result<impl Fn(TcpStream) -> Result<()> + Send + 'static> {
        let mut context = SslContext::builder(SslMethod::tls())?;
        context.set_min_proto_version(Some(SslVersion::TLS1_3))?;
        context.set_curves_list(&setup.groups.join(":"))?;
        context.set_certificate_file(&setup.certificate, SslFiletype::PEM)?;
        context.set_private_key_file(&setup.key, SslFiletype::PEM)?;
        let context = context.build();
        Ok(move |tcp| {
            let mut stream = SslStream::new(Ssl::new(&context)?, tcp)?;
            stream.accept()?;
            echo(&mut stream)
        })
    }
}

fn main() -> Result<()> {
    interop_peer::run::<BoringSsl>()
}
