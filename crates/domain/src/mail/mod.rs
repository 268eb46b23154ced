//! Mail to one recipient each: what it says, and how far its delivery is.

mod message;
mod stop_link;

pub use crate::link::LinkKind;
pub use message::{Message, Purpose, PurposeClass};
pub use stop_link::{StopLink, StopUrls};

use crate::email::EmailAddress;
use crate::ids::{AccountId, DeliveryId, UserId};
use crate::shared_key::STOP_LINK_LIFETIME;
use chrono::{DateTime, TimeDelta, Utc};

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum DeliveryState {
        /// Waits for its first or next attempt.
        Queued = "queued",
        /// Waits because a limit of the account or of the recipient is reached.
        Delayed = "delayed",
        Sending = "sending",
        /// The mail server accepted the message.
        Sent = "sent",
        /// The mail server refused it, or all attempts failed.
        Failed = "failed",
        /// The message was transferred, but no reply is recorded: the recipient may have it. Never sent again automatically.
        Unknown = "unknown",
        /// The recipient does not want it, or the address does not exist.
        Suppressed = "suppressed",
        /// What it is about is over, or a newer one replaces it.
        Canceled = "canceled",
        /// It could not be sent while it was useful.
        Expired = "expired",
    }
}

impl DeliveryState {
    /// Whether the recipient may lack the message for good.
    pub const fn can_be_sent_again(self) -> bool {
        matches!(self, Self::Failed | Self::Unknown | Self::Expired)
    }
}

/// A message to one recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    pub account: AccountId,
    pub id: DeliveryId,
    pub recipient: EmailAddress,
    /// Whom it concerns, for messages about a person's login: hidden from the account's list.
    pub person: Option<UserId>,
    pub message: Message,
    /// What its link opens: the id of an invitation or a [`PersonLinkId`](crate::ids::PersonLinkId).
    pub link_target: Option<i64>,
    pub state: DeliveryState,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// When a worker looks at it next: when it is due, or when the lease of a sending worker ends. `None` once ended.
    pub next_at: Option<DateTime<Utc>>,
    /// Attempts so far. With each the fence changes: an earlier attempt changes nothing any more.
    pub attempt: u32,
    /// When the mail server was ready for the text, and its transfer began.
    pub handed_over_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    /// The last reply of the mail server, or why there is none.
    pub reply: Option<String>,
}

/// What the mail server said of the recipient's mailbox, or the recipient of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    pub account: AccountId,
    pub recipient: EmailAddress,
    pub reason: SuppressionReason,
    pub at: DateTime<Utc>,
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SuppressionReason {
        /// The mailbox does not exist.
        Bounce = "bounce",
        /// The recipient marked a message as spam.
        Complaint = "complaint",
        /// The recipient unsubscribed from notices.
        Unsubscribed = "unsubscribed",
        /// The recipient wants no further invitation to the account.
        InvitationsStopped = "invitationsStopped",
    }
}

impl SuppressionReason {
    pub const fn suppresses(self, purpose: Purpose) -> bool {
        match self {
            Self::Bounce | Self::Complaint => !matches!(purpose.class(), PurposeClass::Security),
            Self::Unsubscribed => matches!(purpose.class(), PurposeClass::Notice),
            Self::InvitationsStopped => matches!(purpose, Purpose::Invitation),
        }
    }

    /// Whether an owner may lift it.
    pub const fn can_be_lifted(self) -> bool {
        !matches!(self, Self::Complaint)
    }
}

/// What a worker transfers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    pub delivery: Delivery,
    pub at: DateTime<Utc>,
    /// URL of the page where the recipient acts; it may hold a secret.
    pub action: Option<String>,
    /// When the secret of `action` expires; `None` for a page without one.
    pub action_expires_at: Option<DateTime<Utc>>,
    /// Where the recipient stops further messages of this kind.
    pub stop: Option<StopUrls>,
}

