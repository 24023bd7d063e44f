//! Sponges against the `sha3` and `shake` crates, lane by lane.

use super::{TestRng, backend_test};
use crate::lanes::{Bank, RATE, Start, XOF_RATE, prf_suffix, xof_suffix};
use crate::sponge::{self, Message};
use sha3::{Digest, Sha3_256, Sha3_512};
use shake::{ExtendableOutput, Shake128, Shake256, Update, XofReader};
use std::vec;
use std::vec::Vec;

fn shake128(message: &[u8], len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    let mut hasher = Shake128::default();
    hasher.update(message);
    hasher.finalize_xof().read(&mut out);
    out
}

fn shake256(message: &[u8], len: usize) -> Vec<u8> {
    let mut out = vec![0; len];
    let mut hasher = Shake256::default();
    hasher.update(message);
    hasher.finalize_xof().read(&mut out);
    out
}

#[test]
fn round_constants() {
    use crate::keccak::RC;
    assert_eq!(RC[0], 1);
    assert_eq!(RC[1], 0x8082);
    assert_eq!(RC[2], 0x8000_0000_0000_808a);
    assert_eq!(RC[22], 0x8000_0001);
}

backend_test! {
    /// Keccak-f[1600] of zeros, twice: the first words of the Keccak team's known answers.
    fn permutation_of_zeros<B>(b) {
        let mut state = [0; 25];
        b.permute(&mut state);
        assert_eq!(state[0], 0xf1258f7940e1dde7);
        assert_eq!(state[24], 0xeaf1ff7b5ceca249);
        b.permute(&mut state);
        assert_eq!(state[0], 0x2d5c954df96ecb3c);
    }
}

backend_test! {
    /// H and J at every length from 0 to 3 blocks + 1.
    fn h_and_j<B>(b) {
        let mut rng = TestRng(1);
        let mut message = [0; 3 * RATE + 1];
        rng.fill(&mut message);
        for len in 0..=message.len() {
            let expected = Sha3_256::digest(&message[..len]);
            assert_eq!(Message::h(&message[..len]).digest(b)[..], expected[..], "H, {len} bytes");
        }
        let z = *message.first_chunk::<32>().unwrap();
        for len in 32..=message.len() {
            let digest = Message::j(&z, &message[32..len]).digest(b);
            assert_eq!(digest[..], shake256(&message[..len], 32), "J, {len} bytes");
        }
    }
}

backend_test! {
    /// G at every split and length it is used with, and beyond.
    fn g<B>(b) {
        let mut rng = TestRng(2);
        let mut message = [0; 71];
        rng.fill(&mut message);
        for len in 0..=71 {
            for split in [0, len / 2, len] {
                let expected = Sha3_512::digest(&message[..len]);
                let out = sponge::g(b, [&message[..split], &message[split..len]]);
                assert_eq!(out.as_flattened(), &expected[..]);
            }
        }
    }
}

/// Every lane of a bank runs another job; each lane's output is compared with a single sponge.
fn bank_lanes<K: Bank>(bank: &mut K) {
    let mut rng = TestRng(3);
    let (mut rho, mut sigma) = ([0; 32], [0; 32]);
    let lanes = K::LANES;
    let all = ((1u16 << lanes) - 1) as u8;
    for round in 0..200 {
        rng.fill(&mut rho);
        rng.fill(&mut sigma);
        let xof = rng.next() as u8 & all;
        let prf = !xof & rng.next() as u8 & all;
        let suffix: [u64; 8] = core::array::from_fn(|lane| {
            if xof >> lane & 1 != 0 {
                xof_suffix(lane, round % 4)
            } else {
                prf_suffix(lane + round)
            }
        });
        // Garbage that the lanes in no set must lose, then keep.
        for lane in 0..lanes {
            let mut block = [0; RATE];
            rng.fill(&mut block);
            bank.absorb(lane, &block);
        }
        // Bits beyond the lanes mean nothing.
        bank.start(&Start { keep: !all, xof, prf, rho: &rho, sigma: &sigma, suffix: &suffix });
        let mut hashed = [0; RATE];
        rng.fill(&mut hashed);
        for lane in 0..lanes {
            if (xof | prf) >> lane & 1 == 0 {
                assert_eq!(bank.lane(lane), [0; 25]);
                let mut block = hashed;
                block[0] = lane as u8;
                bank.absorb(lane, &block);
            }
        }
        bank.start(&Start { keep: all, xof: 0, prf: 0, rho: &rho, sigma: &sigma, suffix: &suffix });
        for _ in 0..2 {
            bank.permute();
        }
        for lane in 0..lanes {
            let mut out = [0; XOF_RATE];
            bank.read(lane, &mut out);
            let mut message;
            if xof >> lane & 1 != 0 {
                message = rho.to_vec();
                message.extend([(round % 4) as u8, lane as u8]);
                assert_eq!(out[..], shake128(&message, 2 * XOF_RATE)[XOF_RATE..]);
            } else if prf >> lane & 1 != 0 {
                message = sigma.to_vec();
                message.push((lane + round) as u8);
                assert_eq!(out[..RATE], shake256(&message, 2 * RATE)[RATE..]);
            } else {
                let mut state = [0; 25];
                let mut block = hashed;
                block[0] = lane as u8;
                crate::lanes::absorb_words(&mut state, &block);
                crate::portable::keccak::permute(&mut state);
                crate::portable::keccak::permute(&mut state);
                assert_eq!(bank.lane(lane), state);
            }
        }
    }
    // Every lane with a seed of its own, at each rate in use.
    let mut seeds = [[0; 32]; 8];
    seeds.iter_mut().for_each(|seed| rng.fill(seed));
    let seeds: Vec<&[u8; 32]> = seeds[..lanes].iter().collect();
    bank.start_each(&seeds, xof_suffix(3, 2), XOF_RATE);
    bank.permute();
    for (lane, seed) in seeds.iter().enumerate() {
        let mut out = [0; XOF_RATE];
        bank.read(lane, &mut out);
        assert_eq!(out[..], shake128(&[&seed[..], &[2, 3]].concat(), XOF_RATE));
    }
    bank.start_each(&seeds, prf_suffix(5), RATE);
    bank.permute();
    for (lane, seed) in seeds.iter().enumerate() {
        let mut out = [0; RATE];
        bank.read(lane, &mut out);
        assert_eq!(out[..], shake256(&[&seed[..], &[5]].concat(), RATE));
    }
    // Every lane with a block of its own, onto what was there.
    let mut blocks = [[0; RATE]; 8];
    blocks.iter_mut().for_each(|block| rng.fill(block));
    let expected: Vec<_> = (0..lanes)
        .map(|lane| {
            let mut state = bank.lane(lane);
            crate::lanes::absorb_words(&mut state, &blocks[lane]);
            state
        })
        .collect();
    bank.absorb_each(&blocks.iter().take(lanes).collect::<Vec<_>>());
    for (lane, expected) in expected.iter().enumerate() {
        assert_eq!(bank.lane(lane), *expected);
    }
    bank.wipe();
    for lane in 0..lanes {
        assert_eq!(bank.lane(lane), [0; 25]);
    }
}

backend_test! {
    fn banks<B>(b) {
        bank_lanes(&mut b.bank());
        bank_lanes(&mut b.wide());
    }
}
