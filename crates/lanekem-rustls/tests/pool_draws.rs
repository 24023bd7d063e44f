//! Sixteen threads draw from one pool: no key is handed out twice.

use core::time::Duration;
use getrandom::SysRng;
use lanekem::MlKem512;
use lanekem_rustls::Pool;
use std::thread;

const THREADS: usize = 16;
static POOL: Pool<MlKem512> = Pool::new(256, Duration::from_millis(20));

/// Draws, half of them with a filler at work, and the pool drained now and then.
fn draw(draws: usize) {
    let before = POOL.stats();
    let mut filler = Some(POOL.start_filler(64, 256, SysRng).unwrap());
    let mut drawn: Vec<u128> = Vec::with_capacity(draws);
    for half in [draws / 2, draws - draws / 2] {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let share = half / THREADS + usize::from(thread < half % THREADS);
                    scope.spawn(move || (0..share).map(draw_one).collect::<Vec<_>>())
                })
                .collect();
            for thread in threads {
                drawn.extend(thread.join().unwrap());
            }
        });
        drop(filler.take());
    }
    assert_eq!(drawn.len(), draws);
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), draws, "a key was handed out twice");
    let stats = POOL.stats();
    println!("{draws} draws: {stats:?}");
    assert_eq!(stats.hits + stats.misses - before.hits - before.misses, draws as u64);
    assert!(stats.hits > before.hits && stats.refills > before.refills);
}

/// One key: half of ρ, a hash value that no other key pair has.
fn draw_one(i: usize) -> u128 {
    if i % 1000 == 999 {
        POOL.drain();
    }
    let key = POOL.try_take(&mut SysRng).unwrap();
    u128::from_le_bytes(*key.encapsulation_key().as_bytes().last_chunk().unwrap())
}

#[test]
fn no_key_is_handed_out_twice() {
    draw(200_000);
}

#[test]
#[ignore = "about a minute, and 160 MB"]
fn no_key_is_handed_out_twice_in_ten_million() {
    draw(10_000_000);
}
