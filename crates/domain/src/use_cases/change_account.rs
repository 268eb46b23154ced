//! Changes an account's limits or switches it on and off, for the operator.

use super::end_attempt::cancel_unfinished;
use crate::{
    account::{Account, AccountLimits, AccountStatus},
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
};
use std::sync::Arc;

pub struct ChangeAccount {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl ChangeAccount {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// Sets the limits. What is there already stays, even above a lower limit.
    pub async fn limit(
        &self,
        account: AccountId,
        limits: AccountLimits,
    ) -> Result<Option<Account>, StorageError> {
        let change = move |it| Account { limits, ..it };
        let (action, detail) = (AuditAction::AccountLimited, limits.to_string());
        retrying(self.storage.as_ref(), || {
            self.change(account, action, &detail, change)
        })
        .await
    }

    /// Switches the account on or off: off, its tokens open nothing, its sessions are over for good, its
    /// unfinished analyses are canceled, and no schedule starts another.
    pub async fn switch(
        &self,
        account: AccountId,
        status: AccountStatus,
    ) -> Result<Option<Account>, StorageError> {
        let change = move |it| Account { status, ..it };
        let action = match status {
            AccountStatus::Active => AuditAction::AccountEnabled,
            AccountStatus::Disabled => AuditAction::AccountDisabled,
        };
        retrying(self.storage.as_ref(), || {
            self.change(account, action, "", change)
        })
        .await
    }

    async fn change(
        &self,
        account: AccountId,
        action: AuditAction,
        detail: &str,
        change: impl FnOnce(Account) -> Account + Send,
    ) -> Result<Option<Account>, StorageError> {
        let mut work = self.storage.write().await?;
        let Some(found) = work.accounts().lock(account).await? else {
            return Ok(None);
        };
        let changed = change(found);
        work.accounts().save(&changed).await?;
        let mut told = vec![detail.to_owned()];
        if changed.status == AccountStatus::Disabled {
            let ended = work.sessions().end_account(account).await?;
            told.push(format!("{ended} sessions ended"));
            let queue = work.jobs().lock_queue(account).await?;
            let stopped = cancel_unfinished(work.as_mut(), &queue, None, self.clock.now()).await?;
            told.push(format!("{stopped} analyses canceled"));
        }
        told.retain(|it| !it.is_empty());
        let event = AuditEvent {
            detail: told.join("; "),
            ..AuditEvent::new(
                &self.mint,
                account,
                self.clock.now(),
                Actor::Operator,
                action,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(Some(changed))
    }
}
