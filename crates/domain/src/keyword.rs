//! Keywords, per market.

use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::keyword_metrics::KeywordMetrics;
use crate::market::Market;
use crate::patch::Change;
use crate::project::Status;
use crate::text::{Tag, is_invisible};
use analysis::{findings::rankings::RankState, provenance::Provenance};
use chrono::{DateTime, Utc};
use std::fmt;
use thiserror::Error;

/// A keyword's text as displayed; equal keywords have equal [`normalized`] forms.
///
/// [`normalized`]: KeywordText::normalized
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeywordText {
    shown: String,
    normalized: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KeywordRefusal {
    /// Empty after trimming.
    #[error("must not be empty")]
    Empty,
    #[error("must not be longer than {} characters", KeywordText::MAX_CHARACTERS)]
    TooLong,
    #[error("must not have more than {} words", KeywordText::MAX_WORDS)]
    TooManyWords,
    #[error("must not hold control characters")]
    ControlCharacter,
}

impl KeywordText {
    pub const MAX_CHARACTERS: usize = 200;
    pub const MAX_WORDS: usize = 20;

    pub fn parse(text: &str) -> Result<Self, KeywordRefusal> {
        let shown = analysis::keyword_text::display(text);
        if shown.is_empty() {
            return Err(KeywordRefusal::Empty);
        }
        if shown.chars().any(is_invisible) {
            return Err(KeywordRefusal::ControlCharacter);
        }
        if shown.chars().count() > Self::MAX_CHARACTERS {
            return Err(KeywordRefusal::TooLong);
        }
        if shown.split(' ').count() > Self::MAX_WORDS {
            return Err(KeywordRefusal::TooManyWords);
        }
        let normalized = analysis::keyword_text::normalized(&shown);
        Ok(Self { shown, normalized })
    }

    pub fn as_str(&self) -> &str {
        &self.shown
    }

    pub fn normalized(&self) -> &str {
        &self.normalized
    }
}

impl fmt::Display for KeywordText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LatestRank {
    /// `None` if the site was not found within the checked depth.
    pub position: Option<u32>,
    /// The best-ranked own page.
    pub url: Option<String>,
    pub measured_at: DateTime<Utc>,
    pub state: RankState,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyword {
    pub account: AccountId,
    pub id: KeywordId,
    pub project: ProjectId,
    pub text: KeywordText,
    pub market: Market,
    /// Whether it counts toward the AI visibility quota.
    pub ai_tracked: bool,
    pub status: Status,
    /// The page that should rank.
    pub target_url: Option<String>,
    pub tags: Vec<Tag>,
    /// Monthly searches, if known.
    pub search_volume: Option<u32>,
    /// Researched metrics, the volume included; may be simulated.
    pub metrics: Option<KeywordMetrics>,
    pub latest: Option<LatestRank>,
    /// Incremented by each change that callers can see.
    pub row_version: i64,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub deactivated_at: Option<DateTime<Utc>>,
}

/// Which of a project's active keywords an analysis measures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeywordChoice {
    /// All that are active when it runs.
    #[default]
    All,
    /// Those of these that are active when it runs.
    Named(Vec<KeywordId>),
}

/// Input for tracking keywords: the texts, and what they have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKeywords {
    /// Duplicates are merged.
    pub texts: Vec<KeywordText>,
    /// `None` leaves existing keywords unchanged, and starts new ones with `false`.
    pub ai_tracked: Option<bool>,
    pub market: Market,
    pub tags: Vec<Tag>,
}

impl NewKeywords {
    /// Maximum keywords per call.
    pub const MAX_PER_CALL: usize = 1_000;
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeywordPatch {
    pub ai_tracked: Change<bool>,
    pub status: Change<Status>,
    pub market: Change<Market>,
    pub target_url: Change<Option<String>>,
    pub tags: Change<Vec<Tag>>,
}

impl KeywordPatch {
    /// Reactivates a keyword; `None` leaves its AI tracking unchanged.
    pub fn reactivate(ai_tracked: Option<bool>) -> Self {
        Self {
            status: Change::Set(Status::Active),
            ai_tracked: ai_tracked.map_or(Change::Keep, Change::Set),
            ..Self::default()
        }
    }
}

impl Keyword {
    pub const MAX_TAGS: usize = 50;

    pub fn begin(
        account: AccountId,
        project: ProjectId,
        id: KeywordId,
        text: KeywordText,
        new: &NewKeywords,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            account,
            id,
            project,
            text,
            market: new.market.clone(),
            ai_tracked: new.ai_tracked.unwrap_or(false),
            status: Status::Active,
            target_url: None,
            tags: new.tags.clone(),
            search_volume: None,
            metrics: None,
            latest: None,
            row_version: 1,
            created_at: now,
            updated_at: now,
            deactivated_at: None,
        }
    }

