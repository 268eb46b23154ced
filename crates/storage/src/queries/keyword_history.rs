//! Earlier measurements of keywords by the same source.

use super::Db;
use crate::rows::measurements::{HistoryPointRow, OwnPositionsRow, PointRow, serp};
use crate::rows::records::Record;
use crate::rows::{json, validated};
use crate::schema::{findings, latest_serps, rank_history};
use analysis::document::FromJson;
use analysis::findings::rankings::RankState;
use analysis::findings::serp::{PreviousSerp, SerpRecord};
use analysis::result_type::ResultType;
use chrono::{Days, NaiveDate};
use diesel::{dsl::max, prelude::*};
use domain::ids::{AccountId, KeywordId, ProjectId};
use domain::ports::storage::StorageError;
use domain::results::{AsOf, KeywordHistory};
use std::collections::{HashMap, HashSet};

/// How far histories look back: a month, and the week by which a run may have been late.
const LOOKBACK: Days = Days::new(37);
/// Least age of the page of a month ago.
const MIN_MONTH_AGE: Days = Days::new(23);
/// Its best age.
const MONTH_AGE: Days = Days::new(30);
/// Keywords in one statement.
const MAX_KEYWORDS: usize = 1_000;

pub struct KeywordHistoryQuery {
    account: AccountId,
    project: ProjectId,
    ids: Vec<i64>,
    as_of: AsOf,
    provenance: String,
}

/// In no order.
pub struct HistoryRows {
    points: HashMap<i64, Vec<PointRow>>,
    last: HashMap<i64, String>,
    month_ago: HashMap<i64, Record>,
}

macro_rules! points {
    ($past:expr, $ids:expr) => {
        rank_history::table
            .filter(rank_history::account_id.eq($past.account.0))
            .filter(rank_history::project_id.eq($past.project.0))
            .filter(rank_history::keyword_id.eq_any($ids))
            .filter(rank_history::engine.eq(&$past.as_of.source.engine))
            .filter(rank_history::provenance.eq(&$past.provenance))
    };
}

impl KeywordHistoryQuery {
    pub fn new(account: AccountId, project: ProjectId, of: &[KeywordId], as_of: &AsOf) -> Self {
        Self {
            account,
            project,
            ids: of.iter().map(|it| it.0).collect(),
            provenance: json(&as_of.source.provenance),
            as_of: as_of.clone(),
        }
    }

    pub fn load_histories(&self, db: &mut Db) -> QueryResult<HistoryRows> {
        let mut known = HistoryRows {
            points: HashMap::new(),
            last: HashMap::new(),
            month_ago: HashMap::new(),
        };
        for ids in self.ids.chunks(MAX_KEYWORDS) {
            for point in self.points(db, ids)? {
                known
                    .points
                    .entry(point.keyword_id)
                    .or_default()
                    .push(point);
            }
            known.last.extend(self.last_pages(db, ids)?);
            for (job, ids) in self.runs_of_a_month_ago(db, ids)? {
                known.month_ago.extend(self.pages_of(db, &ids, job)?);
            }
        }
        Ok(known)
    }

    pub fn rank_histories(
        &self,
        db: &mut Db,
        since: NaiveDate,
    ) -> QueryResult<Vec<HistoryPointRow>> {
        let mut rows = Vec::new();
        for ids in self.ids.chunks(MAX_KEYWORDS) {
            let part: Vec<HistoryPointRow> = points!(self, ids)
                .filter(rank_history::day.between(since, self.as_of.day))
                .order((rank_history::day, rank_history::measured_at))
                .select(HistoryPointRow::as_select())
                .load(db)?;
            rows.extend(part);
        }
        Ok(rows)
    }

    pub fn own_places(&self, db: &mut Db, since: NaiveDate) -> QueryResult<Vec<OwnPositionsRow>> {
        let mut rows = Vec::new();
        for ids in self.ids.chunks(MAX_KEYWORDS) {
            let part: Vec<OwnPositionsRow> = points!(self, ids)
                .filter(rank_history::day.between(since, self.as_of.day))
                .filter(rank_history::state.ne(RankState::Error.name()))
                .order((rank_history::day, rank_history::measured_at))
                .select(OwnPositionsRow::as_select())
                .load(db)?;
            rows.extend(part);
        }
        Ok(rows)
    }

    /// Points of the last days, newest first; then the newest measured one of each keyword without any there.
    fn points(&self, db: &mut Db, ids: &[i64]) -> QueryResult<Vec<PointRow>> {
        let since = self.as_of.day - LOOKBACK;
        let mut points: Vec<PointRow> = points!(self, ids)
            .filter(rank_history::day.between(since, self.as_of.day))
            .filter(rank_history::job_id.ne(self.as_of.job.0))
            .order((
                rank_history::measured_at.desc(),
                rank_history::job_id.desc(),
            ))
            .select(PointRow::as_select())
            .load(db)?;
        let measured = points.iter().filter(|it| it.is_measured());
        let measured: HashSet<i64> = measured.map(|it| it.keyword_id).collect();
        let unmeasured = ids.iter().filter(|id| !measured.contains(id));
        let unmeasured: Vec<i64> = unmeasured.copied().collect();
        if !unmeasured.is_empty() {
            points.extend(self.newest_measured_before(db, &unmeasured, since)?);
        }
        Ok(points)
    }

