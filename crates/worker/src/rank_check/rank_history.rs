//! Evaluates rank histories in batches: own pages that compete for a keyword, and position forecasts.

use super::own_pages::{OwnPages, own_pages};
use super::{Pass, own_searches};
use crate::{attempt_state::AttemptFailure, staging::stage};
use analysis::document::Document;
use analysis::events::{
    AlarmBudget, BestPages, EventDraft, EventLimit, EventRun, MeasuredRank, RankSample, rank_event,
    url_changed,
};
use analysis::findings::cannibalization;
use analysis::findings::cannibalization::{
    CannibalizationInput, CannibalizationRecord, CannibalizationTally,
};
use analysis::findings::envelope::FindingContext;
use analysis::findings::forecast::{
    ForecastInput, ForecastRecord, ForecastTally, HistorySource, Quantity, forecast,
};
use analysis::findings::keyword_market::TrackedKeyword;
use analysis::findings::rankings::{
    self, KeywordRank, RankChanges, RankPoint, VisibilityComparison, changes_between,
};
use analysis::forecast::history::{Observation, ObservedValue};
use analysis::result_type::ResultType;
use analysis::url_rules::SiteScope;
use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::ids::{JobId, KeywordId};
use domain::keyword::Keyword;
use domain::results::{
    AsOf, OwnSnapshot, RankHistoryPoint, RankState, SearchSource, StagedFinding,
};
use domain::use_cases::measure_keyword::tracked;
use domain::use_cases::own_searches::ShownPage;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Keywords per batch.
const BATCH: u32 = 200;
/// Length of the position history.
const HISTORY_DAYS: Days = Days::new(400);
/// Length of the history of own pages.
const OWN_PAGES_DAYS: Days = Days::new(cannibalization::WINDOW_DAYS.unsigned_abs());
/// Minimum and maximum age, as for `change7` and `change30` of a record.
type AgeRange = (Days, Days);
const A_WEEK: AgeRange = (Days::new(7), Days::new(9));
const A_MONTH: AgeRange = (Days::new(30), Days::new(37));
/// In days.
const FORECAST_DAYS: u32 = 30;
/// Top three, or the first page.
const TARGET_POSITIONS: [f64; 2] = [3.0, 10.0];

#[derive(Default)]
pub(super) struct HistoryEvaluation {
    pub(super) forecasts: ForecastTally,
    pub(super) forecast_count: usize,
    pub(super) cannibalization: CannibalizationTally,
    cannibalized: Vec<(Option<f64>, StagedFinding)>,
    /// Keywords measured in this run; `before` is their previous point.
    now: Vec<KeywordRank>,
    before: Vec<KeywordRank>,
    pub(super) visibility: Visibility,
    pub(super) events: EventLimit,
}

/// Visibility changes since the last check, a week and a month ago, over the keywords measured in this run.
#[derive(Default)]
pub(super) struct Visibility {
    pub(super) last: VisibilityComparison,
    pub(super) week: VisibilityComparison,
    pub(super) month: VisibilityComparison,
}

struct RankHistory {
    keyword: TrackedKeyword,
    points: Vec<RankHistoryPoint>,
    own: Vec<OwnSnapshot>,
    /// Pages that Search Console reports for it, if more than one.
    shown: Vec<ShownPage>,
}

struct Batch {
    histories: Vec<RankHistory>,
    /// Keywords that the job measured; others have only earlier points.
    measured: Arc<HashSet<KeywordId>>,
    job: JobId,
    pages: OwnPages,
    site: SiteScope,
    source: SearchSource,
    provider: String,
    day: NaiveDate,
    now: DateTime<Utc>,
}

impl RankHistory {
    fn current(&self, day: NaiveDate) -> Option<&RankHistoryPoint> {
        self.points.last().filter(|it| it.day == day)
    }

    /// The points before the last one.
    fn earlier(&self) -> Option<&[RankHistoryPoint]> {
        self.points.split_last().map(|(_, earlier)| earlier)
    }

    /// Whether the last own pages are those of the last point.
    fn is_own_current(&self) -> bool {
        let at = self.points.last().map(|it| it.measured_at);
        self.own.last().map(|it| it.at) == at
    }

