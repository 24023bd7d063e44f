//! lanekem against three other implementations on one stream of seeds: keys, ciphertexts and shared secrets must
//! be the same bytes, every library decapsulates what the bytes of the others say, and a modified ciphertext
//! is rejected into the same secret. lanekem does it with every backend this CPU has, single and in batches.
//! The same for keys that lanekem alone can make, those of a batch with one matrix.

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

#[derive(Clone, PartialEq, Eq)]
struct KeyPair {
    ek: Vec<u8>,
    dk: Vec<u8>,
}

#[derive(PartialEq, Eq)]
struct Outcome {
    pair: KeyPair,
    ct: Vec<u8>,
    secret: [u8; 32],
    rejected: [u8; 32],
}

fn inputs(set: u64, count: usize) -> Vec<Input> {
    let mut rng = ChaCha8Rng::seed_from_u64(set);
    let input = |_| {
        let (mut seed, mut m) = ([0; 64], [0; 32]);
        rng.fill_bytes(&mut seed);
        rng.fill_bytes(&mut m);
        Input { seed, m, at: rng.next_u32() as usize, bit: 1 << (rng.next_u32() % 8) }
    };
    (0..count).map(input).collect()
}

fn modified(ct: &[u8], input: &Input) -> Vec<u8> {
    let mut ct = ct.to_vec();
    let at = input.at % ct.len();
    ct[at] ^= input.bit;
    ct
}

/// A library that reads keys and ciphertexts as bytes, which is what the other libraries would have sent, with
/// all checks it has.
trait Library {
    const NAME: &str;
    fn key_pair(seed: &[u8; 64]) -> KeyPair;
    fn encapsulate(ek: &[u8], m: &[u8; 32]) -> (Vec<u8>, [u8; 32]);
    fn decapsulate(dk: &[u8], ct: &[u8]) -> [u8; 32];

    fn exchange(pair: &KeyPair, input: &Input) -> Outcome {
        let (ct, secret) = Self::encapsulate(&pair.ek, &input.m);
        assert_eq!(Self::decapsulate(&pair.dk, &ct), secret, "{}", Self::NAME);
        let rejected = Self::decapsulate(&pair.dk, &modified(&ct, input));
        assert_ne!(rejected, secret, "{}", Self::NAME);
        Outcome { pair: pair.clone(), ct, secret, rejected }
    }
}

