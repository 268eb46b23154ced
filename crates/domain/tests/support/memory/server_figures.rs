//! Figures over all accounts.

use super::{Session, State, Stored};
use crate::account::{Account, AccountStatus};
use crate::job::JobState;
use crate::mail::DeliveryState;
use crate::ports::server_figures::{
    LimitFigures, MailFigures, QueueLimitFigures, ServerFigureRepository, WorkerFigures,
};
use crate::ports::spending::{Counter, month_of};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use std::cmp::Reverse;
use std::collections::BTreeMap;

#[async_trait]
impl ServerFigureRepository for Session {
    async fn workers(&mut self, limit: u32) -> Stored<Vec<WorkerFigures>> {
        self.query(|state| {
            let mut all: BTreeMap<&str, WorkerFigures> = BTreeMap::new();
            let running = state
                .jobs
                .values()
                .filter(|it| it.state == JobState::Running);
            for lease in running.filter_map(|it| it.lease.as_ref()) {
                let known = all.entry(&lease.owner).or_insert_with(|| WorkerFigures {
                    name: lease.owner.clone(),
                    jobs: 0,
                    lease_until: lease.until,
                });
                known.jobs += 1;
                known.lease_until = known.lease_until.max(lease.until);
            }
            all.into_values().take(limit as usize).collect()
        })
    }

    async fn failures_since(&mut self, since: DateTime<Utc>, limit: u32) -> Stored<Vec<String>> {
        self.query(|state| {
            let is_lost = |it: JobState| matches!(it, JobState::Failed | JobState::Expired);
            let mut lost: Vec<_> = { state.jobs.values() }
                .filter(|it| is_lost(it.state) && it.finished_at.is_some_and(|at| at >= since))
                .collect();
            lost.sort_by_key(|it| Reverse(it.finished_at));
            let codes = lost.into_iter().map(|it| {
                let error = it.errors.last();
                error.map_or_else(|| "unknown".to_owned(), |it| it.code.clone())
            });
            codes.take(limit as usize).collect()
        })
    }

    async fn mail_since(&mut self, since: DateTime<Utc>) -> Stored<MailFigures> {
        self.query(|state| {
            let ended = |wanted: DeliveryState| {
                let all = state.deliveries.values();
                let ended = all.filter(|it| it.ended_at.is_some_and(|at| at >= since));
                ended.filter(|it| it.state == wanted).count() as u64
            };
            let waiting = state.deliveries.values().filter(|it| !it.has_ended());
            MailFigures {
                queued: waiting.count() as u64,
                failed: ended(DeliveryState::Failed),
                unknown: ended(DeliveryState::Unknown),
                expired: ended(DeliveryState::Expired),
            }
        })
    }

    async fn limits_reached(&mut self, today: NaiveDate) -> Stored<LimitFigures> {
        self.query(|state| {
            let taken = |counter| {
                state
                    .spending
                    .get(&counter)
                    .copied()
                    .unwrap_or_default()
                    .taken()
            };
            LimitFigures {
                projects: active(state, |it| it.usage.projects >= it.limits.projects),
                keywords: active(state, |it| it.usage.keywords >= it.limits.keywords),
                ai_tracked: active(state, |it| it.usage.ai_tracked >= it.limits.ai_tracked),
                monthly_budget: active(state, |it| {
                    let taken = taken(Counter::Month(it.id, month_of(today)));
                    it.limits
                        .monthly_budget
                        .is_some_and(|budget| taken >= budget)
                }),
                daily_budget: active(state, |it| {
                    let taken = taken(Counter::Day(it.id, today));
                    it.limits.daily_budget.is_some_and(|budget| taken >= budget)
                }),
            }
        })
    }

    async fn queue_limits_reached(
        &mut self,
        running: u32,
        unfinished: u32,
    ) -> Stored<QueueLimitFigures> {
        self.query(|state| {
            let lines = state.queues.values();
            let busy: Vec<_> = lines.filter(|it| it.attention_at.is_some()).collect();
            let full = busy
                .iter()
                .filter(|it| it.waiting + it.running >= unfinished);
            let at_limit = { busy.iter() }.filter(|it| it.waiting > 0 && it.running >= running);
            QueueLimitFigures {
                running: at_limit.count() as u64,
                unfinished: full.count() as u64,
            }
        })
    }
}

/// Number of active accounts that fit.
fn active(state: &State, fits: impl Fn(&Account) -> bool) -> u64 {
    let active = { state.accounts.values() }.filter(|it| it.status == AccountStatus::Active);
    active.filter(|it| fits(it)).count() as u64
}
