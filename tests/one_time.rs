//! The one-time KEMs against a model over the steps of K-PKE as FIPS 203 states them, and what becomes of
//! forged ciphertexts and of misuse.

mod common;

use common::model::{self, Params};
use common::{
    FailingRng, RngFailed, ShakeRng, filled, for_each_backend, for_each_set, hex, params, short,
    slots,
};
use lanekem::one_time::tch::Tch;
use lanekem::one_time::th::Th;
use lanekem::one_time::{Ciphertext, EncapsulationKey, OneTimeKeyPair, Transform, tch, th};
use lanekem::{Error, ParameterSet};
use shake::{ExtendableOutput, Shake128, Update, XofReader};

/// A transform as the papers write it down, and the crate's way to decapsulate with it.
trait Kem: Transform {
    /// SHAKE128 of 100 runs of each set, as the model has them.
    const VECTORS: [&'static str; 3];

    /// Ciphertext and shared secret.
    fn model(p: Params, ek: &[u8], m: &[u8; 32], r: &[u8; 32]) -> (Vec<u8>, [u8; 32]);
    /// The secret that a ciphertext gives, if it gives one.
    fn model_decapsulate(p: Params, s: &[u8], c: &[u8]) -> Option<[u8; 32]>;
    fn decapsulate<P: ParameterSet>(
        pair: OneTimeKeyPair<P, Self>,
        c: &Ciphertext<P, Self>,
    ) -> Result<[u8; 32], Error>;
    /// The same by way of a slot.
    fn decapsulate_from<P: ParameterSet>(
        slot: &mut Option<OneTimeKeyPair<P, Self>>,
        c: &Ciphertext<P, Self>,
    ) -> Option<Result<[u8; 32], Error>>;
}

impl Kem for Th {
    const VECTORS: [&'static str; 3] = [
        "d465af7bc4fef18851fbb71048340e9d8d6f6318783a36ea9cfc387b03a411b8",
        "abe46928016763cba3c16b341a92d67e72f99c879d90252114ab8e21d8e035d5",
        "018877b905a1085061b6c8c02c36266bb1412dc43e8a14facb98894e78029e1f",
    ];

    fn model(p: Params, ek: &[u8], m: &[u8; 32], r: &[u8; 32]) -> (Vec<u8>, [u8; 32]) {
        let c = model::encrypt(p, ek, m, r);
        let key = model::h(&[b"T_H  key", &m[..], &c].concat());
        (c, key)
    }

    fn model_decapsulate(p: Params, s: &[u8], c: &[u8]) -> Option<[u8; 32]> {
        let m = model::decrypt(p, s, c);
        Some(model::h(&[b"T_H  key", &m[..], c].concat()))
    }

    fn decapsulate<P: ParameterSet>(
        pair: th::OneTimeKeyPair<P>,
        c: &th::Ciphertext<P>,
    ) -> Result<[u8; 32], Error> {
        Ok(*pair.decapsulate(c).as_bytes())
    }

    fn decapsulate_from<P: ParameterSet>(
        slot: &mut Option<th::OneTimeKeyPair<P>>,
        c: &th::Ciphertext<P>,
    ) -> Option<Result<[u8; 32], Error>> {
        OneTimeKeyPair::<P, Self>::decapsulate_from(slot, c).map(|secret| Ok(*secret.as_bytes()))
    }
}

impl Kem for Tch {
    const VECTORS: [&'static str; 3] = [
        "eef75ecc30fa84478116e2f969a2a4fb8849629fd26fa2ebfc02e55be6dee04c",
        "cd2c238db53f7f48f02aaba553338ca4c5e5f2edd6149f5f3c7e9a97b1a2ee9c",
        "9de34f8161506b355ab6eb3819790388c5268c698853080dc40ede97afdc7d6e",
    ];

    fn model(p: Params, ek: &[u8], m: &[u8; 32], r: &[u8; 32]) -> (Vec<u8>, [u8; 32]) {
        let mut c = model::encrypt(p, ek, m, r);
        let tag = model::h(&[b"T_CH tag", &m[..], &c].concat());
        c.extend(tag);
        (c, model::h(&[b"T_CH key", &m[..]].concat()))
    }

    fn model_decapsulate(p: Params, s: &[u8], c: &[u8]) -> Option<[u8; 32]> {
        let (c, tag) = c.split_at(c.len() - 32);
        let m = model::decrypt(p, s, c);
        let expected = model::h(&[b"T_CH tag", &m[..], c].concat());
        (expected == tag).then(|| model::h(&[b"T_CH key", &m[..]].concat()))
    }

