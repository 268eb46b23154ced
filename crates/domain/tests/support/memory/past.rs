//! History of keywords by source.

use super::state::State;
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::results::{AsOf, KeywordHistory, KeywordMeasurement, SearchSource};
use analysis::findings::rankings::RankState;
use analysis::findings::serp::{PreviousSerp, SerpRecord};
use analysis::result_type::ResultType;
use chrono::Days;

/// How far histories reach back.
const DAYS: Days = Days::new(37);
/// The page of a month ago is not newer than this, …
const NEAREST: Days = Days::new(23);
/// … and ideally this old.
const MONTH: Days = Days::new(30);

pub fn is_measured(of: &KeywordMeasurement) -> bool {
    of.point.state != RankState::Error
}

impl State {
    /// Measurements of the keyword by the source, oldest first.
    pub fn series(
        &self,
        account: AccountId,
        project: ProjectId,
        keyword: KeywordId,
        source: &SearchSource,
    ) -> Vec<&KeywordMeasurement> {
        let measured = self.measurements_of(account, project, keyword);
        let mut series: Vec<_> = measured.filter(|it| it.source == *source).collect();
        series.sort_by_key(|it| (it.point.measured_at, it.job));
        series
    }

    pub fn measurements_of(
        &self,
        account: AccountId,
        project: ProjectId,
        keyword: KeywordId,
    ) -> impl Iterator<Item = &KeywordMeasurement> {
        let measurements = self.measurements.iter();
        let of = measurements
            .filter(move |(key, _)| (key.0, key.1, key.2.0) == (account, project, keyword));
        of.map(|(_, measurement)| measurement)
    }

    pub fn history(
        &self,
        account: AccountId,
        project: ProjectId,
        keyword: KeywordId,
        as_of: &AsOf,
    ) -> KeywordHistory {
        let series = self.series(account, project, keyword, &as_of.source);
        let since = as_of.day - DAYS;
        let newest_first = || series.iter().copied().rev();
        let in_time =
            |it: &&KeywordMeasurement| (since..=as_of.day).contains(&it.day) && it.job != as_of.job;
        let mut points: Vec<&KeywordMeasurement> = newest_first().filter(in_time).collect();
        if !points.iter().any(|it| is_measured(it)) {
            let mut before = newest_first().filter(|it| it.day < since && is_measured(it));
            points.extend(before.next());
        }
        let last = self.latest_pages.get(&(account, project, keyword));
        let last = last.filter(|it| it.job != as_of.job && it.source == as_of.source);
        let from_month_ago = as_of.day - DAYS..=as_of.day - NEAREST;
        let nearest = { series.iter() }
            .filter(|it| from_month_ago.contains(&it.day) && is_measured(it))
            .min_by_key(|it| ((it.day - (as_of.day - MONTH)).num_days().abs(), it.job));
        let page = nearest.and_then(|it| {
            let key = (ResultType::Serp.name(), it.job, keyword.0);
            let finding = self.findings.get(&(account, project, key))?;
            finding.record.parse::<SerpRecord>().ok()
        });
        KeywordHistory {
            best: points.first().and_then(|it| it.best),
            worst: points.first().and_then(|it| it.worst),
            serp: last.and_then(|it| it.serp.clone()),
            month_ago: page.as_ref().and_then(PreviousSerp::of),
            points: points.into_iter().map(|it| it.point.clone()).collect(),
        }
    }
}
