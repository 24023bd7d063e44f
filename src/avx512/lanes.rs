//! Banks of four and of eight Keccak states, element i of a register in lane i, and rejection sampling
//! out of their registers.

use super::codec;
use super::mem::{load, load256, store, store256, words};
use crate::avx2::lanes as avx2;
use crate::lanes::{Mask, PAD_END, RATE, Sampler, Start, XOF_RATE, read_last_words, seed_word};
use crate::params::Q;
use core::arch::x86_64::*;

pub(super) type State4 = [__m256i; 25];
pub(super) type State8 = [__m512i; 25];

/// The last words of the blocks of a XOF and of a PRF.
const XOF_END: usize = XOF_RATE / 8 - 1;
const PRF_END: usize = RATE / 8 - 1;

macro_rules! bank {
    ($V:ident, $LANES:literal, $zero:ident, $wipe:ident, $start:ident, $absorb:ident, $setzero:ident, $set1:ident, $xor:ident,
     $mask_mov:ident, $maskz_mov:ident, $mask_set1:ident, $load:ident) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn $zero() -> [$V; 25] {
            [$setzero(); 25]
        }

        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn $wipe(state: &mut [$V; 25]) {
            *state = $zero();
            zeroize::optimization_barrier(state);
        }

        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn $start(state: &mut [$V; 25], start: &Start<'_>) {
            let (xof, prf) = (start.xof, start.prf);
            let keep = start.keep & !(xof | prf);
            if keep == 0 {
                *state = $zero();
            } else {
                for s in state.iter_mut() {
                    *s = $maskz_mov(keep, *s);
                }
            }
            for (w, s) in state.iter_mut().take(4).enumerate() {
                *s = $mask_set1(*s, xof, seed_word(start.rho, w) as i64);
                *s = $mask_set1(*s, prf, seed_word(start.sigma, w) as i64);
            }
            let suffix = $load(start.suffix.first_chunk::<$LANES>().expect("a suffix a lane"));
            state[4] = $mask_mov(state[4], xof | prf, suffix);
            state[XOF_END] = $mask_set1(state[XOF_END], xof, PAD_END as i64);
            state[PRF_END] = $mask_set1(state[PRF_END], prf, PAD_END as i64);
        }

        #[target_feature(enable = "avx512f,avx512vl")]
        pub(super) fn $absorb(state: &mut [$V; 25], lane: usize, block: &[u8; RATE]) {
            for (s, bytes) in state.iter_mut().zip(block.as_chunks().0) {
                let word = $set1(i64::from_le_bytes(*bytes));
                *s = $xor(*s, 1 << lane, *s, word);
            }
        }
    };
}

bank!(
    __m256i,
    4,
    zero4,
    wipe4,
    start4,
    absorb4,
    _mm256_setzero_si256,
    _mm256_set1_epi64x,
    _mm256_mask_xor_epi64,
    _mm256_mask_mov_epi64,
    _mm256_maskz_mov_epi64,
    _mm256_mask_set1_epi64,
    load256
);
bank!(
    __m512i,
    8,
    zero8,
    wipe8,
    start8,
    absorb8,
    _mm512_setzero_si512,
    _mm512_set1_epi64,
    _mm512_mask_xor_epi64,
    _mm512_mask_mov_epi64,
    _mm512_maskz_mov_epi64,
    _mm512_mask_set1_epi64,
    load
);

/// A block of a seed, its suffix and padding in every lane.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn start_each4(state: &mut State4, seeds: &[&[u8; 32]], suffix: u64, rate: usize) {
    let seeds: &[&[u8; 32]; 4] = seeds.first_chunk().expect("a seed a lane");
    *state = zero4();
    [state[0], state[1], state[2], state[3]] = transpose4(*seeds);
    state[4] = _mm256_set1_epi64x(suffix as i64);
    state[rate / 8 - 1] = _mm256_set1_epi64x(PAD_END as i64);
}

/// The same for eight lanes.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn start_each8(state: &mut State8, seeds: &[&[u8; 32]], suffix: u64, rate: usize) {
    let seeds: &[&[u8; 32]; 8] = seeds.first_chunk().expect("a seed a lane");
    *state = zero8();
    [state[0], state[1], state[2], state[3]] = transpose8(*seeds);
    state[4] = _mm512_set1_epi64(suffix as i64);
    state[rate / 8 - 1] = _mm512_set1_epi64(PAD_END as i64);
}

