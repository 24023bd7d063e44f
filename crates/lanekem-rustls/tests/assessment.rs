//! The example `handshakes` as its users start it: rows, fields and bytes. Nothing here depends on times.

use serde_json::Value;
use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Group, bytes of its client's and its server's share.
const SHARES: [(&str, i64, i64); 14] = [
    ("X25519", 32, 32),
    ("P-256", 65, 65),
    ("P-384", 97, 97),
    ("X25519MLKEM768", 1216, 1120),
    ("SecP256r1MLKEM768", 1249, 1153),
    ("SecP384r1MLKEM1024", 1665, 1665),
    ("MLKEM512", 800, 768),
    ("MLKEM768", 1184, 1088),
    ("MLKEM1024", 1568, 1568),
    ("X25519+T_H-768", 1216, 1120),
    ("T_H-512", 800, 768),
    ("T_H-768", 1184, 1088),
    ("T_H-1024", 1568, 1568),
    ("T_CH-768", 1184, 1120),
];
const TIMES: [&str; 11] = [
    "mean_us",
    "p0_us",
    "p50_us",
    "p90_us",
    "p99_us",
    "client_cpu_us",
    "server_cpu_us",
    "client_cpu_p50_us",
    "server_cpu_p50_us",
    "handshakes_per_s",
    "handshakes_per_s_all",
];

/// Tests do not know where examples are, nor does `cargo test --test` build them.
fn example() -> &'static Path {
    static EXAMPLE: OnceLock<PathBuf> = OnceLock::new();
    EXAMPLE.get_or_init(|| {
        let own = env::current_exe().unwrap();
        let profile = own.ancestors().nth(2).unwrap();
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--package", env!("CARGO_PKG_NAME")]);
        cargo.args(["--example", "handshakes", "--target-dir"]).arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        // What cargo tells this test makes build scripts run again that look at it.
        for (name, _) in env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                cargo.env_remove(&*name);
            }
        }
        assert!(cargo.status().unwrap().success());
        profile.join("examples").join(format!("handshakes{}", env::consts::EXE_SUFFIX))
    })
}

