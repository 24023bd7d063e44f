//! `lanekem-speed report`: a matrix of tests, and a page with plots of them.

mod bars;
mod keccak;
mod lines;
mod matrix;
mod page;
mod plots;

use crate::check;
use crate::cli::{ReportArgs, chosen};
use crate::clock::Clock;
use crate::compare::try_writing;
use crate::failure::Failure;
use crate::measure::Meter;
use crate::run::{force, listen};
use crate::stop;
use crate::test::Set;
use lanekem::Backend;
use std::fs;
use std::io::{self, Write};

pub(crate) fn report(args: &ReportArgs) -> Result<(), Failure> {
    let path = &args.output;
    try_writing(path).map_err(|error| Failure::Usage(format!("--output {error}")))?;
    listen()?;
    let sets = chosen::<Set>(&args.set);
    for backend in Backend::available() {
        force(backend)?;
        sets.iter().try_for_each(|&set| check::require(backend, set))?;
    }
    let meter = Meter { clock: Clock::new(), seconds: args.seconds, cpus: vec![] };
    let measured = matrix::measure(&meter, &sets)?;
    let page = page::page(&measured).into_string();
    fs::write(path, page)
        .map_err(|error| Failure::File(format!("--output {}: {error}", path.display())))?;
    if stop::requested() {
        return Err(Failure::Interrupted);
    }
    writeln!(io::stdout(), "{}", path.display())?;
    Ok(())
}