/// XORs a block into each lane: four words at a time, then the last.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn absorb_each4(state: &mut State4, blocks: &[&[u8; RATE]]) {
    let blocks: &[&[u8; RATE]; 4] = blocks.first_chunk().expect("a block a lane");
    for (w, state) in state[..16].as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let words = transpose4(blocks.map(|block| &block.as_chunks().0[w]));
        for (s, word) in state.iter_mut().zip(words) {
            *s = _mm256_xor_si256(*s, word);
        }
    }
    let last = blocks.map(|block| block.as_chunks().0[PRF_END]).map(i64::from_le_bytes);
    let last = _mm256_setr_epi64x(last[0], last[1], last[2], last[3]);
    state[PRF_END] = _mm256_xor_si256(state[PRF_END], last);
}

/// The same for eight lanes.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn absorb_each8(state: &mut State8, blocks: &[&[u8; RATE]]) {
    let blocks: &[&[u8; RATE]; 8] = blocks.first_chunk().expect("a block a lane");
    for (w, state) in state[..16].as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let words = transpose8(blocks.map(|block| &block.as_chunks().0[w]));
        for (s, word) in state.iter_mut().zip(words) {
            *s = _mm512_xor_si512(*s, word);
        }
    }
    let x = blocks.map(|block| block.as_chunks().0[PRF_END]).map(i64::from_le_bytes);
    let last = _mm512_setr_epi64(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
    state[PRF_END] = _mm512_xor_si512(state[PRF_END], last);
}

/// Words 0 to 3 of four lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn transpose4(lanes: [&[u8; 32]; 4]) -> [__m256i; 4] {
    let (a, b) = (load256(lanes[0]), load256(lanes[1]));
    let (c, d) = (load256(lanes[2]), load256(lanes[3]));
    let (ab02, cd02) = (_mm256_unpacklo_epi64(a, b), _mm256_unpacklo_epi64(c, d));
    let (ab13, cd13) = (_mm256_unpackhi_epi64(a, b), _mm256_unpackhi_epi64(c, d));
    [
        _mm256_permute2x128_si256::<0x20>(ab02, cd02),
        _mm256_permute2x128_si256::<0x20>(ab13, cd13),
        _mm256_permute2x128_si256::<0x31>(ab02, cd02),
        _mm256_permute2x128_si256::<0x31>(ab13, cd13),
    ]
}

/// Words 0 to 3 of eight lanes.
#[inline]
#[target_feature(enable = "avx512f")]
fn transpose8(lanes: [&[u8; 32]; 8]) -> [__m512i; 4] {
    let a = join(load256(lanes[0]), load256(lanes[4]));
    let b = join(load256(lanes[1]), load256(lanes[5]));
    let c = join(load256(lanes[2]), load256(lanes[6]));
    let d = join(load256(lanes[3]), load256(lanes[7]));
    let (ab02, cd02) = (_mm512_unpacklo_epi64(a, b), _mm512_unpacklo_epi64(c, d));
    let (ab13, cd13) = (_mm512_unpackhi_epi64(a, b), _mm512_unpackhi_epi64(c, d));
    let low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    let high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    [
        _mm512_permutex2var_epi64(ab02, low, cd02),
        _mm512_permutex2var_epi64(ab13, low, cd13),
        _mm512_permutex2var_epi64(ab02, high, cd02),
        _mm512_permutex2var_epi64(ab13, high, cd13),
    ]
}

/// The blocks of four lanes, four words of all at a time.
#[target_feature(enable = "avx2")]
pub(super) fn read_blocks4(state: &State4, lanes: Mask, second: Mask, out: &mut [[[u8; RATE]; 2]]) {
    avx2::read_blocks(state, lanes, second, out.first_chunk_mut().expect("two blocks a lane"));
}

