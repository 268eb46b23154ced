use analysis::observation::search_page::SearchPage;
use async_trait::async_trait;
use domain::ports::call_journal::CallJournal;
use domain::ports::search_results::{
    ProviderError, SearchQuery, SearchResults, Searched, Spent, SupplierLabel, Unpaid,
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
    landing: Shared<BoxFuture<'static, Searched>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seat {
    Pilot,
    Passenger,
}

impl SingleFlight {
    pub(super) fn new(supplier: Arc<dyn SearchResults>) -> Self {
        Self {
            supplier,
            flights: Arc::default(),
        }
    }

    fn boarded(&self, query: &SearchQuery, journal: &Arc<dyn CallJournal>) -> (Arc<Flight>, Seat) {
        // No real supplier uses the site.
        let question = SearchQuery {
            site: String::new(),
            ..query.clone()
        };
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        flights.retain(|_, flight| flight.strong_count() > 0);
        if let Some(flight) = flights.get(&question).and_then(Weak::upgrade) {
            return (flight, Seat::Passenger);
        }
        let flight = Arc::new(Flight {
            landing: self.flown(question.clone(), Arc::clone(journal)),
        });
        flights.insert(question, Arc::downgrade(&flight));
        (flight, Seat::Pilot)
    }

    /// Removed on completion, so that later searches start anew.
    fn flown(
        &self,
        question: SearchQuery,
        journal: Arc<dyn CallJournal>,
    ) -> Shared<BoxFuture<'static, Searched>> {
        let (supplier, flights) = (Arc::clone(&self.supplier), Arc::clone(&self.flights));
        let flight = async move {
            let searched = supplier.search(&question, &journal).await;
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

    fn most(&self, depth: u32) -> Spent {
        self.supplier.most(depth)
    }

    fn unpaid(&self, depth: u32) -> Option<Unpaid> {
        self.supplier.unpaid(depth)
    }

    /// Only the caller that started the search is charged. If its job could not pay, the others retry for themselves.
    async fn search(&self, query: &SearchQuery, journal: &Arc<dyn CallJournal>) -> Searched {
        loop {
            let (flight, seat) = self.boarded(query, journal);
            let searched = flight.landing.clone().await;
            if seat == Seat::Pilot {
                return searched;
            }
            let failure = searched.answer.as_ref().err();
            if { failure.or(searched.cut_by.as_ref()) }.is_some_and(is_the_pilots) {
                continue;
            }
            return Searched {
                answer: searched.answer.map(|page| SearchPage { calls: 0, ..page }),
                cut_by: searched.cut_by,
                spent: Spent::default(),
            };
        }
    }
}

/// Failures of the starting job, which need not affect the others.
const fn is_the_pilots(failure: &ProviderError) -> bool {
    matches!(
        failure,
        ProviderError::CapReached | ProviderError::NotWrittenDown { .. }
    )
}
