//! Test support: a frozen clock, predictable bytes, a mocked storage, and examples.

mod fake_storage;
pub mod fixtures;
mod memory;

use crate::rights::Role;
use crate::{
    account::{Account, AccountLimits, AccountStatus, AccountUsage},
    ai_models::ModelChoice,
    content_plan::{Clustering, ContentPlan, Effort, ItemStatus, PlanAction, PlanItem},
    domain_name::SiteDomain,
    email::EmailAddress,
    event::NewEvent,
    ids::{
        AccountId, ContentPlanId, IdMint, JobId, KeywordId, ProjectId, SessionId, TokenId, UserId,
    },
    job::{
        Job, JobCost, JobPriority, JobState, Trigger, dedupe_key, kind::AnalysisKind,
        progress::Progress,
    },
    keyword::{Keyword, KeywordChoice, KeywordText},
    market::Market,
    ports::{clock::Clock, randomness::Randomness, storage::Storage},
    project::{Project, ProjectMeta, Status},
    report_settings::EffectiveReportSettings,
    scope::Scopes,
    session::Session,
    text::{Label, Text},
    token::ApiToken,
    use_cases::{Core, Policies},
    user::User,
};
use analysis::events::{
    EventDraft, EventKind, EventRun, EventSeverity, EventState, RankFigure, Subject,
};
use analysis::search_intent::Intent;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
pub use fake_storage::{FakeStorage, FakeTransaction};
pub use memory::{
    Fault, ImportRow, MemoryStorage, PasswordRow, State, VisitedPageRow, WrittenCallRow,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A clock that is stopped until it is moved.
pub struct FrozenClock(Mutex<DateTime<Utc>>);

impl Default for FrozenClock {
    fn default() -> Self {
        Self::at(DateTime::from_timestamp(1_790_000_000, 0).expect("a valid time"))
    }
}

impl FrozenClock {
    pub fn at(time: DateTime<Utc>) -> Self {
        Self(Mutex::new(time))
    }

    pub fn advance(&self, by: TimeDelta) {
        let mut time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *time += by;
    }
}

impl Clock for FrozenClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that look random and are equal in every run (`SplitMix64` over a counter).
#[derive(Default)]
pub struct CountingRandomness(AtomicU64);

impl Randomness for CountingRandomness {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let step = self.0.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            let mut mixed = step.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            chunk.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes()[..chunk.len()]);
        }
    }
}

pub const ACCOUNT: AccountId = AccountId(1);

/// An example project.
///
/// # Panics
/// Never: the example is valid.
pub fn a_project() -> Project {
    let now = FrozenClock::default().now();
    Project {
        account: ACCOUNT,
        id: ProjectId(11),
        domain: SiteDomain::accepted("shop.example.com".into(), "shop.example.com".into()),
        name: Label::parse("Shop").expect("a label"),
        status: Status::Active,
        meta: ProjectMeta::default(),
        keyword_count: 0,
        ai_tracked_count: 0,
        last_analysis_at: None,
        row_version: 1,
        created_at: now,
        updated_at: now,
        deactivated_at: None,
    }
}

/// An example keyword of [`a_project`].
///
/// # Panics
/// If the text is not a keyword.
pub fn a_keyword(text: &str) -> Keyword {
    let now = FrozenClock::default().now();
    Keyword {
        account: ACCOUNT,
        id: KeywordId(21),
        project: ProjectId(11),
        text: KeywordText::parse(text).expect("a keyword"),
        market: Market::default(),
        ai_tracked: false,
        status: Status::Active,
        target_url: None,
        tags: vec![],
        search_volume: None,
        metrics: None,
        latest: None,
        row_version: 1,
        created_at: now,
        updated_at: now,
        deactivated_at: None,
    }
}

/// A due rank check of [`a_project`].
pub fn a_job() -> Job {
    let now = FrozenClock::default().now();
    let project = ProjectId(11);
    Job {
        account: ACCOUNT,
        id: crate::ids::JobId(31),
        project,
        kind: AnalysisKind::RankCheck,
        keywords: KeywordChoice::All,
        models: ModelChoice::All,
        state: JobState::Ready,
        priority: JobPriority::Normal,
        trigger: Trigger::Api,
        dedupe_key: dedupe_key(
            project,
            AnalysisKind::RankCheck,
            &KeywordChoice::All,
            &ModelChoice::All,
        ),
        day: now.date_naive(),
        run_at: now,
        expires_at: now + TimeDelta::hours(24),
        attempt: 0,
        crash_count: 0,
        epoch: 0,
        lease: None,
        deadline_at: None,
        cancel_requested: false,
        progress: Progress::default(),
        cost: JobCost::default(),
        errors: vec![],
        created_at: now,
        started_at: None,
        finished_at: None,
    }
}

/// An account with default limits and no data.
///
/// # Panics
/// Never: the example is valid.
pub fn an_account() -> Account {
    Account {
        id: ACCOUNT,
        name: Label::parse("Ann").expect("a label"),
        status: AccountStatus::Active,
        limits: AccountLimits::default(),
        usage: AccountUsage::default(),
        report_defaults: EffectiveReportSettings::default(),
        audit_days: None,
        created_at: FrozenClock::default().now(),
    }
}