    fn decapsulate<P: ParameterSet>(
        pair: tch::OneTimeKeyPair<P>,
        c: &tch::Ciphertext<P>,
    ) -> Result<[u8; 32], Error> {
        pair.decapsulate(c).map(|secret| *secret.as_bytes())
    }

    fn decapsulate_from<P: ParameterSet>(
        slot: &mut Option<tch::OneTimeKeyPair<P>>,
        c: &tch::Ciphertext<P>,
    ) -> Option<Result<[u8; 32], Error>> {
        let got = OneTimeKeyPair::<P, Self>::decapsulate_from(slot, c);
        got.map(|result| result.map(|secret| *secret.as_bytes()))
    }
}

/// One run of the model.
struct Run {
    d: [u8; 32],
    m: [u8; 32],
    r: [u8; 32],
    ek: Vec<u8>,
    s: Vec<u8>,
    c: Vec<u8>,
    key: [u8; 32],
}

impl Run {
    fn draw<P: ParameterSet, T: Kem>(rng: &mut ShakeRng) -> Self {
        let p = params::<P>();
        let (d, m, r) = (rng.bytes(), rng.bytes(), rng.bytes());
        let (ek, mut s) = model::keygen(p, &d, &[0; 32]);
        s.truncate(384 * p.k);
        let (c, key) = T::model(p, &ek, &m, &r);
        assert_eq!(T::model_decapsulate(p, &s, &c), Some(key));
        Self { d, m, r, ek, s, c, key }
    }

    fn pair<P: ParameterSet, T: Kem>(&self) -> OneTimeKeyPair<P, T> {
        OneTimeKeyPair::generate_with(&self.d)
    }

