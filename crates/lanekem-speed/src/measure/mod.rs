//! Measuring one test: a call repeated on one or many threads for some seconds.

mod gate;
mod trace;
mod work;
mod worker;

use crate::clock::Clock;
use crate::test::Test;
use chacha20::ChaCha12Rng;
use core_affinity::CoreId;
use gate::Gate;
use hdrhistogram::Histogram;
use rand_core::SeedableRng;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;
use trace::{Trace, calls_between, common_span};
use worker::End;

pub(crate) use work::slots;

/// What to measure with.
pub(crate) struct Meter {
    pub(crate) clock: Clock,
    pub(crate) seconds: f64,
    /// CPUs that the threads are bound to, one each; empty: where the system puts them.
    pub(crate) cpus: Vec<CoreId>,
}

#[derive(Debug)]
pub(crate) enum Error {
    /// The system gave no random numbers.
    Random(getrandom::Error),
    /// The system gave no thread.
    Thread(std::io::Error),
    /// The system did not bind a thread to a CPU.
    Pin,
}

/// What the threads of one test did.
pub(crate) struct Sample {
    traces: Vec<Trace>,
    pub(crate) latencies: Histogram<u64>,
    start: u64,
    end: u64,
}

impl Sample {
    fn of(traces: Vec<Trace>, latencies: Histogram<u64>) -> Option<Self> {
        let (start, end) = common_span(&traces)?;
        Some(Self { traces, latencies, start, end })
    }

    pub(crate) fn ticks(&self) -> f64 {
        (self.end - self.start) as f64
    }

    pub(crate) fn calls(&self) -> u64 {
        self.traces.iter().map(Trace::calls).sum()
    }

    /// Calls a tick of all threads together.
    pub(crate) fn mean_rate(&self) -> f64 {
        let rate = |trace: &Trace| {
            let (start, end) = trace.span().expect("there is a common span");
            trace.calls() as f64 / (end - start) as f64
        };
        self.traces.iter().map(rate).sum()
    }

    /// Calls a tick in each of the windows of so many ticks that fit in.
    pub(crate) fn rates(&self, window: f64) -> Vec<f64> {
        let count = ((self.ticks() / window) + 1e-6).floor() as u32;
        let start = |i: u32| self.start as f64 + f64::from(i) * window;
        let calls = |i| calls_between(&self.traces, start(i), start(i + 1));
        (0..count).map(|i| calls(i) / window).collect()
    }
}

impl Meter {
    /// Measures a test; `second` gets the operations of each second that is over. `None` if Ctrl-C came
    /// before there was anything to measure.
    pub(crate) fn sample(
        &self,
        test: Test,
        mut second: impl FnMut(f64),
    ) -> Result<Option<Sample>, Error> {
        let gate = Gate::default();
        let end = End::new(test.threads);
        let traces: Vec<_> = (0..test.threads).map(|_| Mutex::new(Trace::default())).collect();
        let latencies = thread::scope(|scope| {
            let mut threads = vec![];
            for (i, trace) in traces.iter().enumerate() {
                let rng = ChaCha12Rng::try_from_rng(&mut getrandom::SysRng);
                let (gate, end) = (&gate, &end);
                let spawned = rng.map_err(Error::Random).and_then(|rng| {
                    let builder = thread::Builder::new().name(format!("worker {i}"));
                    let run = move || self.thread(i, test, rng, trace, gate, end);
                    builder.spawn_scoped(scope, run).map_err(Error::Thread)
                });
                threads.push(spawned.inspect_err(|_| gate.close())?);
            }
            gate.open(test.threads);
            let done = || threads.iter().all(|thread| thread.is_finished());
            self.watch(test, &traces, done, &mut second);
            let mut all = worker::latencies();
            for thread in threads {
                let latencies =
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                all.add(latencies?).expect("histograms of one kind");
            }
            Ok(all)
        })?;
        let inner = |trace: Mutex<Trace>| trace.into_inner().expect("no thread panicked");
        Ok(Sample::of(traces.into_iter().map(inner).collect(), latencies))
    }

    /// What a thread does. Keys are made by the thread that uses them, so that they lie near it.
    fn thread(
        &self,
        number: usize,
        test: Test,
        rng: ChaCha12Rng,
        trace: &Mutex<Trace>,
        gate: &Gate,
        end: &End,
    ) -> Result<Histogram<u64>, Error> {
        let pinned = self.cpus.get(number).is_none_or(|&cpu| core_affinity::set_for_current(cpu));
        if !pinned {
            gate.close();
        }
        let mut work = work::work(test, rng);
        let block = worker::warm_up(&mut work, &self.clock, self.seconds);
        let open = gate.wait();
        match (pinned, open) {
            (false, _) => Err(Error::Pin),
            (true, false) => Ok(worker::latencies()),
            (true, true) => {
                Ok(worker::run(&mut work, block, &self.clock, self.seconds, end, trace))
            }
        }
    }

    /// Reports each second of a longer measurement when all threads are through it, until they are done.
    fn watch(
        &self,
        test: Test,
        traces: &[Mutex<Trace>],
        done: impl Fn() -> bool,
        mut second: impl FnMut(f64),
    ) {
        let length = self.clock.ticks_of(1.0);
        let (mut start, mut reported) = (self.clock.ticks(), 0.0);
        while self.seconds >= LIVE && reported + 1.0 <= self.seconds {
            thread::sleep(Duration::from_millis(20));
            let over = done();
            let due = |start| start as f64 + (reported + 1.0) * length;
            if (self.clock.ticks() as f64) < due(start) && !over {
                continue;
            }
            let now: Vec<_> =
                traces.iter().map(|trace| trace.lock().expect("unpoisoned").clone()).collect();
            let Some((begin, end)) = common_span(&now) else {
                if over {
                    break;
                }
                continue;
            };
            start = begin;
            let (from, to) = (due(start) - length, due(start).min(end as f64));
            // Threads start some µs apart, so the last second may be a little short.
            if to == due(start) || over && to - from > 0.95 * length {
                let calls = calls_between(&now, from, to) * length / (to - from);
                second(calls * test.batch as f64);
                reported += 1.0;
            } else if over {
                break;
            }
        }
    }
}

/// From so many seconds on a measurement reports each second.
pub(crate) const LIVE: f64 = 2.0;
