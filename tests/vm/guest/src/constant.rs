//! The number of instructions of an operation over random secrets.

use crate::inputs::{Rng, xof_blocks};
use crate::instructions::instructions;
use lanekem::{
    Backend, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768,
    MlKem1024, ParameterSet,
};
use std::collections::BTreeMap;

const SECRETS: usize = 200;
/// Keys of a batch: a pass over 8 lanes, and one that is not full.
const BATCH: usize = FULL + 3;
const FULL: usize = 8;

/// Batches that hold so many secrets.
const BATCHES: usize = SECRETS.div_ceil(BATCH);

/// Counts by what is public: the number of XOF blocks, if it varies. In a batch, that of the keys in full
/// lanes + that of the others, for a fourth block is read out of another bank there.
type Counts = BTreeMap<Option<String>, Vec<u64>>;

/// Prints the counts; whether there is one for each of what is public.
fn report(backend: Backend, set: &str, op: &str, counts: &Counts) -> bool {
    let set = set.trim_start_matches("ML-KEM-");
    let mut constant = true;
    for (blocks, counts) in counts {
        let mut distinct = counts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let blocks = blocks.as_ref().map(|n| format!(" xof_blocks={n}")).unwrap_or_default();
        let keys = if op.ends_with("_batch") { BATCH } else { 1 };
        println!(
            "count backend={backend} set={set} op={op}{blocks} secrets={} instructions={} distinct={}",
            counts.len() * keys,
            distinct[0],
            distinct.len()
        );
        constant &= distinct.len() == 1;
    }
    constant
}

/// Counts of `f` over `n` secrets.
fn over<S>(n: usize, mut secret: impl FnMut() -> S, mut f: impl FnMut(&S)) -> Counts {
    let counts = (0..n).map(|_| secret()).map(|secret| instructions(|| f(&secret)));
    BTreeMap::from([(None, counts.collect())])
}

fn keygen<P: ParameterSet>() -> Counts {
    let mut rng = Rng::new("keygen");
    let mut counts = Counts::new();
    let mut slot = Some(rng.key::<P>());
    for _ in 0..SECRETS {
        let seed = rng.seed();
        let count = instructions(|| slot = Some(DecapsulationKey::from_seed(&seed)));
        let blocks = slot.as_ref().map(|key| xof_blocks(key.encapsulation_key()).to_string());
        counts.entry(blocks).or_default().push(count);
    }
    counts
}

fn keygen_batch<P: ParameterSet>() -> Counts {
    let mut rng = Rng::new("keygen_batch");
    let mut counts = Counts::new();
    let mut slots: [_; BATCH] = std::array::from_fn(|_| Some(rng.key::<P>()));
    for _ in 0..BATCHES {
        let seeds: [_; BATCH] = std::array::from_fn(|_| rng.seed());
        let count = instructions(|| {
            DecapsulationKey::from_seed_batch(&seeds, &mut slots).expect("lengths")
        });
        let blocks = |slots: &[Option<DecapsulationKey<P>>]| -> usize {
            slots.iter().flatten().map(|key| xof_blocks(key.encapsulation_key())).sum()
        };
        let (full, rest) = slots.split_at(FULL);
        let blocks = format!("{}+{}", blocks(full), blocks(rest));
        counts.entry(Some(blocks)).or_default().push(count);
    }
    counts
}

/// The message is the secret, the key is one.
fn encaps<P: ParameterSet>() -> Counts {
    let mut rng = Rng::new("encaps");
    let ek = rng.key::<P>().encapsulation_key().clone();
    let mut slot = None;
    over(SECRETS, || rng.bytes(), |m| slot = Some(ek.encapsulate_with(m)))
}

fn encaps_prepared<P: ParameterSet>() -> Counts {
    let mut rng = Rng::new("encaps_prepared");
    let ek = rng.key::<P>().encapsulation_key().prepare();
    let mut slot = None;
    over(SECRETS, || rng.bytes(), |m| slot = Some(ek.encapsulate_with(m)))
}

fn encaps_batch<P: ParameterSet>() -> Counts {
    let mut rng = Rng::new("encaps_batch");
    let eks: [_; BATCH] = std::array::from_fn(|_| rng.key::<P>().encapsulation_key().clone());
    let mut slots = [const { None }; BATCH];
    over(
        BATCHES,
        || std::array::from_fn::<[u8; 32], BATCH, _>(|_| rng.bytes()),
        |ms| EncapsulationKey::encapsulate_batch_with(&eks, ms, &mut slots).expect("lengths"),
    )
}

