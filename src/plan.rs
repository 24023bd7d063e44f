//! Plans: which job sits in which lane of a bank, permutation by permutation.
//!
//! An operation's independent sponges are its *jobs*. A plan is written as one *program* a lane, the
//! list of jobs that the lane runs one after another, and expanded at compile time into the [`Step`]s
//! that `sponge.rs` executes: one step is one call of the bank's permutation. An evaluation at compile
//! time checks that every job is there exactly once and that the hash never asks for what is not
//! finished.

use crate::lanes::{MAX_LANES, Mask, RATE, Sampler, prf_suffix, xof_suffix};
use crate::params::{ETA2, POLY_BYTES};

/// A job, or the wait for one.
#[derive(Clone, Copy)]
pub(crate) enum Job {
    /// XOF for entry e of the matrix, row-major: Â\[e / k\]\[e % k\].
    Xof(usize),
    /// PRF with nonce n.
    Prf(usize),
    /// The next blocks of the hash, H(ek) or J(z ‖ c).
    Hash(usize),
    /// H(ek) of a key that is checked beside its use.
    Check(usize),
    /// G, which gives the PRFs their key.
    Derive,
    /// Nothing for some permutations.
    Idle(usize),
}

/// One permutation call and what happens to the lanes before and after it.
#[derive(Clone, Copy)]
pub(crate) struct Step {
    pub start_xof: Mask,
    pub start_prf: Mask,
    /// Lanes that start the hash, or G, and are zeroed.
    pub start_hash: Mask,
    /// Absorb G's only block into this lane before the permutation, and read it after.
    pub derive_lane: Option<u8>,
    /// Absorb the hash's next block into this lane before the permutation.
    pub hash_lane: Option<u8>,
    /// The last block of the hash that a step absorbs.
    pub end_hash: bool,
    /// Absorb the check's next block into this lane before the permutation, and read it after its last.
    pub check_lane: Option<u8>,
    pub end_check: bool,
    /// Lanes whose XOF block is sampled after the permutation, and those that end with it.
    pub sample: Mask,
    pub end_xof: Mask,
    /// Lanes whose PRF block is read after the permutation, and those that end with it.
    pub read: Mask,
    pub end_prf: Mask,
    /// Matrix entry or nonce of the job in each lane.
    pub id: [u8; MAX_LANES],
    /// Last word of the seed block of a job that starts.
    pub suffix: [u64; MAX_LANES],
}

impl Step {
    const IDLE: Self = Self {
        start_xof: 0,
        start_prf: 0,
        start_hash: 0,
        derive_lane: None,
        hash_lane: None,
        end_hash: false,
        check_lane: None,
        end_check: false,
        sample: 0,
        end_xof: 0,
        read: 0,
        end_prf: 0,
        id: [0; MAX_LANES],
        suffix: [0; MAX_LANES],
    };
}

/// Enough for every job of the largest set on one lane: 1 + 48 + 9 + 12 + 12.
const MAX_STEPS: usize = 82;

pub(crate) struct Plan {
    steps: [Step; MAX_STEPS],
    len: usize,
    /// Whether a lane samples entries of the matrix.
    pub matrix: bool,
    /// Blocks of the hash in all.
    pub hash_blocks: usize,
    /// Those of them that no step absorbs: they follow on a single state.
    pub tail: usize,
    /// Nonce of a PRF that follows on a single state.
    pub last_prf: Option<usize>,
}

/// What a hash reads that the jobs beside it make.
#[derive(Clone, Copy)]
pub(crate) enum HashOf {
    /// Nothing.
    Given,
    /// ek: the rows of t̂, then ρ.
    Rows,
    /// `before` bytes, then the ciphertext of K-PKE.Encrypt: one piece of `piece` bytes for each column
    /// of Â, and the rest.
    #[cfg(feature = "one-time")]
    Columns { before: usize, piece: usize },
}

