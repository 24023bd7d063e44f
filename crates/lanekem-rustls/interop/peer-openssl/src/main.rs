//! OpenSSL, built from source.

use foreign_types::ForeignTypeRef;
use interop_peer::{Connected, Peer, Result, Setup, echo, talk};
use openssl::ssl::{
    Ssl, SslConnector, SslContext, SslFiletype, SslMethod, SslRef, SslSession, SslSessionCacheMode,
    SslStream, SslVersion,
};
use std::ffi::CStr;
use std::net::TcpStream;
use std::sync::{Arc, Mutex, PoisonError};

struct OpenSsl;

impl Peer for OpenSsl {
    fn version() -> String {
        openssl::version::version().to_owned()
    }

    fn client(setup: &Setup) -> Result<impl FnMut(TcpStream) -> Result<Connected>> {
        let session = Arc::new(Mutex::new(None::<SslSession>));
        let mut connector = SslConnector::builder(SslMethod::tls_client())?;
        connector.set_min_proto_version(Some(SslVersion::TLS1_3))?;
        connector.set_groups_list(&setup.groups.join(":"))?;
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
            Ok(Connected { group: group(stream.ssl())?, resumed: stream.ssl().session_reused() })
        })
    }

    fn server(setup: &Setup) -> Result<impl Fn(TcpStream) -> Result<()> + Send + 'static> {
        let mut context = SslContext::builder(SslMethod::tls_server())?;
        context.set_min_proto_version(Some(SslVersion::TLS1_3))?;
        context.set_groups_list(&setup.groups.join(":"))?;
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

/// The name of the group, for which `openssl` has no call.
fn group(ssl: &SslRef) -> Result<String> {
    // SAFETY: the pointer is that of a connection.
    let name = unsafe { openssl_sys::SSL_get0_group_name(ssl.as_ptr()) };
    if name.is_null() {
        return Err("no group".into());
    }
    // SAFETY: a string that lives as long as the connection.
    Ok(unsafe { CStr::from_ptr(name) }.to_str()?.to_owned())
}

fn main() -> Result<()> {
    interop_peer::run::<OpenSsl>()
}
