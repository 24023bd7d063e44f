//! A pool of key pairs made in batches. Nothing here knows rustls.
#![forbid(unsafe_code)]

use crate::filler::Attendant;
use crate::fork;
use crate::key::{BATCH, EphemeralKey};
use core::fmt;
use core::iter::Sum;
use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use lanekem::ParameterSet;
use rand_core::TryCryptoRng;
use std::collections::VecDeque;
use std::sync::{Mutex, TryLockError};
use std::time::{Duration, Instant};

/// Most shards of a pool. Threads are spread over them, so two seldom meet in one, and who does meet
/// another goes to the next.
const SHARDS: usize = 8;
/// How often those who can wait come back to a lock that another thread holds. A lock that was held in
/// the parent process at the time of a fork is never released in the child, so none is waited for.
pub(crate) const TRIES: usize = 1000;

/// Key pairs made ahead of the handshakes that use them, in batches that fill the SIMD lanes.
///
/// ```
/// use core::time::Duration;
/// use lanekem::MlKem768;
/// use lanekem_rustls::Pool;
///
/// static POOL: Pool<MlKem768> = Pool::new(64, Duration::from_secs(60));
/// let key = POOL.try_take(&mut getrandom::SysRng)?;
/// # Ok::<(), getrandom::Error>(())
/// ```
///
/// - **A pool is never in the way.** Taking a key waits for no other thread, and fails only if the RNG
///   does. If the pool is empty, or other threads are at work everywhere in it, the caller makes keys:
///   a batch, whose rest goes into the pool; or one, if a [`Filler`](crate::Filler) attends to the rest.
/// - **A key is handed out once.** It is moved out, and the memory it was made in is wiped.
/// - **No key is older than `max_age`** when it is handed out. Older ones are dropped when they are found,
///   or by a filler. The clock is [`Instant`]'s, which may stand still while the machine is suspended.
/// - **A forked child finds the pool empty.** It wipes its copies of the parent's keys when it first uses
///   the pool, or calls [`drain`](Self::drain).
///
/// The price: who can read the process's memory learns the keys of up to `capacity` *future* sessions as
/// well. Of past ones nothing is kept.
pub struct Pool<P: ParameterSet> {
    shards: [Shard<P>; SHARDS],
    /// Shards in use: fewer than all if the capacity is small.
    used: usize,
    /// Most keys in a shard.
    shard_capacity: usize,
    max_age: Duration,
    pub(crate) attendant: Attendant,
}

/// What a pool has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Keys handed out that had been made before.
    pub hits: u64,
    /// Keys made when they were asked for.
    pub misses: u64,
    /// Batches made, by those who asked or by a filler.
    pub refills: u64,
    /// Keys dropped because of their age.
    pub expired: u64,
}

impl<P: ParameterSet> Pool<P> {
    /// An empty pool for at most `capacity` keys (best a multiple of 64), none of which is handed out at an
    /// age of `max_age`.
    pub const fn new(capacity: usize, max_age: Duration) -> Self {
        let used = match capacity / BATCH {
            0 => 1,
            n if n > SHARDS => SHARDS,
            n => n,
        };
        Self {
            shards: [const { Shard::new() }; SHARDS],
            used,
            shard_capacity: capacity / used,
            max_age,
            attendant: Attendant::new(),
        }
    }

    /// Takes a key out of the pool, or makes one.
    ///
    /// # Errors
    /// The RNG's, if it was needed.
    pub fn try_take<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
    ) -> Result<EphemeralKey<P>, R::Error> {
        let home = home() % self.used;
        let attended = self.attendant.is_alive();
        if let Some(key) = self.pop(home) {
            // All shards together: waking the filler costs more than a key, so it should find full batches to make.
            if attended && self.attendant.is_low(self.len()) {
                self.attendant.call();
            }
            self.shards[home].counters.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(key);
        }
        self.shards[home].counters.misses.fetch_add(1, Ordering::Relaxed);
        if attended {
            self.attendant.call();
            return EphemeralKey::try_generate(rng);
        }
        let mut batch = self.make(home, self.shard_capacity.saturating_add(1), rng)?;
        let key = batch.pop().expect("a batch of at least one");
        self.put(home, batch);
        Ok(key)
    }

    /// Drops all keys, wiping them.
    ///
    /// Like all of the pool it never blocks: it leaves out a part of the pool that another thread holds for
    /// long, such as a thread of the parent at the time of a fork, whose keys no one will be handed.
    pub fn drain(&self) {
        for shard in &self.shards[..self.used] {
            for _ in 0..TRIES {
                if shard.with(VecDeque::clear).is_some() {
                    break;
                }
                std::thread::yield_now();
            }
        }
    }

    /// Keys in the pool now, expired ones included.
    pub fn len(&self) -> usize {
        let generation = fork::generation();
        let ours = |shard: &&Shard<P>| shard.generation.load(Ordering::Relaxed) == generation;
        self.shards.iter().filter(ours).map(|shard| shard.stored.load(Ordering::Relaxed)).sum()
    }

    /// Whether there is no key in the pool now.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the pool has done since it was made.
    pub fn stats(&self) -> PoolStats {
        self.shards.iter().map(|shard| shard.counters.get()).sum()
    }

    pub(crate) fn max_age(&self) -> Duration {
        self.max_age
    }

    pub(crate) fn capacity(&self) -> usize {
        self.used * self.shard_capacity
    }

    /// `total` keys as so many to a shard.
    pub(crate) fn per_shard(&self, total: usize) -> usize {
        total.div_ceil(self.used).min(self.shard_capacity)
    }

    /// Makes keys for a shard until it has `level`; `false` if the RNG failed or there was no room.
    pub(crate) fn fill_shard<R: TryCryptoRng + ?Sized>(
        &self,
        shard: usize,
        level: usize,
        rng: &mut R,
    ) -> bool {
        let missing = level.saturating_sub(self.shards[shard].stored.load(Ordering::Relaxed));
        missing != 0 && self.make(shard, missing, rng).is_ok_and(|batch| self.put(shard, batch))
    }

    pub(crate) fn shards(&self) -> core::ops::Range<usize> {
        0..self.used
    }

    /// Drops expired keys.
    pub(crate) fn expire(&self) {
        let now = Instant::now();
        for shard in &self.shards[..self.used] {
            shard.with(|keys| shard.drop_expired(keys, now, self.max_age));
        }
    }

    /// The oldest key of the first shard that has one and is free.
    fn pop(&self, home: usize) -> Option<EphemeralKey<P>> {
        let now = Instant::now();
        self.from(home).filter(|shard| shard.stored.load(Ordering::Relaxed) != 0).find_map(
            |shard| {
                shard.with(|keys| {
                    shard.drop_expired(keys, now, self.max_age);
                    Some(keys.pop_front()?.key)
                })?
            },
        )
    }

    fn make<R: TryCryptoRng + ?Sized>(
        &self,
        shard: usize,
        most: usize,
        rng: &mut R,
    ) -> Result<Vec<EphemeralKey<P>>, R::Error> {
        let batch = EphemeralKey::try_batch(rng, most.min(BATCH))?;
        self.shards[shard].counters.refills.fetch_add(1, Ordering::Relaxed);
        Ok(batch)
    }

    /// Puts keys where there is room, drops those for which there is none; `false` if there was none at all.
    fn put(&self, home: usize, batch: Vec<EphemeralKey<P>>) -> bool {
        let made = Instant::now();
        let before = batch.len();
        let mut batch = batch.into_iter();
        for shard in self.from(home) {
            if batch.len() == 0 {
                break;
            }
            shard.with(|keys| {
                let room = self.shard_capacity.saturating_sub(keys.len());
                keys.extend(batch.by_ref().take(room).map(|key| Stored { made, key }));
            });
        }
        batch.len() < before
    }

    /// The shards in use, from `home` on.
    fn from(&self, home: usize) -> impl Iterator<Item = &Shard<P>> {
        let (before, after) = self.shards[..self.used].split_at(home);
        after.iter().chain(before)
    }
}

