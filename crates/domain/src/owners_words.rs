//! What the owner of a project says of its market and of its suggestions.

pub use analysis::site_class::SiteClass;

use crate::text::{Label, Text, TextRefusal};
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSite {
    /// Its registrable domain, as DNS holds it.
    pub domain: String,
    pub role: SiteRole,
    /// What kind of site it is, against the list that Sightline has.
    pub class: Option<SiteClass>,
    pub named_at: DateTime<Utc>,
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SiteRole {
        /// A rival that is followed, wherever it stands.
        Competitor = "competitor",
        /// Another site of the same owner.
        Own = "own",
        /// Neither; it is named for its class alone.
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

/// What a site's owner is called, where its domain alone does not tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrandNames {
    /// The registrable domain: the project's own, or a rival's.
    pub domain: String,
    /// Its name, and whatever else it is called.
    pub names: Vec<Label>,
    /// Whether the name is also a word; `None` leaves that to the lists.
    pub is_word: Option<bool>,
}

/// Why a suggestion is not wanted, in the owner's words: one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IgnoreReason(Text<500>);

impl IgnoreReason {
    /// Line breaks and tabs are refused, where other texts fold them.
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
    fn a_reason_is_a_line_of_text() {
        let text = |it: &str| IgnoreReason::parse(it).map(|it| it.as_str().to_owned());
        assert_eq!(text(" goes in May "), Ok("goes in May".to_owned()));
        assert_eq!(text("  "), Err(TextRefusal::Empty));
        for more in ["a\u{1b}[2J", "goes\nin May", "goes\tin May"] {
            assert_eq!(text(more), Err(TextRefusal::ControlCharacter));
        }
        let most = "ü".repeat(500);
        assert_eq!(text(&most), Ok(most.clone()));
        assert_eq!(
            text(&format!("{most}ü")),
            Err(TextRefusal::TooLong { max: 500 })
        );
    }
}
