//! Sends queued mail. A message is sent at most once: what a failure leaves uncertain ends as `unknown`.

use super::Core;
use crate::account::AccountStatus;
use crate::ids::{InvitationId, PersonLinkId};
use crate::link::{LinkKind, LinkTarget, PlainLink};
use crate::mail::{
    Delivery, DeliveryState, Letter, Purpose, PurposeClass, StopLink, Suppression,
    SuppressionReason,
};
use crate::ports::host_throttle::{HostHash, HostThrottle};
use crate::ports::mailer::{MailFailure, Mailer};
use crate::ports::sleeper::Sleeper;
use crate::ports::storage::{StorageError, Transaction};
use crate::shared_key::SharedKey;
use crate::use_cases::outbox::stopped_by;
use chrono::{DateTime, TimeDelta, Utc};
use std::sync::Arc;
use std::time::Duration;

/// Accounts looked at in one round.
const ACCOUNTS: u32 = 50;
/// Messages of an account in one round, so that none delays the others.
const PER_ACCOUNT: u32 = 4;
/// Maximum messages of an account, but those about logins.
const ACCOUNT_LIMITS: [(u64, TimeDelta); 2] =
    [(200, TimeDelta::hours(1)), (1_000, TimeDelta::days(1))];
/// Maximum messages of an account to one recipient in a day.
const RECIPIENT_LIMIT: u64 = 20;
/// How long a message waits that is over a limit.
const DELAYED_FOR: TimeDelta = TimeDelta::minutes(10);
/// Attempts to record an outcome.
const SETTLE_ATTEMPTS: u32 = 5;

pub struct SendMail {
    pub core: Arc<Core>,
    pub mailer: Arc<dyn Mailer>,
    /// Spreads the messages of all workers.
    pub throttle: Arc<dyn HostThrottle>,
    pub sleeper: Arc<dyn Sleeper>,
    pub stop_key: SharedKey,
}

impl SendMail {
    /// Due messages, those of different accounts by turns.
    pub async fn due(&self) -> Result<Vec<Delivery>, StorageError> {
        let now = self.core.clock.now();
        let mut read = self.core.storage.read().await?;
        let mut by_account = Vec::new();
        // One account at a time: no statement reads rows of two.
        for account in read.outbox().accounts_due(now, ACCOUNTS).await? {
            let due = read.outbox().due(account, now, PER_ACCOUNT).await?;
            by_account.push(due.into_iter());
        }
        let mut due = Vec::new();
        for _ in 0..PER_ACCOUNT {
            due.extend(by_account.iter_mut().filter_map(Iterator::next));
        }
        Ok(due)
    }

    /// Sends a due message; returns its new state, or the given one if another worker has it.
    pub async fn send(&self, due: &Delivery) -> Result<Delivery, StorageError> {
        let claimed = match self.claim(due).await? {
            Some(claimed) if claimed.state == DeliveryState::Sending => claimed,
            other => return Ok(other.unwrap_or_else(|| due.clone())),
        };
        let transfer = match self.mailer.open(&claimed).await {
            Ok(transfer) => transfer,
            Err(failure) => return self.settle(&claimed, Err(failure)).await,
        };
        let link = PlainLink::generate(&*self.core.randomness);
        let Some((handed_over, link_ends)) = self.hand_over(&claimed, &link).await? else {
            // Dropping the transfer sends nothing.
            return Ok(claimed);
        };
        let letter = self.letter(&handed_over, &link, link_ends);
        let outcome = transfer.send(&letter).await;
        self.settle(&handed_over, outcome).await
    }

    fn letter(
        &self,
        delivery: &Delivery,
        link: &PlainLink,
        link_ends: Option<DateTime<Utc>>,
    ) -> Letter {
        let now = self.core.clock.now();
        let mail = self.core.policies.mail.as_ref();
        let base_url = mail.map_or("", |it| it.base_url.as_str());
        let kind = delivery.message.purpose().link();
        let stop = StopLink {
            account: delivery.account,
            delivery: delivery.id,
        };
        Letter {
            delivery: delivery.clone(),
            at: now,
            action: Some(match kind.filter(|_| link_ends.is_some()) {
                Some(kind) => kind.url(base_url, link),
                None => format!("{base_url}{}", page_of(delivery.message.purpose())),
            }),
            action_expires_at: link_ends,
            stop: stopped_by(delivery).map(|_| stop.urls(base_url, &self.stop_key, now)),
        }
    }

