//! Takes a keyword out of use; its places are free again, its history stays.

use super::change_keyword::{ChangeKeyword, ChangeKeywordError};
use crate::{
    ids::{AccountId, KeywordId},
    keyword::{Keyword, KeywordPatch},
    patch::Change,
    ports::{clock::Clock, storage::Storage},
    precondition::Precondition,
    project::Status,
};
use std::sync::Arc;

pub struct DeactivateKeyword {
    change: ChangeKeyword,
}

impl DeactivateKeyword {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self {
            change: ChangeKeyword::new(storage, clock),
        }
    }

    /// The keyword afterwards; a second time changes nothing.
    pub async fn run(
        &self,
        account: AccountId,
        keyword: KeywordId,
        precondition: Precondition<'_, Keyword>,
    ) -> Result<Keyword, ChangeKeywordError> {
        let patch = KeywordPatch {
            status: Change::Set(Status::Deactivated),
            ..KeywordPatch::default()
        };
        self.change
            .run(account, keyword, &patch, precondition)
            .await
    }
}
