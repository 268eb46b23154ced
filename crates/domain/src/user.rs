use crate::email::EmailAddress;
use crate::ids::{AccountId, UserId};
use crate::text::Label;
use chrono::{DateTime, Utc};

/// A person who signs in. The e-mail address is unique on the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub account: AccountId,
    pub id: UserId,
    pub email: EmailAddress,
    pub name: Label,
    pub created_at: DateTime<Utc>,
}
