//! Rows of Search Console.

use super::paging::{CursorCodec, Place, page};
use super::state::{ImportRow, State, add, remove_oldest};
use super::{Session, Stored};
use crate::ids::{AccountId, ConsoleSpanId, ProjectId};
use crate::page::{Direction, Page, PageCursor, PageRequest, SortValue};
use crate::ports::console_rows::ConsoleRowRepository;
use crate::search_console::{ImportInfo, PageDay, RowSet, RowSum, SearchRow, StoredSpan};
use crate::stored_data::DataSize;
use analysis::{ctr::PositionClicks, keyword_text::normalized};
use async_trait::async_trait;
use chrono::NaiveDate;
use std::{cmp::Reverse, collections::BTreeMap};

impl State {
    fn imports_of(
        &self,
        account: AccountId,
        spans: &[ConsoleSpanId],
    ) -> impl Iterator<Item = &ImportRow> {
        let imports = self.imports.iter();
        let wanted = imports.filter(move |(key, _)| key.0 == account && spans.contains(&key.1));
        wanted.map(|(_, import)| import)
    }

    fn rows_in(
        &self,
        account: AccountId,
        spans: &[ConsoleSpanId],
    ) -> impl Iterator<Item = &SearchRow> {
        self.imports_of(account, spans).flat_map(|it| &it.set.rows)
    }

    /// Imports of the same dimensions and days.
    fn same<'s>(
        &'s self,
        account: AccountId,
        project: ProjectId,
        sets: &'s [RowSet],
    ) -> impl Iterator<Item = (ConsoleSpanId, &'s ImportRow)> {
        let imports = self.imports.iter();
        let same = imports.filter(move |(key, it)| {
            let is_coming =
                |set: &RowSet| (set.dimensions, set.span) == (it.set.dimensions, it.set.span);
            (key.0, it.project) == (account, project) && sets.iter().any(is_coming)
        });
        same.map(|(key, import)| (key.1, import))
    }
}

/// Sums of rows, in the order of the first rows, with their texts.
fn sums<'r, K: Ord>(
    rows: impl Iterator<Item = &'r SearchRow>,
    by: impl Fn(&SearchRow) -> K,
) -> Vec<RowSum> {
    let mut places: BTreeMap<K, usize> = BTreeMap::new();
    let mut sums: Vec<RowSum> = Vec::new();
    for row in rows {
        let place = *places.entry(by(row)).or_insert(sums.len());
        if place == sums.len() {
            sums.push(RowSum {
                query: row.query.clone(),
                page: row.page.clone(),
                country: row.country,
                device: row.device,
                clicks: 0,
                impressions: 0,
                weighted_position: 0.0,
            });
        }
        let sum = &mut sums[place];
        sum.clicks += row.clicks;
        sum.impressions += row.impressions;
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let impressions = row.impressions as f64;
        sum.weighted_position += row.position.unwrap_or(0.0) * impressions;
    }
    sums
}

/// Aggregated over countries and devices.
fn in_all(sum: RowSum) -> RowSum {
    RowSum {
        country: None,
        device: None,
        ..sum
    }
}

fn search_of(query: Option<&String>) -> String {
    query.map(|it| normalized(it)).unwrap_or_default()
}

/// Query and page break ties; the position's text holds both.
const BY_SEARCH_AND_PAGE: CursorCodec<(String, String)> = CursorCodec {
    encode: |place| {
        let SortValue::Number(shown) = place.value else {
            unreachable!("sums are sorted by a number");
        };
        PageCursor {
            value: SortValue::Text(format!("{shown}\n{}\n{}", place.id.0, place.id.1)),
            id: 0,
        }
    },
    decode: |position| {
        let SortValue::Text(text) = &position.value else {
            return None;
        };
        let mut parts = text.splitn(3, '\n').map(str::to_owned);
        Some(Place {
            value: SortValue::Number(parts.next()?.parse().ok()?),
            id: (parts.next()?, parts.next()?),
        })
    },
};

#[async_trait]
impl ConsoleRowRepository for Session {
    async fn replace(
        &mut self,
        account: AccountId,
        project: ProjectId,
        ids: &[ConsoleSpanId],
        sets: &[RowSet],
        import_info: &ImportInfo,
    ) -> Stored<u64> {
        self.change(|state| {
            let same = state.same(account, project, sets);
            let same: Vec<_> = same
                .map(|(id, it)| (id, it.set.rows.len() as u64))
                .collect();
            for (id, _) in &same {
                state.imports.remove(&(account, *id));
            }
            for (id, set) in ids.iter().zip(sets) {
                let (set, import_info) = (set.clone(), import_info.clone());
                let import = ImportRow {
                    project,
                    set,
                    import_info,
                };
                add(&mut state.imports, (account, *id), import)?;
            }
            Ok(same.iter().map(|(_, rows)| rows).sum())
        })
    }

