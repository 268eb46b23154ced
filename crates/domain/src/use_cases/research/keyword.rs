//! Researches a keyword: from the account's own results, else from what any account bought, else
//! from the supplier, once for concurrent requests. All but own results use a unit of the monthly
//! quota, so that nobody learns what other accounts researched.
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
use crate::ports::call_journal::{Begun, CallJournal, Ended, PaidCall, Ticket};
use crate::ports::keyword_data::{KeywordData, KeywordQuery};
use crate::ports::patience::Patience;
use crate::ports::search_results::{ProviderError, Unpaid};
use crate::ports::spending::month_of;
use crate::ports::storage::{StorageError, Transaction};
use crate::use_cases::budgets::OverBudget;
use crate::use_cases::end_attempt::settle_all;
use crate::use_cases::{Core, may_be_storage};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thiserror::Error;

/// Poll interval for another request's query.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Maximum wait for another request's query.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
const NO_ACCOUNT: StorageError = StorageError::Corrupt {
    what: "the account of a session",
};

pub struct ResearchKeyword {
    pub core: Arc<Core>,
    pub patience: Arc<dyn Patience>,
    pub supplier: Arc<dyn KeywordData>,
}

#[derive(Debug, Error)]
pub enum ResearchKeywordError {
    #[error("no such project")]
    NoSuchProject,
    #[error("{} of {} searches are used", .0.usage(), .0.limit)]
    QuotaExceeded(ResearchQuota),
    #[error("{0}")]
    Unpaid(Unpaid),
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
may_be_storage!(ResearchKeywordError);

enum Opened {
    Kept(Box<Research>),
    Ours(Reservation),
    Theirs,
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
struct Noting {
    id: SearchId,
    now: DateTime<Utc>,
}

/// How another request's flight ended.
enum Landed {
    /// It succeeded, or the outcome is unknown: retry.
    Somehow,
    Failed(String),
}

impl ResearchKeyword {
    /// Takes as long as the supplier. Must run to completion even if the client is gone: a bought
    /// result is stored for later requests.
    pub async fn run(&self, request: &ResearchRequest) -> Result<Research, ResearchKeywordError> {
        let key = request.subject.key(&self.supplier.label().name);
        let mut waited = Duration::ZERO;
        loop {
            match self.opened(request, key).await? {
                Opened::Kept(research) => return Ok(*research),
                Opened::Ours(reservation) => return self.asked(request, key, &reservation).await,
                Opened::Theirs => {}
            }
            if let Landed::Failed(code) = self.landed(key, &mut waited).await? {
                return Err(ResearchKeywordError::Supplier { code });
            }
        }
    }

    /// One transaction: returns the account's own result; or another account's, for a unit; or
    /// begins a flight with a unit and the maximum cost reserved.
    async fn opened(
        &self,
        request: &ResearchRequest,
        key: SubjectKey,
    ) -> Result<Opened, ResearchKeywordError> {
        let core = &self.core;
        let prepare = || (FlightId::mint(&core.mint), self.noting());
        core.storage
            .transaction_with(prepare, |work, (flight, noting)| {
                self.opened_in(work, flight, noting, request, key)
            })
            .await
    }

    async fn opened_in(
        &self,
        mut work: Box<dyn Transaction>,
        flight: FlightId,
        noting: Noting,
        request: &ResearchRequest,
        key: SubjectKey,
    ) -> Result<Opened, ResearchKeywordError> {
        let (now, day) = (noting.now, noting.now.date_naive());
        let account = work.accounts().find(request.account).await?;
        let account = account.ok_or(NO_ACCOUNT)?;
        if let Some(project) = request.project {
            let found = work.projects().find(account.id, project).await?;
            found.ok_or(ResearchKeywordError::NoSuchProject)?;
        }
        if let Some(own) = work.research().own(account.id, key, now).await? {
            return answered(work, noting, request, key, (own, Source::Own)).await;
        }
        if let Some(unpaid) = self.supplier.unpaid() {
            return Err(ResearchKeywordError::Unpaid(unpaid));
        }
        let until = now + Flight::LEASE;
        let mut shared = work.research().kept(key, now).await?;
        if shared.is_none() {
            if !work.research().depart(key, flight, now, until).await? {
                return Ok(Opened::Theirs);
            }
            // Another request may have stored a result while this one waited for the lock.
            shared = work.research().kept(key, now).await?;
            if shared.is_some() {
                work.research().land(key, flight, now, None).await?;
            }
        }
        let month = month_of(day);
        let (used, reserved) = { work.research() }
            .lock_usage(account.id, month, now)
            .await?;
        // Another request of the account may have paid while this one waited for the lock.
        if let Some(own) = work.research().own(account.id, key, now).await? {
            if shared.is_none() {
                work.research().land(key, flight, now, None).await?;
            }
            return answered(work, noting, request, key, (own, Source::Own)).await;
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
            most: self.supplier.most().cost,
            until,
        };
        // Also if nothing will be spent, so that an exhausted budget does not reveal whether a
        // shared result exists.
        for budget in self.core.budgets(&account, day) {
            budget
                .reserve::<ResearchKeywordError>(work.as_mut(), reservation.most)
                .await?;
        }
        if let Some(shared) = shared {
            settle(work.as_mut(), &reservation, MicroUsd::default()).await?;
            work.research().book(account.id, month).await?;
            // Dates the account's copy from now, to hide when the other account bought it.
            let copy = KeptResearch::bought(shared.found, now);
            return answered(work, noting, request, key, (copy, Source::Shared)).await;
        }
        work.research().reserve(&reservation).await?;
        work.commit().await?;
        Ok(Opened::Ours(reservation))
    }

