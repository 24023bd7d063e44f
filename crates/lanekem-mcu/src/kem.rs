//! A library's ML-KEM of one parameter set, and its measurement.

use crate::board::{Counter, exit, stack_of};
use core::hint::black_box;
use cortex_m_semihosting::hprintln;

pub const RUNS: u32 = 100;

/// What is compared: key generation from a seed, encapsulation with given randomness, decapsulation.
pub trait Kem {
    const LIBRARY: &'static str;
    /// Which of its forms, if it has several.
    const FORM: &'static str;
    const SET: u16;
    /// A key pair.
    type Pair;
    /// A public key, checked.
    type Ek;
    type Ct;
    /// What encapsulation returns.
    type Sent;

    /// Makes a key pair in a slot.
    fn keygen(slot: &mut Option<Self::Pair>, seed: &[u8; 64]);
    fn ek(pair: &Self::Pair) -> Self::Ek;
    /// Encapsulates into a slot.
    fn encaps(ek: &Self::Ek, m: &[u8; 32], slot: &mut Option<Self::Sent>);
    fn received(sent: &Self::Sent) -> (&Self::Ct, [u8; 32]);
    fn decaps(pair: &Self::Pair, ct: &Self::Ct) -> [u8; 32];
}

#[derive(Clone, Copy)]
struct Figures {
    sum: u64,
    min: u32,
    max: u32,
    stack: usize,
}

impl Figures {
    const NONE: Self = Self { sum: 0, min: u32::MAX, max: 0, stack: 0 };

    fn run(&mut self, counter: &Counter, mut f: impl FnMut()) {
        let mut instructions = 0;
        let stack = stack_of(&mut || instructions = counter.instructions(&mut f));
        self.sum += u64::from(instructions);
        self.min = self.min.min(instructions);
        self.max = self.max.max(instructions);
        self.stack = self.stack.max(stack);
    }
}

/// Measures and prints.
pub fn measure<K: Kem>(counter: &Counter) {
    let mut figures = [Figures::NONE; 3];
    for i in 0..RUNS {
        let seed: [u8; 64] = core::array::from_fn(|j| (i as u8).wrapping_mul(7) ^ j as u8);
        let m: [u8; 32] = core::array::from_fn(|j| (i as u8).wrapping_mul(11) ^ j as u8);
        let [keygen, encaps, decaps] = &mut figures;

        let mut slot = None;
        keygen.run(counter, || K::keygen(&mut slot, black_box(&seed)));
        let pair = slot.expect("a key pair");

        let ek = K::ek(&pair);
        let mut slot = None;
        encaps.run(counter, || K::encaps(black_box(&ek), black_box(&m), &mut slot));
        let sent = slot.expect("a ciphertext");
        let (ct, secret) = K::received(&sent);

        let mut got = [0; 32];
        decaps.run(counter, || got = K::decaps(black_box(&pair), black_box(ct)));
        if got != secret {
            hprintln!("{} {}: secrets differ", K::LIBRARY, K::SET);
            exit(false);
        }
    }
    for (op, Figures { sum, min, max, stack }) in ["keygen", "encaps", "decaps"].iter().zip(figures)
    {
        hprintln!(
            "measure library={} form={} set={} op={} runs={} mean={} min={} max={} stack={} pair={} ek={} ct={}",
            K::LIBRARY,
            K::FORM,
            K::SET,
            op,
            RUNS,
            sum / u64::from(RUNS),
            min,
            max,
            stack,
            size_of::<K::Pair>(),
            size_of::<K::Ek>(),
            size_of::<K::Ct>()
        );
    }
}
