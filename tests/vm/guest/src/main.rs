//! Runs in the emulator that `../machine.sh` starts.
//!
//! - `backends NAME`: the best backend must be NAME, and forcing a better one an error.
//! - `count NAME...`: on these backends, the number of retired instructions of an operation must not
//!   depend on secrets.
//! - `cost NAME...`: that number as a table, for single calls and for a key of a batch.

mod backends;
mod constant;
mod cost;
mod inputs;
mod instructions;

use lanekem::Backend;
use std::process::ExitCode;

fn named(names: &[String]) -> impl Iterator<Item = Backend> {
    names.iter().map(|name| {
        let backend: Backend = name.parse().expect("a backend");
        backend.force().expect("an available backend");
        backend
    })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, names)) = arguments.split_first().filter(|(_, names)| !names.is_empty())
    else {
        panic!("usage: lanekem-guest backends|count|cost NAME...");
    };
    let ok = match &command[..] {
        "backends" => backends::best_is(&names[0]),
        // Every line, whatever the ones before it showed.
        "count" => named(names).fold(true, |ok, backend| constant::check(backend) & ok),
        "cost" => {
            cost::report(named(names));
            true
        }
        other => panic!("unknown command {other}"),
    };
    if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
