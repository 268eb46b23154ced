use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::measurements::url_hash;
use crate::rows::packing::{pack, unpack};
use crate::schema::paid_calls as calls;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use domain::ids::{AccountId, JobId};
use domain::ports::paid_call_ledger::{PaidCallOutcome, RecordedAnswer};
use domain::ports::paid_calls::{PaidCallKey, PaidCallRepository};
use domain::ports::storage::StorageError;
use std::collections::BTreeMap;

#[async_trait]
impl PaidCallRepository for Session {
    async fn begin(
        &mut self,
        call: PaidCallKey,
        step: &str,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let step = step.to_owned();
        self.change(call.account, move |db| {
            insert_into(calls::table)
                .values((
                    calls::account_id.eq(call.account.0),
                    calls::job_id.eq(call.job.0),
                    calls::epoch.eq(call.epoch),
                    calls::number.eq(call.entry.number),
                    calls::step_hash.eq(url_hash(&step)),
                    calls::step.eq(&step),
                    calls::most.eq(call.entry.max_cost.0),
                    calls::begun_at.eq(At(at)),
                ))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn end(
        &mut self,
        call: PaidCallKey,
        ended: &PaidCallOutcome,
        at: DateTime<Utc>,
    ) -> Result<bool, StorageError> {
        let (cost, answer) = (ended.cost.0, ended.answer.as_deref().map(pack));
        self.change(call.account, move |db| {
            let call = calls::table
                .filter(calls::account_id.eq(call.account.0))
                .filter(calls::job_id.eq(call.job.0))
                .filter(calls::epoch.eq(call.epoch))
                .filter(calls::number.eq(call.entry.number))
                .filter(calls::ended_at.is_null());
            update(call)
                .set((
                    calls::ended_at.eq(Some(At(at))),
                    calls::cost.eq(Some(cost)),
                    calls::answer.eq(answer.as_deref()),
                ))
                .execute(db)
                .map(|it| it > 0)
        })
        .await
    }

    async fn answer(
        &mut self,
        account: AccountId,
        job: JobId,
        step: &str,
    ) -> Result<Option<RecordedAnswer>, StorageError> {
        let step = step.to_owned();
        let found: Option<(Option<Vec<u8>>, Option<At>)> = self
            .fetch(account, move |db| {
                rows_of!(calls, account)
                    .filter(calls::job_id.eq(job.0))
                    .filter(calls::step_hash.eq(url_hash(&step)))
                    .filter(calls::step.eq(&step))
                    .filter(calls::answer.is_not_null())
                    .order((calls::epoch.desc(), calls::number.desc()))
                    .select((calls::answer, calls::ended_at))
                    .first(db)
                    .optional()
            })
            .await?;
        let Some((Some(body), Some(at))) = found else {
            return Ok(None);
        };
        let body = unpack(&body, "the answer to a call")?;
        Ok(Some(RecordedAnswer {
            body,
            at: at.into(),
        }))
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let forgotten = self.change(account, move |db| {
            let old: Vec<(i64, i64, i64)> = rows_of!(calls, account)
                .filter(calls::begun_at.lt(At(before)))
                .order((calls::begun_at, calls::job_id))
                .limit(limit.into())
                .select((calls::job_id, calls::epoch, calls::number))
                .load(db)?;
            let mut attempts: BTreeMap<(i64, i64), Vec<i64>> = BTreeMap::new();
            for (job, epoch, number) in old {
                attempts.entry((job, epoch)).or_default().push(number);
            }
            let mut forgotten = 0;
            for ((job, epoch), numbers) in attempts {
                let of_the_attempt = rows_of!(calls, account)
                    .filter(calls::job_id.eq(job))
                    .filter(calls::epoch.eq(epoch))
                    .filter(calls::number.eq_any(numbers));
                forgotten += delete(of_the_attempt).execute(db)?;
            }
            Ok(forgotten)
        });
        Ok(forgotten.await? as u64)
    }
}
