//! CPU detection and the crate's one `match` over backends.

#[cfg(target_arch = "x86_64")]
use crate::avx2::Avx2;
#[cfg(target_arch = "x86_64")]
use crate::avx512::Avx512;
use crate::backend::Backend as Kernels;
use crate::portable::Portable;
use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU8, Ordering};

/// A set of kernels. The fastest that the CPU can run is used unless one is forced: by
/// [`Backend::force`]; where the feature `std` is on, by the environment variable
/// `LANEKEM_BACKEND=portable|avx2|avx512`, read at the first operation; or for a build, by
/// `--cfg lanekem_backend="portable"` (or another name) in `RUSTFLAGS`, which nothing overrides.
///
/// All backends give identical results. Operations cannot fail, so they pass over a request in the
/// environment or the build for a backend that cannot run here; `Backend::from_env` reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backend {
    /// Plain Rust, for every CPU.
    Portable,
    /// x86-64 with AVX2 and BMI (Haswell, Zen): four Keccak states at a time.
    Avx2,
    /// x86-64 with AVX-512 F, BW, DQ, VL, VBMI and VBMI2 (Ice Lake, Zen 4): eight Keccak states at a
    /// time in a batch, a polynomial in eight registers.
    Avx512,
}

/// Why a backend could not be forced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BackendError {
    /// No backend has that name.
    Unknown,
    /// The CPU, the operating system or this build lacks what the backend needs.
    Unavailable,
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "no backend has this name",
            Self::Unavailable => "the backend cannot run on this CPU or in this build",
        })
    }
}

impl core::error::Error for BackendError {}

impl FromStr for Backend {
    type Err = BackendError;

    fn from_str(name: &str) -> Result<Self, BackendError> {
        Self::ALL.iter().copied().find(|b| b.name() == name).ok_or(BackendError::Unknown)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The backend in use as its index in [`Backend::ALL`] plus 1; 0 before the first operation.
static CURRENT: AtomicU8 = AtomicU8::new(0);

impl Backend {
    /// All backends of this crate, slowest first.
    pub const ALL: &[Self] = &[Self::Portable, Self::Avx2, Self::Avx512];

    /// Its name: `portable`, `avx2` or `avx512`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether the CPU, the operating system and this build can run it.
    pub fn is_available(self) -> bool {
        if FORCED_BY_BUILD.is_some_and(|name| name != self.name()) {
            return false;
        }
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => Avx2::detect().is_some(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => Avx512::detect().is_some(),
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The backends that can run here, slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|b| b.is_available())
    }

    /// The backend that operations use from now on.
    pub fn current() -> Self {
        match Self::ALL.get(usize::from(CURRENT.load(Ordering::Relaxed)).wrapping_sub(1)) {
            Some(&backend) => backend,
            None => Self::select(),
        }
    }

    /// Makes all operations of this process use this backend from now on: for tests, measurements and
    /// operators. Results do not depend on it, only speed does.
    ///
    /// # Errors
    /// [`BackendError::Unavailable`] if it cannot run here; nothing changes then.
    pub fn force(self) -> Result<(), BackendError> {
        if !self.is_available() {
            return Err(BackendError::Unavailable);
        }
        CURRENT.store(self.code(), Ordering::Relaxed);
        Ok(())
    }

    /// The backend that the environment variable `LANEKEM_BACKEND` asks for, `None` if it is unset or empty.
    ///
    /// # Errors
    /// [`BackendError::Unknown`] if no backend has that name, [`BackendError::Unavailable`] if it cannot
    /// run here.
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Option<Self>, BackendError> {
        let Some(name) = std::env::var_os("LANEKEM_BACKEND").filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let backend: Self = name.to_str().ok_or(BackendError::Unknown)?.parse()?;
        if backend.is_available() { Ok(Some(backend)) } else { Err(BackendError::Unavailable) }
    }

    /// What [`CURRENT`] holds for this backend.
    fn code(self) -> u8 {
        Self::ALL.iter().position(|&b| b == self).unwrap_or(0) as u8 + 1
    }

    /// The first choice: the environment's if it names an available backend, else the fastest.
    #[cold]
    fn select() -> Self {
        #[cfg(feature = "std")]
        let requested = Self::from_env().ok().flatten();
        #[cfg(not(feature = "std"))]
        let requested = None;
        let backend = requested.or_else(|| Self::available().last()).unwrap_or(Self::Portable);
        // A backend that was forced meanwhile stays.
        match CURRENT.compare_exchange(0, backend.code(), Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => backend,
            Err(_) => Self::current(),
        }
    }
}

/// The only backend that the build allows.
const FORCED_BY_BUILD: Option<&str> = if cfg!(lanekem_backend = "portable") {
    Some("portable")
} else if cfg!(lanekem_backend = "avx2") {
    Some("avx2")
} else if cfg!(lanekem_backend = "avx512") {
    Some("avx512")
} else {
    None
};

/// A whole operation with its arguments, so that it is compiled once for each backend and runs inside
/// one shell that has the backend's CPU features.
pub(crate) trait Operation {
    type Output;
    fn run<B: Kernels>(self, b: B) -> Self::Output;
}

/// Runs an operation on the backend in use.
pub(crate) fn dispatch<O: Operation>(operation: O) -> O::Output {
    dispatch_on(Backend::current(), operation)
}

/// Runs an operation on a backend, or on the portable one if it cannot run here.
#[inline(always)]
pub(crate) fn dispatch_on<O: Operation>(backend: Backend, operation: O) -> O::Output {
    match backend {
        // A token rather than trust in `backend`: one load, as detection is cached.
        #[cfg(target_arch = "x86_64")]
        Backend::Avx2 => match Avx2::detect() {
            Some(token) => token.enter(operation),
            None => Portable.enter(operation),
        },
        #[cfg(target_arch = "x86_64")]
        Backend::Avx512 => match Avx512::detect() {
            Some(token) => token.enter(operation),
            None => Portable.enter(operation),
        },
        _ => Portable.enter(operation),
    }
}
