use super::paging::{PageRows, one_more, page};
use super::{Db, dialect, stored_data};
use crate::errors::unavailable;
use crate::executor::session::Session;
use crate::rows::console::{ConsoleRow, ROW_BINDS, SpanRow, SumRow, query_hash, row_sum};
use crate::rows::counted;
use crate::schema::{console_rows, console_spans};
use analysis::ctr::PositionClicks;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate};
use diesel::dsl::{min, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Double, Text};
use diesel::{delete, insert_into};
use domain::ids::{AccountId, ConsoleSpanId, ProjectId};
use domain::page::{Page, PageCursor, PageRequest, SortValue};
use domain::ports::console_rows::ConsoleRowRepository;
use domain::ports::storage::StorageError;
use domain::search_console::{ImportInfo, Origin, PageDay, RowSet, RowSum, StoredSpan};
use domain::stored_data::DataSize;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Rows in one statement; more would be allowed, but take too long on a slow machine.
const MAX_ROWS: usize = 1_000;
const _: () = assert!(MAX_ROWS * ROW_BINDS <= dialect::MAX_BINDS);
/// Imports deleted in one statement: each may have tens of thousands of rows.
pub const MAX_DELETED_SPANS: usize = 4;
/// Queries or pages in one statement.
const MAX_VALUES_PER_QUERY: usize = 1_000;
/// Days inserted in one statement: they have eleven columns.
const MAX_SPANS: usize = dialect::MAX_BINDS / 11;

/// Sums of rows, cast to integers.
macro_rules! sums {
    () => {
        (
            sql::<BigInt>("CAST(SUM(clicks) AS BIGINT)"),
            sql::<BigInt>("CAST(SUM(impressions) AS BIGINT)"),
            sql::<Double>("COALESCE(SUM(position * impressions), 0.0)"),
        )
    };
}

macro_rules! rows_in {
    ($account:expr, $spans:expr) => {
        console_rows::table
            .filter(console_rows::account_id.eq($account.0))
            .filter(console_rows::span_id.eq_any($spans))
    };
}

#[async_trait]
impl ConsoleRowRepository for Session {
    async fn replace(
        &mut self,
        account: AccountId,
        project: ProjectId,
        ids: &[ConsoleSpanId],
        sets: &[RowSet],
        import: &ImportInfo,
    ) -> Result<u64, StorageError> {
        let spans = ids
            .iter()
            .zip(sets)
            .map(|(id, set)| SpanRow::new(account, project, *id, set, import));
        let spans: Vec<SpanRow> = spans.collect();
        let rows = ids.iter().zip(sets).flat_map(|(id, set)| {
            let rows = set.rows.iter().enumerate();
            rows.map(|(place, row)| ConsoleRow::new(account, *id, place, row))
        });
        let rows: Vec<ConsoleRow> = rows.collect();
        let replaced = self.change(account, move |db| {
            let same = same(db, account, project, &spans)?;
            let ids: Vec<i64> = same.iter().map(|it| it.id).collect();
            forget_spans(db, account, &ids)?;
            for part in spans.chunks(MAX_SPANS) {
                insert_into(console_spans::table).values(part).execute(db)?;
            }
            for part in rows.chunks(MAX_ROWS) {
                insert_into(console_rows::table).values(part).execute(db)?;
            }
            let (added, freed) = (size_of(&spans), size_of(&same));
            let change = size_change(added.0 - freed.0, added.1 - freed.1);
            stored_data::note(db, account.0, project.0, change)?;
            let replaced = same.iter().map(|it| it.row_count);
            Ok(replaced.sum::<i64>())
        });
        counted(replaced.await?, "a number of rows")
    }

    async fn size_of_replaced(
        &mut self,
        account: AccountId,
        project: ProjectId,
        sets: &[RowSet],
    ) -> Result<DataSize, StorageError> {
        let import = ImportInfo {
            origin: Origin::Export,
            label: String::new(),
            at: DateTime::UNIX_EPOCH,
        };
        let spans = sets.iter();
        let spans = spans.map(|set| SpanRow::new(account, project, ConsoleSpanId(0), set, &import));
        let spans: Vec<SpanRow> = spans.collect();
        let same = self.fetch(account, move |db| same(db, account, project, &spans));
        let (rows, bytes) = size_of(&same.await?);
        Ok(DataSize {
            rows: counted(rows, "a number of rows")?,
            bytes: counted(bytes, "a number of bytes")?,
        })
    }

    async fn spans(
        &mut self,
        account: AccountId,
        project: ProjectId,
        since: NaiveDate,
    ) -> Result<Vec<StoredSpan>, StorageError> {
        self.fetch_all(account, StoredSpan::try_from, move |db| {
            rows_of!(console_spans, account, project)
                .filter(console_spans::last_day.ge(since))
                .order((
                    console_spans::last_day,
                    console_spans::first_day,
                    console_spans::cut,
                ))
                .select(SpanRow::as_select())
                .load(db)
        })
        .await
    }

