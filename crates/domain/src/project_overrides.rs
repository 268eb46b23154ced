//! Project overrides: what the owner states about sites, brands and suggestions.

pub use analysis::site_class::SiteClass;

use crate::text::{Label, Text, TextRefusal};
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteAnnotation {
    /// Registrable domain in ASCII.
    pub domain: String,
    pub role: SiteRole,
    /// Overrides Sightline's classification of the site.
    pub class: Option<SiteClass>,
    pub annotated_at: DateTime<Utc>,
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SiteRole {
        /// A tracked competitor, whatever its rank.
        Competitor = "competitor",
        /// Another site of the same owner.
        Own = "own",
        /// Neither; only its class is set.
        Other = "other",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoredSuggestion {
    /// The `suggestionId` of its records.
    pub id: String,
    pub reason: Option<String>,
    pub ignored_at: DateTime<Utc>,
}

/// Brand names of a site, if its domain is not enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrandNames {
    /// Registrable domain of the project or a competitor.
    pub domain: String,
    /// The brand's name, then its other names.
    pub names: Vec<Label>,
    /// Whether the name is also a word; `None` leaves that to the lists.
    pub is_word: Option<bool>,
}

/// The owner's reason for ignoring a suggestion: one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreReason(Text<500>);

impl IgnoreReason {
    /// Refuses line breaks and tabs, which other texts fold.
    pub fn parse(text: &str) -> Result<Self, TextRefusal> {
        if text.trim().chars().any(char::is_control) {
            return Err(TextRefusal::ControlCharacter);
        }
        Text::parse(text).map(Self)
    }

    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_of_text() {
        let text = |it: &str| IgnoreReason::parse(it).map(|it| it.as_str().to_owned());
        assert_eq!(text(" goes in May "), Ok("goes in May".to_owned()));
        assert_eq!(text("  "), Err(TextRefusal::Empty));
        for more in ["a\u{1b}[2J", "goes\nin May", "goes\tin May"] {
            assert_eq!(text(more), Err(TextRefusal::ControlCharacter));
        }
        let longest = "ü".repeat(500);
        assert_eq!(text(&longest), Ok(longest.clone()));
        assert_eq!(
            text(&format!("{longest}ü")),
            Err(TextRefusal::TooLong { max: 500 })
        );
    }
}
