//! Key generation, encapsulation and decapsulation of ML-KEM-768, and nothing else: for its size.
#![no_std]
#![no_main]

use lanekem_mcu::subjects::chosen::S768;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {
        cortex_m::asm::wfi();
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    lanekem_mcu::flash::exchange::<S768>()
}
