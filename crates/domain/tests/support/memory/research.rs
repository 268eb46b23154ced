//! Keyword research.

use super::paging::{BY_ID, Place, moment, page};
use super::state::{State, add, remove, remove_oldest};
use super::{Session, Stored};
use crate::ids::{AccountId, FlightId, SearchId, UserId};
use crate::keyword_research::{
    Flight, KeptResearch, ResearchSubject, Reservation, Search, SearchSummary, SubjectKey,
};
use crate::page::{Page, PageRequest};
use crate::ports::research::{ResearchRepository, SearchSort};
use crate::ports::spending::month_of;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

impl State {
    fn usage(&self, account: AccountId, month: NaiveDate, now: DateTime<Utc>) -> (u32, u32) {
        let used = self.quotas.get(&(account, month)).copied().unwrap_or(0);
        let reserved = self
            .reservations
            .values()
            .filter(|it| it.account == account && month_of(it.day) == month && it.until > now);
        (used, u32::try_from(reserved.count()).unwrap_or(u32::MAX))
    }

    fn searches_of(&self, account: AccountId, user: UserId) -> impl Iterator<Item = &Search> {
        let searches = self.searches.values();
        searches.filter(move |it| (it.account, it.user) == (account, user))
    }
}

fn line(search: &Search) -> SearchSummary {
    let found = &search.kept.found;
    SearchSummary {
        id: search.id,
        subject: search.subject.clone(),
        provider: found.provider.clone(),
        provenance: found.provenance,
        search_volume: found.figures.search_volume,
        ideas: u32::try_from(found.ideas.len()).unwrap_or(u32::MAX),
        searched_at: search.searched_at,
        bought_at: search.kept.bought_at,
        expires_at: search.kept.expires_at,
    }
}

#[async_trait]
impl ResearchRepository for Session {
    async fn find_kept(
        &mut self,
        key: SubjectKey,
        now: DateTime<Utc>,
    ) -> Stored<Option<KeptResearch>> {
        self.query(|state| {
            let kept = state.markets.get(&key).filter(|it| it.expires_at > now);
            kept.cloned()
        })
    }

    async fn find_own(
        &mut self,
        account: AccountId,
        key: SubjectKey,
        now: DateTime<Utc>,
    ) -> Stored<Option<KeptResearch>> {
        self.query(|state| {
            let own = state.searches.values().filter(|it| it.account == account);
            let good = own.filter(|it| it.key == key && it.kept.expires_at > now);
            let newest = good.max_by_key(|it| it.kept.bought_at)?;
            Some(newest.kept.clone())
        })
    }

    async fn keep(
        &mut self,
        key: SubjectKey,
        _: &ResearchSubject,
        kept: &KeptResearch,
    ) -> Stored<()> {
        self.change(|state| {
            state.markets.insert(key, kept.clone());
            Ok(())
        })
    }

    async fn purge_kept(&mut self, now: DateTime<Utc>, limit: u32) -> Stored<u64> {
        self.change(|state| {
            Ok(remove(&mut state.markets, limit, |_, it| {
                it.expires_at <= now
            }))
        })
    }

    async fn begin_flight(
        &mut self,
        key: SubjectKey,
        flight: FlightId,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Stored<bool> {
        self.change(|state| {
            let is_free = state.flights.get(&key).is_none_or(|it| it.until <= now);
            if is_free {
                let (id, failure) = (flight, None);
                state.flights.insert(key, Flight { id, until, failure });
            }
            Ok(is_free)
        })
    }

    async fn flight(&mut self, key: SubjectKey) -> Stored<Option<Flight>> {
        self.query(|state| state.flights.get(&key).cloned())
    }

    async fn end_flight(
        &mut self,
        key: SubjectKey,
        flight: FlightId,
        now: DateTime<Utc>,
        failure: Option<String>,
    ) -> Stored<bool> {
        self.change(|state| {
            let is_own = state.flights.get(&key).is_some_and(|it| it.id == flight);
            if is_own && failure.is_none() {
                state.flights.remove(&key);
            } else if is_own {
                let (id, until) = (flight, now);
                state.flights.insert(key, Flight { id, until, failure });
            }
            Ok(is_own)
        })
    }

    async fn purge_flights(&mut self, before: DateTime<Utc>, limit: u32) -> Stored<u64> {
        self.change(|state| Ok(remove(&mut state.flights, limit, |_, it| it.until < before)))
    }

    async fn usage(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        now: DateTime<Utc>,
    ) -> Stored<(u32, u32)> {
        self.query(|state| state.usage(account, month, now))
    }

    async fn lock_usage(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        now: DateTime<Utc>,
    ) -> Stored<(u32, u32)> {
        self.change(|state| Ok(state.usage(account, month, now)))
    }

    async fn reserve(&mut self, reservation: &Reservation) -> Stored<()> {
        let key = (reservation.account, reservation.flight);
        self.change(|state| add(&mut state.reservations, key, *reservation))
    }

    async fn release(&mut self, account: AccountId, flight: FlightId) -> Stored<bool> {
        self.change(|state| Ok(state.reservations.remove(&(account, flight)).is_some()))
    }

    async fn count_purchase(&mut self, account: AccountId, month: NaiveDate) -> Stored<()> {
        self.change(|state| {
            *state.quotas.entry((account, month)).or_default() += 1;
            Ok(())
        })
    }

    async fn expired_reservations(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Stored<Vec<Reservation>> {
        self.query(|state| {
            let own = state
                .reservations
                .values()
                .filter(|it| it.account == account);
            let over = own.filter(|it| it.until <= now);
            over.take(limit as usize).copied().collect()
        })
    }

    async fn record_search(&mut self, search: &Search) -> Stored<SearchId> {
        self.change(|state| {
            let mut searches = state.searches.values_mut();
            let same = searches.find(|it| {
                (it.account, it.user, it.key) == (search.account, search.user, search.key)
                    && it.kept.bought_at == search.kept.bought_at
            });
            if let Some(same) = same {
                same.searched_at = search.searched_at;
                return Ok(same.id);
            }
            add(
                &mut state.searches,
                (search.account, search.id),
                search.clone(),
            )?;
            Ok(search.id)
        })
    }

    async fn searches(
        &mut self,
        account: AccountId,
        user: UserId,
        request: &PageRequest<SearchSort>,
    ) -> Stored<Page<SearchSummary>> {
        self.try_query(|state| {
            let lines = state.searches_of(account, user).map(line);
            let lines: Vec<SearchSummary> = lines.collect();
            let place = |it: &SearchSummary| Place {
                value: moment(it.searched_at),
                id: it.id.0,
            };
            page(lines.iter(), request, &BY_ID, place, |_| 0)
        })
    }

    async fn search(
        &mut self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Stored<Option<Search>> {
        self.query(|state| {
            state
                .searches_of(account, user)
                .find(|it| it.id == search)
                .cloned()
        })
    }

    async fn delete_search(
        &mut self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Stored<bool> {
        self.change(|state| {
            let is_own = state.searches_of(account, user).any(|it| it.id == search);
            if is_own {
                state.searches.remove(&(account, search));
            }
            Ok(is_own)
        })
    }

    async fn purge_searches(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let is_over = |_: &_, it: &Search| it.account == account && it.searched_at < before;
            let age = |it: &Search| it.searched_at;
            Ok(remove_oldest(&mut state.searches, limit, is_over, age))
        })
    }
}
