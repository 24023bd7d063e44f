//! One run of ML-KEM as the model has it, and the crate's public calls held against it.

use super::model::{self, Params};
use super::{
    Expanded, ShakeRng, decapsulate_batch, decapsulate_many, filled, keys, pair, params, slots,
};
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, ParameterSet, Seed,
};

/// Inputs and the model's outputs.
pub(crate) struct Case<P: ParameterSet> {
    pub(crate) seed: [u8; 64],
    m: [u8; 32],
    forged: Ciphertext<P>,
    ek: Vec<u8>,
    dk: Vec<u8>,
    ct: Ciphertext<P>,
    key: [u8; 32],
    rejection_key: [u8; 32],
}

impl<P: ParameterSet> Case<P> {
    /// `forged` is a ciphertext that nobody encapsulated.
    pub(crate) fn new(seed: [u8; 64], m: [u8; 32], forged: Ciphertext<P>) -> Self {
        let p: Params = params::<P>();
        let (d, z) = (seed.first_chunk().unwrap(), seed.last_chunk().unwrap());
        let (ek, dk) = model::keygen(p, d, z);
        let (ct, key) = model::encaps(p, &ek, &m);
        assert_eq!(model::decaps(p, &dk, &ct), key);
        let rejection_key = model::decaps(p, &dk, forged.as_bytes());
        assert_eq!(rejection_key, model::j(z, forged.as_bytes()));
        let ct = Ciphertext::from_bytes(&ct).unwrap();
        Self { seed, m, forged, ek, dk, ct, key, rejection_key }
    }

    pub(crate) fn random(rng: &mut ShakeRng) -> Self {
        Self::new(rng.bytes(), rng.bytes(), rng.ciphertext())
    }

    /// Every single call.
    pub(crate) fn check_single(&self) {
        let seed = Seed::from_bytes(&self.seed);
        let dk = DecapsulationKey::<P>::from_seed(&seed);
        let compact = CompactDecapsulationKey::<P>::from_seed(&seed);
        assert_eq!(dk.expanded(), self.dk);
        assert_eq!(compact.expanded(), self.dk);
        assert_eq!(dk.encapsulation_key().as_bytes(), self.ek);
        assert_eq!(compact.encapsulation_key().as_bytes(), self.ek);

        let imported = DecapsulationKey::<P>::from_expanded_bytes(&self.dk).unwrap();
        for dk in [dk, imported, compact.prepare()] {
            assert_eq!(dk.decapsulate(&self.ct).as_bytes(), &self.key);
            assert_eq!(dk.decapsulate(&self.forged).as_bytes(), &self.rejection_key);
        }
        let imported = CompactDecapsulationKey::<P>::from_expanded_bytes(&self.dk).unwrap();
        for dk in [compact, imported] {
            assert_eq!(dk.decapsulate(&self.ct).as_bytes(), &self.key);
            assert_eq!(dk.decapsulate(&self.forged).as_bytes(), &self.rejection_key);
        }

        let expected = (self.ct.as_bytes().to_vec(), self.key);
        let ek = EncapsulationKey::<P>::from_bytes(&self.ek).unwrap();
        assert_eq!(pair(&ek.encapsulate_with(&self.m)), expected);
        assert_eq!(pair(&ek.prepare().encapsulate_with(&self.m)), expected);
    }
}

/// Every batch call, over all cases at once.
pub(crate) fn check_batch<P: ParameterSet>(cases: &[&Case<P>]) {
    let seeds: Vec<_> = cases.iter().map(|case| Seed::from(case.seed)).collect();
    let dks = keys::<P>(&seeds);
    for (dk, case) in dks.iter().zip(cases) {
        assert_eq!(dk.expanded(), case.dk);
        assert_eq!(dk.encapsulation_key().as_bytes(), case.ek);
    }

    let eks: Vec<_> = dks.iter().map(|dk| dk.encapsulation_key().clone()).collect();
    let ms: Vec<_> = cases.iter().map(|case| case.m).collect();
    let mut pairs = slots(cases.len());
    EncapsulationKey::encapsulate_batch_with(&eks, &ms, &mut pairs).unwrap();
    for (got, case) in filled(pairs).iter().zip(cases) {
        assert_eq!(pair(got), (case.ct.as_bytes().to_vec(), case.key));
    }

    // Honest and forged ciphertexts side by side, each kind in every lane.
    for parity in 0..2 {
        let is_honest = |i: usize| i % 2 == parity;
        let each = || cases.iter().enumerate();
        let cts: Vec<_> =
            each().map(|(i, c)| if is_honest(i) { &c.ct } else { &c.forged }).cloned().collect();
        let expected: Vec<_> =
            each().map(|(i, c)| if is_honest(i) { c.key } else { c.rejection_key }).collect();
        assert_eq!(decapsulate_batch(&dks, &cts), expected);
    }

    // One key: its own pair of ciphertexts among those of others, which it rejects.
    let cts: Vec<_> = cases.iter().flat_map(|case| [&case.ct, &case.forged]).cloned().collect();
    for (i, (dk, case)) in dks.iter().zip(cases).enumerate().take(4) {
        let own = [case.key, case.rejection_key];
        for (n, got) in decapsulate_many(dk, &cts).iter().enumerate() {
            let expected =
                if n / 2 == i { own[n % 2] } else { model::j(&case.seed[32..], cts[n].as_bytes()) };
            assert_eq!(got, &expected);
        }
    }
}
