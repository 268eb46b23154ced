//! The audit log of accounts, tokens and sessions.

use crate::ids::{AccountId, AuditEventId, TokenId};
use chrono::{DateTime, Utc};

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Actor {
        /// Whoever runs the server, by command line.
        Operator = "operator",
        /// Somebody who holds a token's text, and who need not be its owner.
        Finder = "finder",
        /// The account's owner, signed in.
        Owner = "owner",
        /// Somebody who tried to sign in, and did not.
        Stranger = "stranger",
        /// The service itself, for example because a time was over.
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
        /// A token was made that takes another's place.
        TokenRotated = "token.rotated",
        /// A token was ended by its owner.
        TokenRevoked = "token.revoked",
        /// A token was ended because it was found where it does not belong.
        TokenLeaked = "token.leaked",
        /// The account's name, its owner's name or address was changed.
        AccountChanged = "account.changed",
        ReportDefaultsChanged = "account.reportDefaults",
        ModelsChanged = "account.models",
        PasswordChanged = "password.changed",
        SessionBegun = "session.begun",
        /// Somebody tried to sign in with a wrong password.
        SessionRefused = "session.refused",
        /// The password was given again in a session.
        SessionRenewed = "session.renewed",
        SessionEnded = "session.ended",
        /// All sessions of a person were ended, or all others.
        SessionsEnded = "session.endedAll",
        SessionExpired = "session.expired",
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
    /// Of an account; `token` and `detail` are set beside it where there is one.
    pub fn new(
        id: AuditEventId,
        account: AccountId,
        at: DateTime<Utc>,
        actor: Actor,
        action: AuditAction,
    ) -> Self {
        Self {
            account,
            id,
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
