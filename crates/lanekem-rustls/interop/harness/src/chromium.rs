//! Pages that Chromium loads from rustls.

use crate::cases::{Case, Identity, provider};
use interop_peer::rustls::{Finished, GROUPS, acceptor, finished};
use interop_peer::{Result, with_timeouts};
use rustls::{HandshakeKind, ServerConnection, StreamOwned};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The one that it has.
pub const GROUP: &str = "X25519MLKEM768";
/// A browser takes its time to start.
const TIMEOUT: Duration = Duration::from_secs(90);

pub struct Chromium<'a> {
    pub program: &'a str,
    /// For its profile.
    pub dir: &'a Path,
}

impl Chromium<'_> {
    pub fn version(&self) -> Result<String> {
        let output = Command::new(self.program).arg("--version").output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Has a page loaded that is made of `count` documents, each over a connection of its own.
    pub fn load(&self, identity: &Identity, case: Case, count: usize) -> Result<()> {
        // All of lanekem's groups: the browser is to choose.
        let groups = GROUPS.map(|(name, _)| name).to_vec();
        let accept = acceptor(provider(), &identity.setup(groups, case == Case::Resumed))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let (sender, served) = channel();
        // Ends with the harness. Connections that are opened in advance and left unused end in an error.
        thread::spawn(move || {
            for tcp in listener.incoming() {
                let stream = tcp.map_err(Into::into).and_then(with_timeouts).and_then(&accept);
                let sender = sender.clone();
                thread::spawn(move || stream.and_then(|stream| answer(stream, count, &sender)));
            }
        });

        let page = self.page(identity, port)?;
        let expected: String = (1..count).fold(String::new(), |text, i| text + &format!("{i} "));
        if !page.contains(&format!("<p>{expected}</p>")) {
            return Err(format!("the page is not whole: {}", excuse(&page)).into());
        }
        check(&served.try_iter().collect::<Vec<_>>(), case, count)
    }

    /// The page as it looks after all its scripts.
    fn page(&self, identity: &Identity, port: u16) -> Result<String> {
        let output = self.dir.join("page.html");
        let mut browser = Command::new(self.program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-background-networking", "--dump-dom"])
            .arg(format!("--user-data-dir={}", self.dir.join("profile").display()))
            .arg(format!("--ignore-certificate-errors-spki-list={}", identity.pin))
            .arg(format!("https://localhost:{port}/"))
            .stdin(Stdio::null())
            .stdout(File::create(&output)?)
            .stderr(Stdio::null())
            .spawn()?;
        let start = Instant::now();
        while browser.try_wait()?.is_none() {
            if start.elapsed() > TIMEOUT {
                browser.kill()?;
                browser.wait()?;
                return Err("the browser did not come to an end".into());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(fs::read_to_string(output)?)
    }
}

/// What the browser says in its own page about an error, such as `ERR_SSL_PROTOCOL_ERROR`.
fn excuse(page: &str) -> &str {
    let end = |c: char| !c.is_ascii_uppercase() && c != '_';
    let error = page.find("ERR_").and_then(|at| page[at..].split(end).next());
    error.unwrap_or("the browser names no error")
}

/// What the server saw.
fn check(served: &[Finished], case: Case, count: usize) -> Result<()> {
    if served.len() < count {
        return Err(format!("{} connections instead of {count}", served.len()).into());
    }
    if let Some(other) = served.iter().find(|finished| finished.group != GROUP) {
        return Err(format!("{other:?}").into());
    }
    let resumed = served.iter().filter(|f| f.kind == HandshakeKind::Resumed).count();
    let full = served.iter().filter(|f| f.kind == HandshakeKind::Full).count();
    // The first connections run at once, before there is a ticket.
    let as_expected = match case {
        Case::Resumed => resumed > count / 2 && resumed + full == served.len(),
        _ => full == served.len(),
    };
    let seen = format!("{full} full and {resumed} resumed of {} connections", served.len());
    if as_expected { Ok(()) } else { Err(seen.into()) }
}

/// Answers one request: the page for `/`, and for `/N` a script that adds N to it.
fn answer(
    stream: StreamOwned<ServerConnection, TcpStream>,
    count: usize,
    served: &Sender<Finished>,
) -> Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let mut header = String::new();
    while header != "\r\n" {
        header.clear();
        if stream.read_line(&mut header)? == 0 {
            return Err("no whole request".into());
        }
    }
    let mut stream = stream.into_inner();
    let path = line.split(' ').nth(1).ok_or("no path")?;
    let (kind, body) = match path.trim_start_matches('/') {
        "" => {
            let scripts = (1..count).map(|i| format!("<script src=/{i}></script>"));
            ("text/html", format!("<!doctype html><p></p>{}", scripts.collect::<String>()))
        }
        i => ("text/javascript", format!("document.querySelector('p').append('{i} ')")),
    };
    served.send(finished(&stream.conn)?)?;
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )?;
    stream.conn.send_close_notify();
    Ok(stream.flush()?)
}
