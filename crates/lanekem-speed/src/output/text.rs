//! For people: tables, and for longer tests a line a second.

use super::table::{BOLD, Style, lines, micro, percent, print, thousands};
use crate::measure::LIVE;
use crate::result::{Document, Figures};
use crate::test::Test;
use anstyle::{AnsiColor, Style as Colour};
use lanekem::Backend;
use std::io::{self, Write};

pub(super) fn start(out: &mut impl Write, document: &Document) -> io::Result<()> {
    let machine = &document.machine;
    let available: Vec<_> = Backend::available().map(Backend::name).collect();
    write!(out, "CPU      {}, {} usable", machine.cpu, machine.cpus)?;
    match machine.tsc_hz {
        Some(hz) => writeln!(out, ", TSC {:.2} GHz", hz / 1e9)?,
        None => writeln!(out)?,
    }
    writeln!(out, "backend  {} (available: {})", document.backend, available.join(", "))
}

pub(super) fn checked(out: &mut impl Write, runs: usize) -> io::Result<()> {
    writeln!(out, "check    known answers of {runs} runs: ok, single and batch")
}

/// Before the seconds of a longer test.
pub(super) fn begin(out: &mut impl Write, test: &Test, seconds: f64) -> io::Result<()> {
    if seconds < LIVE {
        return Ok(());
    }
    writeln!(out, "\n{BOLD}{test}{BOLD:#}\n{}", test.manner())
}

pub(super) fn second(out: &mut impl Write, operations: f64) -> io::Result<()> {
    writeln!(out, "OPERATIONS/second  {operations:.0}")
}

/// After the seconds of a longer test.
pub(super) fn end(out: &mut impl Write, figures: &Figures, seconds: f64) -> io::Result<()> {
    if seconds < LIVE {
        return Ok(());
    }
    let (rates, latency) = (&figures.ops_per_s, &figures.latency_ns);
    writeln!(
        out,
        "a second: mean {}, min {}, max {}; noise ±{}",
        thousands(rates.mean),
        thousands(rates.min),
        thousands(rates.max),
        percent(rates.noise)
    )?;
    write!(out, "an operation: {} ns", thousands(figures.ns_per_op))?;
    match figures.tsc_cycles_per_op {
        Some(cycles) => writeln!(out, ", {} TSC cycles", thousands(cycles))?,
        None => writeln!(out)?,
    }
    writeln!(
        out,
        "a call: p50 {} µs, p99 {} µs, p99.9 {} µs, max {} µs ({} timed)",
        micro(latency.p50),
        micro(latency.p99),
        micro(latency.p999),
        micro(latency.max),
        thousands(latency.samples as f64)
    )?;
    if let Some(scaling) = figures.scaling {
        writeln!(
            out,
            "scaling: {:.2} times one thread, {:.2} a thread",
            scaling.factor,
            scaling.factor / figures.test.threads as f64
        )?;
    }
    Ok(())
}

/// The figures of one parameter set.
pub(super) fn table(out: &mut impl Write, figures: &[Figures]) -> io::Result<()> {
    let Some(first) = figures.first() else { return Ok(()) };
    let threads = figures.iter().any(|figures| figures.test.threads > 1);
    let cycles = figures.iter().any(|figures| figures.tsc_cycles_per_op.is_some());
    let title = first.test.set.to_string();
    let mut header = vec![&title[..], "ops/s", "max", "±", "ns/op", "p50", "p99", "p99.9"];
    header.extend(cycles.then_some("cycles"));
    header.extend(threads.then_some(["threads", "scaling"]).into_iter().flatten());
    let rows = figures.iter().map(|figures| {
        let (rates, latency) = (&figures.ops_per_s, &figures.latency_ns);
        let mut row = vec![
            figures.test.title(),
            thousands(rates.mean),
            thousands(rates.max),
            percent(rates.noise),
            thousands(figures.ns_per_op),
            micro(latency.p50),
            micro(latency.p99),
            micro(latency.p999),
        ];
        row.extend(cycles.then(|| figures.tsc_cycles_per_op.map_or_else(String::new, thousands)));
        if threads {
            row.push(figures.test.threads.to_string());
            row.push(figures.scaling.map_or_else(String::new, |s| format!("{:.2}", s.factor)));
        }
        row
    });
    writeln!(out)?;
    print(out, &lines(Style::Plain, &header, rows.collect()), |_| Colour::new())
}

/// What the columns are, once below the tables.
pub(super) fn legend(out: &mut impl Write, document: &Document) -> io::Result<()> {
    writeln!(out)?;
    writeln!(out, "ops/s   mean; max: of the fastest second, or tenth of a short test; ±: noise")?;
    writeln!(out, "ns/op   of one thread")?;
    if document.machine.tsc_hz.is_some() {
        writeln!(out, "cycles  of the TSC an operation, not of the core")?;
    }
    writeln!(out, "p50 …   latency in µs of a call, which is that of all keys of a batch")?;
    writeln!(out, "roles   server: parses a key, encapsulates; client: makes a key, decapsulates")
}

/// The figures beside those of the file that they are compared with.
pub(super) fn comparison(out: &mut impl Write, figures: &[Figures]) -> io::Result<()> {
    let compared: Vec<_> =
        figures.iter().filter_map(|f| f.compared.as_ref().map(|c| (f, c))).collect();
    let rows = compared.iter().map(|(figures, compared)| {
        vec![
            figures.test.to_string(),
            thousands(compared.before_ops_per_s),
            thousands(figures.ops_per_s.median),
            format!("{:+.1}%", 100.0 * (compared.ratio - 1.0)),
            percent(compared.noise),
            compared.verdict.name().to_owned(),
        ]
    });
    let header = ["median of ops/s", "before", "now", "change", "noise", "verdict"];
    print(out, &lines(Style::Plain, &header, rows.collect()), |row| {
        let (good, bad) = (AnsiColor::Green.on_default(), AnsiColor::Red.on_default());
        match compared[row].1.ratio {
            _ if !compared[row].1.verdict.differs() => Colour::new(),
            ratio if ratio > 1.0 => good,
            _ => bad,
        }
    })
}
