//! The program as its users start it. Figures are only checked for agreeing with each other: nothing
//! here depends on how fast the machine is.

use assert_cmd::Command;
use lanekem::Backend;
use serde_json::Value;

const SETS: [u64; 3] = [512, 768, 1024];
const OPS: [&str; 8] = [
    "keygen",
    "encaps",
    "decaps",
    "server",
    "client",
    "keygen_batch64",
    "encaps_batch64",
    "decaps_batch64",
];
const TITLES: [&str; 8] = [
    "keygen",
    "encaps",
    "decaps",
    "parse + encaps (server)",
    "keygen + decaps (client)",
    "keygen, batch of 64",
    "encaps, batch of 64",
    "decaps, batch of 64",
];

fn speed(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekem-speed"));
    command.env_remove("LANEKEM_BACKEND").args(arguments);
    command
}

fn stdout(command: &mut Command) -> String {
    let output = command.assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn lines(command: &mut Command) -> Vec<Value> {
    stdout(command).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Exit status 2, one line on standard error that says `what`, nothing on standard output.
fn refused(command: &mut Command, what: &str) {
    let output = command.assert().code(2).get_output().clone();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.starts_with("lanekem-speed: ") && line.contains(what), "{line}");
    assert!(output.stdout.is_empty());
}

#[test]
fn json_has_every_set_and_operation() {
    let lines = lines(&mut speed(&["--format", "json", "--seconds", "0.001"]));
    let expected: Vec<_> = SETS.iter().flat_map(|&s| OPS.map(|op| (s, op))).collect();
    let found: Vec<_> = lines
        .iter()
        .map(|line| (line["set"].as_u64().unwrap(), line["op"].as_str().unwrap()))
        .collect();
    assert_eq!(found, expected);
    let fastest = Backend::available().last().unwrap().name();
    for line in &lines {
        assert!(!line["cpu"].as_str().unwrap().is_empty());
        assert_eq!(line["backend"], fastest);
        let ns = line["ns_per_op"].as_f64().unwrap();
        assert!(ns > 0.0 && ns <= line["ns_per_op_median"].as_f64().unwrap());
        let product = ns * line["ops_per_s"].as_f64().unwrap();
        assert!((product / 1e9 - 1.0).abs() < 0.001, "{line}");
    }
}

#[test]
fn one_set() {
    for set in SETS {
        let name = set.to_string();
        let arguments = ["--set", &name, "--format", "json", "--seconds", "0.001"];
        let lines = lines(&mut speed(&arguments));
        assert_eq!(lines.len(), OPS.len());
        assert!(lines.iter().all(|line| line["set"] == set));
    }
}

#[test]
fn table_names_the_machine_the_check_and_every_figure() {
    let text = stdout(&mut speed(&["--seconds", "0.001"]));
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(line("CPU ").len() > "CPU      ".len());
    let backend = line("backend ");
    for available in Backend::available() {
        assert!(backend.contains(available.name()), "{backend}");
    }
    assert!(line("check ").contains("known answers of 100 runs: ok"));
    for set in SETS {
        assert_eq!(text.matches(&format!("ML-KEM-{set}")).count(), 1);
    }
    for title in TITLES {
        let title = format!("{title}  ");
        let rows = text.lines().filter(|line| line.trim_start().starts_with(&title)).count();
        assert_eq!(rows, SETS.len(), "{title}");
    }
    assert!(!text.contains('\x1b'), "a pipe gets no colours");
}

#[test]
fn backend_by_option_and_by_environment() {
    let common = ["--set", "512", "--format", "json", "--seconds", "0.001"];
    for backend in Backend::available().map(Backend::name) {
        let by_option = lines(speed(&common).args(["--backend", backend]));
        let by_environment = lines(speed(&common).env("LANEKEM_BACKEND", backend));
        // The option wins.
        let both =
            lines(speed(&common).args(["--backend", backend]).env("LANEKEM_BACKEND", "portable"));
        for lines in [by_option, by_environment, both] {
            assert!(lines.iter().all(|line| line["backend"] == backend));
        }
    }
}

#[test]
fn impossible_requests() {
    refused(&mut speed(&["--frobnicate"]), "--frobnicate");
    refused(&mut speed(&["stray"]), "stray");
    refused(&mut speed(&["--set", "640"]), "640");
    refused(&mut speed(&["--format", "xml"]), "xml");
    refused(&mut speed(&["--seconds"]), "--seconds");
    for seconds in ["0", "-1", "0.0001", "601", "nan", "soon"] {
        refused(&mut speed(&[&format!("--seconds={seconds}")]), "--seconds");
    }
    refused(&mut speed(&["--backend", "sse9"]), "sse9");
    refused(speed(&[]).env("LANEKEM_BACKEND", "sse9"), "LANEKEM_BACKEND=sse9");
    // Also where the option names a good one.
    let mut both = speed(&["--backend", "portable"]);
    refused(both.env("LANEKEM_BACKEND", "sse9"), "LANEKEM_BACKEND=sse9");
    for missing in Backend::ALL.iter().filter(|backend| !backend.is_available()) {
        refused(&mut speed(&["--backend", missing.name()]), "cannot run");
        refused(speed(&[]).env("LANEKEM_BACKEND", missing.name()), "cannot run");
    }
}

#[test]
fn help_and_version() {
    let help = stdout(&mut speed(&["--help"]));
    for option in ["--set", "--backend", "--seconds", "--format", "LANEKEM_BACKEND"] {
        assert!(help.contains(option), "{option}");
    }
    assert!(stdout(&mut speed(&["--version"])).starts_with("lanekem-speed "));
}
