//! Each kernel on each backend that this CPU has. The permutations of a bank run at 16 places of the
//! stack: a kernel whose spills are not aligned shows as a spread between them.

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use lanekem::Backend;
use lanekem::bench_api::{KERNELS, Kernel, Unit, lanes};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Distance between two places: all residues mod 64 that the ABI allows, once around a page.
const STRIDE: usize = 256 + 16;

/// Calls `f` with the stack pointer at least `PAD` bytes lower.
#[inline(never)]
fn displaced<const PAD: usize>(f: &mut dyn FnMut()) {
    let mut pad = [0u8; PAD];
    black_box(&mut pad);
    f();
    black_box(&mut pad);
}

type Displaced = fn(&mut dyn FnMut());

macro_rules! displacements {
    ($($i:literal)*) => { [$((STRIDE * $i, displaced::<{ STRIDE * $i }> as Displaced)),*] };
}

const DISPLACEMENTS: [(usize, Displaced); 16] =
    displacements!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);

type Group<'a> = BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn bench(
    group: &mut Group<'_>,
    id: BenchmarkId,
    kernel: Kernel,
    backend: Backend,
    place: Displaced,
) {
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|iterations| {
            let mut elapsed = Duration::ZERO;
            place(&mut || {
                let start = Instant::now();
                (kernel.run)(backend, iterations);
                elapsed = start.elapsed();
            });
            elapsed
        });
    });
}

fn kernels(criterion: &mut Criterion) {
    for &kernel in KERNELS {
        let mut group = criterion.benchmark_group(kernel.name);
        for backend in Backend::available() {
            let [bank, wide] = lanes(backend);
            let units = match kernel.unit {
                Unit::One => 1,
                Unit::Bank => bank,
                // The same bank again.
                Unit::Wide if wide == bank => continue,
                Unit::Wide => wide,
            };
            group.throughput(Throughput::Elements(units as u64));
            if kernel.name.starts_with("permute_") {
                for (bytes, place) in DISPLACEMENTS {
                    let id = BenchmarkId::new(backend.name(), format_args!("stack-{bytes}"));
                    bench(&mut group, id, kernel, backend, place);
                }
            } else {
                let id = BenchmarkId::from_parameter(backend.name());
                bench(&mut group, id, kernel, backend, DISPLACEMENTS[0].1);
            }
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    // Plots take longer than the measurements.
    config = Criterion::default()
        .without_plots()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    targets = kernels
}
criterion_main!(benches);
