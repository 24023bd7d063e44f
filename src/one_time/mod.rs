//! KEMs for a key pair that decapsulates **once**, such as a TLS 1.3 client's key share. **Not ML-KEM,
//! not FIPS 203**, and not interoperable with either: nobody else implements them, and no standard
//! names them.
//!
//! ML-KEM is secure against any number of chosen ciphertexts (IND-CCA) because decapsulation encrypts
//! again and compares. For a key that sees one ciphertext at most (IND-1-CCA) that can be left out. Two
//! ways to do so, over the K-PKE of FIPS 203 §5, for each of its parameter sets:
//!
//! | | ciphertext | shared secret | a forged ciphertext gives |
//! |---|---|---|---|
//! | [`th`] | c | H(m ‖ c) | another secret |
//! | [`tch`] | c ‖ H′(m, c) | H(m) | an error |
//!
//! with c = K-PKE.Encrypt(ek, m, r) for random m and r, and SHA3-256 with a label for each hash. Key
//! generation is K-PKE.KeyGen: no z, no hash of the key. What remains to hash in decapsulation is the
//! ciphertext.
//!
//! # A key that is used twice is lost
//!
//! Without the re-encryption each decapsulation of a chosen ciphertext answers a question on the secret
//! key: the peer sees whether its guess of the secret was right. About two and a half answers give a
//! coefficient, some 1,400 to 2,500 the whole key (key mismatch attacks, \[5\]). Therefore
//! `decapsulate` consumes the key pair, which has no `Clone` and cannot be stored. What the types cannot
//! prevent: a process that is forked, or a virtual machine that is resumed twice from one snapshot, has
//! its keys twice. Do not use these KEMs for static keys, for anything at rest, or where a standard is
//! asked for.
//!
//! # Sources
//!
//! 1. L. Huguenin-Dumittan, S. Vaudenay: *On IND-qCCA Security in the ROM and Its Applications: CPA
//!    Security Is Sufficient for TLS 1.3*, Eurocrypt 2022. T_CH and T_H; T_H proven in the random oracle
//!    model, T_CH also in the quantum one, there with a longer ciphertext.
//! 2. H. Jiang, Z. Ma, Z. Zhang: *Post-Quantum Security of Key Encapsulation Mechanism against CCA
//!    Attacks with a Single Decapsulation Query*, Asiacrypt 2023. T_H and T_RH in both models, tighter and
//!    without a longer ciphertext.
//! 3. B. Zhou, H. Jiang, Y. Zhao: *CPA-secure KEMs are also sufficient for Post-Quantum TLS 1.3*,
//!    Asiacrypt 2024. The handshake as a whole.
//! 4. J. Zheng et al.: *Faster Post-Quantum TLS 1.3 Based on ML-KEM: Implementation and Assessment*,
//!    arXiv 2404.13544, 2024. Both implemented on ML-KEM, the faster measured in TLS 1.3.
//! 5. Y. Qin, C. Cheng, J. Ding: *An Efficient Key Mismatch Attack on the NIST Second Round Candidate
//!    Kyber*, 2019. 2.4 to 2.7 queries a coefficient.
//!
//! The labels, and the order of what is hashed, are this crate's choice.

pub(crate) mod group;
pub(crate) mod kem;
mod key;
mod plans;
pub mod tch;
pub mod th;
mod transform;

pub use key::{Ciphertext, EncapsulationKey, OneTimeKeyPair};
pub use transform::Transform;
