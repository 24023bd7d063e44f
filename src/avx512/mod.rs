//! The AVX-512 backend, for CPUs from Ice Lake and Zen 4 on (F, BW, DQ, VL, VBMI, VBMI2): a polynomial
//! is 8 registers, Keccak has ternary logic and rotations, 12-bit fields are moved by byte permutations.
//!
//! `unsafe` is here, where holding the token proves that the CPU has the instructions, and in
//! `mem.rs`, for loads and stores; the kernels are safe functions.
#![allow(unsafe_code)]

mod codec;
mod compress;
mod keccak;
mod lanes;
mod mem;
mod ntt;
mod sample;
mod tables;

use crate::avx2;
use crate::backend::Backend;
use crate::dispatch::Operation;
use crate::lanes::{Bank, Mask, RATE, Sampler, Start};
use crate::poly::{MulCache, NttPoly, Poly};

cpufeatures::new!(
    features,
    "avx512f",
    "avx512bw",
    "avx512dq",
    "avx512vl",
    "avx512vbmi",
    "avx512vbmi2",
    "avx2",
    "bmi1",
    "bmi2",
    "popcnt"
);

/// Token of the AVX-512 backend: proof that the CPU and the operating system have its features.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Avx512 {
    /// The token, if the CPU and the operating system have the features.
    #[inline]
    pub(crate) fn detect() -> Option<Self> {
        features::get().then_some(Self(()))
    }
}

/// Everything that is inlined into the operation is compiled for this CPU.
#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt"
)]
fn enter<O: Operation>(token: Avx512, operation: O) -> O::Output {
    operation.run(token)
}

/// Calls a kernel from a method of the token or of a bank, which holds one.
macro_rules! call {
    ($kernel:expr) => {
        // SAFETY: the token proves that the CPU has the kernel's features.
        unsafe { $kernel }
    };
}

/// Four states.
pub(crate) struct Bank4 {
    state: lanes::State4,
    _token: Avx512,
}

/// Eight states.
pub(crate) struct Bank8 {
    state: lanes::State8,
    _token: Avx512,
}

macro_rules! bank {
    ($Bank:ident, $LANES:literal, $permute:ident, $start:ident, $start_each:ident, $absorb:ident, $absorb_each:ident,
     $sample:ident, $read_blocks:ident, $wipe:ident) => {
        impl Bank for $Bank {
            const LANES: usize = $LANES;
            type Lanes<T> = [T; $LANES];

            #[inline(always)]
            fn lanes<T>(element: impl FnMut(usize) -> T) -> [T; $LANES] {
                core::array::from_fn(element)
            }
            #[inline(always)]
            fn start(&mut self, start: &Start<'_>) {
                call!(lanes::$start(&mut self.state, start));
            }
            #[inline(always)]
            fn start_each(&mut self, seeds: &[&[u8; 32]], suffix: u64, rate: usize) {
                call!(lanes::$start_each(&mut self.state, seeds, suffix, rate));
            }
            #[inline(always)]
            fn absorb(&mut self, lane: usize, block: &[u8; RATE]) {
                call!(lanes::$absorb(&mut self.state, lane, block));
            }
            #[inline(always)]
            fn absorb_each(&mut self, blocks: &[&[u8; RATE]]) {
                call!(lanes::$absorb_each(&mut self.state, blocks));
            }
            #[inline(always)]
            fn permute(&mut self) {
                call!(keccak::$permute(&mut self.state));
            }
            #[inline(always)]
            fn sample(&self, lanes: Mask, out: &mut [Sampler]) {
                call!(lanes::$sample(&self.state, lanes, out));
            }
            #[inline(always)]
            fn read(&self, lane: usize, out: &mut [u8]) {
                for (bytes, words) in out.chunks_exact_mut(8).zip(mem::words(&self.state)) {
                    bytes.copy_from_slice(&words[lane].to_le_bytes());
                }
            }
            #[inline(always)]
            fn read_blocks(&self, lanes: Mask, second: Mask, out: &mut [[[u8; RATE]; 2]]) {
                call!(lanes::$read_blocks(&self.state, lanes, second, out));
            }
            #[inline(always)]
            fn lane(&self, lane: usize) -> [u64; 25] {
                let mut state = [0; 25];
                for (word, words) in state.iter_mut().zip(mem::words(&self.state)) {
                    *word = words[lane];
                }
                state
            }
            #[inline(always)]
            fn wipe(&mut self) {
                call!(lanes::$wipe(&mut self.state));
            }
        }
    };
}

