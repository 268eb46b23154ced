//! Invitations of persons to an account.

use crate::email::EmailAddress;
use crate::ids::{AccountId, InvitationId, ProjectId, UserId};
use crate::rights::Role;
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::BTreeSet;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum InvitationEnd {
        Accepted = "accepted",
        Revoked = "revoked",
        /// A newer invitation went to the same address.
        Replaced = "replaced",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    pub account: AccountId,
    pub id: InvitationId,
    pub email: EmailAddress,
    pub role: Role,
    /// For clients only.
    pub projects: BTreeSet<ProjectId>,
    pub invited_by: UserId,
    pub created_at: DateTime<Utc>,
    /// When its link was made; a new link ends the one before.
    pub issued_at: DateTime<Utc>,
    /// Number of its links so far.
    pub issued: u32,
    pub expires_at: DateTime<Utc>,
    pub ended: Option<(InvitationEnd, DateTime<Utc>)>,
}

impl Invitation {
    pub const LIFETIME: TimeDelta = TimeDelta::days(7);
    /// Invitations stay listed for this long after their end.
    pub const KEPT_FOR: TimeDelta = TimeDelta::days(90);
    /// Maximum invitations of an account that can still be accepted.
    pub const MAX_OPEN: usize = 100;
    /// Maximum links of an account in an hour and in a day.
    pub const MAX_LINKS: [(u64, TimeDelta); 2] =
        [(20, TimeDelta::hours(1)), (100, TimeDelta::days(1))];

    /// Whether it can be accepted.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.ended.is_none() && now < self.expires_at
    }

    #[must_use]
    pub fn ended(self, end: InvitationEnd, at: DateTime<Utc>) -> Self {
        Self {
            ended: Some((end, at)),
            ..self
        }
    }

    /// With a new link.
    #[must_use]
    pub fn reissued(self, at: DateTime<Utc>) -> Self {
        Self {
            issued_at: at,
            issued: self.issued + 1,
            expires_at: at + Self::LIFETIME,
            ..self
        }
    }
}
