use super::assembly::Assembly;
use super::result_page::{Overview, OverviewAnswer, ResultPage};
use crate::http_client::RawResponse;
use crate::paid_calls::{Billed, Counter, SpendingRules, micro_usd};
use crate::resilience::{Billing, CallFailure, Guard};
use analysis::observation::search_page::{DEPTH_CUT_SHORT, FeatureCoverage, SearchPage};
use async_trait::async_trait;
use domain::ports::clock::Clock;
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{
    PaidCallRefusal, ProviderError, SearchOutcome, SearchQuery, SearchResults, Spent, SupplierLabel,
};
use std::sync::Arc;

#[async_trait]
pub(super) trait ResultPages: Send + Sync {
    fn label(&self) -> SupplierLabel;
    /// The supplier's name in the paid-call ledger; it must never change.
    fn name(&self) -> &'static str;
    /// Removes credentials, which suppliers may echo.
    fn without_secrets(&self, text: &str) -> String;
    fn billing(&self) -> Billing;
    fn feature_coverage(&self) -> FeatureCoverage;
    /// Warning codes that apply to every answer.
    fn warnings(&self) -> &'static [&'static str] {
        &[]
    }
    fn results_per_call(&self) -> u32;
    /// In millionths of a US dollar.
    fn price_per_call(&self, depth: u32) -> u64;
    fn max_depth(&self) -> u32 {
        u32::MAX
    }
    /// Calls per search besides those for result pages.
    fn extra_calls(&self) -> u32 {
        0
    }
    fn objection(&self, query: &SearchQuery) -> Option<ProviderError>;
    /// Returns a response whatever its status; `number` starts at 1.
    async fn fetch_page(
        &self,
        query: &SearchQuery,
        number: u32,
    ) -> Result<RawResponse, CallFailure>;
    fn read(&self, answer: &RawResponse) -> Result<ResultPage, CallFailure>;
    async fn fetch_overview(
        &self,
        _query: &SearchQuery,
        _token: &str,
    ) -> Result<RawResponse, CallFailure> {
        Err(CallFailure::malformed("it announces an overview"))
    }
    fn read_overview(&self, _answer: &RawResponse) -> Result<OverviewAnswer, CallFailure> {
        Err(CallFailure::malformed("it announces an overview"))
    }
}

impl Billed for ResultPage {
    fn reported_cost(&self) -> Option<u64> {
        self.cost
    }
}

impl Billed for OverviewAnswer {
    fn reported_cost(&self) -> Option<u64> {
        self.cost
    }
}

pub(super) struct Paged<S> {
    supplier: S,
    guard: Guard,
    clock: Arc<dyn Clock>,
    spending: SpendingRules,
}

struct SearchRun<'a> {
    query: &'a SearchQuery,
    counter: Counter<'a>,
    cut_by: Option<ProviderError>,
}

impl<S: ResultPages> Paged<S> {
    pub(super) fn new(
        supplier: S,
        guard: Guard,
        clock: Arc<dyn Clock>,
        spending: SpendingRules,
    ) -> Self {
        Self {
            supplier,
            guard,
            clock,
            spending,
        }
    }

    /// Identifies the call by everything that affects its answer.
    fn step(&self, query: &SearchQuery, kind: &str) -> String {
        let place = query.location.as_deref().unwrap_or("-");
        format!(
            "{} {kind} of {} {} {} {} {place}: {}",
            self.supplier.name(),
            query.depth,
            query.country,
            query.language,
            query.device.name(),
            query.keyword
        )
    }

    async fn call<T, F>(
        &self,
        run: &mut SearchRun<'_>,
        kind: &str,
        send: impl Fn() -> F + Send + Sync,
        read: impl Fn(&RawResponse) -> Result<T, CallFailure> + Send + Sync,
    ) -> Result<T, ProviderError>
    where
        T: Billed + Send,
        F: Future<Output = Result<RawResponse, CallFailure>> + Send,
    {
        let step = self.step(run.query, kind);
        let without_secrets = |text: &str| self.supplier.without_secrets(text);
        run.counter.call(step, without_secrets, send, read).await
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
            .min(self.supplier.max_depth())
            .div_ceil(self.supplier.results_per_call())
            .max(1)
    }

