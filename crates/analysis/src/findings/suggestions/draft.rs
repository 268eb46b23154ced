//! A suggestion while its evidence is collected: bounded in size and independent of the order.

use super::evidence::Evidence;
use super::record::{ExpectedGain, ReachBasis};
use super::rule::{Rule, Severity};
use crate::text::{similarity::fnv1a, words::shortened};
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::Write as _;

/// Pages, keywords and evidence per suggestion.
pub(super) const MAX_NAMED: usize = 50;
/// Cases described by single steps.
const MAX_DESCRIBED_CASES: usize = 5;

/// Of a page or keyword in a title.
pub(super) const MAX_TITLE_CHARACTERS: usize = 80;

/// In millionths, so that sums do not depend on the order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Clicks(u64);

impl Clicks {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clicks are neither negative nor anywhere near 2^44"
    )]
    pub fn of(clicks: f64) -> Self {
        Self((clicks.max(0.0) * 1e6).round() as u64)
    }

    #[expect(clippy::cast_precision_loss, reason = "rounded already")]
    pub fn get(self) -> f64 {
        self.0 as f64 / 1e6
    }

    pub fn add(&mut self, more: Self) {
        self.0 = self.0.saturating_add(more.0);
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Cases {
    kept: BTreeMap<(Reverse<Clicks>, String), Case>,
    /// Hashes of all URLs.
    seen: HashSet<u64>,
    clicks: Clicks,
    has_clicks: bool,
}

#[derive(Debug, Clone, Default)]
struct Case {
    evidence: BTreeMap<String, Evidence>,
    descriptions: BTreeSet<String>,
}

impl Cases {
    /// `clicks` per month; `told` describes the case.
    pub fn add(
        &mut self,
        url: &str,
        clicks: Option<Clicks>,
        evidence: impl IntoIterator<Item = Evidence>,
        description: Option<String>,
    ) {
        if self.seen.insert(fnv1a(url.as_bytes())) {
            self.clicks.add(clicks.unwrap_or_default());
            self.has_clicks |= clicks.is_some();
        }
        let case = self
            .kept
            .entry((Reverse(clicks.unwrap_or_default()), url.to_owned()))
            .or_default();
        for it in evidence {
            case.evidence.insert(key(&it), it);
            if case.evidence.len() > MAX_NAMED {
                case.evidence.pop_last();
            }
        }
        case.descriptions.extend(description);
        if case.descriptions.len() > MAX_DESCRIBED_CASES {
            case.descriptions.pop_last();
        }
        if self.kept.len() > MAX_NAMED {
            self.kept.pop_last();
        }
    }

    /// Merges cases; `others` must have listed all pages.
    fn merge(&mut self, others: Self) {
        for ((Reverse(clicks), url), case) in others.kept {
            let clicks = Some(clicks).filter(|_| others.has_clicks);
            self.add(&url, clicks, case.evidence.into_values(), None);
        }
    }

    pub fn count(&self) -> u64 {
        self.seen.len() as u64
    }

    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.kept.keys().map(|it| it.1.as_str())
    }

    pub fn clicks(&self) -> Option<f64> {
        self.has_clicks.then_some(self.clicks.get())
    }

    /// One piece per page, then the others, up to the limit.
    pub fn evidence(&self) -> Vec<Evidence> {
        let of = |first: bool| {
            self.kept.values().flat_map(move |case| {
                let all = case.evidence.values();
                all.enumerate()
                    .filter(move |(at, _)| (*at == 0) == first)
                    .map(|(_, it)| it.clone())
            })
        };
        let mut seen = BTreeSet::new();
        of(true)
            .chain(of(false))
            .filter(|it| seen.insert(key(it)))
            .take(MAX_NAMED)
            .collect()
    }

    pub fn descriptions(&self) -> Vec<String> {
        let mut descriptions: Vec<String> = Vec::new();
        let mut pages = 0;
        for case in self.kept.values() {
            if descriptions.len() + case.descriptions.len() > MAX_DESCRIBED_CASES && pages > 0 {
                break;
            }
            descriptions.extend(case.descriptions.iter().cloned());
            pages += 1;
        }
        let left = self.count().saturating_sub(pages);
        if left > 0 && !descriptions.is_empty() {
            let noun = if left == 1 { "page" } else { "pages" };
            descriptions.push(format!("Do the same on {left} more {noun}."));
        }
        descriptions
    }
}

fn key(evidence: &Evidence) -> String {
    let found = &evidence.record_ref;
    format!(
        "{:?}|{:?}|{:?}|{:?}|{}",
        evidence.result_type, found.keyword_id, found.url, found.with, evidence.pointer
    )
}

/// A suggestion before priorities are set.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub rule: &'static Rule,
    pub id: String,
    /// Overrides the title from rule and subject.
    pub title: Option<String>,
    pub url: Option<String>,
    pub keyword_id: Option<i64>,
    pub keyword: Option<String>,
    pub severity: Severity,
    pub rationale: String,
    pub cases: Cases,
    /// Evidence that belongs to no page.
    pub loose_evidence: Vec<Evidence>,
    pub keyword_ids: BTreeSet<i64>,
    pub reach: f64,
    pub basis: ReachBasis,
    pub gain: Option<ExpectedGain>,
    pub steps: Vec<String>,
    pub is_simulated: bool,
    /// Page keys that it would change or remove.
    pub claims: BTreeSet<String>,
}

