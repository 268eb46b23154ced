use super::read_account::month_of;
use crate::{
    ids::AccountId,
    keyword_research::ResearchQuota,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
};
use std::sync::Arc;

pub struct ReadResearchQuota {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

impl ReadResearchQuota {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self { storage, clock }
    }

    /// `None` when there is no such account.
    pub async fn run(&self, account: AccountId) -> Result<Option<ResearchQuota>, StorageError> {
        let now = self.clock.now();
        let month = month_of(now.date_naive());
        let mut read = self.storage.read().await?;
        let Some(found) = read.accounts().find(account).await? else {
            return Ok(None);
        };
        let (used, reserved) = read.research().usage(account, month, now).await?;
        Ok(Some(ResearchQuota {
            month,
            used,
            reserved,
            limit: found.limits.keyword_research,
        }))
    }
}
