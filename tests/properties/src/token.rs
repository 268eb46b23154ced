//! Accepted tokens are well-formed, and a typo is always refused.

use crate::SeededRandom;
use domain::{ports::randomness::Randomness, token::PlainToken};
use std::sync::{Mutex, PoisonError};

/// Randomness derived from the input.
struct ByteRandomness(Mutex<SeededRandom>);

impl Randomness for ByteRandomness {
    fn fill(&self, bytes: &mut [u8]) {
        let mut chance = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.fill_with(|| chance.byte());
    }
}

pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(token) = PlainToken::parse(&text) {
        assert_token(&token);
        assert_eq!(token.reveal(), text, "nothing is taken off a token");
    }
    let mut chance = SeededRandom::from_bytes(bytes);
    let token = PlainToken::generate(&ByteRandomness(Mutex::new(chance.clone())));
    assert_token(&token);
    let mut mistyped = token.reveal().as_bytes().to_vec();
    let place = chance.below(mistyped.len());
    mistyped[place] ^= chance.byte().max(1);
    let mistyped = String::from_utf8_lossy(&mistyped);
    assert!(
        PlainToken::parse(&mistyped).is_err(),
        "{mistyped:?} is none"
    );
}

fn assert_token(token: &PlainToken) {
    let rest = token.reveal().strip_prefix(PlainToken::PREFIX);
    let rest = rest.expect("a token has its prefix");
    assert!(rest.len() == 49 && rest.bytes().all(|it| it.is_ascii_alphanumeric()));
    assert_eq!(PlainToken::parse(token.reveal()).as_ref(), Ok(token));
    assert_eq!(format!("{token:?}"), "PlainToken(…)", "it is not shown");
    assert!(token.reveal().ends_with(token.last_four()));
}
