//! A site's llms.txt. It weighs nothing: Google says to ignore it ("Optimizing for generative AI
//! features", July 2026), and no engine says that it reads one.

use crate::{ToSchema, observation::web_site::LlmsTxtFact};
use serde::{Deserialize, Serialize};

/// Minimum characters (Lighthouse 13.5).
const MIN_CHARACTERS: usize = 50;

/// What was found at `/llms.txt`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LlmsTxt {
    /// Whether there is one.
    pub present: bool,
    /// Whether it has what Lighthouse looks for; null where there is none.
    pub valid: Option<bool>,
    /// What it lacks.
    pub issues: Vec<LlmsTxtIssue>,
}

crate::wire_enum! {
    /// What an llms.txt lacks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    pub enum LlmsTxtIssue {
        /// The server fails.
        ServerError = "serverError",
        /// No `# heading`.
        NoHeading = "noHeading",
        /// No `[link](address)`.
        NoLink = "noLink",
        /// Fewer than 50 characters.
        TooShort = "tooShort",
    }
}

/// By Lighthouse 13.5's audit `llms-txt`: not applicable on 4xx, else an h1, a link and 50 characters are needed.
pub fn llms_txt(fact: &LlmsTxtFact) -> LlmsTxt {
    let text = fact.text.as_str();
    let found = |present, valid, issues| LlmsTxt {
        present,
        valid,
        issues,
    };
    match fact.status {
        200..=299 => {
            let checks = [
                (has_heading(text), LlmsTxtIssue::NoHeading),
                (has_link(text), LlmsTxtIssue::NoLink),
                (
                    text.trim().chars().count() >= MIN_CHARACTERS,
                    LlmsTxtIssue::TooShort,
                ),
            ];
            let failed = checks.iter().filter(|it| !it.0);
            let issues: Vec<_> = failed.map(|it| it.1).collect();
            found(true, Some(issues.is_empty()), issues)
        }
        500..=599 => found(false, Some(false), vec![LlmsTxtIssue::ServerError]),
        _ => found(false, None, Vec::new()),
    }
}

fn has_heading(text: &str) -> bool {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    lines.any(|it| {
        it.strip_prefix('#')
            .is_some_and(|it| it.starts_with([' ', '\t']) && !it.trim().is_empty())
    })
}

fn has_link(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        let target = after.split([')', '\n']).next().unwrap_or_default();
        if before.contains('[') && !target.is_empty() && after[target.len()..].starts_with(')') {
            return true;
        }
        rest = after;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_match_lighthouse() {
        let good = "# Example\n\n> A site.\n\n- [Guide](https://example.com/guide): how to begin";
        let found = |status, text: &str| {
            llms_txt(&LlmsTxtFact {
                status,
                text: text.to_owned(),
            })
        };
        assert_eq!(found(200, good).valid, Some(true));
        assert_eq!(found(404, "").valid, None);
        assert_eq!(found(503, "").issues, [LlmsTxtIssue::ServerError]);
        assert_eq!(
            found(200, "## Second level (only)").issues,
            [
                LlmsTxtIssue::NoHeading,
                LlmsTxtIssue::NoLink,
                LlmsTxtIssue::TooShort
            ]
        );
        assert_eq!(
            found(200, &good.replace("](", "] (")).issues,
            [LlmsTxtIssue::NoLink]
        );
        let short = [LlmsTxtIssue::TooShort];
        assert_eq!(found(200, "# Acme\n[x](y)").issues, short);
        let named = serde_json::to_value(LlmsTxtIssue::TooShort).unwrap();
        assert_eq!(named, LlmsTxtIssue::TooShort.name());
    }
}
