//! ML-KEM's internal operations (FIPS 203 §6) and the input checks that go with them (§7), each as an
//! [`Operation`] that `dispatch.rs` runs on a backend.

use crate::backend::Backend;
use crate::ct;
use crate::dispatch::Operation;
use crate::dk::{CompactDecapsulationKey, DecapsulationKey};
use crate::error::Error;
use crate::jobs::{self, Check, Noise, Reencryption};
use crate::key::{Ciphertext, Encapsulated, EncapsulationKey, PreparedEncapsulationKey};
use crate::kpke::{self, EncryptionKey};
use crate::params::{Array, MAX_DU, POLY_BYTES, ParameterSet};
use crate::plans::Plans;
use crate::poly::{NttPoly, Poly};
use crate::secret::{Seed, SharedSecret, StoredSeed, wipe};
use crate::sponge::{self, Message};
use crate::stream;
use zeroize::{Zeroize, Zeroizing};

/// ML-KEM.KeyGen_internal (Algorithm 16), from the seed in `key`.
pub struct KeyGen<'a, P: ParameterSet>(pub(crate) &'a mut DecapsulationKey<P>);

impl<P: ParameterSet> Operation for KeyGen<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let key = self.0;
        let [rho, sigma] = &*expand_seed::<P, B>(b, &key.seed, &mut key.z);
        let plan = const { &Plans::<P, B>::KEYGEN };
        key.h = *kpke::key_gen(b, plan, rho, sigma, &mut key.pke, &mut key.s_hat, &mut key.ek.0);
    }
}

/// z, and (ρ, σ) ← G(d ‖ k), of the seed that a key to be generated has.
#[inline(always)]
fn expand_seed<P: ParameterSet, B: Backend>(
    b: B,
    seed: &StoredSeed,
    z: &mut [u8; 32],
) -> Zeroizing<[[u8; 32]; 2]> {
    let seed = seed.as_ref().expect("a key with a seed");
    *z = *seed.z();
    let expanded = sponge::g(b, [seed.d(), &[P::K as u8]]);
    ct::declassify(&expanded[0]);
    expanded
}

/// ML-KEM.KeyGen_internal for the form without a matrix.
pub struct CompactKeyGen<'a, P: ParameterSet>(pub(crate) &'a mut CompactDecapsulationKey<P>);

impl<P: ParameterSet> Operation for CompactKeyGen<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let key = self.0;
        let [rho, sigma] = &*expand_seed::<P, B>(b, &key.seed, &mut key.z);
        if stream::serves::<B>() {
            stream::key_gen::<P, B>(b, rho, sigma, key.s_bytes.as_mut(), &mut key.ek.0);
            key.h = *Message::h(key.ek.as_bytes()).digest(b);
            return;
        }
        let mut pke = EncryptionKey::<P>::zeroed();
        let mut s_hat = Zeroizing::new(P::Vector::filled(NttPoly::ZERO));
        let plan = const { &Plans::<P, B>::KEYGEN };
        key.h = *kpke::key_gen(b, plan, rho, sigma, &mut pke, &mut s_hat, &mut key.ek.0);
        for (bytes, s) in key.s_bytes.as_mut().iter_mut().zip(s_hat.as_ref()) {
            b.encode12(s, bytes);
        }
    }
}

/// The checks of §7.3 on a decapsulation key's bytes and of §7.2 on the encapsulation key in it,
/// filling `key`. H(ek) runs beside the expansion of the matrix.
pub struct ParseDecapsulationKey<'a, P: ParameterSet> {
    /// Of the right length, which the callers check.
    pub(crate) bytes: &'a [u8],
    pub(crate) key: &'a mut DecapsulationKey<P>,
}

impl<P: ParameterSet> Operation for ParseDecapsulationKey<'_, P> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Result<(), Error> {
        let key = self.key;
        let parts = ExpandedKey::split::<P>(self.bytes);
        kpke::decode_vector(b, parts.s, key.s_hat.as_mut());
        // A FIPS 203 decapsulation key's ŝ is reduced; other bytes name the same residues.
        key.s_hat.as_mut().iter_mut().for_each(|s| b.reduce(s));
        key.ek.0.as_mut().copy_from_slice(parts.ek);
        key.h = *parts.h;
        key.z = *parts.z;
        if !kpke::decode_vector(b, &parts.ek[..P::K * POLY_BYTES], key.pke.t_hat.as_mut()) {
            return Err(Error::EncapsulationKeyModulus);
        }
        let h = jobs::expand_matrix::<P, B>(b, &key.ek.0, &mut key.pke.matrix, true);
        if *h == *parts.h { Ok(()) } else { Err(Error::DecapsulationKeyHash) }
    }
}

