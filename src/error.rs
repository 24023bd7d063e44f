use core::fmt;

/// Which check an input failed. It says nothing of secret data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// An encapsulation key is not 800, 1,184 or 1,568 bytes long (FIPS 203 §7.2, type check).
    EncapsulationKeyLength,
    /// An encapsulation key has a coefficient of q = 3329 or more (§7.2, modulus check).
    EncapsulationKeyModulus,
    /// An expanded decapsulation key is not 1,632, 2,400 or 3,168 bytes long (§7.3, type check).
    DecapsulationKeyLength,
    /// The hash inside an expanded decapsulation key is not that of its encapsulation key (§7.3, hash
    /// check).
    DecapsulationKeyHash,
    /// A ciphertext is not 768, 1,088 or 1,568 bytes long (§7.3, ciphertext type check), or 32 more for
    /// `one_time::tch`.
    CiphertextLength,
    /// A seed is not 64 bytes long.
    SeedLength,
    /// The seed and the expanded key of a private-key file do not belong together.
    SeedMismatch,
    /// Slices of a batch call differ in length.
    BatchLength,
    /// A ciphertext of [`one_time::tch`](crate::one_time::tch) is forged or damaged: its tag is wrong.
    #[cfg(feature = "one-time")]
    OneTimeTag,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EncapsulationKeyLength => "encapsulation key: wrong length",
            Self::EncapsulationKeyModulus => "encapsulation key: coefficient not reduced modulo q",
            Self::DecapsulationKeyLength => "decapsulation key: wrong length",
            Self::DecapsulationKeyHash => "decapsulation key: wrong hash of its encapsulation key",
            Self::CiphertextLength => "ciphertext: wrong length",
            Self::SeedLength => "seed: wrong length",
            Self::SeedMismatch => "private key: seed and expanded key do not match",
            Self::BatchLength => "batch: slices of different lengths",
            #[cfg(feature = "one-time")]
            Self::OneTimeTag => "one-time ciphertext: wrong tag",
        })
    }
}

impl core::error::Error for Error {}
