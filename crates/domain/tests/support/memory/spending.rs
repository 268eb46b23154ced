//! Spending and paid calls.

use super::state::{WrittenCallRow, add, remove_oldest};
use super::{Session, Stored};
use crate::ids::{AccountId, JobId};
use crate::money::MicroUsd;
use crate::ports::paid_call_ledger::{PaidCallOutcome, RecordedAnswer};
use crate::ports::paid_calls::{PaidCallKey, PaidCallRepository};
use crate::ports::spending::{Counter, Spending, SpendingRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
impl SpendingRepository for Session {
    async fn find(&mut self, counter: Counter) -> Stored<Spending> {
        self.query(|state| state.spending.get(&counter).copied().unwrap_or_default())
    }

    async fn reserve(
        &mut self,
        counter: Counter,
        amount: MicroUsd,
        cap: Option<MicroUsd>,
    ) -> Stored<bool> {
        self.change(|state| {
            if amount.0 == 0 {
                return Ok(true);
            }
            let known = state.spending.get(&counter).copied().unwrap_or_default();
            let taken = known.taken().0.saturating_add(amount.0);
            let fits = cap.is_none_or(|cap| taken <= cap.0);
            if fits {
                let reserved = MicroUsd(known.reserved.0 + amount.0);
                state
                    .spending
                    .insert(counter, Spending { reserved, ..known });
            }
            Ok(fits)
        })
    }

    async fn settle(
        &mut self,
        counter: Counter,
        reserved: MicroUsd,
        spent: MicroUsd,
    ) -> Stored<()> {
        self.change(|state| {
            let known = state.spending.entry(counter).or_default();
            known.reserved.0 -= reserved.0;
            known.spent.0 += spent.0;
            Ok(())
        })
    }
}

fn key(call: PaidCallKey) -> (AccountId, JobId, (i64, i64)) {
    (call.account, call.job, (call.epoch, call.entry.number))
}

#[async_trait]
impl PaidCallRepository for Session {
    async fn begin(&mut self, call: PaidCallKey, step: &str, at: DateTime<Utc>) -> Stored<()> {
        let written = WrittenCallRow {
            step: step.to_owned(),
            begun_at: at,
            ended: None,
        };
        self.change(|state| add(&mut state.paid_calls, key(call), written))
    }

    async fn end(
        &mut self,
        call: PaidCallKey,
        ended: &PaidCallOutcome,
        at: DateTime<Utc>,
    ) -> Stored<bool> {
        self.change(|state| {
            let written = state.paid_calls.get_mut(&key(call));
            let open = written.filter(|it| it.ended.is_none());
            Ok(open
                .map(|it| it.ended = Some((ended.clone(), at)))
                .is_some())
        })
    }

    async fn answer(
        &mut self,
        account: AccountId,
        job: JobId,
        step: &str,
    ) -> Stored<Option<RecordedAnswer>> {
        self.query(|state| {
            let mut newest_first = state.paid_calls.iter().rev();
            newest_first.find_map(|(key, call)| {
                let (ended, at) = call.ended.as_ref()?;
                let is_of_the_step = (key.0, key.1, &*call.step) == (account, job, step);
                let body = ended.answer.clone().filter(|_| is_of_the_step)?;
                Some(RecordedAnswer { body, at: *at })
            })
        })
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Stored<u64> {
        self.change(|state| {
            let is_over = |key: &(AccountId, _, _), it: &WrittenCallRow| {
                key.0 == account && it.begun_at < before
            };
            let age = |it: &WrittenCallRow| it.begun_at;
            Ok(remove_oldest(&mut state.paid_calls, limit, is_over, age))
        })
    }
}
