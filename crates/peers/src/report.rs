//! What was measured, as tables or as lines of JSON.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, Table, presets};
use peer_worker::Figure;
use serde_json::json;

use crate::peers::LANEKEM;

/// One figure of one peer.
pub struct Series {
    peer: String,
    figure: Figure,
    min: f64,
    median: f64,
    samples: usize,
}

impl Series {
    /// Of at least one sample.
    pub fn new(peer: &str, figure: &Figure, samples: &[f64]) -> Self {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            peer: peer.to_owned(),
            figure: figure.clone(),
            min: sorted[0],
            median: sorted[sorted.len() / 2],
            samples: sorted.len(),
        }
    }

    /// Started from bytes without the checks that the operation is to include.
    fn unchecked(&self) -> bool {
        let from_bytes = self.figure.op.contains("parse_") || self.figure.op == "server";
        from_bytes && !self.figure.checks
    }
}

pub struct Report {
    pub series: Vec<Series>,
    pub missing: BTreeMap<String, String>,
    pub notes: BTreeMap<String, String>,
    pub versions: BTreeMap<String, String>,
    pub core: usize,
}

impl Report {
    pub fn json(&self) {
        println!(
            "{}",
            json!({
                "cpu": cpu(), "rustc": rustc(), "core": self.core, "versions": self.versions, "notes": self.notes,
            })
        );
        for s in &self.series {
            let Figure { set, op, rng, checks, batch } = &s.figure;
            println!(
                "{}",
                json!({
                    "peer": s.peer, "set": set, "op": op, "min_ns": round(s.min), "median_ns": round(s.median),
                    "rng": rng, "checks": checks, "batch": batch, "samples": s.samples,
                })
            );
        }
        for (peer, why) in &self.missing {
            println!("{}", json!({ "peer": peer, "missing": why }));
        }
    }

    pub fn table(&self) {
        println!("{}, core {}; {}", cpu(), self.core, rustc());
        for (peer, version) in &self.versions {
            match (self.missing.get(peer), self.notes.get(peer)) {
                (Some(why), _) => println!("  {peer} {version}: MISSING: {why}"),
                (None, Some(note)) => println!("  {peer} {version}: {note}"),
                (None, None) => println!("  {peer} {version}"),
            }
        }
        let samples = self.series.iter().map(|s| s.samples).max().unwrap_or(0);
        println!(
            "Microseconds per operation, the minimum of {samples} samples of about 1 ms each."
        );
        println!(
            "* starts from bytes without the checks of FIPS 203 §7.2 or §7.3; never the best peer."
        );
        let mut sets: Vec<u16> = self.series.iter().map(|s| s.figure.set).collect();
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            println!("\nML-KEM-{set}\n{}", self.set_table(set));
        }
    }

    fn set_table(&self, set: u16) -> Table {
        let in_set: Vec<&Series> = self.series.iter().filter(|s| s.figure.set == set).collect();
        let peers = distinct(in_set.iter().map(|s| s.peer.as_str()));
        let rows = distinct(in_set.iter().map(|s| (s.figure.op.as_str(), s.figure.rng)));

        let mut table = Table::new();
        table.load_preset(presets::ASCII_MARKDOWN);
        let mut header = vec![""];
        header.extend(&peers);
        header.push("best peer ÷ lanekem");
        table.set_header(header);
        for (op, rng) in rows {
            let row: Vec<&&Series> = in_set
                .iter()
                .filter(|s| (s.figure.op.as_str(), s.figure.rng) == (op, rng))
                .collect();
            let mut cells = vec![if rng { format!("{op} +RNG") } else { op.to_owned() }];
            cells.extend(peers.iter().map(|peer| match row.iter().find(|s| s.peer == *peer) {
                Some(s) => format!("{:.2}{}", s.min / 1000.0, if s.unchecked() { "*" } else { "" }),
                None => String::new(),
            }));
            cells.push(ratio(&in_set, &row));
            table.add_row(cells);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

/// The fastest other library's single operation against lanekem as it runs by default, or else on the
/// first backend measured.
fn ratio(in_set: &[&Series], row: &[&&Series]) -> String {
    let by_name = |name: &str| row.iter().find(|s| s.peer == name);
    let Some(ours) = by_name(LANEKEM).or(row.iter().find(|s| s.peer.starts_with(LANEKEM))) else {
        return String::new();
    };
    let (op, rng) = (ours.figure.op.as_str(), ours.figure.rng);
    let single = op.split("_batch").next().and_then(|op| op.split("_many").next()).unwrap_or(op);
    let theirs = in_set
        .iter()
        .filter(|s| (s.figure.op.as_str(), s.figure.rng) == (single, rng))
        .filter(|s| !s.peer.starts_with(LANEKEM) && !s.unchecked())
        .min_by(|a, b| a.min.total_cmp(&b.min));
    match theirs {
        Some(theirs) => format!("{:.2} ({})", theirs.min / ours.min, theirs.peer),
        None => String::new(),
    }
}

/// In order of first appearance.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    items.fold(Vec::new(), |mut seen, item| {
        if !seen.contains(&item) {
            seen.push(item);
        }
        seen
    })
}

/// To a tenth of a nanosecond.
fn round(ns: f64) -> f64 {
    (ns * 10.0).round() / 10.0
}

/// The name may be masked in a virtual machine, so family and model stand beside it.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line =
            info.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| Some(line.split_once(':')?.1.trim()))
    };
    match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => {
            format!("{name} (family {family}, model {model})")
        }
        _ => format!("unknown {} CPU", std::env::consts::ARCH),
    }
}

fn rustc() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    match std::process::Command::new(rustc).arg("--version").output() {
        Ok(out) => String::from_utf8_lossy(&out.stdout).trim().to_owned(),
        Err(_) => "unknown rustc".to_owned(),
    }
}
