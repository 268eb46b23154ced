//! The audit log of accounts, tokens and sessions.

use crate::ids::{AccountId, AuditEventId, TokenId};
use chrono::{DateTime, Utc};

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Actor {
        /// The server's operator, by command line.
        Operator = "operator",
        /// Holder of a token's text, who may not be its owner.
        Finder = "finder",
        /// The account's owner, signed in.
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
    }
}

/// Never holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    pub account: AccountId,
    pub id: AuditEventId,
    pub at: DateTime<Utc>,
    pub actor: Actor,
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
