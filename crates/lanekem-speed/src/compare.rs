//! Keeping results, and comparing with kept ones.

use crate::result::{Document, Figures, VERSION};
use crate::test::Test;
use serde::{Deserialize, Serialize};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// A test beside its figures of a former run. Medians are compared, as a mean has every disturbance in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Compared {
    /// Median of the former run.
    pub(crate) before_ops_per_s: f64,
    /// Now ÷ before.
    pub(crate) ratio: f64,
    /// Of both runs together, twice: a ratio that is nearer to 1 says nothing.
    pub(crate) noise: f64,
    pub(crate) verdict: Verdict,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Faster,
    Same,
    Slower,
    /// Slower than the limit allows.
    Failed,
}

impl Verdict {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Same => "same",
            Self::Slower => "slower",
            Self::Failed => "FAILED",
        }
    }

    pub(crate) fn differs(self) -> bool {
        self != Self::Same
    }
}

/// Results of a former run, and how much less is a failure.
pub(crate) struct Baseline {
    results: Vec<Figures>,
    fail_below: Option<f64>,
}

impl Baseline {
    /// Reads a file for comparison with these tests.
    pub(crate) fn read(
        path: &Path,
        fail_below: Option<f64>,
        tests: &[Test],
    ) -> Result<Self, String> {
        let wrong = |what: &str| Err(format!("--compare {}: {what}", path.display()));
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => return wrong(&error.to_string()),
        };
        let document: Document = match serde_json::from_str(&text) {
            Ok(document) => document,
            Err(error) => return wrong(&format!("no results of --save ({error})")),
        };
        if document.schema != VERSION {
            return wrong(&format!("written in form {}, not {VERSION}", document.schema));
        }
        let baseline = Self { results: document.results, fail_below };
        if !tests.iter().any(|&test| baseline.find(test).is_some()) {
            return wrong("has none of the tests of this run");
        }
        Ok(baseline)
    }

    fn find(&self, test: Test) -> Option<&Figures> {
        self.results.iter().find(|figures| figures.test == test && figures.ops_per_s.median > 0.0)
    }

    /// A test beside its former figures, if there are any.
    pub(crate) fn compare(&self, now: &Figures) -> Option<Compared> {
        let (before, now) = (&self.find(now.test)?.ops_per_s, &now.ops_per_s);
        let ratio = now.median / before.median;
        let noise = 2.0 * before.noise.hypot(now.noise);
        let verdict = match ratio - 1.0 {
            change if change.abs() <= noise => Verdict::Same,
            change if change > 0.0 => Verdict::Faster,
            _ if self.fail_below.is_some_and(|limit| ratio < limit) => Verdict::Failed,
            _ => Verdict::Slower,
        };
        Some(Compared { before_ops_per_s: before.median, ratio, noise, verdict })
    }
}

/// Whether results can be written there, found out before they are measured.
pub(crate) fn try_writing(path: &Path) -> Result<(), String> {
    let open = OpenOptions::new().append(true).create(true).open(path);
    open.map(drop).map_err(|error| format!("{}: {error}", path.display()))
}

pub(crate) fn save(path: &Path, document: &Document) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(document)?;
    text.push('\n');
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Latency, Rates};
    use crate::test::{Mode, Op, Set};

    fn figures(median: f64, noise: f64) -> Figures {
        Figures {
            test: Test {
                set: Set::MlKem768,
                op: Op::Encaps,
                mode: Mode::Single,
                batch: 1,
                threads: 1,
            },
            operations: 1,
            elapsed_s: 1.0,
            ops_per_s: Rates { mean: median, min: median, max: median, median, noise },
            ns_per_op: 1e9 / median,
            tsc_cycles_per_op: None,
            latency_ns: Latency { p50: 1.0, p99: 1.0, p999: 1.0, max: 1.0, samples: 1 },
            scaling: None,
            compared: None,
        }
    }

    #[test]
    fn verdicts() {
        let verdict = |before, now, noise, fail_below| {
            let baseline = Baseline { results: vec![figures(before, noise)], fail_below };
            baseline.compare(&figures(now, 0.0)).unwrap().verdict
        };
        assert_eq!(verdict(100.0, 120.0, 0.01, Some(0.95)), Verdict::Faster);
        assert_eq!(verdict(100.0, 99.0, 0.01, Some(0.95)), Verdict::Same);
        assert_eq!(verdict(100.0, 97.0, 0.01, Some(0.95)), Verdict::Slower);
        assert_eq!(verdict(100.0, 94.0, 0.01, Some(0.95)), Verdict::Failed);
        assert_eq!(verdict(100.0, 94.0, 0.01, None), Verdict::Slower);
        // Too noisy to tell.
        assert_eq!(verdict(100.0, 94.0, 0.05, Some(0.95)), Verdict::Same);
    }

    #[test]
    fn other_tests_are_not_compared() {
        let baseline = Baseline { results: vec![figures(1.0, 0.0)], fail_below: None };
        let mut now = figures(1.0, 0.0);
        now.test.threads = 2;
        assert!(baseline.compare(&now).is_none());
    }
}
