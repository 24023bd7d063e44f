//! `lanekem-speed run`.

use crate::check::{self, RUNS};
use crate::cli::RunArgs;
use crate::clock::Clock;
use crate::compare::{self, Baseline, Verdict};
use crate::failure::Failure;
use crate::measure::Meter;
use crate::output::Output;
use crate::request::Request;
use crate::result::{Document, Figures};
use crate::stop;
use crate::test::{Set, Test};
use core_affinity::CoreId;
use lanekem::Backend;
use std::io::{self, Write};

pub(crate) fn run(args: &RunArgs) -> Result<(), Failure> {
    let backend = args.backend().map_err(Failure::Usage)?;
    let request = Request::of(args).map_err(Failure::Usage)?;
    let baseline = match &args.compare {
        Some(path) => Some(Baseline::read(path, args.fail_below, &request.tests)),
        None => None,
    };
    let baseline = baseline.transpose().map_err(Failure::Usage)?;
    let cpus = if args.pin { cpus(&request)? } else { vec![] };
    if let Some(path) = &args.save {
        let tried = compare::try_writing(path);
        tried.map_err(|error| Failure::Usage(format!("--save {error}")))?;
    }
    force(backend)?;
    listen()?;

    let clock = Clock::new();
    let mut document = Document::new(&clock, backend, request.seconds);
    let meter = Meter { clock, seconds: request.seconds, cpus };
    let mut output = Output::new(anstream::stdout().lock(), args.format);
    output.start(&document)?;
    for set in Set::ALL {
        if request.tests.iter().any(|test| test.set == set) {
            check::require(backend, set)?;
        }
    }
    output.checked(RUNS)?;
    measure(&meter, &request.tests, baseline.as_ref(), &mut document, &mut output)?;
    document.interrupted = stop::requested();
    if let Some(path) = &args.save {
        let saved = compare::save(path, &document);
        saved.map_err(|error| Failure::File(format!("--save {}: {error}", path.display())))?;
    }
    output.finish(&document, args.compare.as_deref())?;
    verdict(&document)
}

pub(crate) fn force(backend: Backend) -> Result<(), Failure> {
    backend.force().map_err(|error| Failure::Usage(format!("{backend}: {error}")))
}

pub(crate) fn listen() -> Result<(), Failure> {
    stop::listen().map_err(|error| Failure::Usage(format!("Ctrl-C: {error}")))
}

/// A CPU for each thread.
fn cpus(request: &Request) -> Result<Vec<CoreId>, Failure> {
    let cpus = core_affinity::get_core_ids().unwrap_or_default();
    let threads = request.tests.iter().map(|test| test.threads).max().unwrap_or(0);
    if cpus.len() < threads {
        let line = format!("--pin: {threads} threads, CPUs to bind them to: {}", cpus.len());
        return Err(Failure::Usage(line));
    }
    Ok(cpus)
}

/// Measures the tests until they are done or Ctrl-C comes.
fn measure(
    meter: &Meter,
    tests: &[Test],
    baseline: Option<&Baseline>,
    document: &mut Document,
    output: &mut Output<impl Write>,
) -> Result<(), Failure> {
    let mut one_thread: Vec<(Test, f64)> = vec![];
    for &test in tests {
        let alone = Test { threads: 1, ..test };
        let mut known = one_thread.iter().find(|(test, _)| *test == alone).map(|&(_, rate)| rate);
        if test.threads > 1 && known.is_none() {
            let figures = figures(meter, alone, None, |_| Ok(()))?;
            known = figures.map(|figures| figures.ops_per_s.mean);
            one_thread.extend(known.map(|rate| (alone, rate)));
        }
        if stop::requested() {
            break;
        }
        output.begin(&test, document)?;
        let against = known.filter(|_| test.threads > 1);
        let Some(mut figures) = figures(meter, test, against, |ops| output.second(ops))? else {
            break;
        };
        if test.threads == 1 {
            one_thread.push((test, figures.ops_per_s.mean));
        }
        figures.compared = baseline.and_then(|baseline| baseline.compare(&figures));
        output.end(&figures, document)?;
        document.results.push(figures);
    }
    Ok(())
}

/// Figures of one test, if there was time for any.
pub(crate) fn figures(
    meter: &Meter,
    test: Test,
    one_thread: Option<f64>,
    mut second: impl FnMut(f64) -> io::Result<()>,
) -> Result<Option<Figures>, Failure> {
    let mut written = Ok(());
    let sample = meter.sample(test, |operations| {
        if written.is_ok() {
            written = second(operations);
            // Nobody reads on.
            if written.is_err() {
                stop::request();
            }
        }
    })?;
    written?;
    Ok(sample.map(|sample| Figures::of(test, &sample, &meter.clock, one_thread)))
}

/// Whether the run is a success.
fn verdict(document: &Document) -> Result<(), Failure> {
    if document.interrupted {
        return Err(Failure::Interrupted);
    }
    let compared = document.results.iter().filter_map(|figures| figures.compared.as_ref());
    match compared.filter(|compared| compared.verdict == Verdict::Failed).count() {
        0 => Ok(()),
        failed => Err(Failure::Slower(failed)),
    }
}
