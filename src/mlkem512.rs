//! ML-KEM-512 (FIPS 203 §8): security category 1.
//!
//! | | bytes |
//! |---|---|
//! | encapsulation key | 800 |
//! | decapsulation key: seed, expanded | 64, 1,632 |
//! | ciphertext | 768 |
//! | shared secret | 32 |
//!
//! ```
//! use lanekem::mlkem512::{Ciphertext, DecapsulationKey, EncapsulationKey};
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

use crate::params::{MlKem512, ParameterSet};

pub use crate::secret::{Seed, SharedSecret};

/// Bytes of an encapsulation key: 800.
pub const ENCAPSULATION_KEY_LEN: usize = MlKem512::ENCAPSULATION_KEY_LEN;
/// Bytes of an expanded decapsulation key: 1,632.
pub const EXPANDED_KEY_LEN: usize = MlKem512::EXPANDED_KEY_LEN;
/// Bytes of a ciphertext: 768.
pub const CIPHERTEXT_LEN: usize = MlKem512::CIPHERTEXT_LEN;

/// Private key that keeps its matrix.
pub type DecapsulationKey = crate::DecapsulationKey<MlKem512>;
/// Private key without its matrix.
pub type CompactDecapsulationKey = crate::CompactDecapsulationKey<MlKem512>;
/// Public key.
pub type EncapsulationKey = crate::EncapsulationKey<MlKem512>;
/// Public key with its matrix and hash kept.
pub type PreparedEncapsulationKey = crate::PreparedEncapsulationKey<MlKem512>;
/// Ciphertext.
pub type Ciphertext = crate::Ciphertext<MlKem512>;
