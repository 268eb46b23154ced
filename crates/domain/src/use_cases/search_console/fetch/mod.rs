//! Fetches final days that are missing of a project's property, one by one: after an error, stored
//! days stay, and the next fetch continues after them.

use super::import::check_storage_limits;
use crate::account::AccountStatus;
use crate::ids::{AccountId, ConsoleSpanId, ProjectId};
use crate::ports::page_speed::NotConfigured;
use crate::ports::search_console::{SearchConsole, SearchConsoleError};
use crate::ports::storage::{StorageError, Transaction};
use crate::project::Project;
use crate::search_console::{Binding, DimensionSet, ImportInfo, Origin, RowSet, Span};
use crate::stored_data::StorageExceeded;
use crate::use_cases::{Core, impl_as_storage_error};
use analysis::url_rules::SiteScope;
use chrono::{DateTime, Days, NaiveDate, Utc};
use chrono_tz::America::Los_Angeles;
use std::sync::Arc;
use thiserror::Error;

/// Search Console deletes older data.
const OLDEST: Days = Days::new(480);
/// Older days are final, even without impressions.
const SETTLED: Days = Days::new(10);
/// Maximum accounts and bindings per round; the next round continues.
const AT_ONCE: u32 = 20;

pub struct FetchConsole {
    pub core: Arc<Core>,
    pub console: Arc<dyn SearchConsole>,
    pub limits: FetchLimits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchLimits {
    /// Maximum rows per day and set of dimensions, most clicks first.
    pub rows_per_day: u32,
    /// How many days back the first fetch goes.
    pub first_days: u32,
}

impl Default for FetchLimits {
    fn default() -> Self {
        Self {
            rows_per_day: 25_000,
            first_days: 90,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchedDay {
    pub day: NaiveDate,
    /// Rows of all dimensions.
    pub rows: u64,
    /// Remaining days.
    pub left: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    pub days: u32,
    pub rows: u64,
    /// The last stored day.
    pub through: Option<NaiveDate>,
}

#[derive(Debug)]
pub struct DueFetch {
    /// The binding before fetching.
    pub binding: Binding,
    /// Result of the fetch, also stored in the binding.
    pub outcome: Result<Fetched, FetchConsoleError>,
}

/// Why fetching ended early. Days stored before stay.
#[derive(Debug, Error)]
pub enum FetchConsoleError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("no property of Search Console is bound to the project")]
    NotBound,
    #[error("the property is already being fetched; retry after {0}")]
    AlreadyRunning(DateTime<Utc>),
    #[error("the binding of the property changed during the fetch; retry")]
    BindingChanged,
    #[error("Search Console keeps sixteen months: nothing is there before {0}")]
    TooOld(NaiveDate),
    #[error("the account is switched off")]
    AccountDisabled,
    #[error(transparent)]
    Full(#[from] StorageExceeded),
    #[error(transparent)]
    Console(#[from] SearchConsoleError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(FetchConsoleError);

/// Called for each stored day.
pub type OnDay<'a> = &'a (dyn Fn(FetchedDay) + Send + Sync);

impl FetchConsole {
    pub fn missing(&self) -> Option<NotConfigured> {
        self.console.missing()
    }

    /// Fetches for a project, due or not: the days after the last one, or these.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        span: Option<Span>,
        on_day: OnDay<'_>,
    ) -> Result<Fetched, FetchConsoleError> {
        let mut read = self.core.storage.read().await?;
        let binding = read.console_bindings().find(account, project).await?;
        drop(read);
        let binding = binding.ok_or(FetchConsoleError::NotBound)?;
        let kept = self.today() - OLDEST;
        if span.is_some_and(|it| it.last < kept) {
            return Err(FetchConsoleError::TooOld(kept));
        }
        let now = self.core.clock.now();
        if let Some(until) = binding.leased_until.filter(|it| *it > now) {
            return Err(FetchConsoleError::AlreadyRunning(until));
        }
        match self.run_leased(&binding, span, on_day).await? {
            Some(fetched) => Ok(fetched),
            None => Err(FetchConsoleError::AlreadyRunning(
                now + crate::search_console::FETCH_LEASE,
            )),
        }
    }

    /// Fetches all due properties, one by one. Several workers may run it at once: each binding is leased.
    pub async fn run_due(&self) -> Result<Vec<DueFetch>, StorageError> {
        let now = self.core.clock.now();
        let mut read = self.core.storage.read().await?;
        let accounts = read.console_bindings().accounts_due(now, AT_ONCE).await?;
        drop(read);
        let mut fetched = Vec::new();
        for account in accounts {
            fetched.extend(self.due_of(account).await?);
        }
        Ok(fetched)
    }

    async fn due_of(&self, account: AccountId) -> Result<Vec<DueFetch>, StorageError> {
        let now = self.core.clock.now();
        let mut read = self.core.storage.read().await?;
        let due = read.console_bindings().due(account, now, AT_ONCE).await?;
        drop(read);
        let mut fetched = Vec::new();
        for binding in due {
            let outcome = match self.run_leased(&binding, None, &|_| {}).await {
                Ok(None) => continue,
                Ok(Some(it)) => Ok(it),
                Err(FetchConsoleError::Storage(error)) => return Err(error),
                Err(error) => Err(error),
            };
            fetched.push(DueFetch { binding, outcome });
        }
        Ok(fetched)
    }

    /// `None` if another worker has the lease.
    async fn run_leased(
        &self,
        binding: &Binding,
        span: Option<Span>,
        on_day: OnDay<'_>,
    ) -> Result<Option<Fetched>, FetchConsoleError> {
        let mut leased = binding.leased(self.core.clock.now());
        if !self.advance(binding, &leased, None).await? {
            return Ok(None);
        }
        let outcome = self.days(&mut leased, span, on_day).await;
        let now = self.core.clock.now();
        let after = match &outcome {
            Ok(_) => leased.completed(now),
            Err(FetchConsoleError::BindingChanged) => return outcome.map(Some),
            Err(error) => leased.failed(error.to_string(), now),
        };
        let ended = self.advance(&leased, &after, None).await;
        // Report the first error.
        let fetched = outcome?;
        if !ended? {
            return Err(FetchConsoleError::BindingChanged);
        }
        Ok(Some(fetched))
    }

    async fn days(
        &self,
        leased: &mut Binding,
        span: Option<Span>,
        on_day: OnDay<'_>,
    ) -> Result<Fetched, FetchConsoleError> {
        let site = self.site(leased).await?;
        let mut fetched = Fetched {
            days: 0,
            rows: 0,
            through: leased.fetched_through,
        };
        let Some(wanted) = self.wanted(leased, span) else {
            return Ok(fetched);
        };
        let final_day = self
            .console
            .last_final_day(&leased.property, wanted)
            .await?;
        let settled = self.today().checked_sub_days(SETTLED);
        let Some(last) = final_day.max(settled).map(|it| it.min(wanted.last)) else {
            return Ok(fetched);
        };
        for day in wanted.first.iter_days().take_while(|it| *it <= last) {
            let sets = self.fetch_day(leased, &site, day).await?;
            let rows = sets.iter().map(|it| it.rows.len() as u64).sum();
            // Explicitly requested days must not leave a gap that would never be filled.
            let is_next = leased.fetched_through.and_then(|it| it.succ_opt()) == Some(day);
            let reached = if span.is_none() || is_next {
                leased.advanced_to(day, self.core.clock.now())
            } else {
                leased.leased(self.core.clock.now())
            };
            if !self.advance(leased, &reached, Some(&sets)).await? {
                return Err(FetchConsoleError::BindingChanged);
            }
            *leased = reached;
            fetched.days += 1;
            fetched.rows += rows;
            fetched.through = leased.fetched_through;
            let left = u32::try_from((last - day).num_days()).unwrap_or(0);
            on_day(FetchedDay { day, rows, left });
        }
        Ok(fetched)
    }

    async fn site(&self, leased: &Binding) -> Result<SiteScope, FetchConsoleError> {
        let mut read = self.core.storage.read().await?;
        let account = read.accounts().find(leased.account).await?;
        if account.is_some_and(|it| it.status == AccountStatus::Disabled) {
            return Err(FetchConsoleError::AccountDisabled);
        }
        let project = read.projects().find(leased.account, leased.project).await?;
        let project = project.filter(Project::is_active);
        let project = project.ok_or(FetchConsoleError::NoSuchProject)?;
        Ok(SiteScope::of(project.domain.ascii()))
    }

    /// In Search Console's time zone.
    fn today(&self) -> NaiveDate {
        self.core
            .clock
            .now()
            .with_timezone(&Los_Angeles)
            .date_naive()
    }

    /// The days to fetch, as far as they have passed; `None` if there are none.
    fn wanted(&self, leased: &Binding, span: Option<Span>) -> Option<Span> {
        let today = self.today();
        let first = match (span, leased.fetched_through) {
            (Some(span), _) => span.first,
            (None, Some(through)) => through.succ_opt()?,
            (None, None) => today - Days::new(self.limits.first_days.into()),
        };
        let last = span.map_or(today, |it| it.last.min(today));
        Span::between(first.max(today - OLDEST), last)
    }

    async fn fetch_day(
        &self,
        leased: &Binding,
        site: &SiteScope,
        day: NaiveDate,
    ) -> Result<Vec<RowSet>, FetchConsoleError> {
        let mut sets = Vec::with_capacity(DimensionSet::FETCHED.len());
        for cut in DimensionSet::FETCHED {
            let max_rows = self.limits.rows_per_day;
            let request = self.console.rows(&leased.property, day, cut, max_rows);
            let mut rows = request.await?;
            // Pages include apps, and a domain property may cover more than the site.
            rows.retain(|row| {
                let is_own = row.page.as_deref().is_none_or(|it| site.owns(it));
                is_own && row.refusal(cut).is_none()
            });
            let span = Span::day(day);
            sets.push(RowSet {
                dimensions: cut,
                span,
                rows,
            });
        }
        Ok(sets)
    }

    /// Advances the binding and stores the rows in the same transaction.
    async fn advance(
        &self,
        before: &Binding,
        after: &Binding,
        sets: Option<&[RowSet]>,
    ) -> Result<bool, FetchConsoleError> {
        let info = ImportInfo {
            origin: Origin::Api,
            label: after.property.to_string(),
            at: self.core.clock.now(),
        };
        let info = &info;
        let core = &self.core;
        let prepare = || ConsoleSpanId::mint_ascending(&core.mint, sets.map_or(0, <[_]>::len));
        let advance = |mut work: Box<dyn Transaction>, ids: Vec<ConsoleSpanId>| async move {
            if sets.is_some() {
                work.projects().lock(before.account, before.project).await?;
            }
            if !work.console_bindings().advance(before, after).await? {
                return Ok(false);
            }
            if let Some(sets) = sets {
                let (account, project) = (before.account, before.project);
                let limits = &core.policies.storage;
                let freed = { work.console_rows() }
                    .size_of_replaced(account, project, sets)
                    .await?;
                check_storage_limits::<FetchConsoleError>(
                    work.as_mut(),
                    limits,
                    account,
                    project,
                    sets,
                    freed,
                )
                .await?;
                { work.console_rows() }
                    .replace(before.account, before.project, &ids, sets, info)
                    .await?;
            }
            work.commit().await?;
            Ok(true)
        };
        core.storage.transaction_with(prepare, advance).await
    }
}

#[cfg(test)]
mod tests;
