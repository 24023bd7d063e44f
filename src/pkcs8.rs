//! Private and public keys in DER, and with the feature `pem` in PEM (RFC 9935).
//!
//! The traits are those of the crate `pkcs8`. A private key may come as seed, as expanded key or as
//! both, which must then belong together; it is written as seed. DER is strict, and the algorithm's
//! parameters must be absent.
//!
//! ```
//! use lanekem::mlkem768::{DecapsulationKey, EncapsulationKey};
//! use lanekem::pkcs8::{DecodePublicKey, EncodePrivateKey, EncodePublicKey};
//! let mut rng = rand_core::UnwrapErr(getrandom::SysRng);
//!
//! let dk = DecapsulationKey::generate(&mut rng);
//! let private = dk.to_pkcs8_der()?;
//! let public = dk.encapsulation_key().to_public_key_der()?;
//!
//! let dk = DecapsulationKey::from_pkcs8(private.as_bytes())?;
//! let ek = EncapsulationKey::from_public_key_der(public.as_bytes())?;
//! assert_eq!(dk.encapsulation_key(), &ek);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! [`DecodePrivateKey::from_pkcs8_der`] and [`DecodePublicKey::from_public_key_der`] fail with the
//! errors of `pkcs8` and `spki`, in which a key that fails a check is no more than malformed. The
//! keys' own `from_pkcs8` and `from_spki` say which check it was.
#![forbid(unsafe_code)]

use crate::params::{MlKem512, MlKem768, MlKem1024, ParameterSet};
use crate::{CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, Seed, ct};
use ::pkcs8::der::asn1::{AnyRef, BitStringRef, ContextSpecific, OctetStringRef};
use ::pkcs8::der::{self, Reader, SliceReader, Tag, TagNumber};
use ::pkcs8::spki::{self, AlgorithmIdentifier, AssociatedAlgorithmIdentifier};
use ::pkcs8::{
    AlgorithmIdentifierRef, AssociatedOid, KeyError, ObjectIdentifier, PrivateKeyInfoRef,
    SubjectPublicKeyInfoRef,
};
use core::fmt;
use zeroize::Zeroizing;

#[cfg(feature = "pem")]
pub use ::pkcs8::LineEnding;
pub use ::pkcs8::{
    DecodePrivateKey, DecodePublicKey, Document, EncodePrivateKey, EncodePublicKey, Error,
    SecretDocument,
};

/// Why bytes are not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// They are not the DER of a key of this parameter set.
    Format(Error),
    /// The key in them fails a check of ML-KEM, or its seed and expanded key do not belong together.
    Key(crate::Error),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(error) => error.fmt(f),
            Self::Key(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for DecodeError {}

impl From<Error> for DecodeError {
    fn from(error: Error) -> Self {
        Self::Format(error)
    }
}

impl From<spki::Error> for DecodeError {
    fn from(error: spki::Error) -> Self {
        Self::Format(error.into())
    }
}

impl From<der::Error> for DecodeError {
    fn from(error: der::Error) -> Self {
        Self::Format(error.into())
    }
}

impl From<crate::Error> for DecodeError {
    fn from(error: crate::Error) -> Self {
        Self::Key(error)
    }
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        match error {
            DecodeError::Format(error) => error,
            DecodeError::Key(_) => KeyError::Invalid.into(),
        }
    }
}

impl From<DecodeError> for spki::Error {
    fn from(error: DecodeError) -> Self {
        Error::from(error).into()
    }
}

const fn algorithm<P: ParameterSet>() -> AlgorithmIdentifier<AnyRef<'static>> {
    AlgorithmIdentifier { oid: ObjectIdentifier::new_unwrap(P::OID), parameters: None }
}

/// RFC 9935 §3: the parameter set's identifier, and no parameters.
fn check_algorithm<P: ParameterSet>(found: &AlgorithmIdentifierRef<'_>) -> Result<(), Error> {
    found.assert_algorithm_oid(algorithm::<P>().oid)?;
    if found.parameters.is_some() {
        return Err(Error::ParametersMalformed);
    }
    Ok(())
}

/// ML-KEM-…-PrivateKey (RFC 9935 §6).
enum PrivateKey<'a> {
    Seed(Seed),
    Expanded(&'a [u8]),
    Both(Seed, &'a [u8]),
}

impl<'a> PrivateKey<'a> {
    fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        const SEED: TagNumber = TagNumber(0);
        let mut reader = SliceReader::new(bytes)?;
        let tag = Tag::peek(&reader)?;
        let key = match tag {
            Tag::OctetString => Self::Expanded(reader.decode::<&OctetStringRef>()?.as_bytes()),
            Tag::Sequence => {
                let (seed, expanded) = reader.sequence(|reader| {
                    Ok::<_, der::Error>((
                        reader.decode::<&OctetStringRef>()?,
                        reader.decode::<&OctetStringRef>()?,
                    ))
                })?;
                Self::Both(seed.as_bytes().try_into()?, expanded.as_bytes())
            }
            _ => {
                let seed = ContextSpecific::<&OctetStringRef>::decode_implicit(&mut reader, SEED)?
                    .ok_or_else(|| der::Error::from(tag.unexpected_error(None)))?;
                Self::Seed(seed.value.as_bytes().try_into()?)
            }
        };
        reader.finish()?;
        Ok(key)
    }
}

