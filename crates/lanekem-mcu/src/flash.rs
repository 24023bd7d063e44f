//! What a firmware does that exchanges a key with itself. The image `empty` is one without it.

use crate::kem::Kem;
use core::hint::black_box;

pub fn exchange<K: Kem>() -> ! {
    loop {
        let (mut pair, mut sent) = (None, None);
        K::keygen(&mut pair, black_box(&[1; 64]));
        if let Some(pair) = &pair {
            K::encaps(&K::ek(black_box(pair)), black_box(&[2; 32]), &mut sent);
            if let Some(sent) = &sent {
                black_box(K::decaps(pair, K::received(black_box(sent)).0));
            }
        }
    }
}
