//! All of NIST's vectors, through the forms for small devices and the ordinary ones.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use cortex_m_semihosting::hprintln;
use lanekem::{
    Ciphertext, CompactDecapsulationKey, DecapsulationKey, EncapsulationKey, Error, MlKem512,
    MlKem768, MlKem1024, ParameterSet, Seed,
};
use lanekem_mcu::board::{exit, panicked};

/// See `build.rs`.
static VECTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/acvp.bin"));

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    panicked(info)
}

struct Reader(&'static [u8]);

impl Reader {
    fn take(&mut self, len: usize) -> &'static [u8] {
        let (taken, rest) = self.0.split_at(len);
        self.0 = rest;
        taken
    }

    fn field(&mut self) -> &'static [u8] {
        let [low, high] = self.take(2) else { unreachable!("two bytes") };
        self.take(usize::from(u16::from_le_bytes([*low, *high])))
    }

    fn array<const LEN: usize>(&mut self) -> &'static [u8; LEN] {
        self.field().try_into().expect("a field of this length")
    }
}

/// Key generation, encapsulation, decapsulation, checks of keys.
type Counts = [usize; 4];

fn test<P: ParameterSet>(function: u8, passes: bool, vectors: &mut Reader, counts: &mut Counts) {
    match function {
        b'k' => {
            let mut seed = [0; 64];
            seed[..32].copy_from_slice(vectors.field());
            seed[32..].copy_from_slice(vectors.field());
            let (ek, dk) = (vectors.field(), vectors.field());
            let seed = Seed::from_bytes(&seed);
            let key = CompactDecapsulationKey::<P>::from_seed(&seed);
            assert!(key.encapsulation_key().as_bytes() == ek);
            assert!((*key.to_expanded_bytes()).as_ref() == dk);
            let key = DecapsulationKey::<P>::from_seed(&seed);
            assert!(key.encapsulation_key().as_bytes() == ek);
            assert!((*key.to_expanded_bytes()).as_ref() == dk);
            counts[0] += 1;
        }
        b'e' => {
            let (ek, m) = (vectors.field(), vectors.array());
            let (c, k) = (vectors.field(), vectors.field());
            let ek = EncapsulationKey::<P>::from_bytes(ek).expect("a good key");
            let (ct, secret) = ek.encapsulate_with(m);
            assert!(ct.as_bytes() == c && secret.as_bytes() == k);
            let (ct, secret) = ek.prepare().encapsulate_with(m);
            assert!(ct.as_bytes() == c && secret.as_bytes() == k);
            counts[1] += 1;
        }
        b'd' => {
            let (dk, c, k) = (vectors.field(), vectors.field(), vectors.field());
            let ct = Ciphertext::<P>::from_bytes(c).expect("the length");
            let key = CompactDecapsulationKey::<P>::from_expanded_bytes(dk).expect("a good key");
            assert!(key.decapsulate(&ct).as_bytes() == k);
            assert!(key.prepare().decapsulate(&ct).as_bytes() == k);
            let at_once = DecapsulationKey::<P>::decapsulate_from_expanded_bytes(dk, &ct);
            assert!(at_once.expect("a good key").as_bytes() == k);
            counts[2] += 1;
        }
        b'p' => {
            let result = EncapsulationKey::<P>::from_bytes(vectors.field()).map(|_| ());
            assert!(result == if passes { Ok(()) } else { Err(Error::EncapsulationKeyModulus) });
            counts[3] += 1;
        }
        _ => {
            let dk = vectors.field();
            let expected = if passes { Ok(()) } else { Err(Error::DecapsulationKeyHash) };
            assert!(CompactDecapsulationKey::<P>::from_expanded_bytes(dk).map(|_| ()) == expected);
            assert!(DecapsulationKey::<P>::from_expanded_bytes(dk).map(|_| ()) == expected);
            counts[3] += 1;
        }
    }
}

#[cortex_m_rt::entry]
fn main() -> ! {
    let mut vectors = Reader(VECTORS);
    let mut counts = [[0; 4]; 3];
    while !vectors.0.is_empty() {
        let &[k, function, passes] = vectors.take(3) else { unreachable!("three bytes") };
        let counts = &mut counts[usize::from(k) - 2];
        let run = match k {
            2 => test::<MlKem512>,
            3 => test::<MlKem768>,
            _ => test::<MlKem1024>,
        };
        run(function, passes != 0, &mut vectors, counts);
    }
    for (set, [keygen, encaps, decaps, keycheck]) in [512, 768, 1024].iter().zip(counts) {
        hprintln!(
            "acvp set={} keygen={} encaps={} decaps={} keycheck={}",
            set,
            keygen,
            encaps,
            decaps,
            keycheck
        );
    }
    exit(counts == [[25, 25, 10, 20]; 3])
}