    /// Takes the message, unless it must not be sent now; `None` if another worker has it. What is sent waits for the
    /// server's limit first.
    async fn claim(&self, due: &Delivery) -> Result<Option<Delivery>, StorageError> {
        let first = self.moved(due, false).await?;
        let is_sent = |it: &Delivery| it.state == DeliveryState::Sending;
        if !first.as_ref().is_some_and(is_sent) {
            return Ok(first);
        }
        let mail = self.core.policies.mail.as_ref();
        let per_minute = mail.map_or(60, |it| it.per_minute.max(1));
        let distance = Duration::from_mins(1) / per_minute;
        let wait = self.throttle.reserve(HostHash::of("mail"), distance);
        self.sleeper.sleep(wait.await?).await;
        self.moved(due, true).await
    }

    /// Stores the next state; of a message to send only if `takes`. `None` if another worker has it.
    async fn moved(&self, due: &Delivery, takes: bool) -> Result<Option<Delivery>, StorageError> {
        let jitter = self.jitter();
        let step = |mut work: Box<dyn Transaction>, now: DateTime<Utc>| async move {
            let next = next_state(work.as_mut(), due, now, jitter).await?;
            if next.state == DeliveryState::Sending && !takes {
                return Ok(Some(next));
            }
            let is_moved = work.outbox().advance(due, &next).await?;
            work.commit().await?;
            Ok::<_, StorageError>(is_moved.then_some(next))
        };
        self.core.transaction_with_time(step).await
    }

    /// Records that the text is transferred next, and the hash of its link; returns when the link ends. `None` if another
    /// worker took the message, or the link ended meanwhile.
    async fn hand_over(
        &self,
        claimed: &Delivery,
        link: &PlainLink,
    ) -> Result<Option<(Delivery, Option<DateTime<Utc>>)>, StorageError> {
        let hand_over = |mut work: Box<dyn Transaction>, now: DateTime<Utc>| async move {
            let handed_over = claimed.handed_over(now);
            let linked = claimed.message.purpose().link().zip(claimed.link_target);
            let mut ends = None;
            if let Some((kind, id)) = linked {
                let account = claimed.account;
                let target = LinkTarget { account, kind, id };
                ends = link_end(work.as_mut(), target, now).await?;
                let Some(ends) = ends else {
                    return Ok(None);
                };
                work.links().set_hash(target, link.hash(), ends).await?;
            }
            if !work.outbox().advance(claimed, &handed_over).await? {
                return Ok(None);
            }
            work.commit().await?;
            Ok::<_, StorageError>(Some((handed_over, ends)))
        };
        self.core.transaction_with_time(hand_over).await
    }

    /// Records the outcome, and returns it. If that fails, the lease ends: the message is sent again if its text was not transferred, and
    /// is `unknown` otherwise.
    async fn settle(
        &self,
        before: &Delivery,
        outcome: Result<String, MailFailure>,
    ) -> Result<Delivery, StorageError> {
        let (now, jitter) = (self.core.clock.now(), self.jitter());
        let mut bounced = None;
        let after = match outcome {
            Ok(reply) => before.ended(DeliveryState::Sent, Some(reply), now),
            Err(MailFailure::Temporary(reply)) => before.retried(reply, now, jitter),
            Err(MailFailure::NoReply(reason)) => {
                before.ended(DeliveryState::Unknown, Some(reason), now)
            }
            Err(MailFailure::Refused {
                reply,
                is_unknown_address,
            }) => {
                bounced = is_unknown_address.then(|| Suppression {
                    account: before.account,
                    recipient: before.recipient.clone(),
                    reason: SuppressionReason::Bounce,
                    at: now,
                });
                before.ended(DeliveryState::Failed, Some(reply), now)
            }
        };
        let (next, bounced) = (&after, &bounced);
        let settle = |mut work: Box<dyn Transaction>| async move {
            if work.outbox().advance(before, next).await?
                && let Some(suppression) = bounced
            {
                work.outbox().suppress(suppression).await?;
            }
            work.commit().await
        };
        let mut failed = 0;
        while let Err(error) = self.core.storage.transaction(settle).await {
            failed += 1;
            if failed == SETTLE_ATTEMPTS {
                return Err(error);
            }
            self.sleeper.sleep(Duration::from_secs(1 << failed)).await;
        }
        Ok(after)
    }

