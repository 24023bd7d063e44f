//! The figures as one file for a browser: percentile curves, and the table.

use crate::certs::Kind;
use crate::measure::{Figures, quantile_us};
use crate::options::Options;
use crate::report::{HEADS, TEXTS, lines, notes, title};
use crate::rows::{Label, Pooled};
use plotters::prelude::*;
use std::error::Error;
use std::fmt::Write;

const SIZE: (u32, u32) = (720, 340);
/// Figures end at so many times the 90th percentile: the last few handshakes may have met another process.
const HIGHEST: f64 = 1.5;
/// Told apart with every kind of colour vision (Okabe and Ito); the row without ML-KEM is black.
const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
];

/// Rows that are worth comparing.
struct Figure {
    title: &'static str,
    has: fn(&Label) -> bool,
}

const FIGURES: [Figure; 7] = [
    Figure {
        title: "X25519 alone and with ML-KEM-768",
        has: |row| unpooled(row, &["X25519", "X25519MLKEM768"]),
    },
    Figure {
        title: "P-256 alone and with ML-KEM-768",
        has: |row| unpooled(row, &["P-256", "SecP256r1MLKEM768"]),
    },
    Figure {
        title: "P-384 alone and with ML-KEM-1024",
        has: |row| unpooled(row, &["P-384", "SecP384r1MLKEM1024"]),
    },
    Figure {
        title: "ML-KEM alone beside X25519",
        has: |row| unpooled(row, &["X25519", "MLKEM512", "MLKEM768", "MLKEM1024"]),
    },
    Figure {
        title: "X25519MLKEM768 with pools of key pairs",
        has: |row| {
            row.provider == "aws-lc-rs"
                && (row.group == "X25519" || row.group == "X25519MLKEM768" && row.by == "lanekem")
        },
    },
    Figure {
        title: "One-time KEMs in the place of ML-KEM",
        has: |row| {
            unpooled(row, &["X25519MLKEM768", "X25519+T_H-768", "MLKEM768", "T_H-768", "T_CH-768"])
                && row.by == "lanekem"
        },
    },
    Figure { title: "Over graviola’s provider", has: |row| row.provider == "graviola" },
];

fn unpooled(row: &Label, groups: &[&str]) -> bool {
    row.provider == "aws-lc-rs" && row.pool == Pooled::None && groups.contains(&row.group)
}

pub(crate) fn page(figures: &[Figures], options: &Options) -> Result<String, Box<dyn Error>> {
    let mut page = String::new();
    let title = title(options);
    write!(page, "{HEAD}<title>{title}</title>\n<h1>{title}</h1>\n<div class=\"figures\">\n")?;
    for cert in [Kind::Ecdsa, Kind::Rsa] {
        for Figure { title, has } in FIGURES {
            let rows = figures.iter().filter(|row| row.label.cert == cert && has(&row.label));
            let curves: Vec<_> = rows.map(Curve::new).collect();
            // A curve by itself compares nothing; the table has its figures.
            if curves.len() > 1 {
                let key = match cert {
                    Kind::Ecdsa => "ECDSA P-256",
                    Kind::Rsa => "RSA-2048",
                };
                figure(&mut page, &format!("{title} (certificate: {key})"), &curves)?;
            }
        }
    }
    page.push_str("</div>\n");
    writeln!(
        page,
        "<p>Curves end where they leave their figure, at {HIGHEST} times the highest p90.</p>"
    )?;
    table(&mut page, figures, options)?;
    for note in notes(options) {
        writeln!(page, "<p>{note}</p>")?;
    }
    Ok(page)
}

/// A row's latency in percentiles 0 to 99.
struct Curve {
    name: String,
    classical: bool,
    points: Vec<(f64, f64)>,
}