    fn check<P: ParameterSet, T: Kem>(&self) {
        let pair = self.pair::<P, T>();
        assert_eq!(pair.encapsulation_key().as_bytes(), self.ek);
        let ek = EncapsulationKey::<P, T>::from_bytes(&self.ek).unwrap();
        assert!(&ek == pair.encapsulation_key());
        let (c, key) = ek.encapsulate_with(&self.m, &self.r);
        assert_eq!(c.as_bytes(), self.c);
        assert_eq!(*key.as_bytes(), self.key);
        let c = Ciphertext::from_bytes(&self.c).unwrap();
        assert_eq!(T::decapsulate(pair, &c), Ok(self.key));
    }
}

fn vectors<P: ParameterSet, T: Kem>() {
    let mut rng = ShakeRng::new(b"one-time vectors");
    let runs: Vec<_> = (0..100).map(|_| Run::draw::<P, T>(&mut rng)).collect();
    let mut all = Shake128::default();
    for run in &runs {
        for part in [&run.d[..], &run.m, &run.r, &run.ek, &run.c, &run.key] {
            all.update(part);
        }
    }
    let mut out = [0; 32];
    all.finalize_xof().read(&mut out);
    assert_eq!(hex(&out), T::VECTORS[P::K - 2], "{} {}: the model changed", T::NAME, P::NAME);
    for_each_backend(|backend| {
        let runs = &runs[..if short() { 20 } else { runs.len() }];
        runs.iter().for_each(Run::check::<P, T>);
        println!(
            "one_time backend={backend} set={} kem={} vectors={}",
            P::NAME,
            T::NAME,
            runs.len()
        );
    });
}

#[test]
fn agrees_with_the_model() {
    for_each_set!(vectors_of_both());
}

fn vectors_of_both<P: ParameterSet>() {
    vectors::<P, Th>();
    vectors::<P, Tch>();
}

fn round_trips<P: ParameterSet, T: Kem>() {
    let count = if short() { 100 } else { 10_000 };
    let mut rng = ShakeRng::new(b"one-time round trips");
    for pair in OneTimeKeyPair::<P, T>::generate_vec(&mut rng, count) {
        let (c, key) = pair.encapsulation_key().encapsulate(&mut rng);
        assert_eq!(T::decapsulate(pair, &c).as_ref(), Ok(key.as_bytes()));
    }
}

#[test]
fn ten_thousand_round_trips() {
    fn both<P: ParameterSet>() {
        round_trips::<P, Th>();
        round_trips::<P, Tch>();
    }
    for_each_backend(|_| for_each_set!(both()));
}

/// Every byte of a ciphertext changed: T_H gives the secret that the model gives, which is another one,
/// T_CH an error.
fn forged<P: ParameterSet, T: Kem>() {
    let run = Run::draw::<P, T>(&mut ShakeRng::new(b"one-time forged"));
    let step = if short() { 16 } else { 1 };
    let forged: Vec<_> = (0..run.c.len())
        .step_by(step)
        .map(|i| {
            let mut c = run.c.clone();
            c[i] ^= 1 << (i % 8);
            let expected = T::model_decapsulate(params::<P>(), &run.s, &c);
            (Ciphertext::<P, T>::from_bytes(&c).unwrap(), expected.ok_or(Error::OneTimeTag))
        })
        .collect();
    for_each_backend(|backend| {
        for (c, expected) in &forged {
            let got = T::decapsulate(run.pair::<P, T>(), c);
            assert_eq!(&got, expected);
            let mut slot = Some(run.pair::<P, T>());
            assert_eq!(T::decapsulate_from(&mut slot, c).as_ref(), Some(expected));
            // Whatever the outcome, the key is gone.
            assert!(slot.is_none() && T::decapsulate_from(&mut slot, c).is_none());
            assert_ne!(got, Ok(run.key));
            assert_eq!(got.is_err(), T::TAG_LEN > 0);
        }
        let n = forged.len();
        println!("one_time backend={backend} set={} kem={} forged={n}", P::NAME, T::NAME);
    });
}

#[test]
fn forged_ciphertexts() {
    fn both<P: ParameterSet>() {
        forged::<P, Th>();
        forged::<P, Tch>();
    }
    for_each_set!(both());
}

/// A ciphertext for one key is no good for another.
#[test]
fn wrong_key() {
    fn wrong<P: ParameterSet, T: Kem>() {
        let mut rng = ShakeRng::new(b"one-time wrong key");
        let [a, b] = std::array::from_fn(|_| OneTimeKeyPair::<P, T>::generate(&mut rng));
        let (c, key) = a.encapsulation_key().encapsulate(&mut rng);
        let got = T::decapsulate(b, &c);
        assert_ne!(got.as_ref(), Ok(key.as_bytes()));
        assert_eq!(got.is_err(), T::TAG_LEN > 0);
    }
    fn both<P: ParameterSet>() {
        wrong::<P, Th>();
        wrong::<P, Tch>();
    }
    for_each_backend(|_| for_each_set!(both()));
}

/// What a pair is, for comparison: its public key and the secret of a ciphertext for it.
fn identity<P: ParameterSet, T: Kem>(pair: OneTimeKeyPair<P, T>) -> (Vec<u8>, [u8; 32]) {
    let ek = pair.encapsulation_key().clone();
    let (c, key) = ek.encapsulate_with(&[1; 32], &[2; 32]);
    assert_eq!(T::decapsulate(pair, &c).as_ref(), Ok(key.as_bytes()));
    (ek.as_bytes().to_vec(), *key.as_bytes())
}

fn batches<P: ParameterSet, T: Kem>() {
    for n in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 100] {
        // Each draws the same bytes, and no more.
        let mut rngs: [_; 4] = std::array::from_fn(|_| ShakeRng::new(b"one-time batch"));
        let [single, batch, vec, fallible] = &mut rngs;
        let expected: Vec<_> =
            (0..n).map(|_| identity(OneTimeKeyPair::<P, T>::generate(single))).collect();
        let mut out = slots(n);
        OneTimeKeyPair::generate_batch(batch, &mut out);
        // Slots that were full are overwritten.
        let mut again = slots(n);
        OneTimeKeyPair::generate_batch(&mut ShakeRng::new(b"others"), &mut again);
        OneTimeKeyPair::try_generate_batch(fallible, &mut again).unwrap();
        for way in [filled(out), filled(again), OneTimeKeyPair::<P, T>::generate_vec(vec, n)] {
            assert!(way.into_iter().map(identity).eq(expected.iter().cloned()));
        }
        let after: Vec<_> = rngs.iter_mut().map(|rng| rng.bytes::<8>()).collect();
        assert_eq!(after, [after[0]; 4]);
    }
}

#[test]
fn batches_are_single_keys() {
    fn both<P: ParameterSet>() {
        batches::<P, Th>();
        batches::<P, Tch>();
    }
    for_each_backend(|_| for_each_set!(both()));
}

