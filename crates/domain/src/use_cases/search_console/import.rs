//! Imports rows of Search Console: all of them, or none.

use crate::ids::{AccountId, ConsoleSpanId, ProjectId};
use crate::ports::storage::{StorageError, Transaction};
use crate::project::Project;
use crate::search_console::{DimensionSet, ImportInfo, Origin, RowRefusal, RowSet, Span};
use crate::stored_data::{DataSize, StorageExceeded, StorageLimits};
use crate::use_cases::{Core, impl_as_storage_error};
use analysis::url_rules::SiteScope;
use chrono::{NaiveDate, TimeDelta};
use std::collections::{BTreeSet, HashSet};
use thiserror::Error;

/// Maximum rows per import, which is one transaction.
pub const MAX_ROWS: usize = 300_000;
/// Maximum rows an import replaces: deleting that many blocks writers for a second.
const MAX_REPLACED: u64 = 100_000;
/// Longer gaps are not filled as days without impressions: data between may be missing.
const MAX_DAY_GAP: TimeDelta = TimeDelta::days(11);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedRows {
    /// Number of rows by dimensions and days.
    pub spans: Vec<(DimensionSet, Span, u64)>,
    /// Rows stored.
    pub rows: u64,
    /// Rows replaced.
    pub replaced: u64,
    /// Rows of other sites, which were omitted.
    pub foreign: u64,
}

