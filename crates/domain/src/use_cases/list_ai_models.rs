//! Lists how an account asks AI engines, with what asking them takes.

use crate::{
    ai_models::ModelSettings,
    ids::AccountId,
    ports::{
        ai_answers::{AiEngine, AiEngines, ENGINES, EngineLabel},
        search_results::{Spent, Unpaid},
        storage::{Repositories, Storage, StorageError},
    },
};
use chrono::{DateTime, Utc};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

pub struct ListAiModels {
    storage: Arc<dyn Storage>,
    engines: AiEngines,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AiModel {
    pub settings: ModelSettings,
    pub title: String,
    /// What the operator set; `None` when the engine is not set up on this server.
    pub configured: Option<ConfiguredEngine>,
    pub last_used_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ConfiguredEngine {
    pub label: EngineLabel,
    /// What an answer takes at the most; `None` while it is not asked because of what it costs.
    pub most: Option<Spent>,
    /// Why it is not asked: it costs money that is not to be spent.
    pub unpaid: Option<Unpaid>,
}

#[derive(Clone)]
pub struct AskedEngine {
    pub engine: Arc<dyn AiEngine>,
    pub label: EngineLabel,
    pub settings: ModelSettings,
}

impl ListAiModels {
    pub fn new(storage: Arc<dyn Storage>, engines: AiEngines) -> Self {
        Self { storage, engines }
    }

    /// The engines of this server, and then those that it could have.
    pub async fn run(&self, account: AccountId) -> Result<Vec<AiModel>, StorageError> {
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
        for engine in self.engines.all() {
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
            if self.engines.named(name).is_none() {
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
}

/// The engines that an account asks, in the order of this server.
pub async fn asked_engines<R: Repositories + ?Sized>(
    repositories: &mut R,
    account: AccountId,
    engines: &AiEngines,
) -> Result<Vec<AskedEngine>, StorageError> {
    let set = repositories.ai_models().list(account).await?;
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
    Ok(asked.collect())
}