/// A token of [`an_account`] with all scopes and no expiry.
///
/// # Panics
/// Never: the example is valid.
pub fn a_token() -> ApiToken {
    ApiToken {
        account: ACCOUNT,
        id: TokenId(41),
        name: Label::parse("ci").expect("a label"),
        scopes: Scopes::all(),
        last_four: "abcd".to_owned(),
        created_by: UserId(51),
        created_at: FrozenClock::default().now(),
        expires_at: None,
        last_used_at: None,
        revoked_at: None,
        revoke_reason: None,
        rotated_from: None,
    }
}

/// The owner of [`an_account`].
///
/// # Panics
/// Never: the example is valid.
pub fn a_user() -> User {
    User {
        account: ACCOUNT,
        id: UserId(51),
        email: EmailAddress::parse("ann@example.com").expect("an address"),
        name: Label::parse("Ann").expect("a label"),
        created_at: FrozenClock::default().now(),
        role: Role::Owner,
        invited_by: None,
        left_at: None,
    }
}

/// A session of [`a_user`] that has just begun.
pub fn a_session() -> Session {
    let now = FrozenClock::default().now();
    Session {
        home: ACCOUNT,
        works_in: ACCOUNT,
        id: SessionId(61),
        user: UserId(51),
        created_at: now,
        last_seen_at: now,
        browser: Some("Firefox".to_owned()),
        network: "192.0.2.0/24".to_owned(),
        device: Some("0a1b2c3d".to_owned()),
    }
}

/// The `n`-th of different events of the same project, measured `n` seconds after the clock's start.
pub fn a_new_event(n: i64) -> NewEvent {
    let draft = an_event_draft(n);
    let at = draft.measured_at;
    NewEvent::of_project(&a_project(), Some(JobId(31)), draft, at)
}

pub fn an_event_draft(n: i64) -> EventDraft {
    let at = FrozenClock::default().now() + TimeDelta::seconds(n);
    let run = EventRun {
        job: 31,
        simulated: false,
        method: "rankings/2",
    };
    let ranks = [5, 15].map(|position| {
        Some(EventState::Rank(RankFigure {
            position: Some(position),
            depth: None,
        }))
    });
    let [before, after] = ranks;
    EventDraft::fact(
        EventKind::RankChanged,
        EventSeverity::Notice,
        Subject::keyword(n, "rank tracker"),
        (before, after),
        at,
        &run,
        &[&n, &31],
    )
}

/// A content plan of [`a_project`] with one item that sets every field, and one that sets none.
///
/// # Panics
/// Never: the example is valid.
pub fn a_content_plan() -> ContentPlan {
    let now = FrozenClock::default().now();
    let text = |text: &str| KeywordText::parse(text).expect("a keyword");
    let full = PlanItem {
        keyword: text("rank tracker"),
        cluster: Label::parse("tracking").ok(),
        intent: Some(Intent::Commercial),
        action: PlanAction::Expand,
        target_url: Some("https://shop.example.com/tracker".to_owned()),
        title: Text::parse("Rank trackers compared").ok(),
        outline: { ["What they measure", "Prices"].iter() }
            .filter_map(|it| Text::parse(it).ok())
            .collect(),
        schema_types: Text::parse("Article").into_iter().collect(),
        priority: Some(12.5),
        effort: Some(Effort::Medium),
        status: ItemStatus::InProgress,
        due_on: NaiveDate::from_ymd_opt(2026, 12, 24),
        owner: Label::parse("Ann").ok(),
    };
    let bare = PlanItem {
        keyword: text("what is a rank tracker"),
        cluster: None,
        intent: None,
        action: PlanAction::Create,
        target_url: None,
        title: None,
        outline: vec![],
        schema_types: vec![],
        priority: None,
        effort: None,
        status: ItemStatus::Planned,
        due_on: None,
        owner: None,
    };
    ContentPlan {
        account: ACCOUNT,
        id: ContentPlanId(71),
        project: ProjectId(11),
        name: Label::parse("Winter").expect("a label"),
        clustered_by: Clustering::SharedResults,
        items: vec![full, bare],
        created_at: now,
        updated_at: now,
    }
}

/// Use cases on a storage, with a frozen clock, predictable ids and default policies.
pub fn core(storage: Arc<dyn Storage>) -> Core {
    Core {
        storage,
        clock: Arc::new(FrozenClock::default()),
        randomness: Arc::new(CountingRandomness::default()),
        mint: a_mint(),
        cipher: Arc::new(crate::ports::secret_cipher::NoKeyFile),
        policies: Policies::default(),
    }
}

pub fn a_mint() -> Arc<IdMint> {
    Arc::new(IdMint::new(
        Arc::new(FrozenClock::default()),
        Arc::new(CountingRandomness::default()),
    ))
}
