//! The figures as a table, and as JSON.

use crate::measure::{Figures, quantile_us};
use crate::options::{Options, Over};
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use std::error::Error;
use std::fmt::Write;

/// A row as it is reported. Times in microseconds.
#[derive(Serialize)]
pub(crate) struct Line {
    pub(crate) group: &'static str,
    /// Whose group it is.
    #[serde(rename = "impl")]
    pub(crate) by: &'static str,
    /// Whose classical groups, ciphers and signatures go with it.
    provider: &'static str,
    pub(crate) pool: &'static str,
    pub(crate) cert: &'static str,
    over: String,
    delay_ms: f64,
    count: u64,
    pub(crate) bytes_client: u64,
    pub(crate) bytes_server: u64,
    pub(crate) mean_us: f64,
    pub(crate) p0_us: f64,
    pub(crate) p50_us: f64,
    pub(crate) p90_us: f64,
    pub(crate) p99_us: f64,
    /// Means, and medians: other work on the machine disturbs the latter less.
    client_cpu_us: f64,
    server_cpu_us: f64,
    client_cpu_p50_us: f64,
    server_cpu_p50_us: f64,
    /// A filler's, in memory.
    background_cpu_us: Option<f64>,
    /// Median CPU time of both sides, less that of the row without ML-KEM, if there is one.
    extra_cpu_us: Option<f64>,
    handshakes_per_s: f64,
    handshakes_per_s_all: f64,
}

impl Line {
    fn new(figures: &Figures, all: &[Figures], options: &Options) -> Self {
        let Figures { label, latency, client, server, .. } = figures;
        let base = all.iter().find(|base| base.label.is_base_of(label) && !label.is_classical());
        Self {
            group: label.group,
            by: label.by,
            provider: label.provider,
            pool: label.pool.name(),
            cert: label.cert.name(),
            over: options.over.to_string(),
            delay_ms: options.delay_ms.0,
            count: latency.len(),
            bytes_client: figures.bytes_client().round() as u64,
            bytes_server: figures.bytes_server().round() as u64,
            mean_us: tenths(latency.mean() / 1000.0),
            p0_us: tenths(quantile_us(latency, 0.0)),
            p50_us: tenths(quantile_us(latency, 0.5)),
            p90_us: tenths(quantile_us(latency, 0.9)),
            p99_us: tenths(quantile_us(latency, 0.99)),
            client_cpu_us: tenths(client.mean() / 1000.0),
            server_cpu_us: tenths(server.mean() / 1000.0),
            client_cpu_p50_us: tenths(quantile_us(client, 0.5)),
            server_cpu_p50_us: tenths(quantile_us(server, 0.5)),
            background_cpu_us: (options.over == Over::Memory)
                .then(|| tenths(figures.background_us())),
            extra_cpu_us: base.map(|base| tenths(figures.cpu_us() - base.cpu_us())),
            handshakes_per_s: tenths(figures.per_second()),
            handshakes_per_s_all: tenths(figures.per_second_all()),
        }
    }

    /// What a table says of the row, under [`HEADS`].
    pub(crate) fn cells(&self) -> Vec<String> {
        let us = |us: f64| format!("{us:.1}");
        let maybe = |value: Option<f64>| value.map_or("–".to_owned(), us);
        let by = match self.by == self.provider {
            true => self.by.to_owned(),
            false => format!("{} over {}", self.by, self.provider),
        };
        let texts = [self.group.to_owned(), by, self.pool.to_owned(), self.cert.to_owned()];
        let figures = [
            self.bytes_client.to_string(),
            self.bytes_server.to_string(),
            us(self.mean_us),
            us(self.p0_us),
            us(self.p50_us),
            us(self.p90_us),
            us(self.p99_us),
            us(self.client_cpu_p50_us),
            us(self.server_cpu_p50_us),
            maybe(self.background_cpu_us.filter(|_| self.pool == "filler")),
            maybe(self.extra_cpu_us),
            format!("{:.0}", self.handshakes_per_s),
            format!("{:.0}", self.handshakes_per_s_all),
        ];
        texts.into_iter().chain(figures).collect()
    }
}

/// Of [`Line::cells`]; the first four are of text.
pub(crate) const HEADS: [&str; 17] = [
    "group",
    "of",
    "pool",
    "cert",
    "bytes C",
    "bytes S",
    "mean",
    "p0",
    "p50",
    "p90",
    "p99",
    "CPU C",
    "CPU S",
    "filler",
    "extra",
    "1 core /s",
    "all /s",
];
pub(crate) const TEXTS: usize = 4;

/// Four digits are more than there is to know.
fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

pub(crate) fn lines(figures: &[Figures], options: &Options) -> Vec<Line> {
    figures.iter().map(|row| Line::new(row, figures, options)).collect()
}

pub(crate) fn json(figures: &[Figures], options: &Options) -> Result<String, Box<dyn Error>> {
    let mut text = String::new();
    for line in lines(figures, options) {
        writeln!(text, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(text)
}

pub(crate) fn table(figures: &[Figures], options: &Options) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(HEADS);
    for line in lines(figures, options) {
        table.add_row(line.cells());
    }
    for column in table.column_iter_mut().skip(TEXTS) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let rows = table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    format!("{}\n\n{}\n\n{}\n", title(options), rows.join("\n"), notes(options).join("\n"))
}

pub(crate) fn title(options: &Options) -> String {
    let Options { count, over, delay_ms, .. } = options;
    let delay = match delay_ms.is_none() {
        true => String::new(),
        false => format!(", {} ms of delay each way", delay_ms.0),
    };
    format!("{count} TLS 1.3 handshakes of each row over {over}{delay}; times in µs")
}

/// What the columns mean.
pub(crate) fn notes(options: &Options) -> [&'static str; 4] {
    let (latency, cpu, rate) = match options.over {
        Over::Memory => (
            "mean to p99: both sides, one after the other, on one core.",
            "CPU C, CPU S: medians of the client's and the server's part. filler: CPU time of the pool's thread, for each handshake.",
            "1 core /s: handshakes in a second of CPU time of the thread that does both sides. all /s: on all cores at once.",
        ),
        Over::Tcp => (
            "mean to p99: from the client's first step, connected, until its last message is sent.",
            "CPU C, CPU S: medians of the CPU time of the client's and the server's thread, system calls included.",
            "1 core /s: one connection after the other, client and server on a thread each. all /s: as many connections at once as there are cores.",
        ),
    };
    [
        "bytes C, bytes S: all that client and server send, records' headers included, TCP's and IP's not.",
        latency,
        cpu,
        rate,
    ]
}
