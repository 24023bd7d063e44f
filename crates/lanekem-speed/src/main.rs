//! `lanekem-speed`: how much ML-KEM can this machine do?

mod check;
mod cli;
mod cpu;
mod measure;
mod report;

use chacha20::ChaCha12Rng;
use check::RUNS;
use cli::{Options, Set, Stop};
use lanekem::{Backend, MlKem512, MlKem768, MlKem1024, ParameterSet};
use measure::{Bench, Op};
use rand_core::SeedableRng;
use report::Report;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Exit status of a request that cannot be met.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let (options, backend) = match cli::parse() {
        Ok(request) => request,
        Err(Stop::Help(text)) => text.exit(),
        Err(Stop::Wrong(line)) => return fail(USAGE, &line),
    };
    if let Err(error) = backend.force() {
        return fail(USAGE, &format!("{backend}: {error}"));
    }
    match run(&options, backend) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => fail(1, &format!("standard output: {error}")),
        Err(Failure::Random(error)) => fail(1, &format!("the system's random numbers: {error}")),
        Err(Failure::Wrong(set)) => {
            fail(1, &format!("{set}, backend {backend}: WRONG RESULTS, no figures"))
        }
    }
}

fn fail(status: u8, line: &str) -> ExitCode {
    eprintln!("lanekem-speed: {line}");
    ExitCode::from(status)
}

enum Failure {
    Output(io::Error),
    Random(getrandom::Error),
    /// The known answer of this parameter set was missed.
    Wrong(&'static str),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

fn run(options: &Options, backend: Backend) -> Result<(), Failure> {
    let mut rng = ChaCha12Rng::try_from_rng(&mut getrandom::SysRng).map_err(Failure::Random)?;
    let out = io::stdout().lock();
    let mut report = Report { out, format: options.format, cpu: cpu::name(), backend };
    report.start()?;
    check::<MlKem512>(options, Set::MlKem512)?;
    check::<MlKem768>(options, Set::MlKem768)?;
    check::<MlKem1024>(options, Set::MlKem1024)?;
    report.checked(RUNS)?;
    measure::<MlKem512>(options, Set::MlKem512, &mut rng, &mut report)?;
    measure::<MlKem768>(options, Set::MlKem768, &mut rng, &mut report)?;
    measure::<MlKem1024>(options, Set::MlKem1024, &mut rng, &mut report)
}

fn check<P: ParameterSet>(options: &Options, set: Set) -> Result<(), Failure> {
    if options.set.includes(set) && !check::passes::<P>() {
        return Err(Failure::Wrong(P::NAME));
    }
    Ok(())
}

fn measure<P: ParameterSet>(
    options: &Options,
    set: Set,
    rng: &mut ChaCha12Rng,
    report: &mut Report<impl Write>,
) -> Result<(), Failure> {
    if !options.set.includes(set) {
        return Ok(());
    }
    let mut bench = Bench::<P>::new(ChaCha12Rng::from_rng(rng));
    let figures = Op::ALL.into_iter().map(|op| (op, bench.figure(op, options.seconds)));
    Ok(report.set(256 * P::K as u32, figures)?)
}
