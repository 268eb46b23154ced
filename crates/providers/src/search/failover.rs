//! The next supplier of the same need, when one fails.

use analysis::observation::search_page::SearchPage;
use async_trait::async_trait;
use domain::ports::search_results::{ProviderError, SearchQuery, SearchResults, SupplierLabel};
use std::sync::Arc;

/// Asks suppliers in turn until one answers.
pub(super) struct Failover {
    suppliers: Vec<Arc<dyn SearchResults>>,
}

impl Failover {
    pub(super) fn new(suppliers: Vec<Arc<dyn SearchResults>>) -> Self {
        Self { suppliers }
    }
}

#[async_trait]
impl SearchResults for Failover {
    /// The first supplier's label; the price is the highest, so that what is reserved suffices.
    fn label(&self) -> SupplierLabel {
        let labels: Vec<_> = self.suppliers.iter().map(|it| it.label()).collect();
        let price_per_call = labels.iter().filter_map(|it| it.price_per_call).max();
        let results_per_call = labels
            .iter()
            .map(|it| it.results_per_call)
            .min()
            .unwrap_or(1);
        SupplierLabel {
            price_per_call,
            results_per_call,
            ..labels[0].clone()
        }
    }

    /// The first answer; when all fail, the failure of the supplier that is preferred.
    async fn search(&self, query: &SearchQuery) -> Result<SearchPage, ProviderError> {
        let mut preferred = None;
        for supplier in &self.suppliers {
            match supplier.search(query).await {
                Ok(page) => return Ok(page),
                Err(error) => {
                    let supplier = supplier.label().name;
                    tracing::warn!(supplier, code = error.code(), "a supplier failed");
                    preferred.get_or_insert(error);
                }
            }
        }
        Err(preferred.unwrap_or(ProviderError::Unavailable))
    }
}
