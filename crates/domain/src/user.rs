use crate::email::EmailAddress;
use crate::ids::{AccountId, UserId};
use crate::rights::Role;
use crate::text::Label;
use chrono::{DateTime, Utc};

/// A person as a member of an account.
///
/// A person has one *home account*, where e-mail address, password and sessions are stored; home account and id name
/// the person. The id is the same in each of the person's accounts, the e-mail address unique on the server; name and
/// address in other accounts are copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub account: AccountId,
    pub id: UserId,
    pub email: EmailAddress,
    pub name: Label,
    pub created_at: DateTime<Utc>,
    pub role: Role,
    /// The member who sent the invitation; `None` for the person who created the account.
    pub invited_by: Option<UserId>,
    /// When the member left or was removed. What the member did stays named.
    pub left_at: Option<DateTime<Utc>>,
}

/// Without those who left.
pub fn present<'m>(members: impl IntoIterator<Item = &'m User>) -> impl Iterator<Item = &'m User> {
    members.into_iter().filter(|it| !it.has_left())
}

impl User {
    /// The owner of a new account.
    pub fn owner(
        account: AccountId,
        id: UserId,
        (email, name): (EmailAddress, Label),
        created_at: DateTime<Utc>,
    ) -> Self {
        Self {
            account,
            id,
            email,
            name,
            created_at,
            role: Role::Owner,
            invited_by: None,
            left_at: None,
        }
    }

    /// Whether version 0.1, which takes every user for an owner, may let the person in.
    pub fn is_present_owner(&self) -> bool {
        self.role == Role::Owner && !self.has_left()
    }

    pub const fn has_left(&self) -> bool {
        self.left_at.is_some()
    }
}
