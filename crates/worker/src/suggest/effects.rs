//! Measures the effects of fixes from later data.

use super::{BATCH, CORRUPT, Newest};
use crate::attempt_state::AttemptFailure;
use analysis::document::Document;
use analysis::findings::rankings::RankState;
use analysis::findings::suggestions::{
    EffectMetric, EffectSeries, Observation, State, SuggestionRecord, Trials, Verdict,
};
use analysis::result_type::ResultType;
use chrono::{DateTime, NaiveTime, TimeDelta, Utc};
use domain::ids::KeywordId;
use domain::page::{Direction, PageRequest};
use domain::ports::storage::StorageError;
use domain::results::{FindingQuery, FindingSort, RankHistoryPoint};
use domain::search_console::PageDay;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const MAX_LOADS: u32 = 200;
/// Length of the baseline before a fault was last seen.
const BASELINE: TimeDelta = TimeDelta::days(28);

struct Measured {
    rank_histories: BTreeMap<i64, Vec<RankHistoryPoint>>,
    pages: BTreeMap<String, Vec<PageDay>>,
    speeds: BTreeMap<String, Vec<Observation>>,
}

/// Whether it was fixed and its effect is undecided. A verdict is final: its data is deleted some day.
fn is_pending(record: &SuggestionRecord) -> bool {
    let is_settled = record.effect.as_ref().is_some_and(|effect| {
        effect.verdict != Verdict::TooEarly && effect.before.to == record.last_seen_at
    });
    record.state == State::Fixed && !is_settled
}

fn uses_metric(record: &SuggestionRecord, metrics: &[EffectMetric]) -> bool {
    metrics.contains(&record.effect_metric())
}

impl Newest<'_> {
    pub(super) async fn evaluate_effects(
        &self,
        records: &mut [SuggestionRecord],
        now: DateTime<Utc>,
    ) -> Result<(), AttemptFailure> {
        let waiting: Vec<&SuggestionRecord> = records.iter().filter(|it| is_pending(it)).collect();
        let measured = Measured {
            rank_histories: self.load_rank_histories(&waiting).await?,
            pages: self.pages_of(&waiting).await?,
            speeds: self.speeds_of(&waiting).await?,
        };
        for record in records.iter_mut().filter(|it| is_pending(it)) {
            record.effect = match record.effect_metric() {
                EffectMetric::Position => {
                    record.effect(&EffectSeries::Values(&measured.positions(record)), now)
                }
                EffectMetric::Clicks => {
                    record.effect(&EffectSeries::Values(&measured.clicks(record)), now)
                }
                EffectMetric::Ctr => {
                    record.effect(&EffectSeries::Rates(&measured.trials(record)), now)
                }
                EffectMetric::Vitals => {
                    let seen = measured.speeds.get(&record.suggestion_id);
                    record.effect(&EffectSeries::Values(seen.map_or(&[], Vec::as_slice)), now)
                }
                EffectMetric::MentionRate | EffectMetric::None => None,
            };
        }
        Ok(())
    }

    async fn load_rank_histories(
        &self,
        waiting: &[&SuggestionRecord],
    ) -> Result<BTreeMap<i64, Vec<RankHistoryPoint>>, AttemptFailure> {
        let by_position = waiting
            .iter()
            .filter(|it| uses_metric(it, &[EffectMetric::Position]));
        let ids: BTreeSet<i64> = by_position.flat_map(|it| it.keyword_ids.clone()).collect();
        let ids: Vec<KeywordId> = ids.into_iter().map(KeywordId).collect();
        let mut histories = BTreeMap::new();
        for ids in ids.chunks(BATCH as usize) {
            let places = ids.iter().map(|it| it.0);
            histories.extend(places.zip(self.rank_histories(ids).await?));
        }
        Ok(histories)
    }

    async fn pages_of(
        &self,
        waiting: &[&SuggestionRecord],
    ) -> Result<BTreeMap<String, Vec<PageDay>>, AttemptFailure> {
        let by_clicks = waiting
            .iter()
            .filter(|it| uses_metric(it, &[EffectMetric::Clicks, EffectMetric::Ctr]));
        let urls: BTreeSet<String> = by_clicks.flat_map(|it| it.affected_urls.clone()).collect();
        let urls: Vec<String> = urls.into_iter().collect();
        let (account, project, day) = (self.job.account, self.job.project, self.job.day);
        let mut pages: BTreeMap<String, Vec<PageDay>> = BTreeMap::new();
        let page_days = { &self.tools.core }.page_days(account, project, day, &urls);
        for page_day in page_days.await? {
            pages
                .entry(page_day.page.clone())
                .or_default()
                .push(page_day);
        }
        Ok(pages)
    }

    /// Speed by suggestion id: one query per page, for few pages.
    async fn speeds_of(
        &self,
        waiting: &[&SuggestionRecord],
    ) -> Result<BTreeMap<String, Vec<Observation>>, AttemptFailure> {
        let mut speeds = BTreeMap::new();
        for record in waiting
            .iter()
            .filter(|it| uses_metric(it, &[EffectMetric::Vitals]))
        {
            let mut seen = Vec::new();
            for url in &record.affected_urls {
                let mut read = self.tools.core.storage.read().await?;
                let page = read
                    .results()
                    .findings(self.job.account, self.job.project, &speed_of(record, url))
                    .await?;
                for finding in &page.items {
                    let value = figure(record, &finding.record)?;
                    seen.extend(value.map(|value| Observation {
                        at: finding.measured_at,
                        value,
                    }));
                }
            }
            speeds.insert(record.suggestion_id.clone(), seen);
        }
        Ok(speeds)
    }
}

