//! Initial state and arguments of use cases.

use domain::{
    idempotency::{Fingerprint, IdempotentRequest, StoredResponse},
    ids::{CallerId, JobId, ProjectId, UserId},
    job::{Job, kind::AnalysisKind, progress::Progress},
    keyword::{KeywordText, NewKeywords},
    market::Market,
    password::{PasswordHash, TypedPassword},
    project_overrides::{IgnoredSuggestion, SiteAnnotation, SiteRole},
    schedule::{Recurrence, Schedule},
    search_console::{Binding, Property},
    test_support::{
        ACCOUNT, MemoryStorage, PasswordRow, a_project, a_session, a_user, an_account,
        fixtures::{account, job, keyword, now, plan, project, session, token, user},
    },
    text::Label,
    throttle::AddressPrefix,
    use_cases::{
        idempotency::IdempotencyWriter,
        leases::LeaseToken,
        sessions::{ClientInfo, Member},
    },
};

pub const SHOP: ProjectId = ProjectId(11);
pub const RUNNING: JobId = JobId(31);
pub const WAITING: JobId = JobId(32);
pub const ANN: UserId = UserId(51);

/// An account with data of each kind: one job runs, another waits.
pub fn scene() -> MemoryStorage {
    let competitor = SiteAnnotation {
        domain: "rival.com".to_owned(),
        role: SiteRole::Competitor,
        class: None,
        annotated_at: now(),
    };
    let storage = MemoryStorage::default()
        .with(account().using(1, 1, 0))
        .with(user())
        .with(session(61))
        .with(token())
        .with(project().counting(1, 0))
        .with(keyword(21, "rust"))
        .with(keyword(22, "seo").deactivated())
        .with(running())
        .with(job(32).of(AnalysisKind::SiteAudit))
        .with(plan())
        .with(competitor);
    storage.put(|state| {
        let password = PasswordRow {
            hash: PasswordHash("old".to_owned()),
            changed_at: now(),
            devices_from: None,
        };
        state.passwords.insert((ACCOUNT, ANN), password);
        let schedule = schedule();
        let key = (ACCOUNT, SHOP, schedule.kind.name());
        state.schedules.insert(key, schedule);
        state.bindings.insert((ACCOUNT, SHOP), binding());
        let ignored = IgnoredSuggestion {
            id: "b2".to_owned(),
            reason: None,
            ignored_at: now(),
        };
        state
            .ignored
            .insert((ACCOUNT, SHOP, ignored.id.clone()), ignored);
    });
    storage
}

/// The same without a property of Search Console.
pub fn unbound() -> MemoryStorage {
    let storage = scene();
    storage.put(|state| state.bindings.clear());
    storage
}

pub fn running() -> domain::test_support::fixtures::Fixture<Job> {
    job(RUNNING.0).reserved(100).running_for(0)
}

pub fn lease_token() -> LeaseToken {
    LeaseToken::of(&running())
}

pub fn halfway() -> Progress {
    Progress {
        done: 1,
        total: 2,
        stages: vec![],
    }
}

/// Due.
pub fn schedule() -> Schedule {
    let rhythm = Recurrence::parse("daily", "02:30", "UTC").unwrap();
    let begun = Schedule::new(ACCOUNT, SHOP, AnalysisKind::WebVitals, rhythm, now());
    Schedule {
        kind: AnalysisKind::RankCheck,
        next_at: now(),
        ..begun
    }
}

/// Due.
pub fn binding() -> Binding {
    let property = Property::parse("sc-domain:shop.example.com", &a_project().domain).unwrap();
    Binding::new(ACCOUNT, SHOP, property, now())
}

pub fn member() -> Member {
    Member {
        account: an_account(),
        user: a_user(),
        granted_projects: None,
        session: a_session(),
        should_record_use: false,
    }
}

pub fn place() -> ClientInfo {
    ClientInfo {
        network: network(),
        browser: Some("Firefox".to_owned()),
        device: None,
    }
}

pub fn network() -> AddressPrefix {
    AddressPrefix::of("192.0.2.1".parse().unwrap())
}

pub fn password() -> TypedPassword {
    TypedPassword::parse("tkgz-81!rq04").unwrap()
}

pub fn label(text: &str) -> Label {
    Label::parse(text).unwrap()
}

pub fn keywords(texts: &[&str]) -> NewKeywords {
    let texts = texts.iter().map(|it| KeywordText::parse(it).unwrap());
    NewKeywords {
        texts: texts.collect(),
        ai_tracked: Some(true),
        market: Market::default(),
        tags: vec![],
    }
}

pub fn once_only() -> IdempotentRequest {
    IdempotentRequest {
        key: "key".to_owned(),
        fingerprint: Fingerprint::of("POST", "/", b""),
        caller: CallerId(41),
    }
}

pub fn answer() -> StoredResponse {
    StoredResponse {
        status: 201,
        location: None,
        etag: None,
        body: "{}".to_owned(),
    }
}

/// Of a request with a key.
pub fn idempotency_writer<T: 'static>(request: &IdempotentRequest) -> IdempotencyWriter<'_, T> {
    IdempotencyWriter {
        request,
        to_response: &|_| answer(),
    }
}
