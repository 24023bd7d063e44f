//! The public API's promises that are not about the algorithm: errors, redaction, equality,
//! thread safety, backends, and that no input panics.

mod common;

use common::{Expanded, FailingRng, RngFailed, ShakeRng, for_each_backend, for_each_set, hex};
use lanekem::{
    Backend, BackendError, Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey,
    Error, MlKem512, MlKem768, MlKem1024, ParameterSet, PreparedEncapsulationKey, Seed,
    SharedSecret,
};
use proptest::prelude::*;
use subtle::ConstantTimeEq;

const fn assert_shareable<T: Send + Sync + Unpin + 'static>() {}

/// Does not compile if the type has the trait: then `f` could be that of either impl.
macro_rules! assert_not_impl {
    ($type:ty: $($trait:path),+) => {$(
        const _: fn() = || {
            trait Either<A> {
                fn f() {}
            }
            impl<T: ?Sized> Either<()> for T {}
            struct HasTrait;
            impl<T: ?Sized + $trait> Either<HasTrait> for T {}
            let _ = <$type as Either<_>>::f;
        };
    )+};
}

macro_rules! static_checks {
    ($($set:ty),+) => {$(
        const _: () = {
            assert_shareable::<DecapsulationKey<$set>>();
            assert_shareable::<CompactDecapsulationKey<$set>>();
            assert_shareable::<EncapsulationKey<$set>>();
            assert_shareable::<PreparedEncapsulationKey<$set>>();
            assert_shareable::<Ciphertext<$set>>();
        };
        assert_not_impl!(DecapsulationKey<$set>: Clone, Default, AsRef<[u8]>);
        assert_not_impl!(CompactDecapsulationKey<$set>: Clone, Default, AsRef<[u8]>);
    )+};
}

static_checks!(MlKem512, MlKem768, MlKem1024);
assert_not_impl!(SharedSecret: Clone, Default, core::fmt::Display);
assert_not_impl!(Seed: Clone, Default, core::fmt::Display);
const _: () = {
    assert_shareable::<SharedSecret>();
    assert_shareable::<Seed>();
    assert_shareable::<Error>();
    assert_shareable::<BackendError>();
    assert_shareable::<Backend>();
};

#[test]
fn sizes_are_those_of_the_standard() {
    fn sizes<P: ParameterSet>() -> (&'static str, usize, usize, usize, usize) {
        (P::NAME, P::K, P::ENCAPSULATION_KEY_LEN, P::EXPANDED_KEY_LEN, P::CIPHERTEXT_LEN)
    }
    assert_eq!(sizes::<MlKem512>(), ("ML-KEM-512", 2, 800, 1632, 768));
    assert_eq!(sizes::<MlKem768>(), ("ML-KEM-768", 3, 1184, 2400, 1088));
    assert_eq!(sizes::<MlKem1024>(), ("ML-KEM-1024", 4, 1568, 3168, 1568));
    assert_eq!((Seed::LEN, SharedSecret::LEN), (64, 32));
    // The concrete modules name the same types.
    let keys = (
        lanekem::mlkem512::EncapsulationKey::from_bytes(&[0; 800]).unwrap(),
        lanekem::mlkem768::EncapsulationKey::from_bytes(&[0; 1184]).unwrap(),
        lanekem::mlkem1024::EncapsulationKey::from_bytes(&[0; 1568]).unwrap(),
    );
    let _: (EncapsulationKey<MlKem512>, EncapsulationKey<MlKem768>, EncapsulationKey<MlKem1024>) =
        keys;
}

#[test]
fn seeds() {
    fn kept<P: ParameterSet>() {
        let mut rng = ShakeRng::new(b"seeds");
        let bytes: [u8; 64] = rng.bytes();
        let seed = Seed::from_bytes(&bytes);
        let key = DecapsulationKey::<P>::from_seed(&seed);
        let compact = CompactDecapsulationKey::<P>::from_seed(&seed);
        let (from_key, from_compact) = (compact.prepare(), key.to_compact());
        for kept in [key.seed(), compact.seed(), from_key.seed(), from_compact.seed()] {
            assert_eq!(kept.map(Seed::as_bytes), Some(&bytes));
        }

        let imported = DecapsulationKey::<P>::from_expanded_bytes(&key.expanded()).unwrap();
        let compact = CompactDecapsulationKey::<P>::from_expanded_bytes(&key.expanded()).unwrap();
        let (from_key, from_compact) = (compact.prepare(), imported.to_compact());
        for none in [imported.seed(), compact.seed(), from_key.seed(), from_compact.seed()] {
            assert!(none.is_none());
        }

        let [a, b, c] = core::array::from_fn(|_| ShakeRng::new(b"generate"));
        let (mut a, mut b, mut c) = (a, b, c);
        let generated = DecapsulationKey::<P>::generate(&mut a);
        assert_eq!(generated.seed().unwrap().as_bytes(), &b.bytes::<64>());
        let compact = CompactDecapsulationKey::<P>::generate(&mut c);
        assert_eq!(generated.expanded(), compact.expanded());
    }
    for_each_backend(|_| for_each_set!(kept()));
    assert_eq!(Seed::try_from(&[3; 64][..]).unwrap().as_bytes(), &[3; 64]);
    assert_eq!(Seed::from([4; 64]).as_bytes(), &[4; 64]);
}

