//! Changes one's own password.

pub use super::new_session::{Place, SignedIn};
use super::{authenticate_session::Member, reauthenticate::Reauthenticate, sign_in::SignInError};
use crate::password::{PasswordRefusal, TypedPassword};
use std::sync::Arc;
use thiserror::Error;

/// Changes passwords.
pub struct ChangePassword {
    ask_again: Arc<Reauthenticate>,
}

/// A wish for another password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPassword {
    /// The one it was.
    pub current: TypedPassword,
    /// The one it is to be.
    pub new: String,
    /// Whether the person's other sessions end.
    pub ends_others: bool,
}

/// Why it stays.
#[derive(Debug, Error)]
pub enum ChangePasswordError {
    /// The new one may not become a password.
    #[error(transparent)]
    Unfit(#[from] PasswordRefusal),
    /// The current one is wrong, or cannot be checked now.
    #[error(transparent)]
    NotChecked(#[from] SignInError),
}

impl ChangePassword {
    /// With somebody who asks for the current password.
    #[must_use]
    pub fn new(ask_again: Arc<Reauthenticate>) -> Self {
        Self { ask_again }
    }

    /// The session goes on under a new id.
    pub async fn run(
        &self,
        member: &Member,
        wish: &NewPassword,
        place: &Place,
    ) -> Result<SignedIn, ChangePasswordError> {
        let known = [
            member.user.email.as_str(),
            member.user.name.as_str(),
            member.account.name.as_str(),
        ];
        let new = TypedPassword::chosen(&wish.new, &known)?;
        let changed =
            { &self.ask_again }.with_another(member, &wish.current, &new, wish.ends_others, place);
        Ok(changed.await?)
    }
}
