//! Facts about each distinct link target, collected from all pages before the first record is written.

use super::history::{PreviousBrokenLinks, TargetHistory};
use super::judge::{CONFIRMED_AFTER, Judged};
use super::missing_names::MissingNames;
use super::on_page::on_page;
use super::site_index::SiteIndex;
use super::verdict::{Outcome, Verdict};
use crate::observation::page_content::PageContent;
use crate::observation::web_site::SiteObservation;
use crate::text::interned::Interned;
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// First pass over the pages: each is added once and not kept.
#[derive(Debug)]
pub struct LinkCards {
    pub(super) index: SiteIndex,
    /// Targets with their fragments; those of earlier runs come first.
    targets: Interned,
    /// By target number; targets of earlier runs only.
    past: Vec<TargetHistory>,
    /// By target number.
    cards: Vec<TargetCard>,
    pub(super) listed: u64,
    /// End of the crawl, equal in every attempt: severity and record order depend on the time since earlier runs.
    complete_at: Option<DateTime<Utc>>,
    pub(super) missing: MissingNames,
}

/// A target: the URL with its fragment, or the attribute as written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TargetCard {
    pub(super) sources: u32,
    pub(super) worst: Option<Found>,
    /// It is on another host and its failure may be temporary.
    may_pass: bool,
    /// For the next run: position of the last page by URL, and its last verdict.
    told: Option<(u32, Verdict)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) outcome: Outcome,
    pub(super) verdict: Verdict,
    pub(super) unasked: bool,
}

impl LinkCards {
    pub fn of(site: SiteObservation, previous: PreviousBrokenLinks) -> Self {
        let mut targets = Interned::default();
        let past = previous.into_targets().map(|(target, past)| {
            targets.id(&target);
            past
        });
        Self {
            past: past.collect(),
            cards: vec![TargetCard::default(); targets.len()],
            targets,
            complete_at: site.finished_at,
            index: SiteIndex::of(site),
            listed: 0,
            missing: MissingNames::default(),
        }
    }

    /// Adds a page; call once per page.
    pub fn add(&mut self, page: &PageContent) {
        let place = self.index.place_of_page(&page.url);
        let Some(place) = place.and_then(|it| u32::try_from(it).ok()) else {
            return;
        };
        let mut last = None;
        for found in on_page(page, &self.index) {
            let judged = &found.judged;
            let number = self.targets.id(&judged.target);
            if self.cards.len() < self.targets.len() {
                self.cards.push(TargetCard::default());
            }
            let card = &mut self.cards[number as usize];
            card.take_in(judged, place);
            // `on_page` is sorted by target.
            if last.replace(number) != Some(number) {
                card.sources = card.sources.saturating_add(1);
            }
            self.listed += u64::from(judged.verdict.is_listed());
            if judged.verdict == Verdict::MissingFragment {
                self.missing.want(&found, &self.index);
            }
        }
        self.missing.look_for(page, &self.index);
    }

    /// Position of a page among all pages by URL, whatever order they were read in.
    pub fn place_of(&self, page: &PageContent) -> Option<usize> {
        self.index.place_of_page(&page.url)
    }

    pub(crate) fn names_of(&self, page: &PageContent) -> Option<Arc<[u64]>> {
        self.index.pages.get(self.place_of(page)?)?.names.clone()
    }

    pub(super) fn met(&self) -> impl Iterator<Item = (u32, &TargetCard)> {
        (0..).zip(&self.cards).filter(|it| it.1.sources > 0)
    }

    pub(super) fn card(&self, target: &str) -> TargetCard {
        let number = self.targets.known(target);
        let card = number.and_then(|it| self.cards.get(it as usize));
        card.copied().unwrap_or_default()
    }

    pub(super) fn past_of(&self, target: &str) -> Option<&TargetHistory> {
        self.past.get(self.targets.known(target)? as usize)
    }

    pub(super) fn checked_at(&self, measured_at: DateTime<Utc>) -> DateTime<Utc> {
        self.complete_at.unwrap_or(measured_at)
    }

    /// Whether only this run found a possibly temporary failure.
    pub(super) fn is_suspect(&self, number: u32, card: &TargetCard, now: DateTime<Utc>) -> bool {
        let past = self.past.get(number as usize);
        card.may_pass && !is_agreed(past, self.checked_at(now))
    }

    /// External URLs, without fragments, broken now and in an earlier run; none while the crawl is incomplete.
    pub(crate) fn confirmed_elsewhere(&self) -> impl Iterator<Item = &str> {
        let agreed = self.met().filter(|(number, card)| {
            let past = self.past.get(*number as usize);
            let is_broken = card.worst.is_some_and(|it| it.outcome == Outcome::Broken);
            let at = self.complete_at;
            card.may_pass && is_broken && at.is_some_and(|it| is_agreed(past, it))
        });
        agreed.map(|(number, _)| {
            let target = self.targets.text(number);
            target.split('#').next().unwrap_or(target)
        })
    }

    /// State for the next run: updated for targets checked now, unchanged for the others.
    pub fn history(&self, at: DateTime<Utc>) -> PreviousBrokenLinks {
        let known = (0..).zip(&self.cards).filter_map(|(number, card)| {
            let past = self.past.get(number as usize).copied();
            let now = match card.told {
                None => past?,
                Some((_, verdict)) => past.unwrap_or_default().followed_by(verdict, at),
            };
            Some((self.targets.text(number).to_owned(), now))
        });
        known.collect()
    }
}

impl TargetCard {
    fn take_in(&mut self, judged: &Judged<'_>, place: u32) {
        let found = Found {
            outcome: judged.outcome(),
            verdict: judged.verdict,
            unasked: judged.unasked,
        };
        if self.worst.is_none_or(|it| found.weight() > it.weight()) {
            self.worst = Some(found);
        }
        self.may_pass |= judged.may_pass();
        let says_nothing = found.outcome == Outcome::Unknown
            || (found.outcome == Outcome::NotChecked && !found.verdict.is_listed());
        if !says_nothing {
            self.told = self.told.max(Some((place, judged.verdict)));
        }
    }
}

impl Found {
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
pub(super) fn is_agreed(past: Option<&TargetHistory>, now: DateTime<Utc>) -> bool {
    past.and_then(|it| it.bad_since)
        .is_some_and(|since| now - since >= CONFIRMED_AFTER)
}
