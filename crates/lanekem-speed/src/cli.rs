//! The command line and the environment.

use clap::{Parser, ValueEnum};
use lanekem::Backend;
use std::env;
use std::ffi::OsString;
use std::time::Duration;

/// How much ML-KEM (FIPS 203) this machine can do on one core.
///
/// Checks the library on known answers, then times it on one thread. Figures are those of the best
/// sample, as other work on the machine only ever slows one down; the median tells how quiet the
/// machine was.
#[derive(Parser, Debug)]
#[command(
    version,
    after_help = "The environment variable LANEKEM_BACKEND names a backend too; --backend overrides it."
)]
pub(crate) struct Options {
    /// Parameter set to measure
    #[arg(long, value_enum, default_value_t = Set::All)]
    pub(crate) set: Set,

    /// auto (the fastest that runs here) or a backend: portable, avx2, avx512
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = choice)]
    pub(crate) backend: Choice,

    /// Time to spend on each figure
    #[arg(long, default_value = "0.2", value_parser = seconds)]
    pub(crate) seconds: Duration,

    /// A table to read, or one JSON object a line
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Set {
    #[value(name = "512")]
    MlKem512,
    #[value(name = "768")]
    MlKem768,
    #[value(name = "1024")]
    MlKem1024,
    All,
}

impl Set {
    pub(crate) fn includes(self, set: Self) -> bool {
        self == Self::All || self == set
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Auto,
    Named(Backend),
}

/// Bounds of `--seconds`.
const SECONDS: std::ops::RangeInclusive<f64> = 0.001..=600.0;

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if SECONDS.contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(format!("not in {} to {} seconds", SECONDS.start(), SECONDS.end()))
    }
}

fn choice(name: &str) -> Result<Choice, String> {
    if name == "auto" { Ok(Choice::Auto) } else { backend(name).map(Choice::Named) }
}

/// A backend that can run here, by name.
fn backend(name: &str) -> Result<Backend, String> {
    let available = || Backend::available().map(Backend::name).collect::<Vec<_>>().join(", ");
    match name.parse::<Backend>() {
        Ok(backend) if backend.is_available() => Ok(backend),
        Ok(_) => Err(format!("this CPU or this build cannot run it; available: {}", available())),
        Err(error) => Err(format!("{error}; available: {}", available())),
    }
}

/// The backend that `LANEKEM_BACKEND` names, if it is set. The library takes the fastest where the
/// name is wrong; whoever measures wants to be told.
fn from_environment(value: Option<OsString>) -> Result<Option<Backend>, String> {
    match value {
        Some(name) if !name.is_empty() => backend(&name.to_string_lossy())
            .map(Some)
            .map_err(|e| format!("LANEKEM_BACKEND={}: {e}", name.display())),
        _ => Ok(None),
    }
}

/// What to do instead of measuring.
pub(crate) enum Stop {
    /// The text of `--help` or `--version`, with its own way out.
    Help(clap::Error),
    /// One line that says what is wrong with the request.
    Wrong(String),
}

/// The options and the backend that they and the environment ask for.
pub(crate) fn parse() -> Result<(Options, Backend), Stop> {
    let options = Options::try_parse().map_err(|error| {
        if error.use_stderr() { Stop::Wrong(one_line(&error)) } else { Stop::Help(error) }
    })?;
    let environment = from_environment(env::var_os("LANEKEM_BACKEND")).map_err(Stop::Wrong)?;
    let fastest = || Backend::available().last().unwrap_or(Backend::Portable);
    let backend = match options.backend {
        Choice::Named(backend) => backend,
        Choice::Auto => environment.unwrap_or_else(fastest),
    };
    Ok((options, backend))
}

/// The first paragraph of a message of clap: what is wrong, without tips and usage.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_seconds() {
        for good in ["0.001", "1", "600"] {
            assert!(seconds(good).is_ok(), "{good}");
        }
        for bad in ["", "0", "0.0009", "600.1", "-1", "nan", "inf", "1s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn command_is_consistent() {
        <Options as clap::CommandFactory>::command().debug_assert();
    }
}
