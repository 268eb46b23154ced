//! Mail: queued in the transaction of its cause, listed, and sent again by hand.

use super::sessions::Member;
use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error};
use crate::audit::{AuditAction, AuditEvent};
use crate::email::EmailAddress;
use crate::ids::{AccountId, DeliveryId};
use crate::mail::{
    Delivery, DeliveryState, Message, Purpose, PurposeClass, StopLink, Suppression,
    SuppressionReason,
};
use crate::ports::outbox::DeliveryFilter;
use crate::ports::storage::{StorageError, Transaction};
use crate::user::User;
use chrono::TimeDelta;
use thiserror::Error;

/// How mail is sent. Without it links are shown to be copied, and nothing is queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailPolicy {
    /// URL of the server, before the paths of links.
    pub base_url: String,
    /// Maximum messages of the server in a minute.
    pub per_minute: u32,
}

#[derive(Debug, Error)]
pub enum SendAgainError {
    #[error("the account has no such message")]
    NoSuchDelivery,
    /// Only messages that failed, that expired or of unknown outcome are sent again.
    #[error("the message is {}", .0.name())]
    NotFailed(DeliveryState),
    #[error("the server sends no mail")]
    NoMail,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(SendAgainError);

impl TransactionInput {
    /// A message of an account, due now.
    pub fn delivery(
        &mut self,
        account: AccountId,
        to: &EmailAddress,
        message: Message,
    ) -> Delivery {
        let id = DeliveryId::take(&mut self.ids);
        Delivery::queued((account, id), to.clone(), message, self.now)
    }

    /// A message about the person's login, from the home account.
    pub fn personal_delivery(&mut self, person: &User, message: Message) -> Delivery {
        Delivery {
            person: Some(person.id),
            ..self.delivery(person.account, &person.email, message)
        }
    }

    /// Stores the message, if the server sends mail.
    pub async fn queue(
        &self,
        work: &mut dyn Transaction,
        delivery: Delivery,
    ) -> Result<(), StorageError> {
        if self.sends_mail {
            work.outbox().add(&delivery).await?;
        }
        Ok(())
    }
}

/// Whether the server sends mail, and queued no message to the person for that purpose in the last hour.
pub(super) async fn may_notify(
    work: &mut dyn Transaction,
    given: &TransactionInput,
    person: &User,
    purpose: Purpose,
) -> Result<bool, StorageError> {
    if !given.sends_mail {
        return Ok(false);
    }
    let after = given.now - TimeDelta::hours(1);
    let notified = { work.outbox() }
        .was_notified(person.account, person.id, purpose, after)
        .await?;
    Ok(!notified)
}

impl Core {
    pub const fn sends_mail(&self) -> bool {
        self.policies.mail.is_some()
    }

    /// Newest first.
    pub async fn deliveries(
        &self,
        account: AccountId,
        filter: &DeliveryFilter,
    ) -> Result<Vec<Delivery>, StorageError> {
        let mut read = self.storage.read().await?;
        read.outbox().list(account, filter).await
    }

    /// The messages for these invitations, oldest first.
    pub async fn mail_of_invitations(
        &self,
        account: AccountId,
        invitations: &[i64],
    ) -> Result<Vec<Delivery>, StorageError> {
        let mut read = self.storage.read().await?;
        read.outbox().of_targets(account, invitations).await
    }

    /// Queues a copy of a message that failed, or that the recipient may not have.
    pub async fn send_again(
        &self,
        by: &Member,
        id: DeliveryId,
    ) -> Result<Delivery, SendAgainError> {
        let account = by.account.id;
        let send = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            if !given.sends_mail {
                return Err(SendAgainError::NoMail);
            }
            let found = work.outbox().find(account, id).await?;
            let found = found.filter(|it| it.person.is_none());
            let found = found.ok_or(SendAgainError::NoSuchDelivery)?;
            if !found.state.can_be_sent_again() {
                return Err(SendAgainError::NotFailed(found.state));
            }
            let copy = Delivery {
                link_target: found.link_target,
                ..given.delivery(account, &found.recipient, found.message)
            };
            work.outbox().add(&copy).await?;
            let event = AuditEvent {
                detail: format!("{} to {}", copy.message.purpose().name(), copy.recipient),
                ..given.event(account, &by.user, AuditAction::MailSentAgain)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(copy)
        };
        self.transaction_with_ids(send).await
    }

    /// In order of recipients.
    pub async fn suppressions(&self, account: AccountId) -> Result<Vec<Suppression>, StorageError> {
        let mut read = self.storage.read().await?;
        read.outbox().suppressions(account).await
    }

    /// Returns whether there was one.
    pub async fn lift_suppression(
        &self,
        by: &Member,
        recipient: &EmailAddress,
        reason: SuppressionReason,
    ) -> Result<bool, StorageError> {
        let account = by.account.id;
        let lift = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            if !work.outbox().lift(account, recipient, reason).await? {
                return Ok(false);
            }
            let event = AuditEvent {
                detail: format!("{recipient}: {}", reason.name()),
                ..given.event(account, &by.user, AuditAction::SuppressionLifted)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(true)
        };
        self.transaction_with_ids(lift).await
    }

    /// Stops messages of that kind from the account to the recipient. Returns whether the message is still stored.
    pub async fn stop_mail(&self, link: StopLink) -> Result<bool, StorageError> {
        let stop = |mut work: Box<dyn Transaction>, given: TransactionInput| async move {
            let found = work.outbox().find(link.account, link.delivery).await?;
            let Some((found, reason)) =
                found.and_then(|it| stopped_by(&it).map(|reason| (it, reason)))
            else {
                return Ok(false);
            };
            let suppression = Suppression {
                account: found.account,
                recipient: found.recipient,
                reason,
                at: given.now,
            };
            work.outbox().suppress(&suppression).await?;
            work.commit().await?;
            Ok(true)
        };
        self.transaction_with_ids(stop).await
    }

    /// Notes that a mailbox does not exist, or that its owner complained. Returns whether the account exists.
    pub async fn suppress(
        &self,
        account: AccountId,
        recipient: &EmailAddress,
        reason: SuppressionReason,
    ) -> Result<bool, StorageError> {
        let add = |mut work: Box<dyn Transaction>, given: TransactionInput| async move {
            if work.accounts().find(account).await?.is_none() {
                return Ok(false);
            }
            let suppression = Suppression {
                account,
                recipient: recipient.clone(),
                reason,
                at: given.now,
            };
            work.outbox().suppress(&suppression).await?;
            work.commit().await?;
            Ok(true)
        };
        self.transaction_with_ids(add).await
    }
}

/// What the recipient of the message can stop.
pub(super) fn stopped_by(delivery: &Delivery) -> Option<SuppressionReason> {
    let purpose = delivery.message.purpose();
    let reasons = [
        SuppressionReason::InvitationsStopped,
        SuppressionReason::Unsubscribed,
    ];
    { reasons.into_iter() }
        .filter(|_| purpose.class() != PurposeClass::Security)
        .find(|it| it.suppresses(purpose))
}
