//! The operations of the one-time KEMs, each as an [`Operation`] that `dispatch.rs` runs on a backend.

use crate::backend::Backend;
use crate::ct;
use crate::dispatch::Operation;
use crate::error::Error;
use crate::jobs::{Check, Noise};
use crate::kpke::{self, EncryptionKey, Matrix};
use crate::lanes::RATE;
use crate::params::{Array, ParameterSet};
use crate::plan::Plan;
use crate::plans::Plans;
use crate::poly::{NttPoly, Poly};
use crate::secret::SharedSecret;
use crate::sponge::{self, Jobs, Message};
use zeroize::Zeroizing;

/// What separates the hashes from each other.
type Label = [u8; 8];
const TH_KEY: &Label = b"T_H  key";
const TCH_KEY: &Label = b"T_CH key";
const TCH_TAG: &Label = b"T_CH tag";

/// Bytes of a label and of m.
pub(crate) const PREFIX_LEN: usize = 40;
/// Bytes of T_CH's tag.
pub(crate) const TAG_LEN: usize = 32;

/// label ‖ m
#[inline(always)]
fn prefix(label: &Label, m: &[u8; 32]) -> Zeroizing<[u8; PREFIX_LEN]> {
    let mut out = Zeroizing::new([0; PREFIX_LEN]);
    out[..8].copy_from_slice(label);
    out[8..].copy_from_slice(m);
    out
}

/// Where the parts of a key pair go: the bytes of ek, and ŝ.
pub(crate) struct Parts<'a, P: ParameterSet> {
    pub(crate) ek: &'a mut P::EncapsulationKeyBytes,
    pub(crate) s_hat: &'a mut P::Vector<NttPoly>,
}

/// K-PKE.KeyGen (Algorithm 13) from d.
pub struct KeyGen<'a, P: ParameterSet> {
    pub(crate) d: &'a [u8; 32],
    pub(crate) key: Parts<'a, P>,
}

impl<P: ParameterSet> Operation for KeyGen<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let [rho, sigma] = &*sponge::g(b, [self.d, &[P::K as u8]]);
        ct::declassify(rho);
        let plan = const { &Plans::<P, B>::ONE_TIME_KEYGEN };
        let mut pke = EncryptionKey::<P>::zeroed();
        let Parts { ek, s_hat } = self.key;
        kpke::key_gen(b, plan, rho, sigma, &mut pke, s_hat, ek);
    }
}

/// What encapsulation takes: c ← K-PKE.Encrypt(ek, m, r).
pub struct Input<'a, P: ParameterSet> {
    pub(crate) ek: &'a P::EncapsulationKeyBytes,
    pub(crate) m: &'a [u8; 32],
    pub(crate) r: &'a [u8; 32],
}

/// T_H: K ← H(m ‖ c).
pub struct EncapsulateTh<'a, P: ParameterSet> {
    pub(crate) input: Input<'a, P>,
    pub(crate) c: &'a mut P::CiphertextBytes,
}

impl<P: ParameterSet> Operation for EncapsulateTh<'_, P> {
    type Output = SharedSecret;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> SharedSecret {
        let plan = const { &Plans::<P, B>::ENCRYPT_TH };
        SharedSecret(*encrypt(b, plan, &self.input, TH_KEY, self.c.as_mut(), None))
    }
}

/// T_CH: the tag H′(m, c) follows c; K ← H(m).
pub struct EncapsulateTch<'a, P: ParameterSet> {
    pub(crate) input: Input<'a, P>,
    pub(crate) c: &'a mut P::TaggedCiphertextBytes,
}

impl<P: ParameterSet> Operation for EncapsulateTch<'_, P> {
    type Output = SharedSecret;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> SharedSecret {
        let plan = const { &Plans::<P, B>::ENCRYPT_TCH };
        let (c, tag) = self.c.as_mut().split_at_mut(P::CIPHERTEXT_LEN);
        let mut out = SharedSecret([0; 32]);
        let prefix = prefix(TCH_KEY, self.input.m);
        let key = Check { message: Message::sha3_256([&*prefix, &[]]), hash: &mut out.0 };
        tag.copy_from_slice(&*encrypt(b, plan, &self.input, TCH_TAG, c, Some(key)));
        out
    }
}

/// Writes c and returns the hash of label ‖ m ‖ c, which absorbs each piece of c when it is finished,
/// beside the expansion of the next column of Â.
#[inline(always)]
fn encrypt<P: ParameterSet, B: Backend>(
    b: B,
    plan: &Plan,
    input: &Input<'_, P>,
    label: &Label,
    c: &mut [u8],
    second: Option<Check<'_>>,
) -> Zeroizing<[u8; 32]> {
    let ek = input.ek.as_ref();
    let prefix = prefix(label, input.m);
    let mut jobs = EncryptJobs::<P, B> {
        b,
        matrix: kpke::zero_matrix::<P>(),
        t_hat: P::Vector::filled(NttPoly::ZERO),
        noise: Noise::new(),
        m: input.m,
        prefix: &*prefix,
        c,
        finished: 0,
        second,
    };
    kpke::decode_vector(b, ek, jobs.t_hat.as_mut());
    let rho = ek.last_chunk().expect("32 bytes of ρ");
    sponge::run(b, &mut b.bank(), plan, rho, input.r, &mut jobs)
}

