//! One hash over 10,000 random cases of each parameter set, for every backend: key pair,
//! ciphertext, shared secret and rejection key of each. The constants are public and were
//! computed by other implementations; the RNG is SHAKE128 of the empty string.

mod common;

use common::{
    Expanded, ShakeRng, decapsulate_batch, filled, for_each_backend, for_each_set, hex, keys,
    short, slots,
};
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, ParameterSet, Seed,
};
use shake::{ExtendableOutput, Shake128, Update, XofReader};

/// Of 100 and of 10,000 runs.
fn constants<P: ParameterSet>() -> [&'static str; 2] {
    match P::K {
        2 => [
            "449120c6e320ef3e9fbfa2316e5f2d2e1e6dd37d8ff5d086d5d2db7d42aff0a1",
            "705dcffc87f4e67e35a09dcaa31772e86f3341bd3ccf1e78a5fef99ae6a35a13",
        ],
        3 => [
            "8d65b902f28edc683cebee2872962fd165a4d197c9e24ec74caa4470270df0b7",
            "f959d18d3d1180121433bf0e05f11e7908cf9d03edc150b2b07cb90bef5bc1c1",
        ],
        _ => [
            "c3ffe9ebecfa479c142656cbfbc6417efa05b77e994fe538eef4daed166363df",
            "e3bf82b013307b2e9d47dde791ff6dfc82e694e6382404abdb948b908b75bad5",
        ],
    }
}

/// The inputs of one run.
struct Run<P: ParameterSet> {
    seed: Seed,
    m: [u8; 32],
    /// Random, so it will be rejected.
    forged: Ciphertext<P>,
}

impl<P: ParameterSet> Run<P> {
    fn draw(rng: &mut ShakeRng) -> Self {
        Self { seed: rng.seed(), m: rng.bytes(), forged: rng.ciphertext() }
    }
}

#[derive(Default)]
struct Accumulator(Shake128);

impl Accumulator {
    fn run(&mut self, parts: [&[u8]; 5]) {
        parts.iter().for_each(|part| self.0.update(part));
    }

    fn finish(self) -> String {
        let mut out = [0; 32];
        self.0.finalize_xof().read(&mut out);
        hex(&out)
    }
}

fn prepared<P: ParameterSet>(runs: usize) -> String {
    let (mut rng, mut hash) = (ShakeRng::new(b""), Accumulator::default());
    for _ in 0..runs {
        let run = Run::<P>::draw(&mut rng);
        let dk = DecapsulationKey::<P>::from_seed(&run.seed);
        let ek = dk.encapsulation_key();
        let (ct, key) = ek.encapsulate_with(&run.m);
        assert_eq!(dk.decapsulate(&ct), key);
        let rejected = dk.decapsulate(&run.forged);
        let parts =
            [ek.as_bytes(), &dk.expanded(), ct.as_bytes(), key.as_bytes(), rejected.as_bytes()];
        hash.run(parts);
    }
    hash.finish()
}

/// The forms that [`prepared`] does not use: compact decapsulation key, prepared encapsulation key.
fn compact<P: ParameterSet>(runs: usize) -> String {
    let (mut rng, mut hash) = (ShakeRng::new(b""), Accumulator::default());
    for _ in 0..runs {
        let run = Run::<P>::draw(&mut rng);
        let dk = CompactDecapsulationKey::<P>::from_seed(&run.seed);
        let ek = dk.encapsulation_key();
        let (ct, key) = ek.prepare().encapsulate_with(&run.m);
        assert_eq!(dk.decapsulate(&ct), key);
        let rejected = dk.decapsulate(&run.forged);
        let parts =
            [ek.as_bytes(), &dk.expanded(), ct.as_bytes(), key.as_bytes(), rejected.as_bytes()];
        hash.run(parts);
    }
    hash.finish()
}

/// Batches of 64, and what is left.
fn batch<P: ParameterSet>(runs: usize) -> String {
    let (mut rng, mut hash) = (ShakeRng::new(b""), Accumulator::default());
    let mut left = runs;
    while left > 0 {
        let n = left.min(64);
        left -= n;
        let (mut seeds, mut ms, mut forged) = (vec![], vec![], vec![]);
        for _ in 0..n {
            let run = Run::<P>::draw(&mut rng);
            seeds.push(run.seed);
            ms.push(run.m);
            forged.push(run.forged);
        }
        let dks = keys::<P>(&seeds);
        let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
        let mut pairs = slots(n);
        EncapsulationKey::encapsulate_batch_with(&eks, &ms, &mut pairs).unwrap();
        let (cts, secrets): (Vec<_>, Vec<_>) = filled(pairs).into_iter().unzip();
        let accepted = decapsulate_batch(&dks, &cts);
        let rejected = decapsulate_batch(&dks, &forged);
        for i in 0..n {
            assert_eq!(&accepted[i], secrets[i].as_bytes());
            let (ek, dk) = (eks[i].as_bytes(), dks[i].expanded());
            hash.run([ek, &dk, cts[i].as_bytes(), &accepted[i], &rejected[i]]);
        }
    }
    hash.finish()
}

fn check<P: ParameterSet>(backend: &str) {
    let lengths = if short() { &[100][..] } else { &[100, 10_000] };
    for (&runs, expected) in lengths.iter().zip(constants::<P>()) {
        assert_eq!(prepared::<P>(runs), expected, "{backend}, {}, prepared", P::NAME);
        assert_eq!(compact::<P>(runs), expected, "{backend}, {}, compact", P::NAME);
        assert_eq!(batch::<P>(runs), expected, "{backend}, {}, batch", P::NAME);
        let set = P::NAME.trim_start_matches("ML-KEM-");
        println!("accumulated backend={backend} set={set} runs={runs}");
    }
}

#[test]
fn accumulated() {
    for_each_backend(|backend| for_each_set!(check(backend.name())));
}
