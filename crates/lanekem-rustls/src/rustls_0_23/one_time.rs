//! One-time KEMs ([`lanekem::one_time`]) as key-exchange groups, to measure what TLS 1.3 would gain by them.
//! **Not ML-KEM, not FIPS 203, not in any standard.**
//!
//! A client's key pair decapsulates once, so that decapsulation can leave out the re-encryption. No function
//! of this crate adds these groups to a provider: they are there for who names them, and who does must run both
//! ends. Their code points are from the range for private use, where somebody else's may be the same.
//!
//! | group | code point | client's share | server's share |
//! |---|---|---|---|
//! | T_H over ML-KEM-512's K-PKE | 0xFE00 | 800 | 768 |
//! | T_H over ML-KEM-768's K-PKE | 0xFE01 | 1,184 | 1,088 |
//! | T_H over ML-KEM-1024's K-PKE | 0xFE02 | 1,568 | 1,568 |
//! | T_CH over the same | 0xFE10 to 0xFE12 | the same | 32 more |
//! | T_H beside X25519 | 0xFEEC | 1,216 | 1,120 |
//!
//! ```
//! use lanekem::MlKem768;
//! use lanekem::one_time::th::Th;
//! use lanekem_rustls::one_time::{OneTime, OneTimeHybrid};
//! use rustls::crypto::{CryptoProvider, ring};
//!
//! static HYBRID: OneTimeHybrid<MlKem768> = OneTimeHybrid::x25519(ring::kx_group::X25519);
//! static ALONE: OneTime<MlKem768, Th> = OneTime::new();
//!
//! let provider = CryptoProvider { kx_groups: vec![&HYBRID, &ALONE], ..ring::default_provider() };
//! ```
//!
//! # A key that is used twice is lost
//!
//! rustls completes a key exchange once, and the key is wiped then. What neither can prevent: a process that is
//! forked, or a machine that is resumed twice from one snapshot, between a client's first message and the
//! server's answer.
#![forbid(unsafe_code)]

use super::half::Kem;
use super::random::Random;
use super::{Beside, INVALID_KEY_SHARE, answer_alone, start_alone};
use crate::layout::{Layout, ONE_TIME_TCH, ONE_TIME_TH};
use core::marker::PhantomData;
use core::slice;
use lanekem::one_time::tch::Tch;
use lanekem::one_time::th::Th;
use lanekem::one_time::{Ciphertext, EncapsulationKey, OneTimeKeyPair, Transform};
use lanekem::{MlKem768, ParameterSet, SharedSecret};
use rustls::crypto::{ActiveKeyExchange, CompletedKeyExchange, SecureRandom, SupportedKxGroup};
use rustls::ffdhe_groups::FfdheGroup;
use rustls::{Error, NamedGroup, ProtocolVersion};

/// T_H or T_CH as TLS uses it.
pub trait TlsTransform: Transform + sealed::Decapsulate {
    /// Code point of the first parameter set; the others follow.
    const FIRST_CODE_POINT: u16;
}

impl TlsTransform for Th {
    const FIRST_CODE_POINT: u16 = ONE_TIME_TH;
}

impl TlsTransform for Tch {
    const FIRST_CODE_POINT: u16 = ONE_TIME_TCH;
}

mod sealed {
    use super::*;

    /// What the transforms do differently.
    pub trait Decapsulate: Transform {
        fn decapsulate<P: ParameterSet>(
            slot: &mut Option<OneTimeKeyPair<P, Self>>,
            ciphertext: &Ciphertext<P, Self>,
        ) -> Option<Result<SharedSecret, lanekem::Error>>;
    }

    impl Decapsulate for Th {
        fn decapsulate<P: ParameterSet>(
            slot: &mut Option<OneTimeKeyPair<P, Self>>,
            ciphertext: &Ciphertext<P, Self>,
        ) -> Option<Result<SharedSecret, lanekem::Error>> {
            OneTimeKeyPair::<P, Self>::decapsulate_from(slot, ciphertext).map(Ok)
        }
    }

    impl Decapsulate for Tch {
        fn decapsulate<P: ParameterSet>(
            slot: &mut Option<OneTimeKeyPair<P, Self>>,
            ciphertext: &Ciphertext<P, Self>,
        ) -> Option<Result<SharedSecret, lanekem::Error>> {
            OneTimeKeyPair::<P, Self>::decapsulate_from(slot, ciphertext)
        }
    }
}

