//! A group between rustls with lanekem's groups and a peer.

use crate::process::Process;
use interop_peer::rustls::{Finished, client, server};
use interop_peer::{Result, Setup, TIMEOUT, dial, with_timeouts};
use rustls::HandshakeKind;
use rustls::crypto::{CryptoProvider, ring};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// What is checked of a group in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Case {
    /// The client's first share is the one that is wanted.
    Full,
    /// The client's first share is for another group than the server's only one.
    Retry,
    /// Sessions resume an earlier one as long as the server gives tickets, with a key exchange.
    Resumed,
}

impl Case {
    pub const ALL: [Self; 3] = [Self::Full, Self::Retry, Self::Resumed];
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Direction {
    /// rustls is the client.
    Client,
    /// rustls is the server.
    Server,
}

/// A case's parameters.
pub struct Cell {
    pub case: Case,
    pub direction: Direction,
    pub group: &'static str,
    /// What both know and the server does not want.
    pub other: &'static str,
    pub count: usize,
    /// How many sessions can be resumed after a full handshake.
    pub tickets: usize,
}

impl Cell {
    /// All connections of the case, up to the first that goes wrong.
    pub fn run(&self, peer: &mut Process, identity: &Identity) -> Result<()> {
        match self.direction {
            Direction::Client => self.as_client(peer, identity),
            Direction::Server => self.as_server(peer, identity),
        }
    }

    fn as_client(&self, peer: &mut Process, identity: &Identity) -> Result<()> {
        let Identity { certificate, key, .. } = identity;
        let (certificate, key) = (certificate.display(), key.display());
        peer.tell(&format!("serve {certificate} {key} {}", self.group))?;
        let port = peer.answer("port")?.parse()?;
        let connect = client(provider(), &identity.setup(self.offer(), self.resume()))?;
        for i in 0..self.count {
            let finished = connect(dial(port)?).map_err(|e| format!("connection {i}: {e}"))?;
            self.check(i, &finished)?;
        }
        Ok(())
    }

    fn as_server(&self, peer: &mut Process, identity: &Identity) -> Result<()> {
        let answer = server(provider(), &identity.setup(vec![self.group], true))?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        // If the peer gives up early, this thread waits until the harness ends.
        let (sender, served) = channel();
        thread::spawn(move || {
            for tcp in listener.incoming() {
                let finished = tcp.map_err(Into::into).and_then(with_timeouts).and_then(&answer);
                if sender.send(finished).is_err() {
                    return;
                }
            }
        });
        let certificate = identity.certificate.display();
        let (offer, count) = (self.offer().join(":"), self.count);
        let how = if self.resume() { "resume" } else { "full" };
        peer.tell(&format!("connect {port} {certificate} {offer} {count} {how}"))?;
        for i in 0..count {
            let connected = peer.answer("connected");
            // If it failed, our side may know better why.
            let wait = if connected.is_ok() { TIMEOUT } else { Duration::from_secs(1) };
            let seen = served.recv_timeout(wait);
            let finished = match (&seen, &connected) {
                (Ok(Ok(finished)), Ok(_)) => finished,
                (Ok(Err(error)), _) | (_, Err(error)) => {
                    return Err(format!("connection {i}: {error}").into());
                }
                (Err(error), _) => return Err(format!("connection {i}: {error}").into()),
            };
            self.check(i, finished)?;
            self.check_theirs(i, &connected?)?;
        }
        peer.answer("done")?;
        Ok(())
    }

    /// How a connection must come about.
    fn expected(&self, connection: usize) -> HandshakeKind {
        match self.case {
            Case::Retry => HandshakeKind::FullWithHelloRetryRequest,
            // A client that has used up its tickets makes a full handshake and gets new ones.
            Case::Resumed if !connection.is_multiple_of(self.tickets + 1) => HandshakeKind::Resumed,
            _ => HandshakeKind::Full,
        }
    }

    /// The client's groups.
    fn offer(&self) -> Vec<&'static str> {
        match self.case {
            Case::Retry => vec![self.other, self.group],
            _ => vec![self.group],
        }
    }

    fn resume(&self) -> bool {
        self.case == Case::Resumed
    }

    fn check(&self, connection: usize, finished: &Finished) -> Result<()> {
        let expected = Finished { group: self.group, kind: self.expected(connection) };
        if *finished == expected {
            Ok(())
        } else {
            Err(format!("connection {connection}: {finished:?} instead of {expected:?}").into())
        }
    }

    /// What the peer's client says must be the same.
    fn check_theirs(&self, connection: usize, connected: &str) -> Result<()> {
        let (group, kind) = connected.split_once(' ').ok_or("no group and kind")?;
        let resumed = self.expected(connection) == HandshakeKind::Resumed;
        if group == self.group && (kind == "resumed") == resumed {
            Ok(())
        } else {
            Err(format!("connection {connection}: the peer saw {connected}").into())
        }
    }
}

/// What is checked.
pub fn provider() -> CryptoProvider {
    lanekem_rustls::extend(ring::default_provider())
}

/// The server's certificate and key, made for this run.
pub struct Identity {
    pub certificate: PathBuf,
    pub key: PathBuf,
    /// The SHA-256 of its public key, in base64.
    pub pin: String,
}

impl Identity {
    pub fn setup(&self, groups: Vec<&str>, resume: bool) -> Setup {
        Setup {
            certificate: self.certificate.clone(),
            key: self.key.clone(),
            groups: groups.into_iter().map(str::to_owned).collect(),
            resume,
        }
    }
}
