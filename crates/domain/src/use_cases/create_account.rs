use super::may_be_storage;
use crate::{
    account::{Account, AccountLimits, AccountStatus, AccountUsage},
    audit::{Actor, AuditAction, AuditEvent},
    email::EmailAddress,
    ids::{AccountId, IdMint, UserId},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    report_settings::EffectiveReportSettings,
    text::Label,
    user::User,
};
use std::sync::Arc;
use thiserror::Error;

pub struct CreateAccount {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
    limits: AccountLimits,
}

#[derive(Debug, Error)]
pub enum CreateAccountError {
    #[error("there is an account with this e-mail address")]
    EmailTaken,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(CreateAccountError);

impl CreateAccount {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
            limits: AccountLimits::default(),
        }
    }

    #[must_use]
    pub const fn with_limits(mut self, limits: AccountLimits) -> Self {
        self.limits = limits;
        self
    }

    pub async fn run(
        &self,
        email: &EmailAddress,
        name: &Label,
    ) -> Result<(Account, User), CreateAccountError> {
        retrying(self.storage.as_ref(), || self.once(email, name)).await
    }

    async fn once(
        &self,
        email: &EmailAddress,
        name: &Label,
    ) -> Result<(Account, User), CreateAccountError> {
        let mut work = self.storage.write().await?;
        if work.accounts().owner_by_email(email).await?.is_some() {
            return Err(CreateAccountError::EmailTaken);
        }
        let (account, owner) = self.begin(email, name);
        match work.accounts().add(&account, &owner).await {
            Err(StorageError::Conflict { .. }) => return Err(CreateAccountError::EmailTaken),
            outcome => outcome?,
        }
        let event = AuditEvent {
            detail: format!("for {email}"),
            ..AuditEvent::new(
                &self.mint,
                account.id,
                account.created_at,
                Actor::Operator,
                AuditAction::AccountCreated,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok((account, owner))
    }

    fn begin(&self, email: &EmailAddress, name: &Label) -> (Account, User) {
        let created_at = self.clock.now();
        let account = Account {
            id: AccountId::mint(&self.mint),
            name: name.clone(),
            status: AccountStatus::Active,
            limits: self.limits,
            usage: AccountUsage::default(),
            report_defaults: EffectiveReportSettings::default(),
            created_at,
        };
        let owner = User {
            account: account.id,
            id: UserId::mint(&self.mint),
            email: email.clone(),
            name: name.clone(),
            created_at,
        };
        (account, owner)
    }
}
