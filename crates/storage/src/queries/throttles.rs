use super::locked;
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::{count, counted};
use crate::schema::sign_in_throttles;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use domain::ports::storage::StorageError;
use domain::ports::throttles::ThrottleRepository;
use domain::throttle::{Throttle, ThrottleKey};

/// Tries to lock a row that others keep deleting.
const TRIES: u32 = 5;

#[async_trait]
impl ThrottleRepository for Session {
    async fn lock(
        &mut self,
        key: ThrottleKey,
        now: DateTime<Utc>,
    ) -> Result<Throttle, StorageError> {
        let (guesses, last_at): (i64, At) = self
            .change(TenantScope::System, move |db| {
                // A successful sign-in may delete the row between both statements.
                for _ in 0..TRIES {
                    insert_into(sign_in_throttles::table)
                        .values((
                            sign_in_throttles::throttle_key.eq(key.0.as_slice()),
                            sign_in_throttles::guesses.eq(0),
                            sign_in_throttles::last_at.eq(At(now)),
                        ))
                        .on_conflict_do_nothing()
                        .execute(db)?;
                    let query = sign_in_throttles::table
                        .filter(sign_in_throttles::throttle_key.eq(key.0.as_slice()))
                        .select((sign_in_throttles::guesses, sign_in_throttles::last_at));
                    if let Some(found) = locked(query).get_result(db).optional()? {
                        return Ok(found);
                    }
                }
                Err(diesel::result::Error::NotFound)
            })
            .await?;
        Ok(Throttle {
            guesses: counted(guesses, "guesses")?,
            last_at: last_at.into(),
        })
    }

    async fn save(&mut self, key: ThrottleKey, throttle: Throttle) -> Result<(), StorageError> {
        self.change(TenantScope::System, move |db| {
            let of_the_key = sign_in_throttles::table
                .filter(sign_in_throttles::throttle_key.eq(key.0.as_slice()));
            update(of_the_key)
                .set((
                    sign_in_throttles::guesses.eq(count(throttle.guesses)),
                    sign_in_throttles::last_at.eq(At(throttle.last_at)),
                ))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn reset(&mut self, key: ThrottleKey) -> Result<(), StorageError> {
        self.change(TenantScope::System, move |db| {
            let of_the_key = sign_in_throttles::table
                .filter(sign_in_throttles::throttle_key.eq(key.0.as_slice()));
            delete(of_the_key).execute(db).map(drop)
        })
        .await
    }

    async fn purge_before(&mut self, time: DateTime<Utc>, limit: u32) -> Result<u64, StorageError> {
        self.change(TenantScope::System, move |db| {
            let old: Vec<Vec<u8>> = sign_in_throttles::table
                .filter(sign_in_throttles::last_at.lt(At(time)))
                .limit(limit.into())
                .select(sign_in_throttles::throttle_key)
                .load(db)?;
            // Keys used again meanwhile stay.
            let of_these = sign_in_throttles::table
                .filter(sign_in_throttles::throttle_key.eq_any(&old))
                .filter(sign_in_throttles::last_at.lt(At(time)));
            Ok(delete(of_these).execute(db)? as u64)
        })
        .await
    }
}