    fn price(&self, depth: u32) -> u64 {
        match self.supplier.billing() {
            Billing::PerCall => self.supplier.price_per_call(depth),
            Billing::Free => 0,
        }
    }

    async fn snapshot(&self, run: &mut SearchRun<'_>) -> Result<SearchPage, ProviderError> {
        let query = run.query;
        let mut snapshot = Assembly::new(self.empty_snapshot(), query.depth);
        for number in 1..=self.pages(query.depth) {
            let which = format!("page {number}");
            let called = self.call(
                run,
                &which,
                || self.supplier.fetch_page(query, number),
                |answer| self.supplier.read(answer),
            );
            match called.await {
                Ok(mut page) => {
                    page.overview = self.resolve_overview(run, page.overview).await;
                    if !snapshot.add_page(page, number) {
                        break;
                    }
                }
                Err(error) => {
                    // The ledger failed: leave the search to another attempt, which reuses the stored answers.
                    if number == 1 || matches!(error, ProviderError::NotRecorded { .. }) {
                        return Err(error);
                    }
                    // Keeps the pages that were paid for; the record shows the depth reached.
                    let code = error.code();
                    tracing::warn!(number, code, "a later result page failed");
                    snapshot.warn(DEPTH_CUT_SHORT);
                    run.cut_by = Some(error);
                    break;
                }
            }
        }
        let mut page = snapshot.page;
        if query.depth > self.supplier.max_depth()
            && page.depth_checked() >= self.supplier.max_depth()
        {
            page.warnings.push(DEPTH_CUT_SHORT.to_owned());
        }
        Ok(page)
    }

    /// Fetched at once: announcements expire soon.
    async fn resolve_overview(&self, run: &mut SearchRun<'_>, overview: Overview) -> Overview {
        let Overview::Announced(token) = overview else {
            return overview;
        };
        let query = run.query;
        let called = self.call(
            run,
            "overview",
            || self.supplier.fetch_overview(query, &token),
            |answer| self.supplier.read_overview(answer),
        );
        match called.await {
            Ok(brought) => brought.overview,
            Err(error) => {
                let code = error.code();
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

    fn max_spend(&self, depth: u32) -> Spent {
        if self.paid_call_refusal(depth).is_some() {
            return Spent::default();
        }
        let calls = self.pages(depth) + self.supplier.extra_calls();
        Spent::on(calls.into(), micro_usd(self.price(depth)))
    }

    fn paid_call_refusal(&self, depth: u32) -> Option<PaidCallRefusal> {
        match self.supplier.billing() {
            Billing::Free => None,
            Billing::PerCall => self.spending.objection(self.price(depth)),
        }
    }

    async fn search(&self, query: &SearchQuery, ledger: &Arc<dyn PaidCallLedger>) -> SearchOutcome {
        let unpaid = self
            .paid_call_refusal(query.depth)
            .map(ProviderError::PaidCallRefused);
        if let Some(objection) = unpaid.or_else(|| self.supplier.objection(query)) {
            return SearchOutcome {
                answer: Err(objection),
                truncated_by: None,
                spent: Spent::default(),
            };
        }
        let (ledger, price) = (ledger.as_ref(), self.price(query.depth));
        let counter = Counter::new(&self.guard, ledger, self.supplier.billing(), price);
        let mut run = SearchRun {
            query,
            counter,
            cut_by: None,
        };
        let mut answer = self.snapshot(&mut run).await;
        let Counter {
            spent,
            oldest_answer_at,
            ..
        } = run.counter;
        if let Ok(page) = &mut answer {
            page.calls = u32::try_from(spent.calls).unwrap_or(u32::MAX);
            page.fetched_at = oldest_answer_at.unwrap_or(page.fetched_at);
        }
        SearchOutcome {
            answer,
            truncated_by: run.cut_by,
            spent,
        }
    }
}
