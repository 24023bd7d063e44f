//! ML-KEM-768 (FIPS 203 §8): security category 3, the set of TLS' X25519MLKEM768.
//!
//! | | bytes |
//! |---|---|
//! | encapsulation key | 1,184 |
//! | decapsulation key: seed, expanded | 64, 2,400 |
//! | ciphertext | 1,088 |
//! | shared secret | 32 |
//!
//! ```
//! use lanekem::mlkem768::{Ciphertext, DecapsulationKey, EncapsulationKey};
//! let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let dk = DecapsulationKey::generate(&mut rng);
//! let bytes = dk.encapsulation_key().to_bytes();
//!
//! // The peer: checks the key, answers with a ciphertext.
//! let ek = EncapsulationKey::from_bytes(&bytes)?;
//! let (ciphertext, secret) = ek.encapsulate(&mut rng);
//!
//! let ciphertext = Ciphertext::from_bytes(ciphertext.as_bytes())?;
//! assert_eq!(dk.decapsulate(&ciphertext), secret);
//! # Ok::<(), lanekem::Error>(())
//! ```

use crate::params::{MlKem768, ParameterSet};

pub use crate::secret::{Seed, SharedSecret};

/// Bytes of an encapsulation key: 1,184.
pub const ENCAPSULATION_KEY_LEN: usize = MlKem768::ENCAPSULATION_KEY_LEN;
/// Bytes of an expanded decapsulation key: 2,400.
pub const EXPANDED_KEY_LEN: usize = MlKem768::EXPANDED_KEY_LEN;
/// Bytes of a ciphertext: 1,088.
pub const CIPHERTEXT_LEN: usize = MlKem768::CIPHERTEXT_LEN;

/// Private key that keeps its matrix.
pub type DecapsulationKey = crate::DecapsulationKey<MlKem768>;
/// Private key without its matrix.
pub type CompactDecapsulationKey = crate::CompactDecapsulationKey<MlKem768>;
/// Public key.
pub type EncapsulationKey = crate::EncapsulationKey<MlKem768>;
/// Public key with its matrix and hash kept.
pub type PreparedEncapsulationKey = crate::PreparedEncapsulationKey<MlKem768>;
/// Ciphertext.
pub type Ciphertext = crate::Ciphertext<MlKem768>;
