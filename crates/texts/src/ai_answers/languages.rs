use crate::text::language::{Language, detection};
use crate::text::words::shortened;

/// A set of languages, of those with word lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Languages(u16);

const CODES: [&str; 10] = ["en", "de", "fr", "es", "it", "nl", "pl", "cs", "sk", "hu"];
const MAX_DETECTION_CHARACTERS: usize = 500;

impl Languages {
    /// Empty for a language without word lists.
    pub fn of(code: &str) -> Self {
        let at = CODES.iter().position(|it| *it == code);
        Self(at.map_or(0, |it| 1 << it))
    }

    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn contains(self, code: &str) -> bool {
        self.intersects(Self::of(code))
    }
}

/// Languages with accepted endings (the prompt's and, if detected with high confidence, the answer's), and the
/// language for splitting sentences.
pub(super) fn answer_languages(prompt: &str, text: &str) -> (Languages, Option<Language>) {
    let found = detection::detect(shortened(text, MAX_DETECTION_CHARACTERS));
    match found.filter(|it| it.confidence >= detection::HIGH_CONFIDENCE) {
        Some(found) => (
            Languages::of(prompt).with(Languages::of(found.code)),
            found.language(),
        ),
        None => (Languages::of(prompt), Language::from_tag(prompt)),
    }
}
