//! What the firmware images share: the emulated board, and the libraries behind one trait.
#![no_std]

pub mod board;
pub mod flash;
pub mod kem;
pub mod subjects;
