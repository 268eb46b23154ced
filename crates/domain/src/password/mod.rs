mod guessable;

use crate::{email::EmailAddress, randomness::Randomness, secret_text::base62};
use guessable::is_easily_guessed;
use sha2::{Digest, Sha256};
use std::fmt;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

/// A password as typed. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct TypedPassword(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must have at most {} characters", TypedPassword::MAX_CHARS)]
pub struct TooLong;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PasswordRefusal {
    #[error("must have at least {} characters", TypedPassword::MIN_CHARS)]
    TooShort,
    #[error("must have at most {} characters", TypedPassword::MAX_CHARS)]
    TooLong,
    #[error(
        "is easily guessed: it is one of the commonest passwords, or made of them, of repeats, or of names that others know"
    )]
    Guessable,
}

impl TypedPassword {
    /// Minimum characters of a new password.
    pub const MIN_CHARS: usize = 12;
    /// Maximum characters.
    pub const MAX_CHARS: usize = 256;

    /// Accepts any text that could be a password. Kinds of spaces and compositions of accents are
    /// equalized (RFC 8265, 4.2.2), because keyboards differ. Nothing is truncated, and case is kept.
    pub fn parse(text: &str) -> Result<Self, TooLong> {
        // Counting before normalization bounds the work; composition makes a text at most three
        // times as long (Unicode, UAX 15).
        if text.chars().take(3 * Self::MAX_CHARS + 1).count() > 3 * Self::MAX_CHARS {
            return Err(TooLong);
        }
        let folded: String = { text.chars() }
            .map(|it| if is_space(it) { ' ' } else { it })
            .nfc()
            .collect();
        (folded.chars().count() <= Self::MAX_CHARS)
            .then_some(Self(folded))
            .ok_or(TooLong)
    }

    /// Validates a new password: long enough, and hard to guess. `known` are names that attackers
    /// may know, such as the e-mail address.
    pub fn parse_new(text: &str, known: &[&str]) -> Result<Self, PasswordRefusal> {
        let typed = Self::parse(text).map_err(|_| PasswordRefusal::TooLong)?;
        if typed.0.chars().count() < Self::MIN_CHARS {
            return Err(PasswordRefusal::TooShort);
        }
        if is_easily_guessed(&typed.0, known) {
            return Err(PasswordRefusal::Guessable);
        }
        Ok(typed)
    }

    /// A generated password: 119 bits.
    pub fn generated(randomness: &dyn Randomness) -> String {
        base62(randomness, 20)
    }

    /// Bytes for hashing.
    pub fn reveal(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Non-ASCII spaces (Unicode, general category Zs).
const fn is_space(character: char) -> bool {
    matches!(
        character,
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}

impl fmt::Debug for TypedPassword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedPassword(…)")
    }
}

/// Stored form of a password: a slow hash with salt and parameters, as a PHC string.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(pub String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

/// Cost of verifying a stored hash, without the hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashCost {
    /// Parameters in the PHC string: `$argon2id$v=19$m=19456,t=2,p=1`.
    pub parameters: String,
    /// Digest of the hash, which outsiders cannot compute.
    digest: [u8; 32],
}

impl HashCost {
    /// Cost of a PHC hash, which ends with salt and output; `None` for other formats.
    pub fn of(hash: &PasswordHash) -> Option<Self> {
        let parameters = hash.0.rsplitn(3, '$').nth(2)?;
        Some(Self {
            parameters: parameters.to_owned(),
            digest: Sha256::digest(&hash.0).into(),
        })
    }

