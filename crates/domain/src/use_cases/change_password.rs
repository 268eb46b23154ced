pub use super::new_session::{Place, SignedIn};
use super::{
    authenticate_session::Member,
    reauthenticate::{Change, Checked, Reauthenticate},
    sign_in::SignInError,
};
use crate::{
    password::{PasswordRefusal, TypedPassword},
    ports::password_hasher::PasswordHasher,
};
use std::sync::Arc;
use thiserror::Error;

pub struct ChangePassword {
    hasher: Arc<dyn PasswordHasher>,
    ask_again: Arc<Reauthenticate>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPassword {
    pub current: TypedPassword,
    pub new: String,
    /// Whether the person's other sessions end.
    pub ends_others: bool,
    /// Whether the account's tokens are revoked.
    pub revokes_tokens: bool,
}

#[derive(Debug, Error)]
pub enum ChangePasswordError {
    #[error(transparent)]
    Unfit(#[from] PasswordRefusal),
    /// The current one is wrong, or cannot be checked now.
    #[error(transparent)]
    NotChecked(#[from] SignInError),
}

impl ChangePassword {
    pub fn new(hasher: Arc<dyn PasswordHasher>, ask_again: Arc<Reauthenticate>) -> Self {
        Self { hasher, ask_again }
    }

    /// The session goes on under a new id; and how many tokens were revoked.
    pub async fn run(
        &self,
        member: &Member,
        wish: &NewPassword,
        place: &Place,
    ) -> Result<(SignedIn, u64), ChangePasswordError> {
        let known = [
            member.user.email.as_str(),
            member.user.name.as_str(),
            member.account.name.as_str(),
        ]
        .map(str::to_owned);
        // Estimating and hashing the new one costs more than a guess that has to wait may.
        let current = self.ask_again.check(member, &wish.current).await?;
        let hashed = self.hasher.hash_chosen(&wish.new, &known).await;
        let hash = match hashed.map_err(|it| SignInError::from(it).into()) {
            Ok(Ok(hash)) => hash,
            Ok(Err(refusal)) => return Err(self.given_back(&current, refusal.into()).await),
            Err(error) => return Err(self.given_back(&current, error).await),
        };
        let change = Change {
            hash: &hash,
            ends_others: wish.ends_others,
            revokes_tokens: wish.revokes_tokens,
        };
        let changed = { &self.ask_again }.with_another(member, &current, &change, place);
        Ok(changed.await?)
    }

    /// The reason, once the right password counts as no guess.
    async fn given_back(
        &self,
        current: &Checked,
        reason: ChangePasswordError,
    ) -> ChangePasswordError {
        match self.ask_again.give_back(current).await {
            Ok(()) => reason,
            Err(error) => SignInError::from(error).into(),
        }
    }
}