/// Delays before the second and later attempts; RFC 5321, 4.5.4.1 recommends to try for 4 to 5 days.
const RETRY_DELAYS: [TimeDelta; 8] = [
    TimeDelta::minutes(1),
    TimeDelta::minutes(5),
    TimeDelta::minutes(15),
    TimeDelta::hours(1),
    TimeDelta::hours(3),
    TimeDelta::hours(8),
    TimeDelta::hours(24),
    TimeDelta::hours(24),
];

/// The delay after that many attempts, varied by 20 % with `jitter` from 0 to 1; `None` when they are used up.
pub fn retry_delay(attempts: u32, jitter: f64) -> Option<TimeDelta> {
    let at = usize::try_from(attempts).ok()?.checked_sub(1)?;
    let delay = RETRY_DELAYS.get(at)?;
    let share = 0.8 + 0.4 * jitter.clamp(0.0, 1.0);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "at most a day in ms"
    )]
    let varied = (delay.num_milliseconds() as f64 * share) as i64;
    Some(TimeDelta::milliseconds(varied))
}

impl Delivery {
    /// How long a worker has to reach the text; also the lease of an attempt.
    pub const OPENS_WITHIN: TimeDelta = TimeDelta::seconds(60);
    /// How long a mail server may take to reply to the text (RFC 5321, 4.5.3.2.6), and a minute.
    pub const REPLIES_WITHIN: TimeDelta = TimeDelta::minutes(11);
    /// Ended deliveries stay listed for this long, and so their links to stop messages work.
    pub const KEPT_FOR: TimeDelta = STOP_LINK_LIFETIME;

    /// Due now; set `person` and `link_target` separately.
    pub fn queued(
        (account, id): (AccountId, DeliveryId),
        recipient: EmailAddress,
        message: Message,
        now: DateTime<Utc>,
    ) -> Self {
        let lifetime = message.purpose().lifetime();
        Self {
            account,
            id,
            recipient,
            person: None,
            message,
            link_target: None,
            state: DeliveryState::Queued,
            created_at: now,
            expires_at: now + lifetime,
            next_at: Some(now),
            attempt: 0,
            handed_over_at: None,
            ended_at: None,
            reply: None,
        }
    }

    /// Whether it never changes again automatically.
    pub const fn has_ended(&self) -> bool {
        self.next_at.is_none()
    }

    #[must_use]
    pub fn sending(&self, now: DateTime<Utc>) -> Self {
        Self {
            state: DeliveryState::Sending,
            attempt: self.attempt + 1,
            next_at: Some(now + Self::OPENS_WITHIN),
            handed_over_at: None,
            ..self.clone()
        }
    }

    #[must_use]
    pub fn handed_over(&self, now: DateTime<Utc>) -> Self {
        Self {
            next_at: Some(now + Self::REPLIES_WITHIN),
            handed_over_at: Some(now),
            ..self.clone()
        }
    }

    #[must_use]
    pub fn ended(&self, state: DeliveryState, reply: Option<String>, now: DateTime<Utc>) -> Self {
        Self {
            state,
            next_at: None,
            ended_at: Some(now),
            reply: reply.or_else(|| self.reply.clone()),
            ..self.clone()
        }
    }

    #[must_use]
    pub fn delayed(&self, until: DateTime<Utc>) -> Self {
        Self {
            state: DeliveryState::Delayed,
            next_at: Some(until),
            ..self.clone()
        }
    }

    /// After an attempt that failed before the message could be accepted.
    #[must_use]
    pub fn retried(&self, reply: String, now: DateTime<Utc>, jitter: f64) -> Self {
        let next = retry_delay(self.attempt, jitter).map(|it| now + it);
        match next {
            Some(next) if next < self.expires_at => Self {
                state: DeliveryState::Queued,
                next_at: Some(next),
                handed_over_at: None,
                reply: Some(reply),
                ..self.clone()
            },
            Some(_) => self.ended(DeliveryState::Expired, Some(reply), now),
            None => self.ended(DeliveryState::Failed, Some(reply), now),
        }
    }
}