impl<P: ParameterSet> fmt::Debug for Pool<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("set", &P::NAME)
            .field("len", &self.len())
            .field("max_age", &self.max_age)
            .field("stats", &self.stats())
            .finish_non_exhaustive()
    }
}

/// The shard that this thread turns to first.
fn home() -> usize {
    static THREADS: AtomicUsize = AtomicUsize::new(0);
    thread_local!(static HOME: usize = THREADS.fetch_add(1, Ordering::Relaxed));
    // A thread that is being torn down has none.
    HOME.try_with(|home| *home).unwrap_or(0)
}

struct Stored<P: ParameterSet> {
    made: Instant,
    key: EphemeralKey<P>,
}

/// A part of the pool, on cache lines of its own.
#[repr(align(128))]
struct Shard<P: ParameterSet> {
    /// Oldest first.
    keys: Mutex<VecDeque<Stored<P>>>,
    /// Of the process that put them there. Changed under the lock, as is the next.
    generation: AtomicU64,
    /// How many keys there are, for those who only want to know.
    stored: AtomicUsize,
    /// Of the threads whose home this is.
    counters: Counters,
}

impl<P: ParameterSet> Shard<P> {
    const fn new() -> Self {
        Self {
            keys: Mutex::new(VecDeque::new()),
            generation: AtomicU64::new(0),
            stored: AtomicUsize::new(0),
            counters: Counters::new(),
        }
    }

    /// Runs `f` on the keys of this process; `None` if another thread is at them.
    fn with<T>(&self, f: impl FnOnce(&mut VecDeque<Stored<P>>) -> T) -> Option<T> {
        let mut keys = match self.keys.try_lock() {
            Ok(keys) => keys,
            // Whatever panicked, a queue is whole between its operations.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        let generation = fork::generation();
        if self.generation.swap(generation, Ordering::Relaxed) != generation {
            keys.clear();
        }
        let result = f(&mut keys);
        self.stored.store(keys.len(), Ordering::Relaxed);
        Some(result)
    }

    fn drop_expired(&self, keys: &mut VecDeque<Stored<P>>, now: Instant, max_age: Duration) {
        let old = |stored: &Stored<P>| now.saturating_duration_since(stored.made) >= max_age;
        let before = keys.len();
        while keys.front().is_some_and(old) {
            keys.pop_front();
        }
        self.counters.expired.fetch_add((before - keys.len()) as u64, Ordering::Relaxed);
    }
}

struct Counters {
    hits: AtomicU64,
    misses: AtomicU64,
    refills: AtomicU64,
    expired: AtomicU64,
}

impl Counters {
    const fn new() -> Self {
        Self {
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            refills: AtomicU64::new(0),
            expired: AtomicU64::new(0),
        }
    }

    fn get(&self) -> PoolStats {
        let Self { hits, misses, refills, expired } = self;
        let [hits, misses, refills, expired] =
            [hits, misses, refills, expired].map(|counter| counter.load(Ordering::Relaxed));
        PoolStats { hits, misses, refills, expired }
    }
}

impl Sum for PoolStats {
    fn sum<I: Iterator<Item = Self>>(stats: I) -> Self {
        stats.fold(Self::default(), |a, b| Self {
            hits: a.hits + b.hits,
            misses: a.misses + b.misses,
            refills: a.refills + b.refills,
            expired: a.expired + b.expired,
        })
    }
}

#[cfg(test)]
mod tests;
