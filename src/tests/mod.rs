//! Tests of the insides. Each is written once over [`Backend`](crate::backend::Backend) and runs for
//! every backend that the CPU has: a new one is tested by being in `Backend::ALL`.

pub(crate) mod count;

mod codec;
mod hashing;
mod ntt;
mod plans;
mod sampling;
mod schoolbook;

/// A deterministic generator for test inputs: SplitMix64.
pub(crate) struct TestRng(pub(crate) u64);

impl TestRng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Coefficients in −bound < c < bound; a third of them at the extremes.
    pub(crate) fn signed(&mut self, bound: i32) -> [i16; 256] {
        core::array::from_fn(|_| match self.below(6) {
            0 => (bound - 1) as i16,
            1 => (1 - bound) as i16,
            _ => (self.below(2 * bound as u64 - 1) as i64 - i64::from(bound - 1)) as i16,
        })
    }

    /// Coefficients in 0 ≤ c < bound; a third of them at the extremes.
    pub(crate) fn unsigned(&mut self, bound: i32) -> [i16; 256] {
        core::array::from_fn(|_| match self.below(6) {
            0 => (bound - 1) as i16,
            1 => 0,
            _ => self.below(bound as u64) as i16,
        })
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        bytes.iter_mut().for_each(|b| *b = self.next() as u8);
    }
}

/// Defines a test generic over the backend, run for each that is available.
macro_rules! backend_test {
    ($(#[$meta:meta])* fn $name:ident<$B:ident>($b:ident) $body:block) => {
        $(#[$meta])*
        #[test]
        fn $name() {
            struct Body;
            impl crate::dispatch::Operation for Body {
                type Output = ();
                #[allow(clippy::needless_pass_by_value)]
                fn run<$B: crate::backend::Backend>(self, $b: $B) $body
            }
            for backend in crate::Backend::available() {
                std::eprintln!("backend={backend}");
                crate::dispatch::dispatch_on(backend, Body);
            }
        }
    };
}
use backend_test;
