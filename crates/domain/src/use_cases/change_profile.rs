//! Changes what an account and its owner are called, and the address to sign in with.

use super::{
    authenticate_session::{Member, still_signed_in},
    may_be_storage,
};
use crate::{
    account::Account,
    audit::{Actor, AuditAction, AuditEvent},
    email::EmailAddress,
    ids::IdMint,
    patch::Change,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    text::Label,
    user::User,
};
use std::sync::Arc;
use thiserror::Error;

pub struct ChangeProfile {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProfilePatch {
    pub account_name: Change<Label>,
    pub name: Change<Label>,
    pub email: Change<EmailAddress>,
}

#[derive(Debug, Error)]
pub enum ChangeProfileError {
    /// Another address needs the password first.
    #[error("the password has to be given again first")]
    NotFresh,
    #[error("the session was ended")]
    SignedOut,
    #[error("the address cannot be used")]
    EmailTaken,
    #[error("there is no such account")]
    NoSuchAccount,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(ChangeProfileError);

impl ChangeProfile {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    pub async fn run(
        &self,
        member: &Member,
        patch: &ProfilePatch,
    ) -> Result<(Account, User), ChangeProfileError> {
        retrying(self.storage.as_ref(), || self.once(member, patch)).await
    }

    async fn once(
        &self,
        member: &Member,
        patch: &ProfilePatch,
    ) -> Result<(Account, User), ChangeProfileError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        let locked = work.accounts().lock(member.account.id).await?;
        let before = locked.ok_or(ChangeProfileError::NoSuchAccount)?;
        let user = work.accounts().user(before.id, member.user.id).await?;
        let user_before = user.ok_or(ChangeProfileError::NoSuchAccount)?;
        let (mut account, mut user) = (before.clone(), user_before.clone());
        patch.account_name.clone().apply_to(&mut account.name);
        patch.name.clone().apply_to(&mut user.name);
        patch.email.clone().apply_to(&mut user.email);
        if (&account, &user) == (&before, &user_before) {
            return Ok((account, user));
        }
        if user.email != user_before.email {
            if !member.session.is_fresh(now) {
                return Err(ChangeProfileError::NotFresh);
            }
            if !still_signed_in(work.as_mut(), member).await? {
                return Err(ChangeProfileError::SignedOut);
            }
        }
        work.accounts().save(&account).await?;
        match work.accounts().save_user(&user).await {
            Err(StorageError::Conflict { .. }) => return Err(ChangeProfileError::EmailTaken),
            outcome => outcome?,
        }
        let event = AuditEvent {
            detail: told(&before, &account, &user_before, &user),
            ..AuditEvent::new(
                &self.mint,
                account.id,
                now,
                Actor::Owner,
                AuditAction::AccountChanged,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok((account, user))
    }
}

fn told(before: &Account, after: &Account, user_before: &User, user: &User) -> String {
    let changes = [
        (before.name != after.name).then(|| format!("account name: {}", after.name)),
        (user_before.name != user.name).then(|| format!("name: {}", user.name)),
        (user_before.email != user.email)
            .then(|| format!("e-mail: {} instead of {}", user.email, user_before.email)),
    ];
    let told: Vec<String> = changes.into_iter().flatten().collect();
    told.join("; ")
}