/// Shape of an operation: what its plan must hold.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub k: usize,
    /// Whether the matrix is expanded.
    pub matrix: bool,
    /// Nonces below this use η₁, the others η₂.
    pub eta1_nonces: usize,
    pub eta1: usize,
    pub nonces: usize,
    pub hash_blocks: usize,
    /// What the hash reads of the other jobs' output.
    pub hash_of: HashOf,
    /// Blocks of a second hash: H(ek) where a key is checked beside its use.
    pub check_blocks: usize,
    /// G comes before the noise (decapsulation).
    pub derive: bool,
}

impl Shape {
    /// K-PKE.KeyGen with H(ek).
    pub(crate) const fn keygen(k: usize, eta1: usize) -> Self {
        Self {
            k,
            matrix: true,
            eta1_nonces: 2 * k,
            eta1,
            nonces: 2 * k,
            hash_blocks: hash_blocks(POLY_BYTES * k + 32),
            hash_of: HashOf::Rows,
            check_blocks: 0,
            derive: false,
        }
    }

    /// K-PKE.KeyGen alone.
    #[cfg(feature = "one-time")]
    pub(crate) const fn one_time_keygen(k: usize, eta1: usize) -> Self {
        Self { hash_blocks: 0, hash_of: HashOf::Given, ..Self::keygen(k, eta1) }
    }

    /// K-PKE.Encrypt with the hash of `before` bytes and its ciphertext, and with that of a message of
    /// one block.
    #[cfg(feature = "one-time")]
    pub(crate) const fn one_time_encrypt(
        k: usize,
        eta1: usize,
        before: usize,
        piece: usize,
        ciphertext_len: usize,
        second_hash: bool,
    ) -> Self {
        Self {
            matrix: true,
            hash_blocks: hash_blocks(before + ciphertext_len),
            hash_of: HashOf::Columns { before, piece },
            check_blocks: second_hash as usize,
            ..Self::noise(k, eta1)
        }
    }

    /// The matrix beside H(ek), or without it where h is known.
    pub(crate) const fn matrix(k: usize, with_hash: bool) -> Self {
        Self {
            k,
            matrix: true,
            eta1_nonces: 0,
            eta1: ETA2,
            nonces: 0,
            hash_blocks: if with_hash { hash_blocks(POLY_BYTES * k + 32) } else { 0 },
            hash_of: HashOf::Given,
            check_blocks: 0,
            derive: false,
        }
    }

    /// The noise of K-PKE.Encrypt: y, e₁, e₂.
    pub(crate) const fn noise(k: usize, eta1: usize) -> Self {
        Self {
            k,
            matrix: false,
            eta1_nonces: k,
            eta1,
            nonces: 2 * k + 1,
            hash_blocks: 0,
            hash_of: HashOf::Given,
            check_blocks: 0,
            derive: false,
        }
    }

    /// Decapsulation after decryption: G(m′ ‖ h), the noise of the re-encryption and J(z ‖ c), beside
    /// the matrix if it is not at hand.
    pub(crate) const fn reencrypt(
        k: usize,
        eta1: usize,
        ciphertext_len: usize,
        matrix: bool,
    ) -> Self {
        let hash_blocks = hash_blocks(32 + ciphertext_len);
        Self { matrix, hash_blocks, derive: true, ..Self::noise(k, eta1) }
    }

    /// The same with the matrix, and with the hash of §7.3's check.
    pub(crate) const fn check_and_reencrypt(k: usize, eta1: usize, ciphertext_len: usize) -> Self {
        Self {
            check_blocks: hash_blocks(POLY_BYTES * k + 32),
            ..Self::reencrypt(k, eta1, ciphertext_len, true)
        }
    }

    /// Permutations of all its sponges, however they are packed, where no polynomial needs a fourth block.
    pub(crate) const fn permutations(&self) -> usize {
        let mut count = self.derive as usize + self.hash_blocks + self.check_blocks;
        if self.matrix {
            count += Sampler::BLOCKS * self.k * self.k;
        }
        let mut n = 0;
        while n < self.nonces {
            count += self.prf_blocks(n);
            n += 1;
        }
        count
    }

