use super::storage::StorageError;
use crate::ai_models::ModelSettings;
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::keyword::{Keyword, KeywordChoice, LatestRank};
use crate::keyword_metrics::KeywordMetrics;
use crate::market::{Country, Language, Market};
use crate::page::{Page, PageRequest};
use crate::project::{Project, Status};
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet};

/// Filter for keywords; all given conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeywordFilter {
    /// `None` matches any status.
    pub status: Option<Status>,
    pub ai_tracked: Option<bool>,
    pub tag: Option<String>,
    /// Substring of the normalized text, itself normalized.
    pub search: Option<String>,
}

/// Sort order of keywords; the id breaks ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeywordSort {
    CreatedAt,
    /// By normalized text.
    Text,
    /// By latest position; keywords without one come last.
    Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeywordCounts {
    pub active: u32,
    /// Active and AI-tracked.
    pub ai_tracked: u32,
}

impl KeywordCounts {
    pub const fn of(project: &Project) -> Self {
        Self {
            active: project.keyword_count,
            ai_tracked: project.ai_tracked_count,
        }
    }
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait KeywordRepository: Send {
    /// Adds keywords of one account. `Conflict` if a project has one of them in that market.
    async fn add(&mut self, keywords: &[Keyword]) -> Result<(), StorageError>;
    async fn find(
        &mut self,
        account: AccountId,
        keyword: KeywordId,
    ) -> Result<Option<Keyword>, StorageError>;
    /// The project's keywords with one of these normalized texts in this market, in any status.
    async fn with_texts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        market: &Market,
        normalized: &[String],
    ) -> Result<Vec<Keyword>, StorageError>;
    /// Which of these normalized texts (at most a few hundred) are active keywords of the project
    /// in that country and language, on any device and in any location.
    async fn active_texts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        country: Country,
        language: Language,
        normalized: &[String],
    ) -> Result<BTreeSet<String>, StorageError>;
    /// The market that most active keywords use, without its location; `None` without active keywords.
    async fn usual_market(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Market>, StorageError>;
    /// Saves metrics of the account's keywords with one of these normalized texts (at most a few
    /// hundred) in that country and language, where they replace the stored ones.
    async fn note_metrics(
        &mut self,
        account: AccountId,
        country: Country,
        language: Language,
        metrics: &BTreeMap<String, KeywordMetrics>,
    ) -> Result<(), StorageError>;
    /// Saves all fields except the latest rank and the metrics.
    async fn save(&mut self, keyword: &Keyword) -> Result<(), StorageError>;
    /// Like `save` on each.
    async fn save_all(&mut self, keywords: &[Keyword]) -> Result<(), StorageError>;
    async fn save_latest(
        &mut self,
        account: AccountId,
        latest: &[(KeywordId, LatestRank)],
    ) -> Result<(), StorageError>;
    async fn counts(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<KeywordCounts, StorageError>;
    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        filter: &KeywordFilter,
        page: &PageRequest<KeywordSort>,
    ) -> Result<Page<Keyword>, StorageError>;
    /// Up to `limit` of the chosen active keywords, after `after` in id order.
    async fn active_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
        choice: &KeywordChoice,
        after: Option<KeywordId>,
        limit: u32,
    ) -> Result<Vec<Keyword>, StorageError>;
    /// Like `active_batch`, AI-tracked keywords only.
    async fn ai_tracked_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
        choice: &KeywordChoice,
        after: Option<KeywordId>,
        limit: u32,
    ) -> Result<Vec<Keyword>, StorageError>;
    /// How many of the named keywords are active, AI-tracked keywords of the project, and the
    /// account's AI engine settings, in one statement.
    async fn count_ai_tracked_and_models(
        &mut self,
        account: AccountId,
        project: ProjectId,
        named: &[KeywordId],
    ) -> Result<(u32, Vec<ModelSettings>), StorageError>;
    async fn count_active_named(
        &mut self,
        account: AccountId,
        project: ProjectId,
        named: &[KeywordId],
    ) -> Result<u32, StorageError>;
}
