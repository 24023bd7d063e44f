//! ML-KEM-1024 (FIPS 203 §8): security category 5.
//!
//! | | bytes |
//! |---|---|
//! | encapsulation key | 1,568 |
//! | decapsulation key: seed, expanded | 64, 3,168 |
//! | ciphertext | 1,568 |
//! | shared secret | 32 |
//!
//! ```
//! use lanekem::mlkem1024::{Ciphertext, DecapsulationKey, EncapsulationKey};
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

use crate::params::{MlKem1024, ParameterSet};

pub use crate::secret::{Seed, SharedSecret};

/// Bytes of an encapsulation key: 1,568.
pub const ENCAPSULATION_KEY_LEN: usize = MlKem1024::ENCAPSULATION_KEY_LEN;
/// Bytes of an expanded decapsulation key: 3,168.
pub const EXPANDED_KEY_LEN: usize = MlKem1024::EXPANDED_KEY_LEN;
/// Bytes of a ciphertext: 1,568.
pub const CIPHERTEXT_LEN: usize = MlKem1024::CIPHERTEXT_LEN;

/// Private key that keeps its matrix.
pub type DecapsulationKey = crate::DecapsulationKey<MlKem1024>;
/// Private key without its matrix.
pub type CompactDecapsulationKey = crate::CompactDecapsulationKey<MlKem1024>;
/// Public key.
pub type EncapsulationKey = crate::EncapsulationKey<MlKem1024>;
/// Public key with its matrix and hash kept.
pub type PreparedEncapsulationKey = crate::PreparedEncapsulationKey<MlKem1024>;
/// Ciphertext.
pub type Ciphertext = crate::Ciphertext<MlKem1024>;