    /// How many nonces, and which entries of the matrix, the first `bytes` bytes of the hash depend on.
    const fn read_by(&self, bytes: usize) -> (usize, u32) {
        match self.hash_of {
            HashOf::Given => (0, 0),
            HashOf::Rows => {
                // The last block ends with ρ.
                let mut rows = bytes.div_ceil(POLY_BYTES);
                if rows > self.k {
                    rows = self.k;
                }
                // All of s, and e of these rows.
                (self.k + rows, (1 << (self.k * rows)) - 1)
            }
            #[cfg(feature = "one-time")]
            HashOf::Columns { before, piece } => {
                let pieces = bytes.saturating_sub(before).div_ceil(piece);
                if pieces > self.k {
                    // With v.
                    return (2 * self.k + 1, (1 << (self.k * self.k)) - 1);
                }
                let mut entries = 0;
                let mut e = 0;
                while e < self.k * self.k {
                    if e % self.k < pieces {
                        entries |= 1 << e;
                    }
                    e += 1;
                }
                // All of y, and e₁ of these columns.
                (self.k + pieces, entries)
            }
        }
    }

    const fn prf_blocks(&self, nonce: usize) -> usize {
        (64 * if nonce < self.eta1_nonces { self.eta1 } else { ETA2 }).div_ceil(RATE)
    }
}

/// Blocks of a message at a rate of 136 bytes, with at least one byte of padding.
pub(crate) const fn hash_blocks(message_len: usize) -> usize {
    message_len / RATE + 1
}

