//! ML-KEM, the key encapsulation mechanism of [FIPS 203], for one key or for many.
//!
//! About nine tenths of ML-KEM's time is Keccak, and SIMD Keccak has lanes to fill. So each operation
//! here is planned as a set of independent sponges packed into the lanes of the CPU's vector units:
//! the hash of a key beside its matrix, noise beside rejection sampling, and, in a batch, key beside
//! key. One binary holds all backends and picks the fastest at run time (see [`Backend`]).
//!
//! ```
//! use lanekem::mlkem768::{Ciphertext, DecapsulationKey, EncapsulationKey};
//! let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let dk = DecapsulationKey::generate(&mut rng);
//! let ek = EncapsulationKey::from_bytes(dk.encapsulation_key().as_bytes())?;
//! let (ciphertext, secret) = ek.encapsulate(&mut rng);
//! assert_eq!(dk.decapsulate(&ciphertext), secret);
//! # Ok::<(), lanekem::Error>(())
//! ```
//!
//! # Which type
//!
//! | type | holds | for |
//! |---|---|---|
//! | [`DecapsulationKey`] | secret key, expanded matrix | a TLS client's ephemeral key; any key used soon |
//! | [`CompactDecapsulationKey`] | secret key | large key stores, small devices |
//! | [`EncapsulationKey`] | checked public bytes | a peer met once |
//! | [`PreparedEncapsulationKey`] | the same, expanded | a peer met again |
//!
//! They are generic over a [`ParameterSet`]; the modules [`mlkem512`], [`mlkem768`] and [`mlkem1024`]
//! name them for one set, with sizes.
//!
//! # Checks, errors, secrets
//!
//! An object exists only if its bytes passed the input checks of FIPS 203 §7.2 and §7.3, made once, at
//! parsing; [`Error`] says which one failed. Operations on objects cannot fail, and no bytes of any
//! length make a public function panic. Keys, seeds and shared secrets are wiped when dropped, do not
//! show in `Debug`, and are handled without secret-dependent branches, indices or divisions.
//!
//! # Batches
//!
//! The `_batch` and `_many` calls take any number of keys or ciphertexts and write into slots
//! (`Option<T>`) that the caller owns, without allocating. Their results are byte for byte those of
//! the single calls.
//!
//! # Stack
//!
//! Peak of each operation, measured by `tests/stack.rs` on x86-64 at release settings. Keys and ciphertexts lie
//! elsewhere; what a call returns by value passes over the stack and counts. Builds without optimisation take
//! several times as much.
//!
//! | bytes, portable backend | 512 | 768 | 1024 | with AVX2, 768 | with AVX-512, 768 |
//! |---|---|---|---|---|---|
//! | from_seed, generate: the key by value | 15,280 | 24,304 | 35,312 | 28,880 | 28,704 |
//! | from_seed_in: the key in its slot | 5,192 | 9,176 | 14,168 | 10,704 | 10,528 |
//! | encapsulate | 7,248 | 8,512 | 9,920 | 21,200 | 21,088 |
//! | decapsulate | 6,848 | 8,432 | 9,904 | 12,816 | 13,536 |
//! | compact: from_seed, generate | 8,800 | 10,880 | 12,992 | 23,376 | 23,200 |
//! | compact: from_seed_in | 5,408 | 5,888 | 6,464 | 18,384 | 18,208 |
//! | compact: decapsulate | 5,872 | 6,400 | 6,912 | 18,960 | 19,808 |
//! | from_expanded_bytes | 12,896 | 20,784 | 30,832 | 25,360 | 24,608 |
//! | compact: from_expanded_bytes | 5,008 | 6,512 | 8,048 | 6,808 | 6,296 |
//! | decapsulate_from_expanded_bytes | 5,968 | 6,528 | 7,040 | 19,024 | 19,808 |
//! | EncapsulationKey::from_bytes | 848 | 1,232 | 1,632 | 1,232 | 1,232 |
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `std` | yes | the environment variable `LANEKEM_BACKEND`; implies `alloc` |
//! | `alloc` | with `std` | batch calls that return a `Vec` |
//! | `getrandom` | | `generate_os`, `encapsulate_os` |
//! | `kem` | | the traits of the RustCrypto crate `kem` |
//! | `pkcs8`, `pem` | | RFC 9935 keys in DER and PEM |
//! | `hazmat` | | derandomized encapsulation |
//! | `one-time` | | [`one_time`]: KEMs for keys that decapsulate once. Not ML-KEM |
//!
//! Without `std` and `alloc` the crate still picks its backend at run time. Features only add.
//!
//! [FIPS 203]: https://doi.org/10.6028/NIST.FIPS.203
#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod backend;
mod batch;
#[cfg(feature = "_bench")]
#[doc(hidden)]
pub mod bench_api;
mod ct;
mod dispatch;
mod dk;
mod error;
mod group;
mod instances;
mod jobs;
mod keccak;
mod kem;
mod key;
mod kpke;
mod lanes;
mod lockstep;
#[cfg(feature = "one-time")]
pub mod one_time;
mod params;
mod plan;
mod plans;
mod poly;
mod portable;
mod secret;
mod sponge;
mod stream;
mod zetas;

#[cfg(feature = "kem")]
pub mod kem_traits;
pub mod mlkem1024;
pub mod mlkem512;
pub mod mlkem768;
#[cfg(feature = "pkcs8")]
pub mod pkcs8;

#[cfg(test)]
mod tests;

pub use dispatch::{Backend, BackendError};
pub use dk::{CompactDecapsulationKey, DecapsulationKey};
pub use error::Error;
pub use key::{Ciphertext, EncapsulationKey, PreparedEncapsulationKey};
pub use params::{MlKem512, MlKem768, MlKem1024, ParameterSet};
pub use secret::{Seed, SharedSecret};
