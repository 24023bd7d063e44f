//! Each kernel as a loop to be timed, and how often operations call the permutation: for
//! `benches/kernels.rs` and `lanekem-speed` only, no part of the API.
//!
//! The loop runs inside the backend's shell, like the operations do, so that the call through it does
//! not count. Inputs keep the contracts of `backend.rs`.

use crate::backend::Backend as Kernels;
use crate::dispatch::{Backend, Operation, dispatch_on};
use crate::lanes::{Bank, MAX_LANES, Sampler, Start, xof_suffix};
use crate::params::{ParameterSet, Q};
use crate::plan::{Plan, Shape};
use crate::plans::Plans;
use crate::poly::{MulCache, NttPoly, Poly};
use core::hint::black_box;
use core::marker::PhantomData;

/// How many states or polynomials one iteration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One.
    One,
    /// As many as the backend's bank for single operations has lanes.
    Bank,
    /// As many as the backend's bank for batches has lanes.
    Wide,
}

/// A kernel to be timed.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// What `backend.rs` calls it, and its parameter.
    pub name: &'static str,
    /// What one iteration does.
    pub unit: Unit,
    /// Runs it so many times on a backend that is available.
    pub run: fn(Backend, u64),
}

/// Lanes of the backend's banks: for single operations, for batches.
pub fn lanes(backend: Backend) -> [usize; 2] {
    struct Lanes;
    impl Operation for Lanes {
        type Output = [usize; 2];

        fn run<B: Kernels>(self, _: B) -> [usize; 2] {
            [B::Bank::LANES, B::Wide::LANES]
        }
    }
    dispatch_on(backend, Lanes)
}

/// Calls of the permutation that one operation makes where no polynomial needs a fourth XOF block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calls {
    /// Of the bank's, for one key.
    pub bank: usize,
    /// Of a single state's, for one key.
    pub single: usize,
    /// Of the wide bank's, for as many keys as it has lanes, if these are several.
    pub wide: usize,
}

/// Calls of key generation, encapsulation and decapsulation (with the matrix at hand).
pub fn calls<P: ParameterSet>(backend: Backend) -> [Calls; 3] {
    struct Count<P>(PhantomData<P>);
    impl<P: ParameterSet> Operation for Count<P> {
        type Output = [Calls; 3];

        fn run<B: Kernels>(self, _: B) -> [Calls; 3] {
            // G is on a single state but in decapsulation, which has it in its plan.
            let of = |plans: &[&Plan], shapes: &[Shape], g: usize| Calls {
                bank: plans.iter().map(|plan| plan.len()).sum(),
                single: plans.iter().map(|plan| plan.singles()).sum::<usize>() + g,
                wide: shapes.iter().map(|&shape| shape.permutations()).sum::<usize>() + g,
            };
            let noise = Shape::noise(P::K, P::ETA1);
            let reencrypt = Shape::reencrypt(P::K, P::ETA1, P::CIPHERTEXT_LEN, false);
            [
                of(&[&Plans::<P, B>::KEYGEN], &[Shape::keygen(P::K, P::ETA1)], 1),
                of(
                    &[&Plans::<P, B>::MATRIX_AND_HASH, &Plans::<P, B>::NOISE],
                    &[Shape::matrix(P::K, true), noise],
                    1,
                ),
                of(&[&Plans::<P, B>::REENCRYPT], &[reencrypt], 0),
            ]
        }
    }
    dispatch_on(backend, Count::<P>(PhantomData))
}

/// For each kernel its name, what an iteration does, a setup and the step to repeat.
macro_rules! kernels {
    ($($name:literal, $unit:ident, |$b:ident| { $($setup:tt)* } $step:expr;)*) => {
        /// Every kernel of a backend.
        pub const KERNELS: &[Kernel] = &[$({
            struct Loop(u64);
            impl Operation for Loop {
                type Output = ();

                #[inline(always)]
                fn run<B: Kernels>(self, $b: B) {
                    $($setup)*
                    for _ in 0..self.0 {
                        $step;
                    }
                }
            }
            Kernel {
                name: $name,
                unit: Unit::$unit,
                run: |backend, iterations| dispatch_on(backend, Loop(iterations)),
            }
        }),*];
    };
}

