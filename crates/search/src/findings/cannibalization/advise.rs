use super::{Action, CannibalizationInput, PageFacts, Severity, Tie};
use crate::url_rules::page_key;

/// Share from which on the primary page wins anyway.
const CLEAR_WINNER: f64 = 0.8;

impl Severity {
    pub(super) fn of(score: f64) -> Self {
        if score >= 60.0 {
            Self::High
        } else if score >= 30.0 {
            Self::Medium
        } else if score >= 10.0 {
            Self::Low
        } else {
            Self::None
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pair {
    pub similarity: Option<f64>,
    pub same_intent: Option<bool>,
    pub must_stay: bool,
    pub primary_share: f64,
}

/// The recommended action; `None` if similarity or intents are unknown.
pub(super) fn action(severity: Severity, pair: &Pair) -> Option<Action> {
    if severity == Severity::None {
        return Some(Action::None);
    }
    let wins = pair.primary_share >= CLEAR_WINNER;
    match pair.similarity {
        Some(alike) if alike >= 0.9 && pair.must_stay => Some(Action::Canonical),
        Some(alike) if alike >= 0.8 && !pair.must_stay => Some(Action::Redirect301),
        Some(alike) if alike >= 0.5 && !pair.must_stay => Some(Action::Merge),
        _ if wins => Some(Action::InternalLinks),
        None => None,
        Some(_) => match pair.same_intent {
            Some(true) => Some(Action::Differentiate),
            Some(false) => Some(Action::None),
            None => None,
        },
    }
}

/// Whether the site declares all pages as one (canonical, redirect), or as language versions of each other.
pub(super) fn tie(
    input: &CannibalizationInput<'_>,
    primary: &str,
    competing: &[&str],
) -> Option<Tie> {
    if competing.is_empty() {
        return None;
    }
    let facts = |key: &str| input.pages.get(key);
    let settled = |url: &str| {
        let key = page_key(url);
        let leads_to = |it: &PageFacts| it.redirects_to.clone().or(it.canonical.clone());
        facts(&key)
            .and_then(leads_to)
            .map_or(key, |it| page_key(&it))
    };
    let page = settled(primary);
    let names = |of: &str, key: &str| {
        facts(of).is_some_and(|it| it.alternates.iter().any(|it| page_key(it) == key))
    };
    let is_alternate = |other: &str| names(other, &page) || names(&page, other);
    let others: Vec<String> = competing.iter().map(|url| settled(url)).collect();
    if others.iter().all(|it| *it == page) {
        Some(Tie::SamePage)
    } else if others.iter().all(|it| *it == page || is_alternate(it)) {
        Some(Tie::Alternates)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_action_follows_similarity_intent_and_share() {
        let pair = |similarity, same_intent, must_live, primary_share| Pair {
            similarity,
            same_intent,
            must_stay: must_live,
            primary_share,
        };
        let high = |pair: Pair| action(Severity::High, &pair);
        assert_eq!(
            high(pair(Some(0.95), None, true, 0.5)),
            Some(Action::Canonical)
        );
        assert_eq!(
            high(pair(Some(0.95), None, false, 0.5)),
            Some(Action::Redirect301)
        );
        assert_eq!(
            high(pair(Some(0.8), None, false, 0.5)),
            Some(Action::Redirect301)
        );
        assert_eq!(high(pair(Some(0.5), None, false, 0.5)), Some(Action::Merge));
        assert_eq!(
            high(pair(Some(0.7), Some(true), true, 0.5)),
            Some(Action::Differentiate)
        );
        assert_eq!(
            high(pair(Some(0.2), Some(true), false, 0.5)),
            Some(Action::Differentiate)
        );
        assert_eq!(
            high(pair(Some(0.2), Some(true), false, 0.8)),
            Some(Action::InternalLinks)
        );
        assert_eq!(
            high(pair(Some(0.2), Some(false), false, 0.5)),
            Some(Action::None)
        );
        assert_eq!(high(pair(None, Some(true), false, 0.5)), None);
        assert_eq!(
            high(pair(None, None, false, 0.9)),
            Some(Action::InternalLinks)
        );
        let none = action(Severity::None, &pair(Some(0.95), None, false, 0.5));
        assert_eq!(none, Some(Action::None));
    }

    #[test]
    fn severities_begin_at_their_bounds() {
        for (score, severity) in [
            (9.99, Severity::None),
            (10.0, Severity::Low),
            (30.0, Severity::Medium),
            (60.0, Severity::High),
        ] {
            assert_eq!(Severity::of(score), severity);
        }
    }
}
