//! A background thread that keeps a pool filled.
#![forbid(unsafe_code)]

use crate::fork;
use crate::pool::{Pool, TRIES};
use core::mem;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use lanekem::ParameterSet;
use rand_core::TryCryptoRng;
use std::io;
use std::sync::{Arc, Mutex, TryLockError};
use std::thread::{self, JoinHandle, Thread};

/// A running background thread that fills a pool: made by [`Pool::start_filler`], stopped when dropped.
///
/// It sleeps until a key is taken that leaves the pool at its low mark, then fills it to its high mark.
/// Without takers it makes nothing, and wakes up only to drop expired keys, until none is left.
#[must_use = "the filler stops when dropped"]
#[derive(Debug)]
pub struct Filler {
    stop: Arc<AtomicBool>,
    /// Of the process that has the thread.
    generation: u64,
    thread: Option<JoinHandle<()>>,
}

impl<P: ParameterSet> Pool<P> {
    /// Starts a thread that fills the pool with keys to `high` whenever `low` are left, both capped by
    /// the pool's capacity. While it runs, who finds the pool empty makes a single key.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if the pool has a filler; those of starting a thread.
    pub fn start_filler<R: TryCryptoRng + Send + 'static>(
        &'static self,
        low: usize,
        high: usize,
        rng: R,
    ) -> io::Result<Filler> {
        let generation = fork::generation();
        let post = Post::take(&self.attendant, generation, low.min(self.capacity()))?;
        let stop = Arc::new(AtomicBool::new(false));
        let level = self.per_shard(high);
        let thread = thread::Builder::new().name(format!("{} pool", P::NAME)).spawn({
            let stop = Arc::clone(&stop);
            move || {
                let _until_the_end = post;
                attend(self, level, rng, &stop);
            }
        })?;
        let handle = thread.thread().clone();
        let filler = Filler { stop, generation, thread: Some(thread) };
        self.attendant.introduce(handle)?;
        Ok(filler)
    }
}

fn attend<P: ParameterSet, R: TryCryptoRng>(
    pool: &Pool<P>,
    level: usize,
    mut rng: R,
    stop: &AtomicBool,
) {
    let going_on = || !stop.load(Ordering::Acquire);
    while going_on() {
        pool.expire();
        if pool.attendant.called.swap(false, Ordering::AcqRel) {
            for shard in pool.shards() {
                while going_on() && pool.fill_shard(shard, level, &mut rng) {}
            }
        } else if pool.is_empty() {
            thread::park();
        } else {
            thread::park_timeout(pool.max_age());
        }
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else { return };
        if self.generation != fork::generation() {
            // A forked child does not have the thread, and could wait for ever.
            mem::forget(thread);
            return;
        }
        self.stop.store(true, Ordering::Release);
        thread.thread().unpark();
        // A filler that panicked has stopped too.
        let _ = thread.join();
    }
}

/// What a pool knows of its filler.
pub(crate) struct Attendant {
    /// Of the process that has the thread; 0 if there is none.
    generation: AtomicU64,
    /// As many keys in the pool are too few.
    low: AtomicUsize,
    /// There is something to do.
    called: AtomicBool,
    thread: Mutex<Option<Thread>>,
}

impl Attendant {
    pub(crate) const fn new() -> Self {
        Self {
            generation: AtomicU64::new(0),
            low: AtomicUsize::new(0),
            called: AtomicBool::new(false),
            thread: Mutex::new(None),
        }
    }

    /// Whether this very process has a filler.
    pub(crate) fn is_alive(&self) -> bool {
        let generation = self.generation.load(Ordering::Acquire);
        generation != 0 && generation == fork::generation()
    }

    pub(crate) fn is_low(&self, left: usize) -> bool {
        left <= self.low.load(Ordering::Relaxed)
    }

    /// Wakes the filler, unless that is under way.
    pub(crate) fn call(&self) {
        if self.called.load(Ordering::Relaxed) || self.called.swap(true, Ordering::AcqRel) {
            return;
        }
        match self.thread.try_lock().as_deref() {
            Ok(Some(thread)) => thread.unpark(),
            // Just being introduced, or called by another thread: the next taker may try again.
            _ => self.called.store(false, Ordering::Release),
        }
    }

    /// From now on `thread` is the one to wake.
    fn introduce(&self, thread: Thread) -> io::Result<()> {
        for _ in 0..TRIES {
            let mut known = match self.thread.try_lock() {
                Ok(known) => known,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    thread::yield_now();
                    continue;
                }
            };
            // Who called in the meantime may have woken a predecessor.
            known.insert(thread).unpark();
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::WouldBlock, "the pool's parent process held its filler"))
    }
}

/// The filler's hold on its pool, given up however the thread ends.
struct Post<'a>(&'a Attendant);

impl<'a> Post<'a> {
    fn take(attendant: &'a Attendant, generation: u64, low: usize) -> io::Result<Self> {
        // The filler of a parent process is none here.
        let mut seen = attendant.generation.load(Ordering::Acquire);
        if seen == generation {
            seen = 0;
        }
        attendant
            .generation
            .compare_exchange(seen, generation, Ordering::AcqRel, Ordering::Acquire)
            .map_err(|_| io::Error::new(io::ErrorKind::AlreadyExists, "the pool has a filler"))?;
        attendant.low.store(low, Ordering::Relaxed);
        // Filled without waiting for the first taker.
        attendant.called.store(true, Ordering::Release);
        Ok(Self(attendant))
    }
}

impl Drop for Post<'_> {
    fn drop(&mut self) {
        self.0.generation.store(0, Ordering::Release);
    }
}
