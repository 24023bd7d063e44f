use lanekem::MlKem768;
use lanekem::one_time::{tch, th};

fn other(pair: th::OneTimeKeyPair<MlKem768>, c: &tch::Ciphertext<MlKem768>) {
    let _ = pair.decapsulate(c);
}

fn main() {}