kernels! {
    "permute", One, |b| { let mut state = [1; 25]; } b.permute(black_box(&mut state));
    "permute_bank", Bank, |b| { let mut bank = b.bank(); } black_box(&mut bank).permute();
    "permute_wide", Wide, |b| { let mut bank = b.wide(); } black_box(&mut bank).permute();
    // Three blocks a lane, as most polynomials need.
    "sample_bank", Bank, |b| {
        let mut bank = b.bank();
        squeeze(&mut bank);
        let mut samplers = [Sampler::NEW; MAX_LANES];
    } sample(black_box(&bank), &mut samplers);
    "sample_wide", Wide, |b| {
        let mut bank = b.wide();
        squeeze(&mut bank);
        let mut samplers = [Sampler::NEW; MAX_LANES];
    } sample(black_box(&bank), &mut samplers);
    "ntt", One, |b| { let (f, mut out) = (Poly(SMALL), NttPoly::ZERO); }
        b.ntt(black_box(&f), black_box(&mut out));
    "inv_ntt", One, |b| { let (f, mut out) = (NttPoly(REDUCED), Poly::ZERO); }
        b.inv_ntt(black_box(&f), black_box(&mut out));
    "mul_cache", One, |b| { let (f, mut out) = (NttPoly(REDUCED), MulCache::ZERO); }
        b.mul_cache(black_box(&f), black_box(&mut out));
    "dot_2", One, |b| { let mut product = Product::<2>::new(b); } product.step(b);
    "dot_3", One, |b| { let mut product = Product::<3>::new(b); } product.step(b);
    "dot_4", One, |b| { let mut product = Product::<4>::new(b); } product.step(b);
    "scale_add", One, |b| { let (mut t, e) = (NttPoly(REDUCED), NttPoly(REDUCED)); }
        b.scale_add(black_box(&mut t), black_box(&e));
    "reduce", One, |b| { let mut f = NttPoly(REDUCED); } b.reduce(black_box(&mut f));
    "encode_12", One, |b| { let (f, mut out) = (NttPoly(REDUCED), [0; 384]); }
        b.encode12(black_box(&f), black_box(&mut out));
    "decode_12", One, |b| { let (bytes, mut out) = (BYTES, NttPoly::ZERO); }
        black_box(b.decode12(black_box(&bytes), black_box(&mut out)));
    "compress_1", One, |b| { let (f, mut out) = (Poly(REDUCED), [0; 32]); }
        b.compress1(black_box(&f), black_box(&mut out));
    "compress_4", One, |b| { let (f, mut out) = (Poly(REDUCED), [0; 32 * 4]); }
        b.compress(4, black_box(&f), black_box(&mut out));
    "compress_5", One, |b| { let (f, mut out) = (Poly(REDUCED), [0; 32 * 5]); }
        b.compress(5, black_box(&f), black_box(&mut out));
    "compress_10", One, |b| { let (f, mut out) = (Poly(REDUCED), [0; 32 * 10]); }
        b.compress(10, black_box(&f), black_box(&mut out));
    "compress_11", One, |b| { let (f, mut out) = (Poly(REDUCED), [0; 32 * 11]); }
        b.compress(11, black_box(&f), black_box(&mut out));
    "decompress_1", One, |b| { let (bytes, mut out) = (prefix::<32>(), Poly::ZERO); }
        b.decompress1(black_box(&bytes), black_box(&mut out));
    "decompress_4", One, |b| { let (bytes, mut out) = (prefix::<{ 32 * 4 }>(), Poly::ZERO); }
        b.decompress(4, black_box(&bytes), black_box(&mut out));
    "decompress_5", One, |b| { let (bytes, mut out) = (prefix::<{ 32 * 5 }>(), Poly::ZERO); }
        b.decompress(5, black_box(&bytes), black_box(&mut out));
    "decompress_10", One, |b| { let (bytes, mut out) = (prefix::<{ 32 * 10 }>(), Poly::ZERO); }
        b.decompress(10, black_box(&bytes), black_box(&mut out));
    "decompress_11", One, |b| { let (bytes, mut out) = (prefix::<{ 32 * 11 }>(), Poly::ZERO); }
        b.decompress(11, black_box(&bytes), black_box(&mut out));
    "cbd_2", One, |b| { let (bytes, mut out) = (prefix::<128>(), Poly::ZERO); }
        b.cbd2(black_box(&bytes), black_box(&mut out));
    "cbd_3", One, |b| { let (bytes, mut out) = (prefix::<192>(), Poly::ZERO); }
        b.cbd3(black_box(&bytes), black_box(&mut out));
}

