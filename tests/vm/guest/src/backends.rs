//! Which backend a CPU gets.

use lanekem::{Backend, BackendError};

/// Whether `name` is the backend in use and every better one is refused, by force and by environment.
pub(crate) fn best_is(name: &str) -> bool {
    let current = Backend::current();
    let available: Vec<_> = Backend::available().map(Backend::name).collect();
    print!("backend={current} available={}", available.join(","));
    let mut ok = current.name() == name && available.last() == Some(&name);
    for &backend in Backend::ALL.iter().skip_while(|backend| backend.name() != name).skip(1) {
        // SAFETY: this program has one thread.
        unsafe { std::env::set_var("LANEKEM_BACKEND", backend.name()) };
        let refused = backend.force() == Err(BackendError::Unavailable)
            && Backend::from_env() == Err(BackendError::Unavailable)
            && Backend::current() == current;
        print!(" {backend}={}", if refused { "unavailable" } else { "NOT REFUSED" });
        ok &= refused;
    }
    println!();
    ok
}
