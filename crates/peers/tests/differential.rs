//! lanekem against three other implementations on one stream of seeds: keys, ciphertexts and shared secrets must
//! be the same bytes, every library decapsulates what the bytes of the others say, and a modified ciphertext
//! is rejected into the same secret. lanekem does it with every backend this CPU has, single and in batches.

use std::thread;

use lanekem::{
    Backend, Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, MlKem512,
    MlKem768, MlKem1024, ParameterSet, Seed,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const CASES: usize = 10_000;
/// Not a multiple of any number of lanes, so that every batch has a tail.
const BATCH: usize = 61;

struct Input {
    seed: [u8; 64],
    m: [u8; 32],
    /// Where and how the ciphertext is modified.
    at: usize,
    bit: u8,
}

#[derive(PartialEq, Eq)]
struct Outcome {
    ek: Vec<u8>,
    dk: Vec<u8>,
    ct: Vec<u8>,
    secret: [u8; 32],
    rejected: [u8; 32],
}

fn inputs(set: u64) -> Vec<Input> {
    let mut rng = ChaCha8Rng::seed_from_u64(set);
    let input = |_| {
        let (mut seed, mut m) = ([0; 64], [0; 32]);
        rng.fill_bytes(&mut seed);
        rng.fill_bytes(&mut m);
        Input { seed, m, at: rng.next_u32() as usize, bit: 1 << (rng.next_u32() % 8) }
    };
    (0..CASES).map(input).collect()
}

fn modified(ct: &[u8], input: &Input) -> Vec<u8> {
    let mut ct = ct.to_vec();
    let at = input.at % ct.len();
    ct[at] ^= input.bit;
    ct
}

/// What a library makes of an input. Both decapsulations start from the bytes of the key, as they are what the
/// other libraries would have sent.
trait Library {
    const NAME: &str;
    fn run(input: &Input) -> Outcome;
}

macro_rules! libcrux {
    ($Name:ident, $module:ident, $Sk:ident, $Pk:ident, $Ct:ident) => {
        struct $Name;
        impl Library for $Name {
            const NAME: &str = "libcrux-ml-kem";
            fn run(input: &Input) -> Outcome {
                use libcrux_ml_kem::$module::{
                    decapsulate, encapsulate, generate_key_pair, validate_public_key, $Ct, $Pk, $Sk,
                };
                let pair = generate_key_pair(input.seed);
                let (dk, ek) = (pair.private_key().as_slice(), pair.public_key().as_slice());
                let pk = $Pk::from(ek);
                assert!(validate_public_key(&pk));
                let (ct, secret) = encapsulate(&pk, input.m);
                let decaps =
                    |ct: &[u8]| decapsulate(&$Sk::from(dk), &$Ct::try_from(ct).expect("length"));
                assert_eq!(decaps(ct.as_slice()), secret);
                let rejected = decaps(&modified(ct.as_slice(), input));
                Outcome {
                    ek: ek.to_vec(),
                    dk: dk.to_vec(),
                    ct: ct.as_slice().to_vec(),
                    secret,
                    rejected,
                }
            }
        }
    };
}
libcrux!(Libcrux512, mlkem512, MlKem512PrivateKey, MlKem512PublicKey, MlKem512Ciphertext);
libcrux!(Libcrux768, mlkem768, MlKem768PrivateKey, MlKem768PublicKey, MlKem768Ciphertext);
libcrux!(Libcrux1024, mlkem1024, MlKem1024PrivateKey, MlKem1024PublicKey, MlKem1024Ciphertext);

macro_rules! fips203 {
    ($Name:ident, $module:ident) => {
        struct $Name;
        impl Library for $Name {
            const NAME: &str = "fips203";
            fn run(input: &Input) -> Outcome {
                use fips203::traits::{Decaps, Encaps, KeyGen, SerDes};
                use fips203::$module::{CipherText, DecapsKey, EncapsKey, KG};
                let (d, z) = input.seed.split_at(32);
                let (ek, dk) = KG::keygen_from_seed(
                    d.try_into().expect("32 bytes"),
                    z.try_into().expect("32 bytes"),
                );
                let (ek, dk) = (ek.into_bytes(), dk.into_bytes());
                let (secret, ct) =
                    EncapsKey::try_from_bytes(ek).expect("fresh key").encaps_from_seed(&input.m);
                let ct = ct.into_bytes();
                let decaps = |ct: &[u8]| {
                    let ct =
                        CipherText::try_from_bytes(ct.try_into().expect("length")).expect("length");
                    DecapsKey::try_from_bytes(dk)
                        .expect("fresh key")
                        .try_decaps(&ct)
                        .expect("decaps")
                        .into_bytes()
                };
                let secret = secret.into_bytes();
                assert_eq!(decaps(&ct), secret);
                let rejected = decaps(&modified(&ct, input));
                Outcome { ek: ek.to_vec(), dk: dk.to_vec(), ct: ct.to_vec(), secret, rejected }
            }
        }
    };
}
fips203!(Fips512, ml_kem_512);
fips203!(Fips768, ml_kem_768);
fips203!(Fips1024, ml_kem_1024);

macro_rules! ml_kem {
    ($Name:ident, $Set:ident) => {
        struct $Name;
        impl Library for $Name {
            const NAME: &str = "ml-kem";
            #[allow(
                deprecated,
                reason = "the expanded form is what the other libraries can compare"
            )]
            fn run(input: &Input) -> Outcome {
                use ml_kem::{
                    Decapsulate, DecapsulationKey, EncapsulationKey, ExpandedKeyEncoding,
                    KeyExport, $Set,
                };
                type Dk = DecapsulationKey<$Set>;
                let dk = Dk::from_seed(input.seed.into());
                let (ek, dk) = (dk.encapsulation_key().to_bytes(), dk.to_expanded_bytes());
                let (ct, secret) = EncapsulationKey::<$Set>::new(&ek)
                    .expect("fresh key")
                    .encapsulate_deterministic(&input.m.into());
                let decaps = |ct: &[u8]| -> [u8; 32] {
                    let ct = ct.try_into().expect("length");
                    Dk::from_expanded_bytes(&dk).expect("fresh key").decapsulate(&ct).into()
                };
                let secret = secret.into();
                assert_eq!(decaps(&ct), secret);
                let rejected = decaps(&modified(&ct, input));
                Outcome { ek: ek.to_vec(), dk: dk.to_vec(), ct: ct.to_vec(), secret, rejected }
            }
        }
    };
}
ml_kem!(RustCrypto512, MlKem512);
ml_kem!(RustCrypto768, MlKem768);
ml_kem!(RustCrypto1024, MlKem1024);

