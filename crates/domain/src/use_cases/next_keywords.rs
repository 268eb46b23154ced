//! Finds the next keywords that a rank check has to measure, with what is known of them.

use crate::{
    ids::KeywordId,
    job::Job,
    keyword::Keyword,
    ports::storage::{Storage, StorageError},
    results::{AsOf, KeywordHistory, SearchSource},
};
use analysis::{findings::rankings::OwnSearchData, result_type::ResultType};
use std::{collections::HashSet, sync::Arc};

/// How many keywords are held in memory at once.
const BATCH: u32 = 200;

pub struct NextKeywords {
    storage: Arc<dyn Storage>,
    source: SearchSource,
}

#[derive(Debug, Clone)]
pub struct KeywordTask {
    pub keyword: Keyword,
    pub history: KeywordHistory,
    /// What the project's Search Console tells about it, when somebody looked.
    pub own: Option<OwnSearchData>,
}

#[derive(Debug, Clone, Default)]
pub struct KeywordBatch {
    /// Those that the job has not measured yet.
    pub tasks: Vec<KeywordTask>,
    /// How many of the batch the job has measured already, in an earlier attempt.
    pub done: u64,
    /// Where the next batch begins; `None` at the end.
    pub next: Option<KeywordId>,
}

impl NextKeywords {
    /// On this storage; the past of keywords is what that source brought.
    pub fn new(storage: Arc<dyn Storage>, source: SearchSource) -> Self {
        Self { storage, source }
    }

    /// The keywords that earlier attempts of the job have measured.
    pub async fn measured(&self, job: &Job) -> Result<HashSet<KeywordId>, StorageError> {
        let mut read = self.storage.read().await?;
        let staged = read
            .measurements()
            .staged_keywords(job.account, job.id, ResultType::Rankings)
            .await?;
        Ok(staged.into_iter().collect())
    }

    /// The batch behind `after`, without those that are measured.
    pub async fn run(
        &self,
        job: &Job,
        measured: &HashSet<KeywordId>,
        after: Option<KeywordId>,
    ) -> Result<KeywordBatch, StorageError> {
        let mut read = self.storage.read().await?;
        let batch = read
            .keywords()
            .active_batch(job.account, job.project, &job.keywords, after, BATCH)
            .await?;
        let is_last = batch.len() < BATCH as usize;
        let next = batch.last().map(|keyword| keyword.id).filter(|_| !is_last);
        let (done, to_do): (Vec<_>, Vec<_>) =
            batch.into_iter().partition(|it| measured.contains(&it.id));

        let ids: Vec<KeywordId> = to_do.iter().map(|keyword| keyword.id).collect();
        let as_of = AsOf::of(job, self.source.clone());
        let histories = read
            .measurements()
            .histories(job.account, job.project, &ids, &as_of)
            .await?;
        let tasks = to_do
            .into_iter()
            .zip(histories)
            .map(|(keyword, history)| KeywordTask {
                keyword,
                history,
                own: None,
            });
        Ok(KeywordBatch {
            tasks: tasks.collect(),
            done: done.len() as u64,
            next,
        })
    }
}