impl Draft {
    /// `scope` identifies the subject and must be stable.
    pub fn new(rule: &'static Rule, scope: &str) -> Self {
        Self {
            rule,
            id: id(rule.id, scope),
            title: None,
            url: None,
            keyword_id: None,
            keyword: None,
            severity: rule.severity,
            rationale: String::new(),
            cases: Cases::default(),
            loose_evidence: Vec::new(),
            keyword_ids: BTreeSet::new(),
            reach: 0.0,
            basis: ReachBasis::ShareOfPages,
            gain: None,
            steps: Vec::new(),
            is_simulated: false,
            claims: BTreeSet::new(),
        }
    }

    pub fn effort(&self) -> f64 {
        if self.cases.count() > 1 {
            self.rule.effort_many
        } else {
            self.rule.effort_one
        }
    }

    pub fn value(&self) -> f64 {
        super::score::value(
            self.reach,
            self.rule.impact,
            self.rule.confidence,
            self.effort(),
        )
    }

    pub fn page(&self) -> Option<&str> {
        let only = self.cases.urls().next().filter(|_| self.cases.count() == 1);
        self.url.as_deref().or(only)
    }

    pub fn title(&self) -> String {
        if let Some(title) = &self.title {
            return title.clone();
        }
        let keyword = self.keyword.as_deref().map(|it| {
            let more = self.keyword_ids.len().saturating_sub(1);
            let more = if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            };
            format!("“{}”{more}", shortened(it, MAX_TITLE_CHARACTERS))
        });
        let about = match (self.page().map(page_label), keyword) {
            (Some(page), Some(keyword)) => format!("{page} for {keyword}"),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) if self.cases.count() > 1 => format!("{} pages", self.cases.count()),
            (None, None) => return self.rule.title.to_owned(),
        };
        format!("{}: {about}", self.rule.title)
    }

    pub fn merge(&mut self, other: Self) {
        self.reach = if self.basis == other.basis {
            self.reach + other.reach
        } else {
            self.reach.max(other.reach)
        };
        self.gain = match (self.gain.take(), other.gain) {
            (Some(own), Some(its)) if own.metric == its.metric => Some(ExpectedGain {
                low: own.low + its.low,
                mid: own.mid + its.mid,
                high: own.high + its.high,
                ..own
            }),
            (own, its) => own.or(its),
        };
        for step in other.steps {
            if self.steps.len() < MAX_DESCRIBED_CASES && !self.steps.contains(&step) {
                self.steps.push(step);
            }
        }
        self.severity = self.severity.min(other.severity);
        self.is_simulated |= other.is_simulated;
        self.cases.merge(other.cases);
        self.loose_evidence.extend(other.loose_evidence);
        self.loose_evidence.truncate(MAX_NAMED);
        self.keyword_ids.extend(other.keyword_ids);
        self.claims.extend(other.claims);
        if self.keyword_ids.len() > 1 {
            self.keyword_id = None;
        }
    }

    /// The larger of the clicks of its pages and 100 times their share of the indexable pages.
    #[expect(clippy::cast_precision_loss, reason = "counts of pages")]
    pub fn set_page_reach(&mut self, indexable: u64) {
        let share = if indexable > 0 {
            100.0 * (self.cases.count() as f64 / indexable as f64).min(1.0)
        } else {
            0.0
        };
        let clicks = self.cases.clicks();
        (self.reach, self.basis) = match clicks {
            Some(clicks) if clicks >= share => (clicks, ReachBasis::Clicks),
            _ => (share, ReachBasis::ShareOfPages),
        };
    }

    /// The potential clicks of its keywords, or 100 times their share of the project's keywords.
    #[expect(clippy::cast_precision_loss, reason = "counts of keywords")]
    pub fn set_keyword_reach(&mut self, potential: Option<f64>, tracked: usize) {
        (self.reach, self.basis) = match potential {
            Some(clicks) => (clicks, ReachBasis::PotentialClicks),
            None => (
                100.0 * self.keyword_ids.len() as f64 / tracked.max(1) as f64,
                ReachBasis::ShareOfKeywords,
            ),
        };
    }
}

/// Path and query, for titles.
pub(super) fn page_label(url: &str) -> String {
    let path = url::Url::parse(url).map_or_else(
        |_| url.to_owned(),
        |it| it[url::Position::BeforePath..url::Position::AfterQuery].to_owned(),
    );
    shortened(&path, MAX_TITLE_CHARACTERS).to_owned()
}

/// The first sixteen bytes of SHA-256 over rule and scope, in hexadecimal.
pub(super) fn id(rule: &str, scope: &str) -> String {
    let digest = Sha256::digest(format!("{rule}\n{scope}").as_bytes());
    digest[..16].iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_same_on_every_machine() {
        // printf 'titleMissing\nsite' | sha256sum | cut -c1-32
        assert_eq!(
            id("titleMissing", "site"),
            "f3fa87954d0248d22493a13c90fe8832"
        );
        assert_ne!(id("titleMissing", "site"), id("titleMissing", "page"));
    }

    #[test]
    fn pages_with_most_clicks_are_kept_in_any_order() {
        let add = |cases: &mut Cases, at: u32| {
            let url = format!("https://example.com/{at}");
            cases.add(&url, Some(Clicks::of(f64::from(at))), [], None);
        };
        let (mut one, mut other) = (Cases::default(), Cases::default());
        (0..200).for_each(|at| add(&mut one, at));
        (0..200).rev().for_each(|at| add(&mut other, at));
        (0..200).for_each(|at| add(&mut other, at));
        assert_eq!(one.count(), 200);
        assert_eq!(one.count(), other.count());
        let urls: Vec<&str> = one.urls().collect();
        assert_eq!(urls, other.urls().collect::<Vec<_>>());
        assert_eq!((urls.len(), urls[0]), (50, "https://example.com/199"));
        assert!((one.clicks().unwrap() - 19_900.0).abs() < 1e-9);
        assert_eq!(one.clicks(), other.clicks());
    }
}
