//! What a hosted program gets from libc: an entry point, an exit, and the memory functions that the
//! compiler calls.

use core::arch::{asm, naked_asm};
use core::ffi::c_int;

/// The kernel enters here with the stack pointer on the argument count.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn _start() -> ! {
    naked_asm!("xor ebp, ebp", "and rsp, -16", "call {main}", "ud2", main = sym crate::main)
}

pub(crate) fn exit(status: c_int) -> ! {
    const EXIT_GROUP: u64 = 231;
    // SAFETY: the system call ends the process.
    unsafe { asm!("syscall", in("rax") EXIT_GROUP, in("rdi") status, options(noreturn, nostack)) }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    exit(101)
}

/// The unwind tables of the prebuilt `core` name it; nothing unwinds here.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

/// # Safety
/// That of C's `memcpy`.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller's ranges, read and written once, upwards.
    unsafe {
        asm!("rep movsb", inout("rcx") len => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
    to
}

/// # Safety
/// That of C's `memmove`.
#[unsafe(no_mangle)]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    if to.addr().wrapping_sub(from.addr()) >= len {
        // SAFETY: no byte is written before it is read.
        return unsafe { memcpy(to, from, len) };
    }
    // SAFETY: the caller's ranges, downwards from their last bytes; the direction flag is put back.
    unsafe {
        asm!("std", "rep movsb", "cld", inout("rcx") len => _,
            inout("rdi") to.wrapping_add(len).wrapping_sub(1) => _,
            inout("rsi") from.wrapping_add(len).wrapping_sub(1) => _, options(nostack));
    }
    to
}

/// # Safety
/// That of C's `memset`.
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, byte: c_int, len: usize) -> *mut u8 {
    // SAFETY: the caller's range.
    unsafe {
        asm!("rep stosb", inout("rcx") len => _, inout("rdi") to => _, in("al") byte as u8,
            options(nostack, preserves_flags));
    }
    to
}

/// # Safety
/// That of C's `memcmp`.
#[unsafe(no_mangle)]
unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, len: usize) -> c_int {
    for i in 0..len {
        // SAFETY: within the caller's range. Volatile, or this becomes a call of itself.
        let a = unsafe { a.add(i).read_volatile() };
        // SAFETY: likewise.
        let b = unsafe { b.add(i).read_volatile() };
        if a != b {
            return c_int::from(a) - c_int::from(b);
        }
    }
    0
}

/// # Safety
/// That of `memcmp`.
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, len: usize) -> c_int {
    // SAFETY: the caller's.
    unsafe { memcmp(a, b, len) }
}
