//! Instructions of each operation, as a table in Markdown.

use crate::inputs::{Rng, xof_blocks};
use crate::instructions::instructions;
use lanekem::{
    Backend, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, MlKem512, MlKem768,
    MlKem1024, ParameterSet, Seed,
};

const BATCH: usize = 64;

/// A cell's row and what it counts.
type Costs = Vec<(String, u64)>;

/// A seed none of whose entries needs a fourth XOF block: the most likely kind.
fn ordinary<P: ParameterSet>(rng: &mut Rng) -> Seed {
    loop {
        let bytes = rng.bytes::<64>();
        let key = DecapsulationKey::<P>::from_seed(&Seed::from(bytes));
        if xof_blocks(key.encapsulation_key()) == 3 * P::K * P::K {
            return Seed::from(bytes);
        }
    }
}

fn single<P: ParameterSet>(costs: &mut Costs) {
    let mut rng = Rng::new("cost");
    let mut row = |op: &str, count| costs.push((format!("{} | {op} | one", P::NAME), count));
    let seed = ordinary::<P>(&mut rng);
    let m = rng.bytes();
    let dk = DecapsulationKey::<P>::from_seed(&seed);
    let compact = CompactDecapsulationKey::<P>::from_seed(&seed);
    let ek = dk.encapsulation_key();
    let prepared = ek.prepare();
    let (ciphertext, _) = ek.encapsulate_with(&m);

    let mut slot = None;
    row("keygen", instructions(|| slot = Some(DecapsulationKey::<P>::from_seed(&seed))));
    let mut slot = None;
    row("encaps", instructions(|| slot = Some(ek.encapsulate_with(&m))));
    row("encaps, prepared key", instructions(|| slot = Some(prepared.encapsulate_with(&m))));
    let mut slot = None;
    row("decaps", instructions(|| slot = Some(dk.decapsulate(&ciphertext))));
    row("decaps, compact key", instructions(|| slot = Some(compact.decapsulate(&ciphertext))));
}

fn slots<T>() -> Vec<Option<T>> {
    (0..BATCH).map(|_| None).collect()
}

/// A key of a batch; the seeds are as they come, some with a fourth block.
fn batch<P: ParameterSet>(costs: &mut Costs) {
    let mut rng = Rng::new("cost of a batch");
    let mut row = |op: &str, count| {
        costs.push((format!("{} | {op} | of {BATCH}", P::NAME), count / BATCH as u64));
    };
    let seeds: Vec<_> = (0..BATCH).map(|_| rng.seed()).collect();
    let ms: Vec<_> = (0..BATCH).map(|_| rng.bytes()).collect();

    let mut keys: Vec<_> = slots();
    row(
        "keygen",
        instructions(|| DecapsulationKey::<P>::from_seed_batch(&seeds, &mut keys).unwrap()),
    );
    let keys: Vec<_> = keys.into_iter().flatten().collect();
    let eks: Vec<_> = keys.iter().map(|key| key.encapsulation_key().clone()).collect();
    let prepared = eks[0].prepare();
    let mut pairs: Vec<_> = slots();
    row(
        "encaps, prepared key",
        instructions(|| prepared.encapsulate_many_with(&ms, &mut pairs).unwrap()),
    );
    row(
        "encaps",
        instructions(|| EncapsulationKey::encapsulate_batch_with(&eks, &ms, &mut pairs).unwrap()),
    );
    let ciphertexts: Vec<_> =
        pairs.into_iter().flatten().map(|(ciphertext, _)| ciphertext).collect();
    let mut out: Vec<_> = slots();
    let mut decaps = || DecapsulationKey::decapsulate_batch(&keys, &ciphertexts, &mut out).unwrap();
    row("decaps", instructions(&mut decaps));
}

fn all() -> Costs {
    let mut costs = Costs::new();
    single::<MlKem512>(&mut costs);
    batch::<MlKem512>(&mut costs);
    single::<MlKem768>(&mut costs);
    batch::<MlKem768>(&mut costs);
    single::<MlKem1024>(&mut costs);
    batch::<MlKem1024>(&mut costs);
    costs
}

/// A column for each backend, which `backends` forces as it goes.
pub(crate) fn report(backends: impl Iterator<Item = Backend>) {
    let columns: Vec<_> = backends.map(|backend| (backend, all())).collect();
    let names: Vec<_> = columns.iter().map(|(backend, _)| backend.name()).collect();
    println!("| set | operation | keys | {} |", names.join(" | "));
    println!("|---|---|---|{}", "--:|".repeat(columns.len()));
    for i in 0..columns[0].1.len() {
        let cells: Vec<_> = columns.iter().map(|(_, costs)| costs[i].1.to_string()).collect();
        println!("| {} | {} |", columns[0].1[i].0, cells.join(" | "));
    }
}