/// Jobs of an encapsulation.
struct EncryptJobs<'a, P: ParameterSet, B> {
    b: B,
    matrix: Matrix<P>,
    t_hat: P::Vector<NttPoly>,
    noise: Noise<P>,
    m: &'a [u8; 32],
    prefix: &'a [u8],
    c: &'a mut [u8],
    /// Pieces of c that are finished: k of u, then v.
    finished: usize,
    second: Option<Check<'a>>,
}

impl<P: ParameterSet, B: Backend> EncryptJobs<'_, P, B> {
    /// Finishes the first `pieces` pieces of c (Algorithm 14, steps 18–23).
    #[inline(always)]
    fn finish(&mut self, pieces: usize) {
        let (b, noise) = (self.b, &self.noise);
        let mut f = Zeroizing::new(Poly::ZERO);
        while self.finished < pieces {
            let i = self.finished;
            let (piece, d) = if i < P::K {
                kpke::encrypt_u(b, i, &kpke::column::<P>(&self.matrix, i), noise, &mut f);
                (&mut self.c[32 * P::DU * i..32 * P::DU * (i + 1)], P::DU)
            } else {
                kpke::encrypt_v(b, &self.t_hat, self.m, noise, &mut f);
                (&mut self.c[32 * P::DU * P::K..], P::DV)
            };
            b.compress(d, &f, piece);
            self.finished += 1;
        }
    }
}

impl<P: ParameterSet, B: Backend> Jobs for EncryptJobs<'_, P, B> {
    #[inline(always)]
    fn hash_block<'b>(&'b mut self, i: usize, block: &'b mut [u8; RATE]) -> &'b [u8; RATE] {
        let bytes = RATE * (i + 1) - PREFIX_LEN;
        self.finish(bytes.div_ceil(32 * P::DU).min(P::K + 1));
        Message::sha3_256([self.prefix, self.c]).block(i, block)
    }

    #[inline(always)]
    fn entry(&mut self, e: usize) -> &mut NttPoly {
        kpke::entry::<P>(&mut self.matrix, e)
    }

    #[inline(always)]
    fn noise(&mut self, n: usize, bytes: &[[u8; RATE]; 2]) {
        self.noise.sample(self.b, n, bytes.as_flattened());
    }

    #[inline(always)]
    fn check_block<'b>(&'b self, i: usize, block: &'b mut [u8; RATE]) -> &'b [u8; RATE] {
        self.second.as_ref().expect("a plan with a second hash").message.block(i, block)
    }

    #[inline(always)]
    fn checked(&mut self, h: &[u8; 32]) {
        *self.second.as_mut().expect("a plan with a second hash").hash = *h;
    }
}

/// T_H: K ← H(m′ ‖ c) with m′ = K-PKE.Decrypt(dk, c).
pub struct DecapsulateTh<'a, P: ParameterSet> {
    pub(crate) s_hat: &'a P::Vector<NttPoly>,
    pub(crate) c: &'a P::CiphertextBytes,
}

impl<P: ParameterSet> Operation for DecapsulateTh<'_, P> {
    type Output = SharedSecret;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> SharedSecret {
        let c = self.c.as_ref();
        let m = kpke::decrypt::<P, B>(b, self.s_hat, c);
        SharedSecret(*Message::sha3_256([&*prefix(TH_KEY, &m), c]).digest(b))
    }
}

/// T_CH: K ← H(m′) if the tag is H′(m′, c).
pub struct DecapsulateTch<'a, P: ParameterSet> {
    pub(crate) s_hat: &'a P::Vector<NttPoly>,
    pub(crate) c: &'a P::TaggedCiphertextBytes,
}

impl<P: ParameterSet> Operation for DecapsulateTch<'_, P> {
    type Output = Result<SharedSecret, Error>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Result<SharedSecret, Error> {
        let (c, tag) = self.c.as_ref().split_at(P::CIPHERTEXT_LEN);
        let m = kpke::decrypt::<P, B>(b, self.s_hat, c);
        let expected = Message::sha3_256([&*prefix(TCH_TAG, &m), c]).digest(b);
        let equal = [ct::equal_mask(&*expected, tag)];
        // Whether the tag is right is what the caller, and so the peer, learns.
        ct::declassify(&equal);
        if equal == [0] {
            return Err(Error::OneTimeTag);
        }
        Ok(SharedSecret(*Message::sha3_256([&*prefix(TCH_KEY, &m), &[]]).digest(b)))
    }
}
