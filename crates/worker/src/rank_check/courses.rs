//! Evaluates rank histories in batches: own pages that compete for a keyword, and position forecasts.

use super::own_pages::{OwnPages, own_pages};
use super::{Pass, own_searches};
use crate::{attempt_state::Broken, staging::stage};
use analysis::document::Document;
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
    RankChanges, RankPoint, Standing, VisibilityComparison, changes_between,
};
use analysis::forecast::history::{Observation, Seen};
use analysis::result_type::ResultType;
use analysis::url_rules::SiteScope;
use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::ids::KeywordId;
use domain::keyword::Keyword;
use domain::results::{AsOf, CoursePoint, OwnSnapshot, RankState, SearchSource, StagedFinding};
use domain::use_cases::measure_keyword::tracked;
use domain::use_cases::own_searches::ShownPage;
use std::collections::HashMap;

/// Keywords per batch.
const BATCH: u32 = 200;
/// Length of the position history.
const FAR: Days = Days::new(400);
/// Length of the history of own pages.
const NEAR: Days = Days::new(cannibalization::WINDOW_DAYS.unsigned_abs());
/// Minimum and maximum age, as for `change7` and `change30` of a record.
type Ago = (Days, Days);
const A_WEEK: Ago = (Days::new(7), Days::new(9));
const A_MONTH: Ago = (Days::new(30), Days::new(37));
/// In days.
const AHEAD: u32 = 30;
/// Top three, or the first page.
const HOPES: [f64; 2] = [3.0, 10.0];

#[derive(Default)]
pub(super) struct Courses {
    pub(super) forecasts: ForecastTally,
    pub(super) forecast_count: usize,
    pub(super) rivalry: CannibalizationTally,
    rivals: Vec<(Option<f64>, StagedFinding)>,
    /// Keywords measured in this run; `before` is their previous point.
    now: Vec<Standing>,
    before: Vec<Standing>,
    pub(super) visibility: Visibility,
}

/// Visibility changes since the last check, a week and a month ago, over the keywords measured in this run.
#[derive(Default)]
pub(super) struct Visibility {
    pub(super) last: VisibilityComparison,
    pub(super) week: VisibilityComparison,
    pub(super) month: VisibilityComparison,
}

struct Course {
    keyword: TrackedKeyword,
    points: Vec<CoursePoint>,
    own: Vec<OwnSnapshot>,
    /// Pages that Search Console reports for it, if more than one.
    shown: Vec<ShownPage>,
}

struct Batch {
    courses: Vec<Course>,
    pages: OwnPages,
    site: SiteScope,
    source: SearchSource,
    provider: String,
    day: NaiveDate,
    now: DateTime<Utc>,
}

impl Course {
    fn now(&self, day: NaiveDate) -> Option<&CoursePoint> {
        self.points.last().filter(|it| it.day == day)
    }

    /// The last success before that day.
    fn before(&self, day: NaiveDate) -> Option<&CoursePoint> {
        let earlier = self.points.split_last().map(|(_, earlier)| earlier)?;
        let is_measured = |it: &&CoursePoint| it.state != RankState::Error;
        earlier
            .iter()
            .rev()
            .find(is_measured)
            .filter(|_| self.now(day).is_some())
    }

    /// The newest success in that age range.
    fn ago(&self, day: NaiveDate, (least, most): Ago) -> Option<RankPoint> {
        let window = day - most..=day - least;
        let fits = |it: &&CoursePoint| it.state != RankState::Error && window.contains(&it.day);
        { self.points.iter().rev() }.find(fits).map(RankPoint::from)
    }

    fn standing(&self, at: &CoursePoint) -> Standing {
        Standing {
            keyword_id: self.keyword.keyword_id,
            keyword: self.keyword.keyword.clone(),
            search_volume: self.keyword.search_volume,
            point: at.into(),
        }
    }
}

struct Judged {
    keyword: i64,
    forecast: ForecastRecord,
    rivals: Option<CannibalizationRecord>,
    now: Option<Standing>,
    before: Option<Standing>,
    a_week_ago: Option<RankPoint>,
    a_month_ago: Option<RankPoint>,
}

