//! What the suites share: every backend in turn, a deterministic RNG and one that fails, hex.
#![allow(dead_code, unused_imports, unused_macros, reason = "no suite needs all of it")]

pub(crate) mod case;
pub(crate) mod model;

use core::convert::Infallible;
use lanekem::{
    Backend, Ciphertext, CompactDecapsulationKey, DecapsulationKey, ParameterSet, Seed,
    SharedSecret,
};
use model::Params;
use rand_core::{TryCryptoRng, TryRng};
use shake::{ExtendableOutput, Shake128, Update, XofReader};
use std::sync::{Mutex, PoisonError};

/// Whether to make do with fewer cases: in an emulator.
pub(crate) fn short() -> bool {
    std::env::var_os("LANEKEM_TEST_SHORT").is_some()
}

/// The backends to test: those that this CPU has, or those that `LANEKEM_TEST_BACKENDS` names.
fn tested() -> Vec<Backend> {
    match std::env::var("LANEKEM_TEST_BACKENDS") {
        Ok(names) => names.split(',').map(|name| name.parse().unwrap()).collect(),
        Err(_) => Backend::available().collect(),
    }
}

/// Runs `f` once for each backend to test, with that backend forced, and puts the
/// former one back. The backend is process-wide, so tests of one binary take turns.
pub(crate) fn for_each_backend(mut f: impl FnMut(Backend)) {
    static TURN: Mutex<()> = Mutex::new(());
    struct Restore(Backend);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.force().expect("a backend that was in use is available");
        }
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let _restore = Restore(Backend::current());
    let mut count = 0;
    for backend in tested() {
        backend.force().unwrap();
        assert_eq!(Backend::current(), backend);
        f(backend);
        count += 1;
    }
    assert!(count > 0, "no backend to test");
}

/// Calls a function that is generic over the parameter set for all three.
macro_rules! for_each_set {
    ($f:ident($($arg:expr),* $(,)?)) => {{
        $f::<lanekem::MlKem512>($($arg),*);
        $f::<lanekem::MlKem768>($($arg),*);
        $f::<lanekem::MlKem1024>($($arg),*);
    }};
}
pub(crate) use for_each_set;

/// The stream SHAKE128(seed).
pub(crate) struct ShakeRng(<Shake128 as ExtendableOutput>::Reader);

impl ShakeRng {
    pub(crate) fn new(seed: &[u8]) -> Self {
        let mut hasher = Shake128::default();
        hasher.update(seed);
        Self(hasher.finalize_xof())
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.0.read(&mut out);
        out
    }

    pub(crate) fn vec(&mut self, len: usize) -> Vec<u8> {
        let mut out = vec![0; len];
        self.0.read(&mut out);
        out
    }

    pub(crate) fn seed(&mut self) -> Seed {
        Seed::from(self.bytes::<64>())
    }

    pub(crate) fn seeds(&mut self, n: usize) -> Vec<Seed> {
        (0..n).map(|_| self.seed()).collect()
    }

    pub(crate) fn messages(&mut self, n: usize) -> Vec<[u8; 32]> {
        (0..n).map(|_| self.bytes()).collect()
    }

    pub(crate) fn ciphertext<P: ParameterSet>(&mut self) -> Ciphertext<P> {
        Ciphertext::from_bytes(&self.vec(P::CIPHERTEXT_LEN)).unwrap()
    }

    pub(crate) fn ciphertexts<P: ParameterSet>(&mut self, n: usize) -> Vec<Ciphertext<P>> {
        (0..n).map(|_| self.ciphertext()).collect()
    }
}

impl TryRng for ShakeRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes()))
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        self.0.read(dst);
        Ok(())
    }
}

impl TryCryptoRng for ShakeRng {}

/// Gives `left` bytes, even within one call, and then nothing but errors that say `code`.
pub(crate) struct FailingRng {
    rng: ShakeRng,
    left: usize,
    code: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RngFailed(pub(crate) u32);

impl core::fmt::Display for RngFailed {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "RNG failed with code {}", self.0)
    }
}

impl core::error::Error for RngFailed {}

impl FailingRng {
    pub(crate) fn after(left: usize, code: u32) -> Self {
        Self { rng: ShakeRng::new(b"failing"), left, code }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RngFailed> {
        let mut out = [0; N];
        self.try_fill_bytes(&mut out)?;
        Ok(out)
    }
}

impl TryRng for FailingRng {
    type Error = RngFailed;

    fn try_next_u32(&mut self) -> Result<u32, RngFailed> {
        self.array().map(u32::from_le_bytes)
    }

    fn try_next_u64(&mut self) -> Result<u64, RngFailed> {
        self.array().map(u64::from_le_bytes)
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), RngFailed> {
        let given = dst.len().min(self.left);
        self.left -= given;
        self.rng.0.read(&mut dst[..given]);
        if given == dst.len() { Ok(()) } else { Err(RngFailed(self.code)) }
    }
}

impl TryCryptoRng for FailingRng {}

pub(crate) fn unhex(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2) && hex.is_ascii());
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

pub(crate) fn params<P: ParameterSet>() -> Params {
    Params::of(P::K)
}

pub(crate) fn slots<T>(n: usize) -> Vec<Option<T>> {
    (0..n).map(|_| None).collect()
}

pub(crate) fn filled<T>(slots: Vec<Option<T>>) -> Vec<T> {
    slots.into_iter().map(|slot| slot.expect("a batch call fills every slot")).collect()
}

pub(crate) fn keys<P: ParameterSet>(seeds: &[Seed]) -> Vec<DecapsulationKey<P>> {
    let mut out = slots(seeds.len());
    DecapsulationKey::from_seed_batch(seeds, &mut out).unwrap();
    filled(out)
}

/// `decapsulate_batch`, as bytes.
pub(crate) fn decapsulate_batch<P: ParameterSet>(
    keys: &[DecapsulationKey<P>],
    cts: &[Ciphertext<P>],
) -> Vec<[u8; 32]> {
    let mut out = slots(cts.len());
    DecapsulationKey::decapsulate_batch(keys, cts, &mut out).unwrap();
    filled(out).iter().map(|key: &SharedSecret| *key.as_bytes()).collect()
}

/// `decapsulate_many`, as bytes.
pub(crate) fn decapsulate_many<P: ParameterSet>(
    key: &DecapsulationKey<P>,
    cts: &[Ciphertext<P>],
) -> Vec<[u8; 32]> {
    let mut out = slots(cts.len());
    key.decapsulate_many(cts, &mut out).unwrap();
    filled(out).iter().map(|key: &SharedSecret| *key.as_bytes()).collect()
}

/// A ciphertext and its key, as bytes.
pub(crate) type Pair = (Vec<u8>, [u8; 32]);

pub(crate) fn pair<P: ParameterSet>((ct, key): &(Ciphertext<P>, SharedSecret)) -> Pair {
    (ct.as_bytes().to_vec(), *key.as_bytes())
}

/// The FIPS 203 form of a key.
pub(crate) trait Expanded {
    fn expanded(&self) -> Vec<u8>;
}

impl<P: ParameterSet> Expanded for DecapsulationKey<P> {
    fn expanded(&self) -> Vec<u8> {
        let bytes = self.to_expanded_bytes();
        (*bytes).as_ref().to_vec()
    }
}

impl<P: ParameterSet> Expanded for CompactDecapsulationKey<P> {
    fn expanded(&self) -> Vec<u8> {
        let bytes = self.to_expanded_bytes();
        (*bytes).as_ref().to_vec()
    }
}
