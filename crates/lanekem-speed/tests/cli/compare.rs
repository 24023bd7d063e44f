use crate::{document, document_of, speed, validate};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const TEST: [&str; 8] =
    ["--op", "encaps", "--mode", "single", "--set", "512", "--seconds", "0.005"];

/// Writes results of a run so many times as fast as one that just was, with no noise.
fn baseline(path: &Path, times: f64) {
    let mut document = document(&TEST[..6]);
    for result in document["results"].as_array_mut().unwrap() {
        let median = result["ops_per_s"]["median"].as_f64().unwrap();
        result["ops_per_s"]["median"] = json!(median * times);
        result["ops_per_s"]["noise"] = json!(0.0);
    }
    validate(&document);
    fs::write(path, document.to_string()).unwrap();
}

fn compared(arguments: &[&str]) -> Value {
    let document = document_of(speed(&TEST).args(["--format", "json"]).args(arguments));
    document["results"][0]["compared"].clone()
}

#[test]
fn save_and_compare() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("before.json");
    let path = file.to_str().unwrap();
    let printed = document_of(speed(&TEST).args(["--format", "json", "--save", path]));
    let saved: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(printed, saved);

    let compared = compared(&["--compare", path]);
    assert_eq!(compared["before_ops_per_s"], saved["results"][0]["ops_per_s"]["median"]);
    assert!(compared["ratio"].as_f64().unwrap() > 0.0);

    // The same file may be read and then replaced.
    compared_and_saved(path);
    let again: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    validate(&again);
    assert!(again["results"][0]["compared"].is_object());
}

fn compared_and_saved(path: &str) {
    speed(&TEST).args(["--compare", path, "--save", path]).assert().success();
}

/// Against a run a thousand times as fast, or as slow: beyond any noise.
#[test]
fn verdicts_and_status() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("before.json");
    let path = file.to_str().unwrap();

    baseline(&file, 1e-3);
    let faster = compared(&["--compare", path, "--fail-below", "0.95"]);
    assert_eq!(faster["verdict"], "faster");

    baseline(&file, 1e9);
    // Noise of this run alone can hide nothing of that size only if it is below a half.
    let output = speed(&TEST).args(["--compare", path, "--fail-below", "0.95"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let row = text.lines().last().unwrap();
    assert!(row.starts_with("ML-KEM-512 encaps, 1 thread"), "{text}");
    if row.ends_with("FAILED") {
        assert_eq!(output.status.code(), Some(3));
        let line = String::from_utf8(output.stderr).unwrap();
        assert_eq!(line, "lanekem-speed: 1 test is slower than --fail-below allows\n");
    } else {
        assert!(row.ends_with("same"), "{text}");
        assert!(output.status.success());
    }
    let slower = compared(&["--compare", path]);
    assert!(["slower", "same"].contains(&slower["verdict"].as_str().unwrap()));
}

#[test]
fn other_formats_show_the_comparison() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("before.json");
    baseline(&file, 1e-3);
    let path = file.to_str().unwrap();
    for (format, part) in [("text", "faster"), ("md", "| faster"), ("csv", "compared_ratio")] {
        let mut command = speed(&TEST);
        let text = crate::stdout(command.args(["--compare", path, "--format", format]));
        assert!(text.contains(part), "{text}");
    }
}
