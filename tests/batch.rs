//! Batch calls give what the single calls give, for every size and backend, and leave no slot
//! half-made when they fail.

mod common;

use common::{
    Expanded, FailingRng, Pair, RngFailed, ShakeRng, decapsulate_batch, decapsulate_many, filled,
    for_each_backend, for_each_set, keys, pair, short, slots,
};
use lanekem::{
    Ciphertext, DecapsulationKey, EncapsulationKey, Error, ParameterSet, Seed, SharedSecret,
};

/// Around the lane counts 4 and 8, and one that is many times either.
const SIZES: [usize; 13] = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 1000];

type Slot<P> = Option<(Ciphertext<P>, SharedSecret)>;

fn expanded<P: ParameterSet>(keys: &[DecapsulationKey<P>]) -> Vec<Vec<u8>> {
    keys.iter().map(Expanded::expanded).collect()
}

fn pairs<P: ParameterSet>(slots: Vec<Slot<P>>) -> Vec<Pair> {
    filled(slots).iter().map(pair).collect()
}

fn generate<P: ParameterSet>(n: usize) {
    // One stream for each way of calling; each must draw the same bytes from it, and no more.
    let mut rngs: [_; 5] = std::array::from_fn(|_| ShakeRng::new(b"generate"));
    let [single, batch, vec, fallible, seeds] = &mut rngs;
    let expected: Vec<_> = (0..n).map(|_| DecapsulationKey::<P>::generate(single)).collect();
    let seeds = seeds.seeds(n);

    let mut out = slots(n);
    DecapsulationKey::generate_batch(batch, &mut out);
    // Slots that were full are overwritten.
    let mut again = filled(out).into_iter().map(Some).collect::<Vec<_>>();
    let reference = expanded(&expected);
    assert!(again.iter().flatten().map(Expanded::expanded).eq(reference.iter().cloned()));
    again.reverse();
    DecapsulationKey::try_generate_batch(fallible, &mut again).unwrap();

    let ways = [
        filled(again),
        DecapsulationKey::generate_vec(vec, n),
        keys(&seeds),
        seeds.iter().map(DecapsulationKey::from_seed).collect(),
    ];
    for way in ways {
        assert!(expanded(&way) == reference);
        for ((key, expected), seed) in way.iter().zip(&expected).zip(&seeds) {
            assert!(key.encapsulation_key() == expected.encapsulation_key());
            assert_eq!(key.seed().map(Seed::as_bytes), Some(seed.as_bytes()));
        }
    }
    let after: Vec<_> = rngs.iter_mut().map(|rng| rng.bytes::<8>()).collect();
    assert_eq!(after, [after[0]; 5]);
}

fn encapsulate<P: ParameterSet>(n: usize) {
    let mut rng = ShakeRng::new(b"encapsulate");
    let dks = keys::<P>(&rng.seeds(n));
    let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let mut rngs: [_; 3] = std::array::from_fn(|_| ShakeRng::new(b"messages"));
    let [single, batch, messages] = &mut rngs;

    let expected: Vec<_> = eks.iter().map(|ek| pair(&ek.encapsulate(single))).collect();
    let mut out = slots(n);
    EncapsulationKey::encapsulate_batch(&eks, batch, &mut out).unwrap();
    assert!(pairs(out) == expected);
    let ms = messages.messages(n);
    let mut out = slots(n);
    EncapsulationKey::encapsulate_batch_with(&eks, &ms, &mut out).unwrap();
    assert!(pairs(out) == expected);
    let after: Vec<_> = rngs.iter_mut().map(|rng| rng.bytes::<8>()).collect();
    assert_eq!(after, [after[0]; 3]);

    // One key.
    let key = DecapsulationKey::<P>::from_seed(&rng.seed()).encapsulation_key().prepare();
    let mut rngs: [_; 2] = std::array::from_fn(|_| ShakeRng::new(b"messages"));
    let [single, batch] = &mut rngs;
    let expected: Vec<_> = (0..n).map(|_| pair(&key.encapsulate(single))).collect();
    let mut out = slots(n);
    key.encapsulate_many(batch, &mut out);
    assert!(pairs(out) == expected);
    let mut out = slots(n);
    key.encapsulate_many_with(&ms, &mut out).unwrap();
    assert!(pairs(out) == expected);
    assert_eq!(single.bytes::<8>(), batch.bytes::<8>());
}

