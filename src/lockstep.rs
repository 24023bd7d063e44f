//! The hashes of as many keys as a wide bank has lanes, in lockstep: lane i belongs to key i.

use crate::backend::Backend;
use crate::jobs::Noise;
use crate::lanes::{Bank, Mask, RATE, Sampler, XOF_RATE, prf_suffix, xof_suffix};
use crate::params::{ETA2, ParameterSet};
use crate::plan::hash_blocks;
use crate::secret::wipe;
use crate::sponge::{self, Message};
use zeroize::Zeroizing;

/// One value a lane.
pub(crate) type Lanes<B, T> = <<B as Backend>::Wide as Bank>::Lanes<T>;

/// The sponges of a group of keys.
pub(crate) struct Lockstep<B: Backend> {
    b: B,
    bank: B::Wide,
    /// Keys in the group: lanes from there on hash what the last key hashes.
    keys: usize,
    samplers: Lanes<B, Sampler>,
    blocks: Lanes<B, [[u8; RATE]; 2]>,
}

impl<B: Backend> Lockstep<B> {
    pub(crate) const LANES: usize = <B::Wide as Bank>::LANES;

    #[inline(always)]
    pub(crate) fn new(b: B, keys: usize) -> Self {
        debug_assert!((1..=Self::LANES).contains(&keys));
        Self {
            b,
            bank: b.wide(),
            keys,
            samplers: B::Wide::lanes(|_| Sampler::NEW),
            blocks: B::Wide::lanes(|_| [[0; RATE]; 2]),
        }
    }

    /// Starts each lane with its own seed.
    #[inline(always)]
    fn start<'a>(&mut self, seed: impl Fn(usize) -> &'a [u8; 32], suffix: u64, rate: usize) {
        let seeds = B::Wide::lanes(|lane| seed(lane.min(self.keys - 1)));
        self.bank.start_each(seeds.as_ref(), suffix, rate);
    }

    /// Absorbs each lane's own block, which `block` may write to the place it is given.
    #[inline(always)]
    fn absorb<'a>(&'a mut self, block: impl Fn(usize, &'a mut [u8; RATE]) -> &'a [u8; RATE]) {
        let mut places = self.blocks.as_mut().iter_mut();
        let blocks = B::Wide::lanes(|lane| {
            let [place, _] = places.next().expect("one element a lane");
            block(lane.min(self.keys - 1), place)
        });
        self.bank.absorb_each(blocks.as_ref());
    }

    /// G of each lane's two parts.
    #[inline(always)]
    pub(crate) fn g<'a>(
        &mut self,
        parts: impl Fn(usize) -> [&'a [u8]; 2],
    ) -> Lanes<B, Zeroizing<[[u8; 32]; 2]>> {
        self.bank.wipe();
        self.absorb(|lane, block| {
            sponge::g_block(parts(lane), block);
            block
        });
        sponge::permute_bank(&mut self.bank);
        self.digests::<2>()
    }

    /// H or J of messages of one length.
    #[inline(always)]
    pub(crate) fn hash<'a>(
        &mut self,
        message: impl Fn(usize) -> Message<'a>,
    ) -> Lanes<B, Zeroizing<[[u8; 32]; 1]>> {
        self.bank.wipe();
        for i in 0..hash_blocks(message(0).len()) {
            self.absorb(|lane, block| message(lane).block(i, block));
            sponge::permute_bank(&mut self.bank);
        }
        self.digests::<1>()
    }

    /// The first N·32 bytes of each lane.
    #[inline(always)]
    fn digests<const N: usize>(&self) -> Lanes<B, Zeroizing<[[u8; 32]; N]>> {
        B::Wide::lanes(|lane| {
            let mut out = Zeroizing::new([[0; 32]; N]);
            self.bank.read(lane, out.as_flattened_mut());
            out
        })
    }

    /// 64·η bytes of the PRF with nonce n.
    #[inline(always)]
    pub(crate) fn prf<'a>(
        &mut self,
        seed: impl Fn(usize) -> &'a [u8; 32],
        n: usize,
        eta: usize,
        mut take: impl FnMut(usize, &[[u8; RATE]; 2]),
    ) {
        self.start(seed, prf_suffix(n), RATE);
        let (keys, blocks) = (self.keys, self.blocks.as_mut());
        let lanes = Mask::MAX >> (Mask::BITS as usize - keys);
        for i in 0..(64 * eta).div_ceil(RATE) {
            sponge::permute_bank(&mut self.bank);
            let second = if i == 0 { 0 } else { Mask::MAX };
            self.bank.read_blocks(lanes, second, blocks);
        }
        for (lane, bytes) in blocks.iter().enumerate().take(keys) {
            take(lane, bytes);
        }
    }

    /// SampleNTT for entry Â\[i\]\[j\] of each lane's matrix.
    #[inline(always)]
    pub(crate) fn entry<'a>(
        &mut self,
        rho: impl Fn(usize) -> &'a [u8; 32],
        i: usize,
        j: usize,
        mut out: impl FnMut(usize, &mut Sampler),
    ) {
        self.start(rho, xof_suffix(i, j), XOF_RATE);
        let samplers = self.samplers.as_mut();
        let lanes = Mask::MAX >> (Mask::BITS as usize - self.keys);
        for _ in 0..Sampler::BLOCKS {
            sponge::permute_bank(&mut self.bank);
            self.bank.sample(lanes, samplers);
        }
        for (lane, sampler) in samplers.iter_mut().enumerate().take(self.keys) {
            if !sampler.is_complete() {
                sponge::complete(self.b, self.bank.lane(lane), sampler);
            }
            out(lane, sampler);
        }
    }

    /// The noise of an encryption from each lane's r.
    #[inline(always)]
    pub(crate) fn noise<'a, P: ParameterSet>(
        &mut self,
        r: impl Fn(usize) -> &'a [u8; 32] + Copy,
    ) -> Lanes<B, Noise<P>> {
        let b = self.b;
        let mut noise = B::Wide::lanes(|_| Noise::<P>::new());
        for n in 0..=2 * P::K {
            let eta = if n < P::K { P::ETA1 } else { ETA2 };
            let noise = noise.as_mut();
            self.prf(r, n, eta, |lane, bytes| noise[lane].sample(b, n, bytes.as_flattened()));
        }
        noise
    }
}

impl<B: Backend> Drop for Lockstep<B> {
    fn drop(&mut self) {
        self.bank.wipe();
        wipe(self.blocks.as_mut().as_flattened_mut().as_flattened_mut());
    }
}