/// Keys and ciphertexts are secret: no part of either is expanded by the XOF.
fn decaps<P: ParameterSet>(valid: bool) -> Counts {
    let mut rng = Rng::new("decaps");
    let mut secret = || {
        let key = rng.key::<P>();
        let (ciphertext, secret) = key.encapsulation_key().encapsulate_with(&rng.bytes());
        let ciphertext = if valid { ciphertext } else { rng.forged() };
        (key, ciphertext, secret)
    };
    let mut slot = None;
    over(SECRETS, &mut secret, |(key, ciphertext, secret)| {
        let accepted = &*slot.insert(key.decapsulate(ciphertext)) == secret;
        assert_eq!(accepted, valid);
    })
}

/// One public key, so that its matrix is one, with secrets that have nothing to do with it: so every
/// ciphertext is rejected.
fn decaps_compact<P: ParameterSet>(valid: bool) -> Counts {
    let mut rng = Rng::new("decaps_compact");
    let key = rng.key::<P>();
    let bytes = key.to_expanded_bytes();
    let forged = rng.forged::<P>();
    let mut secret = || {
        let mut bytes = (*bytes).as_ref().to_vec();
        let (ciphertext, secret) = key.encapsulation_key().encapsulate_with(&rng.bytes());
        if valid {
            let key = CompactDecapsulationKey::<P>::from_expanded_bytes(&bytes).expect("a key");
            return (key, ciphertext, secret);
        }
        let other = rng.key::<P>().to_expanded_bytes();
        let (s, z) = (384 * P::K, bytes.len() - 32);
        bytes[..s].copy_from_slice(&(*other).as_ref()[..s]);
        bytes[z..].copy_from_slice(&(*other).as_ref()[z..]);
        let key = CompactDecapsulationKey::from_expanded_bytes(&bytes).expect("a key");
        (key, forged.clone(), secret)
    };
    let mut slot = None;
    over(SECRETS, &mut secret, |(key, ciphertext, secret)| {
        let accepted = &*slot.insert(key.decapsulate(ciphertext)) == secret;
        assert_eq!(accepted, valid);
    })
}

/// Honest and forged ciphertexts in no pattern.
fn decaps_batch<P: ParameterSet>() -> Counts {
    let mut rng = Rng::new("decaps_batch");
    let keys: [DecapsulationKey<P>; BATCH] = std::array::from_fn(|_| rng.key());
    let mut secret = || -> [_; BATCH] {
        std::array::from_fn(|i| {
            let (ciphertext, _) = keys[i].encapsulation_key().encapsulate_with(&rng.bytes());
            if rng.bytes::<1>()[0] < 128 { ciphertext } else { rng.forged() }
        })
    };
    let mut slots = [const { None }; BATCH];
    over(BATCHES, &mut secret, |ciphertexts| {
        DecapsulationKey::decapsulate_batch(&keys, ciphertexts, &mut slots).expect("lengths");
    })
}

fn set<P: ParameterSet>(backend: Backend) -> bool {
    let operations: [(_, fn() -> Counts); _] = [
        ("keygen", keygen::<P>),
        ("encaps", encaps::<P>),
        ("encaps_prepared", encaps_prepared::<P>),
        ("decaps", || decaps::<P>(true)),
        ("decaps_forged", || decaps::<P>(false)),
        ("decaps_compact", || decaps_compact::<P>(true)),
        ("decaps_compact_forged", || decaps_compact::<P>(false)),
        ("keygen_batch", keygen_batch::<P>),
        ("encaps_batch", encaps_batch::<P>),
        ("decaps_batch", decaps_batch::<P>),
    ];
    operations.iter().fold(true, |ok, (op, counts)| report(backend, P::NAME, op, &counts()) & ok)
}

/// A branch on a secret must show.
fn control(backend: Backend) -> bool {
    let mut rng = Rng::new("control");
    let counts = over(
        SECRETS,
        || rng.bytes(),
        |[byte]| {
            if *byte < 128 {
                std::hint::black_box(0);
            }
        },
    );
    !report(backend, "none", "control", &counts)
}

/// Whether no operation's count depends on a secret.
pub(crate) fn check(backend: Backend) -> bool {
    control(backend)
        & set::<MlKem512>(backend)
        & set::<MlKem768>(backend)
        & set::<MlKem1024>(backend)
}
