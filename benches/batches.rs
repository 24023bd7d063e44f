//! What a batch brings per key: each batch call at several lengths, for each parameter set and each
//! backend that this CPU has. The throughput is that of keys.

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use lanekem::{
    Backend, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024, ParameterSet, Seed,
};
use std::hint::black_box;
use std::time::Duration;

const LENGTHS: [usize; 4] = [1, 4, 8, 64];
const LONGEST: usize = 64;

/// Times `f` filling the first 1, 4, 8, … slots.
fn lengths<T, E: core::fmt::Debug>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    backend: Backend,
    mut f: impl FnMut(&mut [Option<T>]) -> Result<(), E>,
) {
    let mut out: Vec<Option<T>> = (0..LONGEST).map(|_| None).collect();
    for n in LENGTHS {
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::new(format!("{name}/{backend}"), n), |bencher| {
            bencher.iter(|| f(black_box(&mut out[..n])).expect("equal lengths"));
        });
    }
}

fn set<P: ParameterSet>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("{}/batch", P::NAME));
    let seeds: Vec<_> = (0..LONGEST).map(|i| Seed::from([i as u8; 64])).collect();
    let ms: Vec<_> = (0..LONGEST).map(|i| [i as u8; 32]).collect();
    let dks: Vec<_> = seeds.iter().map(DecapsulationKey::<P>::from_seed).collect();
    let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let cts: Vec<_> = eks.iter().zip(&ms).map(|(ek, m)| ek.encapsulate_with(m).0).collect();
    let prepared = eks[0].prepare();

    for backend in Backend::available() {
        backend.force().expect("it is available");
        let group = &mut group;
        lengths(group, "keygen", backend, |out| {
            DecapsulationKey::<P>::from_seed_batch(&seeds[..out.len()], out)
        });
        lengths(group, "encaps", backend, |out| {
            EncapsulationKey::encapsulate_batch_with(&eks[..out.len()], &ms[..out.len()], out)
        });
        lengths(group, "encaps_many", backend, |out| {
            prepared.encapsulate_many_with(&ms[..out.len()], out)
        });
        lengths(group, "decaps", backend, |out| {
            DecapsulationKey::decapsulate_batch(&dks[..out.len()], &cts[..out.len()], out)
        });
        lengths(group, "decaps_many", backend, |out| {
            dks[0].decapsulate_many(&cts[..out.len()], out)
        });
    }
    group.finish();
}

fn batches(criterion: &mut Criterion) {
    set::<MlKem512>(criterion);
    set::<MlKem768>(criterion);
    set::<MlKem1024>(criterion);
}

criterion_group! {
    name = benches;
    // Plots take longer than the measurements.
    config = Criterion::default()
        .without_plots()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_secs(1));
    targets = batches
}
criterion_main!(benches);
