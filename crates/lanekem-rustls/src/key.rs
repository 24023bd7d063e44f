//! A client's key pair for one handshake, in a place of its own.

use core::fmt;
use core::ops::Deref;
use core::slice;
use lanekem::{DecapsulationKey, ParameterSet};
use rand_core::TryCryptoRng;

/// A key pair for one handshake: wiped when dropped, no `Clone`. It is large (the matrix is kept, for a
/// faster decapsulation), so it lies on the heap and only its address moves.
pub struct EphemeralKey<P: ParameterSet>(Box<Option<DecapsulationKey<P>>>);

impl<P: ParameterSet> EphemeralKey<P> {
    /// A fresh key pair, made where it stays.
    ///
    /// # Errors
    /// The RNG's.
    pub fn try_generate<R: TryCryptoRng + ?Sized>(rng: &mut R) -> Result<Self, R::Error> {
        let mut slot = Box::new(None);
        DecapsulationKey::try_generate_batch(rng, slice::from_mut(&mut *slot))?;
        Ok(Self(slot))
    }
}

impl<P: ParameterSet> Deref for EphemeralKey<P> {
    type Target = DecapsulationKey<P>;

    fn deref(&self) -> &DecapsulationKey<P> {
        self.0.as_ref().as_ref().expect("filled by every constructor")
    }
}

impl<P: ParameterSet> fmt::Debug for EphemeralKey<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