/// A one-time KEM in a group.
#[derive(Clone, Copy, Debug)]
struct OneTimeKem<P, T> {
    random: Random,
    kem: PhantomData<(P, T)>,
}

impl<P: ParameterSet, T: TlsTransform> OneTimeKem<P, T> {
    const fn new() -> Self {
        Self { random: Random(None), kem: PhantomData }
    }
}

impl<P: ParameterSet, T: TlsTransform> Kem for OneTimeKem<P, T> {
    type Set = P;
    /// Made, used and wiped in one place: only its address moves.
    type Key = Box<Option<OneTimeKeyPair<P, T>>>;
    type Theirs = EncapsulationKey<P, T>;
    type Ciphertext = Ciphertext<P, T>;

    fn key(&self) -> Result<Self::Key, Error> {
        let mut random = self.random;
        let mut slot = Box::new(None);
        OneTimeKeyPair::try_generate_batch(&mut random, slice::from_mut(&mut *slot))
            .map_err(Error::from)?;
        Ok(slot)
    }

    fn share(key: &Self::Key) -> &[u8] {
        (**key).as_ref().map_or(&[], |pair| pair.encapsulation_key().as_bytes())
    }

    fn parse(client_share: &[u8]) -> Result<EncapsulationKey<P, T>, Error> {
        EncapsulationKey::from_bytes(client_share).map_err(|_| INVALID_KEY_SHARE)
    }

    fn encapsulate(
        &self,
        theirs: &EncapsulationKey<P, T>,
    ) -> Result<(Ciphertext<P, T>, SharedSecret), Error> {
        let mut random = self.random;
        theirs.try_encapsulate(&mut random).map_err(Error::from)
    }

    fn decapsulate(key: &mut Self::Key, server_share: &[u8]) -> Result<SharedSecret, Error> {
        let ciphertext = Ciphertext::from_bytes(server_share).map_err(|_| INVALID_KEY_SHARE)?;
        let secret = T::decapsulate(key, &ciphertext)
            .ok_or_else(|| Error::General("a one-time key that was used".into()))?;
        secret.map_err(|_| INVALID_KEY_SHARE)
    }
}

/// A one-time KEM alone as a group: see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct OneTime<P: ParameterSet, T: TlsTransform> {
    kem: OneTimeKem<P, T>,
}

impl<P: ParameterSet, T: TlsTransform> OneTime<P, T> {
    /// The group, with the operating system's randomness.
    pub const fn new() -> Self {
        Self { kem: OneTimeKem::new() }
    }

    /// Takes randomness from a provider, such as `provider.secure_random`.
    pub const fn with_random(mut self, random: &'static dyn SecureRandom) -> Self {
        self.kem.random = Random(Some(random));
        self
    }
}

impl<P: ParameterSet, T: TlsTransform> Default for OneTime<P, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: ParameterSet, T: TlsTransform> SupportedKxGroup for OneTime<P, T> {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        start_alone(self.name(), &self.kem)
    }

    fn start_and_complete(&self, client_share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        answer_alone(self.name(), &self.kem, client_share)
    }

    fn ffdhe_group(&self) -> Option<FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::from(T::FIRST_CODE_POINT + (P::K - 2) as u16)
    }

    fn usable_for_version(&self, version: ProtocolVersion) -> bool {
        version == ProtocolVersion::TLSv1_3
    }
}

/// T_H beside X25519 of the user's provider: see the [module](self).
#[derive(Clone, Copy, Debug)]
pub struct OneTimeHybrid<P: ParameterSet>(Beside<OneTimeKem<P, Th>>);

impl OneTimeHybrid<MlKem768> {
    /// The group, with the operating system's randomness for T_H. A `classical` group other than X25519
    /// makes each exchange fail with [`Error::General`].
    pub const fn x25519(classical: &'static dyn SupportedKxGroup) -> Self {
        Self(Beside { classical, layout: Layout::X25519TH768, kem: OneTimeKem::new() })
    }
}

impl<P: ParameterSet> OneTimeHybrid<P> {
    /// Takes T_H's randomness from a provider, such as `provider.secure_random`.
    pub const fn with_random(mut self, random: &'static dyn SecureRandom) -> Self {
        self.0.kem.random = Random(Some(random));
        self
    }
}

impl<P: ParameterSet> SupportedKxGroup for OneTimeHybrid<P> {
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
