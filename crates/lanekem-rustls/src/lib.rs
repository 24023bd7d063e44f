//! ML-KEM and hybrid key-exchange groups for rustls.
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
