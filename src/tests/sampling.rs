//! Noise and rejection sampling against their bit-by-bit definitions.

use super::{TestRng, backend_test};
use crate::lanes::{Bank, RATE, Sampler, XOF_RATE};
use crate::params::Q;
use crate::poly::{NttPoly, Poly};
use std::vec::Vec;

/// Algorithm 8.
fn cbd(eta: usize, bytes: &[u8]) -> [i16; 256] {
    let bit = |i: usize| i16::from(bytes[i / 8] >> (i % 8) & 1);
    core::array::from_fn(|i| {
        let x: i16 = (0..eta).map(|j| bit(2 * i * eta + j)).sum();
        let y: i16 = (0..eta).map(|j| bit(2 * i * eta + eta + j)).sum();
        x - y
    })
}

backend_test! {
    fn noise<B>(b) {
        let mut rng = TestRng(31);
        for round in 0..300u16 {
            let mut bytes = [0; 192];
            match round {
                0..256 => bytes.fill(round as u8),
                _ => rng.fill(&mut bytes),
            }
            let mut out = Poly::ZERO;
            b.cbd2(bytes.first_chunk().unwrap(), &mut out);
            assert_eq!(out.0, cbd(2, &bytes));
            b.cbd3(&bytes, &mut out);
            assert_eq!(out.0, cbd(3, &bytes));
        }
    }
}

/// Steps 4–15 of Algorithm 7: the candidates of a stream that are below q.
fn accepted(stream: &[u8]) -> Vec<i16> {
    let mut out = Vec::new();
    for c in stream.chunks_exact(3) {
        let d1 = i16::from(c[0]) + 256 * i16::from(c[1] % 16);
        let d2 = i16::from(c[1] / 16) + 16 * i16::from(c[2]);
        out.extend([d1, d2].into_iter().filter(|&d| d < Q));
    }
    out
}

/// XOF blocks as they stand in the lanes of a bank, sampled over the given subset of lanes.
fn sample_lanes<K: Bank>(bank: &mut K, fill: impl Fn(&mut [u8])) {
    let lanes = K::LANES;
    for mask in 1..1u16 << lanes {
        let mut streams = std::vec![Vec::new(); lanes];
        let mut samplers = [Sampler::NEW; 8];
        for _ in 0..Sampler::BLOCKS {
            bank.wipe();
            for (lane, stream) in streams.iter_mut().enumerate() {
                let mut block = [0; XOF_RATE];
                fill(&mut block);
                // Two halves: a bank absorbs 136 bytes; the rest comes by permuting nothing.
                bank.absorb(lane, block.first_chunk::<RATE>().unwrap());
                let mut held = [0; XOF_RATE];
                bank.read(lane, &mut held);
                stream.extend(held);
            }
            bank.sample(mask as u8, &mut samplers[..lanes]);
        }
        for lane in 0..lanes {
            let sampler = &samplers[lane];
            if mask >> lane & 1 != 0 {
                let expected = accepted(&streams[lane]);
                let kept = expected.len();
                assert!(sampler.len >= kept.min(256), "{} of {kept} kept", sampler.len);
                let common = kept.min(sampler.len);
                assert_eq!(sampler.coefficients[..common], expected[..common]);
            } else {
                assert_eq!(sampler.len, 0);
            }
        }
    }
}

backend_test! {
    fn rejection_sampling_from_lanes<B>(b) {
        let rng = core::cell::RefCell::new(TestRng(32));
        for _ in 0..4 {
            sample_lanes(&mut b.bank(), |block| rng.borrow_mut().fill(block));
        }
        sample_lanes(&mut b.wide(), |block| rng.borrow_mut().fill(block));
        // All accepted, all rejected.
        sample_lanes(&mut b.bank(), |block| block.fill(0));
        sample_lanes(&mut b.bank(), |block| block.fill(0xff));
    }
}

backend_test! {
    /// A fourth, a fifth and more blocks: a sampler that has rejected everything so far is completed
    /// from the state it stopped at. The chance of a fifth block is 2⁻¹⁰⁵ for a real seed.
    fn completion_by_further_blocks<B>(b) {
        for kept in [0, 1, 100, 143, 144, 145, 255] {
            let state: [u64; 25] = core::array::from_fn(|i| (kept * 25 + i) as u64);
            let mut sampler = Sampler::NEW;
            sampler.len = kept;
            let mut blocks = 0;
            let mut expected: Vec<i16> = std::vec![0; kept];
            let mut model = state;
            while expected.len() < 256 {
                crate::portable::keccak::permute(&mut model);
                let mut block = [0; XOF_RATE];
                crate::lanes::squeeze_words(&model, &mut block);
                expected.extend(accepted(&block));
                blocks += 1;
            }
            assert_eq!(blocks > 2, kept < 60, "{kept} kept");
            crate::sponge::complete(b, state, &mut sampler);
            let mut out = NttPoly::ZERO;
            sampler.finish(&mut out);
            assert_eq!(out.0[..], expected[..256]);
        }
    }
}
