//! Which tests the page shows, and measuring them.

use super::keccak::Permutations;
use crate::cpu;
use crate::failure::Failure;
use crate::measure::Meter;
use crate::result::{Document, Figures};
use crate::run::{figures, force};
use crate::stop;
use crate::test::{Mode, Op, Set, Test};
use indicatif::{ProgressBar, ProgressStyle};
use lanekem::Backend;

/// The operations that batches, threads and Keccak are shown for.
pub(super) const OPS: [Op; 3] = [Op::Keygen, Op::Encaps, Op::Decaps];
pub(super) const BATCHES: [usize; 4] = [4, 8, 16, 64];

/// All that was measured, by backend, slowest first.
pub(super) struct Measured {
    pub(super) sets: Vec<Set>,
    pub(super) backends: Vec<(Backend, Document, Permutations)>,
}

impl Measured {
    /// Figures of a test, if it was measured.
    pub(super) fn figures(&self, backend: Backend, test: Test) -> Option<&Figures> {
        let (_, document, _) = self.backends.iter().find(|(b, ..)| *b == backend)?;
        document.results.iter().find(|figures| figures.test == test)
    }

    /// Operations a second of one thread, by the median call: other work on the machine stops few calls.
    pub(super) fn rate(&self, backend: Backend, test: Test) -> Option<f64> {
        let figures = self.figures(backend, test)?;
        Some(test.batch as f64 * 1e9 / figures.latency_ns.p50)
    }

    /// Operations a second of all threads in the fastest tenth of the time.
    pub(super) fn peak(&self, backend: Backend, test: Test) -> Option<f64> {
        self.figures(backend, test).map(|figures| figures.ops_per_s.max)
    }

    /// The fastest backend, which the threads were measured with.
    pub(super) fn fastest(&self) -> Option<Backend> {
        self.backends.last().map(|(backend, ..)| *backend)
    }
}

pub(super) fn single(set: Set, op: Op) -> Test {
    Test { set, op, mode: Mode::Single, batch: 1, threads: 1 }
}

pub(super) fn batch(set: Set, op: Op, batch: usize) -> Test {
    Test { mode: Mode::Batch, batch, ..single(set, op) }
}

/// 1, 2, 4, … and all CPUs.
pub(super) fn threads() -> Vec<usize> {
    let all = cpu::count();
    let powers = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|&n| n < all);
    powers.chain([all]).collect()
}

fn tests(sets: &[Set], with_threads: bool) -> Vec<Test> {
    let mut tests = vec![];
    for &set in sets {
        tests.extend(Op::ALL.map(|op| single(set, op)));
        for op in OPS {
            tests.extend(BATCHES.map(|n| batch(set, op, n)));
            if with_threads {
                let several = threads().into_iter().filter(|&threads| threads > 1);
                tests.extend(several.map(|threads| Test { threads, ..single(set, op) }));
            }
        }
    }
    tests
}

/// Measures until all is done or Ctrl-C comes.
pub(super) fn measure(meter: &Meter, sets: &[Set]) -> Result<Measured, Failure> {
    let mut measured = Measured { sets: sets.to_vec(), backends: vec![] };
    let backends: Vec<_> = Backend::available().collect();
    let plan: Vec<_> = backends
        .iter()
        .map(|&backend| (backend, tests(sets, Some(&backend) == backends.last())))
        .collect();
    let bar = progress(plan.iter().map(|(_, tests)| tests.len()).sum());
    for (backend, tests) in plan {
        force(backend)?;
        let mut document = Document::new(&meter.clock, backend, meter.seconds);
        let permutations = Permutations::measure(backend, &meter.clock);
        for test in tests {
            bar.set_message(format!("{backend}: {test}"));
            let alone = Test { threads: 1, ..test };
            let one_thread = (test.threads > 1)
                .then(|| document.results.iter().find(|figures| figures.test == alone))
                .flatten()
                .map(|figures| figures.ops_per_s.mean);
            document.results.extend(figures(meter, test, one_thread, |_| Ok(()))?);
            bar.inc(1);
            if stop::requested() {
                break;
            }
        }
        document.interrupted = stop::requested();
        measured.backends.push((backend, document, permutations));
        if stop::requested() {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(measured)
}

/// On standard error, and only if that is a terminal.
fn progress(tests: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len}  {eta:>4}  {wide_msg}");
    ProgressBar::new(tests as u64).with_style(style.expect("a valid template"))
}
