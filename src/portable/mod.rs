//! The portable backend: plain Rust that reads like the standard, with one Keccak state to a bank. It
//! is the oracle that the vector backends are tested against, and lean enough for small devices.

mod codec;
mod compress;
pub(crate) mod keccak;
mod lanes;
pub(crate) mod ntt;
mod sample;

use crate::backend::Backend;
use crate::dispatch::Operation;
use crate::poly::{MulCache, NttPoly, Poly};

pub(crate) use lanes::Single;

/// Token of the portable backend. Every CPU has it.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Backend for Portable {
    type Bank = Single;
    type Wide = Single;
    const COSTS: [usize; 3] = [1, 1, 1];

    #[inline(never)]
    fn enter<O: Operation>(self, operation: O) -> O::Output {
        operation.run(self)
    }
    #[inline(always)]
    fn bank(self) -> Single {
        Single([0; 25])
    }
    #[inline(always)]
    fn wide(self) -> Single {
        Single([0; 25])
    }
    #[inline(always)]
    fn permute(self, state: &mut [u64; 25]) {
        keccak::permute(state);
    }
    #[inline(always)]
    fn ntt(self, f: &Poly, out: &mut NttPoly) {
        ntt::ntt(f, out);
    }
    #[inline(always)]
    fn inv_ntt(self, f: &NttPoly, out: &mut Poly) {
        ntt::inv_ntt(f, out);
    }
    #[inline(always)]
    fn mul_cache(self, b: &NttPoly, out: &mut MulCache) {
        ntt::mul_cache(b, out);
    }
    #[inline(always)]
    fn dot(self, a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly) {
        ntt::dot(a, b, cache, out);
    }
    #[inline(always)]
    fn scale_add(self, t: &mut NttPoly, e: &NttPoly) {
        ntt::scale_add(t, e);
    }
    #[inline(always)]
    fn reduce(self, f: &mut NttPoly) {
        ntt::reduce(f);
    }
    #[inline(always)]
    fn encode12(self, f: &NttPoly, out: &mut [u8; 384]) {
        codec::encode12(f, out);
    }
    #[inline(always)]
    fn decode12(self, bytes: &[u8; 384], out: &mut NttPoly) -> bool {
        codec::decode12(bytes, out)
    }
    #[inline(always)]
    fn compress(self, d: usize, f: &Poly, out: &mut [u8]) {
        compress::compress(d, f, out);
    }
    #[inline(always)]
    fn decompress(self, d: usize, bytes: &[u8], out: &mut Poly) {
        compress::decompress(d, bytes, out);
    }
    #[inline(always)]
    fn compress1(self, f: &Poly, out: &mut [u8; 32]) {
        compress::compress1(f, out);
    }
    #[inline(always)]
    fn decompress1(self, m: &[u8; 32], out: &mut Poly) {
        compress::decompress1(m, out);
    }
    #[inline(always)]
    fn cbd2(self, bytes: &[u8; 128], out: &mut Poly) {
        sample::cbd2(bytes, out);
    }
    #[inline(always)]
    fn cbd3(self, bytes: &[u8; 192], out: &mut Poly) {
        sample::cbd3(bytes, out);
    }
}