    /// The keyword with the patch applied; unchanged if all values are the same.
    #[must_use]
    pub fn patched(&self, patch: KeywordPatch, now: DateTime<Utc>) -> Self {
        let mut next = self.clone();
        patch.ai_tracked.apply_to(&mut next.ai_tracked);
        patch.market.apply_to(&mut next.market);
        patch.target_url.apply_to(&mut next.target_url);
        patch.tags.apply_to(&mut next.tags);
        if let Change::Set(status) = patch.status
            && status != self.status
        {
            next.status = status;
            next.deactivated_at = (status == Status::Deactivated).then_some(now);
        }
        if next != *self {
            next.row_version += 1;
            next.updated_at = now;
        }
        next
    }

    #[must_use]
    pub fn with_metrics(mut self, metrics: KeywordMetrics) -> Self {
        self.search_volume = metrics.real_volume().or(self.search_volume);
        self.metrics = Some(metrics);
        self
    }

    /// Search volume for weighting these ranks; simulated volumes weigh only simulated ranks.
    pub fn volume_for_ranks(&self, ranks: Provenance) -> Option<u32> {
        let simulated = { self.metrics.as_ref() }
            .filter(|_| ranks.is_simulated())
            .and_then(|it| it.search_volume);
        self.search_volume.or(simulated)
    }

    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }

    pub fn uses_ai_quota(&self) -> bool {
        self.is_active() && self.ai_tracked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::Clock;
    use crate::test_support::{FrozenClock, a_keyword};

    #[test]
    fn a_keyword_is_shown_as_written_and_compared_folded() {
        let text = KeywordText::parse("  Rust   SEO ").unwrap();
        assert_eq!((text.as_str(), text.normalized()), ("Rust SEO", "rust seo"));
        assert_eq!(text.to_string(), "Rust SEO");
    }

    #[test]
    fn limits_hold_at_their_edges() {
        assert!(KeywordText::parse(&"ž".repeat(200)).is_ok());
        assert_eq!(
            KeywordText::parse(&"ž".repeat(201)),
            Err(KeywordRefusal::TooLong)
        );
        assert!(KeywordText::parse(&["a"; 20].join(" ")).is_ok());
        assert_eq!(
            KeywordText::parse(&["a"; 21].join(" ")),
            Err(KeywordRefusal::TooManyWords)
        );
        assert_eq!(KeywordText::parse("\u{a0}"), Err(KeywordRefusal::Empty));
        assert_eq!(
            KeywordText::parse("a\u{0}"),
            Err(KeywordRefusal::ControlCharacter)
        );
    }

    #[test]
    fn a_deactivated_keyword_uses_no_quota_and_keeps_its_setting() {
        let keyword = Keyword {
            ai_tracked: true,
            ..a_keyword("rust")
        };
        let patch = KeywordPatch {
            status: Change::Set(Status::Deactivated),
            ..KeywordPatch::default()
        };
        let gone = keyword.patched(patch, FrozenClock::default().now());
        assert!(keyword.uses_ai_quota() && !gone.uses_ai_quota() && gone.ai_tracked);
    }

    #[test]
    fn deactivating_sets_the_time_and_reactivating_clears_it() {
        let now = FrozenClock::default().now();
        let to = |status| KeywordPatch {
            status: Change::Set(status),
            ..KeywordPatch::default()
        };
        let gone = a_keyword("rust").patched(to(Status::Deactivated), now);
        assert_eq!(gone.deactivated_at, Some(now));
        let back = gone.patched(to(Status::Active), now);
        assert_eq!((back.status, back.deactivated_at), (Status::Active, None));
    }

    #[test]
    fn only_a_change_gets_a_new_version() {
        let (keyword, now) = (a_keyword("rust"), FrozenClock::default().now());
        let patch = |ai_tracked| KeywordPatch {
            ai_tracked: Change::Set(ai_tracked),
            ..KeywordPatch::default()
        };
        let later = now + chrono::TimeDelta::hours(1);
        let changed = keyword.patched(patch(!keyword.ai_tracked), later);
        assert_eq!(changed.row_version, keyword.row_version + 1);
        assert_eq!(changed.updated_at, later);
        assert_eq!(keyword.patched(patch(keyword.ai_tracked), later), keyword);
    }

    #[test]
    fn simulated_volumes_weigh_simulated_ranks_only() {
        let volume = |real, simulated: Option<u32>, ranks| {
            let metrics = simulated.map(|search_volume| KeywordMetrics {
                search_volume: Some(search_volume),
                difficulty: None,
                cpc: None,
                intent: None,
                provider: "sandbox".to_owned(),
                provenance: Provenance::Simulated,
                researched_at: FrozenClock::default().now(),
            });
            let keyword = Keyword {
                search_volume: real,
                metrics,
                ..a_keyword("rust")
            };
            keyword.volume_for_ranks(ranks)
        };
        let (real, simulated) = (Provenance::Measured, Provenance::Simulated);
        assert_eq!(volume(Some(70), Some(5), simulated), Some(70));
        assert_eq!(volume(None, Some(5), simulated), Some(5));
        assert_eq!(volume(None, Some(5), real), None);
        assert_eq!(volume(None, None, simulated), None);
    }
}
