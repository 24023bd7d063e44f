//! Parameter sets (FIPS 203 §8) and the byte lengths that follow from them (§8, Table 3).

use crate::instances::Instances;
use core::fmt::Debug;
use zeroize::Zeroize;

/// Number of coefficients of a polynomial.
pub(crate) const N: usize = 256;
/// The modulus.
pub(crate) const Q: i16 = 3329;
/// Bytes of a polynomial of T_q at 12 bits a coefficient.
pub(crate) const POLY_BYTES: usize = 384;
/// η₂, the same in every set.
pub(crate) const ETA2: usize = 2;
/// Largest k of any set.
pub(crate) const MAX_K: usize = 4;
/// Largest d_u of any set; no d_v is larger.
pub(crate) const MAX_DU: usize = 11;

mod sealed {
    pub trait Sealed {}
}

/// An array `[T; N]` of a length that the parameter set gives.
pub trait Array<T>: AsRef<[T]> + AsMut<[T]> + Copy + Send + Sync + 'static {
    /// All elements equal to `value`.
    fn filled(value: T) -> Self;
}

impl<T: Copy + Send + Sync + 'static, const LEN: usize> Array<T> for [T; LEN] {
    #[inline(always)]
    fn filled(value: T) -> Self {
        [value; LEN]
    }
}

/// An array of bytes `[u8; N]` of a length that the parameter set gives.
pub trait ByteArray: Array<u8> + Debug + PartialEq + Eq + Zeroize {
    /// All bytes zero.
    fn zeroed() -> Self {
        Self::filled(0)
    }
}

impl<const LEN: usize> ByteArray for [u8; LEN] {}

/// What an element of a [`ParameterSet::Vector`] must be.
pub trait Element: Copy + Send + Sync + Zeroize + 'static {}
impl<T: Copy + Send + Sync + Zeroize + 'static> Element for T {}

/// One of the three parameter sets of FIPS 203 §8. Sealed: [`MlKem512`], [`MlKem768`] and
/// [`MlKem1024`] are the only ones.
pub trait ParameterSet:
    sealed::Sealed + Instances + Copy + Debug + Eq + Ord + core::hash::Hash + Send + Sync + 'static
{
    /// Name in FIPS 203, such as `ML-KEM-768`.
    const NAME: &'static str;
    /// Object identifier in X.509 and PKCS #8 (RFC 9935).
    const OID: &'static str;
    /// Rows and columns of the matrix Â.
    const K: usize;
    /// Width of the noise of s, e and y.
    const ETA1: usize;
    /// Bits kept of a coefficient of u.
    const DU: usize;
    /// Bits kept of a coefficient of v.
    const DV: usize;

    /// Bytes of an encapsulation key: 384·k + 32.
    const ENCAPSULATION_KEY_LEN: usize = POLY_BYTES * Self::K + 32;
    /// Bytes of an expanded decapsulation key: 768·k + 96.
    const EXPANDED_KEY_LEN: usize = 2 * POLY_BYTES * Self::K + 96;
    /// Bytes of a ciphertext: 32·(d_u·k + d_v).
    const CIPHERTEXT_LEN: usize = 32 * (Self::DU * Self::K + Self::DV);

    /// `[u8; ENCAPSULATION_KEY_LEN]`.
    type EncapsulationKeyBytes: ByteArray;
    /// `[u8; EXPANDED_KEY_LEN]`.
    type ExpandedKeyBytes: ByteArray;
    /// `[u8; CIPHERTEXT_LEN]`.
    type CiphertextBytes: ByteArray;
    /// `[u8; CIPHERTEXT_LEN + 32]`: a ciphertext and a hash.
    #[cfg(feature = "one-time")]
    #[doc(hidden)]
    type TaggedCiphertextBytes: ByteArray;
    /// `[T; K]`.
    #[doc(hidden)]
    type Vector<T: Element>: Array<T> + Zeroize;
}

macro_rules! parameter_set {
    ($(#[$doc:meta])* $set:ident, $name:literal, $oid:literal, k = $k:literal, eta1 = $eta1:literal,
     du = $du:literal, dv = $dv:literal, ek = $ek:literal, dk = $dk:literal, ct = $ct:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $set;

        impl sealed::Sealed for $set {}

        impl ParameterSet for $set {
            const NAME: &'static str = $name;
            const OID: &'static str = $oid;
            const K: usize = $k;
            const ETA1: usize = $eta1;
            const DU: usize = $du;
            const DV: usize = $dv;
            type EncapsulationKeyBytes = [u8; $ek];
            type ExpandedKeyBytes = [u8; $dk];
            type CiphertextBytes = [u8; $ct];
            #[cfg(feature = "one-time")]
            type TaggedCiphertextBytes = [u8; $ct + 32];
            type Vector<T: Element> = [T; $k];
        }

        const _: () = {
            assert!(<$set as ParameterSet>::ENCAPSULATION_KEY_LEN == $ek);
            assert!(<$set as ParameterSet>::EXPANDED_KEY_LEN == $dk);
            assert!(<$set as ParameterSet>::CIPHERTEXT_LEN == $ct);
            assert!($k <= MAX_K && $du <= MAX_DU && $dv <= MAX_DU);
        };
    };
}

parameter_set! {
    /// ML-KEM-512: security category 1.
    MlKem512, "ML-KEM-512", "2.16.840.1.101.3.4.4.1",
    k = 2, eta1 = 3, du = 10, dv = 4, ek = 800, dk = 1632, ct = 768
}
parameter_set! {
    /// ML-KEM-768: security category 3, the set that TLS uses.
    MlKem768, "ML-KEM-768", "2.16.840.1.101.3.4.4.2",
    k = 3, eta1 = 2, du = 10, dv = 4, ek = 1184, dk = 2400, ct = 1088
}
parameter_set! {
    /// ML-KEM-1024: security category 5.
    MlKem1024, "ML-KEM-1024", "2.16.840.1.101.3.4.4.3",
    k = 4, eta1 = 2, du = 11, dv = 5, ek = 1568, dk = 3168, ct = 1568
}
