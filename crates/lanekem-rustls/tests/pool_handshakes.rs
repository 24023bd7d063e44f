//! Handshakes by sixteen threads with one pool: none fails, no key is used twice, memory stays flat.

mod common;

use common::*;
use core::time::Duration;
use lanekem::MlKem768;
use lanekem_rustls::{Hybrid, Layout, Pool};
use rustls::Error;
use rustls::crypto::{ActiveKeyExchange, CompletedKeyExchange, SupportedKxGroup, ring};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const THREADS: usize = 16;

static POOL: Pool<MlKem768> = Pool::new(64, Duration::from_secs(1));
static GROUP: Recorded =
    Recorded(Hybrid::new(ring::kx_group::X25519, Layout::X25519MLKEM768).with_pool(&POOL));

/// A group that writes down ρ of each key it offers.
#[derive(Debug)]
struct Recorded(Hybrid<MlKem768>);

static SEEN: Mutex<Vec<[u8; 32]>> = Mutex::new(Vec::new());

impl SupportedKxGroup for Recorded {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let kx = self.0.start()?;
        let rho = kx.pub_key()[1184 - 32..1184].try_into().unwrap();
        SEEN.lock().unwrap().push(rho);
        Ok(kx)
    }

    fn start_and_complete(&self, share: &[u8]) -> Result<CompletedKeyExchange, Error> {
        self.0.start_and_complete(share)
    }

    fn name(&self) -> rustls::NamedGroup {
        self.0.name()
    }
}

fn handshakes(total: usize) {
    let provider = with_groups(&ring::default_provider(), &[&GROUP]);
    let (client, server) = (client_config(provider.clone()), server_config(provider));
    let (before, seen_before) = (POOL.stats(), SEEN.lock().unwrap().len());
    SEEN.lock().unwrap().reserve(total);
    let next = AtomicUsize::new(0);
    // Resident memory, in pages, after the threads and their allocators have got going and at the end.
    let warm = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i == total / 4 {
                        warm.store(resident(), Ordering::Relaxed);
                    }
                    if i >= total {
                        break;
                    }
                    let finished = handshake(&client, &server).unwrap();
                    assert_eq!(finished.group, 0x11ec);
                }
            });
        }
    });
    let (warm, end) = (warm.into_inner(), resident());
    let mut seen = SEEN.lock().unwrap()[seen_before..].to_vec();
    assert_eq!(seen.len(), total);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), total, "a key was used twice");
    let stats = POOL.stats();
    println!("{total} handshakes: {stats:?}; resident pages {warm}, then {end}");
    assert_eq!(stats.hits + stats.misses - before.hits - before.misses, total as u64);
    assert!(stats.hits > before.hits);
    // A leak of one key a handshake would be thousands of pages; allocators may take a few hundred.
    assert!(end < warm + 1024, "memory grew from {warm} to {end} pages");
}

/// Resident pages of this process.
fn resident() -> usize {
    match std::fs::read_to_string("/proc/self/statm") {
        Ok(statm) => statm.split(' ').nth(1).unwrap().parse().unwrap(),
        Err(_) if cfg!(target_os = "linux") => panic!("no /proc/self/statm"),
        Err(_) => 0,
    }
}

#[test]
fn handshakes_under_sixteen_threads() {
    handshakes(1_000);
}

#[test]
#[ignore = "up to a minute"]
fn ten_thousand_handshakes_under_sixteen_threads() {
    handshakes(10_000);
}