    async fn by_position(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
    ) -> Result<Vec<PositionClicks>, StorageError> {
        let spans = numbers(spans);
        let rows: Vec<(Option<i64>, i64, i64)> = self
            .fetch(account, move |db| {
                rows_in!(account, &spans)
                    .filter(console_rows::place.le(100))
                    .group_by(console_rows::place)
                    .order(console_rows::place)
                    .select((
                        console_rows::place,
                        sql::<BigInt>("CAST(SUM(impressions) AS BIGINT)"),
                        sql::<BigInt>("CAST(SUM(clicks) AS BIGINT)"),
                    ))
                    .load(db)
            })
            .await?;
        let sums = rows.into_iter().map(|(place, impressions, clicks)| {
            Ok(PositionClicks {
                position: counted(place.unwrap_or(0), "a position")?,
                impressions: counted(impressions, "a number of impressions")?,
                clicks: counted(clicks, "a number of clicks")?,
            })
        });
        sums.collect()
    }

    async fn sums_for_queries(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        queries: &[String],
    ) -> Result<Vec<RowSum>, StorageError> {
        let hashes: Vec<i64> = queries.iter().map(|it| query_hash(it)).collect();
        let spans = numbers(spans);
        self.fetch_all(account, row_sum, move |db| {
            let mut rows: Vec<SumRow> = Vec::new();
            for hashes in hashes.chunks(MAX_VALUES_PER_QUERY) {
                let by = (
                    console_rows::query,
                    console_rows::page,
                    console_rows::country,
                    console_rows::device,
                );
                let (clicks, impressions, position) = sums!();
                let part: Vec<SumRow> = rows_in!(account, &spans)
                    .filter(console_rows::query_hash.eq_any(hashes))
                    .group_by(by)
                    .select((by.0, by.1, by.2, by.3, clicks, impressions, position))
                    .load(db)?;
                rows.extend(part);
            }
            Ok(rows)
        })
        .await
    }

    async fn top_by_impressions(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        limit: u32,
    ) -> Result<Vec<RowSum>, StorageError> {
        type Shown = (Option<String>, Option<String>, i64, i64, f64);
        let spans = numbers(spans);
        let rows: Vec<Shown> = self
            .fetch(account, move |db| {
                let by = (console_rows::query, console_rows::page);
                let (clicks, impressions, position) = sums!();
                rows_in!(account, &spans)
                    .group_by(by)
                    .order(sql::<BigInt>(
                        "SUM(impressions) DESC, SUM(clicks) DESC, MIN(span_id), MIN(ordinal)",
                    ))
                    .limit(limit.into())
                    .select((by.0, by.1, clicks, impressions, position))
                    .load(db)
            })
            .await?;
        rows.into_iter()
            .map(|it| row_sum((it.0, it.1, None, None, it.2, it.3, it.4)))
            .collect()
    }

    async fn list_by_impressions(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        request: &PageRequest<()>,
    ) -> Result<Page<RowSum>, StorageError> {
        let (spans, limit) = (numbers(spans), request.limit);
        let after = match &request.after {
            Some(after) => {
                shown_place(after).ok_or_else(|| unavailable("a position of another list"))?
            }
            None => (i64::MAX, i64::MIN, String::new()),
        };
        let rows: Vec<ShownRow> = self
            .fetch_exclusive(account, move |db| {
                let (clicks, impressions, position) = sums!();
                let (shown, search, page) = after.clone();
                let is_behind = sql::<Bool>("(SUM(impressions) < ")
                    .bind::<BigInt, _>(shown)
                    .sql(" OR (SUM(impressions) = ")
                    .bind::<BigInt, _>(shown)
                    .sql(" AND (query_hash > ")
                    .bind::<BigInt, _>(search)
                    .sql(" OR (query_hash = ")
                    .bind::<BigInt, _>(search)
                    .sql(" AND COALESCE(page, '') > ")
                    .bind::<Text, _>(page)
                    .sql("))))");
                // In this order: the other way round SQLite walks the index of queries, and with it all rows of the
                // account.
                rows_in!(account, &spans)
                    .group_by((console_rows::page, console_rows::query_hash))
                    .having(is_behind)
                    .order(sql::<BigInt>(
                        "SUM(impressions) DESC, query_hash, COALESCE(page, '')",
                    ))
                    .limit(one_more(limit))
                    .select((
                        console_rows::query_hash,
                        // Queries of one hash may differ in spelling.
                        min(console_rows::query),
                        console_rows::page,
                        clicks,
                        impressions,
                        position,
                    ))
                    .load(db)
            })
            .await?;
        page(
            (PageRows::from_limited(rows, limit), None),
            shown_position,
            |it| row_sum((it.1, it.2, None, None, it.3, it.4, it.5)),
        )
    }

