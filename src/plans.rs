//! The plans of each operation, by parameter set and number of lanes.

use crate::backend::Backend;
use crate::lanes::Bank;
use crate::params::ParameterSet;
use crate::plan::{Plan, Shape};
use core::marker::PhantomData;

/// The plans of a backend's bank for one parameter set.
pub(crate) struct Plans<P, B>(PhantomData<(P, B)>);

impl<P: ParameterSet, B: Backend> Plans<P, B> {
    const LANES: usize = <B::Bank as Bank>::LANES;

    /// Key generation: matrix, noise and H(ek).
    pub(crate) const KEYGEN: Plan = plan(Self::LANES, Shape::keygen(P::K, P::ETA1));
    /// Encapsulation and parsing of a decapsulation key: matrix and H(ek).
    pub(crate) const MATRIX_AND_HASH: Plan = plan(Self::LANES, Shape::matrix(P::K, true));
    /// The matrix where h is known.
    pub(crate) const MATRIX: Plan = plan(Self::LANES, Shape::matrix(P::K, false));
    /// Encapsulation's noise.
    pub(crate) const NOISE: Plan = plan(Self::LANES, Shape::encrypt(P::K, P::ETA1, 0, false));
    /// Decapsulation: noise and J(z ‖ c).
    pub(crate) const NOISE_AND_REJECT: Plan =
        plan(Self::LANES, Shape::encrypt(P::K, P::ETA1, P::CIPHERTEXT_LEN, false));
    /// Decapsulation without a stored matrix.
    pub(crate) const MATRIX_NOISE_AND_REJECT: Plan =
        plan(Self::LANES, Shape::encrypt(P::K, P::ETA1, P::CIPHERTEXT_LEN, true));
}

const fn plan(_lanes: usize, shape: Shape) -> Plan {
    Plan::sequential(shape)
}
