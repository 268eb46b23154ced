//! An account's settings for AI engines.

use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error};
use crate::ai_models::{ModelChange, ModelRefusal, ModelSettings};
use crate::audit::{AuditAction, AuditEvent};
use crate::ids::AccountId;
use crate::ports::ai_answers::{AiEngine, AiEngines, ENGINES, EngineLabel};
use crate::ports::search_results::{PaidCallRefusal, Spent};
use crate::ports::storage::{Repositories, StorageError, Transaction};
use crate::user::User;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq)]
pub struct AiModel {
    pub settings: ModelSettings,
    pub title: String,
    /// The operator's configuration; `None` if the engine is not configured on this server.
    pub configured: Option<ConfiguredEngine>,
    pub last_used_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ConfiguredEngine {
    pub label: EngineLabel,
    /// Maximum calls and cost of an answer; `None` while paid calls are refused.
    pub max_spend: Option<Spent>,
    /// Why paid calls are refused.
    pub paid_call_refusal: Option<PaidCallRefusal>,
}

#[derive(Clone)]
pub struct ActiveEngine {
    pub engine: Arc<dyn AiEngine>,
    pub label: EngineLabel,
    pub settings: ModelSettings,
}

#[derive(Debug, Error)]
pub enum AiModelError {
    #[error("there is no such engine; there are {}", .known.join(", "))]
    NoSuchEngine { known: Vec<String> },
    #[error(transparent)]
    Refused(#[from] ModelRefusal),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(AiModelError);

impl Core {
    /// The server's engines first, then those that could be configured.
    pub async fn ai_models(&self, account: AccountId) -> Result<Vec<AiModel>, StorageError> {
        let mut read = self.storage.read().await?;
        let set = read.ai_models().list(account).await?;
        let mut set: BTreeMap<String, ModelSettings> =
            set.into_iter().map(|it| (it.engine.clone(), it)).collect();
        let used = read.ai_models().last_used(account).await?;
        let used: HashMap<String, DateTime<Utc>> = used.into_iter().collect();
        drop(read);
        let mut settings = |engine: &str| {
            set.remove(engine)
                .unwrap_or_else(|| ModelSettings::default_for(engine))
        };
        let mut models: Vec<AiModel> = Vec::new();
        for engine in self.policies.engines.all() {
            let label = engine.label();
            models.push(AiModel {
                settings: settings(&label.name),
                title: label.title.clone(),
                last_used_at: used.get(&label.name).copied(),
                configured: Some(ConfiguredEngine {
                    max_spend: engine
                        .paid_call_refusal()
                        .is_none()
                        .then(|| engine.max_spend()),
                    paid_call_refusal: engine.paid_call_refusal(),
                    label,
                }),
            });
        }
        for (name, title) in ENGINES {
            if self.policies.engines.named(name).is_none() {
                models.push(AiModel {
                    settings: settings(name),
                    title: title.to_owned(),
                    configured: None,
                    last_used_at: used.get(name).copied(),
                });
            }
        }
        Ok(models)
    }

    /// Returns the new settings. Members absent from the change stay.
    pub async fn change_ai_model(
        &self,
        account: AccountId,
        engine: &str,
        change: &ModelChange,
    ) -> Result<ModelSettings, AiModelError> {
        self.check_known([engine])?;
        let set = |mut work: Box<dyn Transaction>| async move {
            let set = work.ai_models().list(account).await?;
            let before = { set.into_iter() }
                .find(|it| it.engine == engine)
                .unwrap_or_else(|| ModelSettings::default_for(engine));
            let settings = before.changed(change.clone())?;
            work.ai_models().set(account, &settings).await?;
            work.commit().await?;
            Ok(settings)
        };
        self.storage.transaction(set).await
    }

    /// Atomic. Members absent from a change stay.
    pub async fn change_ai_models(
        &self,
        by: &User,
        changes: &[(String, ModelChange)],
    ) -> Result<(), AiModelError> {
        let account = by.account;
        self.check_known(changes.iter().map(|(engine, _)| engine.as_str()))?;
        let set = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let mut all = work.ai_models().list(account).await?;
            for (engine, change) in changes {
                let at = all.iter().position(|it| it.engine == *engine);
                let before = at.map(|at| all.swap_remove(at));
                let before = before.unwrap_or_else(|| ModelSettings::default_for(engine));
                let settings = before.changed(change.clone())?;
                // There are only a few engines.
                work.ai_models().set(account, &settings).await?;
                all.push(settings);
            }
            let named: Vec<&str> = changes.iter().map(|(engine, _)| engine.as_str()).collect();
            let event = AuditEvent {
                detail: named.join(", "),
                ..given.event(account, by, AuditAction::ModelsChanged)
            };
            work.audit().record(&event).await?;
            Ok(work.commit().await?)
        };
        self.transaction_with_ids(set).await
    }

    fn check_known<'a>(
        &self,
        engines: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), AiModelError> {
        let all = self.policies.engines.all();
        let mut known: Vec<String> = all.map(|it| it.label().name).collect();
        for (name, _) in ENGINES {
            if !known.iter().any(|it| it == name) {
                known.push(name.to_owned());
            }
        }
        let is_known = |engine: &str| known.iter().any(|it| it == engine);
        if engines.into_iter().all(is_known) {
            Ok(())
        } else {
            Err(AiModelError::NoSuchEngine { known })
        }
    }
}

/// The account's active engines, in the server's order.
pub async fn active_engines<R: Repositories + ?Sized>(
    repositories: &mut R,
    account: AccountId,
    engines: &AiEngines,
) -> Result<Vec<ActiveEngine>, StorageError> {
    let set = repositories.ai_models().list(account).await?;
    Ok(select_active(&set, engines))
}

/// The server's engines that are active with these settings, in its order.
pub(super) fn select_active(set: &[ModelSettings], engines: &AiEngines) -> Vec<ActiveEngine> {
    let active = engines.all().filter_map(|engine| {
        let label = engine.label();
        let settings = { set.iter() }
            .find(|it| it.engine == label.name)
            .cloned()
            .unwrap_or_else(|| ModelSettings::default_for(&label.name));
        settings.is_active.then(|| ActiveEngine {
            engine: Arc::clone(engine),
            label,
            settings,
        })
    });
    active.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::Change;
    use crate::test_support::{FakeStorage, core};

    #[tokio::test]
    async fn unnamed_model_settings_stay() {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            let before = ModelSettings {
                samples: 9,
                ..ModelSettings::default_for("gemini")
            };
            work.ai_models
                .expect_list()
                .returning(move |_| Ok(vec![before.clone()]));
            work.ai_models
                .expect_set()
                .once()
                .withf(|account, it| account.0 == 1 && it.samples == 9 && !it.is_active)
                .returning(|_, _| Ok(()));
        });
        let change = ModelChange {
            is_active: Change::Set(false),
            ..ModelChange::default()
        };
        let settings = core(storage.clone())
            .change_ai_model(AccountId(1), "gemini", &change)
            .await;
        assert_eq!((settings.unwrap().samples, storage.commits()), (9, 1));
    }

    #[tokio::test]
    async fn an_unknown_engine_is_refused_with_the_known_ones() {
        let refused = core(Arc::new(FakeStorage::default()))
            .change_ai_model(AccountId(1), "jarvis", &ModelChange::default())
            .await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("chatgpt, perplexity"), "{refused}");
    }
}
