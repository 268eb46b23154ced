//! Languages with more than word counts.

mod codes;
mod common_words;
pub mod detection;
pub mod tags;

use crate::ToSchema;
use serde::{Deserialize, Serialize};

/// A language with abbreviations, syllables and, except Polish, a formula of reading ease.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
pub enum Language {
    /// English.
    #[serde(rename = "en")]
    English,
    /// German.
    #[serde(rename = "de")]
    German,
    /// Spanish.
    #[serde(rename = "es")]
    Spanish,
    /// French.
    #[serde(rename = "fr")]
    French,
    /// Italian.
    #[serde(rename = "it")]
    Italian,
    /// Dutch.
    #[serde(rename = "nl")]
    Dutch,
    /// Russian.
    #[serde(rename = "ru")]
    Russian,
    /// Hungarian.
    #[serde(rename = "hu")]
    Hungarian,
    /// Czech.
    #[serde(rename = "cs")]
    Czech,
    /// Slovak.
    #[serde(rename = "sk")]
    Slovak,
    /// Polish.
    #[serde(rename = "pl")]
    Polish,
}

impl Language {
    pub const ALL: [Self; 11] = [
        Self::English,
        Self::German,
        Self::Spanish,
        Self::French,
        Self::Italian,
        Self::Dutch,
        Self::Russian,
        Self::Hungarian,
        Self::Czech,
        Self::Slovak,
        Self::Polish,
    ];

    /// BCP 47, such as `cs`, `de-AT` or `en_US`; region and script are ignored.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next()?;
        Self::ALL
            .into_iter()
            .find(|it| it.code().eq_ignore_ascii_case(primary))
    }

    /// ISO 639-1.
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::Spanish => "es",
            Self::French => "fr",
            Self::Italian => "it",
            Self::Dutch => "nl",
            Self::Russian => "ru",
            Self::Hungarian => "hu",
            Self::Czech => "cs",
            Self::Slovak => "sk",
            Self::Polish => "pl",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_with_and_without_a_region_name_the_language() {
        for tag in ["cs", "cs-CZ", "CS_cz", " cs "] {
            assert_eq!(Language::from_tag(tag), Some(Language::Czech), "{tag}");
        }
        for tag in ["", "-", "csb", "english", "ja"] {
            assert_eq!(Language::from_tag(tag), None, "{tag}");
        }
    }

    #[test]
    fn codes_are_those_that_are_serialised() {
        for language in Language::ALL {
            let written = serde_json::to_value(language).unwrap();
            assert_eq!(written, language.code());
            assert_eq!(Language::from_tag(language.code()), Some(language));
        }
    }
}