/// Runs `f` on every chunk, on all cores, and gives the results in order.
fn parallel<I: Sync, O: Send>(inputs: &[I], f: impl Fn(usize, &[I]) -> Vec<O> + Sync) -> Vec<O> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let share = inputs.len().div_ceil(threads);
    thread::scope(|scope| {
        let f = &f;
        let chunks = inputs.chunks(share).enumerate();
        let running: Vec<_> =
            chunks.map(|(i, chunk)| scope.spawn(move || f(i * share, chunk))).collect();
        running
            .into_iter()
            .flat_map(|t| t.join().unwrap_or_else(|why| std::panic::resume_unwind(why)))
            .collect()
    })
}

/// What all three agree on.
fn agreed<A: Library, B: Library, C: Library>(inputs: &[Input]) -> Vec<Outcome> {
    parallel(inputs, |first, chunk| {
        let one = |(i, input)| {
            let (a, b, c) = (A::run(input), B::run(input), C::run(input));
            assert!(a == b, "case {}: {} and {} differ", first + i, A::NAME, B::NAME);
            assert!(a == c, "case {}: {} and {} differ", first + i, A::NAME, C::NAME);
            assert!(a.rejected != a.secret);
            a
        };
        chunk.iter().enumerate().map(one).collect()
    })
}

fn single<P: ParameterSet>(case: usize, input: &Input, expected: &Outcome) {
    let from_seed = DecapsulationKey::<P>::from_seed(&Seed::from_bytes(&input.seed));
    assert!(from_seed.encapsulation_key().as_bytes() == expected.ek, "case {case}: ek");
    assert!(
        AsRef::<[u8]>::as_ref(&*from_seed.to_expanded_bytes()) == expected.dk,
        "case {case}: dk"
    );

    let ek = EncapsulationKey::<P>::from_bytes(&expected.ek).expect("fresh key");
    let prepared = ek.prepare().encapsulate_with(&input.m);
    for (ct, secret) in [ek.encapsulate_with(&input.m), prepared] {
        assert!(ct.as_bytes() == expected.ct, "case {case}: ct");
        assert!(*secret.as_bytes() == expected.secret, "case {case}: secret");
    }

    let good = Ciphertext::<P>::from_bytes(&expected.ct).expect("length");
    let bad = Ciphertext::<P>::from_bytes(&modified(&expected.ct, input)).expect("length");
    let imported = DecapsulationKey::<P>::from_expanded_bytes(&expected.dk).expect("fresh key");
    let compact =
        CompactDecapsulationKey::<P>::from_expanded_bytes(&expected.dk).expect("fresh key");
    for (ct, secret) in [(&good, &expected.secret), (&bad, &expected.rejected)] {
        assert!(from_seed.decapsulate(ct).as_bytes() == secret, "case {case}: decaps");
        assert!(imported.decapsulate(ct).as_bytes() == secret, "case {case}: decaps, imported");
        assert!(compact.decapsulate(ct).as_bytes() == secret, "case {case}: decaps, compact");
    }
}