    /// The last success before that day.
    fn previous(&self, day: NaiveDate) -> Option<&RankHistoryPoint> {
        let earlier = self.earlier()?;
        let is_measured = |it: &&RankHistoryPoint| it.state != RankState::Error;
        earlier
            .iter()
            .rev()
            .find(is_measured)
            .filter(|_| self.current(day).is_some())
    }

    /// The newest success in that age range.
    fn newest_within(&self, day: NaiveDate, (min_age, max_age): AgeRange) -> Option<RankPoint> {
        let window = day - max_age..=day - min_age;
        let fits =
            |it: &&RankHistoryPoint| it.state != RankState::Error && window.contains(&it.day);
        { self.points.iter().rev() }.find(fits).map(RankPoint::from)
    }

    fn standing(&self, at: &RankHistoryPoint) -> KeywordRank {
        KeywordRank {
            keyword_id: self.keyword.keyword_id,
            keyword: self.keyword.keyword.clone(),
            search_volume: self.keyword.search_volume,
            point: at.into(),
        }
    }
}

struct Evaluated {
    keyword: i64,
    forecast: ForecastRecord,
    cannibalization: Option<CannibalizationRecord>,
    now: Option<KeywordRank>,
    before: Option<KeywordRank>,
    a_week_ago: Option<RankPoint>,
    a_month_ago: Option<RankPoint>,
    events: Vec<EventDraft>,
}

impl Pass<'_> {
    /// Evaluates and stages all active keywords; `None` if stopped.
    pub(super) async fn evaluate_histories(
        &mut self,
        provider: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<HistoryEvaluation>, AttemptFailure> {
        let (tools, job) = (self.tools, self.job);
        let mut evaluation = HistoryEvaluation::default();
        let measured = Arc::new(tools.core.measured_keywords(job).await?);
        let mut walk = tools.core.walk_keywords(job.account, job.project, BATCH);
        while let Some(keywords) = walk.next().await? {
            let measured = Arc::clone(&measured);
            let batch = self.batch(&keywords, measured, provider, now).await?;
            let evaluated = tokio::task::spawn_blocking(move || batch.evaluate()).await?;
            let staged = evaluation.add(evaluated, now);
            stage(tools, job, self.state, &staged).await?;
            self.evaluated += keywords.len() as u64;
            self.state.set_progress(self.progress(false));
            if self.state.stop.is_cancelled() {
                return Ok(None);
            }
        }
        Ok(Some(evaluation))
    }

    async fn batch(
        &self,
        keywords: &[Keyword],
        measured: Arc<HashSet<KeywordId>>,
        provider: &str,
        now: DateTime<Utc>,
    ) -> Result<Batch, AttemptFailure> {
        let job = self.job;
        let ids: Vec<KeywordId> = keywords.iter().map(|it| it.id).collect();
        let as_of = AsOf::of(job, self.tools.search.label().source());
        let mut read = self.tools.core.storage.read().await?;
        let places = read
            .measurements()
            .own_places(
                job.account,
                job.project,
                &ids,
                job.day - OWN_PAGES_DAYS,
                &as_of,
            )
            .await?;
        let points = read
            .measurements()
            .rank_histories(
                job.account,
                job.project,
                &ids,
                job.day - HISTORY_DAYS,
                &as_of,
            )
            .await?;
        drop(read);
        let pages = own_pages(self.tools, job, &places).await?;
        let mut shown = if as_of.source.is_google() {
            let keywords: Vec<&Keyword> = keywords.iter().collect();
            self.own.shown_pages(&keywords).await?
        } else {
            HashMap::new()
        };
        let histories = keywords.iter().zip(points).zip(places);
        Ok(Batch {
            histories: histories
                .map(|((keyword, points), own)| RankHistory {
                    keyword: tracked(keyword, as_of.source.provenance),
                    points,
                    own,
                    shown: shown.remove(&keyword.id).unwrap_or_default(),
                })
                .collect(),
            measured,
            job: job.id,
            pages,
            site: SiteScope::of(self.site.ascii()),
            source: as_of.source,
            provider: provider.to_owned(),
            day: job.day,
            now,
        })
    }
}

