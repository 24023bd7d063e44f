//! The certificates of a run: of each kind a root and one end-entity certificate, both with keys of that kind.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, RsaKeySize};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::error::Error;

pub(crate) const HOST: &str = "localhost";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ecdsa,
    Rsa,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ecdsa => "ecdsa",
            Self::Rsa => "rsa",
        }
    }

    fn key(self) -> Result<KeyPair, rcgen::Error> {
        match self {
            Self::Ecdsa => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256),
            Self::Rsa => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, RsaKeySize::_2048),
        }
    }
}

pub(crate) struct Identity {
    pub(crate) kind: Kind,
    pub(crate) certificate: CertificateDer<'static>,
    key: Vec<u8>,
    pub(crate) roots: RootCertStore,
}

impl Identity {
    pub(crate) fn new(kind: Kind) -> Result<Self, Box<dyn Error>> {
        let mut root = CertificateParams::new([])?;
        root.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let root_key = kind.key()?;
        let mut roots = RootCertStore::empty();
        roots.add(root.self_signed(&root_key)?.der().clone())?;
        let key = kind.key()?;
        let certificate = CertificateParams::new([HOST.to_owned()])?
            .signed_by(&key, &Issuer::new(root, root_key))?;
        Ok(Self { kind, certificate: certificate.der().clone(), key: key.serialize_der(), roots })
    }

    pub(crate) fn key(&self) -> Result<PrivateKeyDer<'static>, &'static str> {
        PrivateKeyDer::try_from(self.key.clone())
    }
}
