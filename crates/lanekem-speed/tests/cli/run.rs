use crate::{calls, document, document_of, speed, stdout, tests};
use lanekem::Backend;
use serde_json::Value;

const TOUR: [&str; 9] = [
    "keygen single 1",
    "encaps single 1",
    "decaps single 1",
    "server single 1",
    "client single 1",
    "encaps prepared 1",
    "keygen batch 64",
    "encaps batch 64",
    "decaps batch 64",
];

/// Figures that say the same in several ways agree, and others are in order.
fn consistent(result: &Value) {
    let of = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{result}"));
    let (rates, latency) = (&result["ops_per_s"], &result["latency_ns"]);
    let (mean, threads) = (of(&rates["mean"]), of(&result["threads"]));
    assert!((mean * of(&result["ns_per_op"]) / threads / 1e9 - 1.0).abs() < 0.001, "{result}");
    for rate in ["min", "median"] {
        assert!(of(&rates[rate]) <= of(&rates["max"]), "{result}");
    }
    assert!(mean > 0.0);
    let quantiles = ["p50", "p99", "p99.9", "max"].map(|name| of(&latency[name]));
    assert!(quantiles[0] > 0.0 && quantiles.is_sorted(), "{result}");
    let scaling = &result["scaling"];
    assert_eq!(scaling.is_null(), threads == 1.0, "{result}");
    if threads > 1.0 {
        let factor = mean / of(&scaling["one_thread_ops_per_s"]);
        assert!((of(&scaling["factor"]) / factor - 1.0).abs() < 0.001, "{result}");
    }
}

#[test]
fn tour() {
    for arguments in [&[][..], &["run"]] {
        let document = document(arguments);
        let expected: Vec<_> =
            [512, 768, 1024].into_iter().flat_map(|s| TOUR.map(|c| (s, c))).collect();
        let tests = tests(&document);
        let sets = tests.iter().map(|test| test.0);
        let calls = calls(&document);
        assert_eq!(sets.zip(calls.iter().map(String::as_str)).collect::<Vec<_>>(), expected);
        assert_eq!(document["backend"], Backend::available().last().unwrap().name());
        assert_eq!(document["interrupted"], false);
        document["results"].as_array().unwrap().iter().for_each(consistent);
    }
}

#[test]
fn sets() {
    let of = |set| tests(&document(&["--op", "keygen", "--mode", "single", "--set", set]));
    for (name, set) in [("512", 512), ("768", 768), ("1024", 1024)] {
        assert_eq!(of(name).iter().map(|test| test.0).collect::<Vec<_>>(), [set]);
    }
    assert_eq!(of("1024,512").iter().map(|test| test.0).collect::<Vec<_>>(), [512, 1024]);
    assert_eq!(of("all").len(), 3);
}

#[test]
fn operations_and_modes() {
    let of = |arguments: &[&str]| calls(&document(&[&["--set", "512"], arguments].concat()));
    assert_eq!(of(&["--op", "client"]), ["client single 1", "client batch 64"]);
    assert_eq!(
        of(&["--op", "encaps,keygen", "--mode", "single"]),
        ["keygen single 1", "encaps single 1"]
    );
    assert_eq!(
        of(&["--mode", "compact"]),
        ["keygen compact 1", "decaps compact 1", "client compact 1"]
    );
    assert_eq!(
        of(&["--mode", "prepared", "--batch", "1,8"]),
        ["encaps prepared 1", "encaps prepared 8", "decaps prepared 1", "decaps prepared 8"]
    );
    assert_eq!(of(&["--op", "server", "--batch", "3,9"]), ["server batch 3", "server batch 9"]);
    assert_eq!(of(&["--op", "all", "--mode", "all"]).len(), 5 + 2 + 3 + 5);
}

#[test]
fn threads() {
    let of = |threads| {
        document(&["--op", "decaps", "--mode", "single", "--set", "512", "--threads", threads])
    };
    for (argument, expected) in [("1", vec![1]), ("3", vec![3]), ("2,1,2", vec![2, 1])] {
        let document = of(argument);
        assert_eq!(tests(&document).iter().map(|test| test.4).collect::<Vec<_>>(), expected);
        document["results"].as_array().unwrap().iter().for_each(consistent);
    }
    let all = of("all");
    assert_eq!(all["machine"]["cpus"], all["results"][0]["threads"]);
}

#[test]
fn pinned() {
    let test = ["--pin", "--op", "encaps", "--mode", "single", "--set", "512"];
    assert_eq!(document(&test)["results"].as_array().unwrap().len(), 1);
}

#[test]
fn backend_by_option_and_by_environment() {
    let common = ["--set", "512", "--mode", "single", "--format", "json", "--seconds", "0.001"];
    for backend in Backend::available().map(Backend::name) {
        let by_option = document_of(speed(&common).args(["--backend", backend]));
        let by_environment = document_of(speed(&common).env("LANEKEM_BACKEND", backend));
        // The option wins.
        let both = document_of(
            speed(&common).args(["--backend", backend]).env("LANEKEM_BACKEND", "portable"),
        );
        for document in [by_option, by_environment, both] {
            assert_eq!(document["backend"], backend);
        }
    }
}

#[test]
fn a_line_each_second() {
    let arguments = ["--op", "encaps", "--mode", "batch", "--set", "512", "--batch", "4"];
    let text = stdout(speed(&arguments).args(["--threads", "2", "--seconds", "2"]));
    let seconds: Vec<u64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("OPERATIONS/second  "))
        .map(|number| number.parse().unwrap())
        .collect();
    assert_eq!(seconds.len(), 2, "{text}");
    assert!(
        text.contains("ML-KEM-512 encaps, batch 4, 2 threads\nbatch (batched): 4 keys a call\n")
    );
    for part in ["a second: mean ", " TSC cycles", "a call: p50 ", "scaling: "] {
        assert!(
            part == " TSC cycles" && !cfg!(target_arch = "x86_64") || text.contains(part),
            "{text}"
        );
    }
}

/// Ctrl-C: what was measured is printed, and the status says so.
#[cfg(unix)]
#[test]
fn interrupted() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::{Command, Stdio};

    let mut child = Command::new(env!("CARGO_BIN_EXE_lanekem-speed"))
        .args(["--set", "512", "--op", "keygen", "--mode", "single", "--seconds", "600"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("OPERATIONS/second") {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "it ended by itself");
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(rest.contains("a second: mean ") && rest.ends_with("Ended by Ctrl-C.\n"), "{rest}");
}
