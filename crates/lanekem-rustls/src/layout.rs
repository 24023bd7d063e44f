//! How a hybrid puts together the shares and secrets of its halves (RFC 10024). Nothing here knows rustls.
#![forbid(unsafe_code)]

use core::marker::PhantomData;
use lanekem::{MlKem768, MlKem1024, ParameterSet};

/// Code points of "TLS Supported Groups" that hybrids are made of.
pub(crate) const SECP256R1: u16 = 0x0017;
pub(crate) const SECP384R1: u16 = 0x0018;
pub(crate) const X25519: u16 = 0x001d;

/// Private use: T_H and T_CH for k = 2, and for k = 3 and 4 after it; T_H for k = 3 beside X25519.
#[cfg(feature = "one-time")]
pub(crate) const ONE_TIME_TH: u16 = 0xfe00;
#[cfg(feature = "one-time")]
pub(crate) const ONE_TIME_TCH: u16 = 0xfe10;
#[cfg(feature = "one-time")]
const X25519_ONE_TIME_TH: u16 = 0xfeec;

/// The code point of ML-KEM alone: 0x0200, 0x0201 and 0x0202 for k = 2, 3 and 4.
pub(crate) const fn mlkem_code_point<P: ParameterSet>() -> u16 {
    0x0200 + (P::K - 2) as u16
}

/// A hybrid group: its code points and the order and lengths of what is concatenated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout<P: ParameterSet> {
    /// Of the hybrid.
    pub(crate) code_point: u16,
    /// Of its classical half.
    pub(crate) classical: u16,
    /// ML-KEM's share and secret come before the classical ones.
    mlkem_first: bool,
    /// Bytes of the classical half's share, the same on both sides.
    share_len: usize,
    /// Bytes of the classical half's secret.
    secret_len: usize,
    set: PhantomData<P>,
}

impl Layout<MlKem768> {
    /// X25519MLKEM768, 0x11EC. Shares and secret: ML-KEM, then X25519.
    pub const X25519MLKEM768: Self = Self {
        code_point: 0x11ec,
        classical: X25519,
        mlkem_first: true,
        share_len: 32,
        secret_len: 32,
        set: PhantomData,
    };

    /// X25519MLKEM768 with T_H in the place of ML-KEM, which has the same lengths.
    #[cfg(feature = "one-time")]
    pub(crate) const X25519TH768: Self =
        Self { code_point: X25519_ONE_TIME_TH, ..Self::X25519MLKEM768 };

    /// SecP256r1MLKEM768, 0x11EB. Shares and secret: ECDH, then ML-KEM.
    pub const SECP256R1MLKEM768: Self = Self {
        code_point: 0x11eb,
        classical: SECP256R1,
        mlkem_first: false,
        share_len: 65,
        secret_len: 32,
        set: PhantomData,
    };
}

impl Layout<MlKem1024> {
    /// SecP384r1MLKEM1024, 0x11ED. Shares and secret: ECDH, then ML-KEM.
    pub const SECP384R1MLKEM1024: Self = Self {
        code_point: 0x11ed,
        classical: SECP384R1,
        mlkem_first: false,
        share_len: 97,
        secret_len: 48,
        set: PhantomData,
    };
}

/// The two halves of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halves<'a> {
    pub mlkem: &'a [u8],
    pub classical: &'a [u8],
}

impl<P: ParameterSet> Layout<P> {
    /// Splits a client's share; `None` if its length is wrong.
    pub(crate) fn split_client<'a>(&self, share: &'a [u8]) -> Option<Halves<'a>> {
        self.split(share, P::ENCAPSULATION_KEY_LEN)
    }

    /// Splits a server's share; `None` if its length is wrong.
    pub(crate) fn split_server<'a>(&self, share: &'a [u8]) -> Option<Halves<'a>> {
        self.split(share, P::CIPHERTEXT_LEN)
    }

    fn split<'a>(&self, share: &'a [u8], mlkem_len: usize) -> Option<Halves<'a>> {
        if share.len() != mlkem_len + self.share_len {
            return None;
        }
        Some(if self.mlkem_first {
            let (mlkem, classical) = share.split_at(mlkem_len);
            Halves { mlkem, classical }
        } else {
            let (classical, mlkem) = share.split_at(self.share_len);
            Halves { mlkem, classical }
        })
    }

    /// Concatenates shares, or secrets, in this group's order. One allocation of the exact length: no
    /// copy of a secret is left behind by a vector that grew.
    pub(crate) fn concat(&self, halves: Halves<'_>) -> Vec<u8> {
        let Halves { mlkem, classical } = halves;
        if self.mlkem_first { [mlkem, classical].concat() } else { [classical, mlkem].concat() }
    }

    /// Whether the classical half's share has the length it has on the wire.
    pub(crate) fn is_classical_share(&self, share: &[u8]) -> bool {
        share.len() == self.share_len
    }

    /// What must be wrong with the classical half's secret, if anything.
    pub(crate) fn check_secret(&self, secret: &[u8]) -> Result<(), BadSecret> {
        if secret.len() != self.secret_len {
            return Err(BadSecret::Length);
        }
        // RFC 7748 §6.1. All bytes are read: only the verdict, which the peer learns anyway, depends on them.
        if self.classical == X25519 && secret.iter().fold(0, |all, byte| all | byte) == 0 {
            return Err(BadSecret::AllZero);
        }
        Ok(())
    }
}

/// Why a classical secret is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadSecret {
    /// The provider gave a secret of another length than the group's.
    Length,
    /// The peer's X25519 share has small order.
    AllZero,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 10024: lengths of both shares, and which half comes first.
    fn check<P: ParameterSet>(
        layout: Layout<P>,
        client: usize,
        server: usize,
        mlkem_at: [usize; 2],
    ) {
        for (len, mlkem_len, at, split) in [
            (client, P::ENCAPSULATION_KEY_LEN, mlkem_at[0], Layout::split_client as Split<P>),
            (server, P::CIPHERTEXT_LEN, mlkem_at[1], Layout::split_server as Split<P>),
        ] {
            let share: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            let halves = split(&layout, &share).expect("right length");
            assert_eq!(halves.mlkem, &share[at..at + mlkem_len]);
            assert_eq!(halves.mlkem.len() + halves.classical.len(), len);
            assert_eq!(layout.concat(halves), share);
            for wrong in (0..len).chain([len + 1, 2 * len]) {
                assert_eq!(split(&layout, &vec![0; wrong]), None);
            }
        }
    }
    type Split<P> = for<'a> fn(&Layout<P>, &'a [u8]) -> Option<Halves<'a>>;

    #[test]
    fn shares_have_the_lengths_and_order_of_the_rfc() {
        check(Layout::X25519MLKEM768, 1216, 1120, [0, 0]);
        check(Layout::SECP256R1MLKEM768, 1249, 1153, [65, 65]);
        check(Layout::SECP384R1MLKEM1024, 1665, 1665, [97, 97]);
    }

    #[test]
    fn classical_secrets() {
        let (x, p) = (Layout::X25519MLKEM768, Layout::SECP384R1MLKEM1024);
        assert_eq!(x.check_secret(&[0; 32]), Err(BadSecret::AllZero));
        assert_eq!(x.check_secret(&[[0; 31].as_slice(), &[1]].concat()), Ok(()));
        assert_eq!(x.check_secret(&[1; 31]), Err(BadSecret::Length));
        assert_eq!(p.check_secret(&[0; 48]), Ok(()));
        assert_eq!(p.check_secret(&[1; 47]), Err(BadSecret::Length));
    }
}
