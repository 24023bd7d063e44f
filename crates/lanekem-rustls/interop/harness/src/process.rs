//! A peer as a child process.

use interop_peer::{Result, TIMEOUT};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

pub struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// What it said it is.
    pub version: String,
}

impl Process {
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("no stdin")?;
        let output = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        // A thread, since a pipe has no timeout; it ends with the child.
        let (sender, lines) = channel();
        thread::spawn(move || {
            output.lines().map_while(|line| line.ok()).try_for_each(|line| sender.send(line))
        });
        let mut process = Self { child, input, lines, version: String::new() };
        process.version = process.answer("hello")?;
        Ok(process)
    }

    pub fn tell(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.input, "{line}")?)
    }

    /// The next line without its first word, which must be this one.
    pub fn answer(&self, word: &str) -> Result<String> {
        let line = self.lines.recv_timeout(TIMEOUT).map_err(|e| format!("the peer: {e}"))?;
        match line.split_once(' ').unwrap_or((&line, "")) {
            (first, rest) if first == word => Ok(rest.to_owned()),
            _ => Err(format!("the peer: {line}").into()),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