/// The same checks, without the matrix.
pub struct ParseCompactKey<'a, P: ParameterSet> {
    /// Of the right length, which the callers check.
    pub(crate) bytes: &'a [u8],
    pub(crate) key: &'a mut CompactDecapsulationKey<P>,
}

impl<P: ParameterSet> Operation for ParseCompactKey<'_, P> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Result<(), Error> {
        let key = self.key;
        let parts = ExpandedKey::split::<P>(self.bytes);
        let mut s = Zeroizing::new(NttPoly::ZERO);
        for (out, bytes) in key.s_bytes.as_mut().iter_mut().zip(parts.s.as_chunks().0) {
            b.decode12(bytes, &mut s);
            b.reduce(&mut s);
            b.encode12(&s, out);
        }
        key.ek.0.as_mut().copy_from_slice(parts.ek);
        key.h = *parts.h;
        key.z = *parts.z;
        CheckEncapsulationKey::<P>(&key.ek.0).run(b)?;
        let h = Message::h(parts.ek).digest(b);
        if *h == *parts.h { Ok(()) } else { Err(Error::DecapsulationKeyHash) }
    }
}

/// The parts of an expanded decapsulation key: dk_PKE ‖ ek ‖ H(ek) ‖ z.
struct ExpandedKey<'a> {
    s: &'a [u8],
    ek: &'a [u8],
    h: &'a [u8; 32],
    z: &'a [u8; 32],
}

impl<'a> ExpandedKey<'a> {
    #[inline(always)]
    fn split<P: ParameterSet>(bytes: &'a [u8]) -> Self {
        let (s, rest) = bytes.split_at(P::K * POLY_BYTES);
        let (ek, rest) = rest.split_at(P::ENCAPSULATION_KEY_LEN);
        let h = rest.first_chunk().expect("64 bytes are left");
        let z = rest.last_chunk().expect("64 bytes are left");
        Self { s, ek, h, z }
    }
}

/// The modulus check of §7.2.
pub struct CheckEncapsulationKey<'a, P: ParameterSet>(pub(crate) &'a P::EncapsulationKeyBytes);

impl<P: ParameterSet> Operation for CheckEncapsulationKey<'_, P> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Result<(), Error> {
        let mut t_hat = NttPoly::ZERO;
        let mut reduced = true;
        for bytes in &self.0.as_ref().as_chunks::<POLY_BYTES>().0[..P::K] {
            reduced &= b.decode12(bytes, &mut t_hat);
        }
        if reduced { Ok(()) } else { Err(Error::EncapsulationKeyModulus) }
    }
}

/// Expands an encapsulation key, with H(ek) beside the matrix.
pub struct Prepare<'a, P: ParameterSet>(pub(crate) &'a mut PreparedEncapsulationKey<P>);

impl<P: ParameterSet> Operation for Prepare<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let key = self.0;
        kpke::decode_vector(b, key.ek.0.as_ref(), key.pke.t_hat.as_mut());
        key.h = *jobs::expand_matrix::<P, B>(b, &key.ek.0, &mut key.pke.matrix, true);
    }
}

/// Expands a compact decapsulation key.
pub struct PrepareDecapsulationKey<'a, P: ParameterSet> {
    pub(crate) compact: &'a CompactDecapsulationKey<P>,
    pub(crate) key: &'a mut DecapsulationKey<P>,
}

impl<P: ParameterSet> Operation for PrepareDecapsulationKey<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let (compact, key) = (self.compact, self.key);
        key.seed = StoredSeed::new(compact.seed.as_ref().map(|s| Seed::from_bytes(s.as_bytes())));
        key.ek = compact.ek.clone();
        key.h = compact.h;
        key.z = compact.z;
        kpke::decode_vector(b, compact.s_bytes.as_ref().as_flattened(), key.s_hat.as_mut());
        key.s_hat.as_mut().iter_mut().for_each(|s| b.reduce(s));
        kpke::decode_vector(b, key.ek.0.as_ref(), key.pke.t_hat.as_mut());
        jobs::expand_matrix::<P, B>(b, &key.ek.0, &mut key.pke.matrix, false);
    }
}

/// Encodes ŝ of a prepared key.
pub struct EncodeSecret<'a, P: ParameterSet> {
    pub(crate) key: &'a DecapsulationKey<P>,
    pub(crate) out: &'a mut [[u8; POLY_BYTES]],
}

impl<P: ParameterSet> Operation for EncodeSecret<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        for (bytes, s) in self.out.iter_mut().zip(self.key.s_hat.as_ref()) {
            b.encode12(s, bytes);
        }
    }
}

/// ML-KEM.Encaps_internal (Algorithm 17) with the key's bytes.
pub struct Encapsulate<'a, P: ParameterSet> {
    pub(crate) ek: &'a EncapsulationKey<P>,
    pub(crate) m: &'a [u8; 32],
    pub(crate) out: &'a mut Encapsulated<P>,
}

