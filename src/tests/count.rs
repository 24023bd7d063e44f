//! Counts of permutation calls, per thread.

use std::cell::Cell;

std::thread_local! {
    static SINGLE: Cell<usize> = const { Cell::new(0) };
    static BANK: Cell<usize> = const { Cell::new(0) };
}

pub(crate) fn single() {
    SINGLE.set(SINGLE.get() + 1);
}

pub(crate) fn bank(_lanes: usize) {
    BANK.set(BANK.get() + 1);
}
