//! How far a thread was when: calls done, as a function of time.

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) ticks: u64,
    pub(crate) calls: u64,
}

/// Points in the order of time, the first with no calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace(pub(crate) Vec<Point>);

impl Trace {
    /// The time of the first point, and the last.
    pub(crate) fn span(&self) -> Option<(u64, u64)> {
        Some((self.0.first()?.ticks, self.0.last()?.ticks))
    }

    pub(crate) fn calls(&self) -> u64 {
        self.0.last().map_or(0, |point| point.calls)
    }

    /// Calls done by then, between two points in proportion to the time.
    fn calls_at(&self, ticks: f64) -> f64 {
        let after = self.0.partition_point(|point| (point.ticks as f64) < ticks);
        let Some(b) = self.0.get(after) else { return self.calls() as f64 };
        let Some(a) = after.checked_sub(1).map(|before| self.0[before]) else {
            return b.calls as f64;
        };
        let share = (ticks - a.ticks as f64) / (b.ticks - a.ticks) as f64;
        a.calls as f64 + share * (b.calls - a.calls) as f64
    }
}

/// The time that all traces cover, if there is any.
pub(crate) fn common_span(traces: &[Trace]) -> Option<(u64, u64)> {
    let spans = traces.iter().map(Trace::span).collect::<Option<Vec<_>>>()?;
    let start = spans.iter().map(|span| span.0).max()?;
    let end = spans.iter().map(|span| span.1).min()?;
    (end > start).then_some((start, end))
}

/// Calls of all threads between two times.
pub(crate) fn calls_between(traces: &[Trace], start: f64, end: f64) -> f64 {
    traces.iter().map(|trace| trace.calls_at(end) - trace.calls_at(start)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(points: &[(u64, u64)]) -> Trace {
        Trace(points.iter().map(|&(ticks, calls)| Point { ticks, calls }).collect())
    }

    #[test]
    fn interpolates_and_adds_up() {
        let a = trace(&[(100, 0), (200, 10), (300, 40)]);
        let b = trace(&[(110, 0), (290, 18)]);
        assert_eq!(
            [50.0, 100.0, 150.0, 210.0, 300.0, 999.0].map(|t| a.calls_at(t)),
            [0.0, 0.0, 5.0, 13.0, 40.0, 40.0]
        );
        let both = [a, b];
        assert_eq!(common_span(&both), Some((110, 290)));
        assert_eq!(calls_between(&both, 150.0, 210.0), 8.0 + 6.0);
    }

    #[test]
    fn no_common_span() {
        assert_eq!(common_span(&[Trace::default()]), None);
        assert_eq!(common_span(&[trace(&[(1, 0)])]), None);
        assert_eq!(common_span(&[trace(&[(1, 0), (2, 1)]), trace(&[(2, 0), (3, 1)])]), None);
    }
}
