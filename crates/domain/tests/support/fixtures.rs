//! Examples that tests change and put into a storage in memory:
//! `MemoryStorage::default().with(account()).with(project().deactivated())`.

use super::{
    ACCOUNT, CountingRandomness, FrozenClock, a_content_plan, a_job, a_keyword, a_project,
    a_session, a_token, a_user, an_account,
    memory::{MemoryStorage, State},
};
use crate::{
    account::{Account, AccountLimits, AccountStatus, AccountUsage},
    content_plan::ContentPlan,
    ids::{JobId, KeywordId, ProjectId, SessionId},
    job::{Job, JobState, account_queue::AccountQueue, kind::AnalysisKind, policy::QueuePolicy},
    keyword::Keyword,
    money::MicroUsd,
    ports::{clock::Clock, storage::Storage},
    project::{Project, Status},
    project_overrides::SiteAnnotation,
    session::{PlainSession, Session},
    token::{ApiToken, PlainToken},
    user::User,
};
use chrono::{DateTime, TimeDelta, Utc};
use std::{ops::Deref, sync::Arc};

/// Time of the examples.
pub fn now() -> DateTime<Utc> {
    FrozenClock::default().now()
}

#[derive(Debug, Clone)]
pub struct Fixture<T>(pub T);

impl<T> Fixture<T> {
    /// Any other change.
    #[must_use]
    pub fn but(mut self, change: impl FnOnce(&mut T)) -> Self {
        change(&mut self.0);
        self
    }
}

impl<T> Deref for Fixture<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Can be put into a storage.
pub trait Row {
    fn put(self, state: &mut State);
}

impl MemoryStorage {
    #[must_use]
    pub fn with(self, row: impl Row) -> Self {
        self.put(|state| row.put(state));
        self
    }

    /// As a port.
    pub fn port(&self) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }
}

macro_rules! rows {
    ($($row:ty: $table:ident[$($key:ident),+];)+) => {
        $(impl Row for Fixture<$row> {
            fn put(self, state: &mut State) {
                state.$table.insert(($(self.$key),+), self.0);
            }
        })+
    };
}
rows! {
    Account: accounts[id];
    User: users[account, id];
    Project: projects[account, id];
    Keyword: keywords[account, id];
    ContentPlan: plans[account, id];
}

impl Row for Fixture<Job> {
    fn put(self, state: &mut State) {
        let begun = AccountQueue::new(self.account);
        let line = state.queues.get(&self.account).copied();
        let line = line.unwrap_or(begun).after_change(None, &self.0);
        state.queues.insert(self.account, line);
        state.jobs.insert((self.account, self.id), self.0);
    }
}

impl Row for Fixture<Session> {
    fn put(self, state: &mut State) {
        let secret = PlainSession::generate(&CountingRandomness::default());
        let key = (self.home, self.id);
        state.sessions.insert(key, (self.0, secret.hash()));
    }
}

impl Row for Fixture<ApiToken> {
    fn put(self, state: &mut State) {
        let key = (self.account, self.id);
        state.tokens.insert(key, (self.0, plain_token().hash()));
    }
}

/// Of [`a_project`].
impl Row for SiteAnnotation {
    fn put(self, state: &mut State) {
        let key = (ACCOUNT, a_project().id, self.domain.clone());
        state.named_sites.insert(key, self);
    }
}

pub fn account() -> Fixture<Account> {
    Fixture(an_account())
}

impl Fixture<Account> {
    #[must_use]
    pub fn using(self, projects: u32, keywords: u32, ai_tracked: u32) -> Self {
        let usage = AccountUsage {
            projects,
            keywords,
            ai_tracked,
        };
        self.but(|it| it.usage = usage)
    }

    #[must_use]
    pub fn limited(self, change: impl FnOnce(&mut AccountLimits)) -> Self {
        self.but(|it| change(&mut it.limits))
    }

    #[must_use]
    pub fn disabled(self) -> Self {
        self.but(|it| it.status = AccountStatus::Disabled)
    }
}

/// The owner of [`account`].
pub fn user() -> Fixture<User> {
    Fixture(a_user())
}

/// A session of [`user`].
pub fn session(id: i64) -> Fixture<Session> {
    Fixture(a_session()).but(|it| it.id = SessionId(id))
}

/// The text of [`token`].
pub fn plain_token() -> PlainToken {
    PlainToken::generate(&CountingRandomness::default())
}

/// A token of [`account`].
pub fn token() -> Fixture<ApiToken> {
    Fixture(a_token())
}

pub fn project() -> Fixture<Project> {
    Fixture(a_project())
}

impl Fixture<Project> {
    #[must_use]
    pub fn id(self, id: i64) -> Self {
        self.but(|it| it.id = ProjectId(id))
    }

    #[must_use]
    pub fn counting(self, keywords: u32, ai_tracked: u32) -> Self {
        self.but(|it| (it.keyword_count, it.ai_tracked_count) = (keywords, ai_tracked))
    }

    #[must_use]
    pub fn deactivated(self) -> Self {
        self.deactivated_for(0)
    }

    #[must_use]
    pub fn deactivated_for(self, days: i64) -> Self {
        Self(self.0.deactivated(now() - TimeDelta::days(days)))
    }
}

/// A keyword of [`project`].
///
/// # Panics
/// If the text is not a keyword.
pub fn keyword(id: i64, text: &str) -> Fixture<Keyword> {
    Fixture(a_keyword(text)).but(|it| it.id = KeywordId(id))
}

impl Fixture<Keyword> {
    #[must_use]
    pub fn ai_tracked(self) -> Self {
        self.but(|it| it.ai_tracked = true)
    }

    #[must_use]
    pub fn deactivated(self) -> Self {
        self.but(|it| (it.status, it.deactivated_at) = (Status::Deactivated, Some(now())))
    }
}

/// A waiting rank check of [`project`].
pub fn job(id: i64) -> Fixture<Job> {
    Fixture(a_job()).but(|it| {
        it.id = JobId(id);
        it.dedupe_key = format!("{}/{id}", it.dedupe_key);
    })
}

impl Fixture<Job> {
    #[must_use]
    pub fn of(self, kind: AnalysisKind) -> Self {
        self.but(|it| it.kind = kind)
    }

    /// With a reservation.
    #[must_use]
    pub fn reserved(self, micros: i64) -> Self {
        self.but(|it| it.cost.reserved = MicroUsd(micros))
    }

    /// Running for `seconds`.
    ///
    /// # Panics
    /// If it was not due then.
    #[must_use]
    pub fn running_for(self, seconds: i64) -> Self {
        let (since, policy) = (now() - TimeDelta::seconds(seconds), QueuePolicy::default());
        let due = self.but(|it| it.run_at = it.run_at.min(since));
        Self(due.claimed("worker", since, &policy).expect("it is due"))
    }

    #[must_use]
    pub fn ended_for(self, days: i64) -> Self {
        self.but(|it| {
            it.state = JobState::Succeeded;
            it.finished_at = Some(now() - TimeDelta::days(days));
        })
    }
}

/// A content plan of [`project`].
pub fn plan() -> Fixture<ContentPlan> {
    Fixture(a_content_plan())
}
