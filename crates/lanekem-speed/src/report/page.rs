//! The page: one file, nothing to load.

use super::matrix::{BATCHES, Measured, OPS, batch, single};
use super::plots::{self, BLUE, REST, of_backend, of_op};
use crate::cpu;
use crate::output::table::{cells, thousands};
use crate::result::{Document, Figures};
use crate::test::Test;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use plotters::style::RGBColor;

const STYLE: &str = include_str!("page.css");

pub(super) fn page(measured: &Measured) -> Markup {
    let documents: Vec<_> = measured.backends.iter().map(|(_, document, _)| document).collect();
    let title = "lanekem-speed: ML-KEM on this machine";
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "How much ML-KEM can this machine do?" }
                @if let Some(document) = documents.first() { (machine(document)) }
                (summary(measured))
                (sections(measured))
                (figures(&documents))
                (data(&documents))
            }
        }
    }
}

fn machine(document: &Document) -> Markup {
    let machine = &document.machine;
    html! {
        p {
            (machine.cpu) ", " (machine.cpus) " CPUs usable, " (machine.os) " " (machine.arch)
            @if let Some(hz) = machine.tsc_hz { ", TSC " (format!("{:.2} GHz", hz / 1e9)) }
            ". lanekem " (document.lanekem) ", " (document.seconds) " s a test."
            @if document.interrupted { strong { " Ended by Ctrl-C: incomplete." } }
        }
    }
}

/// What one would ask first: the fastest backend, alone, in batches, on all CPUs.
fn summary(measured: &Measured) -> Markup {
    let Some(backend) = measured.fastest() else { return html! {} };
    let longest = BATCHES[BATCHES.len() - 1];
    let all = cpu::count();
    let number = |rate: Option<f64>| rate.map_or_else(String::new, thousands);
    let cell = |test| number(measured.rate(backend, test));
    let peak = |test| number(measured.peak(backend, test));
    html! {
        p { "Rates are those of the median call; of several threads, those of the fastest tenth of the "
            "time. Other work on the machine shows in neither, as long as it leaves some time undisturbed. "
            "Means and tails are in the table at the end." }
        table {
            tr {
                th { (backend) ", operations a second" }
                th { "one call at a time" }
                th { "batches of " (longest) }
                @if all > 1 { th { "one at a time, " (all) " threads" } }
            }
            @for &set in &measured.sets {
                @for op in OPS {
                    tr {
                        td { (set) " " (op.name()) }
                        td { (cell(single(set, op))) }
                        td { (cell(batch(set, op, longest))) }
                        @if all > 1 { td { (peak(Test { threads: all, ..single(set, op) })) } }
                    }
                }
            }
        }
    }
}

fn sections(measured: &Measured) -> Markup {
    let backends: Vec<_> =
        measured.backends.iter().rev().map(|&(b, ..)| (of_backend(b), b.name())).collect();
    let ops = OPS.map(|op| (of_op(op), op.name()));
    html! {
        h2 { "Throughput by backend" }
        p { "Operations a second of one thread, one call at a time. "
            "server: parses a key, encapsulates; client: makes a key, decapsulates." }
        @for &set in &measured.sets {
            h3 { (set) }
            (PreEscaped(plots::throughput(measured, set)))
        }
        h2 { "Gain of batches" }
        p { "Throughput of batch calls with so many keys, against single calls of the same backend." }
        (legend(&backends))
        @for &set in &measured.sets {
            h3 { (set) }
            (PreEscaped(plots::batches(measured, set)))
        }
        @if let Some(scaling) = plots::scaling(measured) {
            h2 { "Scaling by threads" }
            p { "One call at a time on each thread, fastest backend; dashed: as many times as threads." }
            (legend(&ops))
            (PreEscaped(scaling))
        }
        h2 { "Share of Keccak" }
        p { "Nanoseconds of one operation. Keccak: calls of the permutation times what a call costs "
            "by itself; absorbing, sampling and all arithmetic are in the rest." }
        (legend(&[(BLUE, "Keccak"), (REST, "the rest")]))
        @for &set in &measured.sets {
            h3 { (set) }
            (PreEscaped(plots::keccak(measured, set)))
        }
    }
}

fn legend(entries: &[(RGBColor, &str)]) -> Markup {
    html! {
        p.legend {
            @for (RGBColor(r, g, b), name) in entries {
                span { i style=(format!("background:rgb({r},{g},{b})")) {} (name) }
            }
        }
    }
}

/// Every figure.
fn figures(documents: &[&Document]) -> Markup {
    let header = [
        "backend",
        "set",
        "operation",
        "threads",
        "ops/s",
        "min",
        "max",
        "noise",
        "ns/op",
        "TSC cycles",
        "p50 µs",
        "p99 µs",
        "p99.9 µs",
    ];
    html! {
        h2 { "All figures" }
        details {
            summary { "Table of every test" }
            table {
                tr { @for name in header { th { (name) } } }
                @for document in documents {
                    @for figures in &document.results { (row(&document.backend, figures)) }
                }
            }
        }
    }
}

fn row(backend: &str, figures: &Figures) -> Markup {
    html! {
        tr {
            td { (backend) }
            td { (u32::from(figures.test.set)) }
            @for cell in cells(figures) { td { (cell) } }
        }
    }
}

/// The same for programs, in the form of `--save`, a document a backend.
fn data(documents: &[&Document]) -> Markup {
    let json = serde_json::to_string(documents).expect("documents are plain data");
    html! {
        script type="application/json" id="results" { (PreEscaped(json.replace("</", "<\\/"))) }
    }
}
