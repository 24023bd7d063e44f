//! All rows in turn, a block of handshakes each.

use crate::memory;
use crate::options::{Options, Over};
use crate::rows::{Label, Row};
use crate::tcp::Lane;
use cpu_time::{ProcessTime, ThreadTime};
use hdrhistogram::Histogram;
use indicatif::{ProgressBar, ProgressStyle};
use rustls::HandshakeKind;
use rustls::crypto::SupportedKxGroup;
use std::error::Error;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

/// Handshakes of a row before it is the next one's turn.
const BLOCK: u32 = 20;
/// Of those on all cores, on each.
const BLOCK_ALL: u32 = 50;
/// Before each block, unmeasured: caches and branch predictors are those of another row. Together with a
/// block no multiple of a pool's batch, so that refills fall on these only as often as they should.
const BEFORE: u32 = 2;
/// Rounds over all rows before the first that counts.
const WARM_UP: u32 = 2;

/// One handshake.
#[derive(Default)]
pub(crate) struct Sample {
    pub(crate) latency: Duration,
    pub(crate) client: Duration,
    pub(crate) server: Duration,
    pub(crate) bytes_client: u64,
    pub(crate) bytes_server: u64,
}

impl Sample {
    /// Whether the handshake was the one to be measured.
    pub(crate) fn check(
        &self,
        row: &Row,
        group: Option<&dyn SupportedKxGroup>,
        kind: Option<HandshakeKind>,
    ) -> Result<(), Box<dyn Error>> {
        if group.map(SupportedKxGroup::name) != Some(row.group) || kind != Some(HandshakeKind::Full)
        {
            return Err(format!("{kind:?} with {group:?} instead of {:?}", row.group).into());
        }
        Ok(())
    }
}

/// Where handshakes take place.
enum Place {
    Memory(memory::Wire),
    Tcp(Lane),
}

impl Place {
    fn new(options: &Options) -> Result<Self, Box<dyn Error>> {
        Ok(match options.over {
            Over::Memory => Self::Memory(memory::Wire::default()),
            Over::Tcp => Self::Tcp(Lane::new(options.delay_ms.duration())?),
        })
    }

    fn handshake(&mut self, row: &Row) -> Result<Sample, Box<dyn Error>> {
        match self {
            Self::Memory(wire) => wire.handshake(row),
            Self::Tcp(lane) => lane.handshake(row),
        }
    }
}

/// What was measured of a row. Times in nanoseconds.
pub(crate) struct Figures {
    pub(crate) label: Label,
    pub(crate) latency: Histogram<u32>,
    pub(crate) client: Histogram<u32>,
    pub(crate) server: Histogram<u32>,
    bytes_client: u64,
    bytes_server: u64,
    /// Time of the blocks: of the one thread in memory, on the clock over TCP.
    busy: Duration,
    /// CPU time of threads that are neither client nor server: a pool's filler.
    background: Duration,
    /// Time on the clock with all cores at work.
    all: Duration,
    count: u32,
}

impl Figures {
    fn new(label: Label, count: u32) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            label,
            latency: Histogram::new(3)?,
            client: Histogram::new(3)?,
            server: Histogram::new(3)?,
            bytes_client: 0,
            bytes_server: 0,
            busy: Duration::ZERO,
            background: Duration::ZERO,
            all: Duration::ZERO,
            count,
        })
    }

    fn record(&mut self, sample: &Sample) -> Result<(), Box<dyn Error>> {
        self.latency.record(sample.latency.as_nanos() as u64)?;
        self.client.record(sample.client.as_nanos() as u64)?;
        self.server.record(sample.server.as_nanos() as u64)?;
        self.bytes_client += sample.bytes_client;
        self.bytes_server += sample.bytes_server;
        Ok(())
    }

    /// The mean over all handshakes: ECDSA signatures vary by some bytes.
    pub(crate) fn bytes_client(&self) -> f64 {
        self.bytes_client as f64 / f64::from(self.count)
    }

    pub(crate) fn bytes_server(&self) -> f64 {
        self.bytes_server as f64 / f64::from(self.count)
    }

    pub(crate) fn per_second(&self) -> f64 {
        f64::from(self.count) / self.busy.as_secs_f64()
    }

    pub(crate) fn per_second_all(&self) -> f64 {
        f64::from(self.count) / self.all.as_secs_f64()
    }

    pub(crate) fn background_us(&self) -> f64 {
        self.background.as_secs_f64() * 1e6 / f64::from(self.count)
    }

    /// The median handshake's CPU time, client and server, in microseconds.
    pub(crate) fn cpu_us(&self) -> f64 {
        quantile_us(&self.client, 0.5) + quantile_us(&self.server, 0.5)
    }
}

