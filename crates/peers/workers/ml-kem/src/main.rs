//! RustCrypto's ml-kem: portable code.
#![allow(deprecated, reason = "reading an expanded key is one of the operations compared")]

use ml_kem::{
    Ciphertext, Decapsulate, DecapsulationKey, EncapsulationKey, ExpandedKeyEncoding, KeyExport,
    MlKem512, MlKem768, MlKem1024,
};
use peer_worker::{Figure, Source, Worker, message};

macro_rules! add {
    ($w:expr, $set:literal, $Set:ident) => {{
        type Dk = DecapsulationKey<$Set>;
        type Ek = EncapsulationKey<$Set>;

        let w: &mut Worker = $w;
        let figure = |op| Figure::new($set, op);
        let key = |s: &mut Source| Dk::from_seed(s.seed().into());
        let ciphertext = move |s: &mut Source| -> Ciphertext<$Set> {
            key(s).encapsulation_key().encapsulate_deterministic(&s.message().into()).0
        };

        w.op(figure("keygen"), |_| (), |(), seed| Dk::from_seed((*seed).into()));
        w.op(
            figure("encaps"),
            move |s| key(s).encapsulation_key().clone(),
            |ek, seed| ek.encapsulate_deterministic(&message(seed).into()),
        );
        for op in ["parse_encaps", "server"] {
            w.op(
                figure(op).checks(),
                move |s| key(s).encapsulation_key().to_bytes(),
                |ek, seed| {
                    Ek::new(ek).expect("fresh key").encapsulate_deterministic(&message(seed).into())
                },
            );
        }
        w.op(figure("decaps"), move |s| (key(s), ciphertext(s)), |(dk, ct), _| dk.decapsulate(ct));
        w.op(
            figure("parse_decaps").checks(),
            move |s| (key(s).to_expanded_bytes(), ciphertext(s)),
            |(dk, ct), _| Dk::from_expanded_bytes(dk).expect("fresh key").decapsulate(ct),
        );
        w.op(figure("client"), ciphertext, |ct, seed| {
            let dk = Dk::from_seed((*seed).into());
            (dk.encapsulation_key().to_bytes(), dk.decapsulate(ct))
        });
    }};
}

fn main() -> std::io::Result<()> {
    let mut w = Worker::default();
    add!(&mut w, 512, MlKem512);
    add!(&mut w, 768, MlKem768);
    add!(&mut w, 1024, MlKem1024);
    w.serve()
}
