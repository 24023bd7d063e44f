//! Lines over a few numbers, in panels side by side.

use super::bars::DrawingError;
use plotters::coord::Shift;
use plotters::prelude::*;

pub(super) struct Line {
    pub(super) colour: RGBColor,
    /// A value for each number on the x axis, from the first on.
    pub(super) values: Vec<f64>,
}

pub(super) struct Panel {
    pub(super) title: String,
    pub(super) lines: Vec<Line>,
    /// A line to compare with.
    pub(super) ideal: Option<Vec<f64>>,
}

/// What the axes say.
pub(super) struct Axes<'a> {
    pub(super) numbers: &'a [usize],
    pub(super) x: &'a str,
    pub(super) y: &'a str,
}

const SIZE: (u32, u32) = (300, 260);

/// The panels as an SVG, all with the same y axis. There are at least two numbers.
pub(super) fn svg(axes: &Axes<'_>, panels: &[Panel]) -> String {
    let values = panels.iter().flat_map(|panel| &panel.lines).flat_map(|line| &line.values);
    let ideal = panels.iter().filter_map(|panel| panel.ideal.as_ref()).flatten();
    let top = values.chain(ideal).copied().fold(0.0, f64::max) * 1.08;
    let mut text = String::new();
    {
        let count = panels.len().max(1);
        let area =
            SVGBackend::with_string(&mut text, (SIZE.0 * count as u32, SIZE.1)).into_drawing_area();
        for (area, panel) in area.split_evenly((1, count)).iter().zip(panels) {
            draw(area, axes, panel, top).expect("drawing into a string succeeds");
        }
        area.present().expect("drawing into a string succeeds");
    }
    text
}

fn draw<D: DrawingBackend>(
    area: &DrawingArea<D, Shift>,
    axes: &Axes<'_>,
    panel: &Panel,
    top: f64,
) -> Result<(), DrawingError<D::ErrorType>> {
    let last = axes.numbers.len() as i32 - 1;
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .margin_right(18)
        .x_label_area_size(36)
        .y_label_area_size(46)
        .caption(&panel.title, ("sans-serif", 15).into_font().style(FontStyle::Bold))
        .build_cartesian_2d(0..last, 0.0..top)?;
    let number = |i: &i32| axes.numbers.get(*i as usize).map_or(String::new(), usize::to_string);
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .x_labels(axes.numbers.len())
        .x_label_formatter(&number)
        .y_labels(6)
        .y_label_formatter(&|y| format!("{y:.1}"))
        .label_style(("sans-serif", 12))
        .axis_desc_style(("sans-serif", 13))
        .x_desc(axes.x)
        .y_desc(axes.y)
        .draw()?;
    let points = |values: &[f64]| (0..).zip(values.iter().copied()).collect::<Vec<(i32, f64)>>();
    if let Some(ideal) = &panel.ideal {
        chart.draw_series(DashedLineSeries::new(points(ideal), 4, 4, BLACK.mix(0.5).into()))?;
    }
    for line in &panel.lines {
        let points = points(&line.values);
        let dots: Vec<_> =
            points.iter().map(|&point| Circle::new(point, 3, line.colour.filled())).collect();
        chart.draw_series(LineSeries::new(points, line.colour.stroke_width(2)))?;
        chart.draw_series(dots)?;
    }
    Ok(())
}