#[derive(Debug, Error)]
pub enum ImportConsoleError {
    #[error("there is no such active project")]
    NoSuchProject,
    #[error("there is no row to import")]
    Nothing,
    #[error(
        "{rows} rows are more than the {MAX_ROWS} that one import may have: import shorter periods one after the other"
    )]
    TooMany { rows: usize },
    #[error(
        "{rows} rows that are there would be replaced, and one import replaces {MAX_REPLACED} at the most: import fewer days at a time"
    )]
    ReplacesTooMany { rows: u64 },
    #[error("row {} of {}: {refusal}", place + 1, cut.name())]
    Row {
        cut: DimensionSet,
        /// Index of the row, from 0.
        place: usize,
        refusal: RowRefusal,
    },
    #[error("rows {} and {} of {} are about the same: sum them up first, or leave out one", .places.0 + 1, .places.1 + 1, cut.name())]
    DuplicateRow {
        cut: DimensionSet,
        /// Indexes, from 0.
        places: (usize, usize),
    },
    #[error("{} of {span} comes twice: import one of them", cut.name())]
    DuplicateSet { cut: DimensionSet, span: Span },
    #[error("{day} lies ahead: check the dates")]
    Future { day: NaiveDate },
    #[error(
        "no page of these rows belongs to {site}; one of them is {example}: take the export of the property of {site}"
    )]
    OtherSite { site: String, example: String },
    #[error(transparent)]
    Full(#[from] StorageExceeded),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(ImportConsoleError);

impl Core {
    /// Replaces rows of the same dimensions and days. `label` names the file or other source.
    pub async fn import_console_rows(
        &self,
        account: AccountId,
        project: ProjectId,
        sets: Vec<RowSet>,
        label: &str,
    ) -> Result<ImportedRows, ImportConsoleError> {
        let now = self.clock.now();
        check(&sets, now.date_naive())?;
        let mut work = self.storage.read().await?;
        let found = work.projects().find(account, project).await?;
        drop(work);
        let found = found.filter(Project::is_active);
        let site = found.ok_or(ImportConsoleError::NoSuchProject)?.domain;
        let (sets, foreign) = drop_foreign_pages(sets, site.ascii())?;
        let info = ImportInfo {
            origin: Origin::Export,
            label: label.to_owned(),
            at: now,
        };
        let days = self.unseen_days(account, project, &sets).await?;
        let spans = { sets.iter() }.map(|it| (it.dimensions, it.span, it.rows.len() as u64));
        let spans: Vec<_> = spans.collect();
        let rows = spans.iter().map(|it| it.2).sum();
        let sets = [sets, days].concat();
        let (sets, info) = (&sets, &info);
        let prepare = || ConsoleSpanId::mint_ascending(&self.mint, sets.len());
        let import = |mut work: Box<dyn Transaction>, ids: Vec<ConsoleSpanId>| async move {
            // Locks out other imports of the account, so that each is checked against the total
            // after the previous one.
            work.accounts().lock(account).await?;
            let there = work.projects().lock(account, project).await?;
            if !there.is_some_and(|it| it.is_active()) {
                return Err(ImportConsoleError::NoSuchProject);
            }
            let gone = { work.console_rows() }
                .size_of_replaced(account, project, sets)
                .await?;
            if gone.rows > MAX_REPLACED {
                return Err(ImportConsoleError::ReplacesTooMany { rows: gone.rows });
            }
            let limits = &self.policies.storage;
            check_storage_limits::<ImportConsoleError>(
                work.as_mut(),
                limits,
                account,
                project,
                sets,
                gone,
            )
            .await?;
            let replaced = { work.console_rows() }
                .replace(account, project, &ids, sets, info)
                .await?;
            work.commit().await?;
            Ok::<_, ImportConsoleError>(replaced)
        };
        let replaced = self.storage.transaction_with(prepare, import).await?;
        Ok(ImportedRows {
            spans,
            rows,
            replaced,
            foreign,
        })
    }

    /// Empty sets for days without impressions between others of the same dimensions: exports omit
    /// such days, but figures need consecutive days. Days stored earlier stay.
    async fn unseen_days(
        &self,
        account: AccountId,
        project: ProjectId,
        sets: &[RowSet],
    ) -> Result<Vec<RowSet>, StorageError> {
        let listed = sets.iter().filter(|it| it.span.is_day());
        let listed: BTreeSet<(DimensionSet, NaiveDate)> =
            listed.map(|it| (it.dimensions, it.span.last)).collect();
        let mut unseen = BTreeSet::new();
        for (&(cut, day), &(next_cut, next)) in listed.iter().zip(listed.iter().skip(1)) {
            if cut == next_cut && next - day <= MAX_DAY_GAP {
                let between = day.iter_days().skip(1).take_while(|it| *it < next);
                unseen.extend(between.map(|it| (cut, it)));
            }
        }
        let Some(first) = unseen.iter().map(|it| it.1).min() else {
            return Ok(Vec::new());
        };
        let mut read = self.storage.read().await?;
        let stored = { read.console_rows() }
            .spans(account, project, first)
            .await?;
        for it in stored.iter().filter(|it| it.span.is_day()) {
            unseen.remove(&(it.dimensions, it.span.last));
        }
        let empty = unseen.into_iter().map(|(cut, day)| RowSet {
            dimensions: cut,
            span: Span::day(day),
            rows: Vec::new(),
        });
        Ok(empty.collect())
    }
}

/// Checks the limits for rows that replace rows of size `freed`.
pub(super) async fn check_storage_limits<E>(
    work: &mut dyn Transaction,
    limits: &StorageLimits,
    account: AccountId,
    project: ProjectId,
    sets: &[RowSet],
    freed: DataSize,
) -> Result<(), E>
where
    E: From<StorageError> + From<StorageExceeded>,
{
    let added = { sets.iter() }.fold(DataSize::default(), |sum, it| sum.and(it.size()));
    let of_account = work.stored_data().of_account(account).await?;
    let of_project = work.stored_data().of_project(account, project).await?;
    Ok(limits.check(of_account, of_project, added, freed)?)
}

fn check(sets: &[RowSet], today: NaiveDate) -> Result<(), ImportConsoleError> {
    let rows: usize = sets.iter().map(|it| it.rows.len()).sum();
    if rows == 0 {
        return Err(ImportConsoleError::Nothing);
    }
    if rows > MAX_ROWS {
        return Err(ImportConsoleError::TooMany { rows });
    }
    let mut seen = HashSet::new();
    for set in sets {
        let (cut, span) = (set.dimensions, set.span);
        if span.last > today {
            return Err(ImportConsoleError::Future { day: span.last });
        }
        if !seen.insert((cut, span)) {
            return Err(ImportConsoleError::DuplicateSet { cut, span });
        }
        if let Some((place, refusal)) = set.refusal() {
            return Err(ImportConsoleError::Row {
                cut,
                place,
                refusal,
            });
        }
        if let Some(places) = set.first_duplicate() {
            return Err(ImportConsoleError::DuplicateRow { cut, places });
        }
    }
    Ok(())
}

/// The sets without pages of other sites, and the number of rows removed.
fn drop_foreign_pages(
    sets: Vec<RowSet>,
    site: &str,
) -> Result<(Vec<RowSet>, u64), ImportConsoleError> {
    let scope = SiteScope::of(site);
    let (mut foreign, mut kept, mut example) = (0, 0, None);
    let sets = sets.into_iter().map(|mut set| {
        if set.dimensions.subject.has_page() {
            set.rows.retain(|row| {
                let page = row.page.as_deref().unwrap_or_default();
                let is_own = scope.owns(page);
                if is_own {
                    kept += 1_u64;
                } else {
                    foreign += 1_u64;
                    example.get_or_insert_with(|| page.to_owned());
                }
                is_own
            });
        }
        set
    });
    let sets = sets.collect();
    match example {
        Some(example) if kept == 0 => Err(ImportConsoleError::OtherSite {
            site: site.to_owned(),
            example,
        }),
        _ => Ok((sets, foreign)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ports::clock::Clock,
        search_console::{RowSubject, SearchRow},
        stored_data::{StorageQuota, StoredData},
        test_support::{FakeStorage, FakeTransaction, FrozenClock, a_project, an_account, core},
        use_cases::Policies,
    };
    use std::sync::Arc;

    const ACCOUNT: AccountId = AccountId(1);
    const PROJECT: ProjectId = ProjectId(11);

    fn page(url: &str) -> SearchRow {
        SearchRow {
            query: None,
            page: Some(url.to_owned()),
            country: None,
            device: None,
            clicks: 1,
            impressions: 10,
            position: Some(3.0),
        }
    }

    fn pages(rows: Vec<SearchRow>, before: u64) -> RowSet {
        let day = FrozenClock::default().now().date_naive() - chrono::Days::new(before);
        RowSet {
            dimensions: DimensionSet::aggregated(RowSubject::Page),
            span: Span::day(day),
            rows,
        }
    }

    /// Expects an import into an account that stores nothing; `set` adds expectations.
    fn expect_import(storage: &FakeStorage, set: impl FnOnce(&mut FakeTransaction)) {
        expect_import_over(storage, DataSize::default(), set);
    }

    /// The same, replacing rows of the same dimensions and days of that size.
    fn expect_import_over(
        storage: &FakeStorage,
        there: DataSize,
        set: impl FnOnce(&mut FakeTransaction),
    ) {
        storage.expect(|it| {
            it.projects
                .expect_find()
                .returning(|_, _| Ok(Some(a_project())));
        });
        storage.expect(|it| {
            it.accounts
                .expect_lock()
                .returning(|_| Ok(Some(an_account())));
            it.projects
                .expect_lock()
                .returning(|_, _| Ok(Some(a_project())));
            it.console_rows
                .expect_size_of_replaced()
                .returning(move |_, _, _| Ok(there));
            let stored = &mut it.stored_data;
            { stored.expect_of_account() }.returning(|_| Ok(StoredData::default()));
            { stored.expect_of_project() }.returning(|_, _| Ok(StoredData::default()));
            set(it);
        });
    }

    #[tokio::test]
    async fn an_import_replaces_a_limited_number_of_rows() {
        for (rows, is_taken) in [(MAX_REPLACED, true), (MAX_REPLACED + 1, false)] {
            let storage = Arc::new(FakeStorage::default());
            expect_import_over(&storage, DataSize { rows, bytes: 0 }, |it| {
                it.console_rows
                    .expect_replace()
                    .returning(move |_, _, _, _, _| Ok(rows));
            });
            let sets = vec![pages(vec![page("https://shop.example.com/a")], 1)];
            let outcome = { core(storage.clone()) }
                .import_console_rows(ACCOUNT, PROJECT, sets, "a")
                .await;
            assert_eq!(outcome.is_ok(), is_taken, "{outcome:?}");
            assert_eq!(storage.commits(), u32::from(is_taken));
        }
    }

    #[tokio::test]
    async fn rows_over_the_storage_limit_are_not_stored() {
        let site = a_project().domain;
        let storage = Arc::new(FakeStorage::default());
        expect_import(&storage, |it| {
            it.console_rows.expect_replace().never();
        });
        let limits = StorageLimits {
            project_rows: Some(1),
            ..StorageLimits::default()
        };
        let rows = vec![page(&format!("https://{site}/a"))];
        let core = Core {
            policies: Policies {
                storage: limits,
                ..Policies::default()
            },
            ..core(storage.clone())
        };
        let refused = core
            .import_console_rows(ACCOUNT, PROJECT, vec![pages(rows, 1)], "pages.csv")
            .await;
        let Err(ImportConsoleError::Full(full)) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(full.quota, StorageQuota::ProjectRows);
        assert_eq!(storage.commits(), 0);
    }

    async fn refusal(sets: Vec<RowSet>) -> String {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|it| {
            it.projects
                .expect_find()
                .returning(|_, _| Ok(Some(a_project())));
        });
        let refused = { core(storage.clone()) }
            .import_console_rows(ACCOUNT, PROJECT, sets, "x.csv")
            .await;
        assert_eq!(storage.commits(), 0);
        refused.unwrap_err().to_string()
    }

    #[tokio::test]
    async fn invalid_imports_are_refused_before_anything_is_stored() {
        let site = a_project().domain;
        let own = format!("https://{site}/a");
        for (sets, expected) in [
            (vec![], "no row"),
            (
                vec![pages(vec![page(&own)], 0), pages(vec![page(&own)], 0)],
                "comes twice",
            ),
            (
                vec![pages(vec![page(&own), page(&own)], 1)],
                "rows 1 and 2 of page are about the same",
            ),
            (
                vec![pages(vec![page("https://other.example.org/")], 1)],
                "https://other.example.org/",
            ),
            (
                vec![pages(
                    vec![SearchRow {
                        clicks: 11,
                        ..page(&own)
                    }],
                    1,
                )],
                "row 1 of page: clicks",
            ),
        ] {
            let refused = refusal(sets).await;
            assert!(refused.contains(expected), "{refused}");
        }
        let mut ahead = pages(vec![page(&own)], 0);
        ahead.span = Span::day(ahead.span.last + chrono::Days::new(1));
        assert!(refusal(vec![ahead]).await.contains("lies ahead"));
    }

    #[tokio::test]
    async fn pages_of_other_sites_are_left_out_and_counted() {
        let site = a_project().domain;
        let storage = Arc::new(FakeStorage::default());
        expect_import(&storage, |it| {
            it.console_rows
                .expect_replace()
                .once()
                .returning(|_, _, ids, sets, import_info| {
                    assert_eq!((ids.len(), sets.len(), sets[0].rows.len()), (1, 1, 1));
                    assert!(ids[0].0 > 0);
                    assert_eq!(
                        (import_info.origin, import_info.label.as_str()),
                        (Origin::Export, "pages.csv")
                    );
                    Ok(7)
                });
        });
        let rows = vec![
            page(&format!("https://www.{site}/a")),
            page("https://other.example.org/"),
        ];
        let imported = core(storage.clone())
            .import_console_rows(ACCOUNT, PROJECT, vec![pages(rows, 1)], "pages.csv")
            .await
            .unwrap();
        assert_eq!(
            (imported.rows, imported.replaced, imported.foreign),
            (1, 7, 1)
        );
        assert_eq!(storage.commits(), 1);
    }
}