impl Plan {
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps[..self.len]
    }

    /// Calls of the bank's permutation.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Permutations of a single state that follow.
    pub(crate) const fn singles(&self) -> usize {
        self.tail + self.last_prf.is_some() as usize
    }

    /// The plan of a bank with one lane: G, noise, then the matrix by rows, then the hash.
    pub(crate) const fn sequential(shape: Shape) -> Self {
        let mut jobs = [Job::Idle(0); MAX_STEPS];
        let mut count = 0;
        if shape.derive {
            jobs[count] = Job::Derive;
            count += 1;
        }
        let mut n = 0;
        while n < shape.nonces {
            jobs[count] = Job::Prf(n);
            count += 1;
            n += 1;
        }
        let mut e = 0;
        while shape.matrix && e < shape.k * shape.k {
            jobs[count] = Job::Xof(e);
            count += 1;
            e += 1;
        }
        jobs[count] = Job::Check(shape.check_blocks);
        count += 1;
        jobs[count] = Job::Hash(shape.hash_blocks);
        Self::expand(shape, &[&jobs])
    }

    /// Expands the lanes' programs into steps. One PRF of a single block may be in none of them.
    pub(crate) const fn expand(shape: Shape, programs: &[&[Job]]) -> Self {
        let mut plan = Self {
            steps: [Step::IDLE; MAX_STEPS],
            len: 0,
            matrix: shape.matrix,
            hash_blocks: shape.hash_blocks,
            tail: 0,
            last_prf: None,
        };
        let (mut xofs, mut prfs, mut hash_blocks) = (0u32, 0u32, 0);
        let mut check_blocks = 0;
        let mut lane = 0;
        while lane < programs.len() {
            let mut t = 0;
            let mut i = 0;
            while i < programs[lane].len() {
                match programs[lane][i] {
                    Job::Xof(e) => {
                        assert!(shape.matrix && e < shape.k * shape.k && xofs & 1 << e == 0);
                        xofs |= 1 << e;
                        plan.steps[t].start_xof |= 1 << lane;
                        plan.steps[t].suffix[lane] = xof_suffix(e / shape.k, e % shape.k);
                        let end = t + Sampler::BLOCKS;
                        while t < end {
                            plan.steps[t].sample |= 1 << lane;
                            plan.steps[t].id[lane] = e as u8;
                            t += 1;
                        }
                        plan.steps[t - 1].end_xof |= 1 << lane;
                    }
                    Job::Prf(n) => {
                        assert!(n < shape.nonces && prfs & 1 << n == 0);
                        prfs |= 1 << n;
                        plan.steps[t].start_prf |= 1 << lane;
                        plan.steps[t].suffix[lane] = prf_suffix(n);
                        let end = t + shape.prf_blocks(n);
                        while t < end {
                            plan.steps[t].read |= 1 << lane;
                            plan.steps[t].id[lane] = n as u8;
                            t += 1;
                        }
                        plan.steps[t - 1].end_prf |= 1 << lane;
                    }
                    Job::Hash(blocks) => {
                        if blocks > 0 {
                            // In one piece: a lane that waits is permuted with the others.
                            assert!(hash_blocks == 0);
                            plan.steps[t].start_hash |= 1 << lane;
                        }
                        let end = t + blocks;
                        while t < end {
                            assert!(plan.steps[t].hash_lane.is_none());
                            plan.steps[t].hash_lane = Some(lane as u8);
                            t += 1;
                        }
                        hash_blocks += blocks;
                    }
                    Job::Check(blocks) => {
                        if blocks > 0 {
                            assert!(check_blocks == 0);
                            plan.steps[t].start_hash |= 1 << lane;
                            plan.steps[t + blocks - 1].end_check = true;
                        }
                        let end = t + blocks;
                        while t < end {
                            plan.steps[t].check_lane = Some(lane as u8);
                            t += 1;
                        }
                        check_blocks += blocks;
                    }
                    Job::Derive => {
                        plan.steps[t].start_hash |= 1 << lane;
                        plan.steps[t].derive_lane = Some(lane as u8);
                        t += 1;
                    }
                    Job::Idle(permutations) => t += permutations,
                }
                i += 1;
            }
            if t > plan.len {
                plan.len = t;
            }
            lane += 1;
        }
        assert!(hash_blocks <= shape.hash_blocks && check_blocks == shape.check_blocks);
        plan.tail = shape.hash_blocks - hash_blocks;
        let mut t = plan.len;
        while t > 0 && hash_blocks > 0 {
            t -= 1;
            if plan.steps[t].hash_lane.is_some() {
                plan.steps[t].end_hash = true;
                hash_blocks = 0;
            }
        }
        let missing = prfs ^ ((1 << shape.nonces) - 1);
        if missing != 0 {
            let n = missing.trailing_zeros() as usize;
            assert!(missing == 1 << n && shape.prf_blocks(n) == 1);
            plan.last_prf = Some(n);
        }
        assert!(!shape.matrix || xofs == (1 << (shape.k * shape.k)) - 1);
        plan.check_derivation(shape);
        plan.check_hash(shape);
        plan
    }

    /// Panics, at compile time, unless G is there if it must be, once, and before all noise.
    const fn check_derivation(&self, shape: Shape) {
        let mut derived = !shape.derive;
        let mut t = 0;
        while t < self.len {
            assert!(derived || self.steps[t].start_prf == 0);
            if self.steps[t].derive_lane.is_some() {
                assert!(!derived);
                derived = true;
            }
            t += 1;
        }
        assert!(derived);
    }

    /// Panics, at compile time, if a block of the hash comes before what it reads.
    const fn check_hash(&self, shape: Shape) {
        let (mut xofs, mut prfs) = (0u32, 0u32);
        let mut block = 0;
        let mut t = 0;
        while t < self.len {
            let step = &self.steps[t];
            if step.hash_lane.is_some() {
                block += 1;
                let (noise, entries) = shape.read_by(RATE * block);
                assert!(prfs.trailing_ones() as usize >= noise && xofs & entries == entries);
            }
            let mut lane = 0;
            while lane < MAX_LANES {
                if step.end_xof & 1 << lane != 0 {
                    xofs |= 1 << step.id[lane];
                }
                if step.end_prf & 1 << lane != 0 {
                    prfs |= 1 << step.id[lane];
                }
                lane += 1;
            }
            t += 1;
        }
    }
}
