//! What the processor says of itself.

use std::thread;

/// CPUs that this process may run on.
pub(crate) fn count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The processor's name.
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

/// Whether the TSC ticks at one rate and never stops: the condition for timing by it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_invariant_tsc() -> bool {
    let cpuid = raw_cpuid::CpuId::new();
    cpuid.get_advanced_power_mgmt_info().is_some_and(|power| power.has_invariant_tsc())
        && cpuid
            .get_extended_processor_and_feature_identifiers()
            .is_some_and(|features| features.has_rdtscp())
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn has_invariant_tsc() -> bool {
    false
}
