use lanekem::MlKem768;
use lanekem::one_time::th::OneTimeKeyPair;

fn cloned(pair: OneTimeKeyPair<MlKem768>) -> [OneTimeKeyPair<MlKem768>; 2] {
    [pair.clone(), pair]
}

fn main() {}