    async fn size_of_replaced(
        &mut self,
        account: AccountId,
        project: ProjectId,
        sets: &[RowSet],
    ) -> Stored<DataSize> {
        self.query(|state| {
            let same = state.same(account, project, sets);
            same.fold(DataSize::default(), |sum, (_, it)| sum.and(it.set.size()))
        })
    }

    async fn spans(
        &mut self,
        account: AccountId,
        project: ProjectId,
        since: NaiveDate,
    ) -> Stored<Vec<StoredSpan>> {
        self.query(|state| {
            let imports = state.imports.iter();
            let wanted = imports.filter(|(key, it)| {
                (key.0, it.project) == (account, project) && it.set.span.last >= since
            });
            let spans = wanted.map(|(key, it)| StoredSpan {
                id: key.1,
                dimensions: it.set.dimensions,
                span: it.set.span,
                rows: it.set.rows.len() as u64,
                origin: it.import_info.origin,
                label: it.import_info.label.clone(),
                imported_at: it.import_info.at,
            });
            let mut spans: Vec<StoredSpan> = spans.collect();
            spans.sort_by_key(|it| (it.span.last, it.span.first, it.dimensions.name()));
            spans
        })
    }

    async fn by_position(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
    ) -> Stored<Vec<PositionClicks>> {
        self.query(|state| {
            let mut sums: BTreeMap<u32, PositionClicks> = BTreeMap::new();
            for row in state.rows_in(account, spans) {
                let Some(position) = row.rounded_position().filter(|it| *it <= 100) else {
                    continue;
                };
                let sum = sums.entry(position).or_insert(PositionClicks {
                    position,
                    impressions: 0,
                    clicks: 0,
                });
                sum.impressions += row.impressions;
                sum.clicks += row.clicks;
            }
            sums.into_values().collect()
        })
    }

    async fn sums_for_queries(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        queries: &[String],
    ) -> Stored<Vec<RowSum>> {
        self.query(|state| {
            let rows = state.rows_in(account, spans);
            let about = rows.filter(|it| queries.contains(&search_of(it.query.as_ref())));
            sums(about, |it| {
                (it.query.clone(), it.page.clone(), it.country, it.device)
            })
        })
    }

    async fn top_by_impressions(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        limit: u32,
    ) -> Stored<Vec<RowSum>> {
        self.query(|state| {
            let rows = state.rows_in(account, spans);
            let mut sums = sums(rows, |it| (it.query.clone(), it.page.clone()));
            sums.sort_by_key(|it| (Reverse(it.impressions), Reverse(it.clicks)));
            sums.into_iter().take(limit as usize).map(in_all).collect()
        })
    }

    async fn list_by_impressions(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        request: &PageRequest<()>,
    ) -> Stored<Page<RowSum>> {
        let rising = PageRequest {
            direction: Direction::Ascending,
            counted: false,
            ..request.clone()
        };
        self.try_query(|state| {
            let rows = state.rows_in(account, spans);
            let sums = sums(rows, |it| (search_of(it.query.as_ref()), it.page.clone()));
            let sums: Vec<RowSum> = sums.into_iter().map(in_all).collect();
            let place = |it: &RowSum| Place {
                value: SortValue::Number(-i64::try_from(it.impressions).unwrap_or(i64::MAX)),
                id: (
                    search_of(it.query.as_ref()),
                    it.page.clone().unwrap_or_default(),
                ),
            };
            page(sums.iter(), &rising, &BY_SEARCH_AND_PAGE, place, |_| 0)
        })
    }

    async fn page_days(
        &mut self,
        account: AccountId,
        spans: &[ConsoleSpanId],
        pages: &[String],
    ) -> Stored<Vec<PageDay>> {
        self.query(|state| {
            let days = state.imports_of(account, spans).flat_map(|import| {
                let rows = import.set.rows.iter();
                let wanted =
                    rows.filter(|it| it.page.as_ref().is_some_and(|it| pages.contains(it)));
                let sums = sums(wanted, |it| it.page.clone());
                sums.into_iter().map(|it| PageDay {
                    page: it.page.unwrap_or_default(),
                    day: import.set.span.last,
                    clicks: it.clicks,
                    impressions: it.impressions,
                })
            });
            days.collect()
        })
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let is_over = |key: &(AccountId, _), it: &ImportRow| {
                key.0 == account && it.set.span.last < before
            };
            let age = |it: &ImportRow| it.set.span.last;
            Ok(remove_oldest(&mut state.imports, limit, is_over, age))
        })
    }
}
