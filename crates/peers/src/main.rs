//! The same ML-KEM work done by lanekem and by other libraries, one process each, taken in turn.

mod peers;
mod process;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use peer_worker::Figure;

use crate::process::Process;
use crate::report::{Report, Series};

/// Times lanekem and other ML-KEM libraries side by side.
#[derive(Parser)]
struct Args {
    /// Fewer samples: under a minute once everything is built.
    #[arg(long)]
    quick: bool,
    /// Parameter set.
    #[arg(long, value_enum, default_value = "all")]
    set: Set,
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Libraries to measure, all without this: lanekem, aws-lc-rs, graviola, libcrux, libcrux-avx2, pqcrypto,
    /// rscrypto, ml-kem, fips203.
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    peer: Vec<String>,
    /// Operations to measure, all without this, such as keygen, decaps, client, server.
    #[arg(long, value_delimiter = ',')]
    op: Vec<String>,
    /// Backends of lanekem; `auto` is what it chooses for this CPU.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "auto,portable,avx2,avx512",
        value_name = "NAME"
    )]
    lanekem_backend: Vec<String>,
    /// Samples of about 1 ms for each figure [default: 300, or 40 with --quick].
    #[arg(long)]
    samples: Option<usize>,
    /// Core the workers stay on [default: the last one].
    #[arg(long)]
    core: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Set {
    #[value(name = "512")]
    S512,
    #[value(name = "768")]
    S768,
    #[value(name = "1024")]
    S1024,
    All,
}

impl Set {
    fn includes(self, set: u16) -> bool {
        match self {
            Self::S512 => set == 512,
            Self::S768 => set == 768,
            Self::S1024 => set == 1024,
            Self::All => true,
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Table,
    Json,
}

/// A quick run stops here even if it has not taken all its samples.
const QUICK: Duration = Duration::from_secs(35);

fn main() -> Result<()> {
    let args = Args::parse();
    let core = match args.core {
        Some(core) => core,
        None => {
            core_affinity::get_core_ids()
                .and_then(|ids| ids.last().copied())
                .context("no core to stay on")?
                .id
        }
    };

    let chosen = peers::choose(&args.peer, &args.lanekem_backend)?;
    let mut missing = BTreeMap::new();
    let mut processes = Vec::new();
    let mut built = BTreeMap::new();
    for peer in &chosen {
        // The backends of lanekem share a worker.
        let program = built
            .entry(peer.build)
            .or_insert_with(|| peer.build.run().map_err(|why| format!("{why:#}")));
        let started = match program {
            Ok(program) => Process::start(&peer.name, program, core, &peer.args)
                .map_err(|why| format!("{why:#}")),
            Err(why) => Err(why.clone()),
        };
        match started {
            Ok(process) => processes.push(process),
            Err(why) => {
                eprintln!("missing: {}: {why}", peer.name);
                missing.insert(peer.name.clone(), why);
            }
        }
    }

    let known: BTreeSet<&str> =
        processes.iter().flat_map(|p| &p.figures).map(|f| f.op.as_str()).collect();
    for op in &args.op {
        ensure!(known.contains(op.as_str()), "no operation is called {op}; there are {known:?}");
    }

    // Rows in the order in which the workers name them, and in each row the peers next to each other in time.
    let mut rows: Vec<(Figure, Vec<(usize, usize)>)> = Vec::new();
    for (p, process) in processes.iter().enumerate() {
        for (f, figure) in process.figures.iter().enumerate() {
            let wanted = args.set.includes(figure.set)
                && (args.op.is_empty() || args.op.contains(&figure.op));
            if !wanted {
                continue;
            }
            let same = |row: &&mut (Figure, _)| {
                (row.0.set, &row.0.op, row.0.rng) == (figure.set, &figure.op, figure.rng)
            };
            match rows.iter_mut().find(same) {
                Some((_, cells)) => cells.push((p, f)),
                None => rows.push((figure.clone(), vec![(p, f)])),
            }
        }
    }
    ensure!(!rows.is_empty(), "nothing to measure for this set");

    let samples = measure(&mut processes, &rows, &args, &mut missing);

    let series = rows.iter().flat_map(|(_, cells)| cells).filter_map(|&(p, f)| {
        let samples = samples.get(&(p, f))?;
        Some(Series::new(&processes[p].name, &processes[p].figures[f], samples))
    });
    let report = Report {
        series: series.collect(),
        missing,
        notes: processes.iter().filter_map(|p| Some((p.name.clone(), p.note.clone()?))).collect(),
        versions: peers::versions(&chosen)?,
        core,
    };
    match args.format {
        Format::Table => report.table(),
        Format::Json => report.json(),
    }
    Ok(())
}

/// Round after round over all rows, so that a drift of the machine meets every peer alike.
fn measure(
    processes: &mut [Process],
    rows: &[(Figure, Vec<(usize, usize)>)],
    args: &Args,
    missing: &mut BTreeMap<String, String>,
) -> BTreeMap<(usize, usize), Vec<f64>> {
    let rounds = args.samples.unwrap_or(if args.quick { 40 } else { 300 });
    let figures: usize = rows.iter().map(|(_, cells)| cells.len()).sum();
    eprintln!("measuring {figures} figures, {rounds} samples each");
    let mut samples: BTreeMap<_, Vec<f64>> = BTreeMap::new();
    let start = Instant::now();
    for _ in 0..rounds {
        for &(p, f) in rows.iter().flat_map(|(_, cells)| cells) {
            let process = &mut processes[p];
            if missing.contains_key(&process.name) {
                continue;
            }
            match process.sample(f) {
                Ok(ns) => samples.entry((p, f)).or_default().push(ns),
                Err(why) => {
                    let why = format!(
                        "{why:#}, in {} of set {}",
                        process.figures[f].op, process.figures[f].set
                    );
                    eprintln!("missing: {}: {why}", process.name);
                    missing.insert(process.name.clone(), why);
                }
            }
        }
        if args.quick && start.elapsed() > QUICK {
            break;
        }
    }
    samples
}
