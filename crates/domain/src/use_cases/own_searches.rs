//! Reads Search Console data of a project's keywords for a rank check.

use super::Core;
use crate::ids::{AccountId, KeywordId};
use crate::job::Job;
use crate::keyword::Keyword;
use crate::ports::storage::{Storage, StorageError};
use crate::search_console::{
    Basis, ConsoleCountry, ConsoleDevice, RowSubject, RowSum, choose_basis, granularity,
};
use analysis::ctr::ClickCurve;
use analysis::findings::rankings::{OwnSearchData, OwnSearchPeriod};
use analysis::keyword_text::normalized;
use chrono::Days;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Days of keyword figures; the same window as for cannibalization.
const RECENT: u64 = 28;
/// Days of the click curve, longer because each position needs a thousand impressions.
const CURVE_DAYS: u64 = 90;
/// Days searched for both: the days themselves, and a period that began earlier.
const LOOKBACK: Days = Days::new(240);

/// Search Console data of a project; queried for a batch of keywords at a time.
pub struct OwnSearches {
    storage: Arc<dyn Storage>,
    account: AccountId,
    curve: Option<ClickCurve>,
    queries: Option<Basis>,
    /// Rows by query and page.
    pages: Option<Basis>,
}

/// A page with impressions for a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPage {
    pub url: String,
    pub clicks: u64,
    pub impressions: u64,
}

impl Core {
    /// As of the job's day.
    pub async fn own_searches(&self, job: &Job) -> Result<OwnSearches, StorageError> {
        let account = job.account;
        let mut read = self.storage.read().await?;
        let stored = { read.console_rows() }
            .spans(account, job.project, job.day - LOOKBACK)
            .await?;
        let basis = |about, days| choose_basis(&stored, about, job.day, days);
        let of_curve = basis(RowSubject::QueryAndPage, CURVE_DAYS)
            .or_else(|| basis(RowSubject::Query, CURVE_DAYS));
        let curve = match &of_curve {
            None => None,
            Some(basis) => {
                let places = read.console_rows().by_position(account, &basis.spans);
                let name = format!("{}{}", ClickCurve::OWN_PREFIX, basis.span.last);
                ClickCurve::measured(&name, &places.await?)
            }
        };
        Ok(OwnSearches {
            storage: Arc::clone(&self.storage),
            account,
            curve,
            queries: basis(RowSubject::Query, RECENT),
            pages: basis(RowSubject::QueryAndPage, RECENT),
        })
    }
}

impl OwnSearches {
    /// The project's own click curve, if it has enough impressions.
    pub const fn curve(&self) -> Option<&ClickCurve> {
        self.curve.as_ref()
    }

    /// Data of these keywords; keywords without data are omitted unless the project has a curve.
    pub async fn data_for(
        &self,
        keywords: &[&Keyword],
    ) -> Result<HashMap<KeywordId, OwnSearchData>, StorageError> {
        let mut tables = Vec::new();
        for basis in self.best_first() {
            tables.push((basis, self.rows(basis, keywords).await?));
        }
        let known = keywords.iter().filter_map(|keyword| {
            let mut own = OwnSearchData {
                curve: self.curve.clone(),
                ..OwnSearchData::default()
            };
            let preferred = { tables.iter() }
                .map(|(basis, rows)| (basis, of_market(keyword, basis, rows)))
                .find(|(_, rows)| !rows.is_empty());
            if let Some((basis, rows)) = preferred {
                fill_sums(&mut own, basis, &rows);
            }
            let is_something = own.curve.is_some() || own.period.is_some();
            is_something.then_some((keyword.id, own))
        });
        Ok(known.collect())
    }

    /// By granularity of markets, then by age, then rows of queries, which count impressions per
    /// query. If the first has no data on a keyword, the next is used.
    fn best_first(&self) -> Vec<&Basis> {
        let mut tables: Vec<&Basis> = self.queries.iter().chain(&self.pages).collect();
        tables.sort_by_key(|it| Reverse((granularity(it.dimensions), it.span.last)));
        tables
    }

    /// Pages with impressions for each of these keywords, if there are several.
    pub async fn shown_pages(
        &self,
        keywords: &[&Keyword],
    ) -> Result<HashMap<KeywordId, Vec<ShownPage>>, StorageError> {
        let Some(basis) = &self.pages else {
            return Ok(HashMap::new());
        };
        let rows = self.rows(basis, keywords).await?;
        let shown = keywords.iter().map(|keyword| {
            let mut pages: HashMap<&str, ShownPage> = HashMap::new();
            for row in of_market(keyword, basis, &rows) {
                let url = row.page.as_deref().unwrap_or_default();
                let page = pages.entry(url).or_insert_with(|| ShownPage {
                    url: url.to_owned(),
                    clicks: 0,
                    impressions: 0,
                });
                page.clicks = page.clicks.saturating_add(row.clicks);
                page.impressions = page.impressions.saturating_add(row.impressions);
            }
            (keyword.id, pages.into_values().collect::<Vec<_>>())
        });
        Ok(shown.filter(|(_, pages)| pages.len() > 1).collect())
    }

    /// Rows about these keywords, by normalized text.
    async fn rows(
        &self,
        basis: &Basis,
        keywords: &[&Keyword],
    ) -> Result<HashMap<String, Vec<RowSum>>, StorageError> {
        let texts: BTreeSet<&str> = keywords.iter().map(|it| it.text.normalized()).collect();
        let texts: Vec<String> = texts.into_iter().map(str::to_owned).collect();
        let mut read = self.storage.read().await?;
        let rows = { read.console_rows() }
            .sums_for_queries(self.account, &basis.spans, &texts)
            .await?;
        let mut by_text: HashMap<String, Vec<RowSum>> = HashMap::new();
        for row in rows {
            let text = normalized(row.query.as_deref().unwrap_or_default());
            by_text.entry(text).or_default().push(row);
        }
        Ok(by_text)
    }
}

/// Rows of the keyword's market, as far as rows separate markets.
fn of_market<'r>(
    keyword: &Keyword,
    basis: &Basis,
    rows: &'r HashMap<String, Vec<RowSum>>,
) -> Vec<&'r RowSum> {
    let country = ConsoleCountry::of(keyword.market.country);
    let device = ConsoleDevice::of(keyword.market.device);
    let rows = rows.get(keyword.text.normalized());
    rows.into_iter()
        .flatten()
        .filter(|it| !basis.dimensions.by_country || it.country == Some(country))
        .filter(|it| !basis.dimensions.by_device || it.device == Some(device))
        .collect()
}

/// Sums a keyword's rows, at least one. Rows by page count each page on a results page: with
/// several pages, only clicks can be added; impressions and position are unknown.
fn fill_sums(own: &mut OwnSearchData, basis: &Basis, rows: &[&RowSum]) {
    let pages: BTreeSet<Option<&str>> = rows.iter().map(|it| it.page.as_deref()).collect();
    own.clicks = Some(rows.iter().map(|it| it.clicks).sum());
    if pages.len() == 1 {
        let all = RowSum {
            impressions: rows.iter().map(|it| it.impressions).sum(),
            weighted_position: rows.iter().map(|it| it.weighted_position).sum(),
            ..rows[0].clone()
        };
        own.impressions = Some(all.impressions);
        own.position = all.position();
    }
    own.period = Some(OwnSearchPeriod {
        from: basis.span.first,
        to: basis.span.last,
        of_market: basis.dimensions.is_by_market(),
    });
}
