use lanekem::MlKem768;
use lanekem::one_time::tch::{Ciphertext, OneTimeKeyPair};

fn twice(pair: OneTimeKeyPair<MlKem768>, c: &Ciphertext<MlKem768>) {
    let _ = pair.decapsulate(c);
    let _ = pair.decapsulate(c);
}

fn main() {}
