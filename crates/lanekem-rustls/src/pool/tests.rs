use super::*;
use core::time::Duration;
use getrandom::SysRng;
use lanekem::MlKem512;
use std::thread;

const AGE: Duration = Duration::from_secs(3600);

fn stats(hits: u64, misses: u64, refills: u64, expired: u64) -> PoolStats {
    PoolStats { hits, misses, refills, expired }
}

#[test]
fn a_miss_makes_a_batch_that_the_next_takers_use() {
    let pool = Pool::<MlKem512>::new(64, AGE);
    for taken in 0..20 {
        assert_eq!(pool.len(), (BATCH - taken % BATCH) % BATCH);
        pool.try_take(&mut SysRng).unwrap();
    }
    assert_eq!(pool.stats(), stats(17, 3, 3, 0));
    assert!(!pool.is_empty());
    pool.drain();
    assert!(pool.is_empty());
    pool.try_take(&mut SysRng).unwrap();
    assert_eq!(pool.stats(), stats(17, 4, 4, 0));
}

#[test]
fn a_pool_never_holds_more_than_its_capacity() {
    for capacity in [0, 1, 2, 7, 8, 9, 15, 16, 63, 64, 100] {
        let pool = Pool::<MlKem512>::new(capacity, AGE);
        let shards = pool.used;
        for home in 0..2 * shards {
            pool.put(home % shards, EphemeralKey::try_batch(&mut SysRng, BATCH).unwrap());
            assert!(pool.len() <= capacity);
        }
        assert_eq!(pool.len(), capacity / shards * shards, "{capacity}");
        assert!(pool.len() + shards > capacity, "{capacity}");
        pool.drain();
        for _ in 0..10 {
            pool.try_take(&mut SysRng).unwrap();
            assert!(pool.len() <= capacity);
        }
    }
}

#[test]
fn a_key_of_the_maximum_age_is_dropped_and_counted() {
    let pool = Pool::<MlKem512>::new(64, Duration::from_millis(20));
    pool.try_take(&mut SysRng).unwrap();
    assert_eq!(pool.len(), 7);
    thread::sleep(Duration::from_millis(25));
    pool.try_take(&mut SysRng).unwrap();
    assert_eq!(pool.stats(), stats(0, 2, 2, 7));
    let ageless = Pool::<MlKem512>::new(64, Duration::ZERO);
    for _ in 0..3 {
        ageless.try_take(&mut SysRng).unwrap();
    }
    assert_eq!(ageless.stats(), stats(0, 3, 3, 14));
}

#[test]
fn older_keys_go_first() {
    let pool = Pool::<MlKem512>::new(64, AGE);
    let batch = EphemeralKey::try_batch(&mut SysRng, BATCH).unwrap();
    let made: Vec<_> = batch.iter().map(|key| key.encapsulation_key().clone()).collect();
    assert!(pool.put(0, batch));
    let taken: Vec<_> =
        (0..BATCH).map(|_| pool.pop(0).unwrap().encapsulation_key().clone()).collect();
    assert_eq!(made, taken);
}

/// Other threads at work in every shard: a key all the same, without waiting for them.
#[test]
fn a_pool_in_use_everywhere_is_not_waited_for() {
    let pool = Pool::<MlKem512>::new(64, AGE);
    pool.try_take(&mut SysRng).unwrap();
    let held: Vec<_> = pool.shards.iter().map(|shard| shard.keys.lock().unwrap()).collect();
    pool.try_take(&mut SysRng).unwrap();
    pool.drain();
    assert_eq!(pool.stats(), stats(0, 2, 2, 0));
    drop(held);
    assert_eq!(pool.len(), 7);
    pool.try_take(&mut SysRng).unwrap();
    assert_eq!(pool.stats(), stats(1, 2, 2, 0));
}

#[test]
fn keys_behind_a_shard_in_use_are_found() {
    let pool = Pool::<MlKem512>::new(64, AGE);
    for home in pool.shards() {
        pool.put(home, EphemeralKey::try_batch(&mut SysRng, 1).unwrap());
    }
    let held = pool.shards[home() % pool.used].keys.lock().unwrap();
    for _ in 1..pool.used {
        pool.try_take(&mut SysRng).unwrap();
    }
    assert_eq!(pool.stats(), stats(pool.used as u64 - 1, 0, 0, 0));
    drop(held);
}

#[test]
fn a_poisoned_shard_goes_on() {
    let pool = Pool::<MlKem512>::new(8, AGE);
    pool.try_take(&mut SysRng).unwrap();
    let panicked = thread::scope(|scope| {
        let thread = scope.spawn(|| pool.shards[0].with(|_| panic!("on purpose")));
        thread.join().is_err()
    });
    assert!(panicked && pool.shards[0].keys.is_poisoned());
    pool.try_take(&mut SysRng).unwrap();
    assert_eq!(pool.stats(), stats(1, 1, 1, 0));
}

/// What a child does, in one process: the tests in `tests/fork.rs` are real ones.
#[test]
fn keys_of_another_generation_are_not_there() {
    let pool = Pool::<MlKem512>::new(8, AGE);
    pool.try_take(&mut SysRng).unwrap();
    pool.shards[0].generation.fetch_add(1, Ordering::Relaxed);
    assert!(pool.is_empty());
    pool.try_take(&mut SysRng).unwrap();
    assert_eq!(pool.stats(), stats(0, 2, 2, 0));
    assert_eq!(pool.len(), 7);
}
