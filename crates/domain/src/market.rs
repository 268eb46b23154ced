//! Where and how a keyword is searched.

use crate::text::{Text, TextRefusal};
use analysis::observation::search_page::Device;
use std::fmt;
use thiserror::Error;

macro_rules! two_letter_code {
    ($(#[$doc:meta])* $name:ident, $refusal:ident, $message:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name([u8; 2]);

        /// The text is no such code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
        #[error($message)]
        pub struct $refusal;

        impl $name {
            /// Checks the form and lower-cases.
            pub fn parse(code: &str) -> Result<Self, $refusal> {
                let bytes: [u8; 2] = code.as_bytes().try_into().map_err(|_| $refusal)?;
                let letters = bytes.iter().all(u8::is_ascii_alphabetic);
                letters.then(|| Self(bytes.map(|byte| byte.to_ascii_lowercase()))).ok_or($refusal)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{}", char::from(*byte)))
            }
        }
    };
}

two_letter_code!(
    /// A country: two letters of ISO 3166-1, lower case.
    Country,
    NotACountry,
    "must be a two-letter country code (ISO 3166-1), for example `us` or `de`"
);
two_letter_code!(
    /// A language: two letters of ISO 639-1, lower case.
    Language,
    NotALanguage,
    "must be a two-letter language code (ISO 639-1), for example `en` or `de`"
);

/// A place inside a country.
pub type Location = Text<100>;

/// Where and how a keyword is searched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Market {
    /// The country.
    pub country: Country,
    /// The language.
    pub language: Language,
    /// The device.
    pub device: Device,
    /// A place inside the country.
    pub location: Option<Location>,
}

impl Default for Market {
    /// The market of a keyword that names none: desktop searches in English in the United States.
    fn default() -> Self {
        Self {
            country: Country(*b"us"),
            language: Language(*b"en"),
            device: Device::Desktop,
            location: None,
        }
    }
}

impl Market {
    /// Reads a location.
    pub fn location(text: &str) -> Result<Location, TextRefusal> {
        Location::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_two_letters_in_lower_case() {
        assert_eq!(Country::parse("DE").unwrap().to_string(), "de");
        for bad in ["", "d", "deu", "d1", "é"] {
            assert_eq!(Country::parse(bad), Err(NotACountry), "{bad}");
        }
    }
}
