//! ML-KEM and its hybrids as key-exchange groups for rustls 0.23, over [`lanekem`], with a pool of key
//! pairs for those who open many connections.
//!
//! ```
//! let provider = lanekem_rustls::extend(rustls::crypto::ring::default_provider());
//! provider.install_default().expect("no other provider yet");
//! ```
//!
//! [`extend`] gives a provider all groups at once. To choose, put these into its `kx_groups`:
//!
//! | group | code point | here |
//! |---|---|---|
//! | X25519MLKEM768 | 0x11EC | [`Hybrid`] with [`Layout::X25519MLKEM768`] |
//! | SecP256r1MLKEM768 | 0x11EB | [`Hybrid`] with [`Layout::SECP256R1MLKEM768`] |
//! | SecP384r1MLKEM1024 | 0x11ED | [`Hybrid`] with [`Layout::SECP384R1MLKEM1024`] |
//! | MLKEM512 | 0x0200 | [`MLKEM512`], [`Mlkem`] |
//! | MLKEM768 | 0x0201 | [`MLKEM768`], [`Mlkem`] |
//! | MLKEM1024 | 0x0202 | [`MLKEM1024`], [`Mlkem`] |
//!
//! # Halves of a hybrid
//!
//! The classical half is a group of the user's own provider: this crate brings no second ECDH. A client offers
//! that half by itself too, in the same message, if its provider has the group; so a server without ML-KEM
//! costs no extra round trip and no second key generation.
//!
//! # Refusals
//!
//! A peer's share of the wrong length, an encapsulation key that fails the check of FIPS 203 §7.2, and an
//! X25519 share that leads to an all-zero secret are answered with `illegal_parameter`
//! ([`PeerMisbehaved::InvalidKeyShare`](rustls::PeerMisbehaved::InvalidKeyShare)); so are points off the curve,
//! by the provider. A forged ciphertext is not noticed here (implicit rejection) but makes the handshake fail
//! at the next message.
//!
//! # Randomness
//!
//! Groups made by [`extend`] use the provider's `secure_random`; others the operating system's, unless they are
//! given one (`with_random`). A pool draws from the RNG of whoever finds it empty, once for each batch, and its
//! filler from an RNG of its own.
//!
//! # Secrets
//!
//! Key pairs are used once and wiped when dropped, wherever they were moved; shared secrets are wiped by this
//! crate and by rustls. See [`Pool`] for what a pool costs in secrecy. All groups say no to `fips()`.
#![deny(unsafe_code)]

mod filler;
mod fork;
mod key;
mod layout;
mod pool;
mod rustls_0_23;

pub use filler::Filler;
pub use key::EphemeralKey;
pub use layout::Layout;
pub use pool::{Pool, PoolStats};
pub use rustls_0_23::{
    Hybrid, MLKEM512, MLKEM768, MLKEM1024, Mlkem, Pools, extend, extend_with_pools,
};

#[cfg(feature = "one-time")]
pub use rustls_0_23::one_time;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
