//! All groups at once, for a provider that lacks them.
#![forbid(unsafe_code)]

use super::{Hybrid, Mlkem};
use crate::layout::{Layout, mlkem_code_point};
use crate::pool::Pool;
use core::ptr;
use lanekem::{MlKem512, MlKem768, MlKem1024, ParameterSet};
use rustls::crypto::{CryptoProvider, SecureRandom, SupportedKxGroup};
use std::sync::{Mutex, PoisonError};

/// Puts the groups of this crate before the provider's own, best first:
///
/// 1. X25519MLKEM768, SecP256r1MLKEM768 and SecP384r1MLKEM1024, those whose classical half the
///    provider has;
/// 2. MLKEM768, MLKEM1024 and MLKEM512;
/// 3. the provider's groups, but for those of the same name as one above.
///
/// A client offers the first: with it, in the same message and for free, its classical half by itself.
/// ECDH and randomness stay the provider's. For another choice, put groups into
/// [`kx_groups`](CryptoProvider::kx_groups) by hand.
///
/// Groups have to live for ever, so they are allocated once for each provider and then found again:
/// calling this often does not leak more.
pub fn extend(provider: CryptoProvider) -> CryptoProvider {
    extend_with_pools(provider, Pools::default())
}

/// The pools that [`extend_with_pools`] gives to the groups, one for each parameter set that has one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pools {
    /// Of MLKEM512.
    pub mlkem512: Option<&'static Pool<MlKem512>>,
    /// Of X25519MLKEM768, SecP256r1MLKEM768 and MLKEM768.
    pub mlkem768: Option<&'static Pool<MlKem768>>,
    /// Of SecP384r1MLKEM1024 and MLKEM1024.
    pub mlkem1024: Option<&'static Pool<MlKem1024>>,
}

/// [`extend`] with keys out of pools.
///
/// ```
/// use core::time::Duration;
/// use lanekem::MlKem768;
/// use lanekem_rustls::{Pool, Pools, extend_with_pools};
///
/// static POOL: Pool<MlKem768> = Pool::new(64, Duration::from_secs(60));
///
/// let pools = Pools { mlkem768: Some(&POOL), ..Pools::default() };
/// let provider = extend_with_pools(rustls::crypto::ring::default_provider(), pools);
/// ```
pub fn extend_with_pools(mut provider: CryptoProvider, pools: Pools) -> CryptoProvider {
    let random = provider.secure_random;
    let Pools { mlkem512, mlkem768, mlkem1024 } = pools;
    let theirs = provider.kx_groups;
    provider.kx_groups = [
        hybrid(&theirs, Layout::X25519MLKEM768, random, mlkem768),
        hybrid(&theirs, Layout::SECP256R1MLKEM768, random, mlkem768),
        hybrid(&theirs, Layout::SECP384R1MLKEM1024, random, mlkem1024),
        Some(mlkem(random, mlkem768)),
        Some(mlkem(random, mlkem1024)),
        Some(mlkem(random, mlkem512)),
    ]
    .into_iter()
    .flatten()
    .collect();
    for group in theirs {
        if provider.kx_groups.iter().all(|ours| ours.name() != group.name()) {
            provider.kx_groups.push(group);
        }
    }
    provider
}

fn hybrid<P: ParameterSet>(
    theirs: &[&'static dyn SupportedKxGroup],
    layout: Layout<P>,
    random: &'static dyn SecureRandom,
    pool: Option<&'static Pool<P>>,
) -> Option<&'static dyn SupportedKxGroup> {
    let classical = *theirs.iter().find(|group| u16::from(group.name()) == layout.classical)?;
    let made_of = Parts::new(layout.code_point, Some(classical), random, pool);
    Some(once(made_of, || {
        let mut group = Hybrid::new(classical, layout).with_random(random);
        group.0.kem.pool = pool;
        Box::leak(Box::new(group))
    }))
}

fn mlkem<P: ParameterSet>(
    random: &'static dyn SecureRandom,
    pool: Option<&'static Pool<P>>,
) -> &'static dyn SupportedKxGroup {
    once(Parts::new(mlkem_code_point::<P>(), None, random, pool), || {
        let mut group = Mlkem::new().with_random(random);
        group.half.pool = pool;
        Box::leak(Box::new(group))
    })
}

/// What a group is made of. Groups of equal parts are the same group.
struct Parts {
    code_point: u16,
    classical: Option<&'static dyn SupportedKxGroup>,
    random: &'static dyn SecureRandom,
    /// Its address; a pool is not read here.
    pool: Option<usize>,
}

impl Parts {
    fn new<P: ParameterSet>(
        code_point: u16,
        classical: Option<&'static dyn SupportedKxGroup>,
        random: &'static dyn SecureRandom,
        pool: Option<&'static Pool<P>>,
    ) -> Self {
        Self { code_point, classical, random, pool: pool.map(|pool| ptr::from_ref(pool).addr()) }
    }
}

impl PartialEq for Parts {
    // Objects without fields can share an address, so methods are compared too. Equal ones may be told
    // apart by that, at the cost of one more group for each part of the program that has them compiled in.
    #[allow(ambiguous_wide_pointer_comparisons)]
    fn eq(&self, other: &Self) -> bool {
        self.code_point == other.code_point
            && self.pool == other.pool
            && ptr::eq(self.random, other.random)
            && match (self.classical, other.classical) {
                (Some(a), Some(b)) => ptr::eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }
}

/// The group made of these parts, made if there is none yet.
fn once(
    parts: Parts,
    make: impl FnOnce() -> &'static dyn SupportedKxGroup,
) -> &'static dyn SupportedKxGroup {
    static MADE: Mutex<Vec<(Parts, &'static dyn SupportedKxGroup)>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, group)) = made.iter().find(|(known, _)| *known == parts) {
        return *group;
    }
    let group = make();
    made.push((parts, group));
    group
}