    async fn page_days(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        pages: &[String],
    ) -> Result<Vec<PageDay>, StorageError> {
        let (spans, pages) = (numbers(spans), pages.to_vec());
        let (days, rows): (Vec<(i64, NaiveDate)>, Vec<DayRow>) = self
            .fetch(account, move |db| {
                let days = rows_of!(console_spans, account)
                    .filter(console_spans::id.eq_any(&spans))
                    .select((console_spans::id, console_spans::last_day))
                    .load(db)?;
                let mut rows: Vec<DayRow> = Vec::new();
                for pages in pages.chunks(MAX_VALUES_PER_QUERY) {
                    let part: Vec<DayRow> = rows_in!(account, &spans)
                        .filter(console_rows::page.eq_any(pages))
                        .group_by((console_rows::page, console_rows::span_id))
                        .select((
                            console_rows::page,
                            console_rows::span_id,
                            sql::<BigInt>("CAST(SUM(clicks) AS BIGINT)"),
                            sql::<BigInt>("CAST(SUM(impressions) AS BIGINT)"),
                        ))
                        .load(db)?;
                    rows.extend(part);
                }
                Ok((days, rows))
            })
            .await?;
        let days: HashMap<i64, NaiveDate> = days.into_iter().collect();
        let days_of_pages = rows
            .into_iter()
            .filter_map(|(page, span, clicks, impressions)| {
                let (page, day) = page.zip(days.get(&span).copied())?;
                Some(page_day(page, day, clicks, impressions))
            });
        days_of_pages.collect()
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let forgotten = self.change(account, move |db| {
            let old: Vec<SpanRow> = rows_of!(console_spans, account)
                .filter(console_spans::last_day.lt(before))
                .order(console_spans::last_day)
                .limit(limit.into())
                .select(SpanRow::as_select())
                .load(db)?;
            let ids: Vec<i64> = old.iter().map(|it| it.id).collect();
            forget_spans(db, account, &ids)?;
            let mut freed: BTreeMap<i64, (i64, i64)> = BTreeMap::new();
            for span in &old {
                let of_project = freed.entry(span.project_id).or_default();
                let (rows, bytes) = span.size();
                *of_project = (of_project.0 + rows, of_project.1 + bytes);
            }
            for (project, (rows, bytes)) in freed {
                stored_data::note(db, account.0, project, size_change(-rows, -bytes))?;
            }
            Ok(old.len())
        });
        Ok(forgotten.await? as u64)
    }
}

fn numbers(spans: &[ConsoleSpanId]) -> Vec<i64> {
    spans.iter().map(|it| it.0).collect()
}

fn same(
    db: &mut Db,
    account: AccountId,
    project: ProjectId,
    spans: &[SpanRow],
) -> QueryResult<Vec<SpanRow>> {
    let first = spans.iter().map(|it| it.first_day).min();
    let last = spans.iter().map(|it| it.last_day).max();
    let Some((first, last)) = first.zip(last) else {
        return Ok(vec![]);
    };
    let cuts: BTreeSet<&str> = spans.iter().map(|it| it.cut.as_str()).collect();
    let mut there: Vec<SpanRow> = rows_of!(console_spans, account, project)
        .filter(console_spans::cut.eq_any(cuts))
        .filter(console_spans::first_day.ge(first))
        .filter(console_spans::last_day.le(last))
        .select(SpanRow::as_select())
        .load(db)?;
    let coming: HashSet<_> = spans
        .iter()
        .map(|it| (it.cut.as_str(), it.first_day, it.last_day))
        .collect();
    there.retain(|it| coming.contains(&(it.cut.as_str(), it.first_day, it.last_day)));
    Ok(there)
}

fn size_of(spans: &[SpanRow]) -> (i64, i64) {
    let sizes = spans.iter().map(SpanRow::size);
    sizes.fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1))
}

fn size_change(console_rows: i64, console_bytes: i64) -> stored_data::Change {
    stored_data::Change {
        console_rows,
        console_bytes,
        ..stored_data::Change::default()
    }
}

pub fn forget_spans(db: &mut Db, account: AccountId, ids: &[i64]) -> QueryResult<()> {
    for ids in ids.chunks(MAX_DELETED_SPANS) {
        delete(rows_in!(account, ids)).execute(db)?;
        let old = rows_of!(console_spans, account).filter(console_spans::id.eq_any(ids));
        delete(old).execute(db)?;
    }
    Ok(())
}

/// Hash of the query, query, page, clicks, impressions, position times impressions.
type ShownRow = (Option<i64>, Option<String>, Option<String>, i64, i64, f64);

/// The id of a position is the hash of the query: with the page it makes the order total.
fn shown_position(row: &ShownRow) -> PageCursor {
    let page = row.2.as_deref().unwrap_or_default();
    PageCursor {
        value: SortValue::Text(format!("{} {page}", row.4)),
        id: row.0.unwrap_or_default(),
    }
}

/// Impressions, hash of the query and page of the row after which a page begins.
fn shown_place(after: &PageCursor) -> Option<(i64, i64, String)> {
    let SortValue::Text(text) = &after.value else {
        return None;
    };
    let (impressions, page) = text.split_once(' ')?;
    Some((impressions.parse().ok()?, after.id, page.to_owned()))
}

/// Page, id of the span, clicks and impressions.
type DayRow = (Option<String>, i64, i64, i64);

fn page_day(
    page: String,
    day: NaiveDate,
    clicks: i64,
    impressions: i64,
) -> Result<PageDay, StorageError> {
    Ok(PageDay {
        page,
        day,
        clicks: counted(clicks, "a number of clicks")?,
        impressions: counted(impressions, "a number of impressions")?,
    })
}
