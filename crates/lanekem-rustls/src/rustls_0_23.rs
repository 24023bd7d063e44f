//! The groups as rustls 0.23 wants them. All that knows the version of rustls is in this module.
#![forbid(unsafe_code)]

mod extend;
mod half;
#[cfg(feature = "one-time")]
pub mod one_time;
mod random;

use crate::layout::{BadSecret, Halves, Layout, mlkem_code_point};
use crate::pool::Pool;
use half::{Half, Kem};
use lanekem::{MlKem512, MlKem768, MlKem1024, ParameterSet};
use random::Random;
use rustls::crypto::{
    ActiveKeyExchange, CompletedKeyExchange, SecureRandom, SharedSecret, SupportedKxGroup,
};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, PeerMisbehaved, ProtocolVersion};

pub use extend::{Pools, extend, extend_with_pools};

/// ML-KEM-512 alone, 0x0200, with the operating system's randomness.
pub static MLKEM512: &dyn SupportedKxGroup = &Mlkem::<MlKem512>::new();
/// ML-KEM-768 alone, 0x0201, with the operating system's randomness.
pub static MLKEM768: &dyn SupportedKxGroup = &Mlkem::<MlKem768>::new();
/// ML-KEM-1024 alone, 0x0202, with the operating system's randomness.
pub static MLKEM1024: &dyn SupportedKxGroup = &Mlkem::<MlKem1024>::new();

/// What rustls answers with the alert `illegal_parameter`.
const INVALID_KEY_SHARE: Error = Error::PeerMisbehaved(PeerMisbehaved::InvalidKeyShare);

/// ML-KEM alone as a group (draft-ietf-tls-mlkem).
#[derive(Clone, Copy, Debug)]
pub struct Mlkem<P: ParameterSet> {
    half: Half<P>,
}

impl<P: ParameterSet> Mlkem<P> {
    /// The group, with the operating system's randomness.
    pub const fn new() -> Self {
        Self { half: Half::new() }
    }

    /// Takes randomness from a provider, such as `provider.secure_random`.
    pub const fn with_random(mut self, random: &'static dyn SecureRandom) -> Self {
        self.half.random = Random(Some(random));
        self
    }

    /// Takes a client's keys out of a pool.
    pub const fn with_pool(mut self, pool: &'static Pool<P>) -> Self {
        self.half.pool = Some(pool);
        self
    }
}