fn decapsulate<P: ParameterSet>(n: usize) {
    let mut rng = ShakeRng::new(b"decapsulate");
    let dks = keys::<P>(&rng.seeds(n));
    // Honest ones and ones to be rejected, in no lane pattern.
    let (cts, secrets): (Vec<_>, Vec<_>) = dks
        .iter()
        .map(|dk| {
            let (ct, secret) = dk.encapsulation_key().encapsulate(&mut rng);
            if rng.bytes::<1>()[0] < 96 { (rng.ciphertext(), None) } else { (ct, Some(secret)) }
        })
        .unzip();
    let single: Vec<_> = dks.iter().zip(&cts).map(|(dk, ct)| dk.decapsulate(ct)).collect();
    for (got, secret) in single.iter().zip(&secrets) {
        assert!(secret.as_ref().is_none_or(|secret| secret == got));
    }
    let single: Vec<_> = single.iter().map(|key| *key.as_bytes()).collect();
    assert!(decapsulate_batch(&dks, &cts) == single);

    let one = DecapsulationKey::<P>::from_seed(&rng.seed());
    let cts: Vec<_> = cts
        .into_iter()
        .map(|ct| {
            if rng.bytes::<1>()[0] < 96 {
                ct
            } else {
                one.encapsulation_key().encapsulate(&mut rng).0
            }
        })
        .collect();
    let single: Vec<_> = cts.iter().map(|ct| *one.decapsulate(ct).as_bytes()).collect();
    assert!(decapsulate_many(&one, &cts) == single);
}

fn all_sizes<P: ParameterSet>(sizes: &[usize]) {
    for &n in sizes {
        generate::<P>(n);
        encapsulate::<P>(n);
        decapsulate::<P>(n);
    }
}

#[test]
fn batches_give_what_single_calls_give() {
    let sizes = if short() { &SIZES[..SIZES.len() - 1] } else { &SIZES };
    for_each_backend(|backend| {
        for_each_set!(all_sizes(sizes));
        println!(
            "batch backend={} sizes={} largest={}",
            backend.name(),
            sizes.len(),
            sizes.iter().max().unwrap()
        );
    });
}

/// A key is made over the one that its slot holds: nothing of an imported one may be left.
fn overwritten<P: ParameterSet>(n: usize) {
    let mut rng = ShakeRng::new(b"overwritten");
    let (old, seeds) = (rng.seeds(n), rng.seeds(n));
    let mut out: Vec<_> = old
        .iter()
        .map(|seed| DecapsulationKey::<P>::from_seed(seed).to_expanded_bytes())
        .map(|bytes| Some(DecapsulationKey::from_expanded_bytes(bytes.as_ref()).unwrap()))
        .collect();
    DecapsulationKey::from_seed_batch(&seeds, &mut out).unwrap();
    for (seed, slot) in seeds.iter().zip(&mut out) {
        let fresh = DecapsulationKey::<P>::from_seed(seed);
        let (ciphertext, secret) = fresh.encapsulation_key().encapsulate(&mut rng);
        let key = slot.as_ref().unwrap();
        assert_eq!(key.seed().map(Seed::as_bytes), Some(seed.as_bytes()));
        assert!(key.expanded() == fresh.expanded());
        assert!(key.encapsulation_key() == fresh.encapsulation_key());
        assert!(key.decapsulate(&ciphertext) == secret);
        // One at a time, and back to the old key.
        let key = DecapsulationKey::from_seed_in(slot, &old[0]);
        assert!(key.expanded() == DecapsulationKey::<P>::from_seed(&old[0]).expanded());
    }
}

#[test]
fn full_slots_are_overwritten() {
    for_each_backend(|_| {
        for n in [1, 7, 8, 9] {
            for_each_set!(overwritten(n));
        }
    });
}

