//! The processor's name.

/// As the processor gives it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn name() -> String {
    raw_cpuid::CpuId::new()
        .get_processor_brand_string()
        .map(|brand| brand.as_str().trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

/// The architecture: other processors do not name themselves to a program.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn name() -> String {
    std::env::consts::ARCH.to_owned()
}
