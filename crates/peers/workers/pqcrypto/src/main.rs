//! PQClean through pqcrypto-mlkem: the system's RNG is in every figure that draws, and no key is checked beyond
//! its length.

use peer_worker::{Figure, Worker};

macro_rules! add {
    ($w:expr, $set:literal, $module:ident) => {{
        use pqcrypto_mlkem::$module::*;
        use pqcrypto_traits::kem::{Ciphertext as _, PublicKey as _, SecretKey as _};

        let w: &mut Worker = $w;
        let figure = |op| Figure::new($set, op);
        let decaps = |ct: &[u8], dk: &SecretKey| {
            decapsulate(&Ciphertext::from_bytes(ct).expect("length"), dk)
        };
        let ciphertext = || encapsulate(&keypair().0).1;

        w.op(figure("keygen").rng(), |_| (), |(), _| keypair());
        w.op(figure("encaps").rng(), |_| keypair().0, |ek, _| encapsulate(ek));
        for op in ["parse_encaps", "server"] {
            w.op(
                figure(op).rng(),
                |_| keypair().0.as_bytes().to_vec(),
                |ek, _| encapsulate(&PublicKey::from_bytes(ek).expect("length")),
            );
        }
        w.op(
            figure("decaps"),
            move |_| (ciphertext(), keypair().1),
            |(ct, dk), _| decapsulate(ct, dk),
        );
        w.op(
            figure("parse_decaps"),
            move |_| (ciphertext(), keypair().1.as_bytes().to_vec()),
            |(ct, dk), _| decapsulate(ct, &SecretKey::from_bytes(dk).expect("length")),
        );
        w.op(
            figure("client").rng(),
            move |_| ciphertext().as_bytes().to_vec(),
            move |ct, _| {
                let (ek, dk) = keypair();
                (ek, decaps(ct, &dk))
            },
        );
    }};
}

fn main() -> std::io::Result<()> {
    let mut w = Worker::default();
    add!(&mut w, 512, mlkem512);
    add!(&mut w, 768, mlkem768);
    add!(&mut w, 1024, mlkem1024);
    w.serve()
}
