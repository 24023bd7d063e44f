//! What ML-KEM costs a TLS 1.3 handshake: bytes, latency, CPU time and handshakes a second of each group,
//! with and without a pool, beside what aws-lc-rs and graviola have of their own.
//!
//! `cargo run --release -p lanekem-rustls --example handshakes -- --help`

mod certs;
mod graviola;
mod html;
mod measure;
mod memory;
mod options;
mod report;
mod rows;
mod tcp;

use certs::{Identity, Kind};
use options::{Certs, Format, Options, Stop};
use rows::{Label, Row};
use std::error::Error;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

/// Exit status of a request that cannot be met.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let options = match options::parse() {
        Ok(options) => options,
        Err(Stop::Help(text)) => text.exit(),
        Err(Stop::Wrong(line)) => return fail(USAGE, &line),
    };
    let kinds = match options.cert {
        Certs::Ecdsa => vec![Kind::Ecdsa],
        Certs::Rsa => vec![Kind::Rsa],
        Certs::Both => vec![Kind::Ecdsa, Kind::Rsa],
    };
    let labels = match chosen(rows::labels(&kinds), &options.filter) {
        Ok(labels) => labels,
        Err(line) => return fail(USAGE, &line),
    };
    let text = match measured(&kinds, &labels, &options) {
        Ok(text) => text,
        Err(error) => return fail(1, &error.to_string()),
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        // A reader that has seen enough is no failure.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            fail(1, &format!("standard output: {error}"))
        }
        _ => ExitCode::SUCCESS,
    }
}

fn fail(status: u8, line: &str) -> ExitCode {
    eprintln!("handshakes: {line}");
    ExitCode::from(status)
}

/// The rows that at least one filter lets through; all, if there is none.
fn chosen(labels: Vec<Label>, filters: &[String]) -> Result<Vec<Label>, String> {
    if let Some(filter) = filters.iter().find(|f| !labels.iter().any(|label| label.matches(f))) {
        return Err(format!(
            "--filter '{filter}': no row has all these words (group, implementation, provider, pool, certificate)"
        ));
    }
    let through =
        |label: &Label| filters.is_empty() || filters.iter().any(|filter| label.matches(filter));
    Ok(labels.into_iter().filter(through).collect())
}

fn measured(kinds: &[Kind], labels: &[Label], options: &Options) -> Result<String, Box<dyn Error>> {
    let identities =
        kinds.iter().map(|&kind| Identity::new(kind)).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for &label in labels {
        let identity = identities.iter().find(|identity| identity.kind == label.cert);
        rows.push(Row::new(label, identity.ok_or("no certificate")?)?);
    }
    let figures = measure::run(&rows, options)?;
    match options.format {
        Format::Table => Ok(report::table(&figures, options)),
        Format::Json => report::json(&figures, options),
        Format::Html => html::page(&figures, options),
    }
}
