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

/// Lets whoever asks what is being asked already wait for that answer.
pub(super) struct SingleFlight {
    supplier: Arc<dyn SearchResults>,
    flights: Arc<Flights>,
}

type Flights = Mutex<HashMap<SearchQuery, Weak<Flight>>>;

/// A search under way. It goes on while anybody waits for it; whoever began it pays for it.
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
        // No real supplier knows whose site it is about.
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

    /// From its end on, the question is asked anew.
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

    /// Only whoever began it is told what it took: its job paid, once. When that job could not pay, the others ask.
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

/// What stopped the job that began the search, and need not stop another.
const fn is_the_pilots(failure: &ProviderError) -> bool {
    matches!(
        failure,
        ProviderError::CapReached | ProviderError::NotWrittenDown { .. }
    )
}
