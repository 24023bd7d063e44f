//! For spreadsheets: a header and a line a test.

use crate::result::{Document, Figures};
use std::io::{self, Write};

const HEADER: [&str; 25] = [
    "lanekem",
    "cpu",
    "backend",
    "set",
    "op",
    "mode",
    "batch",
    "threads",
    "operations",
    "elapsed_s",
    "ops_per_s_mean",
    "ops_per_s_min",
    "ops_per_s_max",
    "ops_per_s_median",
    "noise",
    "ns_per_op",
    "tsc_cycles_per_op",
    "latency_ns_p50",
    "latency_ns_p99",
    "latency_ns_p99.9",
    "latency_ns_max",
    "scaling",
    "compared_ops_per_s",
    "compared_ratio",
    "compared_noise",
];

pub(super) fn write(out: &mut impl Write, document: &Document) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(HEADER)?;
    for figures in &document.results {
        csv.write_record(record(document, figures))?;
    }
    csv.flush()
}

fn record(document: &Document, figures: &Figures) -> [String; HEADER.len()] {
    let Figures { test, ops_per_s: rates, latency_ns: latency, .. } = figures;
    let optional = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    let compared = figures.compared.as_ref();
    [
        document.lanekem.clone(),
        document.machine.cpu.clone(),
        document.backend.clone(),
        u32::from(test.set).to_string(),
        test.op.name().to_owned(),
        test.mode.name().to_owned(),
        test.batch.to_string(),
        test.threads.to_string(),
        figures.operations.to_string(),
        figures.elapsed_s.to_string(),
        rates.mean.to_string(),
        rates.min.to_string(),
        rates.max.to_string(),
        rates.median.to_string(),
        rates.noise.to_string(),
        figures.ns_per_op.to_string(),
        optional(figures.tsc_cycles_per_op),
        latency.p50.to_string(),
        latency.p99.to_string(),
        latency.p999.to_string(),
        latency.max.to_string(),
        optional(figures.scaling.map(|scaling| scaling.factor)),
        optional(compared.map(|compared| compared.before_ops_per_s)),
        optional(compared.map(|compared| compared.ratio)),
        optional(compared.map(|compared| compared.noise)),
    ]
}