macro_rules! libcrux {
    ($Name:ident, $module:ident, $Sk:ident, $Pk:ident, $Ct:ident) => {
        struct $Name;
        impl Library for $Name {
            const NAME: &str = "libcrux-ml-kem";
            fn key_pair(seed: &[u8; 64]) -> KeyPair {
                let pair = libcrux_ml_kem::$module::generate_key_pair(*seed);
                KeyPair {
                    ek: pair.public_key().as_slice().to_vec(),
                    dk: pair.private_key().as_slice().to_vec(),
                }
            }
            fn encapsulate(ek: &[u8], m: &[u8; 32]) -> (Vec<u8>, [u8; 32]) {
                use libcrux_ml_kem::$module::{encapsulate, validate_public_key, $Pk};
                let ek = $Pk::try_from(ek).expect("length");
                assert!(validate_public_key(&ek), "{}: ek", Self::NAME);
                let (ct, secret) = encapsulate(&ek, *m);
                (ct.as_slice().to_vec(), secret)
            }
            fn decapsulate(dk: &[u8], ct: &[u8]) -> [u8; 32] {
                use libcrux_ml_kem::$module::{decapsulate, validate_private_key, $Ct, $Sk};
                let dk = $Sk::try_from(dk).expect("length");
                let ct = $Ct::try_from(ct).expect("length");
                assert!(validate_private_key(&dk, &ct), "{}: dk", Self::NAME);
                decapsulate(&dk, &ct)
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
            fn key_pair(seed: &[u8; 64]) -> KeyPair {
                use fips203::traits::{KeyGen, SerDes};
                let [d, z] = [&seed[..32], &seed[32..]].map(|half| half.try_into().expect("32"));
                let (ek, dk) = fips203::$module::KG::keygen_from_seed(d, z);
                KeyPair { ek: ek.into_bytes().to_vec(), dk: dk.into_bytes().to_vec() }
            }
            fn encapsulate(ek: &[u8], m: &[u8; 32]) -> (Vec<u8>, [u8; 32]) {
                use fips203::traits::{Encaps, SerDes};
                let ek = ek.try_into().expect("length");
                let ek = fips203::$module::EncapsKey::try_from_bytes(ek).expect("valid ek");
                let (secret, ct) = ek.encaps_from_seed(m);
                (ct.into_bytes().to_vec(), secret.into_bytes())
            }
            fn decapsulate(dk: &[u8], ct: &[u8]) -> [u8; 32] {
                use fips203::traits::{Decaps, SerDes};
                use fips203::$module::{CipherText, DecapsKey};
                let dk = DecapsKey::try_from_bytes(dk.try_into().expect("length"));
                let ct = CipherText::try_from_bytes(ct.try_into().expect("length"));
                let secret = dk.expect("valid dk").try_decaps(&ct.expect("length"));
                secret.expect("decaps").into_bytes()
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
        #[allow(deprecated, reason = "the expanded form is what the other libraries can compare")]
        impl Library for $Name {
            const NAME: &str = "ml-kem";
            fn key_pair(seed: &[u8; 64]) -> KeyPair {
                use ml_kem::{ExpandedKeyEncoding, KeyExport};
                let dk = ml_kem::DecapsulationKey::<ml_kem::$Set>::from_seed((*seed).into());
                KeyPair {
                    ek: dk.encapsulation_key().to_bytes().to_vec(),
                    dk: dk.to_expanded_bytes().to_vec(),
                }
            }
            fn encapsulate(ek: &[u8], m: &[u8; 32]) -> (Vec<u8>, [u8; 32]) {
                let ek = ek.try_into().expect("length");
                let ek = ml_kem::EncapsulationKey::<ml_kem::$Set>::new(&ek).expect("valid ek");
                let (ct, secret) = ek.encapsulate_deterministic(&(*m).into());
                (ct.to_vec(), secret.into())
            }
            fn decapsulate(dk: &[u8], ct: &[u8]) -> [u8; 32] {
                use ml_kem::{Decapsulate, DecapsulationKey, ExpandedKeyEncoding};
                let dk = dk.try_into().expect("length");
                let dk = DecapsulationKey::<ml_kem::$Set>::from_expanded_bytes(&dk);
                dk.expect("valid dk").decapsulate(&ct.try_into().expect("length")).into()
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

/// What A, B and C agree on.
fn agreed<A: Library, B: Library, C: Library, T: PartialEq>(case: usize, [a, b, c]: [T; 3]) -> T {
    assert!(a == b, "case {case}: {} and {} differ", A::NAME, B::NAME);
    assert!(a == c, "case {case}: {} and {} differ", A::NAME, C::NAME);
    a
}

fn key_pair<A: Library, B: Library, C: Library>(case: usize, seed: &[u8; 64]) -> KeyPair {
    agreed::<A, B, C, _>(case, [A::key_pair(seed), B::key_pair(seed), C::key_pair(seed)])
}

fn exchange<A: Library, B: Library, C: Library>(i: usize, pair: &KeyPair, x: &Input) -> Outcome {
    agreed::<A, B, C, _>(i, [A::exchange(pair, x), B::exchange(pair, x), C::exchange(pair, x)])
}

/// `dk`, and what its bytes are read into.
fn single<P: ParameterSet>(
    case: usize,
    dk: &DecapsulationKey<P>,
    input: &Input,
    expected: &Outcome,
) {
    let KeyPair { ek, dk: expanded } = &expected.pair;
    assert!(dk.encapsulation_key().as_bytes() == ek, "case {case}: ek");
    assert!(AsRef::<[u8]>::as_ref(&*dk.to_expanded_bytes()) == expanded, "case {case}: dk");

    let ek = EncapsulationKey::<P>::from_bytes(ek).expect("fresh key");
    let prepared = ek.prepare().encapsulate_with(&input.m);
    for (ct, secret) in [ek.encapsulate_with(&input.m), prepared] {
        assert!(ct.as_bytes() == expected.ct, "case {case}: ct");
        assert!(*secret.as_bytes() == expected.secret, "case {case}: secret");
    }

    let good = Ciphertext::<P>::from_bytes(&expected.ct).expect("length");
    let bad = Ciphertext::<P>::from_bytes(&modified(&expected.ct, input)).expect("length");
    let imported = DecapsulationKey::<P>::from_expanded_bytes(expanded).expect("fresh key");
    let compact = CompactDecapsulationKey::<P>::from_expanded_bytes(expanded).expect("fresh key");
    for (ct, secret) in [(&good, &expected.secret), (&bad, &expected.rejected)] {
        assert!(dk.decapsulate(ct).as_bytes() == secret, "case {case}: decaps");
        assert!(imported.decapsulate(ct).as_bytes() == secret, "case {case}: decaps, imported");
        assert!(compact.decapsulate(ct).as_bytes() == secret, "case {case}: decaps, compact");
    }
}

fn empty<T>(n: usize) -> Vec<Option<T>> {
    (0..n).map(|_| None).collect()
}

fn from_seeds<P: ParameterSet>(inputs: &[Input]) -> Vec<DecapsulationKey<P>> {
    let seeds: Vec<Seed> = inputs.iter().map(|input| Seed::from_bytes(&input.seed)).collect();
    let mut keys = empty(seeds.len());
    DecapsulationKey::from_seed_batch(&seeds, &mut keys).expect("equal lengths");
    keys.into_iter().map(|key| key.expect("a key for each seed")).collect()
}

fn batch<P: ParameterSet>(
    first: usize,
    keys: &[DecapsulationKey<P>],
    inputs: &[Input],
    expected: &[Outcome],
) {
    let n = inputs.len();
    let eks: Vec<_> = keys.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let ms: Vec<[u8; 32]> = inputs.iter().map(|input| input.m).collect();
    let mut sent = empty(n);
    EncapsulationKey::<P>::encapsulate_batch_with(&eks, &ms, &mut sent).expect("equal lengths");

    let ct = |bytes: &[u8]| Ciphertext::<P>::from_bytes(bytes).expect("length");
    let good: Vec<_> = expected.iter().map(|e| ct(&e.ct)).collect();
    let bad: Vec<_> =
        expected.iter().zip(inputs).map(|(e, input)| ct(&modified(&e.ct, input))).collect();
    let (mut received, mut rejected) = (empty(n), empty(n));
    DecapsulationKey::decapsulate_batch(keys, &good, &mut received).expect("equal lengths");
    DecapsulationKey::decapsulate_batch(keys, &bad, &mut rejected).expect("equal lengths");

    for (i, expected) in expected.iter().enumerate() {
        let case = first + i;
        let dk = keys[i].to_expanded_bytes();
        assert!(AsRef::<[u8]>::as_ref(&*dk) == expected.pair.dk, "case {case}: dk, batch");
        let (ct, secret) = sent[i].as_ref().expect("a ciphertext for each key");
        assert!(ct.as_bytes() == expected.ct, "case {case}: ct, batch");
        assert!(*secret.as_bytes() == expected.secret, "case {case}: secret, batch");
        let secret = received[i].as_ref().expect("a secret for each ciphertext");
        assert!(*secret.as_bytes() == expected.secret, "case {case}: decaps, batch");
        let secret = rejected[i].as_ref().expect("a secret for each ciphertext");
        assert!(*secret.as_bytes() == expected.rejected, "case {case}: rejection, batch");
    }
}

fn backends() -> String {
    Backend::available().map(Backend::name).collect::<Vec<_>>().join(",")
}

fn differential<P: ParameterSet, A: Library, B: Library, C: Library>(set: u64) {
    let inputs = inputs(set, CASES);
    let expected = parallel(&inputs, |first, chunk| {
        let cases = (first..).zip(chunk);
        cases.map(|(i, x)| exchange::<A, B, C>(i, &key_pair::<A, B, C>(i, &x.seed), x)).collect()
    });
    let cases: Vec<_> = inputs.chunks(BATCH).zip(expected.chunks(BATCH)).collect();
    for backend in Backend::available() {
        backend.force().expect("available");
        parallel(&cases, |first, batches| {
            for (b, (inputs, expected)) in batches.iter().enumerate() {
                let first = (first + b) * BATCH;
                for (i, (input, expected)) in inputs.iter().zip(*expected).enumerate() {
                    let dk = DecapsulationKey::<P>::from_seed(&Seed::from_bytes(&input.seed));
                    single(first + i, &dk, input, expected);
                }
                batch::<P>(first, &from_seeds(inputs), inputs, expected);
            }
            Vec::<()>::new()
        });
    }
    println!("differential set={set} cases={CASES} peers=3 backends={}", backends());
}

/// No seed leads to these keys, so the peers start from their bytes.
fn shared_matrix<P: ParameterSet, A: Library, B: Library, C: Library>(set: u64) {
    let inputs = inputs(set, BATCH);
    let run = |backend: Backend| {
        backend.force().expect("available");
        let mut keys = empty(BATCH);
        let mut rng = ChaCha8Rng::seed_from_u64(!set);
        let Ok(()) = DecapsulationKey::<P>::generate_batch_shared_matrix(&mut rng, &mut keys);
        let keys: Vec<_> = keys.into_iter().map(|key| key.expect("a key in each slot")).collect();
        let expected: Vec<Outcome> = (0..BATCH)
            .map(|i| {
                let ek = keys[i].encapsulation_key().as_bytes().to_vec();
                let rho = ek.len() - 32;
                assert!(ek[rho..] == keys[0].encapsulation_key().as_bytes()[rho..], "key {i}: ρ");
                let dk = AsRef::<[u8]>::as_ref(&*keys[i].to_expanded_bytes()).to_vec();
                let outcome = exchange::<A, B, C>(i, &KeyPair { ek, dk }, &inputs[i]);
                single(i, &keys[i], &inputs[i], &outcome);
                outcome
            })
            .collect();
        batch(0, &keys, &inputs, &expected);
        expected
    };
    let by_backend: Vec<_> = Backend::available().map(run).collect();
    assert!(by_backend.windows(2).all(|two| two[0] == two[1]), "backends differ");
    println!("shared matrix set={set} keys={BATCH} peers=3 backends={}", backends());
}

fn all<P: ParameterSet, A: Library, B: Library, C: Library>(set: u64) {
    differential::<P, A, B, C>(set);
    shared_matrix::<P, A, B, C>(set);
}

fn main() {
    all::<MlKem512, Libcrux512, Fips512, RustCrypto512>(512);
    all::<MlKem768, Libcrux768, Fips768, RustCrypto768>(768);
    all::<MlKem1024, Libcrux1024, Fips1024, RustCrypto1024>(1024);
}
