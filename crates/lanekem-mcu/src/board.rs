//! The emulated Cortex-M4: instructions, stack, and a way out.

use core::arch::asm;
use core::hint::black_box;
use core::panic::PanicInfo;
use cortex_m::Peripherals;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::register::msp;
use cortex_m_semihosting::{debug, hprintln};

/// Instructions while SysTick counts once: it runs at 25 MHz, and the emulator takes a nanosecond for
/// each instruction.
pub const INSTRUCTIONS_PER_TICK: u32 = 40;
const RELOAD: u32 = 0xff_ffff;

/// Painted below the stack pointer: more than any operation uses.
const PAINTED: usize = 256 << 10;
const PAINT: u32 = 0xa5a5_a5a5;

/// Ends the emulator, with success or without.
pub fn exit(success: bool) -> ! {
    debug::exit(if success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        cortex_m::asm::wfi();
    }
}

/// What a panic does.
pub fn panicked(info: &PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    exit(false)
}

/// Starts the count.
pub struct Counter(());

impl Counter {
    /// Once.
    pub fn start() -> Self {
        let mut systick = Peripherals::take().expect("once").SYST;
        systick.set_clock_source(SystClkSource::Core);
        systick.set_reload(RELOAD);
        systick.clear_current();
        systick.enable_counter();
        Self(())
    }

    /// Ticks that `f` takes, at most 2²⁴.
    pub fn ticks(&self, f: impl FnOnce()) -> u32 {
        let before = SYST::get_current();
        f();
        before.wrapping_sub(SYST::get_current()) & RELOAD
    }

    /// Instructions that `f` takes, to a multiple of [`INSTRUCTIONS_PER_TICK`].
    pub fn instructions(&self, f: impl FnOnce()) -> u32 {
        INSTRUCTIONS_PER_TICK * self.ticks(f)
    }

    /// Ticks of a loop of two million instructions: what a tick is worth.
    pub fn calibrate(&self) -> u32 {
        self.ticks(|| {
            // SAFETY: a register is counted down to zero.
            unsafe {
                asm!("2: subs {n}, {n}, #1", "bne 2b", n = inout(reg) 1_000_000u32 => _);
            }
        })
    }
}

/// Bytes of stack that `f` uses, below the stack pointer of this function.
#[inline(never)]
pub fn stack_of(f: &mut dyn FnMut()) -> usize {
    let top = msp::read() as usize & !3;
    let bottom = top - PAINTED;
    let words = |from: usize, to: usize| (from..to).step_by(4).map(|address| address as *mut u32);
    for word in words(bottom, top) {
        // SAFETY: the stack below the stack pointer, which nobody uses: no interrupt is enabled, and this
        // loop calls nothing.
        unsafe { word.write_volatile(PAINT) };
    }
    f();
    for word in words(bottom, top) {
        // SAFETY: as above; it was written.
        if unsafe { word.read_volatile() } != PAINT {
            return top - word as usize;
        }
    }
    0
}

/// A call that uses `LEN` bytes and little more, to try the measurement on.
#[inline(never)]
pub fn use_stack<const LEN: usize>() {
    black_box(&mut [1u8; LEN]);
}
