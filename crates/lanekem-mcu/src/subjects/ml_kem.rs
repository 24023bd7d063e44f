//! RustCrypto's ml-kem.

use crate::board::Counter;
use crate::kem::{Kem, measure};
use core::marker::PhantomData;
use ml_kem::{
    Ciphertext, Decapsulate, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024,
    SharedKey,
};

pub struct Subject<P>(PhantomData<P>);
pub type S512 = Subject<MlKem512>;
pub type S768 = Subject<MlKem768>;
pub type S1024 = Subject<MlKem1024>;

macro_rules! subject {
    ($Set:ident, $set:literal) => {
        impl Kem for Subject<$Set> {
            const LIBRARY: &'static str = "ml-kem";
            const FORM: &'static str = "-";
            const SET: u16 = $set;
            type Pair = DecapsulationKey<$Set>;
            type Ek = EncapsulationKey<$Set>;
            type Ct = Ciphertext<$Set>;
            type Sent = (Ciphertext<$Set>, SharedKey);

            fn keygen(slot: &mut Option<Self::Pair>, seed: &[u8; 64]) {
                *slot = Some(DecapsulationKey::from_seed((*seed).into()));
            }

            fn ek(pair: &Self::Pair) -> Self::Ek {
                pair.encapsulation_key().clone()
            }

            fn encaps(ek: &Self::Ek, m: &[u8; 32], slot: &mut Option<Self::Sent>) {
                *slot = Some(ek.encapsulate_deterministic(&(*m).into()));
            }

            fn received((ct, secret): &Self::Sent) -> (&Self::Ct, [u8; 32]) {
                (ct, (*secret).into())
            }

            fn decaps(pair: &Self::Pair, ct: &Self::Ct) -> [u8; 32] {
                pair.decapsulate(ct).into()
            }
        }
    };
}

subject!(MlKem512, 512);
subject!(MlKem768, 768);
subject!(MlKem1024, 1024);

pub fn run(counter: &Counter) {
    measure::<S512>(counter);
    measure::<S768>(counter);
    measure::<S1024>(counter);
}