impl<P: ParameterSet> Operation for Encapsulate<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        let Self { ek, m, out: (c, secret) } = self;
        if stream::serves::<B>() {
            // Step 1: (K, r) ← G(m ‖ H(ek))
            let [k, r] = &*sponge::g(b, [m, &*Message::h(ek.as_bytes()).digest(b)]);
            secret.0 = *k;
            // Step 2: c ← K-PKE.Encrypt(ek, m, r)
            let c: &mut [u8] = c.0.as_mut();
            stream::encrypt::<P, B>(b, ek.as_bytes(), m, r, |at, d, f| {
                b.compress(d, f, &mut c[at..at + 32 * d]);
            });
            return;
        }
        let mut pke = EncryptionKey::<P>::zeroed();
        kpke::decode_vector(b, ek.as_bytes(), pke.t_hat.as_mut());
        let h = jobs::expand_matrix::<P, B>(b, &ek.0, &mut pke.matrix, true);
        encapsulate(b, &pke, &h, m, self.out);
    }
}

/// ML-KEM.Encaps_internal with Â and H(ek) at hand.
pub struct EncapsulatePrepared<'a, P: ParameterSet> {
    pub(crate) key: &'a PreparedEncapsulationKey<P>,
    pub(crate) m: &'a [u8; 32],
    pub(crate) out: &'a mut Encapsulated<P>,
}

impl<P: ParameterSet> Operation for EncapsulatePrepared<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run<B: Backend>(self, b: B) {
        encapsulate(b, &self.key.pke, &self.key.h, self.m, self.out);
    }
}

#[inline(always)]
fn encapsulate<P: ParameterSet, B: Backend>(
    b: B,
    pke: &EncryptionKey<P>,
    h: &[u8; 32],
    m: &[u8; 32],
    (c, secret): &mut Encapsulated<P>,
) {
    // Step 1: (K, r) ← G(m ‖ H(ek))
    let [k, r] = &*sponge::g(b, [m, h]);
    secret.0 = *k;
    let mut noise = Noise::<P>::new();
    jobs::sample_noise(b, r, &mut noise);
    // Step 2: c ← K-PKE.Encrypt(ek, m, r)
    kpke::encrypt(b, &pke.matrix, &pke.t_hat, m, &noise, &mut c.0);
}

/// ML-KEM.Decaps_internal (Algorithm 18) with Â at hand.
pub struct Decapsulate<'a, P: ParameterSet> {
    pub(crate) key: &'a DecapsulationKey<P>,
    pub(crate) c: &'a Ciphertext<P>,
}

impl<P: ParameterSet> Operation for Decapsulate<'_, P> {
    type Output = SharedSecret;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> SharedSecret {
        let (key, c) = (self.key, &self.c.0);
        // Step 5: m′ ← K-PKE.Decrypt(dk, c)
        let m = kpke::decrypt::<P, B>(b, &key.s_hat, c.as_ref());
        // Steps 6–7: (K′, r′) ← G(m′ ‖ h), K̄ ← J(z ‖ c)
        let mut noise = Noise::<P>::new();
        let j = Message::j(&key.z, c.as_ref());
        let input = Reencryption { m: &m, h: &key.h, j, matrix: None, check: None };
        let [k, rejected] = jobs::sample_reencryption(b, input, &mut noise);
        reencrypt(b, &key.pke, &m, &noise, c, &k, &rejected)
    }
}

/// ML-KEM.Decaps_internal, expanding Â beside J(z ‖ c).
pub struct DecapsulateCompact<'a, P: ParameterSet> {
    pub(crate) key: &'a CompactDecapsulationKey<P>,
    pub(crate) c: &'a Ciphertext<P>,
}

impl<P: ParameterSet> Operation for DecapsulateCompact<'_, P> {
    type Output = SharedSecret;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> SharedSecret {
        let key = self.key;
        let (s, ek) = (key.s_bytes.as_ref().as_flattened(), key.ek.0.as_ref());
        let parts = ExpandedKey { s, ek, h: &key.h, z: &key.z };
        // It was checked when the key was made.
        let (secret, _reduced) = decapsulate_expanded(b, &parts, self.c, None);
        secret
    }
}

/// ML-KEM.Decaps_internal with the bytes of an expanded key and the checks of §7.3 and §7.2 on it.
pub struct DecapsulateExpanded<'a, P: ParameterSet> {
    /// Of the right length.
    pub(crate) bytes: &'a [u8],
    pub(crate) c: &'a Ciphertext<P>,
}

