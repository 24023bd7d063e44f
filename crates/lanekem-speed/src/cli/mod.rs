//! The command line and the environment.

mod values;

use crate::test::{Mode, Op, Set};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use lanekem::Backend;
use std::env;
use std::path::PathBuf;
use values::{Choice, Names, batch, choice, fraction, from_environment, names, seconds, threads};

pub(crate) use values::chosen;

/// How much ML-KEM (FIPS 203) this machine can do.
///
/// Without a command and options: checks the library on known answers, then times every operation on
/// one thread. A command other than `run` is named first; `run` may be left out.
#[derive(Parser, Debug)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    after_help = "The environment variable LANEKEM_BACKEND names a backend too; --backend overrides it.\n\
                  Exit status: 0 done, 1 wrong results or a failure, 2 an impossible request, \
                  3 slower than --fail-below allows, 130 ended by Ctrl-C."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Measure (what happens without a command, too)
    Run(RunArgs),
    /// Measure a matrix of backends, sets, batches and threads, and write a page with plots
    Report(ReportArgs),
    /// CPU, its features, the backends they allow, sizes of the keys
    Info {
        /// Form of the output
        #[arg(long, value_enum, default_value_t = InfoFormat::Text)]
        format: InfoFormat,
    },
    /// Check every backend that runs here on known answers
    Selftest,
    /// Print a completion script for a shell
    Completions { shell: Shell },
    /// Print the manual page, of a command if one is named (roff)
    Man {
        #[arg(value_name = "COMMAND")]
        page: Option<String>,
    },
}

#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Operations to measure, separated by commas
    #[arg(long, value_delimiter = ',', value_parser = names::<Op>())]
    pub(crate) op: Vec<Names<Op>>,

    /// Parameter sets
    #[arg(long, value_delimiter = ',', default_value = "all", value_parser = names::<Set>())]
    pub(crate) set: Vec<Names<Set>>,

    /// Ways to make the calls [default: those of single, prepared and batch that fit the operation]
    #[arg(long, value_delimiter = ',', value_parser = names::<Mode>())]
    pub(crate) mode: Vec<Names<Mode>>,

    /// Operations a call, for the modes batch and prepared [default: 64 and 1]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = batch)]
    pub(crate) batch: Vec<usize>,

    /// Threads, or `all` for one a CPU; several are compared with one
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1", value_parser = threads)]
    pub(crate) threads: Vec<usize>,

    /// Time for each test [default: 0.2, with --op or --mode 3]
    #[arg(long, value_parser = seconds)]
    pub(crate) seconds: Option<f64>,

    /// auto (the fastest that runs here) or a backend: portable, avx2, avx512
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = choice)]
    pub(crate) backend: Choice,

    /// Bind each thread to a CPU of its own
    #[arg(long)]
    pub(crate) pin: bool,

    /// Form of the results on standard output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// Keep the results in a file (JSON), for --compare
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) save: Option<PathBuf>,

    /// Compare with results that --save kept
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) compare: Option<PathBuf>,

    /// Exit with status 3 if a test does less than this share of the compared one, noise aside
    #[arg(long, value_name = "RATIO", requires = "compare", value_parser = fraction)]
    pub(crate) fail_below: Option<f64>,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArgs {
    /// The page to write
    #[arg(long, short, value_name = "FILE", default_value = "lanekem-speed.html", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,

    /// Parameter sets
    #[arg(long, value_delimiter = ',', default_value = "all", value_parser = names::<Set>())]
    pub(crate) set: Vec<Names<Set>>,

    /// Time for each test
    #[arg(long, default_value = "0.1", value_parser = seconds)]
    pub(crate) seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables, and a line a second for longer tests
    #[value(alias = "table")]
    Text,
    /// One document, see schema/results.schema.json
    Json,
    /// A line a test, with a header
    Csv,
    /// Tables in Markdown
    Md,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InfoFormat {
    Text,
    Json,
}

/// What to do instead.
pub(crate) enum Stop {
    /// The text of `--help` or `--version`, with its own way out.
    Help(clap::Error),
    /// One line that says what is wrong with the request.
    Wrong(String),
}

pub(crate) fn parse() -> Result<Options, Stop> {
    Options::try_parse().map_err(|error| {
        if error.use_stderr() { Stop::Wrong(one_line(&error)) } else { Stop::Help(error) }
    })
}

/// The clap command, for completions and manual pages.
pub(crate) fn command() -> clap::Command {
    let mut command = Options::command();
    command.build();
    command
}

impl RunArgs {
    /// The backend that the options and the environment ask for.
    pub(crate) fn backend(&self) -> Result<Backend, String> {
        let environment = from_environment(env::var_os("LANEKEM_BACKEND"))?;
        let fastest = || Backend::available().last().unwrap_or(Backend::Portable);
        Ok(match self.backend {
            Choice::Named(backend) => backend,
            Choice::Auto => environment.unwrap_or_else(fastest),
        })
    }
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
    fn command_is_consistent() {
        Options::command().debug_assert();
    }
}
