//! A bank of four Keccak states, and rejection sampling straight from their words: element w of the
//! state holds word w of each lane.

use super::codec::unpack12;
use super::mem::{load_bytes, load_half, load_words, store_bytes, store_eight, words};
use crate::keccak::AlignedFrame;
use crate::lanes::{Mask, PAD_END, RATE, Sampler, Start, XOF_RATE, read_last_words, seed_word};
use crate::params::Q;
use core::arch::x86_64::*;
use core::hint::black_box;

pub(crate) type State = [__m256i; 25];

/// All ones in the lanes of each mask.
static MASKS: [[u64; 4]; 16] = {
    let mut masks = [[0; 4]; 16];
    let mut i = 0;
    while i < 64 {
        masks[i / 4][i % 4] = if (i / 4) >> (i % 4) & 1 != 0 { u64::MAX } else { 0 };
        i += 1;
    }
    masks
};

#[inline]
#[target_feature(enable = "avx2")]
fn mask(lanes: Mask) -> __m256i {
    load_words(&MASKS[usize::from(lanes & 15)])
}

#[target_feature(enable = "avx2")]
pub(crate) fn zero() -> State {
    [_mm256_setzero_si256(); 25]
}

#[target_feature(enable = "avx2")]
pub(crate) fn wipe(state: &mut State) {
    *state = zero();
    zeroize::optimization_barrier(state);
}

#[target_feature(enable = "avx2")]
pub(crate) fn start(state: &mut State, start: &Start<'_>) {
    let (keep, xof, prf) = (mask(start.keep), mask(start.xof), mask(start.prf));
    for word in state.iter_mut() {
        *word = _mm256_and_si256(*word, keep);
    }
    for (w, word) in state.iter_mut().take(4).enumerate() {
        let rho = _mm256_set1_epi64x(seed_word(start.rho, w) as i64);
        let sigma = _mm256_set1_epi64x(seed_word(start.sigma, w) as i64);
        let seeds = _mm256_or_si256(_mm256_and_si256(xof, rho), _mm256_and_si256(prf, sigma));
        *word = _mm256_or_si256(*word, seeds);
    }
    let suffix = load_words(start.suffix.first_chunk().expect("8 lanes"));
    let started = _mm256_or_si256(xof, prf);
    state[4] = _mm256_or_si256(state[4], _mm256_and_si256(started, suffix));
    let pad_end = _mm256_set1_epi64x(PAD_END as i64);
    for (rate, lanes) in [(XOF_RATE, xof), (RATE, prf)] {
        let word = &mut state[rate / 8 - 1];
        *word = _mm256_or_si256(*word, _mm256_and_si256(lanes, pad_end));
    }
}

/// Words 4·i to 4·i + 3 of the four lanes' messages, one vector a word.
#[inline]
#[target_feature(enable = "avx2")]
fn transpose(rows: [__m256i; 4]) -> [__m256i; 4] {
    let [a, b, c, d] = rows;
    let (ab_even, ab_odd) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let (cd_even, cd_odd) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
    [
        _mm256_permute2x128_si256(ab_even, cd_even, 0x20),
        _mm256_permute2x128_si256(ab_odd, cd_odd, 0x20),
        _mm256_permute2x128_si256(ab_even, cd_even, 0x31),
        _mm256_permute2x128_si256(ab_odd, cd_odd, 0x31),
    ]
}

#[target_feature(enable = "avx2")]
pub(crate) fn start_each(state: &mut State, seeds: &[&[u8; 32]; 4], suffix: u64, rate: usize) {
    black_box(&mut AlignedFrame);
    let words = transpose([
        load_bytes(seeds[0]),
        load_bytes(seeds[1]),
        load_bytes(seeds[2]),
        load_bytes(seeds[3]),
    ]);
    *state = zero();
    state[..4].copy_from_slice(&words);
    state[4] = _mm256_set1_epi64x(suffix as i64);
    let last = &mut state[rate / 8 - 1];
    *last = _mm256_xor_si256(*last, _mm256_set1_epi64x(PAD_END as i64));
}

#[target_feature(enable = "avx2")]
pub(crate) fn absorb(state: &mut State, lane: usize, block: &[u8; RATE]) {
    let lane = mask(1 << lane);
    for (word, &bytes) in state.iter_mut().zip(block.as_chunks::<8>().0) {
        let message = _mm256_set1_epi64x(i64::from_le_bytes(bytes));
        *word = _mm256_xor_si256(*word, _mm256_and_si256(lane, message));
    }
}

#[target_feature(enable = "avx2")]
pub(crate) fn absorb_each(state: &mut State, blocks: &[&[u8; RATE]; 4]) {
    for i in 0..4 {
        let mut rows = [_mm256_setzero_si256(); 4];
        for (row, block) in rows.iter_mut().zip(blocks) {
            *row = load_bytes(&block.as_chunks::<32>().0[i]);
        }
        for (word, message) in state[4 * i..].iter_mut().zip(transpose(rows)) {
            *word = _mm256_xor_si256(*word, message);
        }
    }
    let last = |block: &[u8; RATE]| i64::from_le_bytes(*block.last_chunk().expect("17 words"));
    let message =
        _mm256_set_epi64x(last(blocks[3]), last(blocks[2]), last(blocks[1]), last(blocks[0]));
    state[16] = _mm256_xor_si256(state[16], message);
}