/// Runs `call` for every choice of lengths that are not all equal; the slots, some of them full,
/// must be as they were.
fn unequal<const N: usize, T: PartialEq + core::fmt::Debug>(
    fresh: impl Fn(usize) -> Option<T>,
    call: impl Fn([usize; N], &mut [Option<T>]) -> Result<(), Error>,
) -> usize {
    const LENGTHS: [usize; 5] = [0, 1, 4, 8, 9];
    let mut refused = 0;
    for choice in 0..LENGTHS.len().pow(N as u32) {
        let lens: [usize; N] =
            std::array::from_fn(|i| LENGTHS[choice / LENGTHS.len().pow(i as u32) % LENGTHS.len()]);
        if lens.iter().all(|&len| len == lens[0]) {
            continue;
        }
        let content = || (0..lens[N - 1]).map(&fresh).collect::<Vec<_>>();
        let mut out = content();
        assert_eq!(call(lens, &mut out), Err(Error::BatchLength), "{lens:?}");
        assert!(out == content(), "{lens:?}");
        refused += 1;
    }
    refused
}

fn wrong_lengths<P: ParameterSet>() -> usize {
    struct ByBytes<P: ParameterSet>(DecapsulationKey<P>);
    impl<P: ParameterSet> PartialEq for ByBytes<P> {
        fn eq(&self, other: &Self) -> bool {
            self.0.expanded() == other.0.expanded()
        }
    }

    let mut rng = ShakeRng::new(b"lengths");
    let seeds = rng.seeds(9);
    let dks = keys::<P>(&seeds);
    let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let ms = rng.messages(9);
    let cts = rng.ciphertexts::<P>(9);
    let prepared = eks[0].prepare();

    let full = |i: usize| i.is_multiple_of(2);
    let pair = |i| full(i).then(|| eks[i].encapsulate_with(&ms[i]));
    let secret = |i| full(i).then(|| dks[i].decapsulate(&cts[i]));

    let mut refused = unequal(pair, |[keys, m, _], out| {
        EncapsulationKey::encapsulate_batch_with(&eks[..keys], &ms[..m], out)
    });
    refused += unequal(pair, |[keys, _], out| {
        let mut rng = ShakeRng::new(b"unused");
        let result = EncapsulationKey::encapsulate_batch(&eks[..keys], &mut rng, out);
        assert_eq!(rng.bytes::<8>(), ShakeRng::new(b"unused").bytes());
        result
    });
    refused += unequal(pair, |[m, _], out| prepared.encapsulate_many_with(&ms[..m], out));
    refused += unequal(secret, |[keys, ct, _], out| {
        DecapsulationKey::decapsulate_batch(&dks[..keys], &cts[..ct], out)
    });
    refused += unequal(secret, |[ct, _], out| dks[0].decapsulate_many(&cts[..ct], out));

    for (n, len) in [(0, 1), (1, 0), (8, 9), (9, 8), (4, 9)] {
        let content =
            || (0..len).map(|i| full(i).then(|| DecapsulationKey::<P>::from_seed(&seeds[i])));
        let mut out: Vec<_> = content().collect();
        let result = DecapsulationKey::from_seed_batch(&seeds[..n], &mut out);
        assert_eq!(result, Err(Error::BatchLength));
        let out = out.into_iter().map(|slot| slot.map(ByBytes));
        assert!(out.eq(content().map(|slot| slot.map(ByBytes))));
        refused += 1;
    }
    refused
}

#[test]
fn unequal_lengths_touch_nothing() {
    for_each_backend(|backend| {
        let refused = wrong_lengths::<lanekem::MlKem512>()
            + wrong_lengths::<lanekem::MlKem768>()
            + wrong_lengths::<lanekem::MlKem1024>();
        println!("batch backend={} unequal_lengths={refused}", backend.name());
    });
}

fn rng_failures<P: ParameterSet>() {
    let seeds = ShakeRng::new(b"old").seeds(17);
    for n in [1, 2, 4, 5, 8, 9, 17] {
        for left in [0, 1, 63, 64, 32 * n, 64 * (n / 2) + 1, 64 * n - 64, 64 * n - 1] {
            let left = left.min(64 * n - 1);
            // Into empty slots, and into slots that hold keys.
            for mut out in [slots(n), keys::<P>(&seeds[..n]).into_iter().map(Some).collect()] {
                let mut rng = FailingRng::after(left, 40 + n as u32);
                let result = DecapsulationKey::try_generate_batch(&mut rng, &mut out);
                assert_eq!(result, Err(RngFailed(40 + n as u32)), "{n} keys, {left} bytes");
                assert!(out.iter().all(Option::is_none), "{n} keys, {left} bytes");
            }
        }
        let mut out = slots::<DecapsulationKey<P>>(n);
        DecapsulationKey::try_generate_batch(&mut FailingRng::after(64 * n, 0), &mut out).unwrap();
        assert_eq!(filled(out).len(), n);
    }
    DecapsulationKey::<P>::try_generate_batch(&mut FailingRng::after(0, 0), &mut []).unwrap();
}

