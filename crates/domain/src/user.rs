//! People who own accounts.

use crate::{
    email::EmailAddress,
    ids::{AccountId, UserId},
    text::Label,
};
use chrono::{DateTime, Utc};

/// A person who signs in. The e-mail address is unique over the whole server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The account the person owns.
    pub account: AccountId,
    /// The person's id.
    pub id: UserId,
    /// The address the person signs in with.
    pub email: EmailAddress,
    /// The person's name.
    pub name: Label,
    /// Since when.
    pub created_at: DateTime<Utc>,
}
