//! Graviola as a provider, for this example and for the tests.

use rustls::crypto::CryptoProvider;

/// Graviola's provider, if this CPU has all that it is written for (it panics on others).
pub(crate) fn graviola() -> Option<CryptoProvider> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("adx")
    {
        return Some(rustls_graviola::default_provider());
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("aes")
        && std::arch::is_aarch64_feature_detected!("pmull")
        && std::arch::is_aarch64_feature_detected!("sha2")
    {
        return Some(rustls_graviola::default_provider());
    }
    None
}
