//! ML-KEM and hybrid key-exchange groups for rustls.
#![forbid(unsafe_code)]

mod key;
mod layout;
mod rustls_0_23;

pub use key::EphemeralKey;
pub use layout::Layout;
pub use rustls_0_23::{Hybrid, MLKEM512, MLKEM768, MLKEM1024, Mlkem};
