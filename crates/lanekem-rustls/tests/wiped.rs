//! No secret of a key pair is in memory that is given back: an allocator looks at each block before it is
//! freed.

use core::time::Duration;
use lanekem::one_time::th::Th;
use lanekem::{MlKem512, MlKem768};
use lanekem_rustls::one_time::{OneTime, OneTimeHybrid};
use lanekem_rustls::{EphemeralKey, Pool, Pools, extend_with_pools};
use rand_core::{TryCryptoRng, TryRng};
use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom, SupportedKxGroup, ring};
use std::alloc::{GlobalAlloc, Layout, System};
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the seeds are made of.
const SECRET: u8 = 0xa5;

static FOUND: AtomicUsize = AtomicUsize::new(0);

struct Inspecting;

// SAFETY: all calls are passed on to the system's allocator as they come; a block is only read before.
unsafe impl GlobalAlloc for Inspecting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that what is read below was written once.
        // SAFETY: the caller's promises are those asked for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // Volatile: these bytes are dead to the compiler, which might not write them otherwise.
        // SAFETY: the block is of this size, still allocated, and was zeroed when it was made.
        let byte = |i| unsafe { block.wrapping_add(i).read_volatile() };
        let mut run = 0;
        for i in 0..layout.size() {
            run = if byte(i) == SECRET { run + 1 } else { 0 };
            if run == 16 {
                FOUND.fetch_add(1, Ordering::Relaxed);
            }
        }
        // SAFETY: the caller's promises are those asked for.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Inspecting = Inspecting;

#[derive(Debug)]
struct Constant;

impl TryRng for Constant {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        rand_core::utils::next_word_via_fill(self)
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        rand_core::utils::next_word_via_fill(self)
    }
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(SECRET);
        Ok(())
    }
}

impl TryCryptoRng for Constant {}

impl SecureRandom for Constant {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        bytes.fill(SECRET);
        Ok(())
    }
}

/// Runs `f` and counts the blocks that came back with a secret in them.
fn found(f: impl FnOnce()) -> usize {
    let before = FOUND.load(Ordering::Relaxed);
    f();
    FOUND.load(Ordering::Relaxed) - before
}

// One test: the count is the process's.
#[test]
fn freed_memory_holds_no_seed() {
    assert_eq!(found(|| drop(core::hint::black_box(vec![SECRET; 64]))), 1, "negative control");

    assert_eq!(found(|| drop(EphemeralKey::<MlKem768>::try_generate(&mut Constant))), 0);

    static POOL: Pool<MlKem768> = Pool::new(16, Duration::from_secs(3600));
    let takes = || (0..20).for_each(|_| drop(POOL.try_take(&mut Constant)));
    assert_eq!(found(takes), 0);
    assert!(!POOL.is_empty());
    assert_eq!(found(|| POOL.drain()), 0);
    static AGELESS: Pool<MlKem512> = Pool::new(16, Duration::ZERO);
    let expiring = || (0..20).for_each(|_| drop(AGELESS.try_take(&mut Constant)));
    assert_eq!(found(expiring), 0);
    assert!(AGELESS.stats().expired > 0);

    let provider = CryptoProvider { secure_random: &Constant, ..ring::default_provider() };
    let pools = Pools { mlkem768: Some(&POOL), ..Pools::default() };
    let provider = extend_with_pools(provider, pools);
    static ONE_TIME: OneTime<MlKem768, Th> = OneTime::new().with_random(&Constant);
    static ONE_TIME_HYBRID: OneTimeHybrid<MlKem768> =
        OneTimeHybrid::x25519(ring::kx_group::X25519).with_random(&Constant);
    let one_time: [&dyn SupportedKxGroup; 2] = [&ONE_TIME, &ONE_TIME_HYBRID];
    for group in provider.kx_groups[..6].iter().copied().chain(one_time) {
        let exchange = || {
            let client = group.start().unwrap();
            let server = group.start_and_complete(client.pub_key()).unwrap();
            client.complete(&server.pub_key).unwrap();
            drop(group.start().unwrap());
        };
        assert_eq!(found(exchange), 0, "{group:?}");
    }
}
