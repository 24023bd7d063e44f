//! The hash functions of FIPS 203 §4.1 (G, H, J, PRF, XOF) as single sponges, and the executor of
//! plans, which runs an operation's sponges packed into the lanes of a bank.

use crate::backend::Backend;
use crate::lanes::{
    Bank, G_RATE, Mask, RATE, Sampler, Start, XOF_RATE, absorb_words, prf_suffix, seeded_state,
    squeeze_words,
};
use crate::plan::Plan;
use crate::poly::NttPoly;
use crate::secret::wipe;
use zeroize::Zeroizing;

/// Domain bits and first bit of the padding: SHA-3 and SHAKE (FIPS 202 §6).
const SHA3: u8 = 0x06;
const SHAKE: u8 = 0x1f;

/// A message of two parts with its padding, cut into blocks of 136 bytes: H(ek) or J(z ‖ c).
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    parts: [&'a [u8]; 2],
    domain: u8,
}

impl<'a> Message<'a> {
    /// H(ek): SHA3-256.
    pub(crate) fn h(ek: &'a [u8]) -> Self {
        Self { parts: [ek, &[]], domain: SHA3 }
    }

    /// SHA3-256 of two parts.
    #[cfg(feature = "one-time")]
    pub(crate) fn sha3_256(parts: [&'a [u8]; 2]) -> Self {
        Self { parts, domain: SHA3 }
    }

    /// J(z ‖ c): SHAKE256 with 32 bytes of output.
    pub(crate) fn j(z: &'a [u8; 32], c: &'a [u8]) -> Self {
        Self { parts: [z, c], domain: SHAKE }
    }

    pub(crate) fn len(&self) -> usize {
        self.parts[0].len() + self.parts[1].len()
    }

    /// Block i, padded if it is the last. Where it lies within one part, it is not copied to `block`.
    #[inline(always)]
    pub(crate) fn block<'b>(&self, i: usize, block: &'b mut [u8; RATE]) -> &'b [u8; RATE]
    where
        'a: 'b,
    {
        let start = i * RATE;
        let [first, second] = self.parts;
        let whole = |part: &'a [u8], at: usize| part.get(at..)?.first_chunk();
        let second_start = start.checked_sub(first.len());
        if let Some(block) =
            whole(first, start).or_else(|| second_start.and_then(|at| whole(second, at)))
        {
            return block;
        }
        self.assemble(start, block);
        block
    }

    /// The block that begins at `start`, of what is left of both parts and of padding.
    fn assemble(&self, start: usize, block: &mut [u8; RATE]) {
        let first = self.parts[0].get(start..).unwrap_or(&[]);
        let first = &first[..first.len().min(RATE)];
        block[..first.len()].copy_from_slice(first);
        let skipped = (start + first.len()) - self.parts[0].len().min(start + first.len());
        let second = self.parts[1].get(skipped..).unwrap_or(&[]);
        let second = &second[..second.len().min(RATE - first.len())];
        let filled = first.len() + second.len();
        block[first.len()..filled].copy_from_slice(second);
        if filled < RATE {
            block[filled..].fill(0);
            block[filled] = self.domain;
            block[RATE - 1] |= 0x80;
        }
    }

    /// The 32-byte digest, on a single state.
    pub(crate) fn digest<B: Backend>(&self, b: B) -> Zeroizing<[u8; 32]> {
        let mut state = Zeroizing::new([0; 25]);
        let mut block = [0; RATE];
        for i in 0..=self.len() / RATE {
            absorb_words(&mut state, self.block(i, &mut block));
            permute(b, &mut state);
        }
        wipe(&mut block);
        digest(&state)
    }
}

/// The one block of G (§4.1), SHA3-512 of at most 71 bytes, at its rate of 72 bytes.
#[inline(always)]
pub(crate) fn g_block(parts: [&[u8]; 2], block: &mut [u8; RATE]) {
    let (first, rest) = block.split_at_mut(parts[0].len());
    first.copy_from_slice(parts[0]);
    let (second, rest) = rest.split_at_mut(parts[1].len());
    second.copy_from_slice(parts[1]);
    rest.fill(0);
    rest[0] = SHA3;
    block[G_RATE - 1] |= 0x80;
}

/// G: two seeds of 32 bytes.
#[inline(always)]
pub(crate) fn g<B: Backend>(b: B, parts: [&[u8]; 2]) -> Zeroizing<[[u8; 32]; 2]> {
    let mut block = [0; RATE];
    g_block(parts, &mut block);
    let mut state = Zeroizing::new([0; 25]);
    absorb_words(&mut state, &block);
    wipe(&mut block);
    permute(b, &mut state);
    let mut out = Zeroizing::new([[0; 32]; 2]);
    squeeze_words(&state, out.as_flattened_mut());
    out
}

/// What the executor needs from, and hands to, the operation whose plan it runs.
pub(crate) trait Jobs {
    /// Block i of the hash's message, written to `block` unless it lies somewhere in one piece.
    fn hash_block<'a>(&'a mut self, i: usize, block: &'a mut [u8; RATE]) -> &'a [u8; RATE];
    /// Where entry e of the matrix goes.
    fn entry(&mut self, e: usize) -> &mut NttPoly;
    /// Takes the PRF's output for nonce n: 64·η bytes of `bytes` are meant.
    fn noise(&mut self, n: usize, bytes: &[[u8; RATE]; 2]);
    /// Block i of the message of a plan's second hash, its check.
    fn check_block<'a>(&'a self, _i: usize, _block: &'a mut [u8; RATE]) -> &'a [u8; RATE] {
        unreachable!("a plan with a check")
    }
    /// Takes the hash of a plan's check.
    fn checked(&mut self, _h: &[u8; 32]) {
        unreachable!("a plan with a check")
    }
    /// The two parts of G's input, for a plan that derives the PRF's key itself.
    fn derive(&self) -> [&[u8]; 2] {
        unreachable!("a plan with G")
    }
    /// Takes the first half of G's output; the second is the PRF's key from then on.
    fn derived(&mut self, _k: &[u8; 32]) {
        unreachable!("a plan with G")
    }
}

