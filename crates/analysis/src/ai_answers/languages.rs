//! The languages in which an answer may be read.

use crate::text::{
    language::{Language, detection},
    words::shortened,
};

/// A set of the languages that have lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Languages(u16);

const CODES: [&str; 10] = ["en", "de", "fr", "es", "it", "nl", "pl", "cs", "sk", "hu"];
/// Characters that are looked at to tell a language.
const LOOKED_AT: usize = 500;

impl Languages {
    /// The set of one language; empty for one without lists.
    #[must_use]
    pub fn of(code: &str) -> Self {
        let at = CODES.iter().position(|it| *it == code);
        Self(at.map_or(0, |it| 1 << it))
    }

    /// With the languages of another set.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the sets have a language in common.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether a language is in the set.
    #[must_use]
    pub fn has(self, code: &str) -> bool {
        self.meets(Self::of(code))
    }
}

/// The languages by whose endings names are read (the prompt's, and the answer's where that is sure),
/// and the one by which sentences are split: the answer's, or else the prompt's.
pub(super) fn of_answer(prompt: &str, text: &str) -> (Languages, Option<Language>) {
    let found = detection::detect(shortened(text, LOOKED_AT));
    match found.filter(|it| it.confidence >= detection::SURE) {
        Some(found) => (
            Languages::of(prompt).with(Languages::of(found.code)),
            found.language(),
        ),
        None => (Languages::of(prompt), Language::from_tag(prompt)),
    }
}
