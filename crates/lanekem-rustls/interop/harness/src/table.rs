//! What is printed.

use std::error::Error;
use std::mem::take;

/// Of a case.
pub enum Outcome {
    /// With so many connections.
    Passed(usize),
    Failed(String),
    /// The peer has no such group or role.
    NotPossible,
}

#[derive(Default)]
pub struct Table {
    pub passed: usize,
    pub failed: usize,
    /// The row so far, printed when it is complete: a peer may say something in between.
    row: String,
    /// Cells in it.
    column: usize,
    /// Why cases of the peer failed.
    reasons: Vec<String>,
}

impl Table {
    pub fn peer(&mut self, name: &str, version: &str) {
        println!("\n{name}: {version}");
        println!("{:26}| {:24}| {:24}", "", "rustls client -> peer", "peer -> rustls server");
        self.row = format!("{:19}{:7}", "group", "code");
        for _ in 0..2 {
            self.row += &format!("| {:<8}{:<8}{:<8}", "full", "retry", "resumed");
        }
    }

    pub fn no_peer(&mut self, name: &str, error: &dyn Error) {
        self.failed += 1;
        println!("\n{name}: FAILED to start: {error}");
    }

    pub fn group(&mut self, name: &str, code: u16) {
        println!("{}", take(&mut self.row));
        self.row = format!("{name:19}{code:#06x} ");
        self.column = 0;
    }

    pub fn cell(&mut self, outcome: Outcome) {
        let text = match outcome {
            Outcome::Passed(count) => {
                self.passed += 1;
                format!("ok {count}")
            }
            Outcome::Failed(reason) => {
                self.failed += 1;
                self.reasons.push(reason);
                "FAILED".to_owned()
            }
            Outcome::NotPossible => "-".to_owned(),
        };
        let bar = if self.column.is_multiple_of(3) { "| " } else { "" };
        self.column += 1;
        self.row += &format!("{bar}{text:8}");
    }

    pub fn end_of_peer(&mut self) {
        println!("{}", take(&mut self.row));
        for reason in self.reasons.drain(..) {
            println!("FAILED {reason}");
        }
    }
}
