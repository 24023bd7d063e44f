//! Code that leaks on purpose, each way that memcheck must see: a suite that finds nothing here would
//! find nothing anywhere.

use crate::errors_of;
use crate::taint::{self, Rng};
use std::hint::black_box;

/// Runs the controls; true if each leak was reported and the clean one was not.
pub(crate) fn run() -> bool {
    let public: [u8; 32] = Rng::public(1).bytes();
    let secret: [u8; 32] = Rng::secret(1).bytes();
    let mut passed = true;
    let mut control = |name: &str, leaks: bool, f: &mut dyn FnMut()| {
        let errors = errors_of(name, f);
        let ok = leaks == (errors > 0);
        println!("control {name} errors={errors} {}", if ok { "as planned" } else { "MISSED" });
        passed &= ok;
    };
    control("secret-dependent branch", true, &mut || branch(black_box(&secret)));
    control("secret-indexed load", true, &mut || load(black_box(&secret)));
    control("early-exit comparison", true, &mut || {
        black_box(early_exit(black_box(&secret), black_box(&public)));
    });
    control("library comparison", true, &mut || {
        black_box(black_box(&secret[..]) == black_box(&public[..]));
    });
    control("branch on declassified bytes", false, &mut || {
        branch(&taint::published(secret));
    });
    passed
}

#[inline(never)]
fn branch(secret: &[u8; 32]) {
    if secret[0] & 1 != 0 {
        one_side();
    }
}

#[inline(never)]
fn one_side() {
    black_box(0);
}

#[inline(never)]
fn load(secret: &[u8; 32]) {
    static TABLE: [u8; 256] = [7; 256];
    let table = black_box(&TABLE);
    black_box(table[usize::from(secret[0])]);
}

#[inline(never)]
fn early_exit(secret: &[u8; 32], other: &[u8; 32]) -> bool {
    for (a, b) in secret.iter().zip(other) {
        if black_box(*a) != black_box(*b) {
            return false;
        }
    }
    true
}
