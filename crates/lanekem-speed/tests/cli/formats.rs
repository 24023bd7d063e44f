use crate::{document, speed, stdout};
use lanekem::Backend;

const SHORT: [&str; 6] = ["--seconds", "0.002", "--set", "512,768", "--threads", "2"];
const TITLES: [&str; 9] = [
    "keygen",
    "encaps",
    "decaps",
    "server",
    "client",
    "encaps, prepared",
    "keygen, batch 64",
    "encaps, batch 64",
    "decaps, batch 64",
];

#[test]
fn text() {
    for arguments in [&[][..], &["--format", "text"], &["--format", "table"]] {
        let text = stdout(speed(&SHORT).args(arguments));
        let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
        assert!(line("CPU ").len() > "CPU      ".len());
        let backend = line("backend ");
        for available in Backend::available() {
            assert!(backend.contains(available.name()), "{backend}");
        }
        assert!(line("check ").contains("known answers of 100 runs: ok"));
        for set in ["ML-KEM-512", "ML-KEM-768"] {
            assert_eq!(text.matches(set).count(), 1);
        }
        for title in TITLES {
            let title = format!("{title}  ");
            assert_eq!(text.lines().filter(|line| line.starts_with(&title)).count(), 2, "{title}");
        }
        for column in ["ops/s", "ns/op", "p50", "p99.9", "threads", "scaling"] {
            assert!(line("ML-KEM-512").contains(column), "{column}");
        }
        assert!(!text.contains('\x1b'), "a pipe gets no colours");
    }
}

#[test]
fn csv() {
    let text = stdout(speed(&SHORT).args(["--format", "csv"]));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let records: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 2 * TITLES.len());
    let column = |name: &str| header.iter().position(|column| column == name).unwrap();
    for record in &records {
        assert_eq!(&record[column("threads")], "2");
        for name in ["ops_per_s_mean", "latency_ns_p99.9", "scaling", "ns_per_op"] {
            assert!(record[column(name)].parse::<f64>().unwrap() > 0.0, "{name}");
        }
        assert_eq!(&record[column("compared_ratio")], "");
    }
}

#[test]
fn markdown() {
    let text = stdout(speed(&SHORT).args(["--format", "md"]));
    assert_eq!(text.matches("### ML-KEM-").count(), 2);
    let rows: Vec<_> = text.lines().filter(|line| line.starts_with('|')).collect();
    // A header and the line below it, then the tests.
    assert_eq!(rows.len(), 2 * (2 + TITLES.len()));
    let cells = |row: &str| row.matches('|').count();
    assert!(rows.iter().all(|row| cells(row) == cells(rows[0])), "{text}");
}

#[test]
fn json_has_what_was_asked_for() {
    let document = document(&["--op", "encaps", "--mode", "single", "--set", "768"]);
    assert_eq!(document["seconds"], 0.002);
    assert_eq!(document["lanekem"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["machine"]["arch"], std::env::consts::ARCH);
}
