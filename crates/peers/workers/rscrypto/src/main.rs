//! rscrypto. Its plain keys are bytes that every call checks; `Prepared` keys are checked once and keep the matrix.

use peer_worker::{Figure, Seed, Source, Worker};
use rscrypto::{Kem, MlKem512, MlKem768, MlKem1024, MlKemError};

/// Feeds a seed to the calls that ask for an RNG.
fn fill(seed: &Seed) -> impl FnMut(&mut [u8]) -> Result<(), MlKemError> {
    move |out| {
        out.copy_from_slice(&seed[..out.len()]);
        Ok(())
    }
}

macro_rules! add {
    ($w:expr, $set:literal, $Set:ident, $Ek:ident, $Dk:ident, $Ct:ident, $PreparedDk:ident, $PreparedEk:ident) => {{
        use rscrypto::{$Ct, $Dk, $Ek, $PreparedDk, $PreparedEk};

        let w: &mut Worker = $w;
        let figure = |op| Figure::new($set, op);
        let keygen = |seed: &Seed| $Set::generate_keypair(fill(seed)).expect("keygen");
        let encaps = |ek: &$Ek, seed: &Seed| $Set::encapsulate(ek, fill(seed)).expect("encaps");
        let pair = move |s: &mut Source| keygen(&s.seed());
        let ciphertext = move |s: &mut Source| encaps(&pair(s).0, &s.seed()).0;

        w.op(figure("keygen"), |_| (), move |(), seed| keygen(seed));
        w.op(figure("encaps").checks(), move |s| pair(s).0, move |ek, seed| encaps(ek, seed));
        for op in ["parse_encaps", "server"] {
            // `try_from_slice` would check what `encapsulate` checks again.
            w.op(
                figure(op).checks(),
                move |s| pair(s).0.to_bytes(),
                move |ek, seed| encaps(&$Ek::from_bytes(*ek), seed),
            );
        }
        w.op(
            figure("decaps").checks(),
            move |s| (pair(s).1, ciphertext(s)),
            |(dk, ct), _| $Set::decapsulate(dk, ct).expect("decaps"),
        );
        w.op(
            figure("parse_decaps").checks(),
            move |s| (*pair(s).1.as_bytes(), ciphertext(s)),
            |(dk, ct), _| $Set::decapsulate(&$Dk::from_bytes(*dk), ct).expect("decaps"),
        );
        w.op(
            figure("client").checks(),
            move |s| ciphertext(s).to_bytes(),
            move |ct, seed| {
                let (ek, dk) = keygen(seed);
                (ek, $Set::decapsulate(&dk, &$Ct::from_bytes(*ct)).expect("decaps"))
            },
        );

        w.op(
            figure("prepared_encaps"),
            move |s| $PreparedEk::try_from_slice(pair(s).0.as_bytes()).expect("fresh key"),
            |ek, seed| ek.encapsulate(fill(seed)).expect("encaps"),
        );
        w.op(
            figure("prepared_decaps"),
            move |s| {
                (
                    $PreparedDk::try_from_slice(pair(s).1.as_bytes()).expect("fresh key"),
                    ciphertext(s),
                )
            },
            |(dk, ct), _| dk.decapsulate(ct).expect("decaps"),
        );
    }};
}

fn main() -> std::io::Result<()> {
    let mut w = Worker::default();
    add!(
        &mut w,
        512,
        MlKem512,
        MlKem512EncapsulationKey,
        MlKem512DecapsulationKey,
        MlKem512Ciphertext,
        MlKem512PreparedDecapsulationKey,
        MlKem512PreparedEncapsulationKey
    );
    add!(
        &mut w,
        768,
        MlKem768,
        MlKem768EncapsulationKey,
        MlKem768DecapsulationKey,
        MlKem768Ciphertext,
        MlKem768PreparedDecapsulationKey,
        MlKem768PreparedEncapsulationKey
    );
    add!(
        &mut w,
        1024,
        MlKem1024,
        MlKem1024EncapsulationKey,
        MlKem1024DecapsulationKey,
        MlKem1024Ciphertext,
        MlKem1024PreparedDecapsulationKey,
        MlKem1024PreparedEncapsulationKey
    );
    w.serve()
}