impl Batch {
    fn evaluate(&self) -> Vec<Evaluated> {
        let run = EventRun {
            job: self.job.0,
            simulated: self.source.provenance.is_simulated(),
            method: rankings::METHOD_VERSION,
        };
        let budget = AlarmBudget::of_ranks(self.measured.len() as u64);
        let evaluated = self.histories.iter().map(|history| Evaluated {
            keyword: history.keyword.keyword_id,
            forecast: self.forecast(history),
            cannibalization: self.cannibalization(history),
            now: history.current(self.day).map(|it| history.standing(it)),
            before: history.previous(self.day).map(|it| history.standing(it)),
            a_week_ago: history.newest_within(self.day, A_WEEK),
            a_month_ago: history.newest_within(self.day, A_MONTH),
            events: self.events(history, &run, &budget),
        });
        evaluated.collect()
    }

    /// Of a keyword that the job measured.
    fn events(
        &self,
        history: &RankHistory,
        run: &EventRun<'_>,
        budget: &AlarmBudget,
    ) -> Vec<EventDraft> {
        let (id, keyword) = (history.keyword.keyword_id, &history.keyword.keyword);
        let current = history.current(self.day);
        let current = current.filter(|_| self.measured.contains(&KeywordId(id)));
        let Some((current, earlier)) = current.zip(history.earlier()) else {
            return Vec::new();
        };
        let moved = rank_event(
            run,
            budget,
            &MeasuredRank {
                keyword_id: id,
                keyword,
                measured_at: current.measured_at,
                now: sample(current),
                past: earlier.iter().rev().map(sample),
            },
        );
        let mut pages = history.own.iter().rev().map(best_page);
        let mut next = || pages.next().flatten();
        let best = BestPages {
            keyword_id: id,
            keyword,
            measured_at: current.measured_at,
            now: next().filter(|_| history.is_own_current()),
            last: next(),
            before_last: next(),
            last_is_gone: false,
        };
        moved.into_iter().chain(url_changed(run, &best)).collect()
    }

    fn forecast(&self, history: &RankHistory) -> ForecastRecord {
        let depth = history.points.iter().map(|it| it.depth_checked).max();
        let depth = depth.unwrap_or(0).max(1);
        let last = history.points.last();
        forecast(&ForecastInput {
            context: FindingContext {
                project_id: history.keyword.project_id,
                measured_at: last.map_or(self.now, |it| it.measured_at),
            },
            keyword: Some((&history.keyword, &self.source.engine)),
            quantity: Quantity::Position { depth },
            observations: &observations(&history.points, depth),
            source: HistorySource {
                provenance: self.source.provenance,
                provider: Some(&self.provider),
            },
            days: FORECAST_DAYS,
            thresholds: &TARGET_POSITIONS,
        })
    }

    fn cannibalization(&self, history: &RankHistory) -> Option<CannibalizationRecord> {
        let counted = own_searches::with_counts(&self.pages.facts, &history.shown);
        cannibalization::evaluate(&CannibalizationInput {
            keyword: &history.keyword,
            engine: &self.source.engine,
            provider: Some(&self.provider),
            provenance: self.source.provenance,
            site: &self.site,
            snapshots: &history.own,
            pages: counted.as_ref().unwrap_or(&self.pages.facts),
            similarities: &self.pages.similarities,
        })
    }
}

fn sample(point: &RankHistoryPoint) -> RankSample {
    RankSample {
        day: point.day,
        state: point.state,
        position: point.position,
        depth: point.depth_checked,
    }
}

fn best_page(seen: &OwnSnapshot) -> Option<&str> {
    let best = seen.places.iter().min_by_key(|it| it.position)?;
    Some(&best.url)
}

/// One observation per day: the last success. Not ranking within a smaller depth is not evidence.
fn observations(points: &[RankHistoryPoint], depth: u32) -> Vec<Observation> {
    let mut days: Vec<Observation> = Vec::new();
    for point in points {
        let seen = match (point.state, point.position) {
            (RankState::Ranked, Some(position)) => ObservedValue::Value(f64::from(position)),
            (RankState::NotRanked, _) if point.depth_checked >= depth => ObservedValue::BelowDepth,
            _ => ObservedValue::Missing,
        };
        match days.last_mut().filter(|it| it.date == point.day) {
            Some(_) if seen == ObservedValue::Missing => {}
            Some(of_the_day) => of_the_day.value = seen,
            None => days.push(Observation {
                date: point.day,
                value: seen,
            }),
        }
    }
    days
}

