use crate::{
    account::Account,
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError, retrying},
    },
    report_settings::EffectiveReportSettings,
};
use std::sync::Arc;

pub struct ChangeReportDefaults {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

impl ChangeReportDefaults {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// The account afterwards; `None` when there is no such account.
    pub async fn run(
        &self,
        account: AccountId,
        defaults: &EffectiveReportSettings,
    ) -> Result<Option<Account>, StorageError> {
        retrying(self.storage.as_ref(), || self.once(account, defaults)).await
    }

    async fn once(
        &self,
        account: AccountId,
        defaults: &EffectiveReportSettings,
    ) -> Result<Option<Account>, StorageError> {
        let mut work = self.storage.write().await?;
        let Some(found) = work.accounts().lock(account).await? else {
            return Ok(None);
        };
        if found.report_defaults == *defaults {
            return Ok(Some(found));
        }
        let changed = Account {
            report_defaults: defaults.clone(),
            ..found
        };
        work.accounts().save(&changed).await?;
        let event = AuditEvent::new(
            &self.mint,
            account,
            self.clock.now(),
            Actor::Owner,
            AuditAction::ReportDefaultsChanged,
        );
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(Some(changed))
    }
}
