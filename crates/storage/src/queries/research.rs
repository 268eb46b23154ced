//! Keyword research: market data and running requests belong to no account; quotas and searches do.

use super::paging::{PageRows, Sortable, decode_position, one_more, page};
use super::{Db, locked};
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::counted;
use crate::rows::research::{MarketRow, ReservationRow, SearchLineRow, SearchRow};
use crate::rows::stored::excluded_of;
use crate::schema::{
    keyword_flights as flights, keyword_markets as markets, keyword_quotas as quotas,
    keyword_reservations as reservations, keyword_searches as searches,
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::{delete, dsl::count_star, insert_into, prelude::*, update, upsert::excluded};
use domain::ids::{AccountId, FlightId, SearchId, UserId};
use domain::keyword_research::{
    Flight, KeptResearch, ResearchSubject, Reservation, Search, SearchSummary, SubjectKey,
};
use domain::page::{Page, PageCursor, PageRequest};
use domain::ports::research::{ResearchRepository, SearchSort};
use domain::ports::storage::StorageError;

#[async_trait]
impl ResearchRepository for Session {
    async fn find_kept(
        &mut self,
        key: SubjectKey,
        now: DateTime<Utc>,
    ) -> Result<Option<KeptResearch>, StorageError> {
        self.fetch_optional(TenantScope::System, KeptResearch::try_from, move |db| {
            let good = markets::table.filter(markets::market_key.eq(key.0.as_slice()));
            good.filter(markets::expires_at.gt(At(now)))
                .select(MarketRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn find_own(
        &mut self,
        account: AccountId,
        key: SubjectKey,
        now: DateTime<Utc>,
    ) -> Result<Option<KeptResearch>, StorageError> {
        let row: Option<SearchRow> = self
            .fetch(account, move |db| {
                let own = rows_of!(searches, account);
                own.filter(searches::market_key.eq(key.0.as_slice()))
                    .filter(searches::expires_at.gt(At(now)))
                    .order(searches::bought_at.desc())
                    .select(SearchRow::as_select())
                    .first(db)
                    .optional()
            })
            .await?;
        let search = row.map(Search::try_from).transpose()?;
        Ok(search.map(|it| it.kept))
    }

    async fn keep(
        &mut self,
        key: SubjectKey,
        subject: &ResearchSubject,
        kept: &KeptResearch,
    ) -> Result<(), StorageError> {
        let row = MarketRow::new(key, subject, kept);
        self.change(TenantScope::System, move |db| {
            insert_into(markets::table)
                .values(&row)
                .on_conflict(markets::market_key)
                .do_update()
                .set(&row)
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn purge_kept(&mut self, now: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.change(TenantScope::System, move |db| {
            let old: Vec<Vec<u8>> = markets::table
                .filter(markets::expires_at.le(At(now)))
                .limit(limit.into())
                .select(markets::market_key)
                .load(db)?;
            // What was bought again meanwhile stays.
            let of_these = markets::table.filter(markets::market_key.eq_any(&old));
            let of_these = of_these.filter(markets::expires_at.le(At(now)));
            Ok(delete(of_these).execute(db)? as u64)
        })
        .await
    }

    async fn begin_flight(
        &mut self,
        key: SubjectKey,
        flight: FlightId,
        now: DateTime<Utc>,
        until: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        self.change(TenantScope::System, move |db| {
            use diesel::query_dsl::methods::FilterDsl;
            let upsert = insert_into(flights::table)
                .values((
                    flights::market_key.eq(key.0.as_slice()),
                    flights::flight_id.eq(flight.0),
                    flights::until.eq(At(until)),
                    flights::failure.eq(None::<String>),
                ))
                .on_conflict(flights::market_key)
                .do_update()
                .set(excluded_of!(flights: flight_id, until, failure));
            // Another flight's row stays unchanged until it ends.
            let departed = FilterDsl::filter(upsert, flights::until.le(At(now))).execute(db)?;
            Ok(departed == 1)
        })
        .await
    }

    async fn flight(&mut self, key: SubjectKey) -> Result<Option<Flight>, StorageError> {
        let row: Option<(i64, At, Option<String>)> = self
            .fetch(TenantScope::System, move |db| {
                flights::table
                    .filter(flights::market_key.eq(key.0.as_slice()))
                    .select((flights::flight_id, flights::until, flights::failure))
                    .first(db)
                    .optional()
            })
            .await?;
        Ok(row.map(|(id, until, failure)| Flight {
            id: FlightId(id),
            until: until.into(),
            failure,
        }))
    }

    async fn end_flight(
        &mut self,
        key: SubjectKey,
        flight: FlightId,
        now: DateTime<Utc>,
        failure: Option<String>,
    ) -> Result<bool, StorageError> {
        self.change(TenantScope::System, move |db| {
            let this = flights::table.filter(flights::market_key.eq(key.0.as_slice()));
            let this = this.filter(flights::flight_id.eq(flight.0));
            let landed = match &failure {
                None => delete(this).execute(db)?,
                Some(code) => update(this)
                    .set((flights::until.eq(At(now)), flights::failure.eq(code)))
                    .execute(db)?,
            };
            Ok(landed == 1)
        })
        .await
    }

    async fn purge_flights(
        &mut self,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        self.change(TenantScope::System, move |db| {
            let old: Vec<Vec<u8>> = flights::table
                .filter(flights::until.lt(At(before)))
                .limit(limit.into())
                .select(flights::market_key)
                .load(db)?;
            let of_these = flights::table.filter(flights::market_key.eq_any(&old));
            let of_these = of_these.filter(flights::until.lt(At(before)));
            Ok(delete(of_these).execute(db)? as u64)
        })
        .await
    }

    async fn usage(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        now: DateTime<Utc>,
    ) -> Result<(u32, u32), StorageError> {
        let found = self.fetch(account, move |db| {
            let month_of_account = rows_of!(quotas, account);
            let used = month_of_account
                .filter(quotas::month.eq(month))
                .select(quotas::used)
                .first(db)
                .optional()?;
            Ok((used.unwrap_or(0), count_reserved(db, account, month, now)?))
        });
        usage_counts(found.await?)
    }

    async fn lock_usage(
        &mut self,
        account: AccountId,
        month: NaiveDate,
        now: DateTime<Utc>,
    ) -> Result<(u32, u32), StorageError> {
        let found = self.change(account, move |db| {
            insert_into(quotas::table)
                .values((
                    quotas::account_id.eq(account.0),
                    quotas::month.eq(month),
                    quotas::used.eq(0),
                ))
                .on_conflict_do_nothing()
                .execute(db)?;
            let query = rows_of!(quotas, account);
            let query = query.filter(quotas::month.eq(month)).select(quotas::used);
            let used: i64 = locked(query).get_result(db)?;
            Ok((used, count_reserved(db, account, month, now)?))
        });
        usage_counts(found.await?)
    }

    async fn reserve(&mut self, reservation: &Reservation) -> Result<(), StorageError> {
        let row = ReservationRow::from(reservation);
        self.change(reservation.account, move |db| {
            insert_into(reservations::table)
                .values(&row)
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn release(
        &mut self,
        account: AccountId,
        flight: FlightId,
    ) -> Result<bool, StorageError> {
        self.change(account, move |db| {
            let this = rows_of!(reservations, account);
            let this = this.filter(reservations::flight_id.eq(flight.0));
            Ok(delete(this).execute(db)? == 1)
        })
        .await
    }

    async fn count_purchase(
        &mut self,
        account: AccountId,
        month: NaiveDate,
    ) -> Result<(), StorageError> {
        self.change(account, move |db| {
            insert_into(quotas::table)
                .values((
                    quotas::account_id.eq(account.0),
                    quotas::month.eq(month),
                    quotas::used.eq(1),
                ))
                .on_conflict((quotas::account_id, quotas::month))
                .do_update()
                .set(quotas::used.eq(quotas::used + excluded(quotas::used)))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn expired_reservations(
        &mut self,
        account: AccountId,
        now: DateTime<Utc>,
        limit: u32,
    ) -> Result<Vec<Reservation>, StorageError> {
        self.fetch_all(account, Reservation::try_from, move |db| {
            let over = rows_of!(reservations, account);
            over.filter(reservations::until.le(At(now)))
                .order(reservations::flight_id)
                .limit(limit.into())
                .select(ReservationRow::as_select())
                .load(db)
        })
        .await
    }

    async fn record_search(&mut self, search: &Search) -> Result<SearchId, StorageError> {
        let row = SearchRow::from(search);
        let noted = self.change(search.account, move |db| {
            insert_into(searches::table)
                .values(&row)
                .on_conflict((
                    searches::account_id,
                    searches::user_id,
                    searches::market_key,
                    searches::bought_at,
                ))
                .do_update()
                .set(searches::searched_at.eq(excluded(searches::searched_at)))
                .returning(searches::id)
                .get_result(db)
        });
        noted.await.map(SearchId)
    }

    async fn searches(
        &mut self,
        account: AccountId,
        user: UserId,
        request: &PageRequest<SearchSort>,
    ) -> Result<Page<SearchSummary>, StorageError> {
        let (limit, request) = (request.limit, request.clone());
        let rows = self
            .fetch(account, move |db| {
                let own = || {
                    let own = rows_of!(searches, account);
                    own.filter(searches::user_id.eq(user.0))
                };
                let mut query = own().into_boxed();
                match request.sort {
                    SearchSort::SearchedAt => {
                        let after = decode_position::<At>(request.after.as_ref())?;
                        sort_by!(
                            query,
                            request.direction,
                            searches::searched_at,
                            searches::id,
                            after
                        );
                    }
                }
                let rows = query
                    .limit(one_more(request.limit))
                    .select(SearchLineRow::as_select())
                    .load(db)?;
                let total = counted!(request, db, own(), searches::id);
                Ok((PageRows::from_limited(rows, limit), total))
            })
            .await?;
        page(rows, position, SearchSummary::try_from)
    }

    async fn search(
        &mut self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Result<Option<Search>, StorageError> {
        self.fetch_optional(account, Search::try_from, move |db| {
            let this = rows_of!(searches, account);
            let this = this.filter(searches::user_id.eq(user.0));
            this.filter(searches::id.eq(search.0))
                .select(SearchRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn delete_search(
        &mut self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Result<bool, StorageError> {
        self.change(account, move |db| {
            let this = rows_of!(searches, account);
            let this = this.filter(searches::user_id.eq(user.0));
            let this = this.filter(searches::id.eq(search.0));
            Ok(delete(this).execute(db)? == 1)
        })
        .await
    }

    async fn purge_searches(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        self.change(account, move |db| {
            let old = rows_of!(searches, account);
            let old: Vec<i64> = old
                .filter(searches::searched_at.lt(At(before)))
                .order(searches::searched_at)
                .limit(limit.into())
                .select(searches::id)
                .load(db)?;
            let of_these = rows_of!(searches, account);
            let of_these = of_these.filter(searches::id.eq_any(&old));
            let of_these = of_these.filter(searches::searched_at.lt(At(before)));
            Ok(delete(of_these).execute(db)? as u64)
        })
        .await
    }
}

fn count_reserved(
    db: &mut Db,
    account: AccountId,
    month: NaiveDate,
    now: DateTime<Utc>,
) -> QueryResult<i64> {
    let reserved = rows_of!(reservations, account);
    let reserved = reserved.filter(reservations::month.eq(month));
    reserved
        .filter(reservations::until.gt(At(now)))
        .select(count_star())
        .first(db)
}

fn usage_counts((used, under_way): (i64, i64)) -> Result<(u32, u32), StorageError> {
    Ok((
        counted(used, "searches used")?,
        counted(under_way, "searches under way")?,
    ))
}

fn position(row: &SearchLineRow) -> PageCursor {
    PageCursor {
        value: row.searched_at.into_sort_value(),
        id: row.id,
    }
}