fn speed_of(record: &SuggestionRecord, url: &str) -> FindingQuery {
    FindingQuery {
        result_type: ResultType::Vitals,
        job: None,
        keyword: None,
        url: Some(url.to_owned()),
        ordinal: None,
        from: Some(record.last_seen_at - BASELINE),
        to: None,
        page: PageRequest {
            sort: FindingSort::MeasuredAt,
            direction: Direction::Ascending,
            after: None,
            limit: MAX_LOADS,
            counted: false,
            bytes: None,
        },
    }
}

/// The value at the evidence's pointer; `None` for another device or source, or if missing.
fn figure(of: &SuggestionRecord, speed: &Document) -> Result<Option<f64>, StorageError> {
    let Some(evidence) = of.evidence.first() else {
        return Ok(None);
    };
    let speed: Value = speed.parse().map_err(|_| CORRUPT)?;
    let mut with = evidence.record_ref.with.iter();
    let is_alike = with.all(|(name, value)| speed[name] == value.as_str());
    let figure = speed.pointer(&evidence.pointer).and_then(Value::as_f64);
    Ok(figure.filter(|_| is_alike))
}

impl Measured {
    /// Daily mean position of the keywords; unranked counts as one below the checked depth.
    fn positions(&self, of: &SuggestionRecord) -> Vec<Observation> {
        let histories = of
            .keyword_ids
            .iter()
            .filter_map(|it| self.rank_histories.get(it));
        let points = histories.flatten();
        let mut days: BTreeMap<_, (DateTime<Utc>, f64, f64)> = BTreeMap::new();
        for point in points.filter(|it| it.state != RankState::Error) {
            let position = point.position.unwrap_or(point.depth_checked + 1);
            let day = days
                .entry(point.day)
                .or_insert((point.measured_at, 0.0, 0.0));
            day.1 += f64::from(position);
            day.2 += 1.0;
        }
        let means = days.into_values();
        means
            .map(|(at, sum, count)| Observation {
                at,
                value: sum / count,
            })
            .collect()
    }

    fn trials(&self, of: &SuggestionRecord) -> Vec<Trials> {
        let pages = of.affected_urls.iter().filter_map(|it| self.pages.get(it));
        let mut days = BTreeMap::new();
        for page_day in pages.flatten() {
            let day: &mut (u64, u64) = days.entry(page_day.day).or_default();
            day.0 = day.0.saturating_add(page_day.clicks);
            day.1 = day.1.saturating_add(page_day.impressions);
        }
        let days = days.into_iter();
        days.map(|(day, (successes, trials))| Trials {
            at: day.and_time(NaiveTime::MIN).and_utc(),
            successes,
            trials,
        })
        .collect()
    }

    #[expect(clippy::cast_precision_loss, reason = "clicks are far below 2^52")]
    fn clicks(&self, of: &SuggestionRecord) -> Vec<Observation> {
        let days = self.trials(of).into_iter();
        days.map(|it| Observation {
            at: it.at,
            value: it.successes as f64,
        })
        .collect()
    }
}
