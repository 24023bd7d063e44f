//! The one-time KEMs beside ML-KEM: what leaving out the re-encryption brings. Each key decapsulates once and is
//! made outside of the time that is measured; wiping it is inside.

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, criterion_group, criterion_main};
use lanekem::one_time::{tch, th};
use lanekem::{Backend, DecapsulationKey, MlKem512, MlKem768, MlKem1024, ParameterSet, Seed};
use std::hint::black_box;
use std::time::Duration;

/// Keys taken in turn, so that the rare fourth block of the XOF is in the average.
const KEYS: usize = 16;
const M: &[u8; 32] = &[7; 32];
const R: &[u8; 32] = &[9; 32];

/// Times `f` of the key numbers in turn.
fn op<O>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    backend: Backend,
    name: &str,
    mut f: impl FnMut(usize) -> O,
) {
    group.bench_function(format!("{name}/{backend}"), |bencher| {
        let mut i = 0;
        bencher.iter(|| {
            i = (i + 1) % KEYS;
            f(i)
        });
    });
}

fn set<P: ParameterSet>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(P::NAME);
    let d: Vec<_> = (0..KEYS).map(|i| [i as u8; 32]).collect();
    let seeds: Vec<_> = (0..KEYS).map(|i| Seed::from([i as u8; 64])).collect();
    let dks: Vec<_> = seeds.iter().map(DecapsulationKey::<P>::from_seed).collect();
    let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let cts: Vec<_> = eks.iter().map(|ek| ek.encapsulate_with(M).0).collect();
    let compact: Vec<_> = dks.iter().map(DecapsulationKey::to_compact).collect();
    let expanded: Vec<_> = dks.iter().map(DecapsulationKey::to_expanded_bytes).collect();

    let th_pair = |i: usize| th::OneTimeKeyPair::<P>::generate_with(&d[i]);
    let th_eks: Vec<_> = (0..KEYS).map(|i| th_pair(i).encapsulation_key().clone()).collect();
    let th_cts: Vec<_> = th_eks.iter().map(|ek| ek.encapsulate_with(M, R).0).collect();
    let tch_pair = |i: usize| tch::OneTimeKeyPair::<P>::generate_with(&d[i]);
    let tch_eks: Vec<_> = (0..KEYS).map(|i| tch_pair(i).encapsulation_key().clone()).collect();
    let tch_cts: Vec<_> = tch_eks.iter().map(|ek| ek.encapsulate_with(M, R).0).collect();

    for backend in Backend::available() {
        backend.force().expect("it is available");
        let group = &mut group;
        op(group, backend, "keygen", |i| DecapsulationKey::<P>::from_seed(black_box(&seeds[i])));
        op(group, backend, "encaps", |i| eks[i].encapsulate_with(black_box(M)));
        op(group, backend, "decaps", |i| dks[i].decapsulate(black_box(&cts[i])));
        op(group, backend, "compact_decaps", |i| compact[i].decapsulate(black_box(&cts[i])));
        op(group, backend, "parse_decaps", |i| {
            let bytes = black_box((*expanded[i]).as_ref());
            DecapsulationKey::<P>::decapsulate_from_expanded_bytes(bytes, &cts[i])
        });
        op(group, backend, "th_keygen", |i| {
            th::OneTimeKeyPair::<P>::generate_with(black_box(&d[i]))
        });
        op(group, backend, "th_encaps", |i| th_eks[i].encapsulate_with(black_box(M), R));
        op(group, backend, "tch_encaps", |i| tch_eks[i].encapsulate_with(black_box(M), R));

        group.bench_function(format!("th_decaps/{backend}"), |bencher| {
            let mut keys = (0..KEYS).cycle();
            bencher.iter_batched(
                || keys.next().map(|i| (th_pair(i), &th_cts[i])),
                |pair| pair.map(|(pair, c)| pair.decapsulate(black_box(c))),
                BatchSize::SmallInput,
            );
        });
        group.bench_function(format!("tch_decaps/{backend}"), |bencher| {
            let mut keys = (0..KEYS).cycle();
            bencher.iter_batched(
                || keys.next().map(|i| (tch_pair(i), &tch_cts[i])),
                |pair| pair.map(|(pair, c)| pair.decapsulate(black_box(c))),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

fn one_time(criterion: &mut Criterion) {
    set::<MlKem512>(criterion);
    set::<MlKem768>(criterion);
    set::<MlKem1024>(criterion);
}

criterion_group! {
    name = benches;
    // Plots take longer than the measurements.
    config = Criterion::default()
        .without_plots()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = one_time
}
criterion_main!(benches);
