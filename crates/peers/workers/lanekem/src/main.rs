//! lanekem. The second argument forces a backend; without it the crate chooses.

mod batch;
mod single;

use lanekem::{Backend, MlKem512, MlKem768, MlKem1024, ParameterSet};
use peer_worker::{Source, Worker};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// What a server would draw from: userspace, cryptographic, reseeded for each sample.
fn rng(source: &mut Source) -> ChaCha20Rng {
    ChaCha20Rng::from_seed(source.message())
}

fn add<P: ParameterSet + 'static>(w: &mut Worker, set: u16) {
    single::add::<P>(w, set);
    batch::add::<P>(w, set);
}

fn main() -> std::io::Result<()> {
    if let Some(name) = std::env::args().nth(2) {
        let forced = name.parse().and_then(Backend::force);
        if let Err(why) = forced {
            return peer_worker::unavailable(&why.to_string());
        }
    }
    let mut w = Worker::default();
    w.note(format!("backend {}, RNG ChaCha20", Backend::current().name()));
    add::<MlKem512>(&mut w, 512);
    add::<MlKem768>(&mut w, 768);
    add::<MlKem1024>(&mut w, 1024);
    w.serve()
}
