//! The background filler.

use core::convert::Infallible;
use core::time::Duration;
use getrandom::SysRng;
use lanekem::MlKem512;
use lanekem_rustls::Pool;
use rand_core::{TryCryptoRng, TryRng};
use std::io::ErrorKind;
use std::thread;
use std::time::Instant;

const AGE: Duration = Duration::from_secs(3600);

/// Waits for what another thread is to do.
#[track_caller]
fn eventually(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_secs(20), "never happened");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn fills_to_the_high_mark_when_below_the_low_one() {
    static POOL: Pool<MlKem512> = Pool::new(64, AGE);
    let filler = POOL.start_filler(16, 40, SysRng).unwrap();
    eventually(|| POOL.len() == 40);
    // Until it sleeps, it may hold the shard that this thread would take from.
    thread::sleep(Duration::from_millis(50));
    let refills = POOL.stats().refills;
    // The pool is what the low mark is of, not the part of it that this thread empties first.
    for _ in 0..23 {
        POOL.try_take(&mut SysRng).unwrap();
    }
    thread::sleep(Duration::from_millis(50));
    assert_eq!((POOL.len(), POOL.stats().refills), (17, refills));
    POOL.try_take(&mut SysRng).unwrap();
    eventually(|| POOL.len() == 40);
    assert_eq!((POOL.stats().hits, POOL.stats().misses), (24, 0));
    drop(filler);
    for _ in 0..40 {
        POOL.try_take(&mut SysRng).unwrap();
    }
    assert!(POOL.is_empty());
    assert_eq!(POOL.stats().misses, 0);
    // Without a filler, takers make batches again.
    POOL.try_take(&mut SysRng).unwrap();
    assert_eq!(POOL.len(), 7);
}

#[test]
fn goes_to_sleep_when_nobody_takes_keys() {
    static POOL: Pool<MlKem512> = Pool::new(16, Duration::from_millis(50));
    let _filler = POOL.start_filler(8, 16, SysRng).unwrap();
    eventually(|| POOL.stats().refills == 2);
    eventually(|| POOL.is_empty() && POOL.stats().expired == 16);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(POOL.stats().refills, 2);
    POOL.try_take(&mut SysRng).unwrap();
    assert_eq!(POOL.stats().misses, 1);
    eventually(|| POOL.stats().refills == 4);
}

#[test]
fn a_pool_has_one_filler_at_a_time() {
    static POOL: Pool<MlKem512> = Pool::new(16, AGE);
    for _ in 0..10 {
        let filler = POOL.start_filler(8, 16, SysRng).unwrap();
        let second = POOL.start_filler(8, 16, SysRng).map(drop);
        assert_eq!(second.map_err(|error| error.kind()), Err(ErrorKind::AlreadyExists));
        eventually(|| POOL.len() == 16);
        POOL.drain();
        drop(filler);
    }
}

struct Broken;

impl TryRng for Broken {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        panic!("on purpose")
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        panic!("on purpose")
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        panic!("on purpose")
    }
}

impl TryCryptoRng for Broken {}

#[test]
fn takers_outlive_a_filler_that_panics() {
    static POOL: Pool<MlKem512> = Pool::new(16, AGE);
    let filler = POOL.start_filler(8, 16, Broken).unwrap();
    // Takers make single keys until the thread is gone, then batches.
    eventually(|| {
        POOL.try_take(&mut SysRng).unwrap();
        !POOL.is_empty()
    });
    drop(filler);
    let _next = POOL.start_filler(8, 16, SysRng).unwrap();
    eventually(|| POOL.len() == 16);
}
