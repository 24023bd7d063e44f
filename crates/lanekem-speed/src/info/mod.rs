//! `lanekem-speed info`: what is there and why a backend was chosen.

mod features;
mod keys;

use crate::cli::InfoFormat;
use crate::clock::Clock;
use crate::failure::Failure;
use crate::output::table::{Style, lines, print, thousands};
use crate::result::Machine;
use anstyle::Style as Colour;
use features::{Feature, State};
use keys::Key;
use lanekem::Backend;
use serde::Serialize;
use std::env;
use std::io::{self, Write};

#[derive(Serialize)]
struct Info {
    lanekem: &'static str,
    machine: Machine,
    /// Family, model, stepping as CPUID gives them.
    family: Option<[u8; 3]>,
    vector_state: Vec<State>,
    features: Vec<Feature>,
    backends: Vec<Available>,
    backend: &'static str,
    /// Why it is that one.
    because: String,
    keys: Vec<Key>,
}

#[derive(Serialize)]
struct Available {
    name: &'static str,
    available: bool,
    /// Features that it needs and that are not usable.
    missing: Vec<&'static str>,
}

impl Info {
    fn collect() -> Self {
        let features = features::features();
        let missing = |backend: Backend| {
            let needed = features.iter().filter(|f| f.needed_by.contains(&backend.name()));
            needed.filter(|feature| !feature.usable).map(|feature| feature.name).collect()
        };
        let backends = Backend::ALL.iter().map(|&backend| Available {
            name: backend.name(),
            available: backend.is_available(),
            missing: missing(backend),
        });
        Self {
            lanekem: env!("CARGO_PKG_VERSION"),
            machine: Machine::here(&Clock::new()),
            family: features::family(),
            vector_state: features::vector_state(),
            backends: backends.collect(),
            features,
            backend: Backend::current().name(),
            because: because(),
            keys: keys::keys(),
        }
    }
}

fn because() -> String {
    let fastest = "it is the fastest that can run here";
    match (Backend::from_env(), env::var_os("LANEKEM_BACKEND")) {
        (Ok(Some(_)), _) => "LANEKEM_BACKEND asks for it".to_owned(),
        (Err(error), Some(name)) => {
            format!("{fastest}; LANEKEM_BACKEND={} is passed over: {error}", name.display())
        }
        _ => fastest.to_owned(),
    }
}

pub(crate) fn info(format: InfoFormat) -> Result<(), Failure> {
    let info = Info::collect();
    let mut out = anstream::stdout().lock();
    match format {
        InfoFormat::Text => text(&mut out, &info)?,
        InfoFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &info).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    Ok(())
}

fn text(out: &mut impl Write, info: &Info) -> io::Result<()> {
    let machine = &info.machine;
    writeln!(out, "lanekem {} on {} {}", info.lanekem, machine.os, machine.arch)?;
    write!(out, "CPU      {}, {} usable", machine.cpu, machine.cpus)?;
    if let Some([family, model, stepping]) = info.family {
        write!(out, "; family {family}, model {model}, stepping {stepping}")?;
    }
    match machine.tsc_hz {
        Some(hz) => writeln!(out, "\nTSC      invariant, {:.3} GHz", hz / 1e9)?,
        None => writeln!(out, "\nTSC      none that keeps time; no cycles are reported")?,
    }
    writeln!(out, "backend  {}: {}\n", info.backend, info.because)?;
    table(out, &["backend", "runs here", "missing"], &info.backends, |backend| {
        vec![backend.name.to_owned(), yes(backend.available), backend.missing.join(" ")]
    })?;
    if !info.vector_state.is_empty() {
        table(
            out,
            &["XCR0 state", "CPU has it", "saved by the OS"],
            &info.vector_state,
            |state| vec![state.name.to_owned(), yes(state.cpu), yes(state.os)],
        )?;
        table(out, &["feature", "CPU has it", "usable", "needed by"], &info.features, |feature| {
            let needed_by = feature.needed_by.join(" ");
            vec![feature.name.to_owned(), yes(feature.cpu), yes(feature.usable), needed_by]
        })?;
    }
    table(out, &["bytes", "set", "encoded", "in memory", "alignment"], &info.keys, |key| {
        vec![
            key.form.to_owned(),
            u32::from(key.set).to_string(),
            thousands(key.encoded as f64),
            thousands(key.memory as f64),
            key.alignment.to_string(),
        ]
    })
}

fn yes(yes: bool) -> String {
    if yes { "yes" } else { "no" }.to_owned()
}

fn table<T>(
    out: &mut impl Write,
    header: &[&str],
    rows: &[T],
    row: impl Fn(&T) -> Vec<String>,
) -> io::Result<()> {
    print(out, &lines(Style::Plain, header, rows.iter().map(row).collect()), |_| Colour::new())?;
    writeln!(out)
}
