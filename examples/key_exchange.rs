//! Two parties agree on a secret over bytes, as in a TLS handshake; what goes wrong on the way is an
//! error of the party that sees it.
//!
//! `cargo run --release --example key_exchange`

use getrandom::SysRng;
use lanekem::mlkem768::{Ciphertext, DecapsulationKey, EncapsulationKey, SharedSecret};
use std::fmt;

/// Why a handshake fails.
#[derive(Debug)]
enum Failure {
    /// The peer's message is not what it must be.
    Peer(lanekem::Error),
    /// The operating system gave no random numbers.
    Random(getrandom::Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(error) => write!(f, "the peer's message: {error}"),
            Self::Random(error) => write!(f, "the system's random numbers: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

/// The party that opens the connection, while it waits for the answer. It keeps the key for this one
/// handshake only; dropping it wipes it.
struct Client(DecapsulationKey);

impl Client {
    /// A fresh key pair, and the first message: the encapsulation key.
    fn hello() -> Result<(Self, Vec<u8>), Failure> {
        let dk = DecapsulationKey::try_generate(&mut SysRng).map_err(Failure::Random)?;
        let message = dk.encapsulation_key().as_bytes().to_vec();
        Ok((Self(dk), message))
    }

    /// The secret out of the server's answer. A ciphertext of the right length is never an error: a
    /// forged one gives a secret that nobody else knows, and the first record fails to decrypt.
    fn finish(self, answer: &[u8]) -> Result<SharedSecret, Failure> {
        let ciphertext = Ciphertext::from_bytes(answer).map_err(Failure::Peer)?;
        Ok(self.0.decapsulate(&ciphertext))
    }
}

/// The party that is called: the secret, and the second message, a ciphertext.
fn server(hello: &[u8]) -> Result<(SharedSecret, Vec<u8>), Failure> {
    // The input check of FIPS 203 §7.2 is here; from now on nothing can fail but the RNG.
    let ek = EncapsulationKey::from_bytes(hello).map_err(Failure::Peer)?;
    let (ciphertext, secret) = ek.try_encapsulate(&mut SysRng).map_err(Failure::Random)?;
    Ok((secret, ciphertext.as_bytes().to_vec()))
}

fn main() -> Result<(), Failure> {
    let (client, hello) = Client::hello()?;
    println!("client -> server  {} bytes: encapsulation key", hello.len());
    let (server_secret, answer) = server(&hello)?;
    println!("server -> client  {} bytes: ciphertext", answer.len());
    let client_secret = client.finish(&answer)?;
    println!("same secret: {}", client_secret == server_secret);

    println!("\nA line that loses or changes bytes:");
    let (client, hello) = Client::hello()?;
    report("key cut short", server(&hello[1..]));
    let mut large = hello.clone();
    large[..2].fill(0xff);
    report("coefficient of 4095", server(&large));
    let (server_secret, mut answer) = server(&hello)?;
    answer[0] ^= 1;
    let client_secret = client.finish(&answer)?;
    println!("  flipped bit in the ciphertext: same secret: {}", client_secret == server_secret);
    report("ciphertext cut short", Client::hello()?.0.finish(&answer[1..]));
    Ok(())
}

fn report<T>(what: &str, result: Result<T, Failure>) {
    match result {
        Ok(_) => println!("  {what}: accepted"),
        Err(failure) => println!("  {what}: {failure}"),
    }
}
