//! A check against a known answer, so that no figure is that of a wrong result: one hash over the
//! keys, ciphertexts and secrets of 100 runs, with inputs from SHAKE128 of the empty string.

use crate::failure::Failure;
use crate::measure::slots;
use crate::run::force;
use crate::test::Set;
use lanekem::{
    Backend, Ciphertext, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768, MlKem1024,
    ParameterSet, Seed,
};
use shake::{ExtendableOutput, Shake128, Update, XofReader};
use std::io::Write;

pub(crate) const RUNS: usize = 100;

/// Public constants, the same for every implementation of FIPS 203.
fn known<P: ParameterSet>() -> &'static str {
    match P::K {
        2 => "449120c6e320ef3e9fbfa2316e5f2d2e1e6dd37d8ff5d086d5d2db7d42aff0a1",
        3 => "8d65b902f28edc683cebee2872962fd165a4d197c9e24ec74caa4470270df0b7",
        _ => "c3ffe9ebecfa479c142656cbfbc6417efa05b77e994fe538eef4daed166363df",
    }
}

/// The inputs of all runs.
struct Inputs<P: ParameterSet> {
    seeds: Vec<Seed>,
    messages: Vec<[u8; 32]>,
    /// Ciphertexts of no key: each is rejected.
    forged: Vec<Ciphertext<P>>,
}

fn inputs<P: ParameterSet>() -> Inputs<P> {
    let mut stream = Shake128::default().finalize_xof();
    let mut inputs = Inputs { seeds: vec![], messages: vec![], forged: vec![] };
    for _ in 0..RUNS {
        let (mut seed, mut message) = ([0; 64], [0; 32]);
        let mut forged = vec![0; P::CIPHERTEXT_LEN];
        stream.read(&mut seed);
        stream.read(&mut message);
        stream.read(&mut forged);
        inputs.seeds.push(Seed::from(seed));
        inputs.messages.push(message);
        inputs.forged.push(Ciphertext::from_bytes(&forged).expect("a ciphertext's length"));
    }
    inputs
}

#[derive(Default)]
struct Hash(Shake128);

impl Hash {
    fn run<P: ParameterSet>(
        &mut self,
        dk: &DecapsulationKey<P>,
        ct: &Ciphertext<P>,
        accepted: &[u8; 32],
        rejected: &[u8; 32],
    ) {
        self.0.update(dk.encapsulation_key().as_bytes());
        self.0.update((*dk.to_expanded_bytes()).as_ref());
        self.0.update(ct.as_bytes());
        self.0.update(accepted);
        self.0.update(rejected);
    }

    fn equals(self, hex: &str) -> bool {
        let mut out = [0; 32];
        self.0.finalize_xof().read(&mut out);
        out.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == hex
    }
}

/// One run after the other.
fn single<P: ParameterSet>(inputs: &Inputs<P>) -> bool {
    let mut hash = Hash::default();
    for i in 0..RUNS {
        let dk = DecapsulationKey::<P>::from_seed(&inputs.seeds[i]);
        let (ct, secret) = dk.encapsulation_key().encapsulate_with(&inputs.messages[i]);
        if dk.decapsulate(&ct) != secret {
            return false;
        }
        hash.run(&dk, &ct, secret.as_bytes(), dk.decapsulate(&inputs.forged[i]).as_bytes());
    }
    hash.equals(known::<P>())
}

/// All runs by one call of each kind.
fn batch<P: ParameterSet>(inputs: &Inputs<P>) -> Result<bool, lanekem::Error> {
    let mut dks = slots(RUNS);
    DecapsulationKey::<P>::from_seed_batch(&inputs.seeds, &mut dks)?;
    let dks: Vec<_> = dks.into_iter().flatten().collect();
    let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let mut sent = slots(RUNS);
    EncapsulationKey::encapsulate_batch_with(&eks, &inputs.messages, &mut sent)?;
    let (cts, secrets): (Vec<_>, Vec<_>) = sent.into_iter().flatten().unzip();
    let (mut accepted, mut rejected) = (slots(RUNS), slots(RUNS));
    DecapsulationKey::decapsulate_batch(&dks, &cts, &mut accepted)?;
    DecapsulationKey::decapsulate_batch(&dks, &inputs.forged, &mut rejected)?;
    let mut hash = Hash::default();
    for i in 0..RUNS {
        let (Some(accepted), Some(rejected)) = (&accepted[i], &rejected[i]) else {
            return Ok(false);
        };
        if *accepted != secrets[i] {
            return Ok(false);
        }
        hash.run(&dks[i], &cts[i], accepted.as_bytes(), rejected.as_bytes());
    }
    Ok(hash.equals(known::<P>()))
}

/// Whether the backend in use gives the known answer, key by key and in a batch.
fn passes<P: ParameterSet>() -> bool {
    let inputs = inputs::<P>();
    single(&inputs) && batch(&inputs) == Ok(true)
}

/// Fails if the backend, which is in use, does not give the known answer.
pub(crate) fn require(backend: Backend, set: Set) -> Result<(), Failure> {
    let (passes, name) = match set {
        Set::MlKem512 => (passes::<MlKem512>(), MlKem512::NAME),
        Set::MlKem768 => (passes::<MlKem768>(), MlKem768::NAME),
        Set::MlKem1024 => (passes::<MlKem1024>(), MlKem1024::NAME),
    };
    if passes { Ok(()) } else { Err(Failure::Wrong(backend, name)) }
}

/// `lanekem-speed selftest`.
pub(crate) fn selftest() -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    for backend in Backend::available() {
        force(backend)?;
        for set in Set::ALL {
            require(backend, set)?;
            writeln!(
                out,
                "{:<8}  {:<11}  ok: known answers of {RUNS} runs, single and batch",
                backend.name(),
                set.to_string()
            )?;
        }
    }
    let missing = Backend::ALL.iter().filter(|backend| !backend.is_available());
    for backend in missing {
        writeln!(out, "{:<8}  cannot run here: see `lanekem-speed info`", backend.name())?;
    }
    Ok(())
}
