use analysis::observation::search_page::SearchPage;
use async_trait::async_trait;
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{
    PaidCallRefusal, ProviderError, SearchOutcome, SearchQuery, SearchResults, Spent, SupplierLabel,
};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Joins equal concurrent searches, so that each is made once.
pub(super) struct SingleFlight {
    supplier: Arc<dyn SearchResults>,
    flights: Arc<Flights>,
}

type Flights = Mutex<HashMap<SearchQuery, Weak<Flight>>>;

/// Runs while a caller waits for it; paid for by the job that started it.
struct Flight {
    result: Shared<BoxFuture<'static, SearchOutcome>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Leader,
    Follower,
}

impl SingleFlight {
    pub(super) fn new(supplier: Arc<dyn SearchResults>) -> Self {
        Self {
            supplier,
            flights: Arc::default(),
        }
    }

    fn join(&self, query: &SearchQuery, ledger: &Arc<dyn PaidCallLedger>) -> (Arc<Flight>, Role) {
        // No real supplier uses the site.
        let question = SearchQuery {
            site: String::new(),
            ..query.clone()
        };
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        flights.retain(|_, flight| flight.strong_count() > 0);
        if let Some(flight) = flights.get(&question).and_then(Weak::upgrade) {
            return (flight, Role::Follower);
        }
        let flight = Arc::new(Flight {
            result: self.start(question.clone(), Arc::clone(ledger)),
        });
        flights.insert(question, Arc::downgrade(&flight));
        (flight, Role::Leader)
    }

    /// Removed on completion, so that later searches query the supplier again.
    fn start(
        &self,
        question: SearchQuery,
        ledger: Arc<dyn PaidCallLedger>,
    ) -> Shared<BoxFuture<'static, SearchOutcome>> {
        let (supplier, flights) = (Arc::clone(&self.supplier), Arc::clone(&self.flights));
        let flight = async move {
            let searched = supplier.search(&question, &ledger).await;
            let mut flights = flights.lock().unwrap_or_else(PoisonError::into_inner);
            flights.remove(&question);
            searched
        };
        flight.boxed().shared()
    }
}

#[async_trait]
impl SearchResults for SingleFlight {
    fn label(&self) -> SupplierLabel {
        self.supplier.label()
    }

    fn max_spend(&self, depth: u32) -> Spent {
        self.supplier.max_spend(depth)
    }

    fn paid_call_refusal(&self, depth: u32) -> Option<PaidCallRefusal> {
        self.supplier.paid_call_refusal(depth)
    }

    /// Only the caller that started the search is charged. If its job could not pay, the others retry for themselves.
    async fn search(&self, query: &SearchQuery, ledger: &Arc<dyn PaidCallLedger>) -> SearchOutcome {
        loop {
            let (flight, role) = self.join(query, ledger);
            let searched = flight.result.clone().await;
            if role == Role::Leader {
                return searched;
            }
            let failure = searched.answer.as_ref().err();
            if { failure.or(searched.truncated_by.as_ref()) }.is_some_and(is_leader_failure) {
                continue;
            }
            return SearchOutcome {
                answer: searched.answer.map(|page| SearchPage { calls: 0, ..page }),
                truncated_by: searched.truncated_by,
                spent: Spent::default(),
            };
        }
    }
}

/// Failures of the starting job, which need not affect the others.
const fn is_leader_failure(failure: &ProviderError) -> bool {
    matches!(
        failure,
        ProviderError::JobBudgetReached | ProviderError::NotRecorded { .. }
    )
}
