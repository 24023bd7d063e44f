//! One key at a time.

use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, ParameterSet, Seed,
};
use peer_worker::{Figure, Source, Worker, message};

use crate::rng;

fn key<P: ParameterSet>(s: &mut Source) -> DecapsulationKey<P> {
    DecapsulationKey::from_seed(&Seed::from_bytes(&s.seed()))
}

fn ciphertext<P: ParameterSet>(s: &mut Source) -> Ciphertext<P> {
    key(s).encapsulation_key().encapsulate_with(&s.message()).0
}

fn parse<P: ParameterSet>(bytes: &impl AsRef<[u8]>) -> EncapsulationKey<P> {
    EncapsulationKey::from_bytes(bytes.as_ref()).expect("fresh key")
}

pub fn add<P: ParameterSet + 'static>(w: &mut Worker, set: u16) {
    let figure = |op| Figure::new(set, op);

    // The default key keeps the matrix, so it also stands in the rows of the peers' prepared forms.
    for op in ["keygen", "prepared_keygen"] {
        w.op(
            figure(op),
            |_| (),
            |(), seed| DecapsulationKey::<P>::from_seed(&Seed::from_bytes(seed)),
        );
    }
    w.op(figure("keygen").rng(), rng, |rng, _| DecapsulationKey::<P>::generate(rng));
    w.op(
        figure("compact_keygen"),
        |_| (),
        |(), seed| CompactDecapsulationKey::<P>::from_seed(&Seed::from_bytes(seed)),
    );

    let public = |s: &mut Source| key::<P>(s).encapsulation_key().clone();
    w.op(figure("encaps"), public, |ek, seed| ek.encapsulate_with(&message(seed)));
    w.op(figure("encaps").rng(), move |s| (public(s), rng(s)), |(ek, rng), _| ek.encapsulate(rng));
    w.op(
        figure("prepared_encaps"),
        move |s| public(s).prepare(),
        |ek, seed| ek.encapsulate_with(&message(seed)),
    );
    w.op(
        figure("parse_encaps").checks(),
        move |s| public(s).to_bytes(),
        |ek, seed| parse::<P>(ek).encapsulate_with(&message(seed)),
    );
    w.op(
        figure("parse_encaps").rng().checks(),
        move |s| (public(s).to_bytes(), rng(s)),
        |(ek, rng), _| parse::<P>(ek).encapsulate(rng),
    );

    for op in ["decaps", "prepared_decaps"] {
        w.op(figure(op), |s| (key::<P>(s), ciphertext(s)), |(dk, ct), _| dk.decapsulate(ct));
    }
    w.op(
        figure("compact_decaps"),
        |s| (key::<P>(s).to_compact(), ciphertext(s)),
        |(dk, ct), _| dk.decapsulate(ct),
    );
    w.op(
        figure("parse_decaps").checks(),
        |s| (key::<P>(s).to_expanded_bytes(), ciphertext(s)),
        |(dk, ct), _| {
            DecapsulationKey::<P>::decapsulate_from_expanded_bytes((**dk).as_ref(), ct)
                .expect("fresh key")
        },
    );
    w.op(
        figure("compact_parse_decaps").checks(),
        |s| (key::<P>(s).to_expanded_bytes(), ciphertext(s)),
        |(dk, ct), _| {
            let dk = CompactDecapsulationKey::<P>::from_expanded_bytes((**dk).as_ref())
                .expect("fresh key");
            dk.decapsulate(ct)
        },
    );

    // The ciphertext is for another key, as one for this key would have to be made while the clock runs.
    // Decapsulation computes both secrets whatever it was given, so the implicit rejection costs the same.
    let wire = |s: &mut Source| ciphertext::<P>(s).to_bytes();
    let ct =
        |bytes: &P::CiphertextBytes| Ciphertext::<P>::from_bytes(bytes.as_ref()).expect("length");
    for op in ["client", "prepared_client"] {
        w.op(figure(op), wire, move |bytes, seed| {
            let dk = DecapsulationKey::<P>::from_seed(&Seed::from_bytes(seed));
            (dk.encapsulation_key().to_bytes(), dk.decapsulate(&ct(bytes)))
        });
    }
    w.op(
        figure("client").rng(),
        move |s| (wire(s), rng(s)),
        move |(bytes, rng), _| {
            let dk = DecapsulationKey::<P>::generate(rng);
            (dk.encapsulation_key().to_bytes(), dk.decapsulate(&ct(bytes)))
        },
    );
    w.op(figure("compact_client"), wire, move |bytes, seed| {
        let dk = CompactDecapsulationKey::<P>::from_seed(&Seed::from_bytes(seed));
        (dk.encapsulation_key().to_bytes(), dk.decapsulate(&ct(bytes)))
    });

    w.op(
        figure("server").checks(),
        move |s| public(s).to_bytes(),
        |ek, seed| {
            let (ct, secret) = parse::<P>(ek).encapsulate_with(&message(seed));
            (ct.to_bytes(), secret)
        },
    );
    w.op(
        figure("server").rng().checks(),
        move |s| (public(s).to_bytes(), rng(s)),
        |(ek, rng), _| {
            let (ct, secret) = parse::<P>(ek).encapsulate(rng);
            (ct.to_bytes(), secret)
        },
    );
}