impl<P: ParameterSet> Operation for DecapsulateExpanded<'_, P> {
    type Output = Result<SharedSecret, Error>;

    #[inline(always)]
    fn run<B: Backend>(self, b: B) -> Result<SharedSecret, Error> {
        let parts = ExpandedKey::split::<P>(self.bytes);
        let mut hash = [0; 32];
        let check = Check { message: Message::h(parts.ek), hash: &mut hash };
        let (secret, reduced) = decapsulate_expanded(b, &parts, self.c, Some(check));
        if !reduced {
            return Err(Error::EncapsulationKeyModulus);
        }
        if hash == *parts.h { Ok(secret) } else { Err(Error::DecapsulationKeyHash) }
    }
}

/// ML-KEM.Decaps_internal, expanding Â beside J(z ‖ c) and a check. Also says whether all coefficients
/// of t̂ are below q.
#[inline(always)]
fn decapsulate_expanded<P: ParameterSet, B: Backend>(
    b: B,
    key: &ExpandedKey<'_>,
    c: &Ciphertext<P>,
    check: Option<Check<'_>>,
) -> (SharedSecret, bool) {
    let c = &c.0;
    let j = Message::j(key.z, c.as_ref());
    if stream::serves::<B>() {
        if let Some(Check { message, hash }) = check {
            *hash = *message.digest(b);
        }
        let m = stream::decrypt::<P, B>(b, key.s, c);
        let [k, r] = &*sponge::g(b, [&*m, key.h]);
        let rejected = j.digest(b);
        let mut comparison = Comparison::new(c.as_ref());
        let reduced = stream::encrypt::<P, B>(b, key.ek, &m, r, |at, d, f| {
            comparison.piece(b, at, d, f);
        });
        return (comparison.select(k, &rejected), reduced);
    }
    let m = {
        let mut s_hat = Zeroizing::new(P::Vector::filled(NttPoly::ZERO));
        kpke::decode_vector(b, key.s, s_hat.as_mut());
        kpke::decrypt::<P, B>(b, &s_hat, c.as_ref())
    };
    let mut pke = EncryptionKey::<P>::zeroed();
    let reduced = kpke::decode_vector(b, key.ek, pke.t_hat.as_mut());
    let rho = key.ek.last_chunk().expect("32 bytes of ρ");
    let mut noise = Noise::<P>::new();
    let matrix = Some((rho, &mut pke.matrix));
    let input = Reencryption { m: &m, h: key.h, j, matrix, check };
    let [k, rejected] = jobs::sample_reencryption(b, input, &mut noise);
    (reencrypt(b, &pke, &m, &noise, c, &k, &rejected), reduced)
}

/// Steps 8–12 of Algorithm 18: K′ if re-encryption gives the same ciphertext, K̄ otherwise.
#[inline(always)]
pub(crate) fn reencrypt<P: ParameterSet, B: Backend>(
    b: B,
    pke: &EncryptionKey<P>,
    m: &[u8; 32],
    noise: &Noise<P>,
    c: &P::CiphertextBytes,
    k: &[u8; 32],
    rejected: &[u8; 32],
) -> SharedSecret {
    let mut comparison = Comparison::new(c.as_ref());
    kpke::encrypt_pieces(b, &pke.matrix, &pke.t_hat, m, noise, |at, d, f| {
        comparison.piece(b, at, d, f);
    });
    comparison.select(k, rejected)
}

/// The comparison of c′ with c, piece by piece: c′ takes no memory.
struct Comparison<'a> {
    c: &'a [u8],
    c_prime: Zeroizing<[u8; 32 * MAX_DU]>,
    difference: u64,
}

impl<'a> Comparison<'a> {
    #[inline(always)]
    fn new(c: &'a [u8]) -> Self {
        Self { c, c_prime: Zeroizing::new([0; 32 * MAX_DU]), difference: 0 }
    }

    #[inline(always)]
    fn piece<B: Backend>(&mut self, b: B, at: usize, d: usize, f: &Poly) {
        let c_prime = &mut self.c_prime[..32 * d];
        b.compress(d, f, c_prime);
        self.difference |= ct::difference(c_prime, &self.c[at..at + 32 * d]);
    }

    /// K′ if there was no difference, K̄ otherwise.
    #[inline(always)]
    fn select(&self, k: &[u8; 32], rejected: &[u8; 32]) -> SharedSecret {
        let mut out = SharedSecret([0; 32]);
        ct::select(ct::zero_mask(self.difference), k, rejected, &mut out.0);
        out
    }
}

impl<P: ParameterSet> Drop for DecapsulationKey<P> {
    fn drop(&mut self) {
        self.s_hat.zeroize();
        self.z.zeroize();
    }
}

impl<P: ParameterSet> Drop for CompactDecapsulationKey<P> {
    fn drop(&mut self) {
        wipe(self.s_bytes.as_mut().as_flattened_mut());
        self.z.zeroize();
    }
}
