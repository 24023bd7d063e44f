//! Keys that share a matrix are what the model makes of (ρ, σ), and each is valid by itself.

mod common;

use common::model::keygen_from;
use common::{
    Expanded, FailingRng, RngFailed, ShakeRng, filled, for_each_backend, for_each_set, params,
    slots,
};
use lanekem::{DecapsulationKey, ParameterSet};

const SIZES: [usize; 8] = [0, 1, 3, 4, 7, 8, 9, 33];

fn agrees_with_the_model<P: ParameterSet>() {
    for_each_backend(|backend| {
        let mut count = 0;
        for n in SIZES {
            let mut out = slots(n);
            let mut rng = ShakeRng::new(b"shared");
            DecapsulationKey::<P>::generate_batch_shared_matrix(&mut rng, &mut out).unwrap();
            let keys = filled(out);

            // The same bytes of the stream: σ ‖ z of each key, then ρ.
            let mut rng = ShakeRng::new(b"shared");
            let drawn: Vec<([u8; 32], [u8; 32])> =
                (0..n).map(|_| (rng.bytes(), rng.bytes())).collect();
            let rho = rng.bytes();
            for (key, (sigma, z)) in keys.iter().zip(&drawn) {
                let (ek, dk) = keygen_from(params::<P>(), &rho, sigma, z);
                assert_eq!(key.encapsulation_key().as_bytes(), ek);
                assert_eq!(key.expanded(), dk);
                assert!(key.seed().is_none());

                let (ct, secret) = key.encapsulation_key().encapsulate_with(&[n as u8; 32]);
                assert_eq!(key.decapsulate(&ct), secret);
                let imported = DecapsulationKey::<P>::from_expanded_bytes(&dk).unwrap();
                assert_eq!(imported.decapsulate(&ct), secret);
            }
            count += n;
        }
        println!("shared matrix backend={} set={} keys={count}", backend.name(), P::NAME);
    });
}

#[test]
fn shared_matrix() {
    for_each_set!(agrees_with_the_model());
}

fn no_key_survives<P: ParameterSet>() {
    for_each_backend(|_| {
        for given in [0, 63, 64, 64 * 9 + 31] {
            let mut out = slots(9);
            DecapsulationKey::<P>::generate_batch(&mut ShakeRng::new(b"before"), &mut out);
            let result = DecapsulationKey::<P>::generate_batch_shared_matrix(
                &mut FailingRng::after(given, 7),
                &mut out,
            );
            assert_eq!(result, Err(RngFailed(7)));
            assert!(out.iter().all(Option::is_none));
        }
    });
}

#[test]
fn rng_failure_leaves_no_key() {
    for_each_set!(no_key_survives());
}
