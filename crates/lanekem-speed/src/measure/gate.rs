//! Threads start together, or not at all if one of them could not be made.

use std::sync::{Condvar, Mutex, MutexGuard};

#[derive(Default)]
struct State {
    ready: usize,
    /// Whether to go through or to go home.
    open: Option<bool>,
}

#[derive(Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics with it")
    }

    /// A thread is ready, and waits. Whether it may go on.
    pub(super) fn wait(&self) -> bool {
        let mut state = self.lock();
        state.ready += 1;
        self.changed.notify_all();
        let wait = self.changed.wait_while(state, |state| state.open.is_none());
        wait.expect("no thread panics with it").open == Some(true)
    }

    /// Lets the threads go on when all are ready, unless the gate was closed.
    pub(super) fn open(&self, threads: usize) {
        let wait = self.changed.wait_while(self.lock(), |state| state.ready < threads);
        wait.expect("no thread panics with it").open.get_or_insert(true);
        self.changed.notify_all();
    }

    /// Sends home the threads that wait or come to wait.
    pub(super) fn close(&self) {
        self.lock().open = Some(false);
        self.changed.notify_all();
    }
}
