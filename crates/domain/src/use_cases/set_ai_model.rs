use super::may_be_storage;
use crate::{
    ai_models::{ModelChange, ModelRefusal, ModelSettings},
    ids::AccountId,
    ports::{
        ai_answers::{AiEngines, ENGINES},
        storage::{Storage, StorageError, retrying},
    },
};
use std::sync::Arc;
use thiserror::Error;

pub struct SetAiModel {
    storage: Arc<dyn Storage>,
    engines: AiEngines,
}

#[derive(Debug, Error)]
pub enum SetAiModelError {
    #[error("there is no such engine; there are {}", .known.join(", "))]
    NoSuchEngine { known: Vec<String> },
    #[error(transparent)]
    Refused(#[from] ModelRefusal),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(SetAiModelError);

impl SetAiModel {
    pub fn new(storage: Arc<dyn Storage>, engines: AiEngines) -> Self {
        Self { storage, engines }
    }

    /// The settings as they are now. What is not named in the change stays.
    pub async fn run(
        &self,
        account: AccountId,
        engine: &str,
        change: &ModelChange,
    ) -> Result<ModelSettings, SetAiModelError> {
        let known = self.known();
        if !known.iter().any(|it| it == engine) {
            return Err(SetAiModelError::NoSuchEngine { known });
        }
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let set = work.ai_models().list(account).await?;
            let before = { set.into_iter() }
                .find(|it| it.engine == engine)
                .unwrap_or_else(|| ModelSettings::usual(engine));
            let settings = before.changed(change.clone())?;
            work.ai_models().set(account, &settings).await?;
            work.commit().await?;
            Ok(settings)
        })
        .await
    }

    pub(super) fn known(&self) -> Vec<String> {
        let mut known: Vec<String> = self.engines.all().map(|it| it.label().name).collect();
        for (name, _) in ENGINES {
            if !known.iter().any(|it| it == name) {
                known.push(name.to_owned());
            }
        }
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{patch::Change, test_support::FakeStorage};

    fn on(storage: &Arc<FakeStorage>) -> SetAiModel {
        SetAiModel::new(
            Arc::<FakeStorage>::clone(storage) as Arc<dyn Storage>,
            AiEngines::default(),
        )
    }

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
        let settings = on(&storage).run(AccountId(1), "gemini", &change).await;
        assert_eq!((settings.unwrap().samples, storage.commits()), (9, 1));
    }

    #[tokio::test]
    async fn an_engine_that_is_none_is_told_with_those_there_are() {
        let storage = Arc::new(FakeStorage::default());
        let refused = on(&storage)
            .run(AccountId(1), "jarvis", &ModelChange::default())
            .await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("chatgpt, perplexity"), "{refused}");
    }
}
