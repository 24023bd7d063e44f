//! T_H: the shared secret is the hash of the message and the ciphertext. Not ML-KEM; see the
//! [module above](super) for what a key may be used for.
//!
//! A ciphertext that was not made for the key gives a secret that its sender cannot know, never an
//! error. K-PKE.Decrypt never fails, so that this is T_RH of the second paper too.
//!
//! | bytes | 512 | 768 | 1024 |
//! |---|---|---|---|
//! | encapsulation key | 800 | 1,184 | 1,568 |
//! | ciphertext | 768 | 1,088 | 1,568 |
//! | shared secret | 32 | 32 | 32 |
//!
//! ```
//! use lanekem::MlKem768;
//! use lanekem::one_time::th::{Ciphertext, EncapsulationKey, OneTimeKeyPair};
//! let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let pair = OneTimeKeyPair::<MlKem768>::generate(&mut rng);
//! let bytes = pair.encapsulation_key().to_bytes();
//!
//! let ek = EncapsulationKey::<MlKem768>::from_bytes(&bytes)?;
//! let (ciphertext, secret) = ek.encapsulate(&mut rng);
//!
//! let ciphertext = Ciphertext::from_bytes(ciphertext.as_bytes())?;
//! assert_eq!(pair.decapsulate(&ciphertext), secret);
//! # Ok::<(), lanekem::Error>(())
//! ```

use super::kem::{DecapsulateTh, EncapsulateTh, Input};
use super::key::Once;
use super::transform::{Sealed, Transform};
use crate::params::ParameterSet;
use crate::secret::SharedSecret;

/// T_H: K = SHA3-256("T_H  key" ‖ m ‖ c).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Th;

impl Sealed for Th {
    fn encapsulate<P: ParameterSet>(
        input: Input<'_, P>,
        c: &mut P::CiphertextBytes,
    ) -> SharedSecret {
        P::encapsulate_th(EncapsulateTh { input, c })
    }
}

impl Transform for Th {
    const NAME: &'static str = "T_H";
    const TAG_LEN: usize = 0;
    type CiphertextBytes<P: ParameterSet> = P::CiphertextBytes;
}

/// Key pair.
pub type OneTimeKeyPair<P> = super::OneTimeKeyPair<P, Th>;
/// Public key.
pub type EncapsulationKey<P> = super::EncapsulationKey<P, Th>;
/// Ciphertext.
pub type Ciphertext<P> = super::Ciphertext<P, Th>;

impl<P: ParameterSet> OneTimeKeyPair<P> {
    /// Decapsulates, and wipes the key. A ciphertext that was not made for this key gives a secret that
    /// its sender cannot know, never an error, in the same time.
    ///
    /// The call moves the key, and Rust wipes no place that a value was moved out of: see
    /// [`decapsulate_from`](Self::decapsulate_from).
    pub fn decapsulate(self, ciphertext: &Ciphertext<P>) -> SharedSecret {
        self.decapsulate_here(ciphertext)
    }

    /// [`decapsulate`](Self::decapsulate) with the key in a slot, which is wiped and empty afterwards: nothing
    /// is moved. `None` if the slot was empty.
    pub fn decapsulate_from(
        slot: &mut Option<Self>,
        ciphertext: &Ciphertext<P>,
    ) -> Option<SharedSecret> {
        let once = Once(slot);
        Some(once.0.as_ref()?.decapsulate_here(ciphertext))
    }

    fn decapsulate_here(&self, ciphertext: &Ciphertext<P>) -> SharedSecret {
        P::decapsulate_th(DecapsulateTh { s_hat: &self.s_hat, c: &ciphertext.bytes })
    }
}
