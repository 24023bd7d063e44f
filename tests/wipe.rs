//! Dropping a secret wipes it: the memory it lay in is read afterwards.

mod common;

use common::model;
use common::{Expanded, ShakeRng, for_each_backend, for_each_set};
use core::mem::MaybeUninit;
use core::ops::Range;
use lanekem::one_time::th;
use lanekem::{CompactDecapsulationKey, DecapsulationKey, MlKem768, ParameterSet, Seed};

fn memory<T>(place: &MaybeUninit<T>) -> Vec<u8> {
    let start = place.as_ptr().cast::<u8>();
    // SAFETY: within `place`, which was zeroed before a value was written to it, so that padding
    // is initialised as far as memory is concerned; volatile, so that it is memory that is read.
    (0..size_of::<T>()).map(|i| unsafe { start.wrapping_add(i).read_volatile() }).collect()
}

/// The bytes of a value before and after its drop.
fn around_drop<T>(value: T) -> (Vec<u8>, Vec<u8>) {
    let mut place = Box::new(MaybeUninit::<T>::zeroed());
    place.write(value);
    let before = memory(&place);
    // SAFETY: `place` holds a value, and nobody uses it afterwards.
    unsafe { place.assume_init_drop() };
    let after = memory(&place);
    (before, after)
}

fn contains(memory: &[u8], secret: &[u8]) -> bool {
    memory.windows(secret.len()).any(|window| window == secret)
}

/// Where s lies in a key: in ByteEncode12 form, or as 16-bit coefficients modulo q.
fn find_s(memory: &[u8], s: &[u8]) -> Range<usize> {
    if let Some(start) = memory.windows(s.len()).position(|window| window == s) {
        return start..start + s.len();
    }
    let s: Vec<i16> = s
        .chunks(3)
        .map(|c| c.iter().map(|&b| i16::from(b)).collect::<Vec<_>>())
        .flat_map(|c| [c[0] | (c[1] & 15) << 8, c[1] >> 4 | c[2] << 4])
        .collect();
    let same = |c: &[u8], s: i16| {
        (i64::from(i16::from_le_bytes([c[0], c[1]])) - i64::from(s)) % model::Q == 0
    };
    let start = (0..=memory.len() - 2 * s.len())
        .find(|&start| memory[start..].chunks(2).zip(&s).all(|(c, &s)| same(c, s)))
        .expect("s is kept in neither form: the check would be void");
    start..start + 2 * s.len()
}

/// `seed` is in the memory of keys that were not imported, `dk` is their expanded form. What the
/// drop must clear is looked up first, for padding may hold what was on the stack before.
fn check_key<P: ParameterSet, T>(key: T, seed: Option<&Seed>, dk: &[u8]) {
    let (s, z) = (&dk[..384 * P::K], &dk[dk.len() - 32..]);
    let (before, after) = around_drop(key);
    for part in [z].into_iter().chain(seed.iter().flat_map(|seed| seed.as_bytes().chunks(32))) {
        assert!(contains(&before, part), "not kept as bytes: the check would be void");
        assert!(!contains(&after, part));
    }
    assert!(after[find_s(&before, s)].iter().all(|&byte| byte == 0));
}

fn keys_are_wiped<P: ParameterSet>() {
    let mut rng = ShakeRng::new(b"wipe");
    let seed = rng.seed();
    let key = DecapsulationKey::<P>::from_seed(&seed);
    let dk = key.expanded();
    check_key::<P, _>(key, Some(&seed), &dk);
    check_key::<P, _>(CompactDecapsulationKey::<P>::from_seed(&seed), Some(&seed), &dk);
    let imported = DecapsulationKey::<P>::from_expanded_bytes(&dk).unwrap();
    check_key::<P, _>(imported, None, &dk);
    let imported = CompactDecapsulationKey::<P>::from_expanded_bytes(&dk).unwrap();
    check_key::<P, _>(imported, None, &dk);
}

#[test]
fn decapsulation_keys() {
    for_each_backend(|_| for_each_set!(keys_are_wiped()));
}

/// A one-time key pair in a slot, before and after it is used there.
fn one_time_keys_are_wiped<P: ParameterSet>() {
    let d = ShakeRng::new(b"wipe").bytes();
    let (_, dk) = model::keygen(common::params::<P>(), &d, &[0; 32]);
    let s = &dk[..384 * P::K];

    let (before, after) = around_drop(th::OneTimeKeyPair::<P>::generate_with(&d));
    assert!(after[find_s(&before, s)].iter().all(|&byte| byte == 0));

    let used = |decapsulate: &dyn Fn(&mut Option<th::OneTimeKeyPair<P>>)| {
        let mut place = Box::new(MaybeUninit::zeroed());
        place.write(Some(th::OneTimeKeyPair::<P>::generate_with(&d)));
        let before = memory(&place);
        // SAFETY: `place` was written.
        decapsulate(unsafe { place.assume_init_mut() });
        (find_s(&before, s), memory(&place))
    };
    let pair = th::OneTimeKeyPair::<P>::generate_with(&d);
    let c = pair.encapsulation_key().encapsulate_with(&[1; 32], &[2; 32]).0;
    let (s, after) = used(&|slot| drop(th::OneTimeKeyPair::decapsulate_from(slot, &c)));
    assert!(after[s].iter().all(|&byte| byte == 0));
}

#[test]
fn one_time_keys() {
    for_each_backend(|_| for_each_set!(one_time_keys_are_wiped()));
}

#[test]
fn seeds_and_shared_secrets() {
    let mut rng = ShakeRng::new(b"wipe");
    let bytes: [u8; 64] = rng.bytes();
    let (before, after) = around_drop(Seed::from_bytes(&bytes));
    assert!(contains(&before, &bytes));
    assert_eq!(after, [0; 64]);

    let key = DecapsulationKey::<MlKem768>::generate(&mut rng);
    let (ct, secret) = key.encapsulation_key().encapsulate(&mut rng);
    let bytes = *secret.as_bytes();
    for secret in [secret, key.decapsulate(&ct)] {
        let (before, after) = around_drop(secret);
        assert!(contains(&before, &bytes));
        assert_eq!(after, [0; 32]);
    }
}

/// The control: a buffer of the same bytes that is not a secret type keeps them.
#[test]
fn plain_bytes_stay() {
    let bytes: [u8; 64] = ShakeRng::new(b"wipe").bytes();
    let (before, after) = around_drop(bytes);
    assert_eq!((&before[..], &after[..]), (&bytes[..], &bytes[..]));
}
