//! Peak stack of each operation, measured: it runs on a painted stack of its own, whose lowest byte
//! that lost its paint tells. Keys, ciphertexts and results lie elsewhere, but what a call returns by
//! value passes over the stack and counts. With `--nocapture` it prints the table.
#![cfg(target_arch = "x86_64")]

mod common;

use common::{ShakeRng, for_each_backend, for_each_set};
use lanekem::one_time::th;
use lanekem::{Backend, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, ParameterSet};
use std::arch::asm;
use std::hint::black_box;

/// More than any operation uses.
const STACK: usize = 1 << 18;
const PAINT: u8 = 0xa5;
/// A small device's share: what an operation on a compact key in its place may use in the portable backend.
const LIMIT: usize = 8 << 10;

/// Bytes of stack that `f` uses.
fn stack_of<F: FnMut()>(mut f: F) -> usize {
    extern "C" fn call<F: FnMut()>(f: &mut F) {
        f();
    }
    // Once on the common stack: the first call selects the backend.
    f();
    let mut stack = vec![[PAINT; 64]; STACK / 64];
    let top = stack.as_mut_ptr_range().end.addr() & !15;
    // SAFETY: the callee has the C calling convention, its argument outlives the call, and the stack
    // pointer is aligned for a call and put back after it from a register that the callee saves. A
    // panic does not unwind out of an `extern "C"` function.
    unsafe {
        asm!(
            "mov r12, rsp",
            "mov rsp, {top}",
            "call {call}",
            "mov rsp, r12",
            top = in(reg) top,
            call = sym call::<F>,
            in("rdi") &raw mut f,
            out("r12") _,
            clobber_abi("C"),
        );
    }
    let stack = black_box(stack).into_flattened();
    STACK - stack.iter().position(|&byte| byte != PAINT).expect("a call writes to its stack")
}

/// A function that fills an array of LEN bytes on its stack.
#[inline(never)]
fn fill<const LEN: usize>() {
    black_box(&mut [1u8; LEN]);
}

/// The measurement itself, on frames of known size.
#[test]
fn known_frames() {
    for (used, len) in [(stack_of(fill::<1000>), 1000), (stack_of(fill::<50_000>), 50_000)] {
        assert!((len..len + 256).contains(&used), "{used} bytes for an array of {len}");
    }
}

fn report(backend: Backend, set: &str, op: &str, f: impl FnMut()) -> usize {
    let bytes = stack_of(f);
    println!("stack backend={backend} set={set} op={op} bytes={bytes}");
    bytes
}

fn operations<P: ParameterSet>(backend: Backend) {
    let report = |op, f: &mut dyn FnMut()| report(backend, P::NAME, op, f);
    let seed = ShakeRng::new(b"stack").seed();
    let mut rng = ShakeRng::new(P::NAME.as_bytes());
    let key = Box::new(DecapsulationKey::<P>::from_seed(&seed));
    let compact = Box::new(CompactDecapsulationKey::<P>::from_seed(&seed));
    let ek = Box::new(key.encapsulation_key().clone());
    let pair = Box::new(ek.encapsulate(&mut rng));
    let (ciphertext, secret) = &*pair;
    let expanded = Box::new(key.to_expanded_bytes());

    let mut slot = Box::new(None);
    report("keygen", &mut || *slot = Some(DecapsulationKey::<P>::from_seed(&seed)));
    report("keygen_in_slot", &mut || {
        DecapsulationKey::<P>::from_seed_in(&mut slot, &seed);
    });
    report("parse", &mut || {
        *slot = Some(DecapsulationKey::from_expanded_bytes((*expanded).as_ref()).unwrap());
    });
    let mut slot = Box::new(None);
    report("compact_keygen", &mut || *slot = Some(CompactDecapsulationKey::<P>::from_seed(&seed)));
    let keygen = report("compact_keygen_in_slot", &mut || {
        CompactDecapsulationKey::<P>::from_seed_in(&mut slot, &seed);
    });
    report("compact_parse", &mut || {
        *slot = Some(CompactDecapsulationKey::from_expanded_bytes((*expanded).as_ref()).unwrap());
    });
    let mut slot = Box::new(None);
    report("encaps", &mut || *slot = Some(ek.encapsulate(&mut rng)));
    report("parse_ek", &mut || assert!(EncapsulationKey::<P>::from_bytes(ek.as_bytes()).is_ok()));
    report("decaps", &mut || assert!(key.decapsulate(ciphertext) == *secret));
    report("expanded_decaps", &mut || {
        let at_once = DecapsulationKey::<P>::decapsulate_from_expanded_bytes;
        assert!(at_once((*expanded).as_ref(), ciphertext).unwrap() == *secret);
    });
    let mut slot = Box::new(None);
    report("one_time_keygen", &mut || *slot = Some(th::OneTimeKeyPair::<P>::generate(&mut rng)));
    let once = Box::new((*slot).as_ref().unwrap().encapsulation_key().clone());
    let mut out = Box::new(None);
    report("one_time_encaps", &mut || *out = Some(once.encapsulate(&mut rng)));
    let (c, _) = (*out).as_ref().unwrap();
    // One key for each time that `stack_of` calls.
    let mut pairs = th::OneTimeKeyPair::<P>::generate_vec(&mut rng, 2).into_iter().map(Some);
    let (mut pair, mut next) = (Box::new(pairs.next().unwrap()), Box::new(pairs.next().unwrap()));
    report("one_time_decaps", &mut || {
        assert!(th::OneTimeKeyPair::decapsulate_from(&mut pair, c).is_some());
        std::mem::swap(&mut pair, &mut next);
    });
    let decaps =
        report("compact_decaps", &mut || assert!(compact.decapsulate(ciphertext) == *secret));
    assert!(
        backend != Backend::Portable || keygen.max(decaps) <= LIMIT,
        "{}: {keygen} and {decaps} bytes of stack, more than {LIMIT}",
        P::NAME
    );
}

#[test]
fn peak_stack() {
    for_each_backend(|backend| for_each_set!(operations(backend)));
}
