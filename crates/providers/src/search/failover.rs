use async_trait::async_trait;
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{
    PaidCallRefusal, ProviderError, SearchOutcome, SearchQuery, SearchResults, Spent, SupplierLabel,
};
use std::sync::Arc;

/// Queries suppliers in order until one answers.
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
    /// That of the first supplier.
    fn label(&self) -> SupplierLabel {
        self.suppliers[0].label()
    }

    /// Every supplier may be queried, and a failed call may be billed.
    fn max_spend(&self, depth: u32) -> Spent {
        let each = self.suppliers.iter().map(|it| it.max_spend(depth));
        each.fold(Spent::default(), Spent::and)
    }

    /// Set only if no supplier may be queried: the first one's reason.
    fn paid_call_refusal(&self, depth: u32) -> Option<PaidCallRefusal> {
        let each: Option<Vec<PaidCallRefusal>> = self
            .suppliers
            .iter()
            .map(|it| it.paid_call_refusal(depth))
            .collect();
        each?.first().copied()
    }

    /// Returns the first answer and the total cost; if all fail, the failure of the first that could have measured.
    async fn search(&self, query: &SearchQuery, ledger: &Arc<dyn PaidCallLedger>) -> SearchOutcome {
        let mut spent = Spent::default();
        let mut first_failure: Option<ProviderError> = None;
        for supplier in &self.suppliers {
            let searched = supplier.search(query, ledger).await;
            spent = spent.and(searched.spent);
            match searched.answer {
                Ok(page) => {
                    return SearchOutcome {
                        answer: Ok(page),
                        truncated_by: searched.truncated_by,
                        spent,
                    };
                }
                Err(error) => {
                    let supplier = supplier.label().name;
                    tracing::warn!(supplier, code = error.code(), "a supplier failed");
                    if first_failure.as_ref().is_none_or(is_refusal) {
                        first_failure = Some(
                            first_failure
                                .filter(|_| is_refusal(&error))
                                .unwrap_or(error),
                        );
                    }
                }
            }
        }
        SearchOutcome {
            answer: Err(first_failure.unwrap_or(ProviderError::Unavailable)),
            truncated_by: None,
            spent,
        }
    }
}

/// Refused queries (mobile, for example) and unpaid suppliers fail every time; other failures may pass.
const fn is_refusal(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Refused { .. } | ProviderError::PaidCallRefused(_)
    )
}
