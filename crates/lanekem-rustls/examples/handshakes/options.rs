//! The command line.

use clap::{Parser, ValueEnum};
use std::fmt;
use std::time::Duration;

/// What ML-KEM costs a TLS 1.3 handshake.
///
/// Full handshakes of rustls with rustls: no resumption, no tickets, one certificate signed by one root.
/// All rows of a provider share its classical groups, ciphers and signatures. Rows are taken in turn, a
/// few handshakes each, so that what disturbs the machine disturbs all.
#[derive(Parser, Debug)]
#[command(name = "handshakes", version)]
pub(crate) struct Options {
    /// Handshakes measured of each row, on one core and again on all
    #[arg(long, default_value = "2000", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub(crate) count: u32,

    /// Through memory, or over loopback
    #[arg(long, value_enum, default_value_t = Over::Memory)]
    pub(crate) over: Over,

    /// Delay of each direction, in milliseconds (with --over tcp)
    #[arg(long, value_name = "MS", default_value = "0", value_parser = delay)]
    pub(crate) delay_ms: Delay,

    /// Keys of the certificates: ECDSA P-256, RSA-2048
    #[arg(long, value_enum, default_value_t = Certs::Ecdsa)]
    pub(crate) cert: Certs,

    /// A table to read, one JSON object a line, or one file with figures
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,

    /// Only rows that have all these words, such as "x25519mlkem768 lanekem"; may be given several times
    #[arg(long, value_name = "WORDS")]
    pub(crate) filter: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Over {
    Memory,
    Tcp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Certs {
    Ecdsa,
    Rsa,
    Both,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Table,
    Json,
    Html,
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::Tcp => "tcp",
        })
    }
}

/// The milliseconds that each direction is delayed by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Delay(pub(crate) f64);

impl Delay {
    pub(crate) fn duration(self) -> Duration {
        Duration::from_secs_f64(self.0 / 1000.0)
    }

    pub(crate) fn is_none(self) -> bool {
        self.duration().is_zero()
    }
}

fn delay(text: &str) -> Result<Delay, String> {
    match text.parse() {
        Ok(ms) if (0.0..=10_000.0).contains(&ms) => Ok(Delay(ms)),
        Ok(_) => Err("not in 0 to 10000 milliseconds".into()),
        Err(_) => Err("not a number".into()),
    }
}

/// What to do instead of measuring.
pub(crate) enum Stop {
    /// The text of `--help` or `--version`, with its own way out.
    Help(clap::Error),
    /// One line that says what is wrong with the request.
    Wrong(String),
}

pub(crate) fn parse() -> Result<Options, Stop> {
    let options = Options::try_parse().map_err(|error| {
        if error.use_stderr() { Stop::Wrong(one_line(&error)) } else { Stop::Help(error) }
    })?;
    if options.over == Over::Memory && !options.delay_ms.is_none() {
        return Err(Stop::Wrong("--delay-ms: only with --over tcp".into()));
    }
    Ok(options)
}

/// The first paragraph of a message of clap: what is wrong, without tips and usage.
fn one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let line = lines.collect::<Vec<_>>().join(" ");
    line.trim_start_matches("error: ").to_owned()
}
