//! Sizes of each form of keys.

use crate::test::Set;
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768,
    MlKem1024, ParameterSet, PreparedEncapsulationKey, Seed,
};
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Key {
    pub(crate) form: &'static str,
    pub(crate) set: Set,
    /// Bytes to store or send.
    pub(crate) encoded: usize,
    pub(crate) memory: usize,
    pub(crate) alignment: usize,
}

impl Key {
    fn of<T>(form: &'static str, set: Set, encoded: usize) -> Self {
        Self { form, set, encoded, memory: size_of::<T>(), alignment: align_of::<T>() }
    }
}

fn of<P: ParameterSet>(set: Set) -> [Key; 5] {
    [
        Key::of::<DecapsulationKey<P>>("DecapsulationKey", set, Seed::LEN),
        Key::of::<CompactDecapsulationKey<P>>("CompactDecapsulationKey", set, Seed::LEN),
        Key::of::<EncapsulationKey<P>>("EncapsulationKey", set, P::ENCAPSULATION_KEY_LEN),
        Key::of::<PreparedEncapsulationKey<P>>(
            "PreparedEncapsulationKey",
            set,
            P::ENCAPSULATION_KEY_LEN,
        ),
        Key::of::<Ciphertext<P>>("Ciphertext", set, P::CIPHERTEXT_LEN),
    ]
}

pub(crate) fn keys() -> Vec<Key> {
    let sets = [
        of::<MlKem512>(Set::MlKem512),
        of::<MlKem768>(Set::MlKem768),
        of::<MlKem1024>(Set::MlKem1024),
    ];
    sets.into_iter().flatten().collect()
}
