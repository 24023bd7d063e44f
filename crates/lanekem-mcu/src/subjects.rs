//! The libraries, one in an image.

#[cfg(feature = "fips203")]
pub mod fips203;
#[cfg(feature = "lanekem")]
pub mod lanekem;
#[cfg(feature = "libcrux")]
pub mod libcrux;
#[cfg(feature = "ml-kem")]
pub mod ml_kem;

#[cfg(feature = "fips203")]
pub use fips203 as chosen;
#[cfg(feature = "lanekem")]
pub use lanekem as chosen;
#[cfg(feature = "libcrux")]
pub use libcrux as chosen;
#[cfg(feature = "ml-kem")]
pub use ml_kem as chosen;
