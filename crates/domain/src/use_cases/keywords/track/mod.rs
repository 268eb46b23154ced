use crate::account::Account;
use crate::allowance::{Allowance, AllowanceExceeded};
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::keyword::{Keyword, KeywordPatch, KeywordText, NewKeywords};
use crate::ports::keywords::KeywordCounts;
use crate::ports::storage::{StorageError, Transaction};
use crate::project::Project;
use crate::use_cases::idempotency::{IdempotencyWriter, KeyUsedConcurrently};
use crate::use_cases::quota::QuotaDelta;
use crate::use_cases::{Core, impl_as_storage_error};
use chrono::{DateTime, Utc};
use std::collections::{HashMap, HashSet};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackedKeywords {
    pub created: Vec<Keyword>,
    /// Tracked before; unchanged.
    pub existing: Vec<Keyword>,
    /// Deactivated before; keep their history.
    pub reactivated: Vec<Keyword>,
    /// Number of duplicate texts.
    pub repeated: usize,
    pub keyword_allowance: Allowance,
    pub ai_allowance: Allowance,
}

#[derive(Debug, Error)]
pub enum TrackKeywordsError {
    #[error("there is no such project")]
    NoSuchProject,
    #[error("the project is deactivated")]
    ProjectDeactivated,
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    #[error(transparent)]
    UsedMeanwhile(#[from] KeyUsedConcurrently),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(TrackKeywordsError);

impl Core {
    /// All of them, or none if a quota would be exceeded.
    pub async fn track_keywords(
        &self,
        account: AccountId,
        project: ProjectId,
        new: &NewKeywords,
        writer: Option<IdempotencyWriter<'_, TrackedKeywords>>,
    ) -> Result<TrackedKeywords, TrackKeywordsError> {
        let ids = || KeywordId::mint_ascending(&self.mint, new.texts.len());
        let prepare = || (self.clock.now(), ids());
        let track = |mut work: Box<dyn Transaction>, (now, ids): (_, Vec<KeywordId>)| async move {
            let account = work
                .accounts()
                .lock(account)
                .await?
                .ok_or(TrackKeywordsError::NoSuchProject)?;
            if let Some(writer) = &writer {
                writer
                    .ensure_unused::<TrackKeywordsError>(work.as_mut(), account.id, now)
                    .await?;
            }
            let project = work
                .projects()
                .lock(account.id, project)
                .await?
                .ok_or(TrackKeywordsError::NoSuchProject)?;
            if !project.is_active() {
                return Err(TrackKeywordsError::ProjectDeactivated);
            }
            let (tracked, project) = self
                .track(work.as_mut(), (&account, project), new, ids, now)
                .await?;
            work.projects().save(&project).await?;
            if let Some(writer) = &writer {
                writer
                    .store::<TrackKeywordsError>(work.as_mut(), account.id, now, &tracked)
                    .await?;
            }
            work.commit().await?;
            Ok(tracked)
        };
        self.storage.transaction_with(prepare, track).await
    }

    /// The transaction must have locked account and project, and there must be an id per text. Also
    /// returns the project, to be saved.
    pub(in crate::use_cases) async fn track(
        &self,
        work: &mut dyn Transaction,
        (account, project): (&Account, Project),
        new: &NewKeywords,
        ids: Vec<KeywordId>,
        now: DateTime<Utc>,
    ) -> Result<(TrackedKeywords, Project), TrackKeywordsError> {
        let texts = folded(&new.texts);
        let repeated = new.texts.len() - texts.len();
        let normalized: Vec<String> = texts.iter().map(|it| it.normalized().to_owned()).collect();
        let known = work
            .keywords()
            .with_texts(account.id, project.id, &new.market, &normalized)
            .await?;
        let texts = ids.into_iter().zip(texts);
        let sorted = KeywordChanges::of(account.id, project.id, texts, known, new, now);

        let (usage, counts) = sorted
            .quota_delta
            .apply(account, KeywordCounts::of(&project))?;
        if !sorted.created.is_empty() {
            let stored = work.stored_data().of_account(account.id).await?;
            let created = u32::try_from(sorted.created.len()).unwrap_or(u32::MAX);
            { self.policies.storage }
                .keywords(account.limits.keywords, stored.keywords)
                .reserve(created)?;
        }
        work.keywords().add(&sorted.created).await?;
        work.keywords().save_all(&sorted.reactivated).await?;
        work.accounts().save_usage(account.id, usage).await?;

        let account = Account {
            usage,
            ..account.clone()
        };
        let project = counted(project, counts);
        let tracked = TrackedKeywords {
            created: sorted.created,
            existing: sorted.existing,
            reactivated: sorted.reactivated,
            repeated,
            keyword_allowance: account.keyword_allowance(),
            ai_allowance: account.ai_allowance(),
        };
        Ok((tracked, project))
    }
}

/// The project with new counts, and the next version if they differ.
pub(super) fn counted(project: Project, counts: KeywordCounts) -> Project {
    let same =
        project.keyword_count == counts.active && project.ai_tracked_count == counts.ai_tracked;
    Project {
        keyword_count: counts.active,
        ai_tracked_count: counts.ai_tracked,
        row_version: project.row_version + i64::from(!same),
        ..project
    }
}

/// Keywords of one market by normalized text.
pub(super) fn by_text(keywords: Vec<Keyword>) -> HashMap<String, Keyword> {
    { keywords.into_iter() }
        .map(|it| (it.text.normalized().to_owned(), it))
        .collect()
}

fn folded(texts: &[KeywordText]) -> Vec<KeywordText> {
    let mut seen = HashSet::new();
    texts
        .iter()
        .filter(|text| seen.insert(text.normalized()))
        .cloned()
        .collect()
}

#[derive(Default)]
struct KeywordChanges {
    created: Vec<Keyword>,
    existing: Vec<Keyword>,
    reactivated: Vec<Keyword>,
    quota_delta: QuotaDelta,
}

impl KeywordChanges {
    fn of(
        account: AccountId,
        project: ProjectId,
        texts: impl Iterator<Item = (KeywordId, KeywordText)>,
        known: Vec<Keyword>,
        new: &NewKeywords,
        now: DateTime<Utc>,
    ) -> Self {
        let mut known = by_text(known);
        let mut sorted = Self::default();
        for (id, text) in texts {
            match known.remove(text.normalized()) {
                None => sorted.create(Keyword::begin(account, project, id, text, new, now)),
                Some(keyword) if keyword.is_active() => sorted.existing.push(keyword),
                Some(keyword) => sorted.reactivate(&keyword, new, now),
            }
        }
        sorted
    }

    fn create(&mut self, keyword: Keyword) {
        self.quota_delta = self.quota_delta.and(QuotaDelta::between(None, &keyword));
        self.created.push(keyword);
    }

    fn reactivate(&mut self, keyword: &Keyword, new: &NewKeywords, now: DateTime<Utc>) {
        let back = keyword.patched(KeywordPatch::reactivate(new.ai_tracked), now);
        self.quota_delta = self
            .quota_delta
            .and(QuotaDelta::between(Some(keyword), &back));
        self.reactivated.push(back);
    }
}

#[cfg(test)]
mod tests;
