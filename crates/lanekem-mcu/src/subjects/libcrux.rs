//! libcrux-ml-kem, portable.

use crate::board::Counter;
use crate::kem::{Kem, measure};

macro_rules! subject {
    ($Subject:ident, $module:ident, $Pair:ident, $Pk:ident, $Ct:ident, $set:literal) => {
        pub struct $Subject;

        impl Kem for $Subject {
            const LIBRARY: &'static str = "libcrux";
            const FORM: &'static str = "-";
            const SET: u16 = $set;
            type Pair = libcrux_ml_kem::$module::$Pair;
            type Ek = libcrux_ml_kem::$module::$Pk;
            type Ct = libcrux_ml_kem::$module::$Ct;
            type Sent = (Self::Ct, [u8; 32]);

            fn keygen(slot: &mut Option<Self::Pair>, seed: &[u8; 64]) {
                *slot = Some(libcrux_ml_kem::$module::portable::generate_key_pair(*seed));
            }

            fn ek(pair: &Self::Pair) -> Self::Ek {
                pair.public_key().clone()
            }

            fn encaps(ek: &Self::Ek, m: &[u8; 32], slot: &mut Option<Self::Sent>) {
                *slot = Some(libcrux_ml_kem::$module::portable::encapsulate(ek, *m));
            }

            fn received((ct, secret): &Self::Sent) -> (&Self::Ct, [u8; 32]) {
                (ct, *secret)
            }

            fn decaps(pair: &Self::Pair, ct: &Self::Ct) -> [u8; 32] {
                libcrux_ml_kem::$module::portable::decapsulate(pair.private_key(), ct)
            }
        }
    };
}

subject!(S512, mlkem512, MlKem512KeyPair, MlKem512PublicKey, MlKem512Ciphertext, 512);
subject!(S768, mlkem768, MlKem768KeyPair, MlKem768PublicKey, MlKem768Ciphertext, 768);
subject!(S1024, mlkem1024, MlKem1024KeyPair, MlKem1024PublicKey, MlKem1024Ciphertext, 1024);

pub fn run(counter: &Counter) {
    measure::<S512>(counter);
    measure::<S768>(counter);
    measure::<S1024>(counter);
}
