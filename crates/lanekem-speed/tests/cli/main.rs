//! The program as its users start it. Figures are only checked for agreeing with each other: nothing
//! here depends on how fast the machine is.

mod compare;
mod formats;
mod other;
mod refused;
mod run;

use assert_cmd::Command;
use serde_json::Value;

fn speed(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanekem-speed"));
    command.env_remove("LANEKEM_BACKEND").args(arguments);
    command
}

/// Standard output of a run that succeeds and has nothing to complain about.
fn stdout(command: &mut Command) -> String {
    let output = command.assert().success().get_output().clone();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A short run's document, which is as the schema says.
fn document(arguments: &[&str]) -> Value {
    document_of(&mut speed(&[arguments, &["--format", "json", "--seconds", "0.002"]].concat()))
}

fn document_of(command: &mut Command) -> Value {
    let document = serde_json::from_str(&stdout(command)).unwrap();
    validate(&document);
    document
}

fn validate(document: &Value) {
    let schema = serde_json::from_str(include_str!("../../schema/results.schema.json")).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

/// Set, operation, mode, batch and threads of each result.
fn tests(document: &Value) -> Vec<(u64, String, String, u64, u64)> {
    let results = document["results"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let number = |value: &Value| value.as_u64().unwrap();
    results
        .map(|r| {
            let (op, mode) = (text(&r["op"]), text(&r["mode"]));
            (number(&r["set"]), op, mode, number(&r["batch"]), number(&r["threads"]))
        })
        .collect()
}

/// The same without set and threads, as `op mode batch`.
fn calls(document: &Value) -> Vec<String> {
    tests(document).iter().map(|(_, op, mode, batch, _)| format!("{op} {mode} {batch}")).collect()
}
