//! Where the linker finds `memory.x`, and NIST's vectors as bytes.

use serde_json::Value;
use std::{env, fs, path::Path};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").unwrap();
    println!("cargo:rustc-link-search={root}");
    println!("cargo:rerun-if-changed=memory.x");
    println!("cargo:rerun-if-changed=build.rs");
    let mut vectors = Vec::new();
    for file in ["keyGen", "encapDecap"] {
        let path = format!("{root}/../../kat/acvp/ML-KEM-{file}-FIPS203.json");
        println!("cargo:rerun-if-changed={path}");
        let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        for group in file["testGroups"].as_array().unwrap() {
            write_group(&mut vectors, group);
        }
    }
    fs::write(Path::new(&env::var("OUT_DIR").unwrap()).join("acvp.bin"), vectors).unwrap();
}

/// Each test as its set (k), its function, whether it is to pass, and its fields, each of them after its
/// length.
fn write_group(out: &mut Vec<u8>, group: &Value) {
    let k = match group["parameterSet"].as_str().unwrap() {
        "ML-KEM-512" => 2,
        "ML-KEM-768" => 3,
        "ML-KEM-1024" => 4,
        other => panic!("unknown parameter set {other}"),
    };
    let (function, fields): (u8, &[&str]) = match group["function"].as_str() {
        None => (b'k', &["d", "z", "ek", "dk"]),
        Some("encapsulation") => (b'e', &["ek", "m", "c", "k"]),
        Some("decapsulation") => (b'd', &["dk", "c", "k"]),
        Some("encapsulationKeyCheck") => (b'p', &["ek"]),
        Some("decapsulationKeyCheck") => (b's', &["dk"]),
        Some(other) => panic!("unknown function {other}"),
    };
    for test in group["tests"].as_array().unwrap() {
        let passes = test["testPassed"].as_bool().unwrap_or(true);
        out.extend([k, function, u8::from(passes)]);
        for field in fields {
            let hex = test[field].as_str().unwrap();
            out.extend(u16::try_from(hex.len() / 2).unwrap().to_le_bytes());
            out.extend(
                (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()),
            );
        }
    }
}
