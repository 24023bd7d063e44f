//! Instructions and stack of the library that the image is built with.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use cortex_m_semihosting::hprintln;
use lanekem_mcu::board::{Counter, INSTRUCTIONS_PER_TICK, exit, panicked, stack_of, use_stack};
use lanekem_mcu::subjects::chosen;

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    panicked(info)
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let counter = Counter::start();
    let ticks = counter.calibrate();
    let stack = stack_of(&mut use_stack::<5000>);
    hprintln!("calibration instructions=2000000 ticks={} stack={} of 5000", ticks, stack);
    let expected = 2_000_000 / INSTRUCTIONS_PER_TICK;
    if ticks.abs_diff(expected) > expected / 1000 || !(5000..5100).contains(&stack) {
        exit(false);
    }
    chosen::run(&counter);
    exit(true)
}