#[test]
fn keys_are_made_in_their_slots() {
    fn check<P: ParameterSet>() {
        let mut rng = ShakeRng::new(b"slots");
        let (first, second) = (rng.seed(), rng.seed());
        // An empty slot, then the one that has a key: nothing of that is left.
        let (mut slot, mut compact_slot) = (None, None);
        for seed in [&first, &second] {
            let expected = DecapsulationKey::<P>::from_seed(seed);
            let key = DecapsulationKey::<P>::from_seed_in(&mut slot, seed);
            assert_eq!(key.seed(), Some(seed));
            assert_eq!(key.encapsulation_key(), expected.encapsulation_key());
            assert_eq!(*key.to_expanded_bytes(), *expected.to_expanded_bytes());
            let key = CompactDecapsulationKey::<P>::from_seed_in(&mut compact_slot, seed);
            assert_eq!(key.seed(), Some(seed));
            assert_eq!(key.encapsulation_key(), expected.encapsulation_key());
            assert_eq!(*key.to_expanded_bytes(), *expected.to_expanded_bytes());
        }
        assert_eq!(slot.unwrap().seed(), Some(&second));
        assert_eq!(compact_slot.unwrap().seed(), Some(&second));
    }
    for_each_backend(|_| for_each_set!(check()));
}

#[test]
fn shared_secrets_are_equal_or_not() {
    let mut rng = ShakeRng::new(b"equality");
    let dk = DecapsulationKey::<MlKem768>::generate(&mut rng);
    let (ct, key) = dk.encapsulation_key().encapsulate(&mut rng);
    let same = dk.decapsulate(&ct);
    assert!(key == same && bool::from(key.ct_eq(&same)));
    assert_eq!(key.as_ref(), key.as_bytes());
    for _ in 0..100 {
        let (_, other) = dk.encapsulation_key().encapsulate(&mut rng);
        assert!(key != other && !bool::from(key.ct_eq(&other)));
    }
}

#[test]
fn public_values_are_equal_or_not() {
    fn check<P: ParameterSet>() {
        let mut rng = ShakeRng::new(b"equality");
        let ek = DecapsulationKey::<P>::generate(&mut rng).encapsulation_key().clone();
        let other = DecapsulationKey::<P>::generate(&mut rng).encapsulation_key().clone();
        assert!(ek == ek.clone() && ek != other);
        assert!(EncapsulationKey::<P>::from_bytes(ek.to_bytes().as_ref()).unwrap() == ek);
        assert!(ek.prepare().encapsulation_key() == &ek);
        let ct = rng.ciphertext::<P>();
        assert!(ct == ct.clone() && ct != rng.ciphertext());
        assert_eq!(ct.to_bytes().as_ref(), ct.as_bytes());
        assert_eq!(ct.as_ref(), ct.as_bytes());
        assert!(Ciphertext::<P>::try_from(ct.as_bytes()).unwrap() == ct);
    }
    for_each_set!(check());
}

#[test]
fn debug_shows_no_secret() {
    fn check<P: ParameterSet>() {
        let mut rng = ShakeRng::new(b"debug");
        let seed = rng.seed();
        let key = DecapsulationKey::<P>::from_seed(&seed);
        let compact = key.to_compact();
        let (_, secret) = key.encapsulation_key().encapsulate(&mut rng);
        let (dk, z) = (key.expanded(), seed.as_bytes()[32..].to_vec());
        let s = &dk[..384 * P::K];
        let shown = [
            format!("{seed:?} {key:?} {compact:?} {secret:?}"),
            format!("{seed:#?} {key:#?} {compact:#?} {secret:#?}"),
        ]
        .map(|text| text.to_lowercase().replace([' ', '\n', '_', ':'], "").replace("0x", ""));
        for bytes in [s, &z, seed.as_bytes(), secret.as_bytes()] {
            for window in bytes.windows(3) {
                let decimal = format!("{},{},{}", window[0], window[1], window[2]);
                for shown in &shown {
                    assert!(!shown.contains(&hex(window)) && !shown.contains(&decimal), "{shown}");
                }
            }
        }
    }
    for_each_set!(check());
}

