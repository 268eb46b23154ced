//! Sets how an account asks several AI engines: all of it, or nothing.

use super::set_ai_model::{SetAiModel, SetAiModelError};
use crate::{
    ai_models::{ModelChange, ModelSettings},
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint},
    ports::{
        ai_answers::AiEngines,
        clock::Clock,
        storage::{Storage, retrying},
    },
};
use std::sync::Arc;

pub struct SetAiModels {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
    one: SetAiModel,
}

impl SetAiModels {
    pub fn new(
        storage: Arc<dyn Storage>,
        clock: Arc<dyn Clock>,
        mint: Arc<IdMint>,
        engines: AiEngines,
    ) -> Self {
        Self {
            one: SetAiModel::new(Arc::clone(&storage), engines),
            storage,
            clock,
            mint,
        }
    }

    /// What is not named in a change stays.
    pub async fn run(
        &self,
        account: AccountId,
        changes: &[(String, ModelChange)],
    ) -> Result<(), SetAiModelError> {
        let known = self.one.known();
        if changes.iter().any(|(engine, _)| !known.contains(engine)) {
            return Err(SetAiModelError::NoSuchEngine { known });
        }
        retrying(self.storage.as_ref(), || self.once(account, changes)).await
    }

    async fn once(
        &self,
        account: AccountId,
        changes: &[(String, ModelChange)],
    ) -> Result<(), SetAiModelError> {
        let mut work = self.storage.write().await?;
        let mut all = work.ai_models().list(account).await?;
        for (engine, change) in changes {
            let at = all.iter().position(|it| it.engine == *engine);
            let before = at.map(|at| all.swap_remove(at));
            let before = before.unwrap_or_else(|| ModelSettings::usual(engine));
            let settings = before.changed(change.clone())?;
            // There are a handful of engines.
            work.ai_models().set(account, &settings).await?;
            all.push(settings);
        }
        let named: Vec<&str> = changes.iter().map(|(engine, _)| engine.as_str()).collect();
        let event = AuditEvent {
            detail: named.join(", "),
            ..AuditEvent::new(
                &self.mint,
                account,
                self.clock.now(),
                Actor::Owner,
                AuditAction::ModelsChanged,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(())
    }
}
