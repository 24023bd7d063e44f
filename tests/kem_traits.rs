//! The traits of the crate `kem`: generic code gets what the inherent calls give, and agrees with
//! another implementation behind the same traits.

mod common;

use common::{Expanded, ShakeRng, for_each_backend, for_each_set};
use lanekem::kem_traits::{
    Decapsulate, Encapsulate, FromSeed, Generate, Kem, KeyExport, KeyInit, Sizes, TryKeyInit,
};
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey,
    PreparedEncapsulationKey, Seed,
};
use rand_core::CryptoRng;

/// A key agreement that knows nothing of ML-KEM: `A` decapsulates, `B` encapsulates. The two sides
/// exchange bytes.
fn agree<A, B, D>(dk: &D, rng: &mut impl CryptoRng) -> (Vec<u8>, Vec<u8>)
where
    A: Kem,
    B: Kem,
    D: Decapsulate<Kem = A>,
{
    let sent = dk.encapsulation_key().to_bytes();
    let ek = B::EncapsulationKey::new_from_slice(&sent).unwrap();
    assert_eq!(ek.to_bytes()[..], sent[..]);
    let (ciphertext, theirs) = ek.encapsulate_with_rng(rng);
    let ours = dk.decapsulate_slice(&ciphertext).unwrap();
    assert_eq!(ours[..], theirs[..]);
    assert!(dk.decapsulate_slice(&ciphertext[1..]).is_err());
    (ciphertext.to_vec(), ours.to_vec())
}

fn equals_inherent<P>()
where
    P: Sizes + Kem<DecapsulationKey = DecapsulationKey<P>>,
{
    let rng = || ShakeRng::new(P::NAME.as_bytes());

    // The same RNG stream gives the same keys, ciphertexts and secrets.
    let (dk, ek) = P::generate_keypair_from_rng(&mut rng());
    let inherent = DecapsulationKey::<P>::generate(&mut rng());
    assert_eq!(dk.expanded(), inherent.expanded());
    assert_eq!(&ek, inherent.encapsulation_key());
    let compact = CompactDecapsulationKey::<P>::generate_from_rng(&mut rng());
    assert_eq!(compact.expanded(), inherent.expanded());

    let seed = inherent.seed().unwrap().as_bytes();
    let (from_seed, _) = P::from_seed(seed[..].try_into().unwrap());
    assert_eq!(from_seed.expanded(), inherent.expanded());
    let from_seed = <CompactDecapsulationKey<P> as KeyInit>::new_from_slice(seed).unwrap();
    assert_eq!(from_seed.expanded(), inherent.expanded());
    assert!(<CompactDecapsulationKey<P> as KeyInit>::new_from_slice(&seed[1..]).is_err());

    let (ciphertext, secret) = ek.encapsulate(&mut rng());
    let expected = (ciphertext.as_bytes().to_vec(), secret.as_bytes().to_vec());
    assert_eq!(agree::<P, P, _>(&dk, &mut rng()), expected);
    assert_eq!(agree::<P, P, _>(&compact, &mut rng()), expected);
    let prepared = <PreparedEncapsulationKey<P> as TryKeyInit>::new(&KeyExport::to_bytes(&ek));
    let prepared = prepared.unwrap();
    assert_eq!(KeyExport::to_bytes(&prepared)[..], *ek.as_bytes());
    let (ciphertext, secret) = prepared.encapsulate_with_rng(&mut rng());
    assert_eq!((ciphertext.to_vec(), secret.to_vec()), expected);

    // Implicit rejection.
    let forged: Ciphertext<P> = rng().ciphertext();
    let rejected = Decapsulate::decapsulate_slice(&dk, forged.as_bytes()).unwrap();
    assert_eq!(rejected[..], inherent.decapsulate(&forged).as_bytes()[..]);

    // The checks of §7.2: a coefficient of q, a length.
    let mut bytes = ek.as_bytes().to_vec();
    assert!(<EncapsulationKey<P> as TryKeyInit>::new_from_slice(&bytes[1..]).is_err());
    bytes[..2].copy_from_slice(&3329u16.to_le_bytes());
    assert!(<EncapsulationKey<P> as TryKeyInit>::new_from_slice(&bytes).is_err());
    assert!(<PreparedEncapsulationKey<P> as TryKeyInit>::new_from_slice(&bytes).is_err());
}

#[test]
fn traits_equal_inherent_calls() {
    for_each_backend(|_| for_each_set!(equals_inherent()));
}

/// Both directions, keys from one seed, with the same RNG stream on both sides.
fn agrees_with<A, B>()
where
    A: Kem<DecapsulationKey: Decapsulate + KeyInit>,
    B: Kem<DecapsulationKey: Decapsulate + KeyInit>,
{
    for case in 0..20u8 {
        let mut rng = ShakeRng::new(&[case]);
        let seed: [u8; Seed::LEN] = rng.bytes();
        let ours = A::DecapsulationKey::new_from_slice(&seed).unwrap();
        let theirs = B::DecapsulationKey::new_from_slice(&seed).unwrap();
        let rng = || ShakeRng::new(&[case, 1]);
        let expected = agree::<B, B, _>(&theirs, &mut rng());
        assert_eq!(agree::<A, B, _>(&ours, &mut rng()), expected);
        assert_eq!(agree::<B, A, _>(&theirs, &mut rng()), expected);
        assert_eq!(agree::<A, A, _>(&ours, &mut rng()), expected);
    }
}

#[test]
fn agrees_with_ml_kem() {
    for_each_backend(|_| {
        agrees_with::<lanekem::MlKem512, ml_kem::MlKem512>();
        agrees_with::<lanekem::MlKem768, ml_kem::MlKem768>();
        agrees_with::<lanekem::MlKem1024, ml_kem::MlKem1024>();
    });
}
