use super::assembly::Assembly;
use super::result_page::{Overview, OverviewAnswer, ResultPage};
use crate::http_client::Answer;
use crate::paying::{Billed, Counter, SpendingRules, micro_usd};
use crate::resilience::{Billing, CallFailure, Guard};
use analysis::observation::search_page::{DEPTH_CUT_SHORT, FeatureCoverage, SearchPage};
use async_trait::async_trait;
use domain::ports::call_journal::CallJournal;
use domain::ports::clock::Clock;
use domain::ports::search_results::{
    ProviderError, SearchQuery, SearchResults, Searched, Spent, SupplierLabel, Unpaid,
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
    fn deepest(&self) -> u32 {
        u32::MAX
    }
    /// Calls per search besides those for result pages.
    fn extra_calls(&self) -> u32 {
        0
    }
    fn objection(&self, query: &SearchQuery) -> Option<ProviderError>;
    /// Returns a response whatever its status; `number` starts at 1.
    async fn page(&self, query: &SearchQuery, number: u32) -> Result<Answer, CallFailure>;
    fn read(&self, answer: &Answer) -> Result<ResultPage, CallFailure>;
    async fn announced_overview(
        &self,
        _query: &SearchQuery,
        _token: &str,
    ) -> Result<Answer, CallFailure> {
        Err(CallFailure::malformed("it announces an overview"))
    }
    fn read_overview(&self, _answer: &Answer) -> Result<OverviewAnswer, CallFailure> {
        Err(CallFailure::malformed("it announces an overview"))
    }
}

impl Billed for ResultPage {
    fn told(&self) -> Option<u64> {
        self.cost
    }
}

impl Billed for OverviewAnswer {
    fn told(&self) -> Option<u64> {
        self.cost
    }
}

pub(super) struct Paged<S> {
    supplier: S,
    guard: Guard,
    clock: Arc<dyn Clock>,
    spending: SpendingRules,
}

struct Asking<'a> {
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
    fn step(&self, query: &SearchQuery, what: &str) -> String {
        let place = query.location.as_deref().unwrap_or("-");
        format!(
            "{} {what} of {} {} {} {} {place}: {}",
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
        asking: &mut Asking<'_>,
        what: &str,
        ask: impl Fn() -> F + Send + Sync,
        read: impl Fn(&Answer) -> Result<T, CallFailure> + Send + Sync,
    ) -> Result<T, ProviderError>
    where
        T: Billed + Send,
        F: Future<Output = Result<Answer, CallFailure>> + Send,
    {
        let step = self.step(asking.query, what);
        let without_secrets = |text: &str| self.supplier.without_secrets(text);
        asking.counter.call(step, without_secrets, ask, read).await
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

    async fn snapshot(&self, asking: &mut Asking<'_>) -> Result<SearchPage, ProviderError> {
        let query = asking.query;
        let mut snapshot = Assembly::new(self.empty_snapshot(), query.depth);
        for number in 1..=self.pages(query.depth) {
            let which = format!("page {number}");
            let called = self.call(
                asking,
                &which,
                || self.supplier.page(query, number),
                |answer| self.supplier.read(answer),
            );
            match called.await {
                Ok(mut page) => {
                    page.overview = self.brought(asking, page.overview).await;
                    if !snapshot.takes(page, number) {
                        break;
                    }
                }
                Err(error) => {
                    // The ledger failed: leave the search to another attempt, which reuses the stored answers.
                    if number == 1 || matches!(error, ProviderError::NotWrittenDown { .. }) {
                        return Err(error);
                    }
                    // Keeps the pages that were paid for; the record shows the depth reached.
                    let code = error.code();
                    tracing::warn!(number, code, "a later result page failed");
                    snapshot.warn(DEPTH_CUT_SHORT);
                    asking.cut_by = Some(error);
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

    /// Fetched at once: announcements expire soon.
    async fn brought(&self, asking: &mut Asking<'_>, overview: Overview) -> Overview {
        let Overview::Announced(token) = overview else {
            return overview;
        };
        let query = asking.query;
        let called = self.call(
            asking,
            "overview",
            || self.supplier.announced_overview(query, &token),
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

    fn most(&self, depth: u32) -> Spent {
        if self.unpaid(depth).is_some() {
            return Spent::default();
        }
        let calls = self.pages(depth) + self.supplier.extra_calls();
        Spent::on(calls.into(), micro_usd(self.price(depth)))
    }

    fn unpaid(&self, depth: u32) -> Option<Unpaid> {
        match self.supplier.billing() {
            Billing::Free => None,
            Billing::PerCall => self.spending.objection(self.price(depth)),
        }
    }

    async fn search(&self, query: &SearchQuery, journal: &Arc<dyn CallJournal>) -> Searched {
        let unpaid = self.unpaid(query.depth).map(ProviderError::Unpaid);
        if let Some(objection) = unpaid.or_else(|| self.supplier.objection(query)) {
            return Searched {
                answer: Err(objection),
                cut_by: None,
                spent: Spent::default(),
            };
        }
        let (journal, price) = (journal.as_ref(), self.price(query.depth));
        let counter = Counter::new(&self.guard, journal, self.supplier.billing(), price);
        let mut asking = Asking {
            query,
            counter,
            cut_by: None,
        };
        let mut answer = self.snapshot(&mut asking).await;
        let Counter { spent, since, .. } = asking.counter;
        if let Ok(page) = &mut answer {
            page.calls = u32::try_from(spent.calls).unwrap_or(u32::MAX);
            page.fetched_at = since.unwrap_or(page.fetched_at);
        }
        Searched {
            answer,
            cut_by: asking.cut_by,
            spent,
        }
    }
}
