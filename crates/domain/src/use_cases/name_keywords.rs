use crate::{
    ids::{AccountId, KeywordId, ProjectId},
    keyword::KeywordChoice,
    ports::storage::{Storage, StorageError},
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

const BATCH: u32 = 500;

pub struct NameKeywords {
    storage: Arc<dyn Storage>,
}

impl NameKeywords {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Those that are active.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        keywords: BTreeSet<KeywordId>,
    ) -> Result<HashMap<KeywordId, String>, StorageError> {
        let keywords: Vec<KeywordId> = keywords.into_iter().collect();
        let mut texts = HashMap::new();
        for part in keywords.chunks(BATCH as usize) {
            let choice = KeywordChoice::Named(part.to_vec());
            let mut read = self.storage.read().await?;
            let found = { read.keywords() }
                .active_batch(account, project, &choice, None, BATCH)
                .await?;
            drop(read);
            let named = found.into_iter();
            texts.extend(named.map(|it| (it.id, it.text.as_str().to_owned())));
        }
        Ok(texts)
    }
}
