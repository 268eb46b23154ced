use crate::{
    ids::{AccountId, ProjectId},
    ports::storage::{Storage, StorageError, retrying},
};
use analysis::url_rules::registrable_domain;
use std::sync::Arc;

pub struct ForgetSite {
    storage: Arc<dyn Storage>,
}

impl ForgetSite {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage }
    }

    /// Whether the host's registrable domain was named.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        host: &str,
    ) -> Result<bool, StorageError> {
        let domain = registrable_domain(host).unwrap_or(host);
        retrying(self.storage.as_ref(), || async {
            let mut work = self.storage.write().await?;
            let words = work.owners_words();
            let was_there = words.forget_site(account, project, domain).await?;
            work.commit().await?;
            Ok(was_there)
        })
        .await
    }
}
