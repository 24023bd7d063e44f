//! A client's key pair for one handshake, in a place of its own.
#![forbid(unsafe_code)]

use core::mem::{self, MaybeUninit};
use core::ops::Deref;
use core::{fmt, slice};
use lanekem::{DecapsulationKey, ParameterSet};
use rand_core::TryCryptoRng;
use zeroize::Zeroize;

/// Most keys made at once: as many as the widest backend has lanes. More at once would fill no lane
/// better, and keep the handshake that makes them waiting.
pub(crate) const BATCH: usize = 8;

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

    /// `count` key pairs, at most [`BATCH`], with one call of the RNG.
    pub(crate) fn try_batch<R: TryCryptoRng + ?Sized>(
        rng: &mut R,
        count: usize,
    ) -> Result<Vec<Self>, R::Error> {
        let mut place = Place::new();
        let slots = &mut place.empty()[..count];
        DecapsulationKey::try_generate_batch(rng, slots)?;
        Ok(slots.iter_mut().map(Self::moved_from).collect())
    }

    fn moved_from(slot: &mut Option<DecapsulationKey<P>>) -> Self {
        let mut own = Box::new(None);
        // Unlike a move by value, a swap has no reason to pass over the stack.
        mem::swap(&mut *own, slot);
        Self(own)
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

/// Where a batch is made. A key moved out of it leaves its bytes behind, which no `Drop` wipes; so the
/// whole place is wiped.
struct Place<P: ParameterSet>(Box<MaybeUninit<[Option<DecapsulationKey<P>>; BATCH]>>);

impl<P: ParameterSet> Place<P> {
    fn new() -> Self {
        Self(Box::new_uninit())
    }

    fn empty(&mut self) -> &mut [Option<DecapsulationKey<P>>; BATCH] {
        self.0.write([const { None }; BATCH])
    }
}

impl<P: ParameterSet> Drop for Place<P> {
    fn drop(&mut self) {
        // As a slice it is wiped where it is; by itself, a place of zeros would be made and copied.
        slice::from_mut(&mut *self.0).zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::convert::Infallible;
    use lanekem::MlKem768;
    use rand_core::TryRng;

    /// Counts up, and counts the calls.
    struct Counting {
        next: u8,
        calls: usize,
    }

    impl TryRng for Counting {
        type Error = Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            rand_core::utils::next_word_via_fill(self)
        }
        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            rand_core::utils::next_word_via_fill(self)
        }
        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            self.calls += 1;
            for byte in bytes {
                *byte = self.next;
                self.next = self.next.wrapping_add(1);
            }
            Ok(())
        }
    }
    impl TryCryptoRng for Counting {}

    #[test]
    fn a_batch_is_single_keys_with_one_call_of_the_rng() {
        for count in 0..=BATCH {
            let mut rng = Counting { next: 7, calls: 0 };
            let keys = EphemeralKey::<MlKem768>::try_batch(&mut rng, count).unwrap();
            assert_eq!((keys.len(), rng.calls), (count, usize::from(count > 0)));
            let mut rng = Counting { next: 7, calls: 0 };
            for key in keys {
                let single = EphemeralKey::<MlKem768>::try_generate(&mut rng).unwrap();
                assert_eq!(key.seed().unwrap(), single.seed().unwrap());
                assert_eq!(key.encapsulation_key(), single.encapsulation_key());
            }
        }
    }
}
