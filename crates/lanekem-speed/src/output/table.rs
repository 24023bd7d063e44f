//! Tables for terminals and in Markdown.

use crate::result::Figures;
use anstyle::Style as Colour;
use comfy_table::{CellAlignment, Table, presets};
use std::io::{self, Write};

pub(super) const BOLD: Colour = Colour::new().bold();

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Markdown,
}

/// The lines of a table, the first of them the header. Columns of numbers are aligned to the right.
pub(crate) fn lines(style: Style, header: &[&str], rows: Vec<Vec<String>>) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(match style {
        Style::Plain => presets::NOTHING,
        Style::Markdown => presets::ASCII_MARKDOWN,
    });
    table.set_header(header);
    let number = |cell: &str| cell.starts_with(|c: char| c.is_ascii_digit() || "+-".contains(c));
    for (i, column) in table.column_iter_mut().enumerate() {
        if rows.iter().all(|row| row[i].is_empty() || number(&row[i])) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        if style == Style::Plain {
            column.set_padding((0, 2));
        }
    }
    table.add_rows(rows);
    table.to_string().lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Prints a table, the header in bold and each row in its colour.
pub(crate) fn print(
    out: &mut impl Write,
    lines: &[String],
    colour: impl Fn(usize) -> Colour,
) -> io::Result<()> {
    for (i, line) in lines.iter().enumerate() {
        let style = if i == 0 { BOLD } else { colour(i - 1) };
        writeln!(out, "{style}{line}{style:#}")?;
    }
    Ok(())
}

/// A test, its threads, operations a second (mean, minimum, maximum, noise), nanoseconds and cycles an
/// operation, and the latency of a call in µs (p50, p99, p99.9).
pub(crate) fn cells(figures: &Figures) -> [String; 11] {
    let Figures { test, ops_per_s: rates, latency_ns: latency, .. } = figures;
    [
        test.title(),
        test.threads.to_string(),
        thousands(rates.mean),
        thousands(rates.min),
        thousands(rates.max),
        percent(rates.noise),
        thousands(figures.ns_per_op),
        figures.tsc_cycles_per_op.map_or_else(String::new, thousands),
        micro(latency.p50),
        micro(latency.p99),
        micro(latency.p999),
    ]
}

/// 1234567.8 as `1,234,568`.
pub(crate) fn thousands(x: f64) -> String {
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

/// 0.0123 as `1.2%`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// Nanoseconds in µs, with at least three digits.
pub(crate) fn micro(ns: f64) -> String {
    let digits = match ns {
        ..1e5 => 2,
        ..1e6 => 1,
        _ => 0,
    };
    format!("{:.digits$}", ns / 1e3)
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

    #[test]
    fn numbers_are_aligned() {
        let rows =
            || vec![vec!["a".to_owned(), "1".to_owned()], vec!["bcd".to_owned(), "23".to_owned()]];
        let plain = lines(Style::Plain, &["", "x"], rows());
        assert_eq!(plain, ["      x", "a     1", "bcd  23"]);
        let markdown = lines(Style::Markdown, &["", "x"], rows());
        assert_eq!(markdown.len(), 4);
        assert!(markdown.iter().all(|line| line.starts_with('|') && line.ends_with('|')));
    }
}
