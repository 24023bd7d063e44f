//! Results on standard output.

mod csv;
mod markdown;
pub(crate) mod table;
mod text;

use crate::cli::Format;
use crate::measure::LIVE;
use crate::result::{Document, Figures};
use crate::test::Test;
use std::io::{self, Write};
use std::path::Path;

/// Writes what a run says. Text comes as it is measured, the other forms at the end.
pub(crate) struct Output<W: Write> {
    out: W,
    format: Format,
    /// How many results are in tables.
    printed: usize,
}

impl<W: Write> Output<W> {
    pub(crate) fn new(out: W, format: Format) -> Self {
        Self { out, format, printed: 0 }
    }

    fn text(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) -> io::Result<()> {
        if self.format == Format::Text {
            write(&mut self.out)?;
        }
        self.out.flush()
    }

    pub(crate) fn start(&mut self, document: &Document) -> io::Result<()> {
        self.text(|out| text::start(out, document))
    }

    /// The check against known answers, which all the sets passed.
    pub(crate) fn checked(&mut self, runs: usize) -> io::Result<()> {
        self.text(|out| text::checked(out, runs))
    }

    /// A test begins. The set before it is complete if this one is of another.
    pub(crate) fn begin(&mut self, test: &Test, document: &Document) -> io::Result<()> {
        if document.results.last().is_some_and(|last| last.test.set != test.set) {
            self.tables(document)?;
        }
        self.text(|out| text::begin(out, test, document.seconds))
    }

    pub(crate) fn second(&mut self, operations: f64) -> io::Result<()> {
        self.text(|out| text::second(out, operations))
    }

    pub(crate) fn end(&mut self, figures: &Figures, document: &Document) -> io::Result<()> {
        self.text(|out| text::end(out, figures, document.seconds))
    }

    /// The results since the last tables. A longer test by itself was told in full.
    fn tables(&mut self, document: &Document) -> io::Result<()> {
        let rest = &document.results[self.printed..];
        self.printed = document.results.len();
        self.text(|out| match rest {
            [_] if document.seconds >= LIVE => Ok(()),
            _ => text::table(out, rest),
        })
    }

    pub(crate) fn finish(
        &mut self,
        document: &Document,
        compared: Option<&Path>,
    ) -> io::Result<()> {
        match self.format {
            Format::Text => {
                self.tables(document)?;
                if document.seconds < LIVE || document.results.len() > 1 {
                    text::legend(&mut self.out, document)?;
                }
                if let Some(file) = compared {
                    writeln!(self.out, "\nCompared with {}", file.display())?;
                    text::comparison(&mut self.out, &document.results)?;
                }
                if document.interrupted {
                    writeln!(self.out, "\nEnded by Ctrl-C.")?;
                }
            }
            Format::Json => {
                serde_json::to_writer_pretty(&mut self.out, document)?;
                writeln!(self.out)?;
            }
            Format::Csv => csv::write(&mut self.out, document)?,
            Format::Md => markdown::write(&mut self.out, document)?,
        }
        self.out.flush()
    }
}
