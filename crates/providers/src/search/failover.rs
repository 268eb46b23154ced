use async_trait::async_trait;
use domain::ports::call_journal::CallJournal;
use domain::ports::search_results::{
    ProviderError, SearchQuery, SearchResults, Searched, Spent, SupplierLabel, Unpaid,
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
    fn most(&self, depth: u32) -> Spent {
        let each = self.suppliers.iter().map(|it| it.most(depth));
        each.fold(Spent::default(), Spent::and)
    }

    /// Set only if no supplier may be queried: the first one's reason.
    fn unpaid(&self, depth: u32) -> Option<Unpaid> {
        let each: Option<Vec<Unpaid>> = self.suppliers.iter().map(|it| it.unpaid(depth)).collect();
        each?.first().copied()
    }

    /// Returns the first answer and the total cost; if all fail, the failure of the first that could have measured.
    async fn search(&self, query: &SearchQuery, journal: &Arc<dyn CallJournal>) -> Searched {
        let mut spent = Spent::default();
        let mut told: Option<ProviderError> = None;
        for supplier in &self.suppliers {
            let searched = supplier.search(query, journal).await;
            spent = spent.and(searched.spent);
            match searched.answer {
                Ok(page) => {
                    return Searched {
                        answer: Ok(page),
                        cut_by: searched.cut_by,
                        spent,
                    };
                }
                Err(error) => {
                    let supplier = supplier.label().name;
                    tracing::warn!(supplier, code = error.code(), "a supplier failed");
                    if told.as_ref().is_none_or(is_refusal) {
                        told = Some(told.filter(|_| is_refusal(&error)).unwrap_or(error));
                    }
                }
            }
        }
        Searched {
            answer: Err(told.unwrap_or(ProviderError::Unavailable)),
            cut_by: None,
            spent,
        }
    }
}

/// Refused queries (mobile, for example) and unpaid suppliers fail every time; other failures may pass.
const fn is_refusal(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Refused { .. } | ProviderError::Unpaid(_)
    )
}
