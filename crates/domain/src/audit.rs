//! The audit log of accounts, tokens and sessions.

use crate::ids::{AccountId, AuditEventId, TokenId, UserId};
use crate::text::Label;
use crate::user::User;
use chrono::{DateTime, Utc};

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Actor {
        /// The server's operator, by command line or on the operator's pages.
        Operator = "operator",
        /// A program or person that holds a token's text.
        Finder = "finder",
        /// A signed-in member of any role.
        Owner = "owner",
        /// A caller who failed to sign in.
        Stranger = "stranger",
        /// The service itself, for example on expiry.
        Service = "service",
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AuditAction {
        AccountCreated = "account.created",
        AccountLimited = "account.limited",
        AccountEnabled = "account.enabled",
        AccountDisabled = "account.disabled",
        TokenCreated = "token.created",
        /// A token was created to replace another.
        TokenRotated = "token.rotated",
        /// A token was revoked by its owner.
        TokenRevoked = "token.revoked",
        /// A token was revoked because it was found in public.
        TokenLeaked = "token.leaked",
        /// The account's name, or its owner's name or address was changed.
        AccountChanged = "account.changed",
        ReportDefaultsChanged = "account.reportDefaults",
        ModelsChanged = "account.models",
        /// How long the audit log is stored was changed.
        AuditDaysChanged = "account.auditDays",
        PasswordChanged = "password.changed",
        SessionBegun = "session.begun",
        /// A wrong password was entered.
        SessionRefused = "session.refused",
        /// The password was entered again in a session.
        SessionRenewed = "session.renewed",
        SessionEnded = "session.ended",
        /// All sessions of a user were ended, or all others.
        SessionsEnded = "session.endedAll",
        SessionExpired = "session.expired",
        /// A session changed to another account of its person.
        AccountEntered = "session.accountEntered",
        MemberInvited = "member.invited",
        /// An invitation got a new link.
        InvitationIssued = "invitation.issued",
        InvitationRevoked = "invitation.revoked",
        MemberJoined = "member.joined",
        /// A member's role or granted projects were changed.
        MemberChanged = "member.changed",
        MemberRemoved = "member.removed",
        MemberLeft = "member.left",
        /// A link to reset the password was requested.
        PasswordResetRequested = "password.resetRequested",
        /// A new address to sign in with was requested; it counts once it is confirmed.
        EmailChangeRequested = "email.changeRequested",
        EmailChanged = "email.changed",
        /// The address before a change was kept or restored.
        EmailRestored = "email.restored",
        /// A message that failed was queued again.
        MailSentAgain = "mail.sentAgain",
        SuppressionLifted = "mail.suppressionLifted",
        /// A member or token lacked the right; at most one event an hour for each.
        AuthorizationRefused = "authorization.refused",
    }
}

impl AuditAction {
    /// The action stored for version 0.1, which knows no others.
    #[must_use]
    pub const fn known_to_first_version(self) -> Self {
        match self {
            Self::AccountEntered => Self::SessionRenewed,
            Self::MemberInvited
            | Self::InvitationIssued
            | Self::InvitationRevoked
            | Self::MemberJoined
            | Self::MemberChanged
            | Self::MemberRemoved
            | Self::MemberLeft
            | Self::EmailChangeRequested
            | Self::EmailChanged
            | Self::EmailRestored
            | Self::MailSentAgain
            | Self::AuditDaysChanged
            | Self::SuppressionLifted => Self::AccountChanged,
            Self::PasswordResetRequested | Self::AuthorizationRefused => Self::SessionRefused,
            known => known,
        }
    }
}

/// A signed-in person who acted. The name is kept as it was then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActingPerson {
    pub id: UserId,
    pub name: Label,
}

/// Who acted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    pub actor: Actor,
    pub person: Option<ActingPerson>,
}

impl From<Actor> for Author {
    fn from(actor: Actor) -> Self {
        Self {
            actor,
            person: None,
        }
    }
}

impl Author {
    /// A person who acts as the server's operator.
    pub fn operator(user: &User) -> Self {
        Self {
            actor: Actor::Operator,
            ..Self::from(user)
        }
    }
}

impl From<&User> for Author {
    fn from(user: &User) -> Self {
        let person = ActingPerson {
            id: user.id,
            name: user.name.clone(),
        };
        Self {
            actor: Actor::Owner,
            person: Some(person),
        }
    }
}

/// Never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    pub account: AccountId,
    pub id: AuditEventId,
    pub at: DateTime<Utc>,
    pub actor: Actor,
    /// The member who acted, or the target of a refused sign-in. `None` for others, and of events that version
    /// 0.1 wrote.
    pub person: Option<ActingPerson>,
    pub action: AuditAction,
    /// The token concerned; `None` is the account itself.
    pub token: Option<TokenId>,
    pub detail: String,
}

impl AuditEvent {
    /// An account's event; set `token` and `detail` separately.
    pub fn new(
        id: AuditEventId,
        account: AccountId,
        at: DateTime<Utc>,
        by: impl Into<Author>,
        action: AuditAction,
    ) -> Self {
        let Author { actor, person } = by.into();
        Self {
            account,
            id,
            at,
            actor,
            person,
            action,
            token: None,
            detail: String::new(),
        }
    }
}

/// The person of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersonFilter {
    Only(UserId),
    /// Also events that name no person.
    OrNone(UserId),
}

/// Conditions on events; all must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// Empty is all.
    pub actions: Vec<AuditAction>,
    pub person: Option<PersonFilter>,
    /// Inclusive.
    pub since: Option<DateTime<Utc>>,
    /// Exclusive.
    pub before: Option<DateTime<Utc>>,
    /// Only what follows this event in a list.
    pub behind: Option<(DateTime<Utc>, AuditEventId)>,
}

impl AuditFilter {
    pub fn matches(&self, event: &AuditEvent) -> bool {
        let person = event.person.as_ref().map(|it| it.id);
        let is_of_person = match self.person {
            None => true,
            Some(PersonFilter::Only(id)) => person == Some(id),
            Some(PersonFilter::OrNone(id)) => person.is_none_or(|it| it == id),
        };
        is_of_person
            && (self.actions.is_empty() || self.actions.contains(&event.action))
            && self.since.is_none_or(|it| event.at >= it)
            && self.before.is_none_or(|it| event.at < it)
            && self.behind.is_none_or(|it| (event.at, event.id) < it)
    }
}

/// Separates network and device in [`AuditEvent::detail`].
pub(crate) const ON_DEVICE: &str = " on device ";

impl AuditEvent {
    /// Network of a sign-in or a refused one, from `detail`; `None` for other actions.
    pub fn network(&self) -> Option<&str> {
        let with_network = [AuditAction::SessionBegun, AuditAction::SessionRefused];
        let (_, place) = self.detail.rsplit_once("from ")?;
        let network = place.split_once(ON_DEVICE).map_or(place, |it| it.0);
        with_network.contains(&self.action).then_some(network)
    }

    /// Device of a sign-in, from `detail`; `None` also if an earlier version wrote the event.
    pub fn device(&self) -> Option<&str> {
        let (_, device) = self.detail.rsplit_once(ON_DEVICE)?;
        (self.action == AuditAction::SessionBegun).then_some(device)
    }
}
