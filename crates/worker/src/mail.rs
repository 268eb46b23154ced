//! Sends mail beside the jobs: a mail server may take minutes to reply.

use super::error_chain;
use domain::ids::AccountId;
use domain::mail::{Delivery, DeliveryState};
use domain::use_cases::send_mail::SendMail;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Concurrent transfers to the mail server, without slow ones.
const CONNECTIONS: usize = 2;
/// Concurrent transfers, slow ones included.
const MAX_CONNECTIONS: usize = 20;
/// A transfer that takes longer is slow: it does not delay the others.
const SLOW_AFTER: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// After a failed look-up of due messages.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);
/// How long messages that are being sent may take when the process stops. One that takes longer ends as `unknown`.
const STOPS_WITHIN: Duration = Duration::from_secs(20);

/// Transfers of this process: at most one of an account.
#[derive(Default)]
struct Transfers {
    tasks: JoinSet<AccountId>,
    begun: HashMap<AccountId, Instant>,
}

impl Transfers {
    fn has_room(&self) -> bool {
        let quick = self.begun.values().filter(|it| it.elapsed() < SLOW_AFTER);
        self.begun.len() < MAX_CONNECTIONS && quick.count() < CONNECTIONS
    }

    fn begin(&mut self, mail: &Arc<SendMail>, delivery: Delivery) {
        let (mail, account) = (Arc::clone(mail), delivery.account);
        self.begun.insert(account, Instant::now());
        self.tasks.spawn(async move {
            send_one(&mail, &delivery).await;
            account
        });
    }

    /// Waits for the end of one; for ever without any.
    async fn one_ends(&mut self) {
        match self.tasks.join_next().await {
            Some(Ok(account)) => drop(self.begun.remove(&account)),
            // A task that panicked does not name its account.
            Some(Err(_)) => self.begun.clear(),
            None => std::future::pending().await,
        }
    }
}

/// `trust`: whether this machine's clock is right. With a wrong one, messages and leases would expire at once.
pub(super) async fn send(mail: Arc<SendMail>, trust: Arc<AtomicBool>, stop: CancellationToken) {
    let mut waiting: Vec<Delivery> = Vec::new();
    let mut transfers = Transfers::default();
    while !stop.is_cancelled() {
        let mut pause = POLL_INTERVAL;
        let is_trusted = trust.load(Ordering::SeqCst);
        waiting.retain(|it| !transfers.begun.contains_key(&it.account));
        if is_trusted && waiting.is_empty() && transfers.has_room() {
            match mail.due().await {
                Ok(due) => waiting.extend(due),
                Err(error) => {
                    pause = RETRY_INTERVAL;
                    tracing::warn!(
                        error = error_chain(&error),
                        "Due mail cannot be looked up; the worker tries again."
                    );
                }
            }
        }
        while is_trusted && transfers.has_room() {
            let is_free = |it: &Delivery| !transfers.begun.contains_key(&it.account);
            let Some(next) = waiting.iter().position(is_free) else {
                break;
            };
            transfers.begin(&mail, waiting.remove(next));
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(pause) => {}
            () = transfers.one_ends() => {}
        }
    }
    let finish = async { while transfers.tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(STOPS_WITHIN, finish).await.is_err() {
        tracing::warn!("A mail server takes too long to reply; its messages end as unknown.");
    }
}

/// Code and status of a reply: its text may name an address.
fn status_of(reply: Option<&str>) -> String {
    let words = reply.unwrap_or_default().split_whitespace();
    let is_status = |it: &&str| it.chars().all(|c| c.is_ascii_digit() || c == '.');
    words.take_while(is_status).collect::<Vec<_>>().join(" ")
}

async fn send_one(mail: &SendMail, due: &Delivery) {
    let (account, id) = (due.account.0, due.id.0);
    let purpose = due.message.purpose().name();
    match mail.send(due).await {
        // Addresses are personal data and stay out of the log.
        Ok(delivery) => match delivery.state {
            DeliveryState::Failed | DeliveryState::Unknown => tracing::warn!(
                accountId = account,
                id,
                purpose,
                state = delivery.state.name(),
                status = status_of(delivery.reply.as_deref()),
                "A message was not delivered for certain."
            ),
            state => tracing::debug!(
                accountId = account,
                id,
                purpose,
                state = state.name(),
                "A message was processed."
            ),
        },
        Err(error) => tracing::warn!(
            accountId = account,
            id,
            error = error_chain(&error),
            "The state of a message cannot be stored; its lease expires."
        ),
    }
}
