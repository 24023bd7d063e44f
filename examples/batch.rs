//! Many keys at once: a pool of key pairs made in one call, an encapsulation to each, and many
//! ciphertexts for one key, with the time per key beside that of single calls.
//!
//! `cargo run --release --example batch`

use lanekem::mlkem768::{Ciphertext, DecapsulationKey, EncapsulationKey, SharedSecret};
use lanekem::{Backend, Error};
use std::time::{Duration, Instant};

const KEYS: usize = 1000;
const ROUNDS: usize = 5;

fn main() -> Result<(), Error> {
    let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
    println!("ML-KEM-768, {KEYS} keys, backend {}, µs per key", Backend::current());
    println!("{:<20} {:>8} {:>8}", "", "single", "batch");

    // A batch call writes into slots that the caller owns: it allocates nothing, and a slot is `None`
    // until it is filled. After a call without an error all are.
    let mut pool: Vec<Option<DecapsulationKey>> = slots();
    let single = best(|| {
        for slot in &mut pool {
            *slot = Some(DecapsulationKey::generate(&mut rng));
        }
    });
    let batch = best(|| DecapsulationKey::generate_batch(&mut rng, &mut pool));
    row("generate", single, batch);

    // Keys leave their slots by being taken, as a server's pool does, or all together.
    let first: DecapsulationKey = pool[0].take().expect("filled");
    pool[0] = Some(DecapsulationKey::generate(&mut rng));
    let dks: Vec<DecapsulationKey> = pool.into_iter().flatten().collect();
    let eks: Vec<EncapsulationKey> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();

    // To each key its own ciphertext: slices of one length, or `Error::BatchLength`.
    let mut sent: Vec<Option<(Ciphertext, SharedSecret)>> = slots();
    let single = best(|| {
        for (ek, slot) in eks.iter().zip(&mut sent) {
            *slot = Some(ek.encapsulate(&mut rng));
        }
    });
    let mut result = Ok(());
    let batch = best(|| result = EncapsulationKey::encapsulate_batch(&eks, &mut rng, &mut sent));
    result?;
    row("encapsulate", single, batch);

    let (cts, secrets): (Vec<Ciphertext>, Vec<SharedSecret>) = sent.into_iter().flatten().unzip();
    let mut received: Vec<Option<SharedSecret>> = slots();
    let single = best(|| {
        for ((dk, ct), slot) in dks.iter().zip(&cts).zip(&mut received) {
            *slot = Some(dk.decapsulate(ct));
        }
    });
    let batch = best(|| result = DecapsulationKey::decapsulate_batch(&dks, &cts, &mut received));
    result?;
    row("decapsulate", single, batch);
    assert!(received.iter().flatten().eq(&secrets));

    // Many ciphertexts for one key: its matrix and hash are computed once, by `prepare`.
    let prepared = first.encapsulation_key().prepare();
    let mut sent: Vec<Option<(Ciphertext, SharedSecret)>> = slots();
    let single = best(|| {
        for slot in &mut sent {
            *slot = Some(prepared.encapsulate(&mut rng));
        }
    });
    let batch = best(|| prepared.encapsulate_many(&mut rng, &mut sent));
    row("encapsulate to one", single, batch);

    let (cts, secrets): (Vec<Ciphertext>, Vec<SharedSecret>) = sent.into_iter().flatten().unzip();
    let single = best(|| {
        for (ct, slot) in cts.iter().zip(&mut received) {
            *slot = Some(first.decapsulate(ct));
        }
    });
    let batch = best(|| result = first.decapsulate_many(&cts, &mut received));
    result?;
    row("decapsulate by one", single, batch);
    assert!(received.iter().flatten().eq(&secrets));
    Ok(())
}

fn slots<T>() -> Vec<Option<T>> {
    (0..KEYS).map(|_| None).collect()
}

/// The shortest of a few times.
fn best(mut f: impl FnMut()) -> Duration {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        f();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

fn row(name: &str, single: Duration, batch: Duration) {
    let per_key = |time: Duration| time.as_secs_f64() * 1e6 / KEYS as f64;
    println!("{name:<20} {:>8.2} {:>8.2}", per_key(single), per_key(batch));
}
