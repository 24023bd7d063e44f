//! graviola: ML-KEM-768 alone. Keys keep the matrix. The public calls draw from the system's RNG and consume
//! their key; the figures without an RNG use the `*_internal` functions beneath, which differ by one clearing
//! of the vector registers.

use graviola::key_agreement::mlkem768::{Ciphertext, DecapKey, EncapKey, Message};
use peer_worker::{Figure, Source, Worker, message};

fn ciphertext(source: &mut Source) -> (DecapKey, Ciphertext) {
    let dk = DecapKey::keygen_internal(&source.seed());
    let (_, ct) = dk.encapsulation_key().encaps_internal(Message(source.message()));
    (dk, ct)
}

fn public(source: &mut Source) -> EncapKey {
    DecapKey::keygen_internal(&source.seed()).encapsulation_key()
}

fn parse(bytes: &[u8; 1184]) -> EncapKey {
    EncapKey::from_bytes(bytes).expect("fresh key")
}

fn main() -> std::io::Result<()> {
    let mut w = Worker::default();
    let figure = |op| Figure::new(768, op);

    for op in ["keygen", "prepared_keygen"] {
        w.op(figure(op), |_| (), |(), seed| DecapKey::keygen_internal(seed));
    }
    w.op(figure("keygen").rng(), |_| (), |(), _| DecapKey::generate().expect("system RNG"));

    w.op(figure("encaps"), public, |ek, seed| ek.clone().encaps_internal(Message(message(seed))));
    w.op(figure("encaps").rng(), public, |ek, _| ek.clone().encaps().expect("system RNG"));
    for op in ["parse_encaps", "server"] {
        // The ciphertext is bytes already.
        w.op(
            figure(op).checks(),
            |s| public(s).as_bytes(),
            |ek, seed| parse(ek).encaps_internal(Message(message(seed))),
        );
        w.op(
            figure(op).rng().checks(),
            |s| public(s).as_bytes(),
            |ek, _| parse(ek).encaps().expect("system RNG"),
        );
    }

    for op in ["decaps", "prepared_decaps"] {
        w.op(figure(op), ciphertext, |(dk, ct), _| dk.decaps_internal(ct));
    }
    for op in ["client", "prepared_client"] {
        w.op(
            figure(op),
            |s| ciphertext(s).1,
            |ct, seed| {
                let dk = DecapKey::keygen_internal(seed);
                (dk.encapsulation_key().as_bytes(), dk.decaps_internal(ct))
            },
        );
    }
    w.op(
        figure("client").rng(),
        |s| ciphertext(s).1,
        |ct, _| {
            let dk = DecapKey::generate().expect("system RNG");
            (dk.encapsulation_key().as_bytes(), dk.decaps(ct))
        },
    );
    w.serve()
}
