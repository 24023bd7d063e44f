//! Handshakes between rustls with lanekem's groups and other TLS libraries, over loopback TCP.
//! Started by `run.sh`, with an argument `NAME=PROGRAM` for each peer and `NAME!REASON` for each left out.

mod cases;
mod chromium;
mod process;
mod table;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use cases::{Case, Cell, Direction, Identity};
use chromium::Chromium;
use interop_peer::Result;
use interop_peer::rustls::GROUPS;
use process::Process;
use rcgen::{PublicKeyData, generate_simple_self_signed};
use ring::digest::{SHA256, digest};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, process as this};
use table::{Outcome, Table};

/// Connections of a case.
const COUNT: usize = 100;

/// The groups that a peer is known to have: one that it lost is a failure.
fn shared(peer: &str) -> Vec<&'static str> {
    let names = GROUPS.iter().map(|(name, _)| *name);
    match peer {
        "aws-lc" => {
            names.filter(|name| !["SecP384r1MLKEM1024", "MLKEM512"].contains(name)).collect()
        }
        "boringssl" => {
            names.filter(|name| ["X25519MLKEM768", "MLKEM1024"].contains(name)).collect()
        }
        _ => names.collect(),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(Table { passed: 1.., failed: 0, .. }) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("interop: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Table> {
    let dir = Directory::new()?;
    let identity = identity(&dir.0)?;
    let mut table = Table::default();
    let mut skipped = Vec::new();
    for argument in env::args().skip(1) {
        if let Some((name, program)) = argument.split_once('=') {
            match name {
                "chromium" => browser(&mut table, &Chromium { program, dir: &dir.0 }, &identity),
                _ => peer(&mut table, name, program, &identity),
            }
        } else {
            let (name, reason) = argument.split_once('!').ok_or("NAME=PROGRAM or NAME!REASON")?;
            skipped.push(format!("SKIPPED {name}: {reason}"));
        }
    }
    println!();
    for line in skipped {
        println!("{line}");
    }
    println!("{} passed, {} failed", table.passed, table.failed);
    Ok(table)
}

/// All cases with a peer.
fn peer(table: &mut Table, name: &str, program: &str, identity: &Identity) {
    let mut process = match start(name, program) {
        Ok(process) => process,
        Err(error) => return table.no_peer(name, &*error),
    };
    table.peer(name, &process.version);
    let shared = shared(name);
    for (group, code) in GROUPS {
        table.group(group, code);
        let place = shared.iter().position(|name| *name == group);
        for direction in [Direction::Client, Direction::Server] {
            for case in Case::ALL {
                let Some(place) = place else {
                    table.cell(Outcome::NotPossible);
                    continue;
                };
                let other = shared[(place + 1) % shared.len()];
                let tickets = match (name, direction) {
                    // Node's server gives two, and none in a resumed session.
                    ("node", Direction::Client) => 2,
                    _ => COUNT,
                };
                let cell = Cell { case, direction, group, other, count: COUNT, tickets };
                let done = cell.run(&mut process, identity);
                if done.is_err() {
                    // What the peer still had to say would confuse the next case.
                    match start(name, program) {
                        Ok(fresh) => process = fresh,
                        Err(error) => eprintln!("interop: {name}: {error}"),
                    }
                }
                table.cell(match done {
                    Ok(()) => Outcome::Passed(COUNT),
                    Err(error) => Outcome::Failed(format!(
                        "{name}, {group}, rustls as {direction:?}, {case:?}: {error}"
                    )),
                });
            }
        }
    }
    table.end_of_peer();
}

/// The cases that a browser can be brought to.
fn browser(table: &mut Table, chromium: &Chromium<'_>, identity: &Identity) {
    match chromium.version() {
        Ok(version) => table.peer("chromium", &version),
        Err(error) => return table.no_peer("chromium", &*error),
    }
    for (group, code) in GROUPS {
        table.group(group, code);
        for direction in [Direction::Client, Direction::Server] {
            for case in Case::ALL {
                // It is no server, and lets nobody choose its first share.
                let possible = direction == Direction::Server && case != Case::Retry;
                table.cell(if group != chromium::GROUP || !possible {
                    Outcome::NotPossible
                } else if let Err(error) = chromium.load(identity, case, COUNT) {
                    Outcome::Failed(format!("chromium, {group}, {case:?}: {error}"))
                } else {
                    Outcome::Passed(COUNT)
                });
            }
        }
    }
    table.end_of_peer();
}

fn start(name: &str, program: &str) -> Result<Process> {
    let mut command = Command::new(program);
    if name == "node" {
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../node.mjs"));
    }
    Process::start(&mut command)
}

/// A directory for the time of a run.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Result<Self> {
        let dir = env::temp_dir().join(format!("lanekem-interop-{}", this::id()));
        fs::create_dir(&dir)?;
        Ok(Self(dir))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Only the keys of this run are in it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A self-signed certificate over P-256.
fn identity(dir: &Path) -> Result<Identity> {
    let made = generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()])?;
    let spki = made.signing_key.subject_public_key_info();
    let identity = Identity {
        certificate: dir.join("certificate.pem"),
        key: dir.join("key.pem"),
        pin: STANDARD.encode(digest(&SHA256, &spki)),
    };
    fs::write(&identity.certificate, made.cert.pem())?;
    fs::write(&identity.key, made.signing_key.serialize_pem())?;
    Ok(identity)
}
