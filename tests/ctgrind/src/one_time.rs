//! The one-time KEMs: ŝ, m and r secret; ρ, t̂ and the ciphertext public once they are sent.

use crate::Suite;
use crate::cases::{BATCH, publish_ek};
use crate::taint::{self, Rng};
use lanekem::one_time::{Ciphertext, OneTimeKeyPair, Transform, tch, th};
use lanekem::{Error, ParameterSet, SharedSecret};

pub(crate) fn run<P: ParameterSet>(suite: &mut Suite) {
    kem::<P, th::Th>(suite, |pair, c| Ok(pair.decapsulate(c)));
    kem::<P, tch::Tch>(suite, |pair, c| pair.decapsulate(c));
}

fn kem<P: ParameterSet, T: Transform>(
    suite: &mut Suite,
    decapsulate: fn(OneTimeKeyPair<P, T>, &Ciphertext<P, T>) -> Result<SharedSecret, Error>,
) {
    let name = |rest: &str| format!("set={} kem={} {rest}", P::NAME, T::NAME);
    let mut rng = Rng::secret(10);
    let mut pairs = [const { None }; BATCH];
    suite.case(&name("op=keygen single"), || {
        publish_ek::<P>(OneTimeKeyPair::<P, T>::generate(&mut rng).encapsulation_key().as_bytes());
    });
    suite.case(&name("op=keygen batch"), || {
        OneTimeKeyPair::<P, T>::generate_batch(&mut rng, &mut pairs);
        pairs
            .iter()
            .flatten()
            .for_each(|pair| publish_ek::<P>(pair.encapsulation_key().as_bytes()));
    });

    let mut sent = None;
    suite.case(&name("op=encaps single"), || {
        let pair = pairs[0].as_ref().unwrap();
        let (c, secret) = pair.encapsulation_key().encapsulate(&mut rng);
        assert!(taint::is_secret(c.as_bytes()) && taint::is_secret(secret.as_bytes()));
        taint::public(c.as_bytes());
        sent = Some((c, taint::published(*secret.as_bytes())));
    });
    let (c, secret) = sent.unwrap();
    let pair = pairs[0].take().unwrap();
    suite.case(&name("op=decaps ct=valid single"), || {
        let got = decapsulate(pair, &c).unwrap();
        assert!(taint::is_secret(got.as_bytes()));
        assert_eq!(taint::published(*got.as_bytes()), secret);
    });
    for (pair, at) in
        pairs.into_iter().flatten().zip([0, P::CIPHERTEXT_LEN - 1, c.as_bytes().len() - 1])
    {
        let mut forged = c.as_bytes().to_vec();
        forged[at] ^= 1;
        let forged = Ciphertext::from_bytes(&forged).unwrap();
        suite.case(&name(&format!("op=decaps ct=forged at={at} single")), || {
            match decapsulate(pair, &forged) {
                Ok(got) => {
                    assert!(T::TAG_LEN == 0 && taint::is_secret(got.as_bytes()));
                    assert_ne!(taint::published(*got.as_bytes()), secret);
                }
                Err(error) => assert_eq!(error, Error::OneTimeTag),
            }
        });
    }
}
