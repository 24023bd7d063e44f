//! What `extend` does to a provider.

mod common;

use common::*;
use core::time::Duration;
use lanekem::MlKem768;
use lanekem_rustls::{Pool, Pools, extend, extend_with_pools};
use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom, aws_lc_rs, ring};
use rustls::{Error, NamedGroup};
use std::sync::atomic::{AtomicUsize, Ordering};

fn names(provider: &CryptoProvider) -> Vec<u16> {
    provider.kx_groups.iter().map(|group| group.name().into()).collect()
}

fn addresses(provider: &CryptoProvider) -> Vec<usize> {
    provider.kx_groups.iter().map(|group| core::ptr::from_ref(*group).addr()).collect()
}

#[test]
fn groups_come_first_in_order_and_once() {
    let x25519 = u16::from(NamedGroup::X25519);
    let [p256, p384] = [NamedGroup::secp256r1, NamedGroup::secp384r1].map(u16::from);
    for (name, provider) in providers() {
        let mut classical = names(&provider);
        classical.retain(|group| !OURS.contains(group));
        let expected = [OURS.as_slice(), &classical].concat();
        assert_eq!(names(&extend(provider)), expected, "{name}");
    }
    let ring = ring::default_provider();
    let only = |code_point| with_groups(&ring, &[group(&ring, code_point)]);
    assert_eq!(names(&extend(only(x25519))), [0x11ec, 0x201, 0x202, 0x200, x25519]);
    assert_eq!(names(&extend(only(p256))), [0x11eb, 0x201, 0x202, 0x200, p256]);
    assert_eq!(names(&extend(only(p384))), [0x11ed, 0x201, 0x202, 0x200, p384]);
    assert_eq!(names(&extend(with_groups(&ring, &[]))), [0x201, 0x202, 0x200]);
}

#[test]
fn a_hybrid_without_its_classical_half_stays_the_providers() {
    let theirs = aws_lc_rs::kx_group::X25519MLKEM768;
    let provider = extend(with_groups(&aws_lc_rs::default_provider(), &[theirs]));
    assert_eq!(names(&provider), [0x201, 0x202, 0x200, 0x11ec]);
    assert!(core::ptr::addr_eq(provider.kx_groups[3], theirs));
}

#[test]
fn extending_again_allocates_no_more_groups() {
    static POOL: Pool<MlKem768> = Pool::new(8, Duration::from_secs(60));
    let pools = Pools { mlkem768: Some(&POOL), ..Pools::default() };
    let first = addresses(&extend(ring::default_provider()));
    assert_eq!(addresses(&extend(ring::default_provider())), first);
    // The groups of an extended provider are replaced by themselves.
    assert_eq!(addresses(&extend(extend(ring::default_provider()))), first);
    let pooled = addresses(&extend_with_pools(ring::default_provider(), pools));
    assert_eq!(addresses(&extend_with_pools(ring::default_provider(), pools)), pooled);
    // ML-KEM-1024 and -512 have no pool in either.
    let differing: Vec<_> = (0..first.len()).filter(|i| first[*i] != pooled[*i]).collect();
    assert_eq!(differing, [0, 1, 3]);
    assert_ne!(addresses(&extend(aws_lc_rs::default_provider()))[..6], first[..6]);
}

/// Counts its calls, and fails from some number of them on.
#[derive(Debug)]
struct Scarce {
    calls: AtomicUsize,
    supply: usize,
}

impl SecureRandom for Scarce {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        if self.calls.fetch_add(1, Ordering::Relaxed) < self.supply {
            bytes.fill(1);
            Ok(())
        } else {
            Err(GetRandomFailed)
        }
    }
}

#[test]
fn randomness_is_the_providers_and_its_failure_an_error() {
    static SCARCE: Scarce = Scarce { calls: AtomicUsize::new(0), supply: 2 };
    let provider = extend(CryptoProvider { secure_random: &SCARCE, ..ring::default_provider() });
    let mlkem = group(&provider, 0x201);
    let first = mlkem.start().unwrap();
    let second = mlkem.start().unwrap();
    assert_eq!(first.pub_key(), second.pub_key());
    assert_eq!(SCARCE.calls.load(Ordering::Relaxed), 2);
    let share = first.pub_key().to_vec();
    for code_point in [0x201, 0x202, 0x200, 0x11ec] {
        let failure = group(&provider, code_point).start().err();
        assert_eq!(failure, Some(Error::FailedToGetRandomBytes));
    }
    assert_eq!(mlkem.start_and_complete(&share).err(), Some(Error::FailedToGetRandomBytes));
}