impl HistoryEvaluation {
    /// Adds the results; returns what to stage at once.
    fn add(&mut self, evaluated: Vec<Evaluated>, now: DateTime<Utc>) -> Vec<StagedFinding> {
        let mut staged = Vec::with_capacity(evaluated.len());
        for one in evaluated {
            self.forecasts.add(&one.forecast);
            self.forecast_count += 1;
            staged.push(keyword_finding(
                ResultType::Forecast,
                one.keyword,
                one.forecast.envelope.measured_at,
                Document::of(&one.forecast),
            ));
            if let Some(now) = &one.now {
                let last = one.before.as_ref().map(|it| &it.point);
                self.visibility.last.add(now, last);
                { &mut self.visibility.week }.add(now, one.a_week_ago.as_ref());
                { &mut self.visibility.month }.add(now, one.a_month_ago.as_ref());
            }
            self.events.extend(one.events);
            self.now.extend(one.now);
            self.before.extend(one.before);
            self.cannibalization.add(one.cannibalization.as_ref());
            if let Some(record) = one.cannibalization {
                let document = Document::of(&record);
                let of = ResultType::Cannibalization;
                let finding = StagedFinding {
                    url: Some(record.primary_url),
                    sort_value: record.score,
                    ..keyword_finding(of, one.keyword, now, document)
                };
                self.cannibalized.push((record.score, finding));
            }
        }
        staged
    }

    pub(super) fn since_last(&mut self) -> RankChanges {
        changes_between(
            &std::mem::take(&mut self.before),
            &std::mem::take(&mut self.now),
        )
    }

    /// Keywords with competing own pages, worst first.
    pub(super) fn take_cannibalized(&mut self) -> Vec<StagedFinding> {
        let mut cannibalized = std::mem::take(&mut self.cannibalized);
        let worth = |score: Option<f64>| score.unwrap_or(-1.0);
        cannibalized.sort_by(|one, other| {
            let by_score = worth(other.0).total_cmp(&worth(one.0));
            by_score.then(one.1.keyword.cmp(&other.1.keyword))
        });
        let places = (0..).zip(cannibalized);
        places
            .map(|(ordinal, (_, finding))| StagedFinding { ordinal, ..finding })
            .collect()
    }
}

fn keyword_finding(
    result_type: ResultType,
    keyword: i64,
    measured_at: DateTime<Utc>,
    record: Document,
) -> StagedFinding {
    StagedFinding {
        result_type,
        ordinal: keyword,
        keyword: Some(KeywordId(keyword)),
        url: None,
        sort_value: None,
        measured_at,
        record,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(
        day: u32,
        state: RankState,
        position: Option<u32>,
        depth_checked: u32,
    ) -> RankHistoryPoint {
        RankHistoryPoint {
            day: NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
            measured_at: DateTime::UNIX_EPOCH,
            state,
            position,
            depth_checked,
        }
    }

    #[test]
    fn last_success_of_a_day_is_its_observation() {
        use RankState::{Error, NotRanked, Ranked};
        let points = [
            point(1, Ranked, Some(9), 100),
            point(1, Ranked, Some(7), 100),
            point(1, Error, None, 0),
            point(2, Error, None, 0),
            point(3, NotRanked, None, 100),
            point(4, NotRanked, None, 10),
            point(5, Error, None, 0),
            point(5, Ranked, Some(3), 10),
        ];
        let seen: Vec<ObservedValue> = observations(&points, 100)
            .iter()
            .map(|it| it.value)
            .collect();
        assert_eq!(
            seen,
            [
                ObservedValue::Value(7.0),
                ObservedValue::Missing,
                ObservedValue::BelowDepth,
                ObservedValue::Missing,
                ObservedValue::Value(3.0)
            ]
        );
    }
}