impl<P: ParameterSet> Default for Mlkem<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: ParameterSet> SupportedKxGroup for Mlkem<P> {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        start_alone(self.name(), &self.half)
    }

    fn start_and_complete(&self, client_share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        answer_alone(self.name(), &self.half, client_share)
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::from(mlkem_code_point::<P>())
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

/// A client's share of a KEM alone.
fn start_alone<K: Kem>(group: NamedGroup, kem: &K) -> Result<Box<dyn ActiveKeyExchange>, Error> {
    Ok(Box::new(Active::<K> { key: kem.key()?, group }))
}

/// A server's answer.
fn answer_alone<K: Kem>(
    group: NamedGroup,
    kem: &K,
    client_share: &[u8],
) -> Result<CompletedKeyExchange, Error> {
    let (ciphertext, secret) = kem.encapsulate(&K::parse(client_share)?)?;
    Ok(CompletedKeyExchange {
        group,
        pub_key: ciphertext.as_ref().to_vec(),
        secret: SharedSecret::from(secret.as_bytes().as_slice()),
    })
}

/// A client's exchange between its two messages.
struct Active<K: Kem> {
    key: K::Key,
    group: NamedGroup,
}

impl<K: Kem> ActiveKeyExchange for Active<K> {
    fn complete(mut self: Box<Self>, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let secret = K::decapsulate(&mut self.key, server_share)?;
        Ok(SharedSecret::from(secret.as_bytes().as_slice()))
    }

    fn pub_key(&self) -> &[u8] {
        K::share(&self.key)
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        self.group
    }
}

/// ML-KEM beside a classical group of the user's provider (RFC 10024).
///
/// ```
/// use lanekem::MlKem768;
/// use lanekem_rustls::{Hybrid, Layout};
/// use rustls::crypto::ring::kx_group::X25519;
///
/// static X25519MLKEM768: Hybrid<MlKem768> = Hybrid::new(X25519, Layout::X25519MLKEM768);
///
/// let mut provider = rustls::crypto::ring::default_provider();
/// provider.kx_groups.insert(0, &X25519MLKEM768);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Hybrid<P: ParameterSet>(Beside<Half<P>>);

impl<P: ParameterSet> Hybrid<P> {
    /// The group, with the operating system's randomness for ML-KEM. A `classical` group that is not the
    /// layout's makes each exchange fail with [`Error::General`].
    pub const fn new(classical: &'static dyn SupportedKxGroup, layout: Layout<P>) -> Self {
        Self(Beside { classical, layout, kem: Half::new() })
    }

    /// Takes ML-KEM's randomness from a provider, such as `provider.secure_random`.
    pub const fn with_random(mut self, random: &'static dyn SecureRandom) -> Self {
        self.0.kem.random = Random(Some(random));
        self
    }

    /// Takes a client's ML-KEM keys out of a pool.
    pub const fn with_pool(mut self, pool: &'static Pool<P>) -> Self {
        self.0.kem.pool = Some(pool);
        self
    }
}

impl<P: ParameterSet> SupportedKxGroup for Hybrid<P> {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        self.0.start()
    }

    fn start_and_complete(&self, client_share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        self.0.answer(client_share)
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        self.0.name()
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

/// A KEM beside a classical group.
#[derive(Clone, Copy, Debug)]
struct Beside<K: Kem> {
    classical: &'static dyn SupportedKxGroup,
    layout: Layout<K::Set>,
    kem: K,
}

impl<K: Kem> Beside<K> {
    fn name(&self) -> NamedGroup {
        NamedGroup::from(self.layout.code_point)
    }

    /// Whether the classical group is the layout's, by its name and, once there is one, by its share.
    fn check_classical(&self, share: Option<&[u8]>) -> Result<(), Error> {
        if u16::from(self.classical.name()) == self.layout.classical
            && share.is_none_or(|share| self.layout.is_classical_share(share))
        {
            Ok(())
        } else {
            Err(Error::General("the classical group is not the layout's".into()))
        }
    }

    /// A client's share.
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        self.check_classical(None)?;
        let classical = self.classical.start()?;
        self.check_classical(Some(classical.pub_key()))?;
        let key = self.kem.key()?;
        let share =
            self.layout.concat(Halves { mlkem: K::share(&key), classical: classical.pub_key() });
        Ok(Box::new(ActiveHybrid::<K> { classical, key, layout: self.layout, share }))
    }

    /// A server's answer.
    fn answer(&self, client_share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let theirs = self.layout.split_client(client_share).ok_or(INVALID_KEY_SHARE)?;
        // The cheapest check comes first, for the peers that fail it.
        let key = K::parse(theirs.mlkem)?;
        self.check_classical(None)?;
        let classical = self.classical.start_and_complete(theirs.classical)?;
        self.check_classical(Some(&classical.pub_key))?;
        let (ciphertext, secret) = self.kem.encapsulate(&key)?;
        Ok(CompletedKeyExchange {
            group: self.name(),
            pub_key: self
                .layout
                .concat(Halves { mlkem: ciphertext.as_ref(), classical: &classical.pub_key }),
            secret: combine(&self.layout, &secret, &classical.secret)?,
        })
    }
}

/// A client's exchange between its two messages.
struct ActiveHybrid<K: Kem> {
    classical: Box<dyn ActiveKeyExchange>,
    key: K::Key,
    layout: Layout<K::Set>,
    share: Vec<u8>,
}

impl<K: Kem> ActiveKeyExchange for ActiveHybrid<K> {
    fn complete(mut self: Box<Self>, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let theirs = self.layout.split_server(server_share).ok_or(INVALID_KEY_SHARE)?;
        let classical = self.classical.complete(theirs.classical)?;
        combine(&self.layout, &K::decapsulate(&mut self.key, theirs.mlkem)?, &classical)
    }

    /// The classical half is offered by itself too, at no cost: a server without the hybrid takes it instead
    /// of asking for another share.
    fn hybrid_component(&self) -> Option<(NamedGroup, &[u8])> {
        Some((self.classical.group(), self.classical.pub_key()))
    }

    fn complete_hybrid_component(
        self: Box<Self>,
        server_share: &[u8],
    ) -> Result<SharedSecret, Error> {
        let secret = self.classical.complete(server_share)?;
        check_secret(&self.layout, &secret)?;
        Ok(secret)
    }

    fn pub_key(&self) -> &[u8] {
        &self.share
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::from(self.layout.code_point)
    }
}

/// The secret of a hybrid.
fn combine<P: ParameterSet>(
    layout: &Layout<P>,
    mlkem: &lanekem::SharedSecret,
    classical: &SharedSecret,
) -> Result<SharedSecret, Error> {
    check_secret(layout, classical)?;
    let classical = classical.secret_bytes();
    Ok(SharedSecret::from(layout.concat(Halves { mlkem: mlkem.as_bytes(), classical })))
}

fn check_secret<P: ParameterSet>(layout: &Layout<P>, secret: &SharedSecret) -> Result<(), Error> {
    layout.check_secret(secret.secret_bytes()).map_err(|bad| match bad {
        BadSecret::AllZero => INVALID_KEY_SHARE,
        BadSecret::Length => Error::General("a classical secret of unexpected length".into()),
    })
}