pub(crate) fn quantile_us(histogram: &Histogram<u32>, quantile: f64) -> f64 {
    let ns = match quantile {
        0.0 => histogram.min(),
        _ => histogram.value_at_quantile(quantile),
    };
    ns as f64 / 1000.0
}

pub(crate) fn run(rows: &[Row], options: &Options) -> Result<Vec<Figures>, Box<dyn Error>> {
    let mut figures = rows
        .iter()
        .map(|row| Figures::new(row.label, options.count))
        .collect::<Result<Vec<_>, _>>()?;
    // Hidden where standard error is no terminal.
    let bar = ProgressBar::new(2 * u64::from(options.count) * rows.len() as u64)
        .with_style(ProgressStyle::with_template("{msg:9} {wide_bar} {percent:3} %, {eta} to go")?);
    bar.set_message("one core");
    let mut place = Place::new(options)?;
    for _ in 0..WARM_UP {
        for row in rows {
            for _ in 0..BEFORE {
                place.handshake(row)?;
            }
        }
    }
    in_turn(&mut figures, BLOCK, |i, figures, block| {
        let row = &rows[i];
        one_core(&mut place, row, figures, block, options.over)?;
        bar.inc(block.into());
        Ok(())
    })?;
    bar.set_message("all cores");
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut places = (0..cores).map(|_| Place::new(options)).collect::<Result<Vec<_>, _>>()?;
    in_turn(&mut figures, BLOCK_ALL * cores as u32, |i, figures, block| {
        figures.all += all_cores(&mut places, &rows[i], block)?;
        rows[i].settle();
        bar.inc(block.into());
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(figures)
}

/// Every row's handshakes, in blocks. Every other round goes backwards, so that none always follows the
/// same one.
fn in_turn(
    figures: &mut [Figures],
    block: u32,
    mut run: impl FnMut(usize, &mut Figures, u32) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let Some(count) = figures.first().map(|figures| figures.count) else { return Ok(()) };
    let rows = figures.len();
    for (round, done) in (0..count).step_by(block as usize).enumerate() {
        for i in 0..rows {
            let i = if round % 2 == 0 { i } else { rows - 1 - i };
            run(i, &mut figures[i], block.min(count - done))?;
        }
    }
    Ok(())
}

fn one_core(
    place: &mut Place,
    row: &Row,
    figures: &mut Figures,
    block: u32,
    over: Over,
) -> Result<(), Box<dyn Error>> {
    for _ in 0..BEFORE {
        place.handshake(row)?;
    }
    let (process, thread, clock) = (ProcessTime::now(), ThreadTime::now(), Instant::now());
    for _ in 0..block {
        let sample = place.handshake(row)?;
        figures.record(&sample)?;
    }
    figures.busy += match over {
        Over::Memory => thread.elapsed(),
        Over::Tcp => clock.elapsed(),
    };
    row.settle();
    // Over TCP the other threads are the server and the relay too.
    if over == Over::Memory && row.has_filler() {
        figures.background += process.elapsed().saturating_sub(thread.elapsed());
    }
    Ok(())
}

/// Time on the clock for a block of handshakes, spread over all cores.
fn all_cores(places: &mut [Place], row: &Row, block: u32) -> Result<Duration, Box<dyn Error>> {
    let cores = places.len() as u32;
    let start = Barrier::new(places.len() + 1);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores)
            .zip(places.iter_mut())
            .map(|(i, place)| {
                let (start, share) = (&start, block / cores + u32::from(i < block % cores));
                scope.spawn(move || -> Result<Instant, String> {
                    let warm = (0..BEFORE).try_for_each(|_| place.handshake(row).map(drop));
                    // Waited for even if it failed: the others wait too.
                    start.wait();
                    warm.map_err(|error| error.to_string())?;
                    for _ in 0..share {
                        place.handshake(row).map_err(|error| error.to_string())?;
                    }
                    Ok(Instant::now())
                })
            })
            .collect();
        start.wait();
        let begun = Instant::now();
        let mut last = begun;
        for thread in threads {
            last = last.max(thread.join().map_err(|_| "a thread panicked")??);
        }
        Ok(last - begun)
    })
}