    /// Decoy cost for an address without a password: that of the stored hash with the lowest digest of hash and
    /// address (rendezvous hashing). An address always gets the same cost, so a second try reveals nothing;
    /// costs are distributed as among known addresses; the salts in the digests keep the assignment secret.
    pub fn decoy_for<'a>(email: &EmailAddress, all: &'a [Self]) -> Option<&'a Self> {
        all.iter().min_by_key(|it| {
            let digest = Sha256::new().chain_update(it.digest);
            <[u8; 32]>::from(digest.chain_update(email.as_str()).finalize())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Result<TypedPassword, PasswordRefusal> {
        TypedPassword::parse_new(text, &["ann.lee@orchard.example", "Ann Lee"])
    }

    #[test]
    fn twelve_to_256_characters_of_any_kind_are_accepted() {
        assert_eq!(
            chosen("kvašená řepa"),
            TypedPassword::parse("kvašená řepa").map_err(|_| PasswordRefusal::TooLong)
        );
        assert_eq!(chosen("kvašená řep"), Err(PasswordRefusal::TooShort));
        let long: String = ('\u{4E00}'..).step_by(37).take(256).collect();
        assert_eq!(chosen(&long).map(|it| it.reveal().len()), Ok(768));
        assert_eq!(chosen(&format!("{long}x")), Err(PasswordRefusal::TooLong));
        assert!(chosen("🦀🐙🦑🦐🦞🐡🐠🐟🐬🐳🐋🦈").is_ok());
        let spaced = chosen("  Two Spaces  Kept  ").unwrap();
        assert_eq!(spaced.reveal(), b"  Two Spaces  Kept  ");
        assert_ne!(TypedPassword::parse("Abc"), TypedPassword::parse("abc"));
    }

    #[test]
    fn equivalent_accents_and_spaces_are_equal() {
        assert_eq!(
            TypedPassword::parse("cafe\u{301}\u{A0}x"),
            TypedPassword::parse("café x")
        );
        // Decomposed, 256 Hangul characters are 768.
        let composed: String = ('\u{AC01}'..).take(256).collect();
        let apart: String = composed.nfd().collect();
        assert_eq!(
            TypedPassword::parse(&apart),
            TypedPassword::parse(&composed)
        );
    }

    #[test]
    fn guessable_passwords_are_refused() {
        for common in [
            "password1234",
            "PASSWORD12345",
            "qwertyqwerty",
            "aaaaaaaaaaaaaaaaaaaa",
            "abcdefghijklmnop",
            "9876543210987654321",
            "1q2w3e4r5t6y",
            "sightline2026!",
            "ann.lee.orchard",
            "AnnLee123456",
            "orchardorchard",
            "xkxkxkxkxkxkxkxk",
        ] {
            assert_eq!(chosen(common), Err(PasswordRefusal::Guessable), "{common}");
        }
        for good in [
            "correct horse battery staple",
            "tkgz-81!rq04",
            "my orchard has 14 grey cats",
            "Zu viele Köche verderben den Brei",
        ] {
            assert!(chosen(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn passwords_and_hashes_are_hidden_in_logs() {
        let shown = format!(
            "{:?} {:?}",
            chosen("tkgz-81!rq04"),
            PasswordHash("x".into())
        );
        assert_eq!(shown, "Ok(TypedPassword(…)) PasswordHash(…)");
    }

    /// Costs of `old` users with outdated hashes and `new` users with current ones.
    fn costs(old: usize, new: usize) -> Vec<HashCost> {
        let of = |number: usize| {
            let passes = if number < old { 2 } else { 3 };
            let hash = format!("$argon2id$v=19$m=19456,t={passes},p=1$salt{number}$b3V0cHV0");
            HashCost::of(&PasswordHash(hash)).unwrap()
        };
        (0..old + new).map(of).collect()
    }

    fn cost_of(number: usize, costs: &[HashCost]) -> &str {
        let email = EmailAddress::parse(&format!("somebody{number}@example.com")).unwrap();
        &HashCost::decoy_for(&email, costs).unwrap().parameters
    }

    #[test]
    fn the_cost_of_a_hash_is_its_parameters() {
        let costs = costs(1, 0);
        assert_eq!(costs[0].parameters, "$argon2id$v=19$m=19456,t=2,p=1");
        assert_eq!(HashCost::of(&PasswordHash("old".into())), None);
    }

    #[test]
    fn unknown_addresses_have_the_cost_distribution_of_known_ones() {
        let costs = costs(30, 70);
        let is_old = |number: &usize| cost_of(*number, &costs).contains("t=2");
        let old = (0..2_000).filter(is_old).count();
        // Mean 600, standard deviation 20.5.
        assert!((500..700).contains(&old), "{old} of 2000");
    }

    #[test]
    fn an_address_keeps_its_cost_while_others_sign_in() {
        let (before, after) = (costs(50, 50), costs(49, 51));
        let changed = |it: &usize| cost_of(*it, &before) != cost_of(*it, &after);
        let changed = (0..1_000).filter(changed).count();
        // Only addresses assigned to the one renewed hash, before or after, change: about 1 in 50.
        assert!((1..50).contains(&changed), "{changed} of 1000");
        assert_eq!(
            HashCost::decoy_for(&EmailAddress::parse("a@b.example").unwrap(), &[]),
            None
        );
    }
}
