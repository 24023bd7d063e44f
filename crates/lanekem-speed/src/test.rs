//! What can be measured, by name.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(into = "u32", try_from = "u32")]
pub(crate) enum Set {
    #[value(name = "512")]
    MlKem512,
    #[value(name = "768")]
    MlKem768,
    #[value(name = "1024")]
    MlKem1024,
}

impl Set {
    pub(crate) const ALL: [Self; 3] = [Self::MlKem512, Self::MlKem768, Self::MlKem1024];
}

impl From<Set> for u32 {
    fn from(set: Set) -> Self {
        match set {
            Set::MlKem512 => 512,
            Set::MlKem768 => 768,
            Set::MlKem1024 => 1024,
        }
    }
}

impl TryFrom<u32> for Set {
    type Error = String;

    fn try_from(number: u32) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|&set| u32::from(set) == number);
        known.ok_or_else(|| format!("no parameter set ML-KEM-{number}"))
    }
}

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ML-KEM-{}", u32::from(*self))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Op {
    /// Make a key pair
    Keygen,
    /// Encapsulate to a key
    Encaps,
    /// Decapsulate a ciphertext
    Decaps,
    /// A TLS server's share: parse and check a key, encapsulate
    Server,
    /// A TLS client's share: make a key pair, decapsulate
    Client,
}

impl Op {
    pub(crate) const ALL: [Self; 5] =
        [Self::Keygen, Self::Encaps, Self::Decaps, Self::Server, Self::Client];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Encaps => "encaps",
            Self::Decaps => "decaps",
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// One call at a time, one key a call (blocking)
    Single,
    /// A peer met again: its expanded key is kept
    Prepared,
    /// Keys kept without their matrix, which every call expands anew
    Compact,
    /// Many keys a call
    Batch,
}

impl Mode {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Prepared => "prepared",
            Self::Compact => "compact",
            Self::Batch => "batch",
        }
    }

    /// Whether this mode has a form of the operation.
    pub(crate) fn does(self, op: Op) -> bool {
        match self {
            Self::Single | Self::Batch => true,
            Self::Prepared => matches!(op, Op::Encaps | Op::Decaps),
            Self::Compact => matches!(op, Op::Keygen | Op::Decaps | Op::Client),
        }
    }

    /// Whether one call can do many operations.
    pub(crate) fn takes_batch(self) -> bool {
        matches!(self, Self::Prepared | Self::Batch)
    }
}

/// One thing to measure. Two runs are compared test by test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Test {
    pub(crate) set: Set,
    pub(crate) op: Op,
    pub(crate) mode: Mode,
    /// Operations a call.
    pub(crate) batch: usize,
    pub(crate) threads: usize,
}

impl Test {
    /// Operation and mode, short.
    pub(crate) fn title(&self) -> String {
        let op = self.op.name();
        match (self.mode, self.batch) {
            (Mode::Single, _) => op.to_owned(),
            (Mode::Batch, n) => format!("{op}, batch {n}"),
            (mode, 1) => format!("{op}, {}", mode.name()),
            (mode, n) => format!("{op}, {}, {n} a call", mode.name()),
        }
    }

    /// How the calls are made, in words.
    pub(crate) fn manner(&self) -> String {
        match (self.mode, self.batch) {
            (Mode::Single, _) => "single (blocking): one call at a time, one key a call".to_owned(),
            (Mode::Compact, _) => "compact (blocking): keys kept without their matrix".to_owned(),
            (Mode::Prepared, 1) => {
                "prepared (blocking): the peer's expanded key is kept".to_owned()
            }
            (Mode::Prepared, n) => {
                format!("prepared (batched): {n} operations a call, one key kept")
            }
            (Mode::Batch, n) => format!("batch (batched): {n} keys a call"),
        }
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = if self.threads == 1 { "thread" } else { "threads" };
        write!(f, "{} {}, {} {threads}", self.set, self.title(), self.threads)
    }
}