    fn newest_measured_before(
        &self,
        db: &mut Db,
        ids: &[i64],
        since: NaiveDate,
    ) -> QueryResult<Vec<PointRow>> {
        let newest: Vec<(i64, Option<NaiveDate>)> = points!(self, ids)
            .filter(rank_history::day.lt(since))
            .filter(rank_history::state.ne(RankState::Error.name()))
            .group_by(rank_history::keyword_id)
            .select((rank_history::keyword_id, max(rank_history::day)))
            .load(db)?;
        let newest: HashMap<i64, NaiveDate> = newest
            .into_iter()
            .filter_map(|(id, day)| Some((id, day?)))
            .collect();
        if newest.is_empty() {
            return Ok(Vec::new());
        }
        let (ids, days): (Vec<i64>, Vec<NaiveDate>) = newest.iter().unzip();
        let mut points: Vec<PointRow> = points!(self, &ids)
            .filter(rank_history::day.eq_any(&days))
            .filter(rank_history::state.ne(RankState::Error.name()))
            .order((
                rank_history::measured_at.desc(),
                rank_history::job_id.desc(),
            ))
            .select(PointRow::as_select())
            .load(db)?;
        let mut seen = HashSet::new();
        points
            .retain(|it| newest.get(&it.keyword_id) == Some(&it.day) && seen.insert(it.keyword_id));
        Ok(points)
    }

    fn last_pages(&self, db: &mut Db, ids: &[i64]) -> QueryResult<Vec<(i64, String)>> {
        latest_serps::table
            .filter(latest_serps::account_id.eq(self.account.0))
            .filter(latest_serps::project_id.eq(self.project.0))
            .filter(latest_serps::keyword_id.eq_any(ids))
            .filter(latest_serps::job_id.ne(self.as_of.job.0))
            .filter(latest_serps::engine.eq(&self.as_of.source.engine))
            .filter(latest_serps::provenance.eq(&self.provenance))
            .select((latest_serps::keyword_id, latest_serps::serp))
            .load(db)
    }

    /// Runs that measured the keywords nearest to a month ago, each with its keywords.
    fn runs_of_a_month_ago(&self, db: &mut Db, ids: &[i64]) -> QueryResult<HashMap<i64, Vec<i64>>> {
        let day = self.as_of.day;
        let measured: Vec<(i64, NaiveDate, i64)> = points!(self, ids)
            .filter(rank_history::day.between(day - LOOKBACK, day - MIN_MONTH_AGE))
            .filter(rank_history::state.ne(RankState::Error.name()))
            .select((
                rank_history::keyword_id,
                rank_history::day,
                rank_history::job_id,
            ))
            .load(db)?;
        let month_ago = day - MONTH_AGE;
        let mut nearest: HashMap<i64, (i64, i64)> = HashMap::new();
        for (keyword, day, job) in measured {
            let apart = ((day - month_ago).num_days().abs(), job);
            let kept = nearest.entry(keyword).or_insert(apart);
            *kept = apart.min(*kept);
        }
        let mut runs: HashMap<i64, Vec<i64>> = HashMap::new();
        for (keyword, (_, job)) in nearest {
            runs.entry(job).or_default().push(keyword);
        }
        Ok(runs)
    }

    fn pages_of(&self, db: &mut Db, ids: &[i64], job: i64) -> QueryResult<Vec<(i64, Record)>> {
        findings::table
            .filter(findings::account_id.eq(self.account.0))
            .filter(findings::project_id.eq(self.project.0))
            .filter(findings::result_type.eq(ResultType::Serp.name()))
            .filter(findings::job_id.eq(job))
            // The ordinal of a search page is the id of its keyword.
            .filter(findings::ordinal.eq_any(ids))
            .select((findings::ordinal, (findings::record, findings::packed)))
            .load(db)
    }
}

impl HistoryRows {
    pub fn histories(
        mut self,
        keywords: &[KeywordId],
    ) -> Result<Vec<KeywordHistory>, StorageError> {
        keywords.iter().map(|it| self.history(it.0)).collect()
    }

    fn history(&mut self, keyword: i64) -> Result<KeywordHistory, StorageError> {
        let points = self.points.remove(&keyword).unwrap_or_default();
        let newest = points.first();
        let last = self.last.remove(&keyword);
        let month_ago = self.month_ago.remove(&keyword);
        Ok(KeywordHistory {
            best: newest.map(PointRow::best).transpose()?.flatten(),
            worst: newest.map(PointRow::worst).transpose()?.flatten(),
            serp: last.as_deref().map(serp).transpose()?,
            month_ago: month_ago.map(previous_serp).transpose()?.flatten(),
            points: points
                .into_iter()
                .map(TryInto::try_into)
                .collect::<Result<_, _>>()?,
        })
    }
}

fn previous_serp(record: Record) -> Result<Option<PreviousSerp>, StorageError> {
    let record = validated(
        SerpRecord::from_json(record.text()?.as_bytes()),
        "search page",
    )?;
    Ok(PreviousSerp::of(&record))
}

/// Converts rows, grouped in the order of `keywords`.
pub fn group_by_keyword<R, T>(
    keywords: &[KeywordId],
    rows: Vec<R>,
    keyword: impl Fn(&R) -> i64,
) -> Result<Vec<Vec<T>>, StorageError>
where
    T: TryFrom<R, Error = StorageError>,
{
    let mut sorted: HashMap<i64, Vec<T>> = HashMap::new();
    for row in rows {
        let id = keyword(&row);
        sorted.entry(id).or_default().push(row.try_into()?);
    }
    let lists = keywords.iter();
    Ok(lists
        .map(|it| sorted.remove(&it.0).unwrap_or_default())
        .collect())
}
