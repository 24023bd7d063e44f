//! A TLS peer as a program that is told over its standard input what to do, a line at a time:
//!
//! - `serve CERTIFICATE KEY GROUPS` starts an echo server, in place of the last one, and answers `port N`;
//! - `connect PORT CERTIFICATE GROUPS COUNT full|resume` makes connections, each with data echoed, and answers
//!   `connected GROUP full|resumed` for each, and `done` after the last.
//!
//! What goes wrong is answered with `failed REASON`. The first line it writes is `hello VERSION`. The file
//! `node.mjs` speaks the same.

#[cfg(feature = "rustls")]
pub mod rustls;

use std::error::Error;
use std::io::{self, BufRead, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

pub type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// How long one side waits for the other.
pub const TIMEOUT: Duration = Duration::from_secs(20);

/// What a client or a server is set up with.
pub struct Setup {
    /// In PEM; a client trusts it.
    pub certificate: PathBuf,
    /// A server's, in PEM.
    pub key: PathBuf,
    /// By the names of the IANA registry; a client's share is for the first.
    pub groups: Vec<String>,
    /// Whether a client resumes sessions, and whether a server lets it.
    pub resume: bool,
}

/// What a client says of a connection.
pub struct Connected {
    pub group: String,
    pub resumed: bool,
}

/// A TLS library.
pub trait Peer {
    fn version() -> String;
    /// What makes a connection, echoes data over it and closes it.
    fn client(setup: &Setup) -> Result<impl FnMut(TcpStream) -> Result<Connected>>;
    /// What answers a connection.
    fn server(setup: &Setup) -> Result<impl Fn(TcpStream) -> Result<()> + Send + 'static>;
}

/// Does what it is told until its standard input ends.
pub fn run<P: Peer>() -> Result<()> {
    answer(&format!("hello {}", P::version()))?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let done = match *line.split(' ').collect::<Vec<_>>() {
            ["serve", certificate, key, groups] => {
                serve::<P>(&setup(certificate, key, groups, true))
            }
            ["connect", port, certificate, groups, count, how] => {
                let setup = setup(certificate, "", groups, how == "resume");
                connect::<P>(&setup, port, count)
            }
            _ => Err("not understood".into()),
        };
        if let Err(error) = done {
            answer(&format!("failed {}", one_line(&*error)))?;
        }
    }
    Ok(())
}

fn setup(certificate: &str, key: &str, groups: &str, resume: bool) -> Setup {
    let groups = groups.split(':').map(str::to_owned).collect();
    Setup { certificate: certificate.into(), key: key.into(), groups, resume }
}

fn serve<P: Peer>(setup: &Setup) -> Result<()> {
    let server = P::server(setup)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    answer(&format!("port {}", listener.local_addr()?.port()))?;
    // Nobody asks for an earlier server any more; it ends with the process.
    thread::spawn(move || {
        for tcp in listener.incoming() {
            if let Err(error) = tcp.map_err(Into::into).and_then(with_timeouts).and_then(&server) {
                eprintln!("server: {}", one_line(&*error));
            }
        }
    });
    Ok(())
}

fn connect<P: Peer>(setup: &Setup, port: &str, count: &str) -> Result<()> {
    let mut client = P::client(setup)?;
    for _ in 0..count.parse()? {
        let connected = client(dial(port.parse()?)?)?;
        let kind = if connected.resumed { "resumed" } else { "full" };
        answer(&format!("connected {} {kind}", connected.group))?;
    }
    answer("done")
}

fn answer(line: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

fn one_line(error: &dyn Error) -> String {
    error.to_string().replace('\n', " ")
}

/// A connection to this machine.
pub fn dial(port: u16) -> Result<TcpStream> {
    with_timeouts(TcpStream::connect((Ipv4Addr::LOCALHOST, port))?)
}

/// A stream on which nobody waits for ever.
pub fn with_timeouts(tcp: TcpStream) -> Result<TcpStream> {
    tcp.set_read_timeout(Some(TIMEOUT))?;
    tcp.set_write_timeout(Some(TIMEOUT))?;
    tcp.set_nodelay(true)?;
    Ok(tcp)
}

/// The client's side of an echo: more than fits into one record, and different each time.
pub fn talk(stream: &mut (impl Read + Write)) -> Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let salt = COUNT.fetch_add(1, Ordering::Relaxed);
    let sent: Vec<u8> =
        (salt..).take(5000).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
    stream.write_all(&sent)?;
    stream.flush()?;
    let mut received = vec![0; sent.len()];
    stream.read_exact(&mut received)?;
    if received == sent { Ok(()) } else { Err("other data came back".into()) }
}

/// The server's side, until the client closes.
pub fn echo(stream: &mut (impl Read + Write)) -> Result<()> {
    let mut data = [0; 16384];
    loop {
        match stream.read(&mut data)? {
            0 => return Ok(()),
            length => stream.write_all(&data[..length])?,
        }
        stream.flush()?;
    }
}

/// The version of a dependency.
pub fn locked(package: &str) -> &'static str {
    const LOCK: &str = include_str!("../../Cargo.lock");
    let name = format!("name = \"{package}\"\nversion = \"");
    LOCK.split_once(&*name).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("?")
}
