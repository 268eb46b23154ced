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

/// Which keywords are wanted. All that is given has to hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeywordFilter {
    /// In use or not; `None` is both.
    pub status: Option<Status>,
    pub ai_tracked: Option<bool>,
    pub tag: Option<String>,
    /// Its normalised text holds this (normalised) text.
    pub search: Option<String>,
}

/// How keywords are sorted; the id makes each order total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeywordSort {
    CreatedAt,
    /// By normalised text.
    Text,
    /// By latest position; those without one last.
    Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeywordCounts {
    pub active: u32,
    /// Active ones that are AI-tracked.
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
    /// Adds keywords of one account. `Conflict` when a project has one of them in that market.
    async fn add(&mut self, keywords: &[Keyword]) -> Result<(), StorageError>;
    async fn find(
        &mut self,
        account: AccountId,
        keyword: KeywordId,
    ) -> Result<Option<Keyword>, StorageError>;
    /// The project's keywords, in any state, with one of these normalised texts in this market.
    async fn with_texts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        market: &Market,
        normalized: &[String],
    ) -> Result<Vec<Keyword>, StorageError>;
    /// Those of these normalised texts, a few hundred at the most, that are active keywords of the
    /// project in that country and language, whatever the device and the place.
    async fn active_texts(
        &mut self,
        account: AccountId,
        project: ProjectId,
        country: Country,
        language: Language,
        normalized: &[String],
    ) -> Result<BTreeSet<String>, StorageError>;
    /// The market of most active keywords, without a place; `None` without active keywords.
    async fn usual_market(
        &mut self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<Option<Market>, StorageError>;
    /// Notes researched figures for the account's keywords that have one of these normalised texts, a
    /// few hundred at the most, in that country and language, where they replace what is known.
    async fn note_metrics(
        &mut self,
        account: AccountId,
        country: Country,
        language: Language,
        metrics: &BTreeMap<String, KeywordMetrics>,
    ) -> Result<(), StorageError>;
    /// Everything as given, except the latest rank and the researched figures.
    async fn save(&mut self, keyword: &Keyword) -> Result<(), StorageError>;
    /// Saves many at once; the same as `save` on each.
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
    /// Up to `limit` of the chosen active keywords, behind `after` in the order of their ids.
    async fn active_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
        choice: &KeywordChoice,
        after: Option<KeywordId>,
        limit: u32,
    ) -> Result<Vec<Keyword>, StorageError>;
    /// The same of those alone that are AI-tracked.
    async fn ai_tracked_batch(
        &mut self,
        account: AccountId,
        project: ProjectId,
        choice: &KeywordChoice,
        after: Option<KeywordId>,
        limit: u32,
    ) -> Result<Vec<Keyword>, StorageError>;
    /// How many of the named keywords are active and AI-tracked keywords of the project, and how the account asks AI
    /// engines, in one statement.
    async fn ai_tracked_named_and_models(
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
