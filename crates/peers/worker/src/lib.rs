//! What every worker process shares: the timed loop and the protocol on its pipes.
//!
//! A worker measures one library. It writes its [`Hello`] as one line of JSON, then for each line it
//! reads (an index into [`Hello::figures`]) it takes one sample and answers with nanoseconds per operation.

use std::hint::black_box;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// What a sample lasts: long against the timer, short against a scheduler's tick.
const SAMPLE: Duration = Duration::from_millis(1);

/// Share of a sample that runs untimed before it, to refill the caches after the other workers.
const WARM_UP: usize = 8;

/// Key generation takes all of it (d ‖ z), encapsulation the first half (m).
pub type Seed = [u8; 64];

/// One thing that is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    pub set: u16,
    pub op: String,
    /// The library's own random number generator is part of the figure.
    pub rng: bool,
    /// The checks of FIPS 203 §7.2 or §7.3 are part of the figure.
    pub checks: bool,
    /// Keys per call; the figure is per key.
    pub batch: u32,
}

impl Figure {
    /// From seeds and objects in memory: no RNG, no checks.
    pub fn new(set: u16, op: &str) -> Self {
        Self { set, op: op.into(), rng: false, checks: false, batch: 1 }
    }

    pub fn rng(self) -> Self {
        Self { rng: true, ..self }
    }

    pub fn checks(self) -> Self {
        Self { checks: true, ..self }
    }

    pub fn batch(self, keys: usize) -> Self {
        let batch = keys.try_into().expect("batches are short");
        Self { batch, ..self }
    }
}

/// The first line of a worker.
#[derive(Debug, Serialize, Deserialize)]
pub struct Hello {
    pub figures: Vec<Figure>,
    /// Why there are none, if the worker cannot do what it was started for.
    pub unavailable: Option<String>,
    /// What a reader should know of this run, such as the backend that was chosen.
    pub note: Option<String>,
}

/// Where keys, messages and ciphertexts come from: the same stream in every worker.
pub struct Source(ChaCha8Rng);

impl Source {
    pub fn seed(&mut self) -> Seed {
        let mut seed = [0; 64];
        self.0.fill_bytes(&mut seed);
        seed
    }

    pub fn message(&mut self) -> [u8; 32] {
        message(&self.seed())
    }
}

/// The message m for one encapsulation.
pub fn message(seed: &Seed) -> [u8; 32] {
    *seed.first_chunk().expect("64 bytes hold 32")
}

type Sampler = Box<dyn FnMut(&mut Source) -> f64>;

/// The figures of one worker and how each is measured.
#[derive(Default)]
pub struct Worker {
    figures: Vec<Figure>,
    samplers: Vec<Sampler>,
    note: Option<String>,
}

impl Worker {
    pub fn note(&mut self, note: String) {
        self.note = Some(note);
    }

    /// Registers one operation: `setup` makes what a sample has in memory, `call` is timed, each time
    /// with a fresh seed. Dropping what `call` returns, and so wiping it, is part of the figure.
    pub fn op<S, O>(
        &mut self,
        figure: Figure,
        setup: impl Fn(&mut Source) -> S + 'static,
        call: impl Fn(&mut S, &Seed) -> O + 'static,
    ) where
        S: 'static,
    {
        let batch = f64::from(figure.batch);
        let mut calls = None;
        self.figures.push(figure);
        self.samplers.push(Box::new(move |source| {
            let mut state = setup(source);
            let mut run = |n: usize| {
                let seeds: Vec<Seed> = (0..n).map(|_| source.seed()).collect();
                let start = Instant::now();
                for seed in &seeds {
                    black_box(call(black_box(&mut state), seed));
                }
                start.elapsed()
            };
            let calls = *calls.get_or_insert_with(|| {
                let one = (0..4).map(|_| run(1)).min().expect("four runs");
                (SAMPLE.as_nanos() / one.as_nanos().max(1)).clamp(1, 100_000) as usize
            });
            run(calls.div_ceil(WARM_UP));
            run(calls).as_nanos() as f64 / (calls as f64 * batch)
        }));
    }

    /// Serves samples until the pipe closes. The first argument of the process is the core to stay on.
    pub fn serve(mut self) -> std::io::Result<()> {
        let core = std::env::args().nth(1).and_then(|id| id.parse().ok());
        let pinned =
            core.is_some_and(|id| core_affinity::set_for_current(core_affinity::CoreId { id }));
        let mut out = std::io::stdout().lock();
        let hello = Hello {
            unavailable: (!pinned).then(|| "cannot be pinned to the core asked for".into()),
            figures: std::mem::take(&mut self.figures),
            note: self.note,
        };
        serde_json::to_writer(&mut out, &hello)?;
        writeln!(out)?;
        out.flush()?;

        let mut source = Source(ChaCha8Rng::seed_from_u64(203));
        for line in std::io::stdin().lock().lines() {
            let line = line?;
            let sampler = line.trim().parse().ok().and_then(|i: usize| self.samplers.get_mut(i));
            let sampler =
                sampler.ok_or_else(|| std::io::Error::other(format!("no such figure: {line}")))?;
            writeln!(out, "{}", sampler(&mut source))?;
            out.flush()?;
        }
        Ok(())
    }
}

/// What a worker says that cannot do what it was started for.
pub fn unavailable(why: &str) -> std::io::Result<()> {
    let hello = Hello { figures: Vec::new(), unavailable: Some(why.into()), note: None };
    println!("{}", serde_json::to_string(&hello)?);
    Ok(())
}
