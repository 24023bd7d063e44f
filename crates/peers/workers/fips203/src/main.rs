//! fips203: portable code without allocation.

use fips203::traits::{Decaps, Encaps, KeyGen, SerDes};
use peer_worker::{Figure, Seed, Source, Worker, message};

macro_rules! add {
    ($w:expr, $set:literal, $module:ident) => {{
        use fips203::$module::{CipherText, DecapsKey, EncapsKey, KG};

        let w: &mut Worker = $w;
        let figure = |op| Figure::new($set, op);
        let keygen = |seed: &Seed| {
            let (d, z) = seed.split_at(32);
            KG::keygen_from_seed(d.try_into().expect("32 bytes"), z.try_into().expect("32 bytes"))
        };
        let pair = move |s: &mut Source| keygen(&s.seed());
        let ciphertext = move |s: &mut Source| pair(s).0.encaps_from_seed(&s.message()).1;

        w.op(figure("keygen"), |_| (), move |(), seed| keygen(seed));
        w.op(figure("encaps"), move |s| pair(s).0, |ek, seed| ek.encaps_from_seed(&message(seed)));
        w.op(
            figure("parse_encaps").checks(),
            move |s| pair(s).0.into_bytes(),
            |ek, seed| {
                EncapsKey::try_from_bytes(*ek).expect("fresh key").encaps_from_seed(&message(seed))
            },
        );
        w.op(
            figure("server").checks(),
            move |s| pair(s).0.into_bytes(),
            |ek, seed| {
                let ek = EncapsKey::try_from_bytes(*ek).expect("fresh key");
                let (secret, ct) = ek.encaps_from_seed(&message(seed));
                (secret, ct.into_bytes())
            },
        );
        w.op(
            figure("decaps"),
            move |s| (pair(s).1, ciphertext(s)),
            |(dk, ct), _| dk.try_decaps(ct).expect("decaps"),
        );
        w.op(
            figure("parse_decaps").checks(),
            move |s| (pair(s).1.into_bytes(), ciphertext(s)),
            |(dk, ct), _| {
                DecapsKey::try_from_bytes(*dk).expect("fresh key").try_decaps(ct).expect("decaps")
            },
        );
        w.op(
            figure("client"),
            move |s| ciphertext(s).into_bytes(),
            move |ct, seed| {
                let (ek, dk) = keygen(seed);
                let ct = CipherText::try_from_bytes(*ct).expect("length");
                (ek.into_bytes(), dk.try_decaps(&ct).expect("decaps"))
            },
        );
    }};
}

fn main() -> std::io::Result<()> {
    let mut w = Worker::default();
    add!(&mut w, 512, ml_kem_512);
    add!(&mut w, 768, ml_kem_768);
    add!(&mut w, 1024, ml_kem_1024);
    w.serve()
}