fn run(arguments: &[&str]) -> Output {
    Command::new(example()).args(["--count", "20"]).args(arguments).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = run(arguments);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && errors.is_empty(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn rows(arguments: &[&str]) -> Vec<Value> {
    let text = stdout(&[arguments, &["--format", "json"]].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn name(row: &Value) -> [&str; 5] {
    ["group", "impl", "provider", "pool", "cert"].map(|field| row[field].as_str().unwrap())
}

/// The rows over aws-lc-rs, which every machine can run.
fn expected(cert: &'static str) -> Vec<[&'static str; 5]> {
    let mut rows = Vec::new();
    for (group, ..) in SHARES {
        if group.contains("T_") {
            rows.push([group, "lanekem", "aws-lc-rs", "none", cert]);
        } else if !["MLKEM512", "SecP384r1MLKEM1024"].contains(&group) {
            rows.push([group, "aws-lc-rs", "aws-lc-rs", "none", cert]);
        }
        if group.contains("MLKEM") {
            for pool in ["none", "inline", "filler"] {
                rows.push([group, "lanekem", "aws-lc-rs", pool, cert]);
            }
        }
    }
    rows
}

/// Rows are complete, and differ in bytes by what their key shares differ by. A signature may be up to
/// `slack` bytes shorter or longer than another.
fn check(rows: &[Value], over: &str, cert: &'static str, slack: i64) {
    let names: Vec<_> = rows.iter().map(name).collect();
    let missing: Vec<_> = expected(cert).into_iter().filter(|row| !names.contains(row)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let bytes = |row: &Value, side: &str| row[side].as_i64().unwrap();
    let shares: HashMap<_, _> = SHARES.map(|(group, c, s)| (group, (c, s))).into();
    for row in rows {
        let [group, _, provider, _, _] = name(row);
        assert_eq!((row["over"].as_str(), row["count"].as_u64()), (Some(over), Some(20)));
        for field in TIMES {
            assert!(row[field].as_f64().unwrap() > 0.0, "{field} of {row}");
        }
        let percentiles = ["p0_us", "p50_us", "p90_us", "p99_us"].map(|p| row[p].as_f64());
        assert!(percentiles.is_sorted(), "{row}");
        let base = rows.iter().find(|row| name(row)[..3] == ["X25519", provider, provider]);
        let (base, (client, server)) = (base.unwrap(), shares[group]);
        let more = |side| bytes(row, side) - bytes(base, side);
        assert_eq!(more("bytes_client"), client - 32, "{row}");
        assert!((more("bytes_server") - (server - 32)).abs() <= slack, "{row}");
        let classical = ["X25519", "P-256", "P-384"].contains(&group);
        assert_eq!(row["extra_cpu_us"].is_number(), !classical, "{row}");
    }
}

#[test]
fn in_memory_with_signatures_of_one_length() {
    check(&rows(&["--cert", "rsa"]), "memory", "rsa", 0);
}

#[test]
fn over_tcp() {
    check(&rows(&["--over", "tcp", "--cert", "rsa"]), "tcp", "rsa", 0);
}

#[test]
fn in_memory_with_ecdsa() {
    check(&rows(&[]), "memory", "ecdsa", 3);
}

/// A client is done a round trip after its first message.
#[test]
fn a_delay_is_met_by_every_flight() {
    let rows = rows(&["--over", "tcp", "--delay-ms", "3", "--filter", "x25519 aws-lc-rs"]);
    assert_eq!(rows.iter().map(name).collect::<Vec<_>>(), [expected("ecdsa")[0]]);
    assert!(rows[0]["p0_us"].as_f64().unwrap() >= 6000.0, "{}", rows[0]);
    assert_eq!(rows[0]["delay_ms"], 3.0);
}

#[test]
fn filters_and_both_certificates() {
    let filters = ["--filter", "MLKEM512 inline", "--filter", "mlkem1024 aws-lc-rs none"];
    let rows = rows(&[&filters[..], &["--cert", "both"]].concat());
    let groups = |cert| {
        [
            ["MLKEM512", "lanekem", "aws-lc-rs", "inline", cert],
            ["MLKEM1024", "aws-lc-rs", "aws-lc-rs", "none", cert],
            ["MLKEM1024", "lanekem", "aws-lc-rs", "none", cert],
        ]
    };
    assert_eq!(
        rows.iter().map(name).collect::<Vec<_>>(),
        [groups("ecdsa"), groups("rsa")].concat()
    );
    assert!(rows.iter().all(|row| row["extra_cpu_us"].is_null()), "nothing to compare with");
}

#[test]
fn table_and_page_have_every_row() {
    let table = stdout(&[]);
    let page = stdout(&["--format", "html"]);
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.matches("<svg").count() >= 5);
    // Nothing from elsewhere: the only addresses are names of SVG's namespace.
    assert_eq!(page.matches("://").count(), page.matches("xmlns=").count());
    for [group, by, provider, pool, cert] in expected("ecdsa") {
        let by = if by == provider { by.to_owned() } else { format!("{by} over {provider}") };
        let in_table = table.lines().any(|line| {
            line.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .starts_with(&format!("{group} {by} {pool} {cert} "))
        });
        assert!(in_table, "{group} {by} {pool}");
        let cells = [group, &by, pool, cert].map(|cell| format!("<td class=\"text\">{cell}</td>"));
        assert!(page.contains(&cells.concat()), "{group} {by} {pool}");
    }
}

#[test]
fn what_cannot_be_met_is_refused_in_one_line() {
    for (arguments, what) in [
        (&["--count", "0"][..], "--count"),
        (&["--over", "udp"], "--over"),
        (&["--delay-ms", "1"], "--delay-ms"),
        (&["--over", "tcp", "--delay-ms=-1"], "--delay-ms"),
        (&["--over", "tcp", "--delay-ms=nan"], "--delay-ms"),
        (&["--cert", "dsa"], "--cert"),
        (&["--format", "xml"], "--format"),
        (&["--filter", "x25519 x448"], "x25519 x448"),
        (&["--colour"], "--colour"),
    ] {
        let output = Command::new(example()).args(arguments).output().unwrap();
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(line.starts_with("handshakes: ") && line.contains(what), "{line}");
        assert!(output.stdout.is_empty());
    }
}
