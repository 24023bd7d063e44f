//! AWS-LC through aws-lc-rs. It has no derandomized API, so its DRBG is in every figure that draws; keys in
//! memory are bytes to it, and each call checks them again.

use aws_lc_rs::kem::{
    Algorithm, Ciphertext, DecapsulationKey, EncapsulationKey, ML_KEM_512, ML_KEM_768, ML_KEM_1024,
};
use peer_worker::{Figure, Worker};

/// The key pair in the forms that come from and go to the wire. An imported decapsulation key has no
/// public half here, so both are kept.
fn pair(alg: &'static Algorithm) -> (DecapsulationKey, EncapsulationKey) {
    let dk = DecapsulationKey::generate(alg).expect("keygen");
    let bytes = public_bytes(&dk);
    (dk, EncapsulationKey::new(alg, &bytes).expect("fresh key"))
}

fn public_bytes(dk: &DecapsulationKey) -> Vec<u8> {
    let ek = dk.encapsulation_key().expect("fresh key");
    ek.key_bytes().expect("fresh key").as_ref().to_vec()
}

fn add(w: &mut Worker, set: u16, alg: &'static Algorithm) {
    let figure = |op| Figure::new(set, op);
    let ciphertext = move || pair(alg).1.encapsulate().expect("encaps").0.as_ref().to_vec();
    let encaps = |ek: &EncapsulationKey| ek.encapsulate().expect("encaps");
    let parse = move |bytes: &[u8]| EncapsulationKey::new(alg, bytes).expect("fresh key");

    w.op(
        figure("keygen").rng(),
        |_| (),
        move |(), _| DecapsulationKey::generate(alg).expect("keygen"),
    );
    w.op(figure("encaps").rng().checks(), move |_| pair(alg).1, move |ek, _| encaps(ek));
    w.op(
        figure("parse_encaps").rng().checks(),
        move |_| public_bytes(&pair(alg).0),
        move |bytes, _| encaps(&parse(bytes)),
    );
    w.op(
        figure("server").rng().checks(),
        move |_| public_bytes(&pair(alg).0),
        move |bytes, _| {
            let (ct, secret) = encaps(&parse(bytes));
            (ct.as_ref().to_vec(), secret)
        },
    );
    w.op(
        figure("decaps").checks(),
        move |_| (pair(alg).0, ciphertext()),
        |(dk, ct), _| dk.decapsulate(Ciphertext::from(ct.as_slice())).expect("decaps"),
    );
    w.op(
        figure("parse_decaps").checks(),
        move |_| (pair(alg).0.key_bytes().expect("fresh key").as_ref().to_vec(), ciphertext()),
        move |(bytes, ct), _| {
            let dk = DecapsulationKey::new(alg, bytes).expect("fresh key");
            dk.decapsulate(Ciphertext::from(ct.as_slice())).expect("decaps")
        },
    );
    w.op(
        figure("client").rng().checks(),
        move |_| ciphertext(),
        move |ct, _| {
            let dk = DecapsulationKey::generate(alg).expect("keygen");
            (public_bytes(&dk), dk.decapsulate(Ciphertext::from(ct.as_slice())).expect("decaps"))
        },
    );
}

fn main() -> std::io::Result<()> {
    let mut w = Worker::default();
    add(&mut w, 512, &ML_KEM_512);
    add(&mut w, 768, &ML_KEM_768);
    add(&mut w, 1024, &ML_KEM_1024);
    w.serve()
}