/// OneAsymmetricKey (RFC 5958) around the private key's seed form.
fn encode_seed<P: ParameterSet>(seed: Option<&Seed>) -> Result<SecretDocument, Error> {
    let seed = seed.ok_or(KeyError::Invalid)?;
    // [0] IMPLICIT OCTET STRING
    let mut inner = Zeroizing::new([0; 2 + Seed::LEN]);
    inner[..2].copy_from_slice(&[0x80, 64]);
    inner[2..].copy_from_slice(seed.as_bytes());
    let info = PrivateKeyInfoRef::new(algorithm::<P>(), OctetStringRef::new(&*inner)?);
    SecretDocument::try_from(info)
}

macro_rules! private_key {
    ($key:ident) => {
        impl<P: ParameterSet> $key<P> {
            /// Reads a private key in DER, as [`DecodePrivateKey::from_pkcs8_der`] does, with an error
            /// that says which check it failed.
            ///
            /// # Errors
            /// [`DecodeError::Format`]; [`DecodeError::Key`] with
            /// [`SeedLength`](crate::Error::SeedLength),
            /// [`SeedMismatch`](crate::Error::SeedMismatch) or an error of
            /// [`from_expanded_bytes`](Self::from_expanded_bytes).
            pub fn from_pkcs8(der: &[u8]) -> Result<Self, DecodeError> {
                Self::from_info(&PrivateKeyInfoRef::try_from(der)?)
            }

            fn from_info(info: &PrivateKeyInfoRef<'_>) -> Result<Self, DecodeError> {
                check_algorithm::<P>(&info.algorithm)?;
                let key = match PrivateKey::decode(info.private_key.as_bytes())? {
                    PrivateKey::Seed(seed) => Self::from_seed(&seed),
                    PrivateKey::Expanded(bytes) => Self::from_expanded_bytes(bytes)?,
                    PrivateKey::Both(seed, bytes) => {
                        if bytes.len() != P::EXPANDED_KEY_LEN {
                            return Err(crate::Error::DecapsulationKeyLength.into());
                        }
                        let key = Self::from_seed(&seed);
                        let expanded = key.to_expanded_bytes();
                        if ct::equal_mask((*expanded).as_ref(), bytes) == 0 {
                            return Err(crate::Error::SeedMismatch.into());
                        }
                        key
                    }
                };
                // RFC 5958's optional public key.
                if let Some(public) = &info.public_key
                    && public.as_bytes() != Some(key.encapsulation_key().as_bytes())
                {
                    return Err(Error::from(KeyError::Invalid).into());
                }
                Ok(key)
            }
        }

        impl<P: ParameterSet> TryFrom<PrivateKeyInfoRef<'_>> for $key<P> {
            type Error = Error;

            fn try_from(info: PrivateKeyInfoRef<'_>) -> Result<Self, Error> {
                Ok(Self::from_info(&info)?)
            }
        }

        /// Writes the seed. A key that was imported without one ([`seed`](Self::seed) is `None`) is
        /// refused with [`KeyError::Invalid`]; nothing else fails.
        impl<P: ParameterSet> EncodePrivateKey for $key<P> {
            fn to_pkcs8_der(&self) -> Result<SecretDocument, Error> {
                encode_seed::<P>(self.seed())
            }
        }

        impl<P: ParameterSet> AssociatedAlgorithmIdentifier for $key<P> {
            type Params = AnyRef<'static>;
            const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<Self::Params> = algorithm::<P>();
        }
    };
}

private_key!(DecapsulationKey);
private_key!(CompactDecapsulationKey);

impl<P: ParameterSet> EncapsulationKey<P> {
    /// Reads a public key in DER, as [`DecodePublicKey::from_public_key_der`] does, with an error that
    /// says which check it failed.
    ///
    /// # Errors
    /// [`DecodeError::Format`]; [`DecodeError::Key`] with an error of
    /// [`from_bytes`](Self::from_bytes).
    pub fn from_spki(der: &[u8]) -> Result<Self, DecodeError> {
        Self::from_info(&SubjectPublicKeyInfoRef::try_from(der)?)
    }

    fn from_info(info: &SubjectPublicKeyInfoRef<'_>) -> Result<Self, DecodeError> {
        check_algorithm::<P>(&info.algorithm)?;
        let bytes = info.subject_public_key.as_bytes().ok_or(spki::Error::KeyMalformed)?;
        Ok(Self::from_bytes(bytes)?)
    }
}

impl<P: ParameterSet> TryFrom<SubjectPublicKeyInfoRef<'_>> for EncapsulationKey<P> {
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> Result<Self, spki::Error> {
        Ok(Self::from_info(&info)?)
    }
}

impl<P: ParameterSet> EncodePublicKey for EncapsulationKey<P> {
    fn to_public_key_der(&self) -> Result<Document, spki::Error> {
        let subject_public_key = BitStringRef::from_bytes(self.as_bytes())?;
        SubjectPublicKeyInfoRef { algorithm: algorithm::<P>(), subject_public_key }.try_into()
    }
}

impl<P: ParameterSet> AssociatedAlgorithmIdentifier for EncapsulationKey<P> {
    type Params = AnyRef<'static>;
    const ALGORITHM_IDENTIFIER: AlgorithmIdentifier<Self::Params> = algorithm::<P>();
}

macro_rules! associated_oid {
    ($($set:ident)*) => {$(
        impl AssociatedOid for $set {
            const OID: ObjectIdentifier = algorithm::<Self>().oid;
        }
    )*};
}
associated_oid!(MlKem512 MlKem768 MlKem1024);
