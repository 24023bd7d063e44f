//! A Linux program of lanekem and `core` alone: every operation, single and batch, of every parameter
//! set on every backend, with the exit status for an answer. 0: all secrets agree; 1: some do not;
//! 101: a panic.
#![no_std]
#![no_main]

mod runtime;

use lanekem::{
    Backend, Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, MlKem512,
    MlKem768, MlKem1024, ParameterSet, Seed, SharedSecret,
};
use rand_core::{Infallible, TryCryptoRng, TryRng};

/// A full pass over 4 lanes and one that is not full.
const BATCH: usize = 5;

/// Bytes that count up: fixed, and different in every call.
struct Counter(u8);

impl TryRng for Counter {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.try_fill_bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for byte in out {
            *byte = self.0;
            self.0 = self.0.wrapping_add(1);
        }
        Ok(())
    }
}

impl TryCryptoRng for Counter {}

/// One exchange over bytes, as two parties would do it, and one with a forged ciphertext.
fn exchange<P: ParameterSet>() -> Option<()> {
    let mut rng = Counter(1);
    let compact = CompactDecapsulationKey::<P>::generate(&mut rng);
    let key = DecapsulationKey::<P>::from_seed(compact.seed()?);
    let ek = EncapsulationKey::<P>::from_bytes(compact.encapsulation_key().as_bytes()).ok()?;
    let (ciphertext, secret) = ek.encapsulate(&mut rng);
    agree(&key.decapsulate(&ciphertext), &secret)?;
    agree(&compact.decapsulate(&ciphertext), &secret)?;
    let (ciphertext, secret) = ek.prepare().encapsulate(&mut rng);
    agree(&compact.prepare().decapsulate(&ciphertext), &secret)?;

    let expanded = key.to_expanded_bytes();
    let key = DecapsulationKey::<P>::from_expanded_bytes((*expanded).as_ref()).ok()?;
    let compact = CompactDecapsulationKey::<P>::from_expanded_bytes((*expanded).as_ref()).ok()?;
    let mut bytes = ciphertext.to_bytes();
    bytes.as_mut()[0] ^= 1;
    let forged = Ciphertext::from_bytes(bytes.as_ref()).ok()?;
    agree(&key.decapsulate(&ciphertext), &secret)?;
    agree(&key.decapsulate(&forged), &compact.decapsulate(&forged))?;
    (key.decapsulate(&forged) != secret).then_some(())
}

/// The same over slices: with a key each, then with one key for all.
fn batch<P: ParameterSet>() -> Option<()> {
    let mut rng = Counter(2);
    let mut keys = [const { None }; BATCH];
    let seeds = [1, 2, 3, 4, 5].map(|byte| Seed::from([byte; Seed::LEN]));
    DecapsulationKey::<P>::from_seed_batch(&seeds, &mut keys).ok()?;
    DecapsulationKey::<P>::generate_batch(&mut rng, &mut keys);
    let keys = filled(keys)?;
    let eks = keys.each_ref().map(|key| key.encapsulation_key().clone());
    let (mut pairs, mut out) = ([const { None }; BATCH], [const { None }; BATCH]);

    EncapsulationKey::encapsulate_batch(&eks, &mut rng, &mut pairs).ok()?;
    let pairs = filled(pairs)?;
    let ciphertexts = pairs.each_ref().map(|(ciphertext, _)| ciphertext.clone());
    DecapsulationKey::decapsulate_batch(&keys, &ciphertexts, &mut out).ok()?;
    pairs.iter().zip(&out).try_for_each(|((_, a), b)| agree(a, b.as_ref()?))?;

    let mut pairs = [const { None }; BATCH];
    eks[0].prepare().encapsulate_many(&mut rng, &mut pairs);
    let pairs = filled(pairs)?;
    let ciphertexts = pairs.each_ref().map(|(ciphertext, _)| ciphertext.clone());
    keys[0].decapsulate_many(&ciphertexts, &mut out).ok()?;
    pairs.iter().zip(&out).try_for_each(|((_, a), b)| agree(a, b.as_ref()?))
}

/// What is in the slots, if all are filled.
fn filled<T>(slots: [Option<T>; BATCH]) -> Option<[T; BATCH]> {
    let [a, b, c, d, e] = slots;
    Some([a?, b?, c?, d?, e?])
}

fn agree(a: &SharedSecret, b: &SharedSecret) -> Option<()> {
    (a == b).then_some(())
}

fn all<P: ParameterSet>() -> Option<()> {
    exchange::<P>()?;
    batch::<P>()
}

/// Called by the entry point on a fresh stack.
extern "C" fn main() -> ! {
    for backend in Backend::available() {
        let agreed = backend.force().ok().and_then(|()| {
            all::<MlKem512>()?;
            all::<MlKem768>()?;
            all::<MlKem1024>()
        });
        if agreed.is_none() {
            runtime::exit(1);
        }
    }
    runtime::exit(0)
}
