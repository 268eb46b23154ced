//! Supported languages.

mod codes;
mod common_words;
pub mod detection;
pub mod tags;

use crate::ToSchema;
use serde::{Deserialize, Serialize};

crate::wire_enum! {
    /// A language with abbreviations, syllables and, except Polish, a formula of reading ease.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
    // Codes of ISO 639-1.
    pub enum Language by code {
        /// English.
        #[serde(rename = "en")]
        English = "en",
        /// German.
        #[serde(rename = "de")]
        German = "de",
        /// Spanish.
        #[serde(rename = "es")]
        Spanish = "es",
        /// French.
        #[serde(rename = "fr")]
        French = "fr",
        /// Italian.
        #[serde(rename = "it")]
        Italian = "it",
        /// Dutch.
        #[serde(rename = "nl")]
        Dutch = "nl",
        /// Russian.
        #[serde(rename = "ru")]
        Russian = "ru",
        /// Hungarian.
        #[serde(rename = "hu")]
        Hungarian = "hu",
        /// Czech.
        #[serde(rename = "cs")]
        Czech = "cs",
        /// Slovak.
        #[serde(rename = "sk")]
        Slovak = "sk",
        /// Polish.
        #[serde(rename = "pl")]
        Polish = "pl",
    }
}

impl Language {
    /// BCP 47, such as `cs`, `de-AT` or `en_US`; region and script are ignored.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next()?;
        Self::ALL
            .into_iter()
            .find(|it| it.code().eq_ignore_ascii_case(primary))
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
