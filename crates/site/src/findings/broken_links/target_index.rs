//! Facts about each distinct link target, collected from all pages before the first record is written.

use super::evaluate::{CONFIRMED_AFTER, EvaluatedLink};
use super::history::{PreviousBrokenLinks, TargetHistory};
use super::page_targets::page_targets;
use super::similar_names::WantedNames;
use super::site_index::SiteIndex;
use super::verdict::{Outcome, Verdict};
use crate::observation::page_content::PageContent;
use crate::observation::web_site::SiteObservation;
use crate::text::interner::Interner;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// First pass over the pages: each is added once and not kept.
#[derive(Debug)]
pub struct TargetIndex {
    pub(super) index: SiteIndex,
    /// Targets with their fragments; those of earlier runs come first.
    targets: Interner,
    /// By target number; targets of earlier runs only.
    past: Vec<TargetHistory>,
    /// By target number.
    summaries: Vec<TargetSummary>,
    pub(super) listed: u64,
    /// End of the crawl, equal in every attempt: severity and record order depend on the time since earlier runs.
    completed_at: Option<DateTime<Utc>>,
    pub(super) wanted_names: WantedNames,
}

/// A target: the URL with its fragment, or the attribute as written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TargetSummary {
    pub(super) sources: u32,
    pub(super) worst: Option<CheckResult>,
    /// It is on another host and its failure may be temporary.
    may_be_temporary: bool,
    /// For the next run: position of the last page by URL, and its last verdict.
    latest: Option<(u32, Verdict)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CheckResult {
    pub(super) outcome: Outcome,
    pub(super) verdict: Verdict,
    pub(super) unchecked: bool,
}

impl TargetIndex {
    pub fn of(site: SiteObservation, previous: PreviousBrokenLinks) -> Self {
        let mut targets = Interner::default();
        let past = previous.into_targets().map(|(target, past)| {
            targets.intern(&target);
            past
        });
        Self {
            past: past.collect(),
            summaries: vec![TargetSummary::default(); targets.len()],
            targets,
            completed_at: site.finished_at,
            index: SiteIndex::of(site),
            listed: 0,
            wanted_names: WantedNames::default(),
        }
    }

    /// Adds a page; call once per page.
    pub fn add(&mut self, page: &PageContent) {
        let page_index = self.index.page_index(&page.url);
        let Some(page_index) = page_index.and_then(|it| u32::try_from(it).ok()) else {
            return;
        };
        let mut last = None;
        for found in page_targets(page, &self.index) {
            let evaluated = &found.evaluated;
            let number = self.targets.intern(&evaluated.target);
            if self.summaries.len() < self.targets.len() {
                self.summaries.push(TargetSummary::default());
            }
            let summary = &mut self.summaries[number as usize];
            summary.record(evaluated, page_index);
            // `on_page` is sorted by target.
            if last.replace(number) != Some(number) {
                summary.sources = summary.sources.saturating_add(1);
            }
            self.listed += u64::from(evaluated.verdict.is_listed());
            if evaluated.verdict == Verdict::MissingFragment {
                self.wanted_names.add(&found, &self.index);
            }
        }
        self.wanted_names.scan_page(page, &self.index);
    }

    /// Position of a page among all pages by URL, whatever order they were read in.
    pub fn position_of(&self, page: &PageContent) -> Option<usize> {
        self.index.page_index(&page.url)
    }

    pub(crate) fn names_of(&self, page: &PageContent) -> Option<Arc<[u64]>> {
        self.index.pages.get(self.position_of(page)?)?.names.clone()
    }

    pub(super) fn linked_targets(&self) -> impl Iterator<Item = (u32, &TargetSummary)> {
        (0..).zip(&self.summaries).filter(|it| it.1.sources > 0)
    }

    pub(super) fn summary(&self, target: &str) -> TargetSummary {
        let number = self.targets.get(target);
        let summary = number.and_then(|it| self.summaries.get(it as usize));
        summary.copied().unwrap_or_default()
    }

    pub(super) fn previous_history(&self, target: &str) -> Option<&TargetHistory> {
        self.past.get(self.targets.get(target)? as usize)
    }

    pub(super) fn checked_at(&self, measured_at: DateTime<Utc>) -> DateTime<Utc> {
        self.completed_at.unwrap_or(measured_at)
    }

    /// Whether only this run found a possibly temporary failure.
    pub(super) fn is_suspect(
        &self,
        number: u32,
        summary: &TargetSummary,
        now: DateTime<Utc>,
    ) -> bool {
        let past = self.past.get(number as usize);
        summary.may_be_temporary && !is_confirmed(past, self.checked_at(now))
    }

    /// External URLs, without fragments, broken now and in an earlier run; none while the crawl is incomplete.
    pub(crate) fn confirmed_external(&self) -> impl Iterator<Item = &str> {
        let agreed = self.linked_targets().filter(|(number, summary)| {
            let past = self.past.get(*number as usize);
            let is_broken = summary
                .worst
                .is_some_and(|it| it.outcome == Outcome::Broken);
            let at = self.completed_at;
            summary.may_be_temporary && is_broken && at.is_some_and(|it| is_confirmed(past, it))
        });
        agreed.map(|(number, _)| {
            let target = self.targets.text(number);
            target.split('#').next().unwrap_or(target)
        })
    }

    /// State for the next run: updated for targets checked now, unchanged for the others.
    pub fn history(&self, at: DateTime<Utc>) -> PreviousBrokenLinks {
        let known = (0..).zip(&self.summaries).filter_map(|(number, summary)| {
            let past = self.past.get(number as usize).copied();
            let now = match summary.latest {
                None => past?,
                Some((_, verdict)) => past.unwrap_or_default().after_check(verdict, at),
            };
            Some((self.targets.text(number).to_owned(), now))
        });
        known.collect()
    }
}

impl TargetSummary {
    fn record(&mut self, evaluated: &EvaluatedLink<'_>, page_index: u32) {
        let found = CheckResult {
            outcome: evaluated.outcome(),
            verdict: evaluated.verdict,
            unchecked: evaluated.unchecked,
        };
        if self.worst.is_none_or(|it| found.weight() > it.weight()) {
            self.worst = Some(found);
        }
        self.may_be_temporary |= evaluated.may_be_temporary();
        let is_inconclusive = found.outcome == Outcome::Unknown
            || (found.outcome == Outcome::NotChecked && !found.verdict.is_listed());
        if !is_inconclusive {
            self.latest = self.latest.max(Some((page_index, evaluated.verdict)));
        }
    }
}

impl CheckResult {
    const fn weight_of(outcome: Outcome) -> u8 {
        match outcome {
            Outcome::NotChecked => 0,
            Outcome::Ok => 1,
            Outcome::Redirected => 2,
            Outcome::Restricted => 3,
            Outcome::Unknown => 4,
            Outcome::Broken => 5,
        }
    }

    fn weight(self) -> (u8, Verdict) {
        (Self::weight_of(self.outcome), self.verdict)
    }
}

/// Whether a check at least `CONFIRMED_AFTER` ago found the target broken too.
pub(super) fn is_confirmed(past: Option<&TargetHistory>, now: DateTime<Utc>) -> bool {
    past.and_then(|it| it.bad_since)
        .is_some_and(|since| now - since >= CONFIRMED_AFTER)
}