bank!(Bank4, 4, permute4, start4, start_each4, absorb4, absorb_each4, sample4, read_blocks4, wipe4);
bank!(Bank8, 8, permute8, start8, start_each8, absorb8, absorb_each8, sample8, read_blocks8, wipe8);

impl Backend for Avx512 {
    type Bank = Bank4;
    type Wide = Bank8;
    const COSTS: [usize; 3] = [10, 10, 19];

    #[inline(always)]
    fn enter<O: Operation>(self, operation: O) -> O::Output {
        // SAFETY: the token proves it.
        unsafe { enter(self, operation) }
    }
    #[inline(always)]
    fn bank(self) -> Bank4 {
        Bank4 { state: call!(lanes::zero4()), _token: self }
    }
    #[inline(always)]
    fn wide(self) -> Bank8 {
        Bank8 { state: call!(lanes::zero8()), _token: self }
    }
    #[inline(always)]
    fn permute(self, state: &mut [u64; 25]) {
        call!(keccak::permute(state));
    }
    #[inline(always)]
    fn ntt(self, f: &Poly, out: &mut NttPoly) {
        call!(ntt::ntt(f, out));
    }
    #[inline(always)]
    fn inv_ntt(self, f: &NttPoly, out: &mut Poly) {
        call!(ntt::inv_ntt(f, out));
    }
    #[inline(always)]
    fn mul_cache(self, b: &NttPoly, out: &mut MulCache) {
        call!(ntt::mul_cache(b, out));
    }
    #[inline(always)]
    fn dot(self, a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly) {
        call!(ntt::dot(a, b, cache, out));
    }
    #[inline(always)]
    fn scale_add(self, t: &mut NttPoly, e: &NttPoly) {
        call!(ntt::scale_add(t, e));
    }
    #[inline(always)]
    fn reduce(self, f: &mut NttPoly) {
        call!(ntt::reduce(f));
    }
    #[inline(always)]
    fn encode12(self, f: &NttPoly, out: &mut [u8; 384]) {
        // Stores of 48 bytes under a mask take longer.
        call!(avx2::codec::encode12(f, out));
    }
    #[inline(always)]
    fn decode12(self, bytes: &[u8; 384], out: &mut NttPoly) -> bool {
        call!(codec::decode12(bytes, out))
    }
    #[inline(always)]
    fn compress(self, d: usize, f: &Poly, out: &mut [u8]) {
        call!(compress::compress(d, f, out));
    }
    #[inline(always)]
    fn decompress(self, d: usize, bytes: &[u8], out: &mut Poly) {
        call!(compress::decompress(d, bytes, out));
    }
    #[inline(always)]
    fn compress1(self, f: &Poly, out: &mut [u8; 32]) {
        call!(compress::compress1(f, out));
    }
    #[inline(always)]
    fn decompress1(self, m: &[u8; 32], out: &mut Poly) {
        call!(compress::decompress1(m, out));
    }
    #[inline(always)]
    fn cbd2(self, bytes: &[u8; 128], out: &mut Poly) {
        call!(sample::cbd2(bytes, out));
    }
    #[inline(always)]
    fn cbd3(self, bytes: &[u8; 192], out: &mut Poly) {
        call!(sample::cbd3(bytes, out));
    }
}
