//! For documents and the summaries of CI.

use super::table::{Style, cells, lines, thousands};
use crate::result::{Document, Figures};
use std::io::{self, Write};

pub(super) fn write(out: &mut impl Write, document: &Document) -> io::Result<()> {
    let Document { machine, backend, lanekem, results, .. } = document;
    writeln!(out, "lanekem {lanekem}, backend {backend}, {}", machine.cpu)?;
    for figures in results.chunk_by(|a, b| a.test.set == b.test.set) {
        writeln!(out, "\n### {}\n", figures[0].test.set)?;
        table(out, figures)?;
    }
    writeln!(
        out,
        "\nns/op of one thread; p50 to p99.9 in µs a call; cycles of the TSC; ± is the noise."
    )
}

fn table(out: &mut impl Write, figures: &[Figures]) -> io::Result<()> {
    let compared = figures.iter().any(|figures| figures.compared.is_some());
    let mut header = vec![
        "",
        "threads",
        "ops/s",
        "min",
        "max",
        "±",
        "ns/op",
        "cycles/op",
        "p50",
        "p99",
        "p99.9",
        "scaling",
    ];
    header.extend(compared.then_some(["before", "change", "verdict"]).into_iter().flatten());
    let rows = figures.iter().map(|figures| {
        let mut row = cells(figures).to_vec();
        row.push(figures.scaling.map_or_else(String::new, |s| format!("{:.2}", s.factor)));
        if let Some(compared) = &figures.compared {
            row.push(thousands(compared.before_ops_per_s));
            row.push(format!("{:+.1}%", 100.0 * (compared.ratio - 1.0)));
            row.push(compared.verdict.name().to_owned());
        }
        row
    });
    lines(Style::Markdown, &header, rows.collect())
        .iter()
        .try_for_each(|line| writeln!(out, "{line}"))
}