#[test]
fn a_failing_rng_leaves_no_key() {
    for_each_backend(|_| for_each_set!(rng_failures()));
}

/// An RNG that panics instead of failing, at any call, leaves no unfinished key behind.
fn rng_panics<P: ParameterSet>() {
    use rand_core::UnwrapErr;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    let n = 9;
    let ek = DecapsulationKey::<P>::from_seed(&ShakeRng::new(b"panic").seed())
        .encapsulation_key()
        .prepare();
    for left in (0..=64 * n).step_by(64) {
        let rng = || UnwrapErr(FailingRng::after(left, 7));
        let mut out = slots(n);
        DecapsulationKey::<P>::generate_batch(&mut ShakeRng::new(b"before"), &mut out);
        let batch = AssertUnwindSafe(|| DecapsulationKey::generate_batch(&mut rng(), &mut out));
        assert_eq!(catch_unwind(batch).is_err(), left < 64 * n);
        assert!(out.iter().all(|slot| slot.is_some() == (left == 64 * n)));

        let mut out = slots::<DecapsulationKey<P>>(n);
        let batch = AssertUnwindSafe(|| {
            let _ = DecapsulationKey::generate_batch_shared_matrix(&mut rng(), &mut out);
        });
        assert!(catch_unwind(batch).is_err());
        assert!(out.iter().all(Option::is_none));

        // Encapsulations are whole or not there.
        let mut out = slots(n);
        let batch = AssertUnwindSafe(|| ek.encapsulate_many(&mut rng(), &mut out));
        assert_eq!(catch_unwind(batch).is_err(), left < 32 * n);
        let mut single = ShakeRng::new(b"failing");
        for encapsulated in out.iter().flatten() {
            assert_eq!(pair(encapsulated), pair(&ek.encapsulate(&mut single)));
        }
    }
}

#[test]
fn rng_panics_leave_no_unfinished_key() {
    std::panic::set_hook(Box::new(|_| ()));
    for_each_set!(rng_panics());
    let _ = std::panic::take_hook();
}

fn fallible_and_vec<P: ParameterSet>() {
    for_each_backend(|_| {
        let mut rng = ShakeRng::new(b"vec");
        let keys = DecapsulationKey::<P>::generate_vec(&mut rng, 11);
        let eks: Vec<_> = keys.iter().map(|key| key.encapsulation_key().clone()).collect();
        let sent = EncapsulationKey::encapsulate_vec(&eks, &mut rng);
        let cts: Vec<_> = sent.iter().map(|(ct, _)| ct.clone()).collect();
        let received = DecapsulationKey::decapsulate_vec(&keys, &cts).unwrap();
        assert!(received.iter().eq(sent.iter().map(|(_, secret)| secret)));
        assert_eq!(
            DecapsulationKey::decapsulate_vec(&keys, &cts[1..]).err(),
            Some(Error::BatchLength)
        );

        let ek = eks[0].prepare();
        for left in [0, 31, 32 * 8, 32 * 11 - 1] {
            let mut out = slots(11);
            ek.encapsulate_many(&mut rng, &mut out);
            let failed = ek.try_encapsulate_many(&mut FailingRng::after(left, 7), &mut out);
            assert_eq!(failed, Err(RngFailed(7)));
            assert!(out.iter().all(Option::is_none));
        }
        let mut out = slots(11);
        ek.try_encapsulate_many(&mut FailingRng::after(32 * 11, 7), &mut out).unwrap();
        let mut single = ShakeRng::new(b"failing");
        for (ct, secret) in filled(out) {
            assert_eq!(pair(&ek.encapsulate(&mut single)), pair(&(ct, secret)));
        }
    });
}

#[test]
fn fallible_batches_and_vectors() {
    for_each_set!(fallible_and_vec());
}
