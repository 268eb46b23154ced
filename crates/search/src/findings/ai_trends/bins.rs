use crate::{ToSchema, findings::ai_visibility::PromptTally, provenance::Provenance};
use chrono::{Datelike, Days, Months, NaiveDate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How long the periods of a trend are.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiTrendPeriod)]
pub enum TrendPeriod {
    /// A day, in UTC.
    Day,
    /// Monday to Sunday.
    Week,
    /// A calendar month.
    Month,
}

impl TrendPeriod {
    pub fn start(self, day: NaiveDate) -> NaiveDate {
        let back = match self {
            Self::Day => 0,
            Self::Week => day.weekday().num_days_from_monday(),
            Self::Month => day.day0(),
        };
        day.checked_sub_days(Days::new(u64::from(back)))
            .unwrap_or(day)
    }

    pub(super) fn next(self, start: NaiveDate) -> Option<NaiveDate> {
        match self {
            Self::Day => start.checked_add_days(Days::new(1)),
            Self::Week => start.checked_add_days(Days::new(7)),
            Self::Month => start.checked_add_months(Months::new(1)),
        }
    }

    pub(super) fn before(self, start: NaiveDate, periods: u32) -> Option<NaiveDate> {
        match self {
            Self::Day => start.checked_sub_days(Days::new(u64::from(periods))),
            Self::Week => start.checked_sub_days(Days::new(7 * u64::from(periods))),
            Self::Month => start.checked_sub_months(Months::new(periods)),
        }
    }
}

/// Answers are compared only if these are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SegmentKey<'a> {
    pub model: Option<&'a str>,
    pub template_version: u32,
    pub detector_version: &'a str,
    pub provenance: Provenance,
}

impl<'a> SegmentKey<'a> {
    pub fn of(tally: &'a PromptTally) -> Self {
        Self {
            model: tally.model.as_deref(),
            template_version: tally.template_version,
            detector_version: &tally.detector_version,
            provenance: tally.provenance,
        }
    }

    fn order(&self) -> (Option<&str>, u32, &str, u8) {
        let source = match self.provenance {
            Provenance::Measured => 0,
            Provenance::Imported => 1,
            Provenance::Estimated => 2,
            Provenance::Simulated => 3,
        };
        (
            self.model,
            self.template_version,
            self.detector_version,
            source,
        )
    }
}

#[derive(Debug)]
pub(super) struct Bin<'a> {
    pub start: NaiveDate,
    /// The terms of most answers.
    pub key: SegmentKey<'a>,
    /// The first day with answers on these terms.
    pub since: NaiveDate,
    pub tallies: Vec<&'a PromptTally>,
    /// Answers on other terms.
    pub others: u64,
    /// Number of the segment, from 0.
    pub segment: usize,
}

/// The periods with answers, oldest first, each with the tallies on its main terms.
pub(super) fn bins<'a>(tallies: &[&'a PromptTally], period: TrendPeriod) -> Vec<Bin<'a>> {
    let mut by_start: BTreeMap<NaiveDate, Vec<&'a PromptTally>> = BTreeMap::new();
    for tally in tallies.iter().copied().filter(|it| it.answers > 0) {
        by_start
            .entry(period.start(tally.day))
            .or_default()
            .push(tally);
    }
    let mut bins: Vec<Bin<'a>> = Vec::new();
    for (start, all) in by_start {
        let Some(terms) = main_key(&all, bins.last().map(|it| it.key)) else {
            continue;
        };
        let (same, other): (Vec<&'a PromptTally>, Vec<&'a PromptTally>) =
            all.into_iter().partition(|it| SegmentKey::of(it) == terms);
        let segment = bins
            .last()
            .map_or(0, |last| last.segment + usize::from(last.key != terms));
        bins.push(Bin {
            start,
            key: terms,
            since: same.iter().map(|it| it.day).min().unwrap_or(start),
            others: other.iter().map(|it| it.answers).sum(),
            tallies: same,
            segment,
        });
    }
    bins
}

/// The terms of most answers; on a tie those of the period before.
fn main_key<'a>(all: &[&'a PromptTally], last: Option<SegmentKey<'a>>) -> Option<SegmentKey<'a>> {
    let mut counts: Vec<(SegmentKey<'a>, u64)> = Vec::new();
    for tally in all {
        let terms = SegmentKey::of(tally);
        match counts.iter_mut().find(|it| it.0 == terms) {
            Some(count) => count.1 += tally.answers,
            None => counts.push((terms, tally.answers)),
        }
    }
    counts.sort_by(|a, b| {
        (b.1.cmp(&a.1))
            .then_with(|| (last != Some(a.0)).cmp(&(last != Some(b.0))))
            .then_with(|| a.0.order().cmp(&b.0.order()))
    });
    counts.first().map(|it| it.0)
}
