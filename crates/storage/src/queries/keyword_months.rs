use super::Db;
use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::ai_answers::TallyRow;
use crate::rows::{counted, from_json};
use crate::schema::{ai_tallies, keywords, rank_history};
use analysis::{findings::rankings::RankState, provenance::Provenance};
use async_trait::async_trait;
use chrono::NaiveDate;
use diesel::dsl::{count, max, min};
use diesel::prelude::*;
use domain::ids::{AccountId, KeywordId, ProjectId};
use domain::kept_answers::KeywordTallies;
use domain::keyword_month::{CalendarMonth, MonthPoint, MonthRanks};
use domain::ports::keyword_months::KeywordMonthRepository;
use domain::ports::storage::StorageError;
use domain::results::SearchSource;
use std::collections::{BTreeSet, HashMap};

/// A keyword with a source: engine and provenance in their stored form.
type Series = (i64, String, String);

/// Keyword, engine, provenance, first day, last day, days, best position.
type SummaryRow = (
    i64,
    String,
    String,
    Option<NaiveDate>,
    Option<NaiveDate>,
    i64,
    Option<i64>,
);

/// Keyword, engine, provenance, day.
type StartRow = (i64, String, String, Option<NaiveDate>);

/// Keyword, engine, provenance, day, moment, position, page.
type PointRow = (
    i64,
    String,
    String,
    NaiveDate,
    At,
    Option<i64>,
    Option<String>,
);

macro_rules! measured {
    ($account:expr, $project:expr, $ids:expr) => {
        rank_history::table
            .filter(rank_history::account_id.eq($account.0))
            .filter(rank_history::project_id.eq($project.0))
            .filter(rank_history::keyword_id.eq_any($ids))
            .filter(rank_history::state.ne(RankState::Error.name()))
    };
}

/// Rows of a month: sums, days on which it began, and points on those days.
struct MonthRows {
    sums: Vec<SummaryRow>,
    starts: Vec<StartRow>,
    points: Vec<PointRow>,
}

#[async_trait]
impl KeywordMonthRepository for Session {
    async fn ranks(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        month: CalendarMonth,
    ) -> Result<Vec<MonthRanks>, StorageError> {
        let ids: Vec<i64> = keywords.iter().map(|it| it.0).collect();
        let found = self.fetch(account, move |db| {
            load_month(db, account, project, &ids, month)
        });
        found.await?.rank_histories()
    }

    async fn tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
        month: CalendarMonth,
    ) -> Result<Vec<KeywordTallies>, StorageError> {
        let ids: Vec<i64> = keywords.iter().map(|it| it.0).collect();
        self.fetch_all(account, KeywordTallies::try_from, move |db| {
            rows_of!(ai_tallies, account, project)
                .filter(ai_tallies::keyword_id.eq_any(&ids))
                .filter(ai_tallies::day.between(month.first(), month.last()))
                .select(TallyRow::as_select())
                .load(db)
        })
        .await
    }

    async fn search_volumes(
        &mut self,
        account: AccountId,
        project: ProjectId,
        keywords: &[KeywordId],
    ) -> Result<HashMap<KeywordId, u32>, StorageError> {
        let ids: Vec<i64> = keywords.iter().map(|it| it.0).collect();
        let rows: Vec<(i64, i64)> = self
            .fetch(account, move |db| {
                rows_of!(keywords, account, project)
                    .filter(keywords::id.eq_any(&ids))
                    .filter(keywords::search_volume.is_not_null())
                    .select((keywords::id, keywords::search_volume.assume_not_null()))
                    .load(db)
            })
            .await?;
        rows.into_iter()
            .map(|(id, volume)| Ok((KeywordId(id), counted(volume, "a search volume")?)))
            .collect()
    }
}

fn load_month(
    db: &mut Db,
    account: AccountId,
    project: ProjectId,
    ids: &[i64],
    month: CalendarMonth,
) -> QueryResult<MonthRows> {
    let by = (
        rank_history::keyword_id,
        rank_history::engine,
        rank_history::provenance,
    );
    let sums: Vec<SummaryRow> = measured!(account, project, ids)
        .filter(rank_history::day.between(month.first(), month.last()))
        .group_by(by)
        .select((
            by.0,
            by.1,
            by.2,
            min(rank_history::day),
            max(rank_history::day),
            count(rank_history::day).aggregate_distinct(),
            min(rank_history::position),
        ))
        .load(db)?;
    let seen: BTreeSet<i64> = sums.iter().map(|it| it.0).collect();
    let starts: Vec<StartRow> = measured!(account, project, &seen)
        .filter(rank_history::day.between(month.lookback_start(), month.first()))
        .group_by(by)
        .select((by.0, by.1, by.2, max(rank_history::day)))
        .load(db)?;
    let ends = { sums.iter() }.flat_map(|it| [it.3, it.4]).flatten();
    let days: BTreeSet<NaiveDate> = ends.chain(starts.iter().filter_map(|it| it.3)).collect();
    let points: Vec<PointRow> = measured!(account, project, &seen)
        .filter(rank_history::day.eq_any(&days))
        .order((rank_history::measured_at, rank_history::job_id))
        .select((
            by.0,
            by.1,
            by.2,
            rank_history::day,
            rank_history::measured_at,
            rank_history::position,
            rank_history::url,
        ))
        .load(db)?;
    Ok(MonthRows {
        sums,
        starts,
        points,
    })
}

impl MonthRows {
    fn rank_histories(self) -> Result<Vec<MonthRanks>, StorageError> {
        let mut points: HashMap<(Series, NaiveDate), MonthPoint> = HashMap::new();
        for (keyword, engine, provenance, day, measured_at, position, url) in self.points {
            let position = position.map(|it| counted(it, "a position")).transpose()?;
            let point = MonthPoint {
                measured_at: measured_at.into(),
                position,
                url,
            };
            // Sorted, so that the last point of a day wins.
            points.insert(((keyword, engine, provenance), day), point);
        }
        let starts = self.starts.into_iter();
        let starts: HashMap<Series, NaiveDate> = starts
            .filter_map(|it| Some(((it.0, it.1, it.2), it.3?)))
            .collect();
        let mut months = Vec::new();
        for (keyword, engine, provenance, first, last, days, best) in self.sums {
            let series: Series = (keyword, engine, provenance);
            let start = starts.get(&series).copied().or(first);
            let at = |day: Option<NaiveDate>| points.get(&(series.clone(), day?)).cloned();
            // Skips rows that were deleted between two statements.
            let Some((start, last)) = at(start).zip(at(last)) else {
                continue;
            };
            months.push(MonthRanks {
                keyword: KeywordId(keyword),
                source: SearchSource {
                    provenance: from_json::<Provenance>(&series.2, "a provenance")?,
                    engine: series.1,
                },
                days: counted(days, "a number of days")?,
                best: best.map(|it| counted(it, "a position")).transpose()?,
                start,
                last,
            });
        }
        Ok(months)
    }
}
