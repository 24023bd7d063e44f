//! Why the program ends before or without success, in one line each.

use crate::measure;
use crate::stop;
use lanekem::Backend;
use std::fmt;
use std::io;

pub(crate) enum Failure {
    /// The request cannot be met.
    Usage(String),
    Output(io::Error),
    /// A file of results could not be written.
    File(String),
    /// The known answer of these was missed.
    Wrong(Backend, &'static str),
    Measure(measure::Error),
    /// As many tests did less than `--fail-below` allows.
    Slower(usize),
    Interrupted,
}

impl Failure {
    /// The exit status.
    pub(crate) fn status(&self) -> u8 {
        match self {
            // Also where the system refuses threads or CPUs that were asked for.
            Self::Usage(_) | Self::Measure(measure::Error::Thread(_) | measure::Error::Pin) => 2,
            Self::Output(_) | Self::File(_) | Self::Wrong(..) | Self::Measure(_) => 1,
            Self::Slower(_) => 3,
            Self::Interrupted => stop::STATUS,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(line) | Self::File(line) => f.write_str(line),
            Self::Output(error) => write!(f, "standard output: {error}"),
            Self::Wrong(backend, set) => {
                write!(f, "{set}, backend {backend}: WRONG RESULTS, no figures")
            }
            Self::Measure(measure::Error::Random(error)) => {
                write!(f, "the system's random numbers: {error}")
            }
            Self::Measure(measure::Error::Thread(error)) => {
                write!(f, "--threads: the system refuses one more thread: {error}")
            }
            Self::Measure(measure::Error::Pin) => {
                write!(f, "--pin: the system does not bind a thread to a CPU")
            }
            Self::Slower(1) => write!(f, "1 test is slower than --fail-below allows"),
            Self::Slower(count) => write!(f, "{count} tests are slower than --fail-below allows"),
            Self::Interrupted => write!(f, "ended by Ctrl-C"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<measure::Error> for Failure {
    fn from(error: measure::Error) -> Self {
        Self::Measure(error)
    }
}
