//! lanekem in three forms: `low-memory`, whose keys have no matrix; `ordinary`, whose keys keep it; and
//! `expanding`, which starts from the keys of the first and makes those of the second.

use crate::board::Counter;
use crate::kem::{Kem, measure};
use core::marker::PhantomData;
use core::slice;
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768,
    MlKem1024, ParameterSet, PreparedEncapsulationKey, Seed, SharedSecret,
};

pub struct LowMemory<P>(PhantomData<P>);
pub type S512 = LowMemory<MlKem512>;
pub type S768 = LowMemory<MlKem768>;
pub type S1024 = LowMemory<MlKem1024>;

impl<P: ParameterSet> Kem for LowMemory<P> {
    const LIBRARY: &'static str = "lanekem";
    const FORM: &'static str = "low-memory";
    const SET: u16 = 256 * P::K as u16;
    type Pair = CompactDecapsulationKey<P>;
    type Ek = EncapsulationKey<P>;
    type Ct = Ciphertext<P>;
    type Sent = (Ciphertext<P>, SharedSecret);

    fn keygen(slot: &mut Option<Self::Pair>, seed: &[u8; 64]) {
        CompactDecapsulationKey::from_seed_in(slot, &Seed::from_bytes(seed));
    }

    fn ek(pair: &Self::Pair) -> Self::Ek {
        EncapsulationKey::from_bytes(pair.encapsulation_key().as_bytes()).expect("a fresh key")
    }

    fn encaps(ek: &Self::Ek, m: &[u8; 32], slot: &mut Option<Self::Sent>) {
        let (ek, m) = (slice::from_ref(ek), slice::from_ref(m));
        EncapsulationKey::encapsulate_batch_with(ek, m, slice::from_mut(slot))
            .expect("one of each");
    }

    fn received((ct, secret): &Self::Sent) -> (&Self::Ct, [u8; 32]) {
        (ct, *secret.as_bytes())
    }

    fn decaps(pair: &Self::Pair, ct: &Self::Ct) -> [u8; 32] {
        *pair.decapsulate(ct).as_bytes()
    }
}

struct Expanding<P>(PhantomData<P>);

impl<P: ParameterSet> Kem for Expanding<P> {
    const LIBRARY: &'static str = "lanekem";
    const FORM: &'static str = "expanding";
    const SET: u16 = 256 * P::K as u16;
    type Pair = CompactDecapsulationKey<P>;
    type Ek = EncapsulationKey<P>;
    type Ct = Ciphertext<P>;
    type Sent = (Ciphertext<P>, SharedSecret);

    fn keygen(slot: &mut Option<Self::Pair>, seed: &[u8; 64]) {
        CompactDecapsulationKey::from_seed_in(slot, &Seed::from_bytes(seed));
    }

    fn ek(pair: &Self::Pair) -> Self::Ek {
        pair.encapsulation_key().clone()
    }

    fn encaps(ek: &Self::Ek, m: &[u8; 32], slot: &mut Option<Self::Sent>) {
        *slot = Some(ek.prepare().encapsulate_with(m));
    }

    fn received((ct, secret): &Self::Sent) -> (&Self::Ct, [u8; 32]) {
        (ct, *secret.as_bytes())
    }

    fn decaps(pair: &Self::Pair, ct: &Self::Ct) -> [u8; 32] {
        *pair.prepare().decapsulate(ct).as_bytes()
    }
}

struct Ordinary<P>(PhantomData<P>);

impl<P: ParameterSet> Kem for Ordinary<P> {
    const LIBRARY: &'static str = "lanekem";
    const FORM: &'static str = "ordinary";
    const SET: u16 = 256 * P::K as u16;
    type Pair = DecapsulationKey<P>;
    type Ek = PreparedEncapsulationKey<P>;
    type Ct = Ciphertext<P>;
    type Sent = (Ciphertext<P>, SharedSecret);

    fn keygen(slot: &mut Option<Self::Pair>, seed: &[u8; 64]) {
        DecapsulationKey::from_seed_in(slot, &Seed::from_bytes(seed));
    }

    fn ek(pair: &Self::Pair) -> Self::Ek {
        pair.encapsulation_key().prepare()
    }

    fn encaps(ek: &Self::Ek, m: &[u8; 32], slot: &mut Option<Self::Sent>) {
        let m = slice::from_ref(m);
        ek.encapsulate_many_with(m, slice::from_mut(slot)).expect("one of each");
    }

    fn received((ct, secret): &Self::Sent) -> (&Self::Ct, [u8; 32]) {
        (ct, *secret.as_bytes())
    }

    fn decaps(pair: &Self::Pair, ct: &Self::Ct) -> [u8; 32] {
        *pair.decapsulate(ct).as_bytes()
    }
}

pub fn run(counter: &Counter) {
    measure::<S512>(counter);
    measure::<S768>(counter);
    measure::<S1024>(counter);
    measure::<Expanding<MlKem512>>(counter);
    measure::<Expanding<MlKem768>>(counter);
    measure::<Expanding<MlKem1024>>(counter);
    measure::<Ordinary<MlKem512>>(counter);
    measure::<Ordinary<MlKem768>>(counter);
    measure::<Ordinary<MlKem1024>>(counter);
}
