//! Every operation on one key, for each parameter set and each backend that this CPU has. Inputs are
//! seeds and messages in memory: no RNG is timed. Dropping a result, and so wiping it, is.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use lanekem::{
    Backend, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768,
    MlKem1024, ParameterSet, Seed,
};
use std::hint::black_box;
use std::time::Duration;

/// Keys taken in turn, so that the rare fourth block of the XOF is in the average.
const KEYS: usize = 16;

struct Bench<'a, 'b> {
    group: &'a mut BenchmarkGroup<'b, WallTime>,
    backend: Backend,
}

impl Bench<'_, '_> {
    /// Times `f` of the key numbers in turn.
    fn op<O>(&mut self, name: &str, mut f: impl FnMut(usize) -> O) {
        self.group.bench_function(format!("{name}/{}", self.backend), |bencher| {
            let mut i = 0;
            bencher.iter(|| {
                i = (i + 1) % KEYS;
                f(i)
            });
        });
    }
}

fn set<P: ParameterSet>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(P::NAME);
    let seeds: Vec<_> = (0..KEYS).map(|i| Seed::from([i as u8; 64])).collect();
    let m = &[7; 32];
    let dks: Vec<_> = seeds.iter().map(DecapsulationKey::<P>::from_seed).collect();
    let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let cts: Vec<_> = eks.iter().map(|ek| ek.encapsulate_with(m).0).collect();
    let compact: Vec<_> = dks.iter().map(DecapsulationKey::to_compact).collect();
    let prepared: Vec<_> = eks.iter().map(EncapsulationKey::prepare).collect();
    let expanded = dks[0].to_expanded_bytes();
    let expanded = (*expanded).as_ref();

    for backend in Backend::available() {
        backend.force().expect("it is available");
        let mut bench = Bench { group: &mut group, backend };
        bench.op("keygen", |i| DecapsulationKey::<P>::from_seed(black_box(&seeds[i])));
        bench.op("encaps", |i| eks[i].encapsulate_with(black_box(m)));
        bench.op("decaps", |i| dks[i].decapsulate(black_box(&cts[i])));
        bench.op("parse", |i| EncapsulationKey::<P>::from_bytes(black_box(eks[i].as_bytes())));
        bench.op("parse_expanded", |_| {
            DecapsulationKey::<P>::from_expanded_bytes(black_box(expanded))
        });
        bench.op("prepare", |i| black_box(&eks[i]).prepare());
        bench.op("prepared_encaps", |i| prepared[i].encapsulate_with(black_box(m)));
        bench.op("compact_keygen", |i| {
            CompactDecapsulationKey::<P>::from_seed(black_box(&seeds[i]))
        });
        bench.op("compact_decaps", |i| compact[i].decapsulate(black_box(&cts[i])));
        bench.op("compact_prepare", |i| black_box(&compact[i]).prepare());
    }
    group.finish();
}

fn operations(criterion: &mut Criterion) {
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
    targets = operations
}
criterion_main!(benches);
