//! Saves many keywords, each with its own AI tracking: all of them, or those within the quota.

use super::track::{by_text, counted};
use crate::account::Account;
use crate::allowance::{Allowance, AllowanceExceeded};
use crate::ids::{AccountId, KeywordId, ProjectId, SearchId, UserId};
use crate::keyword::{Keyword, KeywordPatch, KeywordText, NewKeywords};
use crate::keyword_metrics::KeywordMetrics;
use crate::market::Market;
use crate::ports::keywords::KeywordCounts;
use crate::ports::storage::{StorageError, Transaction};
use crate::project::Project;
use crate::text::Tag;
use crate::use_cases::idempotency::{IdempotencyWriter, KeyUsedConcurrently};
use crate::use_cases::quota::QuotaDelta;
use crate::use_cases::{Core, impl_as_storage_error};
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, HashMap};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedKeyword {
    pub text: KeywordText,
    /// `None` leaves a reactivated keyword unchanged, and starts a new one with `false`.
    pub ai_tracked: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedKeywords {
    pub keywords: Vec<WantedKeyword>,
    pub market: Market,
    /// Tags of new keywords.
    pub tags: Vec<Tag>,
    /// The user's search in which they were found; its metrics go to the new keywords. A deleted
    /// search, or one for another country or language, adds none.
    pub found_in: Option<(UserId, SearchId)>,
}

analysis::wire_enum! {
    /// What to do if the quota is too small for all.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum SaveMode {
        /// Save nothing.
        All = "all",
        /// Save the others.
        Partial = "partial",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaveOutcome {
    Added(KeywordId),
    /// Tracked before, or repeated in the request; unchanged.
    AlreadyTracked(KeywordId),
    /// It was deactivated; keeps its history.
    Reactivated(KeywordId),
    Refused(AllowanceExceeded),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedKeywords {
    /// In request order.
    pub outcomes: Vec<SaveOutcome>,
    /// Keyword quota of the account afterwards.
    pub keyword_allowance: Allowance,
    pub project_allowance: Allowance,
    pub ai_allowance: Allowance,
}

#[derive(Debug, Error)]
pub enum SaveKeywordsError {
    #[error("there is no such project")]
    NoSuchProject,
    #[error("the project is deactivated")]
    ProjectDeactivated,
    /// These exceed the quota, and all were to be saved: their indexes in the request.
    #[error("{} of the keywords exceed the limit", .0.len())]
    NoRoom(Vec<(usize, AllowanceExceeded)>),
    #[error(transparent)]
    UsedMeanwhile(#[from] KeyUsedConcurrently),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(SaveKeywordsError);

impl Core {
    /// In request order: earlier keywords get the quota first.
    pub async fn save_keywords(
        &self,
        account: AccountId,
        project: ProjectId,
        wanted: &WantedKeywords,
        mode: SaveMode,
        writer: Option<IdempotencyWriter<'_, SavedKeywords>>,
    ) -> Result<SavedKeywords, SaveKeywordsError> {
        let ids = || KeywordId::mint_ascending(&self.mint, wanted.keywords.len());
        let prepare = || (self.clock.now(), ids());
        let save = |mut work: Box<dyn Transaction>, (now, ids): (_, Vec<KeywordId>)| async move {
            let account = work
                .accounts()
                .lock(account)
                .await?
                .ok_or(SaveKeywordsError::NoSuchProject)?;
            if let Some(writer) = &writer {
                writer
                    .ensure_unused::<SaveKeywordsError>(work.as_mut(), account.id, now)
                    .await?;
            }
            let project = work
                .projects()
                .lock(account.id, project)
                .await?
                .ok_or(SaveKeywordsError::NoSuchProject)?;
            if !project.is_active() {
                return Err(SaveKeywordsError::ProjectDeactivated);
            }
            let mut texts: Vec<String> = { wanted.keywords.iter() }
                .map(|it| it.text.normalized().to_owned())
                .collect();
            texts.sort_unstable();
            texts.dedup();
            let known = { work.keywords() }
                .with_texts(account.id, project.id, &wanted.market, &texts)
                .await?;
            let metrics = researched(work.as_mut(), account.id, wanted).await?;
            let stored = work.stored_data().of_account(account.id).await?;
            let stored =
                { self.policies.storage }.keywords(account.limits.keywords, stored.keywords);
            let mut desk = BulkSave::new(account, project, known, stored, wanted, metrics, now);
            let outcomes: Vec<SaveOutcome> = ids
                .into_iter()
                .zip(&wanted.keywords)
                .map(|(id, wanted)| desk.save(id, wanted))
                .collect();
            let refused: Vec<(usize, AllowanceExceeded)> = refused(&outcomes).collect();
            if mode == SaveMode::All && !refused.is_empty() {
                return Err(SaveKeywordsError::NoRoom(refused));
            }
            work.keywords().add(&desk.created).await?;
            work.keywords().save_all(&desk.reactivated).await?;
            work.accounts()
                .save_usage(desk.account.id, desk.account.usage)
                .await?;
            let project = counted(desk.project, desk.counts);
            work.projects().save(&project).await?;
            let saved = SavedKeywords {
                outcomes,
                keyword_allowance: desk.account.keyword_allowance(),
                project_allowance: desk.account.project_keyword_allowance(desk.counts.active),
                ai_allowance: desk.account.ai_allowance(),
            };
            if let Some(writer) = &writer {
                writer
                    .store::<SaveKeywordsError>(work.as_mut(), desk.account.id, now, &saved)
                    .await?;
            }
            work.commit().await?;
            Ok(saved)
        };
        self.storage.transaction_with(prepare, save).await
    }
}

/// Metrics from the search in which the keywords were found.
async fn researched(
    work: &mut dyn Transaction,
    account: AccountId,
    wanted: &WantedKeywords,
) -> Result<BTreeMap<String, KeywordMetrics>, StorageError> {
    let Some((user, search)) = wanted.found_in else {
        return Ok(BTreeMap::new());
    };
    let search = work.research().search(account, user, search).await?;
    let market = (wanted.market.country, wanted.market.language);
    let search = search.filter(|it| (it.subject.country, it.subject.language) == market);
    Ok(search
        .as_ref()
        .map(KeywordMetrics::from_search)
        .unwrap_or_default())
}

fn refused(outcomes: &[SaveOutcome]) -> impl Iterator<Item = (usize, AllowanceExceeded)> {
    let outcomes = outcomes.iter().enumerate();
    outcomes.filter_map(|(place, it)| match it {
        SaveOutcome::Refused(refusal) => Some((place, *refusal)),
        _ => None,
    })
}

/// Adds keywords one by one, within the quota.
struct BulkSave {
    account: Account,
    project: Project,
    counts: KeywordCounts,
    known: HashMap<String, Keyword>,
    stored: Allowance,
    seen: HashMap<String, SaveOutcome>,
    new: NewKeywords,
    metrics: BTreeMap<String, KeywordMetrics>,
    now: DateTime<Utc>,
    created: Vec<Keyword>,
    reactivated: Vec<Keyword>,
}

impl BulkSave {
    fn new(
        account: Account,
        project: Project,
        known: Vec<Keyword>,
        stored: Allowance,
        wanted: &WantedKeywords,
        metrics: BTreeMap<String, KeywordMetrics>,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            counts: KeywordCounts::of(&project),
            account,
            project,
            known: by_text(known),
            stored,
            seen: HashMap::new(),
            new: NewKeywords {
                texts: vec![],
                ai_tracked: None,
                market: wanted.market.clone(),
                tags: wanted.tags.clone(),
            },
            metrics,
            now,
            created: vec![],
            reactivated: vec![],
        }
    }

    fn save(&mut self, id: KeywordId, wanted: &WantedKeyword) -> SaveOutcome {
        use SaveOutcome::{Added, AlreadyTracked, Reactivated, Refused};
        let text = wanted.text.normalized();
        match self.seen.get(text) {
            Some(Added(id) | AlreadyTracked(id) | Reactivated(id)) => return AlreadyTracked(*id),
            // Retry: it may fit the quota without AI tracking.
            Some(Refused(_)) | None => {}
        }
        let outcome = match self.known.get(text).cloned() {
            Some(there) if there.is_active() => AlreadyTracked(there.id),
            Some(there) => self.reactivate(&there, wanted),
            None => self.create(id, wanted),
        };
        self.seen.insert(text.to_owned(), outcome);
        outcome
    }

    fn create(&mut self, id: KeywordId, wanted: &WantedKeyword) -> SaveOutcome {
        self.new.ai_tracked = wanted.ai_tracked;
        let (account, project) = (self.account.id, self.project.id);
        let keyword = Keyword::begin(
            account,
            project,
            id,
            wanted.text.clone(),
            &self.new,
            self.now,
        );
        let stored = match self.stored.reserve(1) {
            Ok(stored) => stored,
            Err(refusal) => return SaveOutcome::Refused(refusal),
        };
        if let Err(refusal) = self.reserve(QuotaDelta::between(None, &keyword)) {
            return SaveOutcome::Refused(refusal);
        }
        self.stored = stored;
        let metrics = self.metrics.remove(keyword.text.normalized());
        self.created.push(match metrics {
            Some(metrics) => keyword.with_metrics(metrics),
            None => keyword,
        });
        SaveOutcome::Added(id)
    }

    fn reactivate(&mut self, keyword: &Keyword, wanted: &WantedKeyword) -> SaveOutcome {
        let back = keyword.patched(KeywordPatch::reactivate(wanted.ai_tracked), self.now);
        if let Err(refusal) = self.reserve(QuotaDelta::between(Some(keyword), &back)) {
            return SaveOutcome::Refused(refusal);
        }
        self.reactivated.push(back);
        SaveOutcome::Reactivated(keyword.id)
    }

    fn reserve(&mut self, delta: QuotaDelta) -> Result<(), AllowanceExceeded> {
        let (usage, counts) = delta.apply(&self.account, self.counts)?;
        self.account.usage = usage;
        self.counts = counts;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
