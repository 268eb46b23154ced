//! Links that a person opens without a session.

use crate::email::EmailAddress;
use crate::ids::{AccountId, PersonLinkId, UserId};
use crate::secret_text::plain_secret;
use chrono::{DateTime, TimeDelta, Utc};

plain_secret! {
    /// What a link holds: 43 base-62 characters (256 random bits). Never stored.
    PlainLink
    /// SHA-256 of the whole secret, which is all that is stored.
    LinkHash
    NotALink "not a link of this service"
}

analysis::wire_enum! {
    /// What a link does.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum LinkKind {
        /// Accepts an invitation; the inviter copies it.
        Invitation = "invitation",
        /// The same link as it was mailed: with another secret, so that each is shown once.
        MailedInvitation = "mailedInvitation",
        PasswordReset = "passwordReset",
        /// Makes the new address the one to sign in with.
        AddressConfirmation = "addressConfirmation",
        /// Keeps or restores the address before.
        AddressCancellation = "addressCancellation",
        /// Ends all sessions of a person, restores the address of that time, and begins a reset of the password.
        NotMe = "notMe",
    }
}

impl LinkKind {
    /// The page of the link. The secret follows behind a `#`, which browsers do not send: no log of a proxy holds it.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Invitation | Self::MailedInvitation => "/invitation",
            Self::PasswordReset => "/password-reset",
            Self::AddressConfirmation => "/address/confirm",
            Self::AddressCancellation => "/address/cancel",
            Self::NotMe => "/not-me",
        }
    }

    pub fn url(self, base_url: &str, link: &PlainLink) -> String {
        format!("{base_url}{}#{}", self.path(), link.reveal())
    }

    /// How long the link of a person works. NIST SP 800-63B-4, 4.2.1.2, allows 24 h for a mailed reset.
    pub const fn lifetime(self) -> TimeDelta {
        match self {
            Self::Invitation | Self::MailedInvitation => crate::invitation::Invitation::LIFETIME,
            Self::PasswordReset => TimeDelta::minutes(30),
            Self::AddressConfirmation => TimeDelta::hours(24),
            // 24 h until the change is confirmed, and 7 days after it.
            Self::AddressCancellation => TimeDelta::days(8),
            Self::NotMe => TimeDelta::days(3),
        }
    }
}

/// What a link opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkTarget {
    pub account: AccountId,
    pub kind: LinkKind,
    /// The id of an invitation or of a [`PersonLink`].
    pub id: i64,
}

/// A link of a person, stored in the home account. Works once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonLink {
    pub home: AccountId,
    pub id: PersonLinkId,
    pub person: UserId,
    pub kind: LinkKind,
    /// The new address to confirm, or the earlier one to restore.
    pub email: Option<EmailAddress>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// When it was used, or ended by a newer one.
    pub used_at: Option<DateTime<Utc>>,
}

impl PersonLink {
    /// Links stay stored for this long after they expired.
    pub const KEPT_FOR: TimeDelta = TimeDelta::days(30);

    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.used_at.is_none() && now < self.expires_at
    }
}
