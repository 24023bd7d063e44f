//! Banks of Keccak states that are permuted together, and rejection sampling out of them.
//!
//! A *lane* is one state of a bank (not to be confused with FIPS 202's 64-bit lanes, called *words*
//! here). Which job sits in which lane depends on public data alone.

use crate::params::{N, Q};
use crate::poly::NttPoly;

/// Lanes of the widest bank.
pub(crate) const MAX_LANES: usize = 8;
/// Rate of SHAKE128 in bytes: the XOF.
pub(crate) const XOF_RATE: usize = 168;
/// Rate of SHAKE256 and SHA3-256 in bytes: PRF, J and H.
pub(crate) const RATE: usize = 136;
/// Rate of SHA3-512 in bytes: G.
pub(crate) const G_RATE: usize = 72;

/// The last bit of the padding, in the last word of a block.
pub(crate) const PAD_END: u64 = 1 << 63;

/// A set of lanes, lane i in bit i.
pub(crate) type Mask = u8;

/// Absorbs the only block of `seed` (32 bytes) and `suffix` (the message's end with its padding) into
/// the lanes of `xof` at SHAKE128's rate and of `prf` at SHAKE256's. Lanes in neither keep their state
/// if they are in `keep` and are zero otherwise.
pub(crate) struct Start<'a> {
    pub keep: Mask,
    pub xof: Mask,
    pub prf: Mask,
    pub rho: &'a [u8; 32],
    pub sigma: &'a [u8; 32],
    pub suffix: &'a [u64; MAX_LANES],
}

pub(crate) trait Bank {
    /// States in the bank, at most [`MAX_LANES`].
    const LANES: usize;
    /// `[T; LANES]`.
    type Lanes<T>: AsRef<[T]> + AsMut<[T]>;

    /// One element a lane.
    fn lanes<T>(element: impl FnMut(usize) -> T) -> Self::Lanes<T>;

    /// Begins jobs with one seed for all of a kind: an operation on one key.
    fn start(&mut self, start: &Start<'_>);

    /// Begins a job in every lane, each with its own seed: `seeds` has one element a lane. The block
    /// ends at `rate`.
    fn start_each(&mut self, seeds: &[&[u8; 32]], suffix: u64, rate: usize);

    /// XORs a padded block into one lane.
    fn absorb(&mut self, lane: usize, block: &[u8; RATE]);

    /// XORs a padded block into every lane, each its own: `blocks` has one element a lane.
    fn absorb_each(&mut self, blocks: &[&[u8; RATE]]);

    /// Keccak-f\[1600\] on every lane.
    fn permute(&mut self);

    /// Feeds the XOF block that each lane of `lanes` holds to that lane's sampler. `out` has one
    /// element a lane.
    fn sample(&self, lanes: Mask, out: &mut [Sampler]);

    /// The first `out.len()` bytes of a lane, at most [`XOF_RATE`] and a multiple of 8.
    fn read(&self, lane: usize, out: &mut [u8]);

    /// The first [`RATE`] bytes of each lane of `lanes`, into that lane's element of `out`: its second
    /// block for the lanes of `second`, its first for the others. `out` has one element a lane.
    fn read_blocks(&self, lanes: Mask, second: Mask, out: &mut [[[u8; RATE]; 2]]);

    /// One lane's state.
    fn lane(&self, lane: usize) -> [u64; 25];

    /// Zeroes all lanes.
    fn wipe(&mut self);
}

/// SampleNTT (FIPS 203 Algorithm 7) in progress. Every candidate below q of each whole block is
/// kept, so that the number of blocks alone decides the control flow.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Sampler {
    /// 255 of three blocks and the 112 of a fourth; a vector store may run 16 further.
    pub(crate) coefficients: [i16; Sampler::CAPACITY],
    pub(crate) len: usize,
}

impl Sampler {
    pub(crate) const CAPACITY: usize = 384;
    /// Blocks after which a polynomial is complete with probability 0.9917.
    pub(crate) const BLOCKS: usize = 3;

    pub(crate) const NEW: Self = Self { coefficients: [0; Self::CAPACITY], len: 0 };

    /// Steps 4–15 of Algorithm 7 on one block: keeps the candidates below q, in order.
    #[inline]
    pub(crate) fn feed(&mut self, block: &[u8; XOF_RATE]) {
        for bytes in block.chunks_exact(3) {
            let d1 = i16::from(bytes[0]) | (i16::from(bytes[1] & 15) << 8);
            let d2 = i16::from(bytes[1] >> 4) | (i16::from(bytes[2]) << 4);
            // An unconditional store and a conditional step: no branch to predict.
            self.coefficients[self.len] = d1;
            self.len += usize::from(d1 < Q);
            self.coefficients[self.len] = d2;
            self.len += usize::from(d2 < Q);
        }
    }

    /// True once 256 coefficients are there.
    #[inline(always)]
    pub(crate) fn is_complete(&self) -> bool {
        self.len >= N
    }

    /// Hands over the polynomial and starts anew. Call when complete.
    #[inline(always)]
    pub(crate) fn finish(&mut self, out: &mut NttPoly) {
        debug_assert!(self.is_complete());
        out.0.copy_from_slice(&self.coefficients[..N]);
        self.len = 0;
    }
}

/// The word that follows ρ in the XOF's block for Â\[i\]\[j\]: j, i, SHAKE's domain bits and the start
/// of the padding.
pub(crate) const fn xof_suffix(i: usize, j: usize) -> u64 {
    j as u64 | (i as u64) << 8 | 0x1f << 16
}

/// The word that follows σ (or r) in the PRF's block with nonce n.
pub(crate) const fn prf_suffix(n: usize) -> u64 {
    n as u64 | 0x1f << 8
}

/// Word w of a seed, little-endian.
#[inline(always)]
pub(crate) fn seed_word(seed: &[u8; 32], w: usize) -> u64 {
    u64::from_le_bytes(*seed[8 * w..].first_chunk().expect("4 words"))
}

/// The state after absorbing a seed, its suffix and the padding of a block of `rate` bytes.
#[inline(always)]
pub(crate) fn seeded_state(seed: &[u8; 32], suffix: u64, rate: usize) -> [u64; 25] {
    let mut state = [0; 25];
    for (w, word) in state.iter_mut().take(4).enumerate() {
        *word = seed_word(seed, w);
    }
    state[4] = suffix;
    state[rate / 8 - 1] ^= PAD_END;
    state
}

/// XORs a block of whole words into one state.
#[inline(always)]
pub(crate) fn absorb_words(state: &mut [u64; 25], block: &[u8]) {
    for (word, bytes) in state.iter_mut().zip(block.chunks_exact(8)) {
        *word ^= u64::from_le_bytes(*bytes.first_chunk().expect("8 bytes"));
    }
}

/// What a block of [`RATE`] bytes has beyond 16 words: word 16 of each lane of `lanes`, for
/// [`Bank::read_blocks`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn read_last_words(
    words: &[u64],
    lanes: Mask,
    second: Mask,
    out: &mut [[[u8; RATE]; 2]],
) {
    for (lane, (word, out)) in words.iter().zip(out).enumerate() {
        if lanes >> lane & 1 != 0 {
            let block = &mut out[usize::from(second >> lane & 1)];
            *block.last_chunk_mut().expect("17 words") = word.to_le_bytes();
        }
    }
}

/// Copies the first bytes of one state out, whole words.
#[inline(always)]
pub(crate) fn squeeze_words(state: &[u64; 25], out: &mut [u8]) {
    for (bytes, word) in out.chunks_exact_mut(8).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}
