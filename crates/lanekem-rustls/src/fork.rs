//! Tells a process from its forked children.

use core::sync::atomic::{AtomicU64, Ordering};

/// A number that is the same throughout the life of a process and another one in each child forked from
/// it, whatever made the child (`fork`, `clone`, …).
pub(crate) fn generation() -> u64 {
    match mark::get() {
        Some(mark) => marked(mark),
        // Process identifiers stay clear of the other numbers, which start at 1.
        None => u64::from(std::process::id()) | 1 << 63,
    }
}

/// The generation kept in memory that a child finds zeroed.
fn marked(mark: &AtomicU64) -> u64 {
    /// Inherited by children, so each gets a number that none of its ancestors had.
    static LAST: AtomicU64 = AtomicU64::new(0);
    let seen = mark.load(Ordering::Acquire);
    if seen != 0 {
        return seen;
    }
    let new = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    match mark.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => new,
        Err(other_thread) => other_thread,
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod mark {
    use core::ptr;
    use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

    /// Room for an `AtomicU64`; the kernel rounds it up to a page.
    const LEN: usize = size_of::<AtomicU64>();

    /// Stands for a page where there is none.
    static NO_PAGE: AtomicU64 = AtomicU64::new(0);
    /// Null before the first call. No `OnceLock`: a child forked while it is being set would wait for ever.
    static PAGE: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());

    /// A number that the kernel zeroes in forked children; `None` where it cannot (before Linux 4.14).
    pub(super) fn get() -> Option<&'static AtomicU64> {
        let mut page = PAGE.load(Ordering::Acquire);
        if page.is_null() {
            let none = ptr::from_ref(&NO_PAGE).cast_mut();
            let new = map().map_or(none, |page| ptr::from_ref(page).cast_mut());
            // Of threads that race here, one wins, and the others' pages stay unused.
            page = match PAGE.compare_exchange(
                ptr::null_mut(),
                new,
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => new,
                Err(winner) => winner,
            };
        }
        // SAFETY: every pointer ever stored but null was made from a `&'static AtomicU64`.
        let page: &'static AtomicU64 = unsafe { &*page };
        (!ptr::eq(page, &NO_PAGE)).then_some(page)
    }

    fn map() -> Option<&'static AtomicU64> {
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address of the kernel's choice touches no memory in use.
        let page = unsafe { libc::mmap(ptr::null_mut(), LEN, access, kind, -1, 0) };
        if page == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the page was just mapped and nothing refers to it yet. It stays mapped if this fails,
        // once in the life of a process.
        if unsafe { libc::madvise(page, LEN, libc::MADV_WIPEONFORK) } != 0 {
            return None;
        }
        // SAFETY: the page is zeroed (valid for an `AtomicU64`), aligned, readable and writable, never
        // unmapped, and from here on only reached through this reference. A fork changes it in the
        // child alone, before the child runs.
        Some(unsafe { &*page.cast::<AtomicU64>() })
    }
}

#[cfg(not(target_os = "linux"))]
mod mark {
    use core::sync::atomic::AtomicU64;

    /// Nothing is zeroed in children here; the process identifier has to do.
    pub(super) fn get() -> Option<&'static AtomicU64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zeroed_mark_gives_a_new_number() {
        let mark = AtomicU64::new(0);
        let first = marked(&mark);
        assert_eq!(marked(&mark), first);
        mark.store(0, Ordering::Relaxed);
        let second = marked(&mark);
        assert_ne!(second, first);
        assert_ne!(second, 0);
    }

    #[test]
    fn one_process_has_one_generation() {
        let here = generation();
        let there = std::thread::spawn(generation).join().unwrap();
        assert_eq!(here, there);
        assert_eq!(cfg!(target_os = "linux"), mark::get().is_some());
    }
}
