//! Researches a keyword: from the account's own results, else from what any account bought, else
//! from the supplier, once for concurrent requests. All but own results use a unit of the monthly
//! quota, so that no account learns what others researched.
//!
//! No transaction is open during the query. Reservations expire: if a process dies, its unit is
//! released, and its late answer is not booked.

use super::{Research, ResearchRequest, quota, tracked};
use crate::ids::{FlightId, SearchId};
use crate::keyword_metrics::KeywordMetrics;
use crate::keyword_research::{
    Flight, KeptResearch, ResearchQuota, Reservation, Search, SubjectKey,
};
use crate::money::MicroUsd;
use crate::ports::keyword_data::{KeywordData, KeywordQuery};
use crate::ports::paid_call_ledger::{
    LedgerEntry, PaidCall, PaidCallLedger, PaidCallOutcome, PaidCallStart,
};
use crate::ports::search_results::{PaidCallRefusal, ProviderError};
use crate::ports::sleeper::Sleeper;
use crate::ports::spending::month_of;
use crate::ports::storage::{StorageError, Transaction};
use crate::use_cases::budgets::OverBudget;
use crate::use_cases::end_attempt::settle_all;
use crate::use_cases::{Core, impl_as_storage_error};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thiserror::Error;

/// Poll interval for another request's query.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum wait for another request's query.
const MAX_WAIT: Duration = Duration::from_secs(20);
const NO_ACCOUNT: StorageError = StorageError::Corrupt {
    subject: "the account of a session",
};

pub struct ResearchKeyword {
    pub core: Arc<Core>,
    pub sleeper: Arc<dyn Sleeper>,
    pub supplier: Arc<dyn KeywordData>,
}

