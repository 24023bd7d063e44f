//! Secret and public memory, and an RNG of either kind.

use crabgrind::memcheck::{MemState, mark_memory, vbits};
use rand_core::{TryCryptoRng, TryRng};
use std::convert::Infallible;
use std::ffi::CString;

/// Nothing may depend on these bytes from here on.
pub(crate) fn secret(bytes: &mut [u8]) {
    mark(bytes, MemState::Undefined);
}

/// What comes out of an operation and is published where it lies.
pub(crate) fn public(bytes: &[u8]) {
    mark(bytes, MemState::Defined);
}

/// A copy to look at. It is marked through a pointer that may write, so that the compiler has to
/// read it again: a value still in a register would stay secret.
pub(crate) fn published<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    mark(&raw mut bytes, MemState::Defined);
    bytes
}

fn mark(bytes: *const [u8], state: MemState) {
    mark_memory(bytes.cast(), bytes.len(), state).expect("valgrind runs this");
}

/// True if any bit of the bytes depends on a secret.
pub(crate) fn is_secret(bytes: &[u8]) -> bool {
    let mut bits = vec![0; bytes.len()];
    vbits(bytes.as_ptr().cast(), &mut bits).expect("valgrind runs this");
    bits.iter().any(|&byte| byte != 0)
}

/// A line in valgrind's log.
pub(crate) fn log(line: &str) {
    let line = CString::new(format!("-- {line}\n")).expect("no zero bytes");
    crabgrind::vg_print(&line);
}

/// A deterministic generator (splitmix64) whose output is secret, or public.
pub(crate) struct Rng {
    state: u64,
    secret: bool,
}

impl Rng {
    pub(crate) fn secret(seed: u64) -> Self {
        Self { state: seed, secret: true }
    }

    pub(crate) fn public(seed: u64) -> Self {
        Self { state: seed, secret: false }
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        let Ok(()) = self.try_fill_bytes(&mut out);
        // A move of the array carries its marks along.
        out
    }
}

impl TryRng for Rng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes()))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        for chunk in out.chunks_mut(8) {
            self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.state;
            word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^= word >> 31;
            chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]);
        }
        if self.secret {
            secret(out);
        }
        Ok(())
    }
}

impl TryCryptoRng for Rng {}