impl Curve {
    fn new(figures: &Figures) -> Self {
        let label = &figures.label;
        let pool = match label.pool {
            Pooled::None => "",
            Pooled::Inline => ", inline pool",
            Pooled::Filler => ", pool and filler",
        };
        let percentile =
            |p: u32| (f64::from(p), quantile_us(&figures.latency, f64::from(p) / 100.0));
        Self {
            name: format!("{}, {}{pool}", label.group, label.by),
            classical: label.is_classical(),
            points: (0..=99).map(percentile).collect(),
        }
    }
}

fn figure(page: &mut String, title: &str, curves: &[Curve]) -> Result<(), Box<dyn Error>> {
    let mut svg = String::new();
    let colours = draw(&mut svg, curves)?;
    write!(page, "<figure>\n<figcaption>{title}</figcaption>\n{svg}\n<ul>\n")?;
    for (Curve { name, .. }, RGBColor(r, g, b)) in curves.iter().zip(colours) {
        writeln!(page, "<li><i style=\"background: rgb({r} {g} {b})\"></i>{name}</li>")?;
    }
    page.push_str("</ul>\n</figure>\n");
    Ok(())
}

/// Draws the curves and says which colour each has. The legend is the page's: there nothing overlaps.
fn draw(svg: &mut String, curves: &[Curve]) -> Result<Vec<RGBColor>, Box<dyn Error>> {
    let at = |percentile: usize| curves.iter().map(move |curve| curve.points[percentile].1);
    let low = at(0).fold(f64::MAX, f64::min);
    let high = at(99).fold(0.0, f64::max).min(HIGHEST * at(90).fold(0.0, f64::max));
    let margin = (high - low).max(1.0) * 0.06;
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(72)
        .build_cartesian_2d(0.0..100.0, low - margin..high + margin)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .axis_style(BLACK.mix(0.5))
        .x_labels(11)
        .x_label_formatter(&|p| format!("p{p:.0}"))
        .y_labels(7)
        .y_label_formatter(&|us| format!("{us:.0}"))
        .x_desc("percentile of the handshakes")
        .y_desc("latency in µs")
        .label_style(("sans-serif", 13))
        .axis_desc_style(("sans-serif", 14))
        .draw()?;
    let mut palette = COLOURS.into_iter().cycle();
    let mut colours = Vec::new();
    for curve in curves {
        let colour = match curve.classical {
            true => BLACK,
            false => palette.next().unwrap_or(BLACK),
        };
        let points = curve.points.iter().copied().take_while(|point| point.1 <= high);
        chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
        colours.push(colour);
    }
    root.present()?;
    Ok(colours)
}

fn table(page: &mut String, figures: &[Figures], options: &Options) -> Result<(), Box<dyn Error>> {
    page.push_str("<div class=\"table\"><table>\n<thead><tr>");
    for head in HEADS {
        write!(page, "<th>{head}</th>")?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for line in lines(figures, options) {
        page.push_str("<tr>");
        for (column, cell) in line.cells().into_iter().enumerate() {
            let class = if column < TEXTS { " class=\"text\"" } else { "" };
            write!(page, "<td{class}>{cell}</td>")?;
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table></div>\n");
    Ok(())
}

const HEAD: &str = r##"<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff; max-width: 1500px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.3em }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 600px), 1fr)); gap: 1.5em }
figure { margin: 0; border: 1px solid #ddd; border-radius: 6px; padding: 1em }
figcaption { font-weight: 600 }
svg { width: 100%; height: auto }
ul { list-style: none; margin: 0; padding: 0 0 0 1em; display: flex; flex-wrap: wrap; gap: 0 2em; white-space: nowrap }
i { display: inline-block; width: 1.5em; height: 3px; margin-right: .6em; vertical-align: middle }
.table { overflow-x: auto; margin: 2em 0 1em }
table { border-collapse: collapse; font-size: .87em; font-variant-numeric: tabular-nums; white-space: nowrap }
th, td { padding: .25em .7em; text-align: right; border-bottom: 1px solid #e5e5e5 }
th:nth-child(-n + 4), .text { text-align: left }
tbody tr:hover { background: #f4f6f8 }
p { margin: .2em 0 }
</style>
"##;
