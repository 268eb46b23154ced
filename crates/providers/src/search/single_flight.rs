//! Equal questions at the same time are one question.

use async_trait::async_trait;
use domain::ports::search_results::{SearchQuery, SearchResults, Searched, Spent, SupplierLabel};
use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

/// Lets whoever asks what is being asked already wait for that answer.
pub(super) struct SingleFlight {
    supplier: Arc<dyn SearchResults>,
    flights: Arc<Flights>,
}

type Flights = Mutex<HashMap<SearchQuery, Weak<Flight>>>;

/// A search under way. It goes on while anybody waits for it, whoever began it.
struct Flight {
    landing: Shared<BoxFuture<'static, Searched>>,
    /// Whether somebody has taken the bill.
    paid: AtomicBool,
}

impl SingleFlight {
    pub(super) fn new(supplier: Arc<dyn SearchResults>) -> Self {
        Self {
            supplier,
            flights: Arc::default(),
        }
    }

    /// The search of this question: the one under way, or a new one.
    fn boarded(&self, query: &SearchQuery) -> Arc<Flight> {
        // No real supplier knows whose site it is about.
        let question = SearchQuery {
            site: String::new(),
            ..query.clone()
        };
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        flights.retain(|_, flight| flight.strong_count() > 0);
        if let Some(flight) = flights.get(&question).and_then(Weak::upgrade) {
            return flight;
        }
        let flight = Arc::new(Flight {
            landing: self.flown(question.clone()),
            paid: AtomicBool::new(false),
        });
        flights.insert(question, Arc::downgrade(&flight));
        flight
    }

    /// From its end on, the question is asked anew.
    fn flown(&self, question: SearchQuery) -> Shared<BoxFuture<'static, Searched>> {
        let (supplier, flights) = (Arc::clone(&self.supplier), Arc::clone(&self.flights));
        let flight = async move {
            let searched = supplier.search(&question).await;
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

    /// Only one of those who waited is told what it took: it was spent once.
    async fn search(&self, query: &SearchQuery) -> Searched {
        let flight = self.boarded(query);
        let mut searched = flight.landing.clone().await;
        if flight.paid.swap(true, Ordering::SeqCst) {
            searched.spent = Spent::default();
            if let Ok(page) = &mut searched.answer {
                page.calls = 0;
            }
        }
        searched
    }
}