/// The same for eight lanes.
#[target_feature(enable = "avx512f,avx512vl")]
pub(super) fn read_blocks8(state: &State8, lanes: Mask, second: Mask, out: &mut [[[u8; RATE]; 2]]) {
    let out: &mut [[[u8; RATE]; 2]; 8] = out.first_chunk_mut().expect("two blocks a lane");
    let low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    let high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (i, w) in state[..16].as_chunks::<4>().0.iter().enumerate() {
        let even = (_mm512_unpacklo_epi64(w[0], w[1]), _mm512_unpacklo_epi64(w[2], w[3]));
        let odd = (_mm512_unpackhi_epi64(w[0], w[1]), _mm512_unpackhi_epi64(w[2], w[3]));
        // Lanes l and l + 2.
        for (l, index, (a, b)) in [(0, low, even), (1, low, odd), (4, high, even), (5, high, odd)] {
            let pair = _mm512_permutex2var_epi64(a, index, b);
            let halves = [_mm512_castsi512_si256(pair), _mm512_extracti64x4_epi64::<1>(pair)];
            for (lane, words) in [l, l + 2].into_iter().zip(halves) {
                if lanes >> lane & 1 != 0 {
                    let block = &mut out[lane][usize::from(second >> lane & 1)];
                    store256::<[u8; 32]>(&mut block.as_chunks_mut().0[i], words);
                }
            }
        }
    }
    read_last_words(&words(state)[16], lanes, second, out);
}

/// The 12-bit candidates of bytes 0 to 47.
static SPREAD: [u8; 64] = codec::spread();

/// The candidates of two lanes, 16 each, in whose words 0 and 1 lie in 128-bit parts 0 and 1 of the
/// register and word 2 in part 2: lane a's in its low half.
static SPREAD_PAIR: [u8; 64] = {
    let mut index = codec::spread();
    let mut i = 0;
    while i < 32 {
        let byte = index[i];
        // Byte 16 and up are word 2's.
        index[i + 32] = if byte < 16 { byte + 16 } else { byte + 24 };
        index[i] = if byte < 16 { byte } else { byte + 16 };
        i += 1;
    }
    index
};

/// Keeps those of 32 candidates that are below q.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
fn keep(bytes: __m512i, sampler: &mut Sampler) {
    let candidates = codec::twelve_bits(_mm512_permutexvar_epi8(load(&SPREAD), bytes));
    let below = _mm512_cmplt_epi16_mask(candidates, _mm512_set1_epi16(Q));
    // Compressed into a register: into memory takes a hundred cycles on some CPUs.
    let kept = _mm512_maskz_compress_epi16(below, candidates);
    let room = sampler.coefficients[sampler.len..].first_chunk_mut().expect("room");
    store::<[i16; 32]>(room, kept);
    sampler.len += below.count_ones() as usize;
}

/// Keeps those of 16 candidates each, of lanes `first` and `first + 1`.
#[inline]
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,avx512vl,popcnt")]
fn keep_pair(bytes: __m512i, lanes: Mask, first: usize, out: &mut [Sampler]) {
    let candidates = codec::twelve_bits(_mm512_permutexvar_epi8(load(&SPREAD_PAIR), bytes));
    let below = _mm512_cmplt_epi16_mask(candidates, _mm512_set1_epi16(Q));
    for i in 0..2 {
        if lanes >> (first + i) & 1 != 0 {
            let below = below & (0xffff << (16 * i));
            let kept = _mm512_maskz_compress_epi16(below, candidates);
            let sampler = &mut out[first + i];
            let room = sampler.coefficients[sampler.len..].first_chunk_mut().expect("room");
            store256::<[i16; 16]>(room, _mm512_castsi512_si256(kept));
            sampler.len += below.count_ones() as usize;
        }
    }
}

