//! The CPU's features that backends need, and the vector state that the operating system saves.

use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    /// CPUID has it.
    pub(crate) cpu: bool,
    /// Also the operating system allows it.
    pub(crate) usable: bool,
    pub(crate) needed_by: &'static [&'static str],
}

/// A part of the extended state that XCR0 turns on.
#[derive(Serialize)]
pub(crate) struct State {
    pub(crate) name: &'static str,
    pub(crate) cpu: bool,
    pub(crate) os: bool,
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Feature, State};
    use raw_cpuid::CpuId;

    const BOTH: &[&str] = &["avx2", "avx512"];
    const AVX512: &[&str] = &["avx512"];

    /// The second column is CPUID's word, the third the standard library's, which asks XCR0 too.
    macro_rules! features {
        ($($name:tt, $cpu:expr, $needed_by:expr;)*) => {
            vec![$(Feature {
                name: $name,
                cpu: $cpu,
                usable: std::is_x86_feature_detected!($name),
                needed_by: $needed_by,
            }),*]
        };
    }

    pub(crate) fn features() -> Vec<Feature> {
        let cpuid = CpuId::new();
        let (basic, extended) = (cpuid.get_feature_info(), cpuid.get_extended_feature_info());
        let basic = basic.as_ref();
        let extended = extended.as_ref();
        features![
            "popcnt", basic.is_some_and(|f| f.has_popcnt()), BOTH;
            "avx2", extended.is_some_and(|f| f.has_avx2()), BOTH;
            "bmi1", extended.is_some_and(|f| f.has_bmi1()), BOTH;
            "bmi2", extended.is_some_and(|f| f.has_bmi2()), BOTH;
            "avx512f", extended.is_some_and(|f| f.has_avx512f()), AVX512;
            "avx512bw", extended.is_some_and(|f| f.has_avx512bw()), AVX512;
            "avx512dq", extended.is_some_and(|f| f.has_avx512dq()), AVX512;
            "avx512vl", extended.is_some_and(|f| f.has_avx512vl()), AVX512;
            "avx512vbmi", extended.is_some_and(|f| f.has_avx512vbmi()), AVX512;
            "avx512vbmi2", extended.is_some_and(|f| f.has_avx512vbmi2()), AVX512;
        ]
    }

    /// The standard library reports AVX and AVX-512 only where XCR0 has their state.
    pub(crate) fn vector_state() -> Vec<State> {
        let Some(state) = CpuId::new().get_extended_state_info() else { return vec![] };
        let avx = std::is_x86_feature_detected!("avx");
        let avx512 = std::is_x86_feature_detected!("avx512f");
        vec![
            State { name: "SSE (xmm)", cpu: state.xcr0_supports_sse_128(), os: true },
            State { name: "AVX (ymm)", cpu: state.xcr0_supports_avx_256(), os: avx },
            State { name: "opmask (k)", cpu: state.xcr0_supports_avx512_opmask(), os: avx512 },
            State { name: "ZMM_Hi256", cpu: state.xcr0_supports_avx512_zmm_hi256(), os: avx512 },
            State { name: "Hi16_ZMM", cpu: state.xcr0_supports_avx512_zmm_hi16(), os: avx512 },
        ]
    }

    pub(crate) fn family() -> Option<[u8; 3]> {
        let info = CpuId::new().get_feature_info()?;
        Some([info.family_id(), info.model_id(), info.stepping_id()])
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{family, features, vector_state};

#[cfg(not(target_arch = "x86_64"))]
mod other {
    pub(crate) fn features() -> Vec<super::Feature> {
        vec![]
    }

    pub(crate) fn vector_state() -> Vec<super::State> {
        vec![]
    }

    pub(crate) fn family() -> Option<[u8; 3]> {
        None
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use other::{family, features, vector_state};

#[cfg(test)]
mod tests {
    use super::*;
    use lanekem::Backend;

    /// The lists here are those of the library.
    #[test]
    fn a_backend_is_available_if_its_features_are_usable() {
        if !cfg!(target_arch = "x86_64") {
            return;
        }
        for &backend in Backend::ALL {
            let features = features();
            let mut needed = features.iter().filter(|f| f.needed_by.contains(&backend.name()));
            assert_eq!(needed.all(|f| f.usable), backend.is_available(), "{backend}");
        }
        assert!(features().iter().all(|feature| feature.cpu || !feature.usable));
    }
}
