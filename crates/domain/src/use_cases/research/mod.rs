//! Keyword research: searches of users, and the monthly quota.

pub mod keyword;

use super::Core;
use crate::ids::{AccountId, ProjectId, SearchId, UserId};
use crate::keyword_research::{
    KeptResearch, ResearchQuota, ResearchSubject, Search, SearchSummary,
};
use crate::page::{Page, PageRequest};
use crate::ports::research::SearchSort;
use crate::ports::spending::month_of;
use crate::ports::storage::{Repositories, StorageError, Transaction};
use analysis::{keyword_text::normalized, observation::keyword_research::ResearchedKeyword};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearchRequest {
    pub account: AccountId,
    pub user: UserId,
    pub subject: ResearchSubject,
    /// Marks the project's tracked keywords among the ideas.
    pub project: Option<ProjectId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Research {
    pub search: SearchId,
    pub subject: ResearchSubject,
    /// The supplier's result, and when the account got it.
    pub kept: KeptResearch,
    pub searched_at: DateTime<Utc>,
    /// Whether the account had it already.
    pub is_cached: bool,
    /// The monthly quota afterwards.
    pub quota: ResearchQuota,
    /// Ideas that the project tracks; `None` if no project was given.
    pub tracked: Option<TrackedIdeas>,
}

impl Research {
    fn of(
        search: Search,
        is_cached: bool,
        quota: ResearchQuota,
        tracked: Option<TrackedIdeas>,
    ) -> Self {
        Self {
            search: search.id,
            subject: search.subject,
            kept: search.kept,
            searched_at: search.searched_at,
            is_cached,
            quota,
            tracked,
        }
    }
}

/// Normalized texts of ideas that are active keywords of a project in the researched country and language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrackedIdeas(BTreeSet<String>);

impl TrackedIdeas {
    pub fn holds(&self, idea: &str) -> bool {
        self.0.contains(&normalized(idea))
    }
}

#[derive(Debug, Error)]
pub enum ReopenSearchError {
    #[error("no such search")]
    NoSuchSearch,
    #[error("no such project")]
    NoSuchProject,
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl Core {
    /// `None` if there is no such account.
    pub async fn research_quota(
        &self,
        account: AccountId,
    ) -> Result<Option<ResearchQuota>, StorageError> {
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        quota(read.as_mut(), account, now).await
    }

    /// The user's own.
    pub async fn searches(
        &self,
        account: AccountId,
        user: UserId,
        page: &PageRequest<SearchSort>,
    ) -> Result<Page<SearchSummary>, StorageError> {
        let mut read = self.storage.read().await?;
        read.research().searches(account, user, page).await
    }

    /// One of the user's own searches as stored, even if expired, with ideas marked that the
    /// project now tracks. Queries no supplier and uses no quota.
    pub async fn reopen_search(
        &self,
        account: AccountId,
        user: UserId,
        search: SearchId,
        project: Option<ProjectId>,
    ) -> Result<Research, ReopenSearchError> {
        let mut read = self.storage.read().await?;
        let found = read.research().search(account, user, search).await?;
        let found = found.ok_or(ReopenSearchError::NoSuchSearch)?;
        if let Some(project) = project {
            let known = read.projects().find(account, project).await?;
            known.ok_or(ReopenSearchError::NoSuchProject)?;
        }
        let request = ResearchRequest {
            account,
            user,
            subject: found.subject.clone(),
            project,
        };
        let tracked = tracked(read.as_mut(), &request, &found.kept.found).await?;
        drop(read);
        let quota = self.research_quota(account).await?;
        let quota = quota.ok_or(ReopenSearchError::NoSuchSearch)?;
        Ok(Research::of(found, true, quota, tracked))
    }

    /// Returns whether the user had it. The bought result stays in the cache, which does not reveal the account.
    pub async fn forget_search(
        &self,
        account: AccountId,
        user: UserId,
        search: SearchId,
    ) -> Result<bool, StorageError> {
        let forget = |mut work: Box<dyn Transaction>| async move {
            let was_there = work.research().delete_search(account, user, search).await?;
            work.commit().await?;
            Ok(was_there)
        };
        self.storage.transaction(forget).await
    }
}

/// `None` if there is no such account.
async fn quota<R: Repositories + ?Sized>(
    read: &mut R,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Option<ResearchQuota>, StorageError> {
    let month = month_of(now.date_naive());
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

/// `None` if no project is given; else one statement.
async fn tracked<R: Repositories + ?Sized>(
    read: &mut R,
    request: &ResearchRequest,
    found: &ResearchedKeyword,
) -> Result<Option<TrackedIdeas>, StorageError> {
    let Some(project) = request.project else {
        return Ok(None);
    };
    let ideas: Vec<String> = { found.ideas.iter() }
        .map(|it| normalized(&it.keyword))
        .collect();
    let subject = &request.subject;
    let texts = read
        .keywords()
        .active_texts(
            request.account,
            project,
            subject.country,
            subject.language,
            &ideas,
        )
        .await?;
    Ok(Some(TrackedIdeas(texts)))
}