/// Rejection sampling of a XOF block in each of four lanes: six words at a time, then three.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,avx512vl,popcnt")]
pub(super) fn sample4(state: &State4, lanes: Mask, out: &mut [Sampler]) {
    let out: &mut [Sampler; 4] = out.first_chunk_mut().expect("a sampler a lane");
    for w in state[..18].as_chunks::<6>().0 {
        // Even lanes: words 0 to 3 of lanes 0 and 2, words 4 and 5.
        let low = join(_mm256_unpacklo_epi64(w[0], w[1]), _mm256_unpacklo_epi64(w[2], w[3]));
        let low_end = _mm512_castsi256_si512(_mm256_unpacklo_epi64(w[4], w[5]));
        let high = join(_mm256_unpackhi_epi64(w[0], w[1]), _mm256_unpackhi_epi64(w[2], w[3]));
        let high_end = _mm512_castsi256_si512(_mm256_unpackhi_epi64(w[4], w[5]));
        let lane = [
            _mm512_shuffle_i64x2::<0b00_00_10_00>(low, low_end),
            _mm512_shuffle_i64x2::<0b00_00_10_00>(high, high_end),
            _mm512_shuffle_i64x2::<0b01_01_11_01>(low, low_end),
            _mm512_shuffle_i64x2::<0b01_01_11_01>(high, high_end),
        ];
        for (i, (bytes, out)) in lane.into_iter().zip(out.iter_mut()).enumerate() {
            if lanes >> i & 1 != 0 {
                keep(bytes, out);
            }
        }
    }
    let pairs = join(
        _mm256_unpacklo_epi64(state[18], state[19]),
        _mm256_unpackhi_epi64(state[18], state[19]),
    );
    let end = _mm512_castsi256_si512(state[20]);
    keep_pair(_mm512_shuffle_i64x2::<0b00_00_10_00>(pairs, end), lanes, 0, out);
    keep_pair(_mm512_shuffle_i64x2::<0b01_01_11_01>(pairs, end), lanes, 2, out);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn join(low: __m256i, high: __m256i) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

/// The same for eight lanes.
#[target_feature(enable = "avx512bw,avx512vbmi,avx512vbmi2,avx512vl,popcnt")]
pub(super) fn sample8(state: &State8, lanes: Mask, out: &mut [Sampler]) {
    let out: &mut [Sampler; 8] = out.first_chunk_mut().expect("a sampler a lane");
    for w in state[..18].as_chunks::<6>().0 {
        let even = [
            _mm512_unpacklo_epi64(w[0], w[1]),
            _mm512_unpacklo_epi64(w[2], w[3]),
            _mm512_unpacklo_epi64(w[4], w[5]),
        ];
        let odd = [
            _mm512_unpackhi_epi64(w[0], w[1]),
            _mm512_unpackhi_epi64(w[2], w[3]),
            _mm512_unpackhi_epi64(w[4], w[5]),
        ];
        let (even, odd) = (gather(even), gather(odd));
        for i in 0..4 {
            if lanes >> (2 * i) & 1 != 0 {
                keep(even[i], &mut out[2 * i]);
            }
            if lanes >> (2 * i + 1) & 1 != 0 {
                keep(odd[i], &mut out[2 * i + 1]);
            }
        }
    }
    let even = _mm512_unpacklo_epi64(state[18], state[19]);
    let odd = _mm512_unpackhi_epi64(state[18], state[19]);
    let low = _mm512_shuffle_i64x2::<0x44>(even, odd);
    let high = _mm512_shuffle_i64x2::<0xee>(even, odd);
    let end = state[20];
    keep_pair(_mm512_shuffle_i64x2::<0b00_00_10_00>(low, end), lanes, 0, out);
    keep_pair(_mm512_shuffle_i64x2::<0b01_01_11_01>(low, end), lanes, 2, out);
    keep_pair(_mm512_shuffle_i64x2::<0b10_10_10_00>(high, end), lanes, 4, out);
    keep_pair(_mm512_shuffle_i64x2::<0b11_11_11_01>(high, end), lanes, 6, out);
}

/// 128-bit part i of each of three registers in register i.
#[inline]
#[target_feature(enable = "avx512f")]
fn gather([a, b, c]: [__m512i; 3]) -> [__m512i; 4] {
    let low = _mm512_shuffle_i64x2::<0x44>(a, b);
    let high = _mm512_shuffle_i64x2::<0xee>(a, b);
    [
        _mm512_shuffle_i64x2::<0b00_00_10_00>(low, c),
        _mm512_shuffle_i64x2::<0b01_01_11_01>(low, c),
        _mm512_shuffle_i64x2::<0b10_10_10_00>(high, c),
        _mm512_shuffle_i64x2::<0b11_11_11_01>(high, c),
    ]
}
