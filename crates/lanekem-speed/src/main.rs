//! `lanekem-speed`: how much ML-KEM can this machine do?

mod check;
mod cli;
mod clock;
mod compare;
mod cpu;
mod failure;
mod info;
mod measure;
mod output;
mod report;
mod request;
mod result;
mod run;
mod stop;
mod test;

use clap_complete::Shell;
use cli::{Command, Stop};
use failure::Failure;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let options = match cli::parse() {
        Ok(options) => options,
        Err(Stop::Help(text)) => text.exit(),
        Err(Stop::Wrong(line)) => return fail(&Failure::Usage(line)),
    };
    let done = match &options.command {
        None => run::run(&options.run),
        Some(Command::Run(args)) => run::run(args),
        Some(Command::Report(args)) => report::report(args),
        Some(Command::Info { format }) => info::info(*format),
        Some(Command::Selftest) => check::selftest(),
        Some(Command::Completions { shell }) => completions(*shell),
        Some(Command::Man { page }) => manual(page.as_deref()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    // Nobody may be listening.
    let _ = writeln!(io::stderr(), "lanekem-speed: {failure}");
    ExitCode::from(failure.status())
}

fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = vec![];
    clap_complete::generate(shell, &mut cli::command(), "lanekem-speed", &mut script);
    Ok(io::stdout().write_all(&script)?)
}

fn manual(page: Option<&str>) -> Result<(), Failure> {
    let command = cli::command();
    let command = match page {
        None => &command,
        Some(name) => command
            .find_subcommand(name)
            .ok_or_else(|| Failure::Usage(format!("no command is called {name}")))?,
    };
    let mut text = vec![];
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    Ok(io::stdout().write_all(&text)?)
}
