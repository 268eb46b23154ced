//! The audit log of accounts, tokens and sessions.

use crate::ids::{AccountId, AuditEventId, IdMint, TokenId};
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Actor {
    /// Whoever runs the server, by command line.
    Operator,
    /// Somebody who holds a token's text, and who need not be its owner.
    Finder,
    /// The account's owner, signed in.
    Owner,
    /// Somebody who tried to sign in, and did not.
    Stranger,
    /// The service itself, for example because a time was over.
    Service,
}

impl Actor {
    pub const ALL: [Self; 5] = [
        Self::Operator,
        Self::Finder,
        Self::Owner,
        Self::Stranger,
        Self::Service,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Finder => "finder",
            Self::Owner => "owner",
            Self::Stranger => "stranger",
            Self::Service => "service",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditAction {
    AccountCreated,
    AccountLimited,
    AccountEnabled,
    AccountDisabled,
    TokenCreated,
    /// A token was made that takes another's place.
    TokenRotated,
    /// A token was ended by its owner.
    TokenRevoked,
    /// A token was ended because it was found where it does not belong.
    TokenLeaked,
    /// The account's name, its owner's name or address was changed.
    AccountChanged,
    ReportDefaultsChanged,
    ModelsChanged,
    PasswordChanged,
    SessionBegun,
    /// Somebody tried to sign in with a wrong password.
    SessionRefused,
    /// The password was given again in a session.
    SessionRenewed,
    SessionEnded,
    /// All sessions of a person were ended, or all others.
    SessionsEnded,
    SessionExpired,
}

impl AuditAction {
    pub const ALL: [Self; 18] = [
        Self::AccountCreated,
        Self::AccountLimited,
        Self::AccountEnabled,
        Self::AccountDisabled,
        Self::TokenCreated,
        Self::TokenRotated,
        Self::TokenRevoked,
        Self::TokenLeaked,
        Self::AccountChanged,
        Self::ReportDefaultsChanged,
        Self::ModelsChanged,
        Self::PasswordChanged,
        Self::SessionBegun,
        Self::SessionRefused,
        Self::SessionRenewed,
        Self::SessionEnded,
        Self::SessionsEnded,
        Self::SessionExpired,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::AccountCreated => "account.created",
            Self::AccountLimited => "account.limited",
            Self::AccountEnabled => "account.enabled",
            Self::AccountDisabled => "account.disabled",
            Self::TokenCreated => "token.created",
            Self::TokenRotated => "token.rotated",
            Self::TokenRevoked => "token.revoked",
            Self::TokenLeaked => "token.leaked",
            Self::AccountChanged => "account.changed",
            Self::ReportDefaultsChanged => "account.reportDefaults",
            Self::ModelsChanged => "account.models",
            Self::PasswordChanged => "password.changed",
            Self::SessionBegun => "session.begun",
            Self::SessionRefused => "session.refused",
            Self::SessionRenewed => "session.renewed",
            Self::SessionEnded => "session.ended",
            Self::SessionsEnded => "session.endedAll",
            Self::SessionExpired => "session.expired",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// It never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    pub account: AccountId,
    pub id: AuditEventId,
    pub at: DateTime<Utc>,
    pub actor: Actor,
    pub action: AuditAction,
    /// To which token; `None` is to the account itself.
    pub token: Option<TokenId>,
    pub detail: String,
}

impl AuditEvent {
    /// Of an account, under a fresh id; `token` and `detail` are set beside it where there is one.
    pub fn new(
        mint: &IdMint,
        account: AccountId,
        at: DateTime<Utc>,
        actor: Actor,
        action: AuditAction,
    ) -> Self {
        Self {
            account,
            id: AuditEventId::mint(mint),
            at,
            actor,
            action,
            token: None,
            detail: String::new(),
        }
    }
}

/// Separates network and device in [`AuditEvent::detail`].
pub(crate) const ON_DEVICE: &str = " on device ";

impl AuditEvent {
    /// The network of a sign-in or a refused one, from `detail`; `None` of other actions.
    pub fn network(&self) -> Option<&str> {
        let tells = [AuditAction::SessionBegun, AuditAction::SessionRefused];
        let (_, place) = self.detail.rsplit_once("from ")?;
        let network = place.split_once(ON_DEVICE).map_or(place, |it| it.0);
        tells.contains(&self.action).then_some(network)
    }

    /// The device of a sign-in, from `detail`; `None` also where an earlier version wrote the event.
    pub fn device(&self) -> Option<&str> {
        let (_, device) = self.detail.rsplit_once(ON_DEVICE)?;
        (self.action == AuditAction::SessionBegun).then_some(device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_what_they_name() {
        for action in AuditAction::ALL {
            assert_eq!(AuditAction::named(action.name()), Some(action));
        }
        for actor in Actor::ALL {
            assert_eq!(Actor::named(actor.name()), Some(actor));
        }
        assert_eq!(Actor::named("nobody"), None);
    }
}