    /// Queries the supplier and stores the outcome.
    async fn asked(
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
        let purse: Arc<dyn CallJournal> = Arc::new(Purse::of(reservation.most));
        let researched = self.supplier.research(&query, &purse).await;
        let spent = researched.spent.cost;
        match researched.answer {
            Ok(found) => {
                let kept = KeptResearch::bought(found, self.core.clock.now());
                let book =
                    |work, noting| booked(work, noting, request, key, (reservation, spent), &kept);
                self.core
                    .storage
                    .transaction_with(|| self.noting(), book)
                    .await
            }
            Err(error) => {
                let code = error.code();
                // Ignore failures to save: flight and reservation expire anyway.
                let _ = self.gave_back(key, reservation, spent, code).await;
                let code = code.to_owned();
                Err(ResearchKeywordError::Supplier { code })
            }
        }
    }

    /// Releases the unit and the unspent money; waiting requests get the error code.
    async fn gave_back(
        &self,
        key: SubjectKey,
        reservation: &Reservation,
        spent: MicroUsd,
        code: &'static str,
    ) -> Result<(), StorageError> {
        let flight = reservation.flight;
        let give_back = |mut work: Box<dyn Transaction>, now| async move {
            work.research()
                .land(key, flight, now, Some(code.to_owned()))
                .await?;
            if work.research().release(reservation.account, flight).await? {
                settle(work.as_mut(), reservation, spent).await?;
            }
            work.commit().await
        };
        self.core.transaction_at(give_back).await
    }

    /// Waits for the end of another request's flight.
    async fn landed(
        &self,
        key: SubjectKey,
        waited: &mut Duration,
    ) -> Result<Landed, ResearchKeywordError> {
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
                return Ok(Landed::Somehow);
            };
            // Only requests that waited for this flight get its failure.
            match flight.failure {
                Some(code) if joined.is_none_or(|it| it == flight.id) => {
                    return Ok(Landed::Failed(code));
                }
                Some(_) => return Ok(Landed::Somehow),
                None if flight.until <= self.core.clock.now() => return Ok(Landed::Somehow),
                None => joined = Some(flight.id),
            }
            if *waited >= LONGEST_WAIT {
                return Err(ResearchKeywordError::UnderWay);
            }
            self.patience.pause(LOOK_EVERY).await;
            *waited += LOOK_EVERY;
        }
    }

    fn noting(&self) -> Noting {
        Noting {
            id: SearchId::mint(&self.core.mint),
            now: self.core.clock.now(),
        }
    }
}

async fn answered(
    mut work: Box<dyn Transaction>,
    noting: Noting,
    request: &ResearchRequest,
    key: SubjectKey,
    found: (KeptResearch, Source),
) -> Result<Opened, ResearchKeywordError> {
    let research = noted(work.as_mut(), noting, request, key, found).await?;
    work.commit().await?;
    Ok(Opened::Kept(Box::new(research)))
}

/// One transaction: result, unit, money and history. An expired reservation books nothing, because
/// its unit may be used again.
async fn booked(
    mut work: Box<dyn Transaction>,
    noting: Noting,
    request: &ResearchRequest,
    key: SubjectKey,
    (reservation, spent): (&Reservation, MicroUsd),
    kept: &KeptResearch,
) -> Result<Research, ResearchKeywordError> {
    let now = noting.now;
    let (id, flight) = (reservation.account, reservation.flight);
    let is_ours = work.research().land(key, flight, now, None).await?;
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
    work.research().book(id, month).await?;
    let found = (kept.clone(), Source::Supplier);
    let research = noted(work.as_mut(), noting, request, key, found).await?;
    settle(work.as_mut(), reservation, spent).await?;
    work.commit().await?;
    Ok(research)
}

/// Records the search in the user's history and returns the result.
async fn noted(
    work: &mut dyn Transaction,
    noting: Noting,
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
    let id = work.research().note(&search).await?;
    let subject = &search.subject;
    work.keywords()
        .note_metrics(
            request.account,
            subject.country,
            subject.language,
            &KeywordMetrics::of_search(&search),
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
    settle_all(work, of, reservation.most, spent).await
}

/// Ledger of one flight: its calls may cost what was reserved. Not stored, because the reservation
/// is: calls of a dead process count at their maximum.
struct Purse {
    left: Mutex<MicroUsd>,
    last: AtomicI64,
}

impl Purse {
    fn of(amount: MicroUsd) -> Self {
        Self {
            left: Mutex::new(amount),
            last: AtomicI64::new(0),
        }
    }
}

#[async_trait]
impl CallJournal for Purse {
    async fn begin(&self, call: &PaidCall) -> Result<Begun, ProviderError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if call.most > *left {
            return Err(ProviderError::CapReached);
        }
        left.0 -= call.most.0;
        Ok(Begun::Now(Ticket {
            number: self.last.fetch_add(1, Ordering::Relaxed) + 1,
            most: call.most,
        }))
    }

    async fn end(&self, ticket: Ticket, ended: Ended) -> Result<(), ProviderError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.0 = left.0.saturating_add(ticket.most.0 - ended.cost.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_cost_no_more_than_was_set_aside() {
        let purse = Purse::of(MicroUsd(50));
        let call = PaidCall {
            step: "one".to_owned(),
            most: MicroUsd(30),
        };
        let Ok(Begun::Now(first)) = purse.begin(&call).await else {
            panic!("there is enough");
        };
        assert_eq!(purse.begin(&call).await, Err(ProviderError::CapReached));
        let ended = Ended {
            cost: MicroUsd(20),
            ..Ended::default()
        };
        purse.end(first, ended).await.unwrap();
        let Ok(Begun::Now(second)) = purse.begin(&call).await else {
            panic!("what was not spent is there again");
        };
        assert_eq!((first.number, second.number), (1, 2));
    }
}