#[test]
fn errors_say_what_was_wrong() {
    let errors = [
        Error::EncapsulationKeyLength,
        Error::EncapsulationKeyModulus,
        Error::DecapsulationKeyLength,
        Error::DecapsulationKeyHash,
        Error::CiphertextLength,
        Error::SeedLength,
        Error::SeedMismatch,
        Error::BatchLength,
    ];
    let mut texts = errors.map(|e| (&e as &dyn core::error::Error).to_string()).to_vec();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), errors.len());
    assert!(texts.iter().all(|text| text.len() > 10));
}

#[test]
fn rng_errors_are_returned() {
    fn check<P: ParameterSet>() {
        for left in [0, 1, 63] {
            let rng = || FailingRng::after(left, 7);
            let key = DecapsulationKey::<P>::try_generate(&mut rng());
            assert_eq!(key.err(), Some(RngFailed(7)));
            let key = CompactDecapsulationKey::<P>::try_generate(&mut rng());
            assert_eq!(key.err(), Some(RngFailed(7)));
        }
        let key = DecapsulationKey::<P>::try_generate(&mut FailingRng::after(64, 7)).unwrap();
        let ek = key.encapsulation_key();
        for left in [0, 1, 31] {
            let rng = || FailingRng::after(left, 8);
            assert_eq!(ek.try_encapsulate(&mut rng()).err(), Some(RngFailed(8)));
            assert_eq!(ek.prepare().try_encapsulate(&mut rng()).err(), Some(RngFailed(8)));
        }
        let (ct, secret) = ek.try_encapsulate(&mut FailingRng::after(32, 8)).unwrap();
        assert!(key.decapsulate(&ct) == secret);
        // The traits' bounds admit a trait object.
        let mut rng = ShakeRng::new(b"dyn");
        let rng: &mut dyn rand_core::CryptoRng = &mut rng;
        let (ct, secret) = ek.encapsulate(rng);
        assert!(key.decapsulate(&ct) == secret);
    }
    for_each_set!(check());
}

#[test]
fn backends() {
    let available: Vec<_> = Backend::available().collect();
    for &backend in Backend::ALL {
        assert_eq!(backend.name().parse(), Ok(backend));
        assert_eq!(backend.is_available(), available.contains(&backend));
    }
    let mut absent = 0;
    for_each_backend(|current| {
        for &backend in Backend::ALL.iter().filter(|backend| !available.contains(backend)) {
            assert_eq!(backend.force(), Err(BackendError::Unavailable));
            assert_eq!(Backend::current(), current);
            absent += 1;
        }
    });
    println!("api backends={} absent={}", available.len(), absent / available.len());
}

/// Everything that takes bytes, and what can be done with the results.
fn feed<P: ParameterSet>(bytes: &[u8]) {
    let _ = Seed::try_from(bytes).map(|seed| DecapsulationKey::<P>::from_seed(&seed));
    let zeros = || Ciphertext::from_bytes(&vec![0; P::CIPHERTEXT_LEN]).unwrap();
    let ct = Ciphertext::<P>::from_bytes(bytes).unwrap_or_else(|_| zeros());
    let _ = DecapsulationKey::<P>::from_expanded_bytes(bytes).map(|key| key.decapsulate(&ct));
    let _ = DecapsulationKey::<P>::decapsulate_from_expanded_bytes(bytes, &ct);
    let _ = CompactDecapsulationKey::<P>::from_expanded_bytes(bytes)
        .map(|key| key.prepare().decapsulate(&ct) == key.decapsulate(&ct));
    let _ = EncapsulationKey::<P>::from_bytes(bytes).map(|key| key.encapsulate_with(&[0; 32]));
    let _ = EncapsulationKey::<P>::try_from(bytes).map(|key| key.prepare());
    if bytes.len() != P::CIPHERTEXT_LEN {
        assert_eq!(Ciphertext::<P>::from_bytes(bytes).err(), Some(Error::CiphertextLength));
    }
}

/// Lengths of all kinds, the right ones among them, with bytes that are often small enough for the
/// modulus check.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let len = prop_oneof![
        0..4000usize,
        prop::sample::select(vec![0, 64, 768, 800, 1088, 1184, 1568, 1632, 2400, 3168]),
    ];
    (len, prop_oneof![Just(0x0cu8), Just(0xff)])
        .prop_flat_map(|(len, largest)| prop::collection::vec(0..=largest, len))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn no_bytes_panic(bytes in any_bytes()) {
        for_each_backend(|_| for_each_set!(feed(&bytes)));
    }

    #[test]
    fn no_backend_name_panics(name in "(portable|avx2|avx512|AVX2|\\PC{0,12})( |\\PC{0,2})") {
        match name.parse::<Backend>() {
            Ok(backend) => prop_assert_eq!(backend.name(), name),
            Err(error) => prop_assert_eq!(error, BackendError::Unknown),
        }
    }
}