/// An RNG that fails leaves nothing half-made.
#[test]
fn failing_rng() {
    fn fails<P: ParameterSet, T: Kem>() {
        let failed = RngFailed(7);
        let pair = OneTimeKeyPair::<P, T>::generate(&mut ShakeRng::new(b"failing"));
        for left in [0, 31, 32 * 8, 32 * 11 - 1] {
            let mut out = slots(11);
            OneTimeKeyPair::<P, T>::generate_batch(&mut ShakeRng::new(b"full"), &mut out);
            let mut rng = FailingRng::after(left, 7);
            assert_eq!(OneTimeKeyPair::try_generate_batch(&mut rng, &mut out), Err(failed));
            assert!(out.iter().all(Option::is_none));
        }
        let mut rng = FailingRng::after(31, 7);
        assert_eq!(OneTimeKeyPair::<P, T>::try_generate(&mut rng).unwrap_err(), failed);
        let mut rng = FailingRng::after(63, 7);
        assert_eq!(pair.encapsulation_key().try_encapsulate(&mut rng).unwrap_err(), failed);
    }
    fn both<P: ParameterSet>() {
        fails::<P, Th>();
        fails::<P, Tch>();
    }
    for_each_backend(|_| for_each_set!(both()));
}

/// An RNG that panics leaves nothing half-made either.
#[test]
fn panicking_rng() {
    struct Panics(usize);
    impl rand_core::TryRng for Panics {
        type Error = core::convert::Infallible;
        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            unreachable!("nobody asks for words")
        }
        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            unreachable!("nobody asks for words")
        }
        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            self.0 = self.0.checked_sub(1).expect("the RNG's own panic");
            Ok(())
        }
    }
    impl rand_core::TryCryptoRng for Panics {}

    for calls in 0..3 {
        let mut out = slots::<th::OneTimeKeyPair<lanekem::MlKem512>>(20);
        let caught = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| {
            OneTimeKeyPair::generate_batch(&mut Panics(calls), &mut out);
        }));
        assert!(caught.is_err() && out.iter().all(Option::is_none));
    }
}

#[test]
fn lengths_and_checks() {
    fn check<P: ParameterSet, T: Kem>() {
        let ciphertext_len = P::CIPHERTEXT_LEN + T::TAG_LEN;
        assert_eq!(EncapsulationKey::<P, T>::LEN, P::ENCAPSULATION_KEY_LEN);
        assert_eq!(Ciphertext::<P, T>::LEN, ciphertext_len);
        for len in 0..=ciphertext_len + 40 {
            let bytes = vec![0; len];
            let ct = Ciphertext::<P, T>::from_bytes(&bytes);
            assert_eq!(ct.is_ok(), len == ciphertext_len);
            assert!(ct.is_ok() || ct == Err(Error::CiphertextLength));
            let ek = EncapsulationKey::<P, T>::from_bytes(&bytes);
            assert_eq!(ek.is_ok(), len == P::ENCAPSULATION_KEY_LEN);
            assert!(ek.is_ok() || ek == Err(Error::EncapsulationKeyLength));
        }
        let mut bytes = vec![0; P::ENCAPSULATION_KEY_LEN];
        for i in (0..256 * P::K).step_by(37) {
            for (value, expected) in [(3328, true), (3329, false), (4095, false), (0, true)] {
                model::set_coefficient(&mut bytes, i, value);
                let ek = EncapsulationKey::<P, T>::from_bytes(&bytes);
                assert_eq!(ek.is_ok(), expected);
                assert!(ek.is_ok() || ek == Err(Error::EncapsulationKeyModulus));
            }
        }
    }
    fn both<P: ParameterSet>() {
        check::<P, Th>();
        check::<P, Tch>();
    }
    for_each_backend(|_| for_each_set!(both()));
}

#[test]
fn secrets_are_not_printed() {
    let pair = tch::OneTimeKeyPair::<lanekem::MlKem768>::generate(&mut ShakeRng::new(b"debug"));
    assert_eq!(format!("{pair:?}"), "T_CH of ML-KEM-768::OneTimeKeyPair(redacted)");
    let shown = format!("{:?}", pair.encapsulation_key());
    assert!(shown.starts_with("T_CH of ML-KEM-768::EncapsulationKey("));
}

/// A key that is used twice, copied or stored, or taken for the other KEM's, does not compile.
#[test]
fn misuse_does_not_compile() {
    if short() {
        // No compiler in an emulator.
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/one_time_misuse/*.rs");
}
