//! A running worker.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};
use peer_worker::{Figure, Hello};

pub struct Process {
    pub name: String,
    pub figures: Vec<Figure>,
    pub note: Option<String>,
    child: Child,
    /// `None` once it has been told to end.
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
}

impl Process {
    pub fn start(name: &str, program: &Path, core: usize, args: &[String]) -> Result<Self> {
        let mut child = Command::new(program)
            .arg(core.to_string())
            .args(args)
            // What the backend is, is said by name here.
            .env_remove("LANEKEM_BACKEND")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the worker does not start")?;
        let to = child.stdin.take();
        let from = BufReader::new(child.stdout.take().context("no pipe")?);
        let mut process =
            Self { name: name.to_owned(), figures: Vec::new(), note: None, child, to, from };

        let hello: Hello = serde_json::from_str(&process.line()?)
            .context("the worker does not say what it has")?;
        if let Some(why) = hello.unavailable {
            bail!(why);
        }
        process.figures = hello.figures;
        process.note = hello.note;
        Ok(process)
    }

    /// One sample of a figure: nanoseconds per operation.
    pub fn sample(&mut self, figure: usize) -> Result<f64> {
        let to = self.to.as_mut().context("the worker has ended")?;
        writeln!(to, "{figure}").context("the worker has ended")?;
        to.flush()?;
        self.line()?.trim().parse().context("the worker does not answer with a number")
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.from.read_line(&mut line)? == 0 {
            bail!("the worker has ended");
        }
        Ok(line)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.to.take());
        // It ends by itself when its pipe closes.
        let _ = self.child.wait();
    }
}
