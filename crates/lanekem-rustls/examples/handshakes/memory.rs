//! A handshake in memory, on one thread.

use crate::certs::HOST;
use crate::measure::Sample;
use crate::rows::Row;
use cpu_time::ThreadTime;
use rustls::pki_types::ServerName;
use rustls::{ClientConnection, ConnectionCommon, Error, ServerConnection, SideData};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What passes between the two, kept for the next handshake.
#[derive(Default)]
pub(crate) struct Wire {
    to_server: Vec<u8>,
    to_client: Vec<u8>,
}

impl Wire {
    /// From the client's configuration to the end of the handshake on both sides. A side's CPU time is that
    /// from getting the other's messages to having its own answer written.
    pub(crate) fn handshake(&mut self, row: &Row) -> Result<Sample, Box<dyn std::error::Error>> {
        let name = ServerName::try_from(HOST)?;
        let mut sample = Sample::default();
        let start = Instant::now();
        let mut cpu = Laps::start();
        let mut client = ClientConnection::new(Arc::clone(&row.client), name)?;
        turn(&mut client, &[], &mut self.to_server)?;
        sample.client += cpu.lap();
        let mut server = ServerConnection::new(Arc::clone(&row.server))?;
        loop {
            turn(&mut server, &self.to_server, &mut self.to_client)?;
            sample.server += cpu.lap();
            sample.bytes_client += self.to_server.len() as u64;
            sample.bytes_server += self.to_client.len() as u64;
            if !client.is_handshaking() && !server.is_handshaking() {
                break;
            }
            turn(&mut client, &self.to_client, &mut self.to_server)?;
            sample.client += cpu.lap();
        }
        sample.latency = start.elapsed();
        sample.check(row, client.negotiated_key_exchange_group(), client.handshake_kind())?;
        Ok(sample)
    }
}

/// Gives one side what the other has said, and takes its answer.
fn turn<C, D>(side: &mut C, mut received: &[u8], answer: &mut Vec<u8>) -> Result<(), Error>
where
    C: DerefMut + Deref<Target = ConnectionCommon<D>>,
    D: SideData,
{
    while !received.is_empty() {
        side.read_tls(&mut received).map_err(|error| Error::General(error.to_string()))?;
        side.process_new_packets()?;
    }
    answer.clear();
    while side.wants_write() {
        side.write_tls(answer).map_err(|error| Error::General(error.to_string()))?;
    }
    Ok(())
}

/// CPU time: what other threads took from this one is not counted.
struct Laps {
    clock: ThreadTime,
    before: Duration,
}

impl Laps {
    fn start() -> Self {
        Self { clock: ThreadTime::now(), before: Duration::ZERO }
    }

    fn lap(&mut self) -> Duration {
        let now = self.clock.elapsed();
        now.saturating_sub(core::mem::replace(&mut self.before, now))
    }
}
