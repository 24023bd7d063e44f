//! Random inputs, and what of them is public.

use lanekem::{Ciphertext, DecapsulationKey, EncapsulationKey, ParameterSet, Seed};
use shake::{ExtendableOutput, Shake128, Update, XofReader};

/// The stream SHAKE128(label).
pub(crate) struct Rng(<Shake128 as ExtendableOutput>::Reader);

impl Rng {
    pub(crate) fn new(label: &str) -> Self {
        let mut hasher = Shake128::default();
        hasher.update(label.as_bytes());
        Self(hasher.finalize_xof())
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        self.0.read(&mut out);
        out
    }

    pub(crate) fn seed(&mut self) -> Seed {
        Seed::from(self.bytes::<64>())
    }

    pub(crate) fn key<P: ParameterSet>(&mut self) -> DecapsulationKey<P> {
        DecapsulationKey::from_seed(&self.seed())
    }

    /// A ciphertext that nobody encapsulated.
    pub(crate) fn forged<P: ParameterSet>(&mut self) -> Ciphertext<P> {
        let mut bytes = vec![0; P::CIPHERTEXT_LEN];
        self.0.read(&mut bytes);
        Ciphertext::from_bytes(&bytes).expect("the length of a ciphertext")
    }
}

/// XOF blocks of the matrix in an encapsulation key: from FIPS 203, not from the crate.
pub(crate) fn xof_blocks<P: ParameterSet>(ek: &EncapsulationKey<P>) -> usize {
    let bytes = ek.as_bytes();
    let rho = &bytes[bytes.len() - 32..];
    let entries = (0..P::K).flat_map(|i| (0..P::K).map(move |j| [j as u8, i as u8]));
    entries.map(|indices| blocks_of_entry(rho, indices)).sum()
}

fn blocks_of_entry(rho: &[u8], indices: [u8; 2]) -> usize {
    let mut xof = Shake128::default();
    xof.update(rho);
    xof.update(&indices);
    let mut xof = xof.finalize_xof();
    let (mut accepted, mut blocks) = (0, 0);
    while accepted < 256 {
        let mut block = [0; 168];
        xof.read(&mut block);
        blocks += 1;
        for c in block.chunks(3).map(|c| [c[0], c[1], c[2]].map(u16::from)) {
            let candidates = [c[0] | (c[1] & 15) << 8, c[1] >> 4 | c[2] << 4];
            accepted += candidates.iter().filter(|&&d| d < 3329).count();
        }
    }
    blocks
}
