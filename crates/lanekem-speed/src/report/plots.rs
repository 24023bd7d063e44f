//! What each plot of the page shows.

use super::bars::{self, Bar, Group};
use super::keccak::{Share, shares};
use super::lines::{self, Axes, Line, Panel};
use super::matrix::{BATCHES, Measured, OPS, batch, single, threads};
use crate::output::table::thousands;
use crate::test::{Op, Set, Test};
use lanekem::Backend;
use plotters::style::RGBColor;

/// Told apart by all kinds of colour vision (Okabe, Ito).
pub(super) const ORANGE: RGBColor = RGBColor(213, 94, 0);
pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const GREEN: RGBColor = RGBColor(0, 158, 115);
const GREY: RGBColor = RGBColor(136, 136, 136);
/// Of what is not Keccak.
pub(super) const REST: RGBColor = RGBColor(190, 205, 220);

pub(super) fn of_backend(backend: Backend) -> RGBColor {
    match backend {
        Backend::Avx512 => ORANGE,
        Backend::Avx2 => BLUE,
        _ => GREY,
    }
}

pub(super) fn of_op(op: Op) -> RGBColor {
    match op {
        Op::Keygen => BLUE,
        Op::Encaps => ORANGE,
        _ => GREEN,
    }
}

/// Operations a second of each backend.
pub(super) fn throughput(measured: &Measured, set: Set) -> String {
    let groups = Op::ALL.map(|op| {
        let bars = measured.backends.iter().rev().filter_map(|&(backend, ..)| {
            let rate = measured.rate(backend, single(set, op))?;
            Some(Bar {
                label: backend.to_string(),
                segments: vec![(rate, of_backend(backend))],
                text: thousands(rate),
            })
        });
        Group { title: op.name().to_owned(), bars: bars.collect() }
    });
    bars::svg(&groups)
}

/// What a batch brings against single calls.
pub(super) fn batches(measured: &Measured, set: Set) -> String {
    let panels = OPS.map(|op| {
        let lines = measured.backends.iter().filter_map(|&(backend, ..)| {
            let alone = measured.rate(backend, single(set, op))?;
            let rates = BATCHES.map_while_measured(|n| measured.rate(backend, batch(set, op, n)));
            let values = [1.0].into_iter().chain(rates.into_iter().map(|rate| rate / alone));
            Some(Line { colour: of_backend(backend), values: values.collect() })
        });
        Panel { title: op.name().to_owned(), lines: lines.collect(), ideal: None }
    });
    let numbers: Vec<_> = [1].into_iter().chain(BATCHES).collect();
    lines::svg(&Axes { numbers: &numbers, x: "keys a call", y: "times single" }, &panels)
}

/// What threads bring against one, if there is more than one CPU.
pub(super) fn scaling(measured: &Measured) -> Option<String> {
    let numbers = threads();
    let backend = measured.fastest().filter(|_| numbers.len() > 1)?;
    let panels: Vec<_> = measured
        .sets
        .iter()
        .map(|&set| {
            let lines = OPS.iter().filter_map(|&op| {
                let alone = measured.peak(backend, single(set, op))?;
                let rates = numbers.map_while_measured(|threads| {
                    measured.peak(backend, Test { threads, ..single(set, op) })
                });
                let values = rates.into_iter().map(|rate| rate / alone).collect();
                Some(Line { colour: of_op(op), values })
            });
            let ideal = numbers.iter().map(|&n| n as f64).collect();
            Panel { title: set.to_string(), lines: lines.collect(), ideal: Some(ideal) }
        })
        .collect();
    Some(lines::svg(&Axes { numbers: &numbers, x: "threads", y: "times one thread" }, &panels))
}

/// Keccak and the rest of each operation.
pub(super) fn keccak(measured: &Measured, set: Set) -> String {
    let shares = shares(measured, set);
    let groups = OPS.map(|op| {
        let bars = shares.iter().filter(|share| share.op == op).map(|share| {
            let Share { backend, batch, keccak, all, .. } = *share;
            let keccak = keccak.min(all);
            Bar {
                label: match batch {
                    1 => backend.to_string(),
                    n => format!("{backend}, batch {n}"),
                },
                segments: vec![(keccak, BLUE), (all - keccak, REST)],
                text: format!("{} ns, Keccak {:.0} %", thousands(all), 100.0 * keccak / all),
            }
        });
        Group { title: op.name().to_owned(), bars: bars.collect() }
    });
    bars::svg(&groups)
}

/// Values for numbers, up to the first that has none.
trait MapWhileMeasured {
    fn map_while_measured(&self, value: impl FnMut(usize) -> Option<f64>) -> Vec<f64>;
}

impl MapWhileMeasured for [usize] {
    fn map_while_measured(&self, value: impl FnMut(usize) -> Option<f64>) -> Vec<f64> {
        self.iter().copied().map_while(value).collect()
    }
}
