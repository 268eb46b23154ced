//! From the answers of single calls to one snapshot of the wanted depth.

use super::{
    assembly::Assembly,
    result_page::{Overview, OverviewAnswer, ResultPage},
};
use crate::resilience::{Billing, CallFailure, FailedCall, Guard, Repeat};
use analysis::observation::search_page::{DEPTH_CUT_SHORT, FeatureCoverage, SearchPage};
use async_trait::async_trait;
use domain::{
    money::MicroUsd,
    ports::{
        clock::Clock,
        search_results::{
            ProviderError, SearchQuery, SearchResults, Searched, Spent, SupplierLabel,
        },
    },
};
use std::sync::Arc;

/// A supplier whose answers are put together.
#[async_trait]
pub(super) trait ResultPages: Send + Sync {
    /// Who answers.
    fn label(&self) -> SupplierLabel;
    /// Whether calls cost.
    fn billing(&self) -> Billing;
    /// How much it tells about features.
    fn feature_coverage(&self) -> FeatureCoverage;
    /// Machine codes of what is weak about all its answers.
    fn warnings(&self) -> &'static [&'static str] {
        &[]
    }
    /// How many organic results a call brings at most.
    fn results_per_call(&self) -> u32;
    /// The most that such a call can cost, in millionths of a US dollar.
    fn price_per_call(&self, depth: u32) -> u64;
    /// How deep it looks at all.
    fn deepest(&self) -> u32 {
        u32::MAX
    }
    /// Calls that a search may take beside those for its results.
    fn extra_calls(&self) -> u32 {
        0
    }
    /// Why it cannot measure this at all.
    fn objection(&self, query: &SearchQuery) -> Option<ProviderError>;
    /// What one call brings; they are counted from 1.
    async fn page(&self, query: &SearchQuery, number: u32) -> Result<ResultPage, CallFailure>;
    /// The AI overview that a page only announced.
    async fn announced_overview(
        &self,
        _query: &SearchQuery,
        _token: &str,
    ) -> Result<OverviewAnswer, CallFailure> {
        Err(CallFailure::malformed("it announces an overview"))
    }
}

/// Calls a supplier as often as it takes, each call guarded.
pub(super) struct Paged<S> {
    supplier: S,
    guard: Guard,
    clock: Arc<dyn Clock>,
}

impl<S: ResultPages> Paged<S> {
    pub(super) fn new(supplier: S, guard: Guard, clock: Arc<dyn Clock>) -> Self {
        Self {
            supplier,
            guard,
            clock,
        }
    }

    fn empty_snapshot(&self) -> SearchPage {
        let label = self.supplier.label();
        let warnings = self.supplier.warnings().iter();
        SearchPage {
            engine: label.engine,
            provider: label.name,
            provenance: label.provenance,
            fetched_at: self.clock.now(),
            calls: 0,
            total_results_estimate: None,
            feature_coverage: self.supplier.feature_coverage(),
            blocks: Vec::new(),
            ai_overview: None,
            related: Vec::new(),
            warnings: warnings.map(|it| (*it).to_owned()).collect(),
        }
    }

    fn pages(&self, depth: u32) -> u32 {
        depth
            .min(self.supplier.deepest())
            .div_ceil(self.supplier.results_per_call())
            .max(1)
    }

    fn price(&self, depth: u32) -> u64 {
        match self.supplier.billing() {
            Billing::PerCall => self.supplier.price_per_call(depth),
            Billing::Free => 0,
        }
    }

    async fn snapshot(
        &self,
        query: &SearchQuery,
        bill: &mut Bill,
    ) -> Result<SearchPage, ProviderError> {
        let mut snapshot = Assembly::new(self.empty_snapshot(), query.depth);
        for number in 1..=self.pages(query.depth) {
            let asked = || self.supplier.page(query, number);
            let called = self.guard.call(self.supplier.billing(), asked).await;
            match called {
                Ok(called) => {
                    let mut page = called.value;
                    bill.paid(called.attempts, page.cost);
                    page.overview = self.brought(query, page.overview, bill).await;
                    if !snapshot.takes(page, number) {
                        break;
                    }
                }
                Err(failed) => {
                    bill.lost(&failed);
                    if number == 1 {
                        return Err(failed.error);
                    }
                    // What was seen and paid for is kept; the record says how deep it goes.
                    let code = failed.error.code();
                    tracing::warn!(number, code, "a later result page failed");
                    snapshot.warn(DEPTH_CUT_SHORT);
                    break;
                }
            }
        }
        let mut page = snapshot.page;
        if query.depth > self.supplier.deepest() && page.depth_checked() >= self.supplier.deepest()
        {
            page.warnings.push(DEPTH_CUT_SHORT.to_owned());
        }
        Ok(page)
    }

    /// The overview itself, where it was only announced: announcements are short-lived.
    async fn brought(&self, query: &SearchQuery, overview: Overview, bill: &mut Bill) -> Overview {
        let Overview::Announced(token) = overview else {
            return overview;
        };
        let asked = || self.supplier.announced_overview(query, &token);
        match self.guard.call(self.supplier.billing(), asked).await {
            Ok(called) => {
                bill.paid(called.attempts, called.value.cost);
                called.value.overview
            }
            Err(failed) => {
                bill.lost(&failed);
                let code = failed.error.code();
                tracing::warn!(code, "an announced AI overview could not be fetched");
                Overview::Unread(None)
            }
        }
    }
}

#[async_trait]
impl<S: ResultPages> SearchResults for Paged<S> {
    fn label(&self) -> SupplierLabel {
        self.supplier.label()
    }

    fn most(&self, depth: u32) -> Spent {
        let calls = self.pages(depth) + self.supplier.extra_calls();
        Spent::on(calls.into(), micro_usd(self.price(depth)))
    }

    async fn search(&self, query: &SearchQuery) -> Searched {
        if let Some(objection) = self.supplier.objection(query) {
            return Searched {
                answer: Err(objection),
                spent: Spent::default(),
            };
        }
        let mut bill = Bill {
            price: self.price(query.depth),
            spent: Spent::default(),
        };
        let mut answer = self.snapshot(query, &mut bill).await;
        if let Ok(page) = &mut answer {
            page.calls = u32::try_from(bill.spent.calls).unwrap_or(u32::MAX);
        }
        Searched {
            answer,
            spent: bill.spent,
        }
    }
}

/// What a search has taken so far.
struct Bill {
    /// What a call costs when the supplier does not tell.
    price: u64,
    spent: Spent,
}

impl Bill {
    /// The last attempt was answered; the ones before it cost nothing.
    fn paid(&mut self, attempts: u32, told: Option<u64>) {
        self.add(attempts, told.unwrap_or(self.price));
    }

    fn lost(&mut self, failed: &FailedCall) {
        let cost = match failed.repeat {
            Repeat::Billed(told) => told,
            Repeat::Uncertain => self.price,
            Repeat::Safe | Repeat::Pointless | Repeat::NotMade => 0,
        };
        self.add(failed.attempts, cost);
    }

    fn add(&mut self, attempts: u32, cost: u64) {
        self.spent = self.spent.and(Spent {
            calls: attempts.into(),
            cost: micro_usd(cost),
        });
    }
}

fn micro_usd(amount: u64) -> MicroUsd {
    MicroUsd(i64::try_from(amount).unwrap_or(i64::MAX))
}