    /// From 0 to 1.
    fn jitter(&self) -> f64 {
        let mut bytes = [0; 4];
        self.core.randomness.fill(&mut bytes);
        f64::from(u32::from_le_bytes(bytes)) / f64::from(u32::MAX)
    }
}

/// The page of a message without a link of its own.
const fn page_of(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::InvitationAccepted | Purpose::MemberLeft => "/settings/members",
        Purpose::PasswordChanged | Purpose::ExportReady | Purpose::AccountDeletion => {
            "/settings/account"
        }
        Purpose::FailedSignIns => "/forgot-password",
        Purpose::TokenLeaked => "/settings/api-tokens",
        Purpose::MemberRemoved => "/accounts",
        _ => "/",
    }
}

/// The next state of a due message: `sending`, unless it must wait or must not be sent any more.
async fn next_state(
    work: &mut dyn Transaction,
    due: &Delivery,
    now: DateTime<Utc>,
    jitter: f64,
) -> Result<Delivery, StorageError> {
    let (account, purpose) = (due.account, due.message.purpose());
    if due.state == DeliveryState::Sending {
        let reason = "the worker ended".to_owned();
        return Ok(if due.handed_over_at.is_some() {
            due.ended(DeliveryState::Unknown, Some(reason), now)
        } else {
            due.retried(reason, now, jitter)
        });
    }
    if due.expires_at <= now {
        return Ok(due.ended(DeliveryState::Expired, None, now));
    }
    if !is_relevant(work, due, now).await? {
        return Ok(due.ended(DeliveryState::Canceled, None, now));
    }
    let reasons = work
        .outbox()
        .suppressions_of(account, &due.recipient)
        .await?;
    if let Some(reason) = reasons.iter().find(|it| it.suppresses(purpose)) {
        let reason = Some(reason.name().to_owned());
        return Ok(due.ended(DeliveryState::Suppressed, reason, now));
    }
    if is_over_limit(work, due, now).await? {
        return Ok(due.delayed(now + DELAYED_FOR));
    }
    Ok(due.sending(now))
}

async fn is_over_limit(
    work: &mut dyn Transaction,
    due: &Delivery,
    now: DateTime<Utc>,
) -> Result<bool, StorageError> {
    if due.message.purpose().class() == PurposeClass::Security {
        return Ok(false);
    }
    let (account, to) = (due.account, Some(due.recipient.clone()));
    let day = now - TimeDelta::days(1);
    if work.outbox().handed_over_since(account, day, to).await? >= RECIPIENT_LIMIT {
        return Ok(true);
    }
    for (limit, span) in ACCOUNT_LIMITS {
        let sent = work.outbox().handed_over_since(account, now - span, None);
        if sent.await? >= limit {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether the account is open, and the link of the message would work.
async fn is_relevant(
    work: &mut dyn Transaction,
    due: &Delivery,
    now: DateTime<Utc>,
) -> Result<bool, StorageError> {
    let account = work.accounts().find(due.account).await?;
    let is_open = account.is_some_and(|it| it.status == AccountStatus::Active);
    if !is_open && due.person.is_none() {
        return Ok(false);
    }
    let (Some(kind), Some(id)) = (due.message.purpose().link(), due.link_target) else {
        return Ok(true);
    };
    // A newer message for the same link replaces an earlier one.
    let others = work.outbox().of_targets(due.account, &[id]).await?;
    let is_newer = |other: &Delivery| {
        other.message.purpose() == due.message.purpose() && other.created_at > due.created_at
    };
    if others.iter().any(is_newer) {
        return Ok(false);
    }
    let account = due.account;
    let ends = link_end(work, LinkTarget { account, kind, id }, now).await?;
    Ok(ends.is_some())
}

/// When the invitation or the link of a person ends; `None` if it does not work any more.
async fn link_end(
    work: &mut dyn Transaction,
    target: LinkTarget,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>, StorageError> {
    if target.kind == LinkKind::MailedInvitation {
        let id = InvitationId(target.id);
        let found = work.invitations().lock(target.account, id).await?;
        let open = found.filter(|it| it.is_open(now));
        return Ok(open.map(|it| it.expires_at));
    }
    let id = PersonLinkId(target.id);
    let found = work.links().lock(target.account, id).await?;
    let open = found.filter(|it| it.is_open(now));
    Ok(open.map(|it| it.expires_at))
}
