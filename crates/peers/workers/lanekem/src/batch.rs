//! Many keys in a call, and many messages or ciphertexts for one key. The figures are per key or message.

use lanekem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, ParameterSet, PreparedEncapsulationKey, Seed,
    SharedSecret,
};
use peer_worker::{Figure, Source, Worker};
use rand_chacha::ChaCha20Rng;

use crate::rng;

/// Fills one AVX-512 permutation, and enough to make tails and call overhead vanish.
const SIZES: [usize; 2] = [8, 64];

type Encapsulated<P> = (Ciphertext<P>, SharedSecret);

fn empty<T>(n: usize) -> Vec<Option<T>> {
    (0..n).map(|_| None).collect()
}

fn seeds(s: &mut Source, n: usize) -> Vec<Seed> {
    (0..n).map(|_| Seed::from_bytes(&s.seed())).collect()
}

fn messages(s: &mut Source, n: usize) -> Vec<[u8; 32]> {
    (0..n).map(|_| s.message()).collect()
}

fn keys<P: ParameterSet>(s: &mut Source, n: usize) -> Vec<DecapsulationKey<P>> {
    seeds(s, n).iter().map(DecapsulationKey::from_seed).collect()
}

fn public<P: ParameterSet>(s: &mut Source, n: usize) -> Vec<EncapsulationKey<P>> {
    keys(s, n).iter().map(|dk| dk.encapsulation_key().clone()).collect()
}

fn ciphertexts<P: ParameterSet>(s: &mut Source, n: usize) -> Vec<Ciphertext<P>> {
    let ek = key_pair(s).encapsulation_key().clone();
    messages(s, n).iter().map(|m| ek.encapsulate_with(m).0).collect()
}

fn key_pair<P: ParameterSet>(s: &mut Source) -> DecapsulationKey<P> {
    DecapsulationKey::from_seed(&Seed::from_bytes(&s.seed()))
}

/// Inputs repeat from call to call within a sample: a batch has its variety in itself. The results of one call
/// are dropped, and so wiped, by the next.
pub fn add<P: ParameterSet + 'static>(w: &mut Worker, set: u16) {
    for n in SIZES {
        let figure = |op: &str| Figure::new(set, &format!("{op}{n}")).batch(n);

        w.op(
            figure("keygen_batch"),
            move |s| (seeds(s, n), empty::<DecapsulationKey<P>>(n)),
            |(seeds, out), _| DecapsulationKey::from_seed_batch(seeds, out).expect("equal lengths"),
        );
        w.op(
            figure("keygen_batch").rng(),
            move |s| (rng(s), empty::<DecapsulationKey<P>>(n)),
            |(rng, out): &mut (ChaCha20Rng, Vec<_>), _| DecapsulationKey::generate_batch(rng, out),
        );
        w.op(
            figure("encaps_batch"),
            move |s| (public::<P>(s, n), messages(s, n), empty::<Encapsulated<P>>(n)),
            |(eks, ms, out), _| {
                EncapsulationKey::encapsulate_batch_with(eks, ms, out).expect("equal lengths")
            },
        );
        w.op(
            figure("encaps_batch").rng(),
            move |s| (public::<P>(s, n), rng(s), empty::<Encapsulated<P>>(n)),
            |(eks, rng, out), _| {
                EncapsulationKey::encapsulate_batch(eks, rng, out).expect("equal lengths")
            },
        );
        w.op(
            figure("prepared_encaps_many"),
            move |s| {
                (
                    key_pair::<P>(s).encapsulation_key().prepare(),
                    messages(s, n),
                    empty::<Encapsulated<P>>(n),
                )
            },
            |(ek, ms, out), _| {
                PreparedEncapsulationKey::encapsulate_many_with(ek, ms, out).expect("equal lengths")
            },
        );
        w.op(
            figure("decaps_batch"),
            move |s| (keys::<P>(s, n), ciphertexts::<P>(s, n), empty::<SharedSecret>(n)),
            |(dks, cts, out), _| {
                DecapsulationKey::decapsulate_batch(dks, cts, out).expect("equal lengths")
            },
        );
        w.op(
            figure("decaps_many"),
            move |s| (key_pair::<P>(s), ciphertexts::<P>(s, n), empty::<SharedSecret>(n)),
            |(dk, cts, out), _| dk.decapsulate_many(cts, out).expect("equal lengths"),
        );
    }
}
