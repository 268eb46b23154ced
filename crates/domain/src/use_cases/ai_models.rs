//! An account's settings for AI engines.

use super::given::Given;
use super::{Core, may_be_storage};
use crate::ai_models::{ModelChange, ModelRefusal, ModelSettings};
use crate::audit::{Actor, AuditAction, AuditEvent};
use crate::ids::AccountId;
use crate::ports::ai_answers::{AiEngine, AiEngines, ENGINES, EngineLabel};
use crate::ports::search_results::{Spent, Unpaid};
use crate::ports::storage::{Repositories, StorageError, Transaction};
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
    pub most: Option<Spent>,
    /// Why paid calls are refused.
    pub unpaid: Option<Unpaid>,
}

#[derive(Clone)]
pub struct AskedEngine {
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
may_be_storage!(AiModelError);

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
                .unwrap_or_else(|| ModelSettings::usual(engine))
        };
        let mut models: Vec<AiModel> = Vec::new();
        for engine in self.policies.engines.all() {
            let label = engine.label();
            models.push(AiModel {
                settings: settings(&label.name),
                title: label.title.clone(),
                last_used_at: used.get(&label.name).copied(),
                configured: Some(ConfiguredEngine {
                    most: engine.unpaid().is_none().then(|| engine.most()),
                    unpaid: engine.unpaid(),
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
                .unwrap_or_else(|| ModelSettings::usual(engine));
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
        account: AccountId,
        changes: &[(String, ModelChange)],
    ) -> Result<(), AiModelError> {
        self.check_known(changes.iter().map(|(engine, _)| engine.as_str()))?;
        let set = |mut work: Box<dyn Transaction>, mut given: Given| async move {
            let mut all = work.ai_models().list(account).await?;
            for (engine, change) in changes {
                let at = all.iter().position(|it| it.engine == *engine);
                let before = at.map(|at| all.swap_remove(at));
                let before = before.unwrap_or_else(|| ModelSettings::usual(engine));
                let settings = before.changed(change.clone())?;
                // There are only a few engines.
                work.ai_models().set(account, &settings).await?;
                all.push(settings);
            }
            let named: Vec<&str> = changes.iter().map(|(engine, _)| engine.as_str()).collect();
            let event = AuditEvent {
                detail: named.join(", "),
                ..given.event(account, Actor::Owner, AuditAction::ModelsChanged)
            };
            work.audit().record(&event).await?;
            Ok(work.commit().await?)
        };
        self.transaction_given(set).await
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
pub async fn asked_engines<R: Repositories + ?Sized>(
    repositories: &mut R,
    account: AccountId,
    engines: &AiEngines,
) -> Result<Vec<AskedEngine>, StorageError> {
    let set = repositories.ai_models().list(account).await?;
    Ok(asked_of(&set, engines))
}

/// The server's engines that are active with these settings, in its order.
pub(super) fn asked_of(set: &[ModelSettings], engines: &AiEngines) -> Vec<AskedEngine> {
    let asked = engines.all().filter_map(|engine| {
        let label = engine.label();
        let settings = { set.iter() }
            .find(|it| it.engine == label.name)
            .cloned()
            .unwrap_or_else(|| ModelSettings::usual(&label.name));
        settings.is_active.then(|| AskedEngine {
            engine: Arc::clone(engine),
            label,
            settings,
        })
    });
    asked.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::Change;
    use crate::test_support::{FakeStorage, core};

    #[tokio::test]
    async fn what_is_not_named_stays_as_it_was() {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            let before = ModelSettings {
                samples: 9,
                ..ModelSettings::usual("gemini")
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
    async fn an_engine_that_is_none_is_told_with_those_there_are() {
        let refused = core(Arc::new(FakeStorage::default()))
            .change_ai_model(AccountId(1), "jarvis", &ModelChange::default())
            .await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("chatgpt, perplexity"), "{refused}");
    }
}
