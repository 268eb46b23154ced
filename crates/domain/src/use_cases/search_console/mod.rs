//! Search Console data of a project and the state of its fetches.

pub mod fetch;
pub mod import;

use super::{Core, impl_as_storage_error};
use crate::ids::{AccountId, ProjectId};
use crate::page::{Page, PageRequest};
use crate::ports::storage::{StorageError, Transaction};
use crate::project::Project;
use crate::search_console::{
    Binding, DimensionSet, Origin, PeriodRows, Property, PropertyRefusal, RowSubject, RowSum, Span,
    StoredSpan, choose_basis, rows_within,
};
use analysis::findings::suggestions::{ConsoleRow, DayClicks, ImportedSource};
use analysis::keyword_text::normalized;
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

/// Default number of days for sums.
const RECENT: u64 = 28;
/// Days of daily page figures.
const PAGE_DAYS: u64 = 182;
/// How far back imported rows are read.
const LOOKBACK: Days = Days::new(240);
/// Keywords read at once.
const BATCH: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleState {
    pub binding: Option<Binding>,
    /// Imports by dimensions: daily ones together, whole periods separately.
    pub imported: Vec<ImportedSpan>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedSpan {
    pub dimensions: DimensionSet,
    pub span: Span,
    /// Number of imported days in this span; `None` for a whole period.
    pub days: Option<u64>,
    pub rows: u64,
    /// Source of the newest import.
    pub origin: Origin,
    pub label: String,
    pub imported_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ConsoleSearches {
    /// Imported rows used; `None` if there are none for these days.
    pub basis: Option<PeriodRows>,
    /// One page of sums; without page URLs if only queries were imported.
    pub sums: Page<RowSum>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ConsolePage {
    pub url: String,
    /// Clicks of the last weeks, scaled to 30 days.
    pub clicks_per_month: f64,
    /// Daily clicks, if daily rows were imported.
    pub days: Vec<DayClicks>,
}

#[derive(Debug, Error)]
pub enum BindConsoleError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("the property {0}")]
    Property(#[from] PropertyRefusal),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(BindConsoleError);

impl Core {
    /// `None` if the account has no such project.
    pub async fn console_state(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<ConsoleState>, StorageError> {
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let binding = read.console_bindings().find(account, project).await?;
        // Reads all: no data is older, and every database can store this day.
        let all = DateTime::UNIX_EPOCH.date_naive();
        let spans = read.console_rows().spans(account, project, all).await?;
        Ok(Some(ConsoleState {
            binding,
            imported: summarize(spans),
        }))
    }

    /// Binds a property, due at once. The same property again changes nothing; another one starts
    /// over. For the operator only: the service account may have access to properties of other
    /// owners, and their data must not be revealed.
    pub async fn bind_console(
        &self,
        account: AccountId,
        project: ProjectId,
        property: &str,
    ) -> Result<Binding, BindConsoleError> {
        let bind = |mut work: Box<dyn Transaction>, now| async move {
            let found = work.projects().lock(account, project).await?;
            let found = found.filter(Project::is_active);
            let found = found.ok_or(BindConsoleError::NoSuchProject)?;
            let property = Property::parse(property, &found.domain)?;
            let there = work.console_bindings().find(account, project).await?;
            if let Some(there) = there.filter(|it| it.property == property) {
                return Ok(there);
            }
            let binding = Binding::new(account, project, property, now);
            work.console_bindings().set(&binding).await?;
            work.commit().await?;
            Ok(binding)
        };
        self.transaction_with_time(bind).await
    }

    /// Returns whether there was a property. Fetched rows stay.
    pub async fn unbind_console(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<bool, StorageError> {
        let unbind = |mut work: Box<dyn Transaction>| async move {
            let removed = work.console_bindings().remove(account, project).await?;
            work.commit().await?;
            Ok(removed)
        };
        self.storage.transaction(unbind).await
    }

    /// Queries with impressions, summed over days, most impressions first; the newest weeks if no
    /// days are given. `None` if the account has no such project.
    pub async fn console_searches(
        &self,
        account: AccountId,
        project: ProjectId,
        period: Option<Span>,
        page: &PageRequest<()>,
    ) -> Result<Option<ConsoleSearches>, StorageError> {
        let today = self.clock.now().date_naive();
        let since = period.map_or(today - LOOKBACK, |it| it.first);
        let mut read = self.storage.read().await?;
        if read.projects().find(account, project).await?.is_none() {
            return Ok(None);
        }
        let stored = read.console_rows().spans(account, project, since).await?;
        let about = |about| match period {
            Some(period) => rows_within(&stored, about, period),
            None => choose_basis(&stored, about, today, RECENT).map(|it| PeriodRows {
                dimensions: it.dimensions,
                span: it.span,
                days: it.span.days().unsigned_abs(),
                spans: it.spans,
            }),
        };
        let Some(basis) = about(RowSubject::QueryAndPage).or_else(|| about(RowSubject::Query))
        else {
            return Ok(Some(ConsoleSearches {
                basis: None,
                sums: Page::empty(),
            }));
        };
        let sums = { read.console_rows() }
            .list_by_impressions(account, &basis.spans, page)
            .await?;
        Ok(Some(ConsoleSearches {
            basis: Some(basis),
            sums,
        }))
    }

    /// Up to `limit` pages with most impressions, as of a day, with daily clicks over all queries,
    /// anonymized ones included.
    #[expect(clippy::cast_precision_loss, reason = "clicks are far below 2^52")]
    pub async fn console_pages(
        &self,
        account: AccountId,
        project: ProjectId,
        on: NaiveDate,
        limit: u32,
    ) -> Result<Vec<ConsolePage>, StorageError> {
        let mut read = self.storage.read().await?;
        let stored = { read.console_rows() }
            .spans(account, project, on - LOOKBACK)
            .await?;
        let Some(recent) = choose_basis(&stored, RowSubject::Page, on, RECENT) else {
            return Ok(Vec::new());
        };
        let rows = { read.console_rows() }
            .top_by_impressions(account, &recent.spans, limit)
            .await?;
        let urls: Vec<String> = rows.iter().filter_map(|it| it.page.clone()).collect();
        let mut days: HashMap<String, Vec<DayClicks>> = HashMap::new();
        let long = choose_basis(&stored, RowSubject::Page, on, PAGE_DAYS);
        // A whole period has no daily figures.
        if let Some(long) = long.filter(|it| it.spans.len() as u64 > RECENT) {
            let daily = { read.console_rows() }
                .page_days(account, &long.spans, &urls)
                .await?;
            for row in daily {
                days.entry(row.page).or_default().push(DayClicks {
                    day: row.day,
                    clicks: row.clicks,
                });
            }
        }
        let month = 30.0 / recent.span.days() as f64;
        let pages = rows.into_iter().filter_map(|row| {
            let url = row.page?;
            Some(ConsolePage {
                days: days.remove(&url).unwrap_or_default(),
                clicks_per_month: row.clicks as f64 * month,
                url,
            })
        });
        Ok(pages.collect())
    }

    /// Up to `limit` sums by query and page over the last weeks, as of a day, most impressions
    /// first. Evidence of suggestions refers to these rows.
    pub async fn console_rows(
        &self,
        account: AccountId,
        project: ProjectId,
        on: NaiveDate,
        limit: u32,
    ) -> Result<Vec<ConsoleRow>, StorageError> {
        let mut read = self.storage.read().await?;
        let stored = { read.console_rows() }
            .spans(account, project, on - LOOKBACK)
            .await?;
        let Some(basis) = choose_basis(&stored, RowSubject::QueryAndPage, on, RECENT) else {
            return Ok(Vec::new());
        };
        let rows = { read.console_rows() }
            .top_by_impressions(account, &basis.spans, limit)
            .await?;
        drop(read);
        let keywords = self.keywords_by_text(account, project).await?;
        let measured_at = { basis.span.last + Days::new(1) }
            .and_time(NaiveTime::MIN)
            .and_utc()
            .min(basis.imported_at);
        let rows = rows.into_iter().filter_map(|row| {
            let position = row.position()?;
            let (keyword, url) = row.query.zip(row.page)?;
            Some(ConsoleRow {
                source: ImportedSource::SearchConsole,
                keyword_id: keywords.get(&normalized(&keyword)).copied(),
                keyword,
                url,
                from: basis.span.first,
                to: basis.span.last,
                clicks: row.clicks,
                impressions: row.impressions,
                position,
                measured_at,
            })
        });
        Ok(rows.collect())
    }

    /// Tracked keywords by normalized text; of several markets the first.
    async fn keywords_by_text(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<HashMap<String, i64>, StorageError> {
        let mut known = HashMap::new();
        let mut walk = self.walk_keywords(account, project, BATCH);
        while let Some(batch) = walk.next().await? {
            for keyword in batch {
                let text = keyword.text.normalized().to_owned();
                known.entry(text).or_insert(keyword.id.0);
            }
        }
        Ok(known)
    }
}

fn summarize(spans: Vec<StoredSpan>) -> Vec<ImportedSpan> {
    let mut days: BTreeMap<DimensionSet, ImportedSpan> = BTreeMap::new();
    let mut periods = Vec::new();
    for it in spans {
        let imported = ImportedSpan {
            dimensions: it.dimensions,
            span: it.span,
            days: it.span.is_day().then_some(1),
            rows: it.rows,
            origin: it.origin,
            label: it.label,
            imported_at: it.imported_at,
        };
        match days.get_mut(&it.dimensions) {
            _ if !it.span.is_day() => periods.push(imported),
            None => {
                days.insert(it.dimensions, imported);
            }
            Some(sum) => {
                sum.span.first = sum.span.first.min(imported.span.first);
                sum.span.last = sum.span.last.max(imported.span.last);
                sum.days = sum.days.map(|it| it + 1);
                sum.rows += imported.rows;
                if imported.imported_at >= sum.imported_at {
                    sum.origin = imported.origin;
                    sum.label = imported.label;
                    sum.imported_at = imported.imported_at;
                }
            }
        }
    }
    days.into_values().chain(periods).collect()
}
