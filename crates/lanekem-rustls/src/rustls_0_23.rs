//! The groups as rustls 0.23 wants them. All that knows the version of rustls is in this module.
#![forbid(unsafe_code)]

mod extend;
mod random;

use crate::key::EphemeralKey;
use crate::layout::{BadSecret, Halves, Layout, mlkem_code_point};
use crate::pool::Pool;
use lanekem::{Ciphertext, EncapsulationKey, MlKem512, MlKem768, MlKem1024, ParameterSet};
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
        Ok(Box::new(ActiveMlkem(self.half.key()?)))
    }

    fn start_and_complete(&self, client_share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let theirs = parse(client_share)?;
        let (ciphertext, secret) = self.half.encapsulate(&theirs)?;
        Ok(CompletedKeyExchange {
            group: self.name(),
            pub_key: ciphertext.as_bytes().to_vec(),
            secret: SharedSecret::from(secret.as_bytes().as_slice()),
        })
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

/// A client's exchange between its two messages.
struct ActiveMlkem<P: ParameterSet>(EphemeralKey<P>);

impl<P: ParameterSet> ActiveKeyExchange for ActiveMlkem<P> {
    fn complete(self: Box<Self>, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let secret = decapsulate(&self.0, server_share)?;
        Ok(SharedSecret::from(secret.as_bytes().as_slice()))
    }

    fn pub_key(&self) -> &[u8] {
        self.0.encapsulation_key().as_bytes()
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::from(mlkem_code_point::<P>())
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
pub struct Hybrid<P: ParameterSet> {
    classical: &'static dyn SupportedKxGroup,
    layout: Layout<P>,
    half: Half<P>,
}

impl<P: ParameterSet> Hybrid<P> {
    /// The group, with the operating system's randomness for ML-KEM. A `classical` group that is not the
    /// layout's makes each exchange fail with [`Error::General`].
    pub const fn new(classical: &'static dyn SupportedKxGroup, layout: Layout<P>) -> Self {
        Self { classical, layout, half: Half::new() }
    }

    /// Takes ML-KEM's randomness from a provider, such as `provider.secure_random`.
    pub const fn with_random(mut self, random: &'static dyn SecureRandom) -> Self {
        self.half.random = Random(Some(random));
        self
    }

    /// Takes a client's ML-KEM keys out of a pool.
    pub const fn with_pool(mut self, pool: &'static Pool<P>) -> Self {
        self.half.pool = Some(pool);
        self
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
}

impl<P: ParameterSet> SupportedKxGroup for Hybrid<P> {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        self.check_classical(None)?;
        let classical = self.classical.start()?;
        self.check_classical(Some(classical.pub_key()))?;
        let key = self.half.key()?;
        let share = self.layout.concat(Halves {
            mlkem: key.encapsulation_key().as_bytes(),
            classical: classical.pub_key(),
        });
        Ok(Box::new(ActiveHybrid { classical, key, layout: self.layout, share }))
    }

    fn start_and_complete(&self, client_share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        let theirs = self.layout.split_client(client_share).ok_or(INVALID_KEY_SHARE)?;
        // The cheapest check comes first, for the peers that fail it.
        let key = parse(theirs.mlkem)?;
        self.check_classical(None)?;
        let classical = self.classical.start_and_complete(theirs.classical)?;
        self.check_classical(Some(&classical.pub_key))?;
        let (ciphertext, secret) = self.half.encapsulate(&key)?;
        Ok(CompletedKeyExchange {
            group: self.name(),
            pub_key: self
                .layout
                .concat(Halves { mlkem: ciphertext.as_bytes(), classical: &classical.pub_key }),
            secret: combine(&self.layout, &secret, &classical.secret)?,
        })
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::from(self.layout.code_point)
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

/// A client's exchange between its two messages.
struct ActiveHybrid<P: ParameterSet> {
    classical: Box<dyn ActiveKeyExchange>,
    key: EphemeralKey<P>,
    layout: Layout<P>,
    share: Vec<u8>,
}

impl<P: ParameterSet> ActiveKeyExchange for ActiveHybrid<P> {
    fn complete(self: Box<Self>, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let theirs = self.layout.split_server(server_share).ok_or(INVALID_KEY_SHARE)?;
        let classical = self.classical.complete(theirs.classical)?;
        combine(&self.layout, &decapsulate(&self.key, theirs.mlkem)?, &classical)
    }

    /// The classical half is offered by itself too, at no cost: a server without ML-KEM takes it instead
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

/// A client's key, with the checks of FIPS 203 §7.2.
fn parse<P: ParameterSet>(client_share: &[u8]) -> Result<EncapsulationKey<P>, Error> {
    EncapsulationKey::from_bytes(client_share).map_err(|_| INVALID_KEY_SHARE)
}

fn decapsulate<P: ParameterSet>(
    key: &EphemeralKey<P>,
    server_share: &[u8],
) -> Result<lanekem::SharedSecret, Error> {
    let ciphertext = Ciphertext::from_bytes(server_share).map_err(|_| INVALID_KEY_SHARE)?;
    Ok(key.decapsulate(&ciphertext))
}

/// The ML-KEM half of a group: where its keys and its randomness come from.
#[derive(Clone, Copy, Debug)]
struct Half<P: ParameterSet> {
    pool: Option<&'static Pool<P>>,
    random: Random,
}

impl<P: ParameterSet> Half<P> {
    const fn new() -> Self {
        Self { pool: None, random: Random(None) }
    }

    fn key(&self) -> Result<EphemeralKey<P>, Error> {
        let mut random = self.random;
        let key = match self.pool {
            Some(pool) => pool.try_take(&mut random),
            None => EphemeralKey::try_generate(&mut random),
        };
        key.map_err(Error::from)
    }

    fn encapsulate(
        &self,
        theirs: &EncapsulationKey<P>,
    ) -> Result<(Ciphertext<P>, lanekem::SharedSecret), Error> {
        let mut random = self.random;
        theirs.try_encapsulate(&mut random).map_err(Error::from)
    }
}