/// Coefficients that look random, in 0 ≤ c < bound.
const fn coefficients(bound: u32) -> [i16; 256] {
    let (mut out, mut i, mut x) = ([0; 256], 0, 1u32);
    while i < out.len() {
        x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        out[i] = (((x >> 16) * bound) >> 16) as i16;
        i += 1;
    }
    out
}

/// As after noise sampling.
const SMALL: [i16; 256] = coefficients(3);
/// Canonical residues.
const REDUCED: [i16; 256] = coefficients(Q as u32);

const BYTES: [u8; 384] = {
    let (mut out, mut i) = ([0; 384], 0);
    while i < out.len() {
        out[i] = REDUCED[i % 256] as u8;
        i += 1;
    }
    out
};

fn prefix<const LEN: usize>() -> [u8; LEN] {
    *BYTES.first_chunk().expect("at most 384 bytes")
}

/// The operands of one row of the matrix product.
struct Product<const K: usize> {
    a: [NttPoly; K],
    b: [NttPoly; K],
    cache: [MulCache; K],
    out: NttPoly,
}

impl<const K: usize> Product<K> {
    #[inline(always)]
    fn new<B: Kernels>(backend: B) -> Self {
        let b = [NttPoly(REDUCED); K];
        let mut cache = [MulCache::ZERO; K];
        for (b, cache) in b.iter().zip(&mut cache) {
            backend.mul_cache(b, cache);
        }
        Self { a: [NttPoly(REDUCED); K], b, cache, out: NttPoly::ZERO }
    }

    #[inline(always)]
    fn step<B: Kernels>(&mut self, backend: B) {
        let a: [&NttPoly; K] = core::array::from_fn(|i| &self.a[i]);
        let (b, cache) = (black_box(&self.b), black_box(&self.cache));
        backend.dot(black_box(&a), b, cache, black_box(&mut self.out));
    }
}

/// An XOF block in every lane.
#[inline(always)]
fn squeeze<K: Bank>(bank: &mut K) {
    let suffix = core::array::from_fn(|lane| xof_suffix(lane, 0));
    let (rho, sigma) = (&[1; 32], &[2; 32]);
    bank.start(&Start { keep: 0, xof: all::<K>(), prf: 0, rho, sigma, suffix: &suffix });
    bank.permute();
}

#[inline(always)]
fn sample<K: Bank>(bank: &K, samplers: &mut [Sampler; MAX_LANES]) {
    let samplers = &mut samplers[..K::LANES];
    for _ in 0..Sampler::BLOCKS {
        bank.sample(all::<K>(), black_box(&mut *samplers));
    }
    samplers.iter_mut().for_each(|sampler| sampler.len = 0);
}

/// The mask of all lanes.
const fn all<K: Bank>() -> u8 {
    (u8::MAX as u16 >> (MAX_LANES - K::LANES)) as u8
}
