//! Values of options, with their bounds.

use crate::cpu;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lanekem::Backend;
use std::ffi::OsString;
use std::ops::RangeInclusive;

/// What one name stands for: itself, or everything.
#[derive(Clone, Debug)]
pub(crate) struct Names<T>(Vec<T>);

/// All that a list of names stands for, in the order of [`ValueEnum::value_variants`].
pub(crate) fn chosen<T: ValueEnum + PartialEq>(names: &[Names<T>]) -> Vec<T> {
    let named = |value: &&T| names.iter().any(|names| names.0.contains(value));
    T::value_variants().iter().filter(named).cloned().collect()
}

/// A parser of the variants' names and `all`.
pub(crate) fn names<T: ValueEnum + Send + Sync + 'static>()
-> impl TypedValueParser<Value = Names<T>> {
    let variants = T::value_variants().iter().filter_map(T::to_possible_value);
    PossibleValuesParser::new(variants.chain([PossibleValue::new("all")])).map(|name| {
        match T::from_str(&name, false) {
            Ok(value) => Names(vec![value]),
            Err(_) => Names(T::value_variants().to_vec()),
        }
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Auto,
    Named(Backend),
}

pub(crate) fn choice(name: &str) -> Result<Choice, String> {
    if name == "auto" { Ok(Choice::Auto) } else { backend(name).map(Choice::Named) }
}

/// A backend that can run here, by name.
fn backend(name: &str) -> Result<Backend, String> {
    let available = || Backend::available().map(Backend::name).collect::<Vec<_>>().join(", ");
    match name.parse::<Backend>() {
        Ok(backend) if backend.is_available() => Ok(backend),
        Ok(_) => Err(format!("this CPU or this build cannot run it; available: {}", available())),
        Err(error) => Err(format!("{error}; available: {}", available())),
    }
}

/// The backend that `LANEKEM_BACKEND` names, if it is set. The library takes the fastest where the
/// name is wrong; whoever measures wants to be told.
pub(super) fn from_environment(value: Option<OsString>) -> Result<Option<Backend>, String> {
    match value {
        Some(name) if !name.is_empty() => backend(&name.to_string_lossy())
            .map(Some)
            .map_err(|e| format!("LANEKEM_BACKEND={}: {e}", name.display())),
        _ => Ok(None),
    }
}

const SECONDS: RangeInclusive<f64> = 0.001..=3600.0;
const BATCH: RangeInclusive<usize> = 1..=4096;
const THREADS: RangeInclusive<usize> = 1..=1024;
const RATIO: RangeInclusive<f64> = 0.01..=2.0;

fn within<T: PartialOrd + std::fmt::Display + std::str::FromStr>(
    bounds: &RangeInclusive<T>,
    text: &str,
) -> Result<T, String> {
    match text.parse() {
        Ok(value) if bounds.contains(&value) => Ok(value),
        _ => Err(format!("not a number from {} to {}", bounds.start(), bounds.end())),
    }
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    within(&SECONDS, text)
}

pub(super) fn batch(text: &str) -> Result<usize, String> {
    within(&BATCH, text)
}

pub(super) fn threads(text: &str) -> Result<usize, String> {
    if text == "all" { Ok(cpu::count()) } else { within(&THREADS, text) }
}

pub(super) fn fraction(text: &str) -> Result<f64, String> {
    within(&RATIO, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        for good in ["0.001", "1", "3600"] {
            assert!(seconds(good).is_ok(), "{good}");
        }
        for bad in ["", "0", "0.0009", "3600.1", "-1", "nan", "inf", "1s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        assert_eq!(threads("all"), Ok(cpu::count()));
        assert_eq!(batch("4096"), Ok(4096));
        for bad in ["0", "-1", "1.5", "many", "99999", "99999999999999999999"] {
            assert!(threads(bad).is_err() && batch(bad).is_err(), "{bad}");
        }
        assert!(fraction("0.95").is_ok() && fraction("95").is_err());
    }
}
