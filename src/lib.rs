//! ML-KEM (FIPS 203), for one key or for many.
#![no_std]
#![deny(unsafe_code)]

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
mod ct;
mod dispatch;
mod error;
mod group;
mod keccak;
mod kem;
mod key;
mod kpke;
mod lanes;
mod lockstep;
mod params;
mod plan;
mod plans;
mod poly;
mod portable;
mod secret;
mod sponge;
mod zetas;

pub mod mlkem1024;
pub mod mlkem512;
pub mod mlkem768;

#[cfg(test)]
mod tests;

pub use dispatch::{Backend, BackendError};
pub use error::Error;
pub use key::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey,
    PreparedEncapsulationKey,
};
pub use params::{MlKem512, MlKem768, MlKem1024, ParameterSet};
pub use secret::{Seed, SharedSecret};
