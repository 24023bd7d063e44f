//! Counts of permutation calls, per thread.

use std::cell::Cell;

/// Calls of a bank's permutation and of that of a single state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Calls {
    pub(crate) bank: usize,
    pub(crate) single: usize,
}

const NONE: Calls = Calls { bank: 0, single: 0 };

std::thread_local! {
    static CALLS: Cell<Calls> = const { Cell::new(NONE) };
}

pub(crate) fn single() {
    let calls = CALLS.get();
    CALLS.set(Calls { single: calls.single + 1, ..calls });
}

pub(crate) fn bank() {
    let calls = CALLS.get();
    CALLS.set(Calls { bank: calls.bank + 1, ..calls });
}

/// The calls that `f` makes.
pub(crate) fn calls(f: impl FnOnce()) -> Calls {
    CALLS.set(NONE);
    f();
    CALLS.get()
}
