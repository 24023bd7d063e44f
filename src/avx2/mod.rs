//! The AVX2 backend: four Keccak states to a bank, 16 coefficients to a vector.
//!
//! Kernels are safe functions with the CPU features they use; the calls from here are the only ones
//! that come from code without. That they are sound is proven by [`Avx2`], which only detection makes.

#![allow(unsafe_code)]

pub(crate) mod codec;
pub(crate) mod compress;
pub(crate) mod keccak;
pub(crate) mod lanes;
pub(crate) mod mem;
pub(crate) mod ntt;
pub(crate) mod sample;

use crate::backend::Backend;
use crate::dispatch::Operation;
use crate::lanes::{Bank, Mask, RATE, Sampler, Start};
use crate::poly::{MulCache, NttPoly, Poly};

cpufeatures::new!(features, "avx2", "bmi1", "bmi2", "popcnt");

/// Proof that the CPU and the operating system support AVX2, BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Avx2 {
    pub(crate) fn detect() -> Option<Self> {
        features::get().then_some(Self(()))
    }

    #[inline(always)]
    fn four(self) -> Four {
        // SAFETY: the token proves it.
        Four { _token: self, state: unsafe { lanes::zero() } }
    }
}

/// Everything that is inlined into the operation is compiled for this CPU.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn enter<O: Operation>(token: Avx2, operation: O) -> O::Output {
    operation.run(token)
}

impl Backend for Avx2 {
    type Bank = Four;
    type Wide = Four;
    const COSTS: [usize; 3] = [7, 10, 10];

    #[inline(always)]
    fn enter<O: Operation>(self, operation: O) -> O::Output {
        // SAFETY: the token proves it.
        unsafe { enter(self, operation) }
    }
    #[inline(always)]
    fn bank(self) -> Four {
        self.four()
    }
    #[inline(always)]
    fn wide(self) -> Four {
        self.four()
    }
    #[inline(always)]
    fn permute(self, state: &mut [u64; 25]) {
        // SAFETY: the token proves it.
        unsafe { keccak::permute(state) }
    }
    #[inline(always)]
    fn ntt(self, f: &Poly, out: &mut NttPoly) {
        // SAFETY: the token proves it.
        unsafe { ntt::ntt(f, out) }
    }
    #[inline(always)]
    fn inv_ntt(self, f: &NttPoly, out: &mut Poly) {
        // SAFETY: the token proves it.
        unsafe { ntt::inv_ntt(f, out) }
    }
    #[inline(always)]
    fn mul_cache(self, b: &NttPoly, out: &mut MulCache) {
        // SAFETY: the token proves it.
        unsafe { ntt::mul_cache(b, out) }
    }
    #[inline(always)]
    fn dot(self, a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly) {
        // SAFETY: the token proves it.
        unsafe { ntt::dot(a, b, cache, out) }
    }
    #[inline(always)]
    fn scale_add(self, t: &mut NttPoly, e: &NttPoly) {
        // SAFETY: the token proves it.
        unsafe { ntt::scale_add(t, e) }
    }
    #[inline(always)]
    fn reduce(self, f: &mut NttPoly) {
        // SAFETY: the token proves it.
        unsafe { ntt::reduce(f) }
    }
    #[inline(always)]
    fn encode12(self, f: &NttPoly, out: &mut [u8; 384]) {
        // SAFETY: the token proves it.
        unsafe { codec::encode12(f, out) }
    }
    #[inline(always)]
    fn decode12(self, bytes: &[u8; 384], out: &mut NttPoly) -> bool {
        // SAFETY: the token proves it.
        unsafe { codec::decode12(bytes, out) }
    }
    #[inline(always)]
    fn compress(self, d: usize, f: &Poly, out: &mut [u8]) {
        // SAFETY: the token proves it.
        unsafe { compress::compress(d, f, out) }
    }
    #[inline(always)]
    fn decompress(self, d: usize, bytes: &[u8], out: &mut Poly) {
        // SAFETY: the token proves it.
        unsafe { compress::decompress(d, bytes, out) }
    }
    #[inline(always)]
    fn compress1(self, f: &Poly, out: &mut [u8; 32]) {
        // SAFETY: the token proves it.
        unsafe { compress::compress1(f, out) }
    }
    #[inline(always)]
    fn decompress1(self, m: &[u8; 32], out: &mut Poly) {
        // SAFETY: the token proves it.
        unsafe { compress::decompress1(m, out) }
    }
    #[inline(always)]
    fn cbd2(self, bytes: &[u8; 128], out: &mut Poly) {
        // SAFETY: the token proves it.
        unsafe { sample::cbd2(bytes, out) }
    }
    #[inline(always)]
    fn cbd3(self, bytes: &[u8; 192], out: &mut Poly) {
        // SAFETY: the token proves it.
        unsafe { sample::cbd3(bytes, out) }
    }
}

/// A bank of four states.
pub(crate) struct Four {
    _token: Avx2,
    state: lanes::State,
}

impl Bank for Four {
    const LANES: usize = 4;
    type Lanes<T> = [T; 4];

    #[inline(always)]
    fn lanes<T>(element: impl FnMut(usize) -> T) -> [T; 4] {
        core::array::from_fn(element)
    }

    #[inline(always)]
    fn start(&mut self, start: &Start<'_>) {
        // SAFETY: the token in the bank proves it.
        unsafe { lanes::start(&mut self.state, start) }
    }
    #[inline(always)]
    fn start_each(&mut self, seeds: &[&[u8; 32]], suffix: u64, rate: usize) {
        let seeds = seeds.first_chunk().expect("one element a lane");
        // SAFETY: the token in the bank proves it.
        unsafe { lanes::start_each(&mut self.state, seeds, suffix, rate) }
    }
    #[inline(always)]
    fn absorb(&mut self, lane: usize, block: &[u8; RATE]) {
        // SAFETY: the token in the bank proves it.
        unsafe { lanes::absorb(&mut self.state, lane, block) }
    }
    #[inline(always)]
    fn absorb_each(&mut self, blocks: &[&[u8; RATE]]) {
        let blocks = blocks.first_chunk().expect("one element a lane");
        // SAFETY: the token in the bank proves it.
        unsafe { lanes::absorb_each(&mut self.state, blocks) }
    }
    #[inline(always)]
    fn permute(&mut self) {
        // SAFETY: the token in the bank proves it.
        unsafe { keccak::permute4(&mut self.state) }
    }
    #[inline(always)]
    fn sample(&self, lanes: Mask, out: &mut [Sampler]) {
        let out = out.first_chunk_mut().expect("one element a lane");
        // SAFETY: the token in the bank proves it.
        unsafe { lanes::sample(&self.state, lanes, out) }
    }
    #[inline(always)]
    fn read(&self, lane: usize, out: &mut [u8]) {
        lanes::read(&self.state, lane, out);
    }
    #[inline(always)]
    fn read_blocks(&self, lanes: Mask, second: Mask, out: &mut [[[u8; RATE]; 2]]) {
        let out = out.first_chunk_mut().expect("one element a lane");
        // SAFETY: the token in the bank proves it.
        unsafe { lanes::read_blocks(&self.state, lanes, second, out) }
    }
    #[inline(always)]
    fn lane(&self, lane: usize) -> [u64; 25] {
        lanes::lane(&self.state, lane)
    }
    #[inline(always)]
    fn wipe(&mut self) {
        // SAFETY: the token proves it.
        unsafe { lanes::wipe(&mut self.state) }
    }
}