fn empty<T>(n: usize) -> Vec<Option<T>> {
    (0..n).map(|_| None).collect()
}

fn batch<P: ParameterSet>(first: usize, inputs: &[Input], expected: &[Outcome]) {
    let n = inputs.len();
    let seeds: Vec<Seed> = inputs.iter().map(|input| Seed::from_bytes(&input.seed)).collect();
    let mut keys = empty(n);
    DecapsulationKey::<P>::from_seed_batch(&seeds, &mut keys).expect("equal lengths");
    let keys: Vec<_> = keys.into_iter().map(|key| key.expect("a key for each seed")).collect();

    let eks: Vec<_> = keys.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let ms: Vec<[u8; 32]> = inputs.iter().map(|input| input.m).collect();
    let mut sent = empty(n);
    EncapsulationKey::<P>::encapsulate_batch_with(&eks, &ms, &mut sent).expect("equal lengths");

    let ct = |bytes: &[u8]| Ciphertext::<P>::from_bytes(bytes).expect("length");
    let good: Vec<_> = expected.iter().map(|e| ct(&e.ct)).collect();
    let bad: Vec<_> =
        expected.iter().zip(inputs).map(|(e, input)| ct(&modified(&e.ct, input))).collect();
    let (mut received, mut rejected) = (empty(n), empty(n));
    DecapsulationKey::decapsulate_batch(&keys, &good, &mut received).expect("equal lengths");
    DecapsulationKey::decapsulate_batch(&keys, &bad, &mut rejected).expect("equal lengths");

    for (i, expected) in expected.iter().enumerate() {
        let case = first + i;
        assert!(
            AsRef::<[u8]>::as_ref(&*keys[i].to_expanded_bytes()) == expected.dk,
            "case {case}: dk, batch"
        );
        let (ct, secret) = sent[i].as_ref().expect("a ciphertext for each key");
        assert!(ct.as_bytes() == expected.ct, "case {case}: ct, batch");
        assert!(*secret.as_bytes() == expected.secret, "case {case}: secret, batch");
        let secret = received[i].as_ref().expect("a secret for each ciphertext");
        assert!(*secret.as_bytes() == expected.secret, "case {case}: decaps, batch");
        let secret = rejected[i].as_ref().expect("a secret for each ciphertext");
        assert!(*secret.as_bytes() == expected.rejected, "case {case}: rejection, batch");
    }
}

fn differential<P: ParameterSet, A: Library, B: Library, C: Library>(set: u64) {
    let inputs = inputs(set);
    let expected = agreed::<A, B, C>(&inputs);
    let cases: Vec<_> = inputs.chunks(BATCH).zip(expected.chunks(BATCH)).collect();
    for backend in Backend::available() {
        backend.force().expect("available");
        parallel(&cases, |first, batches| {
            for (b, (inputs, expected)) in batches.iter().enumerate() {
                let first = (first + b) * BATCH;
                for (i, (input, expected)) in inputs.iter().zip(*expected).enumerate() {
                    single::<P>(first + i, input, expected);
                }
                batch::<P>(first, inputs, expected);
            }
            Vec::<()>::new()
        });
    }
    let backends: Vec<_> = Backend::available().map(Backend::name).collect();
    println!(
        "differential set={set} cases={} peers=3 backends={}",
        expected.len(),
        backends.join(",")
    );
}

fn main() {
    differential::<MlKem512, Libcrux512, Fips512, RustCrypto512>(512);
    differential::<MlKem768, Libcrux768, Fips768, RustCrypto768>(768);
    differential::<MlKem1024, Libcrux1024, Fips1024, RustCrypto1024>(1024);
}