#[derive(Debug, Error)]
pub enum ResearchKeywordError {
    #[error("no such project")]
    NoSuchProject,
    #[error("{} of {} searches are used", .0.usage(), .0.limit)]
    QuotaExceeded(ResearchQuota),
    #[error("{0}")]
    PaidCallRefused(PaidCallRefusal),
    #[error("the budget does not allow it")]
    OverBudget(#[from] OverBudget),
    #[error("the supplier did not answer: {code}")]
    Supplier {
        /// An error code ([`ProviderError::code`]).
        code: String,
    },
    #[error("the same is being researched")]
    UnderWay,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(ResearchKeywordError);

enum ResearchStart {
    Found(Box<Research>),
    Reserved(Reservation),
    InFlight,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The account paid for it within thirty days.
    Own,
    /// Another account bought it.
    Shared,
    Supplier,
}

/// Time of the search, and its id if it is new.
#[derive(Clone, Copy)]
struct SearchInput {
    id: SearchId,
    now: DateTime<Utc>,
}

/// How another request's flight ended.
enum FlightEnd {
    /// It succeeded, or the outcome is unknown: retry.
    Retry,
    Failed(String),
}

impl ResearchKeyword {
    /// Takes as long as the supplier. Must run to completion even if the client is gone: a bought
    /// result is stored for later requests.
    pub async fn run(&self, request: &ResearchRequest) -> Result<Research, ResearchKeywordError> {
        let key = request.subject.key(&self.supplier.label().name);
        let mut waited = Duration::ZERO;
        loop {
            match self.start(request, key).await? {
                ResearchStart::Found(research) => return Ok(*research),
                ResearchStart::Reserved(reservation) => {
                    return self.query_supplier(request, key, &reservation).await;
                }
                ResearchStart::InFlight => {}
            }
            if let FlightEnd::Failed(code) = self.wait_for_flight(key, &mut waited).await? {
                return Err(ResearchKeywordError::Supplier { code });
            }
        }
    }

    /// One transaction: returns the account's own result; or another account's, for a unit; or
    /// begins a flight with a unit and the maximum cost reserved.
    async fn start(
        &self,
        request: &ResearchRequest,
        key: SubjectKey,
    ) -> Result<ResearchStart, ResearchKeywordError> {
        let core = &self.core;
        let prepare = || (FlightId::mint(&core.mint), self.search_input());
        core.storage
            .transaction_with(prepare, |work, (flight, noting)| {
                self.start_in(work, flight, noting, request, key)
            })
            .await
    }

    async fn start_in(
        &self,
        mut work: Box<dyn Transaction>,
        flight: FlightId,
        noting: SearchInput,
        request: &ResearchRequest,
        key: SubjectKey,
    ) -> Result<ResearchStart, ResearchKeywordError> {
        let (now, day) = (noting.now, noting.now.date_naive());
        let account = work.accounts().find(request.account).await?;
        let account = account.ok_or(NO_ACCOUNT)?;
        if let Some(project) = request.project {
            let found = work.projects().find(account.id, project).await?;
            found.ok_or(ResearchKeywordError::NoSuchProject)?;
        }
        if let Some(own) = work.research().find_own(account.id, key, now).await? {
            return commit_found(work, noting, request, key, (own, Source::Own)).await;
        }
        if let Some(unpaid) = self.supplier.paid_call_refusal() {
            return Err(ResearchKeywordError::PaidCallRefused(unpaid));
        }
        let until = now + Flight::LEASE;
        let mut shared = work.research().find_kept(key, now).await?;
        if shared.is_none() {
            if !work
                .research()
                .begin_flight(key, flight, now, until)
                .await?
            {
                return Ok(ResearchStart::InFlight);
            }
            // Another request may have stored a result while this one waited for the lock.
            shared = work.research().find_kept(key, now).await?;
            if shared.is_some() {
                work.research().end_flight(key, flight, now, None).await?;
            }
        }
        let month = month_of(day);
        let (used, reserved) = { work.research() }
            .lock_usage(account.id, month, now)
            .await?;
        // Another request of the account may have paid while this one waited for the lock.
        if let Some(own) = work.research().find_own(account.id, key, now).await? {
            if shared.is_none() {
                work.research().end_flight(key, flight, now, None).await?;
            }
            return commit_found(work, noting, request, key, (own, Source::Own)).await;
        }
        let quota = ResearchQuota {
            month,
            used,
            reserved,
            limit: account.limits.keyword_research,
        };
        if !quota.is_available() {
            return Err(ResearchKeywordError::QuotaExceeded(quota));
        }
        let reservation = Reservation {
            account: account.id,
            flight,
            day,
            max_cost: self.supplier.max_spend().cost,
            until,
        };
        // Also if nothing will be spent, so that an exhausted budget does not reveal whether a
        // shared result exists.
        for budget in self.core.budgets(&account, day) {
            budget
                .reserve::<ResearchKeywordError>(work.as_mut(), reservation.max_cost)
                .await?;
        }
        if let Some(shared) = shared {
            settle(work.as_mut(), &reservation, MicroUsd::default()).await?;
            work.research().count_purchase(account.id, month).await?;
            // Dates the account's copy from now, to hide when the other account bought it.
            let copy = KeptResearch::new(shared.found, now);
            return commit_found(work, noting, request, key, (copy, Source::Shared)).await;
        }
        work.research().reserve(&reservation).await?;
        work.commit().await?;
        Ok(ResearchStart::Reserved(reservation))
    }

    /// Queries the supplier and stores the outcome.
    async fn query_supplier(
        &self,
        request: &ResearchRequest,
        key: SubjectKey,
        reservation: &Reservation,
    ) -> Result<Research, ResearchKeywordError> {
        let subject = &request.subject;
        let query = KeywordQuery {
            keyword: subject.keyword.to_string(),
            country: subject.country.to_string(),
            language: subject.language.to_string(),
            day: reservation.day,
        };
        let budget: Arc<dyn PaidCallLedger> = Arc::new(CallBudget::new(reservation.max_cost));
        let researched = self.supplier.research(&query, &budget).await;
        let spent = researched.spent.cost;
        match researched.answer {
            Ok(found) => {
                let kept = KeptResearch::new(found, self.core.clock.now());
                let book = |work, noting| {
                    record_purchase(work, noting, request, key, (reservation, spent), &kept)
                };
                self.core
                    .storage
                    .transaction_with(|| self.search_input(), book)
                    .await
            }
            Err(error) => {
                let code = error.code();
                // Ignore failures to save: flight and reservation expire anyway.
                let _ = self.end_failed(key, reservation, spent, code).await;
                let code = code.to_owned();
                Err(ResearchKeywordError::Supplier { code })
            }
        }
    }

    /// Releases the unit and the unspent money; waiting requests get the error code.
    async fn end_failed(
        &self,
        key: SubjectKey,
        reservation: &Reservation,
        spent: MicroUsd,
        code: &'static str,
    ) -> Result<(), StorageError> {
        let flight = reservation.flight;
        let give_back = |mut work: Box<dyn Transaction>, now| async move {
            work.research()
                .end_flight(key, flight, now, Some(code.to_owned()))
                .await?;
            if work.research().release(reservation.account, flight).await? {
                settle(work.as_mut(), reservation, spent).await?;
            }
            work.commit().await
        };
        self.core.transaction_with_time(give_back).await
    }

    /// Waits for the end of another request's flight.
    async fn wait_for_flight(
        &self,
        key: SubjectKey,
        waited: &mut Duration,
    ) -> Result<FlightEnd, ResearchKeywordError> {
        let mut joined: Option<FlightId> = None;
        loop {
            let flight = self
                .core
                .storage
                .read()
                .await?
                .research()
                .flight(key)
                .await?;
            let Some(flight) = flight else {
                return Ok(FlightEnd::Retry);
            };
            // Only requests that waited for this flight get its failure.
            match flight.failure {
                Some(code) if joined.is_none_or(|it| it == flight.id) => {
                    return Ok(FlightEnd::Failed(code));
                }
                Some(_) => return Ok(FlightEnd::Retry),
                None if flight.until <= self.core.clock.now() => return Ok(FlightEnd::Retry),
                None => joined = Some(flight.id),
            }
            if *waited >= MAX_WAIT {
                return Err(ResearchKeywordError::UnderWay);
            }
            self.sleeper.sleep(POLL_INTERVAL).await;
            *waited += POLL_INTERVAL;
        }
    }

    fn search_input(&self) -> SearchInput {
        SearchInput {
            id: SearchId::mint(&self.core.mint),
            now: self.core.clock.now(),
        }
    }
}

async fn commit_found(
    mut work: Box<dyn Transaction>,
    noting: SearchInput,
    request: &ResearchRequest,
    key: SubjectKey,
    found: (KeptResearch, Source),
) -> Result<ResearchStart, ResearchKeywordError> {
    let research = noted(work.as_mut(), noting, request, key, found).await?;
    work.commit().await?;
    Ok(ResearchStart::Found(Box::new(research)))
}

/// One transaction: result, unit, money and history. An expired reservation books nothing, because
/// its unit may be used again.
async fn record_purchase(
    mut work: Box<dyn Transaction>,
    noting: SearchInput,
    request: &ResearchRequest,
    key: SubjectKey,
    (reservation, spent): (&Reservation, MicroUsd),
    kept: &KeptResearch,
) -> Result<Research, ResearchKeywordError> {
    let now = noting.now;
    let (id, flight) = (reservation.account, reservation.flight);
    let is_ours = work.research().end_flight(key, flight, now, None).await?;
    let month = month_of(reservation.day);
    work.research().lock_usage(id, month, now).await?;
    let is_there = work.research().release(id, flight).await?;
    if !is_ours || !is_there || reservation.until <= now {
        if is_there {
            settle(work.as_mut(), reservation, spent).await?;
        }
        work.commit().await?;
        let code = ProviderError::TimedOut.code().to_owned();
        return Err(ResearchKeywordError::Supplier { code });
    }
    work.research().keep(key, &request.subject, kept).await?;
    work.research().count_purchase(id, month).await?;
    let found = (kept.clone(), Source::Supplier);
    let research = noted(work.as_mut(), noting, request, key, found).await?;
    settle(work.as_mut(), reservation, spent).await?;
    work.commit().await?;
    Ok(research)
}

/// Records the search in the user's history and returns the result.
async fn noted(
    work: &mut dyn Transaction,
    noting: SearchInput,
    request: &ResearchRequest,
    key: SubjectKey,
    (kept, source): (KeptResearch, Source),
) -> Result<Research, StorageError> {
    let search = Search {
        account: request.account,
        user: request.user,
        id: noting.id,
        subject: request.subject.clone(),
        key,
        searched_at: noting.now,
        kept,
    };
    let id = work.research().record_search(&search).await?;
    let subject = &search.subject;
    work.keywords()
        .note_metrics(
            request.account,
            subject.country,
            subject.language,
            &KeywordMetrics::from_search(&search),
        )
        .await?;
    let quota = quota(work, request.account, noting.now).await?;
    let quota = quota.ok_or(NO_ACCOUNT)?;
    let tracked = tracked(work, request, &search.kept.found).await?;
    let search = Search { id, ..search };
    let is_cached = source == Source::Own;
    Ok(Research::of(search, is_cached, quota, tracked))
}

/// Replaces a flight's reservation with its cost.
pub(in crate::use_cases) async fn settle(
    work: &mut dyn Transaction,
    reservation: &Reservation,
    spent: MicroUsd,
) -> Result<(), StorageError> {
    let of = (reservation.account, reservation.day);
    settle_all(work, of, reservation.max_cost, spent).await
}

/// Ledger of one flight: its calls may cost what was reserved. Not stored, because the reservation
/// is: calls of a dead process count at their maximum.
struct CallBudget {
    left: Mutex<MicroUsd>,
    last: AtomicI64,
}

impl CallBudget {
    fn new(amount: MicroUsd) -> Self {
        Self {
            left: Mutex::new(amount),
            last: AtomicI64::new(0),
        }
    }
}

#[async_trait]
impl PaidCallLedger for CallBudget {
    async fn begin(&self, call: &PaidCall) -> Result<PaidCallStart, ProviderError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if call.max_cost > *left {
            return Err(ProviderError::JobBudgetReached);
        }
        left.0 -= call.max_cost.0;
        Ok(PaidCallStart::Proceed(LedgerEntry {
            number: self.last.fetch_add(1, Ordering::Relaxed) + 1,
            max_cost: call.max_cost,
        }))
    }

    async fn end(&self, ticket: LedgerEntry, ended: PaidCallOutcome) -> Result<(), ProviderError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.0 = left.0.saturating_add(ticket.max_cost.0 - ended.cost.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_cost_no_more_than_the_budget() {
        let budget = CallBudget::new(MicroUsd(50));
        let call = PaidCall {
            step: "one".to_owned(),
            max_cost: MicroUsd(30),
        };
        let Ok(PaidCallStart::Proceed(first)) = budget.begin(&call).await else {
            panic!("there is enough");
        };
        assert_eq!(
            budget.begin(&call).await,
            Err(ProviderError::JobBudgetReached)
        );
        let ended = PaidCallOutcome {
            cost: MicroUsd(20),
            ..PaidCallOutcome::default()
        };
        budget.end(first, ended).await.unwrap();
        let Ok(PaidCallStart::Proceed(second)) = budget.begin(&call).await else {
            panic!("what was not spent is there again");
        };
        assert_eq!((first.number, second.number), (1, 2));
    }
}
