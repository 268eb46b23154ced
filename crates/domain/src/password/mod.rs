//! Passwords: what may become one, and what is kept of it.

mod guessable;

use crate::{ports::randomness::Randomness, secret_text::base62};
use guessable::is_easily_guessed;
use std::fmt;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;

/// What somebody typed as a password. It never shows itself.
#[derive(Clone, PartialEq, Eq)]
pub struct TypedPassword(String);

/// The text is longer than any password here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must have at most {} characters", TypedPassword::MOST)]
pub struct TooLong;

/// Why a text does not become a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PasswordRefusal {
    /// Too few characters.
    #[error("must have at least {} characters", TypedPassword::LEAST)]
    TooShort,
    /// Too many.
    #[error("must have at most {} characters", TypedPassword::MOST)]
    TooLong,
    /// Others guess it soon.
    #[error(
        "is easily guessed: it is one of the commonest passwords, or made of them, of repeats, or of names that others know"
    )]
    Guessable,
}

impl TypedPassword {
    /// Fewest characters of a new password.
    pub const LEAST: usize = 12;
    /// Most characters of any.
    pub const MOST: usize = 256;

    /// Any text that could be somebody's password. Spaces of any kind are the same, and so are
    /// letters however their accents are written (RFC 8265, 4.2.2): keyboards differ. Nothing is
    /// cut off and no letter changes its case.
    pub fn parse(text: &str) -> Result<Self, TooLong> {
        // The count before normalising bounds the work; composing never makes a text longer than
        // three times its length (Unicode, UAX 15).
        if text.chars().take(3 * Self::MOST + 1).count() > 3 * Self::MOST {
            return Err(TooLong);
        }
        let folded: String = { text.chars() }
            .map(|it| if is_space(it) { ' ' } else { it })
            .nfc()
            .collect();
        (folded.chars().count() <= Self::MOST)
            .then_some(Self(folded))
            .ok_or(TooLong)
    }

    /// A text that may become a password: long enough, and not what others try first. `known` are
    /// names that others may know, such as the e-mail address.
    pub fn chosen(text: &str, known: &[&str]) -> Result<Self, PasswordRefusal> {
        let typed = Self::parse(text).map_err(|_| PasswordRefusal::TooLong)?;
        if typed.0.chars().count() < Self::LEAST {
            return Err(PasswordRefusal::TooShort);
        }
        if is_easily_guessed(&typed.0, known) {
            return Err(PasswordRefusal::Guessable);
        }
        Ok(typed)
    }

    /// The text of one that nobody chose: 119 bits.
    #[must_use]
    pub fn generated(randomness: &dyn Randomness) -> String {
        base62(randomness, 20)
    }

    /// Its bytes, for whoever computes the hash.
    #[must_use]
    pub fn reveal(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Spaces that are not ASCII (Unicode, general category Zs).
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

/// What is stored of a password: a slow hash with its salt and its parameters, as a PHC string.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(pub String);

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Result<TypedPassword, PasswordRefusal> {
        TypedPassword::chosen(text, &["ann.lee@orchard.example", "Ann Lee"])
    }

    #[test]
    fn twelve_to_256_characters_of_any_kind_are_taken_as_they_are() {
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
    fn accents_and_spaces_count_as_they_look() {
        assert_eq!(
            TypedPassword::parse("cafe\u{301}\u{A0}x"),
            TypedPassword::parse("café x")
        );
        // Decomposed, 256 characters of Hangul are 768.
        let composed: String = ('\u{AC01}'..).take(256).collect();
        let apart: String = composed.nfd().collect();
        assert_eq!(
            TypedPassword::parse(&apart),
            TypedPassword::parse(&composed)
        );
    }

    #[test]
    fn what_others_try_first_is_refused() {
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
    fn neither_shows_itself_in_logs() {
        let shown = format!(
            "{:?} {:?}",
            chosen("tkgz-81!rq04"),
            PasswordHash("x".into())
        );
        assert_eq!(shown, "Ok(TypedPassword(…)) PasswordHash(…)");
    }
}