/// Copies the lanes' first bytes out, whole words.
#[inline(always)]
pub(crate) fn read(state: &State, lane: usize, out: &mut [u8]) {
    for (bytes, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(words(state)) {
        *bytes = word[lane].to_le_bytes();
    }
}

/// Four words of all lanes at a time.
#[target_feature(enable = "avx2")]
pub(crate) fn read_blocks(
    state: &State,
    lanes: Mask,
    second: Mask,
    out: &mut [[[u8; RATE]; 2]; 4],
) {
    for (i, w) in state[..16].as_chunks::<4>().0.iter().enumerate() {
        for (lane, (words, out)) in transpose(*w).into_iter().zip(&mut *out).enumerate() {
            if lanes >> lane & 1 != 0 {
                let block = &mut out[usize::from(second >> lane & 1)];
                store_bytes(&mut block.as_chunks_mut().0[i], words);
            }
        }
    }
    read_last_words(&words(state)[16], lanes, second, out);
}

#[inline(always)]
pub(crate) fn lane(state: &State, lane: usize) -> [u64; 25] {
    let mut out = [0; 25];
    for (out, word) in out.iter_mut().zip(words(state)) {
        *out = word[lane];
    }
    out
}

/// For each set of accepted candidates out of eight, the shuffle that moves them to the front.
/// Indexed by public data: what an XOF makes of ρ.
#[repr(C, align(64))]
struct Compactions([[u8; 16]; 256]);

static COMPACTIONS: Compactions = {
    let mut table = [[0xff; 16]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut i, mut kept) = (0, 0);
        while i < 8 {
            if set >> i & 1 != 0 {
                table[set][2 * kept] = 2 * i as u8;
                table[set][2 * kept + 1] = 2 * i as u8 + 1;
                kept += 1;
            }
            i += 1;
        }
        set += 1;
    }
    Compactions(table)
};

/// Appends the accepted ones of eight candidates; returns the new length. Three blocks are 336
/// candidates, so that the vector always fits.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn keep(
    out: &mut [i16; Sampler::CAPACITY],
    len: usize,
    candidates: __m128i,
    accepted: u8,
) -> usize {
    const LAST: usize = Sampler::CAPACITY - 8;
    let order = load_half(&COMPACTIONS.0[usize::from(accepted)]);
    let kept = _mm_shuffle_epi8(candidates, order);
    store_eight(out[len.min(LAST)..].first_chunk_mut().expect("8 are left"), kept);
    len + accepted.count_ones() as usize
}

/// Steps 4–15 of Algorithm 7 on the blocks in the lanes of `lanes`. Three words are 16 candidates; two
/// lanes share a mask of what is accepted.
#[target_feature(enable = "avx2,popcnt")]
pub(crate) fn sample(state: &State, lanes: Mask, out: &mut [Sampler; 4]) {
    let q = _mm256_set1_epi16(Q);
    let wanted = [lanes & 3, lanes >> 2];
    let mut len = [out[0].len, out[1].len, out[2].len, out[3].len];
    for w in state[..XOF_RATE / 8].as_chunks::<3>().0 {
        let even = (_mm256_unpacklo_epi64(w[0], w[1]), _mm256_unpacklo_epi64(w[1], w[2]));
        let odd = (_mm256_unpackhi_epi64(w[0], w[1]), _mm256_unpackhi_epi64(w[1], w[2]));
        let candidates = [
            unpack12(_mm256_permute2x128_si256(even.0, even.1, 0x20)),
            unpack12(_mm256_permute2x128_si256(odd.0, odd.1, 0x20)),
            unpack12(_mm256_permute2x128_si256(even.0, even.1, 0x31)),
            unpack12(_mm256_permute2x128_si256(odd.0, odd.1, 0x31)),
        ];
        for pair in 0..2 {
            if wanted[pair] == 0 {
                continue;
            }
            let (a, b) = (candidates[2 * pair], candidates[2 * pair + 1]);
            // Negative if accepted.
            let below = _mm256_packs_epi16(_mm256_sub_epi16(a, q), _mm256_sub_epi16(b, q));
            let accepted = _mm256_movemask_epi8(below) as u32;
            let [a_low, b_low, a_high, b_high] = accepted.to_le_bytes();
            for (lane, v, low, high) in
                [(2 * pair, a, a_low, a_high), (2 * pair + 1, b, b_low, b_high)]
            {
                if lanes >> lane & 1 == 0 {
                    continue;
                }
                let out = &mut out[lane].coefficients;
                len[lane] = keep(out, len[lane], _mm256_castsi256_si128(v), low);
                len[lane] = keep(out, len[lane], _mm256_extracti128_si256(v, 1), high);
            }
        }
    }
    for (sampler, len) in out.iter_mut().zip(len) {
        sampler.len = len;
    }
}
