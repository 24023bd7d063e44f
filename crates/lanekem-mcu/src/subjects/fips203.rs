//! fips203.

use crate::board::Counter;
use crate::kem::{Kem, measure};
use fips203::SharedSecretKey;
use fips203::traits::{Decaps, Encaps, KeyGen, SerDes};

macro_rules! subject {
    ($Subject:ident, $module:ident, $set:literal) => {
        pub struct $Subject;

        impl Kem for $Subject {
            const LIBRARY: &'static str = "fips203";
            const FORM: &'static str = "-";
            const SET: u16 = $set;
            type Pair = (fips203::$module::EncapsKey, fips203::$module::DecapsKey);
            type Ek = fips203::$module::EncapsKey;
            type Ct = fips203::$module::CipherText;
            type Sent = (SharedSecretKey, Self::Ct);

            fn keygen(slot: &mut Option<Self::Pair>, seed: &[u8; 64]) {
                let (d, z) = seed.split_at(32);
                let (d, z) = (d.try_into().expect("32 bytes"), z.try_into().expect("32 bytes"));
                *slot = Some(fips203::$module::KG::keygen_from_seed(d, z));
            }

            fn ek((ek, _): &Self::Pair) -> Self::Ek {
                Self::Ek::try_from_bytes(ek.clone().into_bytes()).expect("a fresh key")
            }

            fn encaps(ek: &Self::Ek, m: &[u8; 32], slot: &mut Option<Self::Sent>) {
                *slot = Some(ek.encaps_from_seed(m));
            }

            fn received((secret, ct): &Self::Sent) -> (&Self::Ct, [u8; 32]) {
                (ct, secret.clone().into_bytes())
            }

            fn decaps((_, dk): &Self::Pair, ct: &Self::Ct) -> [u8; 32] {
                dk.try_decaps(ct).expect("decapsulation").into_bytes()
            }
        }
    };
}

subject!(S512, ml_kem_512, 512);
subject!(S768, ml_kem_768, 768);
subject!(S1024, ml_kem_1024, 1024);

pub fn run(counter: &Counter) {
    measure::<S512>(counter);
    measure::<S768>(counter);
    measure::<S1024>(counter);
}
