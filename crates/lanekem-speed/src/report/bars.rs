//! Horizontal bars in groups, with their numbers beside them.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub(super) struct Bar {
    pub(super) label: String,
    /// Lengths and colours, from the left.
    pub(super) segments: Vec<(f64, RGBColor)>,
    /// Beside the end.
    pub(super) text: String,
}

pub(super) struct Group {
    pub(super) title: String,
    pub(super) bars: Vec<Bar>,
}

const WIDTH: i32 = 860;
/// Where bars begin, and where the longest ends.
const BARS: (i32, i32) = (190, 640);
const TITLE_AT: i32 = 4;
const HEIGHT: i32 = 20;
const GAP: i32 = 12;

pub(super) type DrawingError<E> = DrawingAreaErrorKind<E>;

/// Bars as an SVG, all to one scale.
pub(super) fn svg(groups: &[Group]) -> String {
    let rows: usize = groups.iter().map(|group| group.bars.len()).sum();
    let height = rows as i32 * HEIGHT + groups.len() as i32 * GAP;
    let mut text = String::new();
    {
        let size = (WIDTH as u32, height.max(1) as u32);
        let area = SVGBackend::with_string(&mut text, size).into_drawing_area();
        draw(&area, groups).expect("drawing into a string succeeds");
        area.present().expect("drawing into a string succeeds");
    }
    text
}

fn draw<D: DrawingBackend>(
    area: &DrawingArea<D, Shift>,
    groups: &[Group],
) -> Result<(), DrawingError<D::ErrorType>> {
    let total = |bar: &Bar| bar.segments.iter().map(|segment| segment.0).sum::<f64>();
    let longest = groups.iter().flat_map(|group| &group.bars).map(total).fold(0.0, f64::max);
    let scale = f64::from(BARS.1 - BARS.0) / longest.max(f64::MIN_POSITIVE);
    let middle = |h| Pos::new(h, VPos::Center);
    let font = |size| ("sans-serif", size).into_font();
    let left = TextStyle::from(font(13)).pos(middle(HPos::Left));
    let right = TextStyle::from(font(13)).pos(middle(HPos::Right));
    let bold = TextStyle::from(font(14).style(FontStyle::Bold)).pos(middle(HPos::Left));
    let mut top = GAP / 2;
    for group in groups {
        for (i, bar) in group.bars.iter().enumerate() {
            let center = top + HEIGHT / 2;
            if i == 0 {
                area.draw_text(&group.title, &bold, (TITLE_AT, center))?;
            }
            area.draw_text(&bar.label, &right, (BARS.0 - 8, center))?;
            let mut sum = 0.0;
            for &(length, colour) in &bar.segments {
                let x = |length: f64| BARS.0 + (length * scale).round() as i32;
                let corners = [(x(sum), top + 2), (x(sum + length), top + HEIGHT - 2)];
                area.draw(&Rectangle::new(corners, colour.filled()))?;
                sum += length;
            }
            let end = BARS.0 + (sum * scale).round() as i32;
            area.draw_text(&bar.text, &left, (end + 6, center))?;
            top += HEIGHT;
        }
        top += GAP;
    }
    Ok(())
}
