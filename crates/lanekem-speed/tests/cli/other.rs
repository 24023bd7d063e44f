use crate::{speed, stdout, validate};
use lanekem::Backend;
use serde_json::Value;
use std::fs;

#[test]
fn help_and_version() {
    let help = stdout(&mut speed(&["--help"]));
    let options = ["--op", "--set", "--mode", "--batch", "--threads", "--seconds", "--backend"];
    let more = ["--pin", "--format", "--save", "--compare", "--fail-below", "LANEKEM_BACKEND"];
    for option in options.iter().chain(&more) {
        assert!(help.contains(option), "{option}");
    }
    for command in ["run", "report", "info", "selftest", "completions", "man"] {
        assert!(help.contains(&format!("\n  {command} ")), "{command}");
        assert!(stdout(&mut speed(&[command, "--help"])).contains("Usage: lanekem-speed"));
    }
    assert!(stdout(&mut speed(&["--version"])).starts_with("lanekem-speed "));
}

#[test]
fn selftest() {
    let text = stdout(&mut speed(&["selftest"]));
    for backend in Backend::ALL {
        let lines = text.lines().filter(|line| line.starts_with(&format!("{backend} ")));
        assert_eq!(lines.count(), if backend.is_available() { 3 } else { 1 }, "{text}");
    }
    assert_eq!(text.matches("  ok: ").count(), 3 * Backend::available().count());
}

#[test]
fn info() {
    let text = stdout(&mut speed(&["info"]));
    for part in ["CPU ", "TSC ", "backend ", "PreparedEncapsulationKey"] {
        assert!(text.contains(part), "{part}");
    }
    let info: Value =
        serde_json::from_str(&stdout(&mut speed(&["info", "--format", "json"]))).unwrap();
    assert_eq!(info["backend"], Backend::available().last().unwrap().name());
    for (backend, entry) in Backend::ALL.iter().zip(info["backends"].as_array().unwrap()) {
        assert_eq!(entry["name"], backend.name());
        assert_eq!(entry["available"], backend.is_available());
        assert_eq!(entry["missing"].as_array().unwrap().is_empty(), backend.is_available());
    }
    let key = &info["keys"][5];
    assert_eq!((&key["form"], &key["set"]), (&"DecapsulationKey".into(), &768.into()));
    let size = size_of::<lanekem::mlkem768::DecapsulationKey>();
    assert_eq!(key["memory"], size);
}

#[test]
fn info_tells_why() {
    let forced = stdout(speed(&["info"]).env("LANEKEM_BACKEND", "portable"));
    assert!(forced.contains("portable: LANEKEM_BACKEND asks for it"), "{forced}");
    let wrong = stdout(speed(&["info"]).env("LANEKEM_BACKEND", "sse9"));
    assert!(wrong.contains("LANEKEM_BACKEND=sse9 is passed over"), "{wrong}");
}

#[test]
fn completions_and_manual() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&mut speed(&["completions", shell]));
        assert!(script.contains("lanekem-speed") && script.contains("fail-below"), "{shell}");
    }
    assert!(stdout(&mut speed(&["man"])).contains(".TH lanekem-speed 1"));
    assert!(stdout(&mut speed(&["man", "report"])).contains("\\-\\-output"));
}

#[test]
fn report() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let path = file.to_str().unwrap();
    let arguments = ["report", "--set", "512", "--seconds", "0.001", "--output", path];
    assert_eq!(stdout(&mut speed(&arguments)), format!("{path}\n"));
    let page = fs::read_to_string(&file).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    // Throughput, batches and Keccak; threads where there are several CPUs.
    let several = std::thread::available_parallelism().unwrap().get() > 1;
    assert_eq!(page.matches("<svg").count(), 3 + usize::from(several));
    for part in ["http://", "https://", "<script>", "src=", "NaN", "inf"] {
        let page = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains(part), "{part}");
    }
    let start = page.find("id=\"results\">").unwrap() + "id=\"results\">".len();
    let end = start + page[start..].find("</script>").unwrap();
    let documents: Vec<Value> = serde_json::from_str(&page[start..end]).unwrap();
    assert_eq!(documents.len(), Backend::available().count());
    documents.iter().for_each(validate);
}

/// A reader that goes away early is no failure.
#[cfg(unix)]
#[test]
fn closed_pipe() {
    use std::process::{Command, Stdio};

    for arguments in [&["--seconds", "0.01"][..], &["info"], &["man"], &["completions", "zsh"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lanekem-speed"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?} {output:?}");
    }
}
