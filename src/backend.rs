//! What a backend provides. Each kernel's contract states its coefficients' bounds on entry and exit
//! as multiples of q = 3329; implementations assert them in debug builds.
//!
//! A backend is a zero-sized token. Where its instructions are not part of the compilation target,
//! only detection (`dispatch.rs`) makes one: holding the token proves that the CPU has them.

use crate::dispatch::Operation;
use crate::lanes::Bank;
use crate::poly::{MulCache, NttPoly, Poly};

pub(crate) trait Backend: Copy {
    /// Keccak states that one operation on one key packs its jobs into.
    type Bank: Bank;
    /// Keccak states that a batch runs one key a lane in.
    type Wide: Bank;

    /// Times of a permutation of one state, of a [`Backend::Bank`] and of a [`Backend::Wide`], to
    /// scale.
    const COSTS: [usize; 3];

    /// Runs a whole operation in a function that has this backend's CPU features.
    fn enter<O: Operation>(self, operation: O) -> O::Output;

    /// A bank of zero states.
    fn bank(self) -> Self::Bank;
    /// A wide bank of zero states.
    fn wide(self) -> Self::Wide;

    /// Keccak-f\[1600\] on one state (FIPS 202 §3.3), lane (x, y) at index 5y + x.
    fn permute(self, state: &mut [u64; 25]);

    /// NTT (FIPS 203 Algorithm 9). |f| < q gives |out| < 8q.
    fn ntt(self, f: &Poly, out: &mut NttPoly);

    /// R/128 times the inverse NTT (Algorithm 10 with the factor that a product by [`Backend::dot`]
    /// lacks): the result is the product in R_q. |f| < 9q/2 gives |out| < q.
    fn inv_ntt(self, f: &NttPoly, out: &mut Poly);

    /// The [`MulCache`] of `b`. |b| ≤ 8q gives |cache₂ᵢ| = |b₂ᵢ|, |cache₂ᵢ₊₁| < q.
    fn mul_cache(self, b: &NttPoly, out: &mut MulCache);

    /// R⁻¹·Σ aᵢ∘bᵢ in T_q (Algorithms 11 and 12). `a`, `b` and `cache` (that of `b`) have the same
    /// length, 2 to 4. 0 ≤ a < 4096 and |b| ≤ 8q give |out| < 9q/2.
    fn dot(self, a: &[&NttPoly], b: &[NttPoly], cache: &[MulCache], out: &mut NttPoly);

    /// R·t + e, the last step of t̂ = Â∘ŝ + ê. |t| < 8q and |e| ≤ 8q give 0 ≤ t < q.
    fn scale_add(self, t: &mut NttPoly, e: &NttPoly);

    /// The canonical representative: any input gives 0 ≤ f < q.
    fn reduce(self, f: &mut NttPoly);

    /// ByteEncode₁₂ (Algorithm 5). 0 ≤ f < q.
    fn encode12(self, f: &NttPoly, out: &mut [u8; 384]);

    /// ByteDecode₁₂ (Algorithm 6) without its reduction modulo q: 0 ≤ out < 4096. True if all
    /// coefficients are below q, which is the modulus check of §7.2.
    fn decode12(self, bytes: &[u8; 384], out: &mut NttPoly) -> bool;

    /// ByteEncode_d(Compress_d(f)) for d = 4, 5, 10 or 11 (§4.2.1). |f| < 4q; `out` has 32·d bytes.
    fn compress(self, d: usize, f: &Poly, out: &mut [u8]);

    /// Decompress_d(ByteDecode_d(bytes)) for d = 4, 5, 10 or 11: 0 ≤ out < q.
    fn decompress(self, d: usize, bytes: &[u8], out: &mut Poly);

    /// ByteEncode₁(Compress₁(f)). |f| < 4q.
    fn compress1(self, f: &Poly, out: &mut [u8; 32]);

    /// Decompress₁(ByteDecode₁(m)): coefficients 0 and ⌈q/2⌉.
    fn decompress1(self, m: &[u8; 32], out: &mut Poly);

    /// SamplePolyCBD₂ (Algorithm 8): |out| ≤ 2.
    fn cbd2(self, bytes: &[u8; 128], out: &mut Poly);

    /// SamplePolyCBD₃ (Algorithm 8): |out| ≤ 3.
    fn cbd3(self, bytes: &[u8; 192], out: &mut Poly);
}
