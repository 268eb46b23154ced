use super::measurements::url_hash;
use crate::{instant::At, schema::staged_pages};
use analysis::document::Document;
use diesel::prelude::*;
use domain::ids::{AccountId, JobId};
use domain::kept_pages::{KeptPage, StagedPage};

#[derive(Insertable)]
#[diesel(table_name = staged_pages, treat_none_as_default_value = false)]
pub struct StagedPageRow {
    pub account_id: i64,
    pub job_id: i64,
    pub url_hash: i64,
    pub url: String,
    pub visited_at: At,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    pub sequence: Option<i64>,
    pub memory: String,
}

impl StagedPageRow {
    pub fn new(account: AccountId, job: JobId, page: &StagedPage) -> Self {
        let content = page.content.as_ref();
        let validators = content.map(|it| it.validators.clone()).unwrap_or_default();
        Self {
            account_id: account.0,
            job_id: job.0,
            url_hash: url_hash(&page.url),
            url: page.url.clone(),
            visited_at: page.visited_at.into(),
            etag: validators.etag,
            last_modified: validators.last_modified,
            sequence: content.map(|it| it.entry),
            memory: page.memory.as_str().to_owned(),
        }
    }
}

/// URL, body and memory.
pub type KeptPageRow = (String, Vec<u8>, String);

pub fn kept_page((url, body, memory): KeptPageRow) -> KeptPage {
    KeptPage {
        url,
        body,
        memory: Document::from_stored(memory),
    }
}
