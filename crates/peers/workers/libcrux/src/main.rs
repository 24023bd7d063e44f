//! libcrux-ml-kem, packed and `unpacked` (the form that keeps the matrix). Its intrinsics are only inlined where
//! the whole build has AVX2 on, so this worker is built twice.

use peer_worker::{Figure, Source, Worker, message};

macro_rules! add {
    (
        $w:expr, $set:literal, $module:ident $(:: $packed:ident)?, $unpacked:ident,
        $Pk:ident, $Sk:ident, $Ct:ident, $PkUnpacked:ident
    ) => {{
        use libcrux_ml_kem::$module::{$Ct, $Pk, $Sk};
        use libcrux_ml_kem::$module$(::$packed)?::{
            decapsulate, encapsulate, generate_key_pair, validate_private_key, validate_public_key,
        };

        let w: &mut Worker = $w;
        let figure = |op| Figure::new($set, op);
        let pair = |s: &mut Source| generate_key_pair(s.seed()).into_parts();
        let ciphertext = move |s: &mut Source| encapsulate(&pair(s).1, s.message()).0;
        let parse = |bytes: &[u8]| {
            let pk = $Pk::try_from(bytes).expect("length");
            assert!(validate_public_key(&pk), "fresh key");
            pk
        };

        w.op(figure("keygen"), |_| (), |(), seed| generate_key_pair(*seed));
        w.op(figure("encaps"), move |s| pair(s).1, |pk, seed| encapsulate(pk, message(seed)));
        for op in ["parse_encaps", "server"] {
            w.op(
                figure(op).checks(),
                move |s| *pair(s).1.as_slice(),
                move |pk, seed| encapsulate(&parse(pk), message(seed)),
            );
        }
        w.op(
            figure("decaps"),
            move |s| (pair(s).0, ciphertext(s)),
            |(sk, ct), _| decapsulate(sk, ct),
        );
        w.op(
            figure("parse_decaps").checks(),
            move |s| (*pair(s).0.as_slice(), ciphertext(s)),
            |(sk, ct), _| {
                let sk = $Sk::from(&*sk);
                assert!(validate_private_key(&sk, ct), "fresh key");
                decapsulate(&sk, ct)
            },
        );
        w.op(
            figure("client"),
            move |s| *ciphertext(s).as_slice(),
            |ct, seed| {
                let pair = generate_key_pair(*seed);
                let secret = decapsulate(pair.private_key(), &$Ct::from(&*ct));
                (pair, secret)
            },
        );

        {
            use libcrux_ml_kem::$module::$unpacked::unpacked;
            let pair = |s: &mut Source| unpacked::generate_key_pair(s.seed());
            w.op(figure("prepared_keygen"), |_| (), |(), seed| unpacked::generate_key_pair(*seed));
            w.op(
                figure("prepared_encaps"),
                move |s| {
                    let mut pk = unpacked::$PkUnpacked::default();
                    unpacked::unpacked_public_key(
                        &generate_key_pair(s.seed()).into_parts().1,
                        &mut pk,
                    );
                    pk
                },
                |pk, seed| unpacked::encapsulate(pk, message(seed)),
            );
            w.op(
                figure("prepared_decaps"),
                move |s| (pair(s), ciphertext(s)),
                |(pair, ct), _| unpacked::decapsulate(pair, ct),
            );
            w.op(
                figure("prepared_client"),
                move |s| *ciphertext(s).as_slice(),
                |ct, seed| {
                    let pair = unpacked::generate_key_pair(*seed);
                    let secret = unpacked::decapsulate(&pair, &$Ct::from(&*ct));
                    (unpacked::key_pair_serialized_public_key(&pair), secret)
                },
            );
        }
    }};
}

macro_rules! add_sets {
    ($w:expr, $unpacked:ident $(, $packed:ident)?) => {{
        add!(
            $w,
            512,
            mlkem512 $(:: $packed)?,
            $unpacked,
            MlKem512PublicKey,
            MlKem512PrivateKey,
            MlKem512Ciphertext,
            MlKem512PublicKeyUnpacked
        );
        add!(
            $w,
            768,
            mlkem768 $(:: $packed)?,
            $unpacked,
            MlKem768PublicKey,
            MlKem768PrivateKey,
            MlKem768Ciphertext,
            MlKem768PublicKeyUnpacked
        );
        add!(
            $w,
            1024,
            mlkem1024 $(:: $packed)?,
            $unpacked,
            MlKem1024PublicKey,
            MlKem1024PrivateKey,
            MlKem1024Ciphertext,
            MlKem1024PublicKeyUnpacked
        );
    }};
}

fn main() -> std::io::Result<()> {
    let mut w = Worker::default();
    if std::env::args().any(|arg| arg == "portable") {
        add_sets!(&mut w, portable, portable);
        return w.serve();
    }
    // The packed calls choose for themselves; the unpacked ones are chosen by module.
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        add_sets!(&mut w, avx2);
        return w.serve();
    }
    add_sets!(&mut w, portable);
    w.serve()
}
