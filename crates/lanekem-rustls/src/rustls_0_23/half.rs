//! The KEM in a group.
#![forbid(unsafe_code)]

use super::INVALID_KEY_SHARE;
use super::random::Random;
use crate::key::EphemeralKey;
use crate::pool::Pool;
use core::fmt::Debug;
use lanekem::{Ciphertext, EncapsulationKey, ParameterSet, SharedSecret};
use rustls::Error;

/// A KEM, with where its keys and its randomness come from.
pub(super) trait Kem: Copy + Debug + Send + Sync + 'static {
    type Set: ParameterSet;
    /// A client's key pair.
    type Key: Send + Sync + 'static;
    /// A client's public key, checked.
    type Theirs;
    type Ciphertext: AsRef<[u8]>;

    /// A key pair for one handshake.
    fn key(&self) -> Result<Self::Key, Error>;

    /// Its public key.
    fn share(key: &Self::Key) -> &[u8];

    /// A client's key, with the checks of FIPS 203 §7.2.
    fn parse(client_share: &[u8]) -> Result<Self::Theirs, Error>;

    fn encapsulate(&self, theirs: &Self::Theirs)
    -> Result<(Self::Ciphertext, SharedSecret), Error>;

    /// Called once for each key.
    fn decapsulate(key: &mut Self::Key, server_share: &[u8]) -> Result<SharedSecret, Error>;
}

/// ML-KEM.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half<P: ParameterSet> {
    pub(super) pool: Option<&'static Pool<P>>,
    pub(super) random: Random,
}

impl<P: ParameterSet> Half<P> {
    pub(super) const fn new() -> Self {
        Self { pool: None, random: Random(None) }
    }
}

impl<P: ParameterSet> Kem for Half<P> {
    type Set = P;
    type Key = EphemeralKey<P>;
    type Theirs = EncapsulationKey<P>;
    type Ciphertext = Ciphertext<P>;

    fn key(&self) -> Result<EphemeralKey<P>, Error> {
        let mut random = self.random;
        let key = match self.pool {
            Some(pool) => pool.try_take(&mut random),
            None => EphemeralKey::try_generate(&mut random),
        };
        key.map_err(Error::from)
    }

    fn share(key: &EphemeralKey<P>) -> &[u8] {
        key.encapsulation_key().as_bytes()
    }

    fn parse(client_share: &[u8]) -> Result<EncapsulationKey<P>, Error> {
        EncapsulationKey::from_bytes(client_share).map_err(|_| INVALID_KEY_SHARE)
    }

    fn encapsulate(
        &self,
        theirs: &EncapsulationKey<P>,
    ) -> Result<(Ciphertext<P>, SharedSecret), Error> {
        let mut random = self.random;
        theirs.try_encapsulate(&mut random).map_err(Error::from)
    }

    fn decapsulate(key: &mut EphemeralKey<P>, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let ciphertext = Ciphertext::from_bytes(server_share).map_err(|_| INVALID_KEY_SHARE)?;
        Ok(key.decapsulate(&ciphertext))
    }
}