impl Pass<'_> {
    /// Evaluates and stages all active keywords; `None` if stopped.
    pub(super) async fn judge_courses(
        &mut self,
        provider: &str,
        now: DateTime<Utc>,
    ) -> Result<Option<Courses>, Broken> {
        let (tools, job) = (self.tools, self.job);
        let mut courses = Courses::default();
        let mut walk = tools.core.walk_keywords(job.account, job.project, BATCH);
        while let Some(keywords) = walk.next().await? {
            let batch = self.batch(&keywords, provider, now).await?;
            let judged = tokio::task::spawn_blocking(move || batch.judge()).await?;
            let staged = courses.add(judged, now);
            stage(tools, job, self.state, &staged).await?;
            self.judged += keywords.len() as u64;
            self.state.note(self.progress(false));
            if self.state.stop.is_cancelled() {
                return Ok(None);
            }
        }
        Ok(Some(courses))
    }

    async fn batch(
        &self,
        keywords: &[Keyword],
        provider: &str,
        now: DateTime<Utc>,
    ) -> Result<Batch, Broken> {
        let job = self.job;
        let ids: Vec<KeywordId> = keywords.iter().map(|it| it.id).collect();
        let as_of = AsOf::of(job, self.tools.search.label().source());
        let mut read = self.tools.core.storage.read().await?;
        let places = read
            .measurements()
            .own_places(job.account, job.project, &ids, job.day - NEAR, &as_of)
            .await?;
        let points = read
            .measurements()
            .courses(job.account, job.project, &ids, job.day - FAR, &as_of)
            .await?;
        drop(read);
        let pages = own_pages(self.tools, job, &places).await?;
        let mut shown = if as_of.source.is_google() {
            let keywords: Vec<&Keyword> = keywords.iter().collect();
            self.own.shown_pages(&keywords).await?
        } else {
            HashMap::new()
        };
        let courses = keywords.iter().zip(points).zip(places);
        Ok(Batch {
            courses: courses
                .map(|((keyword, points), own)| Course {
                    keyword: tracked(keyword, as_of.source.provenance),
                    points,
                    own,
                    shown: shown.remove(&keyword.id).unwrap_or_default(),
                })
                .collect(),
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
    fn judge(&self) -> Vec<Judged> {
        let judged = self.courses.iter().map(|course| Judged {
            keyword: course.keyword.keyword_id,
            forecast: self.forecast(course),
            rivals: self.rivals(course),
            now: course.now(self.day).map(|it| course.standing(it)),
            before: course.before(self.day).map(|it| course.standing(it)),
            a_week_ago: course.ago(self.day, A_WEEK),
            a_month_ago: course.ago(self.day, A_MONTH),
        });
        judged.collect()
    }

    fn forecast(&self, course: &Course) -> ForecastRecord {
        let depth = course.points.iter().map(|it| it.depth_checked).max();
        let depth = depth.unwrap_or(0).max(1);
        let last = course.points.last();
        forecast(&ForecastInput {
            context: FindingContext {
                project_id: course.keyword.project_id,
                measured_at: last.map_or(self.now, |it| it.measured_at),
            },
            keyword: Some((&course.keyword, &self.source.engine)),
            quantity: Quantity::Position { depth },
            observations: &observations(&course.points, depth),
            source: HistorySource {
                provenance: self.source.provenance,
                provider: Some(&self.provider),
            },
            days: AHEAD,
            thresholds: &HOPES,
        })
    }

    fn rivals(&self, course: &Course) -> Option<CannibalizationRecord> {
        let counted = own_searches::with_counts(&self.pages.facts, &course.shown);
        cannibalization::judge(&CannibalizationInput {
            keyword: &course.keyword,
            engine: &self.source.engine,
            provider: Some(&self.provider),
            provenance: self.source.provenance,
            site: &self.site,
            snapshots: &course.own,
            pages: counted.as_ref().unwrap_or(&self.pages.facts),
            similarities: &self.pages.similarities,
        })
    }
}

/// One observation per day: the last success. Not ranking within a smaller depth is no evidence.
fn observations(points: &[CoursePoint], depth: u32) -> Vec<Observation> {
    let mut days: Vec<Observation> = Vec::new();
    for point in points {
        let seen = match (point.state, point.position) {
            (RankState::Ranked, Some(position)) => Seen::Value(f64::from(position)),
            (RankState::NotRanked, _) if point.depth_checked >= depth => Seen::BelowDepth,
            _ => Seen::Nothing,
        };
        match days.last_mut().filter(|it| it.date == point.day) {
            Some(_) if seen == Seen::Nothing => {}
            Some(of_the_day) => of_the_day.seen = seen,
            None => days.push(Observation {
                date: point.day,
                seen,
            }),
        }
    }
    days
}

impl Courses {
    /// Adds the results; returns what to stage at once.
    fn add(&mut self, judged: Vec<Judged>, now: DateTime<Utc>) -> Vec<StagedFinding> {
        let mut staged = Vec::with_capacity(judged.len());
        for one in judged {
            self.forecasts.add(&one.forecast);
            self.forecast_count += 1;
            staged.push(about_keyword(
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
            self.now.extend(one.now);
            self.before.extend(one.before);
            self.rivalry.add(one.rivals.as_ref());
            if let Some(record) = one.rivals {
                let document = Document::of(&record);
                let of = ResultType::Cannibalization;
                let finding = StagedFinding {
                    url: Some(record.primary_url),
                    sort_value: record.score,
                    ..about_keyword(of, one.keyword, now, document)
                };
                self.rivals.push((record.score, finding));
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

    /// Keywords whose own pages compete, worst first.
    pub(super) fn rivals(&mut self) -> Vec<StagedFinding> {
        let mut rivals = std::mem::take(&mut self.rivals);
        let worth = |score: Option<f64>| score.unwrap_or(-1.0);
        rivals.sort_by(|one, other| {
            let by_score = worth(other.0).total_cmp(&worth(one.0));
            by_score.then(one.1.keyword.cmp(&other.1.keyword))
        });
        let places = (0..).zip(rivals);
        places
            .map(|(ordinal, (_, finding))| StagedFinding { ordinal, ..finding })
            .collect()
    }
}

fn about_keyword(
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

    fn point(day: u32, state: RankState, position: Option<u32>, depth_checked: u32) -> CoursePoint {
        CoursePoint {
            day: NaiveDate::from_ymd_opt(2026, 3, day).unwrap(),
            measured_at: DateTime::UNIX_EPOCH,
            state,
            position,
            depth_checked,
        }
    }

    #[test]
    fn the_last_successful_measurement_of_a_day_is_what_was_seen() {
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
        let seen: Vec<Seen> = observations(&points, 100)
            .iter()
            .map(|it| it.seen)
            .collect();
        assert_eq!(
            seen,
            [
                Seen::Value(7.0),
                Seen::Nothing,
                Seen::BelowDepth,
                Seen::Nothing,
                Seen::Value(3.0)
            ]
        );
    }
}
