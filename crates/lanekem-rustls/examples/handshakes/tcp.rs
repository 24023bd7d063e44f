//! A handshake over loopback: client and server on a thread each, a relay between them if there is a delay.

use crate::certs::HOST;
use crate::measure::Sample;
use crate::rows::Row;
use cpu_time::ThreadTime;
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ServerConfig, ServerConnection};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// A server, one handshake at a time. Its threads end when it is dropped, or with the process.
pub(crate) struct Lane {
    address: SocketAddr,
    jobs: Sender<Arc<ServerConfig>>,
    done: Receiver<Result<Served, String>>,
}

/// The server's side of a handshake.
struct Served {
    cpu: Duration,
    bytes: u64,
}

impl Lane {
    pub(crate) fn new(delay: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let mut address = listener.local_addr()?;
        let (jobs, todo) = mpsc::channel();
        let (results, done) = mpsc::channel();
        thread::spawn(move || {
            for config in todo {
                let served = serve(&listener, config).map_err(|error| error.to_string());
                if results.send(served).is_err() {
                    return;
                }
            }
        });
        if !delay.is_zero() {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let server = std::mem::replace(&mut address, listener.local_addr()?);
            thread::spawn(move || {
                // A connection that the relay fails to make is seen as cut off by both ends.
                for client in listener.incoming() {
                    let _ = client.and_then(|client| relay(client, server, delay));
                }
            });
        }
        Ok(Self { address, jobs, done })
    }

    /// From the client's configuration, connected, until its last message is sent.
    pub(crate) fn handshake(&mut self, row: &Row) -> Result<Sample, Box<dyn std::error::Error>> {
        self.jobs.send(Arc::clone(&row.server))?;
        let mut socket = TcpStream::connect(self.address)?;
        socket.set_nodelay(true)?;
        let name = ServerName::try_from(HOST)?;
        let start = Instant::now();
        let cpu = ThreadTime::now();
        let mut client = ClientConnection::new(Arc::clone(&row.client), name)?;
        let mut counting = Counting { inner: &mut socket, written: 0 };
        while client.is_handshaking() || client.wants_write() {
            client.complete_io(&mut counting)?;
        }
        let mut sample = Sample {
            client: cpu.elapsed(),
            latency: start.elapsed(),
            bytes_client: counting.written,
            ..Sample::default()
        };
        let served = self.done.recv()??;
        sample.server = served.cpu;
        sample.bytes_server = served.bytes;
        sample.check(row, client.negotiated_key_exchange_group(), client.handshake_kind())?;
        Ok(sample)
    }
}

fn serve(
    listener: &TcpListener,
    config: Arc<ServerConfig>,
) -> Result<Served, Box<dyn std::error::Error>> {
    let (mut socket, _) = listener.accept()?;
    socket.set_nodelay(true)?;
    let cpu = ThreadTime::now();
    let mut server = ServerConnection::new(config)?;
    let mut counting = Counting { inner: &mut socket, written: 0 };
    while server.is_handshaking() {
        server.complete_io(&mut counting)?;
    }
    Ok(Served { cpu: cpu.elapsed(), bytes: counting.written })
}

/// A stream that counts what is written.
struct Counting<'a> {
    inner: &'a mut TcpStream,
    written: u64,
}

impl Read for Counting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl Write for Counting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Forwards both ways, each byte `delay` after it came.
fn relay(client: TcpStream, server: SocketAddr, delay: Duration) -> io::Result<()> {
    let server = TcpStream::connect(server)?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    forward(client.try_clone()?, server.try_clone()?, delay);
    forward(server, client, delay);
    Ok(())
}

fn forward(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let (arrived, due) = mpsc::channel::<(Instant, Vec<u8>)>();
    // A thread reads and another writes, so that what arrives during a wait is not late.
    thread::spawn(move || {
        let mut buffer = [0; 1 << 14];
        while let Ok(read) = from.read(&mut buffer)
            && read != 0
            && arrived.send((Instant::now() + delay, buffer[..read].to_vec())).is_ok()
        {}
    });
    thread::spawn(move || {
        for (at, bytes) in due {
            thread::sleep(at.saturating_duration_since(Instant::now()));
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        // Its other end may be gone already.
        let _ = to.shutdown(Shutdown::Write);
    });
}
