use lanekem::MlKem768;
use lanekem::one_time::th::OneTimeKeyPair;

fn stored(pair: &OneTimeKeyPair<MlKem768>) {
    let _ = pair.to_expanded_bytes();
    let _ = pair.seed();
    let _ = pair.to_bytes();
}

fn main() {}