/// Runs a plan's steps on `bank`, then what is left of the hash on a single state. Returns the hash's
/// first 32 bytes (of no meaning if the plan has no hash).
#[inline(always)]
pub(crate) fn run<B: Backend, K: Bank, J: Jobs>(
    b: B,
    bank: &mut K,
    plan: &Plan,
    rho: &[u8; 32],
    sigma: &[u8; 32],
    jobs: &mut J,
) -> Zeroizing<[u8; 32]> {
    let mut samplers = plan.matrix.then(|| K::lanes(|_| Sampler::NEW));
    let mut noise = K::lanes(|_| [[0; RATE]; 2]);
    let noise = noise.as_mut();
    let mut sigma = Zeroizing::new(*sigma);
    let mut block = [0; RATE];
    let mut hash = Zeroizing::new([0; 25]);
    let (mut hashed, mut checked) = (0, 0);
    // Lanes whose first PRF block has been read.
    let mut second: Mask = 0;

    for step in plan.steps() {
        let started = step.start_xof | step.start_prf | step.start_hash;
        if started != 0 {
            bank.start(&Start {
                keep: !started,
                xof: step.start_xof,
                prf: step.start_prf,
                rho,
                sigma: &sigma,
                suffix: &step.suffix,
            });
        }
        if let Some(lane) = step.hash_lane {
            bank.absorb(usize::from(lane), jobs.hash_block(hashed, &mut block));
            hashed += 1;
        }
        if let Some(lane) = step.check_lane {
            bank.absorb(usize::from(lane), jobs.check_block(checked, &mut block));
            checked += 1;
        }
        if let Some(lane) = step.derive_lane {
            g_block(jobs.derive(), &mut block);
            bank.absorb(usize::from(lane), &block);
        }
        permute_bank(bank);
        if let Some(lane) = step.derive_lane {
            let mut out = Zeroizing::new([[0; 32]; 2]);
            bank.read(usize::from(lane), out.as_flattened_mut());
            jobs.derived(&out[0]);
            *sigma = out[1];
        }
        if step.end_hash
            && let Some(lane) = step.hash_lane
        {
            *hash = bank.lane(usize::from(lane));
        }
        if step.end_check
            && let Some(lane) = step.check_lane
        {
            let mut h = Zeroizing::new([0; 32]);
            bank.read(usize::from(lane), &mut *h);
            jobs.checked(&h);
        }
        if step.sample != 0
            && let Some(samplers) = &mut samplers
        {
            let samplers = samplers.as_mut();
            bank.sample(step.sample, samplers);
            for lane in lanes::<K>(step.end_xof) {
                if !samplers[lane].is_complete() {
                    complete(b, bank.lane(lane), &mut samplers[lane]);
                }
                samplers[lane].finish(jobs.entry(usize::from(step.id[lane])));
            }
        }
        if step.read != 0 {
            bank.read_blocks(step.read, second, noise);
        }
        for lane in lanes::<K>(step.end_prf) {
            jobs.noise(usize::from(step.id[lane]), &noise[lane]);
        }
        second = (second | step.read) & !step.end_prf;
    }
    if let Some(n) = plan.last_prf {
        let mut state = Zeroizing::new(seeded_state(&sigma, prf_suffix(n), RATE));
        permute(b, &mut state);
        squeeze_words(&state, &mut noise[0][0]);
        jobs.noise(n, &noise[0]);
    }
    while hashed < plan.hash_blocks {
        absorb_words(&mut hash, jobs.hash_block(hashed, &mut block));
        permute(b, &mut hash);
        hashed += 1;
    }
    wipe(noise.as_flattened_mut().as_flattened_mut());
    wipe(&mut block);
    bank.wipe();
    digest(&hash)
}

/// The lanes of a mask.
#[inline(always)]
fn lanes<K: Bank>(mask: Mask) -> impl Iterator<Item = usize> {
    (0..K::LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// Blocks after the third, needed by 0.83 % of all polynomials: on a single state, so that the lane is
/// free for its next job.
#[cold]
#[inline(never)]
pub(crate) fn complete<B: Backend>(b: B, mut state: [u64; 25], sampler: &mut Sampler) {
    let mut block = [0; XOF_RATE];
    while !sampler.is_complete() {
        permute(b, &mut state);
        squeeze_words(&state, &mut block);
        sampler.feed(&block);
    }
}

fn digest(state: &[u64; 25]) -> Zeroizing<[u8; 32]> {
    let mut out = Zeroizing::new([0; 32]);
    squeeze_words(state, &mut *out);
    out
}

/// One call of the bank's permutation.
#[inline(always)]
pub(crate) fn permute_bank<K: Bank>(bank: &mut K) {
    #[cfg(test)]
    crate::tests::count::bank();
    bank.permute();
}

/// One call of the permutation of a single state.
#[inline(always)]
pub(crate) fn permute<B: Backend>(b: B, state: &mut [u64; 25]) {
    #[cfg(test)]
    crate::tests::count::single();
    b.permute(state);
}
