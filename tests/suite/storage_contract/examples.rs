//! Fixtures: account 1 with project 11, keyword 21 and job 31; account 2 alike.

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use domain::rights::Role;
use domain::sealed_secret::{KeyId, SealedSecret, SecretOwner, WrappedKey};
use domain::{
    account::{Account, AccountLimits, AccountStatus, AccountUsage},
    domain_name::SiteDomain,
    email::EmailAddress,
    ids::{AccountId, JobId, KeywordId, ProjectId, UserId},
    job::{Job, dedupe_key},
    keyword::{Keyword, KeywordText},
    ports::clock::Clock,
    project::Project,
    report_settings::EffectiveReportSettings,
    test_support::{FrozenClock, a_job, a_keyword, a_project},
    text::Label,
    user::User,
};
use harness::databases::HasStorage;

pub const ANN: AccountId = AccountId(1);
pub const BOB: AccountId = AccountId(2);
pub const SHOP: ProjectId = ProjectId(11);
pub const MONTH: NaiveDate = NaiveDate::from_ymd_opt(2026, 11, 1).unwrap();

/// Runs the body in a transaction and commits.
macro_rules! change {
    ($db:expr, $tx:ident => $body:expr) => {{
        let mut $tx = ::harness::databases::HasStorage::storage(&$db)
            .write()
            .await
            .unwrap();
        let outcome = $body;
        $tx.commit().await.unwrap();
        outcome
    }};
}

/// Runs the body with a reader.
macro_rules! read {
    ($db:expr, $reader:ident => $body:expr) => {{
        let mut $reader = ::harness::databases::HasStorage::storage(&$db)
            .read()
            .await
            .unwrap();
        $body
    }};
}

pub fn now() -> DateTime<Utc> {
    FrozenClock::default().now()
}

pub fn after(seconds: i64) -> DateTime<Utc> {
    now() + TimeDelta::seconds(seconds)
}

pub fn tick() -> TimeDelta {
    TimeDelta::microseconds(1)
}

pub fn day(before: u64) -> NaiveDate {
    now().date_naive() - Days::new(before)
}

pub fn account(id: AccountId) -> Account {
    Account {
        id,
        name: Label::parse("Agency žluť").unwrap(),
        status: AccountStatus::Active,
        limits: AccountLimits::default(),
        usage: AccountUsage::default(),
        report_defaults: EffectiveReportSettings::default(),
        audit_days: None,
        created_at: after(id.0),
    }
}

pub fn owner(account: AccountId) -> User {
    User {
        account,
        id: UserId(account.0 + 100),
        email: EmailAddress::parse(&format!("owner{account}@example.com")).unwrap(),
        name: Label::parse("Ann").unwrap(),
        created_at: now(),
        role: Role::Owner,
        invited_by: None,
        left_at: None,
    }
}

pub fn project(account: AccountId, id: i64) -> Project {
    let domain = format!("shop{id}.example.com");
    Project {
        account,
        id: ProjectId(id),
        domain: SiteDomain::accepted(domain.clone(), domain),
        ..a_project()
    }
}

pub fn keyword(account: AccountId, id: i64, text: &str) -> Keyword {
    Keyword {
        account,
        id: KeywordId(id),
        text: KeywordText::parse(text).unwrap(),
        ..a_keyword(text)
    }
}

pub fn job(account: AccountId, id: i64) -> Job {
    Job {
        account,
        id: JobId(id),
        dedupe_key: format!(
            "{id}{}",
            dedupe_key(SHOP, a_job().kind, &a_job().keywords, &a_job().models)
        ),
        ..a_job()
    }
}

/// Both accounts, each with its project 11.
pub async fn two_accounts(db: &impl HasStorage) {
    change!(db, tx => for id in [ANN, BOB] {
        tx.accounts().add(&account(id), &owner(id)).await.unwrap();
        tx.projects().add(&project(id, 11)).await.unwrap();
    });
}

/// Both accounts, with keyword 21 and job 31 each.
pub async fn two_accounts_at_work(db: &impl HasStorage) {
    two_accounts(db).await;
    change!(db, tx => for id in [ANN, BOB] {
        tx.keywords().add(&[keyword(id, 21, "rust seo")]).await.unwrap();
        tx.jobs().add(&job(id, 31)).await.unwrap();
    });
}

/// Stores a job of the first account.
pub async fn add_job(db: &impl HasStorage, job: &Job) {
    change!(db, tx => tx.jobs().add(job).await.unwrap());
}

/// A data key of the server; `by` selects the key that wraps it.
pub fn server_key(version: u32, by: u8) -> WrappedKey {
    WrappedKey {
        owner: SecretOwner::Server,
        version,
        wrapped_by: KeyId([by; 8]),
        wrapped: vec![by; 90],
        created_at: now(),
    }
}

pub fn sealed(purpose: &str, number: u32) -> SealedSecret {
    SealedSecret {
        purpose: purpose.to_owned(),
        number,
        key_version: 1,
        envelope: vec![7; 82],
        created_at: now(),
    }
}
