//! Starts tracking keywords in a project.

use super::{may_be_storage, places::PlacesChange};
use crate::{
    account::Account,
    allowance::{Allowance, AllowanceExceeded},
    ids::{AccountId, IdMint, ProjectId},
    keyword::{Keyword, KeywordPatch, KeywordText, NewKeywords},
    patch::Change,
    ports::{
        clock::Clock,
        keywords::KeywordCounts,
        storage::{Storage, StorageError, Transaction, retrying},
    },
    project::{Project, Status},
};
use chrono::{DateTime, Utc};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};
use thiserror::Error;

/// Tracks keywords.
pub struct TrackKeywords {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    mint: Arc<IdMint>,
}

/// What became of the keywords.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackedKeywords {
    /// New ones.
    pub created: Vec<Keyword>,
    /// Those that were tracked already; left as they are.
    pub existing: Vec<Keyword>,
    /// Those that had been deactivated; back with their history.
    pub reactivated: Vec<Keyword>,
    /// How many of the given texts repeat another one.
    pub repeated: usize,
    /// Room for keywords afterwards.
    pub keyword_allowance: Allowance,
    /// Room for AI-tracked keywords afterwards.
    pub ai_allowance: Allowance,
}

/// Why nothing is tracked.
#[derive(Debug, Error)]
pub enum TrackKeywordsError {
    /// The account has no such project.
    #[error("there is no such project")]
    NoSuchProject,
    /// The project is out of use.
    #[error("the project is deactivated")]
    ProjectDeactivated,
    /// There is no room for all of them.
    #[error(transparent)]
    Allowance(#[from] AllowanceExceeded),
    /// Breakage.
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(TrackKeywordsError);

impl TrackKeywords {
    /// On this storage, clock and mint.
    #[must_use]
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, mint: Arc<IdMint>) -> Self {
        Self {
            storage,
            clock,
            mint,
        }
    }

    /// All of them, or none when an allowance would be passed.
    pub async fn run(
        &self,
        account: AccountId,
        project: ProjectId,
        new: &NewKeywords,
    ) -> Result<TrackedKeywords, TrackKeywordsError> {
        retrying(|| self.once(account, project, new)).await
    }

    async fn once(
        &self,
        account: AccountId,
        project: ProjectId,
        new: &NewKeywords,
    ) -> Result<TrackedKeywords, TrackKeywordsError> {
        let mut work = self.storage.write().await?;
        let account = work
            .accounts()
            .lock(account)
            .await?
            .ok_or(TrackKeywordsError::NoSuchProject)?;
        let project = work
            .projects()
            .lock(account.id, project)
            .await?
            .ok_or(TrackKeywordsError::NoSuchProject)?;
        if !project.is_active() {
            return Err(TrackKeywordsError::ProjectDeactivated);
        }
        let now = self.clock.now();
        let (tracked, project) =
            track(work.as_mut(), &account, project, new, &self.mint, now).await?;
        work.projects().save(&project).await?;
        work.commit().await?;
        Ok(tracked)
    }
}

/// Tracks keywords inside a transaction that holds the account and the project; answers with the
/// project as it has to be saved.
pub(super) async fn track(
    work: &mut dyn Transaction,
    account: &Account,
    project: Project,
    new: &NewKeywords,
    mint: &IdMint,
    now: DateTime<Utc>,
) -> Result<(TrackedKeywords, Project), TrackKeywordsError> {
    let texts = folded(&new.texts);
    let repeated = new.texts.len() - texts.len();
    let normalized: Vec<String> = texts.iter().map(|it| it.normalized().to_owned()).collect();
    let known = work
        .keywords()
        .with_texts(account.id, project.id, &new.market, &normalized)
        .await?;
    let sorted = Sorted::of(account.id, project.id, texts, known, new, mint, now);

    let counts = KeywordCounts {
        active: project.keyword_count,
        ai_tracked: project.ai_tracked_count,
    };
    let (usage, counts) = sorted.places.apply(account, counts)?;
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

/// The project with new counts, and with the next version if they differ.
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

/// Keeps the first of each keyword.
fn folded(texts: &[KeywordText]) -> Vec<KeywordText> {
    let mut seen = HashSet::new();
    texts
        .iter()
        .filter(|text| seen.insert(text.normalized()))
        .cloned()
        .collect()
}

#[derive(Default)]
struct Sorted {
    created: Vec<Keyword>,
    existing: Vec<Keyword>,
    reactivated: Vec<Keyword>,
    places: PlacesChange,
}

impl Sorted {
    fn of(
        account: AccountId,
        project: ProjectId,
        texts: Vec<KeywordText>,
        known: Vec<Keyword>,
        new: &NewKeywords,
        mint: &IdMint,
        now: DateTime<Utc>,
    ) -> Self {
        let mut known: HashMap<String, Keyword> = known
            .into_iter()
            .map(|it| (it.text.normalized().to_owned(), it))
            .collect();
        let mut sorted = Self::default();
        for text in texts {
            match known.remove(text.normalized()) {
                None => sorted.create(Keyword::begin(account, project, text, new, mint, now)),
                Some(keyword) if keyword.is_active() => sorted.existing.push(keyword),
                Some(keyword) => sorted.bring_back(&keyword, new, now),
            }
        }
        sorted
    }

    fn create(&mut self, keyword: Keyword) {
        self.places = self.places.and(PlacesChange::between(None, &keyword));
        self.created.push(keyword);
    }

    fn bring_back(&mut self, keyword: &Keyword, new: &NewKeywords, now: DateTime<Utc>) {
        let patch = KeywordPatch {
            status: Change::Set(Status::Active),
            ai_tracked: new.ai_tracked.map_or(Change::Keep, Change::Set),
            ..KeywordPatch::default()
        };
        let back = keyword.patched(patch, now);
        self.places = self.places.and(PlacesChange::between(Some(keyword), &back));
        self.reactivated.push(back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        account::{AccountLimits, AccountUsage},
        market::Market,
        test_support::{
            ACCOUNT, FakeStorage, FakeTransaction, FrozenClock, a_keyword, a_mint, a_project,
            an_account,
        },
    };

    fn new(texts: &[&str], ai_tracked: Option<bool>) -> NewKeywords {
        let texts = texts
            .iter()
            .map(|it| KeywordText::parse(it).unwrap())
            .collect();
        NewKeywords {
            texts,
            ai_tracked,
            market: Market::default(),
            tags: vec![],
        }
    }

    fn holding(account: Account, known: Vec<Keyword>) -> impl FnOnce(&mut FakeTransaction) {
        move |work| {
            work.accounts
                .expect_lock()
                .return_once(|_| Ok(Some(account)));
            work.projects
                .expect_lock()
                .return_once(|_, _| Ok(Some(a_project())));
            work.keywords
                .expect_with_texts()
                .return_once(|_, _, _, _| Ok(known));
        }
    }

    async fn track(
        storage: &Arc<FakeStorage>,
        new: &NewKeywords,
    ) -> Result<TrackedKeywords, TrackKeywordsError> {
        let storage: Arc<dyn Storage> = Arc::<FakeStorage>::clone(storage);
        TrackKeywords::new(storage, Arc::new(FrozenClock::default()), a_mint())
            .run(ACCOUNT, a_project().id, new)
            .await
    }

    #[tokio::test]
    async fn a_full_allowance_stores_nothing() {
        let full = Account {
            limits: AccountLimits {
                keywords: 2,
                ..AccountLimits::default()
            },
            usage: AccountUsage {
                keywords: 1,
                ..AccountUsage::default()
            },
            ..an_account()
        };
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            holding(full, vec![])(work);
            work.keywords.expect_add().never();
        });
        let outcome = track(&storage, &new(&["rust", "actix"], None)).await;
        assert!(matches!(outcome, Err(TrackKeywordsError::Allowance(_))));
        assert_eq!(storage.commits(), 0);
    }

    #[tokio::test]
    async fn repeats_are_folded_and_known_keywords_left_or_brought_back() {
        let gone = a_keyword("actix").patched(
            KeywordPatch {
                status: Change::Set(Status::Deactivated),
                ..KeywordPatch::default()
            },
            FrozenClock::default().now(),
        );
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            holding(an_account(), vec![a_keyword("rust"), gone])(work);
            work.keywords
                .expect_add()
                .withf(|it| it.len() == 1)
                .once()
                .returning(|_| Ok(()));
            work.keywords
                .expect_save_all()
                .withf(|it| it.len() == 1)
                .once()
                .returning(|_| Ok(()));
            work.accounts
                .expect_save_usage()
                .withf(|_, usage| usage.keywords == 2 && usage.ai_tracked == 2)
                .once()
                .returning(|_, _| Ok(()));
            work.projects
                .expect_save()
                .withf(|it| it.keyword_count == 2)
                .once()
                .returning(|_| Ok(()));
        });
        let tracked = track(
            &storage,
            &new(&["Rust", "actix", "diesel", "rust "], Some(true)),
        )
        .await
        .unwrap();
        assert_eq!(
            (
                tracked.created.len(),
                tracked.existing.len(),
                tracked.reactivated.len(),
                tracked.repeated
            ),
            (1, 1, 1, 1)
        );
        assert!(
            !tracked.existing[0].ai_tracked,
            "what is tracked already stays as it is"
        );
        assert!(tracked.reactivated[0].takes_ai_place());
        assert_eq!((tracked.keyword_allowance.used, storage.commits()), (2, 1));
    }

    #[tokio::test]
    async fn a_deactivated_project_takes_no_keywords() {
        let storage = Arc::new(FakeStorage::default());
        storage.expect(|work| {
            work.accounts
                .expect_lock()
                .return_once(|_| Ok(Some(an_account())));
            work.projects.expect_lock().return_once(|_, _| {
                Ok(Some(a_project().deactivated(FrozenClock::default().now())))
            });
        });
        let outcome = track(&storage, &new(&["rust"], None)).await;
        assert!(matches!(
            outcome,
            Err(TrackKeywordsError::ProjectDeactivated)
        ));
    }
}
