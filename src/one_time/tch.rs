//! T_CH: a hash of the message and the ciphertext follows the ciphertext and is checked. Not ML-KEM; see
//! the [module above](super) for what a key may be used for.
//!
//! A ciphertext that was not made for the key is an error.
//!
//! | bytes | 512 | 768 | 1024 |
//! |---|---|---|---|
//! | encapsulation key | 800 | 1,184 | 1,568 |
//! | ciphertext with its tag | 800 | 1,120 | 1,600 |
//! | shared secret | 32 | 32 | 32 |
//!
//! ```
//! use lanekem::MlKem768;
//! use lanekem::one_time::tch::{Ciphertext, EncapsulationKey, OneTimeKeyPair};
//! let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let pair = OneTimeKeyPair::<MlKem768>::generate(&mut rng);
//! let bytes = pair.encapsulation_key().to_bytes();
//!
//! let ek = EncapsulationKey::<MlKem768>::from_bytes(&bytes)?;
//! let (ciphertext, secret) = ek.encapsulate(&mut rng);
//!
//! let ciphertext = Ciphertext::from_bytes(ciphertext.as_bytes())?;
//! assert_eq!(pair.decapsulate(&ciphertext)?, secret);
//! # Ok::<(), lanekem::Error>(())
//! ```

use super::kem::{DecapsulateTch, EncapsulateTch, Input, TAG_LEN};
use super::key::Once;
use super::transform::{Sealed, Transform};
use crate::error::Error;
use crate::params::ParameterSet;
use crate::secret::SharedSecret;

/// T_CH: the ciphertext is c ‖ SHA3-256("T_CH tag" ‖ m ‖ c), K = SHA3-256("T_CH key" ‖ m).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tch;

impl Sealed for Tch {
    fn encapsulate<P: ParameterSet>(
        input: Input<'_, P>,
        c: &mut P::TaggedCiphertextBytes,
    ) -> SharedSecret {
        P::encapsulate_tch(EncapsulateTch { input, c })
    }
}

impl Transform for Tch {
    const NAME: &'static str = "T_CH";
    const TAG_LEN: usize = TAG_LEN;
    type CiphertextBytes<P: ParameterSet> = P::TaggedCiphertextBytes;
}

/// Key pair.
pub type OneTimeKeyPair<P> = super::OneTimeKeyPair<P, Tch>;
/// Public key.
pub type EncapsulationKey<P> = super::EncapsulationKey<P, Tch>;
/// Ciphertext.
pub type Ciphertext<P> = super::Ciphertext<P, Tch>;

impl<P: ParameterSet> OneTimeKeyPair<P> {
    /// Decapsulates, and wipes the key whatever the outcome.
    ///
    /// The call moves the key, and Rust wipes no place that a value was moved out of: see
    /// [`decapsulate_from`](Self::decapsulate_from).
    ///
    /// # Errors
    /// [`Error::OneTimeTag`] if the ciphertext was not made for this key.
    pub fn decapsulate(self, ciphertext: &Ciphertext<P>) -> Result<SharedSecret, Error> {
        self.decapsulate_here(ciphertext)
    }

    /// [`decapsulate`](Self::decapsulate) with the key in a slot, which is wiped and empty afterwards: nothing
    /// is moved. `None` if the slot was empty.
    pub fn decapsulate_from(
        slot: &mut Option<Self>,
        ciphertext: &Ciphertext<P>,
    ) -> Option<Result<SharedSecret, Error>> {
        let once = Once(slot);
        Some(once.0.as_ref()?.decapsulate_here(ciphertext))
    }

    fn decapsulate_here(&self, ciphertext: &Ciphertext<P>) -> Result<SharedSecret, Error> {
        P::decapsulate_tch(DecapsulateTch { s_hat: &self.s_hat, c: &ciphertext.bytes })
    }
}
