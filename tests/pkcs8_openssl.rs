//! OpenSSL, in Node, reads the keys that are written here, and the two agree on secrets.

mod common;

use common::{Expanded, ShakeRng, for_each_set, hex, unhex};
use lanekem::pkcs8::{EncodePrivateKey, EncodePublicKey, LineEnding};
use lanekem::{Ciphertext, DecapsulationKey, ParameterSet};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

/// What Node is asked to do with one key.
fn case<P: ParameterSet>(dk: &DecapsulationKey<P>, rng: &mut ShakeRng) -> (Value, [u8; 32]) {
    let (ciphertext, secret) = dk.encapsulation_key().encapsulate(rng);
    let ek = dk.encapsulation_key();
    let case = json!({
        "private_der": hex(dk.to_pkcs8_der().unwrap().as_bytes()),
        "private_pem": *dk.to_pkcs8_pem(LineEnding::LF).unwrap(),
        "public_der": hex(ek.to_public_key_der().unwrap().as_bytes()),
        "public_pem": ek.to_public_key_pem(LineEnding::LF).unwrap(),
        "ciphertext": hex(ciphertext.as_bytes()),
    });
    (case, *secret.as_bytes())
}

fn exchange<P: ParameterSet>(node: &str) {
    const KEYS: usize = 50;
    let mut rng = ShakeRng::new(P::NAME.as_bytes());
    let dks: Vec<_> = (0..KEYS).map(|_| DecapsulationKey::<P>::generate(&mut rng)).collect();
    let (cases, secrets): (Vec<_>, Vec<_>) = dks.iter().map(|dk| case(dk, &mut rng)).unzip();

    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pkcs8_openssl.mjs");
    let mut node = Command::new(node)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("LANEKEM_NODE runs");
    node.stdin.take().unwrap().write_all(json!(cases).to_string().as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();

    assert_eq!(answers.len(), KEYS);
    for ((dk, secret), answer) in dks.iter().zip(&secrets).zip(&answers) {
        let field = |name: &str| unhex(answer[name].as_str().unwrap());
        assert_eq!(field("decapsulated"), secret);
        let ciphertext = Ciphertext::from_bytes(&field("ciphertext")).unwrap();
        assert_eq!(dk.decapsulate(&ciphertext).as_bytes(), &field("secret")[..]);
        let back = DecapsulationKey::<P>::from_pkcs8(&field("private_der")).unwrap();
        assert_eq!(back.expanded(), dk.expanded());
    }
    println!("{}: {KEYS} keys read by OpenSSL, {KEYS} secrets agreed each way", P::NAME);
}

/// `LANEKEM_NODE=node cargo test --test pkcs8_openssl -- --ignored --nocapture`, with Node 24.7 or later.
#[test]
#[ignore = "needs LANEKEM_NODE, a Node with OpenSSL 3.5"]
fn openssl_reads_what_is_written() {
    let node = std::env::var("LANEKEM_NODE").expect("LANEKEM_NODE is the path of Node");
    for_each_set!(exchange(&node));
}
