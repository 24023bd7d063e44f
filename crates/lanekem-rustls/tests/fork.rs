//! Real forks: a child never has a key of its parent, whatever the parent's threads were doing.
#![cfg(target_os = "linux")]

use core::time::Duration;
use getrandom::SysRng;
use lanekem::MlKem512;
use lanekem_rustls::Pool;
use std::collections::HashSet;
use std::io::{Read, Write, pipe};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

const AGE: Duration = Duration::from_secs(3600);
/// ρ, which is a key pair's own.
type Id = [u8; 32];

fn take(pool: &Pool<MlKem512>) -> Id {
    let key = pool.try_take(&mut SysRng).unwrap();
    *key.encapsulation_key().as_bytes().last_chunk().unwrap()
}

/// Runs `child` in a forked process and gives the bytes it makes. A child that takes too long is ended.
fn in_a_child(child: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
    let (mut reader, mut writer) = pipe().unwrap();
    // SAFETY: the child uses only what glibc keeps usable after a fork of a process with threads
    // (allocation, file descriptors) and what is under test, and leaves by `_exit`.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0);
    if pid == 0 {
        // SAFETY: `alarm` only sets a timer, whose signal ends this process.
        unsafe { libc::alarm(20) };
        // A panic must not reach the test harness, of which this is a copy.
        let made = catch_unwind(AssertUnwindSafe(child));
        let sent = made.is_ok_and(|bytes| writer.write_all(&bytes).is_ok());
        // SAFETY: ends this process, running nothing of the test harness's.
        unsafe { libc::_exit(i32::from(!sent)) }
    }
    drop(writer);
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).unwrap();
    let mut status = 0;
    // SAFETY: `status` is writable, and the child is ours and not waited for elsewhere.
    assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "child: {status:#x}");
    bytes
}

fn ids(bytes: &[u8]) -> Vec<Id> {
    bytes.as_chunks().0.to_vec()
}

#[test]
fn a_child_and_a_grandchild_find_the_pool_empty() {
    static POOL: Pool<MlKem512> = Pool::new(8, AGE);
    take(&POOL);
    assert_eq!(POOL.len(), 7);
    let report = in_a_child(|| {
        let mut report = vec![POOL.len() as u8];
        report.extend((0..4).flat_map(|_| take(&POOL)));
        report.push(POOL.len() as u8);
        report.extend(in_a_child(|| {
            let mut report = vec![POOL.len() as u8];
            report.extend((0..8).flat_map(|_| take(&POOL)));
            report
        }));
        report.extend((0..4).flat_map(|_| take(&POOL)));
        report
    });
    assert_eq!(POOL.len(), 7, "the parent keeps its own");
    let (child, rest) = report.split_at(1 + 4 * 32);
    let (left, rest) = rest.split_at(1);
    let (grandchild, child_again) = rest.split_at(1 + 8 * 32);
    assert_eq!((child[0], left[0], grandchild[0]), (0, 4, 0));
    let mut all = [ids(&child[1..]), ids(&grandchild[1..]), ids(child_again)].concat();
    all.extend((0..7).map(|_| take(&POOL)));
    assert_eq!(POOL.stats().misses, 1);
    assert_eq!(all.len(), 23);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 23);
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn children_forked_while_threads_use_the_pool_neither_wait_nor_share() {
    static POOL: Pool<MlKem512> = Pool::new(64, AGE);
    let filler = POOL.start_filler(32, 64, SysRng).unwrap();
    let (stop, seen) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut taken = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    taken.push(take(&POOL));
                }
                seen.lock().unwrap().extend(taken);
            });
        }
        // Ends the threads after a failure too.
        let _stop = StopOnDrop(&stop);
        for _ in 0..50 {
            let child = in_a_child(|| {
                let mut taken: Vec<u8> = (0..20).flat_map(|_| take(&POOL)).collect();
                POOL.drain();
                taken.extend((0..20).flat_map(|_| take(&POOL)));
                // Nothing attends to the pool here, so the takers fill it.
                assert!(POOL.stats().refills > 0);
                taken
            });
            let child = ids(&child);
            assert_eq!(child.len(), 40);
            seen.lock().unwrap().extend(child);
        }
    });
    drop(filler);
    let mut seen = seen.into_inner().unwrap();
    let total = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), total);
}

/// A child may drop what it inherited, and start a filler of its own.
#[test]
fn a_childs_filler_is_its_own() {
    static POOL: Pool<MlKem512> = Pool::new(16, AGE);
    let filler = POOL.start_filler(8, 16, SysRng).unwrap();
    let report = in_a_child(move || {
        drop(filler);
        let own = POOL.start_filler(8, 16, SysRng).unwrap();
        while POOL.len() != 16 {
            thread::yield_now();
        }
        drop(own);
        vec![POOL.len() as u8]
    });
    assert_eq!(report, [16]);
}
