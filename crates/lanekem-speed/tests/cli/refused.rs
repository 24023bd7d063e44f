use crate::{speed, stdout};
use assert_cmd::Command;
use lanekem::Backend;
use std::fs;

/// Exit status 2, one line on standard error that says `what`, nothing on standard output.
fn refused(command: &mut Command, what: &str) {
    let output = command.assert().code(2).get_output().clone();
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.starts_with("lanekem-speed: ") && line.contains(what), "{line}");
    assert!(output.stdout.is_empty());
}

#[test]
fn unknown() {
    refused(&mut speed(&["--frobnicate"]), "--frobnicate");
    refused(&mut speed(&["stray"]), "stray");
    refused(&mut speed(&["--set", "640"]), "640");
    refused(&mut speed(&["--op", "sign"]), "sign");
    refused(&mut speed(&["--mode", "fast"]), "fast");
    refused(&mut speed(&["--format", "xml"]), "xml");
    refused(&mut speed(&["completions", "dos"]), "dos");
    refused(&mut speed(&["man", "frobnicate"]), "frobnicate");
    refused(&mut speed(&["info", "--format", "xml"]), "xml");
    refused(&mut speed(&["--set", "512", "info"]), "info");
}

#[test]
fn numbers() {
    refused(&mut speed(&["--seconds"]), "--seconds");
    for seconds in ["0", "-1", "0.0001", "10000", "nan", "soon"] {
        refused(&mut speed(&[&format!("--seconds={seconds}")]), "--seconds");
        refused(&mut speed(&["report", &format!("--seconds={seconds}")]), "--seconds");
    }
    for number in ["0", "-1", "1.5", "many", "1000000"] {
        refused(&mut speed(&[&format!("--threads={number}")]), "--threads");
        refused(&mut speed(&[&format!("--batch={number}")]), "--batch");
    }
    refused(&mut speed(&["--compare", "x", "--fail-below", "95"]), "--fail-below");
    // More than any machine has.
    refused(&mut speed(&["--pin", "--threads", "1024"]), "--pin: 1024 threads");
}

#[test]
fn combinations() {
    refused(&mut speed(&["--op", "keygen", "--mode", "prepared"]), "keygen has no form");
    refused(&mut speed(&["--mode", "single", "--batch", "8"]), "--batch is for");
    refused(&mut speed(&["--fail-below", "0.95"]), "--compare");
}

#[test]
fn backends() {
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
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.json");
    let path = file.to_str().unwrap();
    refused(&mut speed(&["--compare", path]), "--compare");
    refused(&mut speed(&["--save", "/no/such/folder/x"]), "--save /no/such/folder/x");
    refused(&mut speed(&["--save", folder.path().to_str().unwrap()]), "--save");
    refused(&mut speed(&["report", "--output", "/no/such/folder/x"]), "--output");
    for text in ["", "{}", "[1, 2", "\u{0}"] {
        fs::write(&file, text).unwrap();
        refused(&mut speed(&["--compare", path]), "no results of --save");
    }
    let test = ["--op", "encaps", "--mode", "single", "--seconds", "0.002"];
    stdout(speed(&test).args(["--set", "512", "--save", path]));
    refused(speed(&test).args(["--set", "768", "--compare", path]), "none of the tests");
    let later = fs::read_to_string(&file).unwrap().replace("\"schema\": 1", "\"schema\": 2");
    fs::write(&file, later).unwrap();
    refused(speed(&test).args(["--set", "512", "--compare", path]), "form 2, not 1");
}
