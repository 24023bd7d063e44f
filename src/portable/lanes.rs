//! A bank of one Keccak state.

use super::keccak;
use crate::lanes::{
    Bank, Mask, RATE, Sampler, Start, XOF_RATE, absorb_words, seeded_state, squeeze_words,
};

/// The one state.
pub(crate) struct Single(pub(super) [u64; 25]);

impl Bank for Single {
    const LANES: usize = 1;
    type Lanes<T> = [T; 1];

    #[inline(always)]
    fn lanes<T>(element: impl FnMut(usize) -> T) -> [T; 1] {
        core::array::from_fn(element)
    }

    #[inline]
    fn start(&mut self, start: &Start<'_>) {
        if start.xof != 0 {
            self.0 = seeded_state(start.rho, start.suffix[0], XOF_RATE);
        } else if start.prf != 0 {
            self.0 = seeded_state(start.sigma, start.suffix[0], RATE);
        } else if start.keep & 1 == 0 {
            self.0 = [0; 25];
        }
    }

    #[inline]
    fn start_each(&mut self, seeds: &[&[u8; 32]], suffix: u64, rate: usize) {
        self.0 = seeded_state(seeds[0], suffix, rate);
    }

    #[inline]
    fn absorb(&mut self, _lane: usize, block: &[u8; RATE]) {
        absorb_words(&mut self.0, block);
    }

    #[inline]
    fn absorb_each(&mut self, blocks: &[&[u8; RATE]]) {
        absorb_words(&mut self.0, blocks[0]);
    }

    #[inline(always)]
    fn permute(&mut self) {
        keccak::permute(&mut self.0);
    }

    #[inline]
    fn sample(&self, lanes: Mask, out: &mut [Sampler]) {
        if lanes != 0 {
            let mut block = [0; XOF_RATE];
            squeeze_words(&self.0, &mut block);
            out[0].feed(&block);
        }
    }

    #[inline]
    fn read(&self, _lane: usize, out: &mut [u8]) {
        squeeze_words(&self.0, out);
    }

    #[inline]
    fn read_blocks(&self, lanes: Mask, second: Mask, out: &mut [[[u8; RATE]; 2]]) {
        if lanes & 1 != 0 {
            squeeze_words(&self.0, &mut out[0][usize::from(second & 1)]);
        }
    }

    #[inline(always)]
    fn lane(&self, _lane: usize) -> [u64; 25] {
        self.0
    }

    #[inline]
    fn wipe(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.0);
    }
}
