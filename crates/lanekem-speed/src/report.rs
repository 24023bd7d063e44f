//! Results on standard output: a table for each set as it is done, or one JSON object a line.

use crate::cli::Format;
use crate::measure::{Figure, Op};
use comfy_table::{CellAlignment, Table, presets};
use lanekem::Backend;
use serde::Serialize;
use std::io::{self, Write};

/// One line of JSON. `ops_per_s` and `ns_per_op` are those of the best sample; per key in a batch.
#[derive(Serialize)]
struct Line<'a> {
    cpu: &'a str,
    backend: &'static str,
    set: u32,
    op: &'static str,
    ops_per_s: f64,
    ns_per_op: f64,
    ns_per_op_median: f64,
}

pub(crate) struct Report<W: Write> {
    pub(crate) out: W,
    pub(crate) format: Format,
    pub(crate) cpu: String,
    pub(crate) backend: Backend,
}

impl<W: Write> Report<W> {
    pub(crate) fn start(&mut self) -> io::Result<()> {
        if self.format == Format::Table {
            let available: Vec<_> = Backend::available().map(Backend::name).collect();
            writeln!(self.out, "CPU      {}", self.cpu)?;
            writeln!(self.out, "backend  {} (available: {})", self.backend, available.join(", "))?;
        }
        self.out.flush()
    }

    /// The check against known answers, which all the sets passed.
    pub(crate) fn checked(&mut self, runs: usize) -> io::Result<()> {
        if self.format == Format::Table {
            writeln!(self.out, "check    known answers of {runs} runs: ok, single and batch")?;
        }
        self.out.flush()
    }

    /// The figures of one set, each printed when it is there (JSON) or all together.
    pub(crate) fn set(
        &mut self,
        set: u32,
        figures: impl Iterator<Item = (Op, Figure)>,
    ) -> io::Result<()> {
        match self.format {
            Format::Json => self.lines(set, figures)?,
            Format::Table => self.table(set, figures)?,
        }
        self.out.flush()
    }

    fn lines(&mut self, set: u32, figures: impl Iterator<Item = (Op, Figure)>) -> io::Result<()> {
        for (op, figure) in figures {
            let line = Line {
                cpu: &self.cpu,
                backend: self.backend.name(),
                set,
                op: op.name(),
                ops_per_s: round(figure.per_second()),
                ns_per_op: round(figure.best),
                ns_per_op_median: round(figure.median),
            };
            serde_json::to_writer(&mut self.out, &line)?;
            writeln!(self.out)?;
            self.out.flush()?;
        }
        Ok(())
    }

    fn table(&mut self, set: u32, figures: impl Iterator<Item = (Op, Figure)>) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header([format!("ML-KEM-{set}").as_str(), "ops/s", "µs/op", "median µs/op"]);
        for (op, figure) in figures {
            table.add_row([
                op.title().to_owned(),
                thousands(figure.per_second()),
                format!("{:.2}", figure.best / 1e3),
                format!("{:.2}", figure.median / 1e3),
            ]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(self.out, "\n{}", table.trim_fmt())
    }
}

/// To a tenth: more digits are noise.
fn round(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

/// 1234567.8 as `1,234,568`.
fn thousands(x: f64) -> String {
    let digits = format!("{x:.0}");
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_thousands() {
        let cases = [
            (0.4, "0"),
            (999.0, "999"),
            (1000.0, "1,000"),
            (12345.6, "12,346"),
            (1_234_567.0, "1,234,567"),
        ];
        for (x, expected) in cases {
            assert_eq!(thousands(x), expected);
        }
    }
}
