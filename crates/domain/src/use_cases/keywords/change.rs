//! Changes a keyword by a merge patch, including its status and AI tracking.

use super::track::counted;
use crate::allowance::AllowanceExceeded;
use crate::ids::{AccountId, KeywordId, ProjectId};
use crate::keyword::{Keyword, KeywordPatch};
use crate::patch::Change;
use crate::ports::keywords::KeywordCounts;
use crate::ports::storage::{StorageError, Transaction};
use crate::precondition::{Precondition, holds};
use crate::project::{Project, Status};
use crate::project_overrides::SiteRole;
use crate::use_cases::quota::QuotaDelta;
use crate::use_cases::{Core, impl_as_storage_error};
use analysis::url_rules::{OwnSites, SiteScope, host_of_url};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum ChangeKeywordError {
    #[error("there is no such keyword")]
    NoSuchKeyword,
    /// Holds the current keyword.
    #[error("the keyword is not as expected")]
    NotAsExpected(Box<Keyword>),
    #[error("the keyword's project is deactivated")]
    ProjectDeactivated(ProjectId),
    #[error("the project tracks this keyword in that market")]
    Exists(KeywordId),
    /// The target page is on none of these own sites.
    #[error("the target URL is on none of the project's own sites")]
    ForeignTarget(Vec<String>),
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(ChangeKeywordError);

impl Core {
    /// Returns the new keyword; unchanged, version included, if the patch changes nothing.
    pub async fn change_keyword(
        &self,
        account: AccountId,
        keyword: KeywordId,
        patch: &KeywordPatch,
        precondition: Precondition<'_, Keyword>,
    ) -> Result<Keyword, ChangeKeywordError> {
        let change = |mut work: Box<dyn Transaction>, now| async move {
            let account = work
                .accounts()
                .lock(account)
                .await?
                .ok_or(ChangeKeywordError::NoSuchKeyword)?;
            let before = work
                .keywords()
                .find(account.id, keyword)
                .await?
                .ok_or(ChangeKeywordError::NoSuchKeyword)?;
            if !holds(precondition, &before) {
                return Err(ChangeKeywordError::NotAsExpected(Box::new(before)));
            }
            let project = work.projects().lock(account.id, before.project).await?;
            let project = project.ok_or(StorageError::Corrupt {
                subject: "the project of a keyword",
            })?;
            let after = before.patched(patch.clone(), now);
            if after == before {
                return Ok(before);
            }
            if !project.is_active() {
                return Err(ChangeKeywordError::ProjectDeactivated(before.project));
            }
            refuse_duplicate(work.as_mut(), &before, &after).await?;
            refuse_foreign_target(work.as_mut(), &project, &before, &after).await?;

            let change = QuotaDelta::between(Some(&before), &after);
            if !change.is_none() {
                let (usage, counts) = change.apply(&account, KeywordCounts::of(&project))?;
                work.accounts().save_usage(account.id, usage).await?;
                work.projects().save(&counted(project, counts)).await?;
            }
            work.keywords().save(&after).await?;
            work.commit().await?;
            Ok(after)
        };
        self.transaction_with_time(change).await
    }

    /// Returns the new keyword; releases its quota and keeps its history. Idempotent.
    pub async fn deactivate_keyword(
        &self,
        account: AccountId,
        keyword: KeywordId,
        precondition: Precondition<'_, Keyword>,
    ) -> Result<Keyword, ChangeKeywordError> {
        let patch = KeywordPatch {
            status: Change::Set(Status::Deactivated),
            ..KeywordPatch::default()
        };
        self.change_keyword(account, keyword, &patch, precondition)
            .await
    }
}

async fn refuse_duplicate(
    work: &mut dyn Transaction,
    before: &Keyword,
    after: &Keyword,
) -> Result<(), ChangeKeywordError> {
    if before.market == after.market {
        return Ok(());
    }
    let text = [after.text.normalized().to_owned()];
    let twins = work
        .keywords()
        .with_texts(after.account, after.project, &after.market, &text)
        .await?;
    twins
        .first()
        .map_or(Ok(()), |twin| Err(ChangeKeywordError::Exists(twin.id)))
}

/// A page of a foreign site would never get a rank. An earlier target stays.
async fn refuse_foreign_target(
    work: &mut dyn Transaction,
    project: &Project,
    before: &Keyword,
    after: &Keyword,
) -> Result<(), ChangeKeywordError> {
    let Some(target) = after.target_url.as_deref() else {
        return Ok(());
    };
    if before.target_url == after.target_url {
        return Ok(());
    }
    let named = { work.project_overrides() }
        .site_annotations(project.account, project.id)
        .await?;
    let aliases = { named.iter() }
        .filter(|it| it.role == SiteRole::Own)
        .map(|it| SiteScope::of(&it.domain));
    let site = SiteScope::of(project.domain.ascii());
    let own = OwnSites::with_aliases(site, aliases.collect());
    let host = host_of_url(target);
    if host.is_some_and(|host| own.owns_host(&host)) {
        return Ok(());
    }
    let roots = own.roots().map(str::to_owned).collect();
    Err(ChangeKeywordError::ForeignTarget(roots))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountUsage;
    use crate::project_overrides::SiteAnnotation;
    use crate::test_support::fixtures::{Fixture, account, keyword, now, project};
    use crate::test_support::{ACCOUNT, MemoryStorage, a_keyword, a_project, core};

    /// Counts the keyword, in its project and in the account, which has one more.
    fn holding(keyword: Fixture<Keyword>) -> MemoryStorage {
        let ai_tracked = u32::from(keyword.uses_ai_quota());
        MemoryStorage::default()
            .with(account().using(1, 2, 1))
            .with(project().counting(1, ai_tracked))
            .with(keyword)
    }

    async fn change(
        storage: &MemoryStorage,
        patch: &KeywordPatch,
    ) -> Result<Keyword, ChangeKeywordError> {
        core(storage.port())
            .change_keyword(ACCOUNT, KeywordId(21), patch, None)
            .await
    }

    #[tokio::test]
    async fn a_full_ai_quota_refuses_another_keyword() {
        let storage = holding(keyword(21, "rust"));
        let full = account().using(1, 2, 1).limited(|it| it.ai_tracked = 1);
        let storage = storage.with(full);
        let before = storage.state();
        let track = KeywordPatch {
            ai_tracked: Change::Set(true),
            ..KeywordPatch::default()
        };
        assert!(matches!(
            change(&storage, &track).await,
            Err(ChangeKeywordError::Allowance(_))
        ));
        assert_eq!(storage.commits(), 0);
        assert_eq!(storage.state(), before);
    }

    #[tokio::test]
    async fn deactivating_a_keyword_releases_both_quotas() {
        let storage = holding(keyword(21, "rust").ai_tracked());
        let gone = KeywordPatch {
            status: Change::Set(Status::Deactivated),
            ..KeywordPatch::default()
        };
        assert_eq!(
            change(&storage, &gone).await.unwrap().status,
            Status::Deactivated
        );
        let state = storage.state();
        let left = AccountUsage {
            projects: 1,
            keywords: 1,
            ai_tracked: 0,
        };
        assert_eq!(state.accounts[&ACCOUNT].usage, left);
        let project = &state.projects[&(ACCOUNT, a_project().id)];
        assert_eq!((project.keyword_count, project.ai_tracked_count), (0, 0));
        let keyword = &state.keywords[&(ACCOUNT, KeywordId(21))];
        assert_eq!(keyword.status, Status::Deactivated);
    }

    #[tokio::test]
    async fn a_target_url_is_on_one_of_the_own_domains() {
        let named = |domain: &str, role| SiteAnnotation {
            domain: domain.to_owned(),
            role,
            class: None,
            annotated_at: now(),
        };
        for (target, is_accepted) in [
            ("https://shop.example.com/a", true),
            ("http://www.shop.example.com:8080/a?b", true),
            ("https://second.example/a", true),
            ("https://competitor.example/a", false),
            ("https://shop.example.com.competitor.example/", false),
            ("https://shop.example.com@competitor.example/", false),
        ] {
            let storage = holding(keyword(21, "rust"))
                .with(named("second.example", SiteRole::Own))
                .with(named("competitor.example", SiteRole::Competitor));
            let patch = KeywordPatch {
                target_url: Change::Set(Some(target.to_owned())),
                ..KeywordPatch::default()
            };
            let outcome = change(&storage, &patch).await;
            let stored = &storage.state().keywords[&(ACCOUNT, KeywordId(21))];
            match outcome {
                Ok(keyword) => {
                    assert_eq!(
                        (is_accepted, keyword.target_url.as_deref()),
                        (true, Some(target))
                    );
                    assert_eq!(*stored, keyword);
                }
                Err(ChangeKeywordError::ForeignTarget(sites)) => {
                    assert!(!is_accepted, "{target}");
                    assert_eq!(sites, ["shop.example.com", "second.example"]);
                    assert_eq!(stored.target_url, None);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[tokio::test]
    async fn an_empty_patch_writes_nothing() {
        let storage = holding(keyword(21, "rust"));
        assert_eq!(
            change(&storage, &KeywordPatch::default()).await.unwrap(),
            a_keyword("rust")
        );
        assert_eq!(storage.commits(), 0);
    }
}
