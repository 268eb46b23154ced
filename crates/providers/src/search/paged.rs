//! From result pages of ten to one snapshot of the wanted depth.

use crate::resilience::{Billing, CallFailure, Guard};
use analysis::{
    observation::search_page::{
        Block, BlockContent, DEPTH_CUT_SHORT, FeatureBlock, FeatureCoverage, OrganicResult,
        SearchPage,
    },
    url_rules::page_key,
};
use async_trait::async_trait;
use domain::ports::{
    clock::Clock,
    search_results::{ProviderError, SearchQuery, SearchResults, SupplierLabel},
};
use std::{collections::HashSet, sync::Arc};

/// A supplier that answers one result page per call.
#[async_trait]
pub(super) trait ResultPages: Send + Sync {
    /// Who answers.
    fn label(&self) -> SupplierLabel;
    /// Whether calls cost.
    fn billing(&self) -> Billing;
    /// How much it tells about features.
    fn feature_coverage(&self) -> FeatureCoverage;
    /// Machine codes of what is weak about all its answers.
    fn warnings(&self) -> &'static [&'static str];
    /// Why it cannot measure this at all.
    fn objection(&self, query: &SearchQuery) -> Option<ProviderError>;
    /// One result page, counted from 1.
    async fn page(&self, query: &SearchQuery, number: u32) -> Result<ResultPage, CallFailure>;
}

/// One result page; positions are counted later.
#[derive(Debug, Default)]
pub(super) struct ResultPage {
    pub above: Vec<FeatureBlock>,
    pub organic: Vec<OrganicResult>,
    pub below: Vec<FeatureBlock>,
    pub total: Option<u64>,
    pub related: Vec<String>,
}

/// Pages through a supplier, each call guarded.
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
            warnings: self
                .supplier
                .warnings()
                .iter()
                .map(|it| (*it).to_owned())
                .collect(),
        }
    }
}

#[async_trait]
impl<S: ResultPages> SearchResults for Paged<S> {
    fn label(&self) -> SupplierLabel {
        self.supplier.label()
    }

    async fn search(&self, query: &SearchQuery) -> Result<SearchPage, ProviderError> {
        if let Some(objection) = self.supplier.objection(query) {
            return Err(objection);
        }
        let mut snapshot = Assembly::new(self.empty_snapshot(), query.depth);
        let pages = query
            .depth
            .div_ceil(self.supplier.label().results_per_call)
            .max(1);
        for number in 1..=pages {
            let billing = self.supplier.billing();
            match self
                .guard
                .call(billing, || self.supplier.page(query, number))
                .await
            {
                Ok(called) => {
                    snapshot.page.calls += called.attempts;
                    if !snapshot.takes(called.value, number) {
                        break;
                    }
                }
                Err(error) if number == 1 => return Err(error),
                // What was seen and paid for is kept; the record says how deep it goes.
                Err(error) => {
                    tracing::warn!(number, code = error.code(), "a later result page failed");
                    snapshot.page.warnings.push(DEPTH_CUT_SHORT.to_owned());
                    break;
                }
            }
        }
        Ok(snapshot.page)
    }
}

/// A snapshot under construction.
struct Assembly {
    page: SearchPage,
    depth: u32,
    seen: HashSet<String>,
    position: u32,
}

impl Assembly {
    fn new(page: SearchPage, depth: u32) -> Self {
        Self {
            page,
            depth: depth.max(1),
            seen: HashSet::new(),
            position: 0,
        }
    }

    /// Adds a result page; whether another one is wanted and can be expected.
    fn takes(&mut self, results: ResultPage, number: u32) -> bool {
        let before = self.position;
        self.add_features(results.above, number);
        for result in results.organic {
            self.add_organic(result, number);
        }
        self.add_features(results.below, number);
        self.page.related.extend(results.related);
        if number == 1 {
            self.page.total_results_estimate = results.total;
        }
        before < self.position && self.position < self.depth
    }

    /// Engines repeat results from page to page; a repetition is no further position.
    fn add_organic(&mut self, mut result: OrganicResult, page: u32) {
        if self.position < self.depth && self.seen.insert(page_key(&result.url)) {
            self.position += 1;
            result.position = self.position;
            self.add(BlockContent::Organic(result), page);
        }
    }

    fn add_features(&mut self, features: Vec<FeatureBlock>, page: u32) {
        for feature in features {
            self.add(BlockContent::Feature(feature), page);
        }
    }

    /// These suppliers do not tell where on the page a block stood.
    fn add(&mut self, content: BlockContent, page: u32) {
        self.page.blocks.push(Block {
            absolute_position: None,
            page,
            content,
        });
    }
}
