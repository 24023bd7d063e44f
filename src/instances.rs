//! Where the operations are instantiated: here, once for each parameter set, and not in the crates that
//! call them. Those compile faster, and what optimises this crate (its package's profile) is enough.

use crate::dispatch::dispatch;
use crate::error::Error;
use crate::group::{
    DecapsulateGroup, EncapsulateGroup, EncapsulatePreparedGroup, KeyGenGroup, SharedMatrixGroup,
};
use crate::kem::{
    CheckEncapsulationKey, CompactKeyGen, Decapsulate, DecapsulateCompact, DecapsulateExpanded,
    Encapsulate, EncapsulatePrepared, EncodeSecret, KeyGen, ParseCompactKey, ParseDecapsulationKey,
    Prepare, PrepareDecapsulationKey,
};
#[cfg(feature = "one-time")]
use crate::one_time::group::KeyGenGroup as OneTimeKeyGenGroup;
#[cfg(feature = "one-time")]
use crate::one_time::kem::{
    DecapsulateTch, DecapsulateTh, EncapsulateTch, EncapsulateTh, KeyGen as OneTimeKeyGen,
};
use crate::params::{MlKem512, MlKem768, MlKem1024, ParameterSet};
use crate::secret::SharedSecret;

macro_rules! instances {
    ($($(#[$attribute:meta])* $method:ident: $Operation:ident => $Output:ty;)*) => {
        /// The operations of one parameter set.
        #[allow(private_interfaces, missing_docs)]
        pub trait Instances: Sized {
            $($(#[$attribute])*
            fn $method(operation: $Operation<'_, Self>) -> $Output
            where
                Self: ParameterSet;)*
        }

        instances!(@set MlKem512 $($(#[$attribute])* $method: $Operation => $Output;)*);
        instances!(@set MlKem768 $($(#[$attribute])* $method: $Operation => $Output;)*);
        instances!(@set MlKem1024 $($(#[$attribute])* $method: $Operation => $Output;)*);
    };
    (@set $Set:ident $($(#[$attribute:meta])* $method:ident: $Operation:ident => $Output:ty;)*) => {
        #[allow(private_interfaces)]
        impl Instances for $Set {
            $($(#[$attribute])*
            #[inline(never)]
            fn $method(operation: $Operation<'_, Self>) -> $Output {
                dispatch(operation)
            })*
        }
    };
}

instances! {
    key_gen: KeyGen => ();
    compact_key_gen: CompactKeyGen => ();
    parse_decapsulation_key: ParseDecapsulationKey => Result<(), Error>;
    parse_compact_key: ParseCompactKey => Result<(), Error>;
    check_encapsulation_key: CheckEncapsulationKey => Result<(), Error>;
    prepare: Prepare => ();
    prepare_decapsulation_key: PrepareDecapsulationKey => ();
    encode_secret: EncodeSecret => ();
    encapsulate: Encapsulate => ();
    encapsulate_prepared: EncapsulatePrepared => ();
    decapsulate: Decapsulate => SharedSecret;
    decapsulate_compact: DecapsulateCompact => SharedSecret;
    decapsulate_expanded: DecapsulateExpanded => Result<SharedSecret, Error>;
    key_gen_group: KeyGenGroup => ();
    shared_matrix_group: SharedMatrixGroup => ();
    encapsulate_group: EncapsulateGroup => ();
    encapsulate_prepared_group: EncapsulatePreparedGroup => ();
    decapsulate_group: DecapsulateGroup => ();
    #[cfg(feature = "one-time")]
    one_time_key_gen: OneTimeKeyGen => ();
    #[cfg(feature = "one-time")]
    one_time_key_gen_group: OneTimeKeyGenGroup => ();
    #[cfg(feature = "one-time")]
    encapsulate_th: EncapsulateTh => SharedSecret;
    #[cfg(feature = "one-time")]
    encapsulate_tch: EncapsulateTch => SharedSecret;
    #[cfg(feature = "one-time")]
    decapsulate_th: DecapsulateTh => SharedSecret;
    #[cfg(feature = "one-time")]
    decapsulate_tch: DecapsulateTch => Result<SharedSecret, Error>;
}
