//! Stored state: a map for each table, keyed by its primary key.

use crate::account::Account;
use crate::ai_models::ModelSettings;
use crate::assignment::{Assignment, AssignmentSubject};
use crate::audit::AuditEvent;
use crate::content_plan::ContentPlan;
use crate::email::EmailAddress;
use crate::event::LoggedEvent;
use crate::idempotency::IdempotencyRecord;
use crate::ids::{
    AccountId, AnswerId, AuditEventId, ConsoleSpanId, ContentPlanId, DeliveryId, FlightId,
    InvitationId, JobId, KeywordId, PersonLinkId, ProjectId, SearchId, SessionId, TokenId, UserId,
};
use crate::invitation::Invitation;
use crate::job::Job;
use crate::job::account_queue::AccountQueue;
use crate::kept_answers::{KeptAnswer, KeywordTallies, TallyCursor};
use crate::kept_pages::{KeptPage, StagedPage, Validators};
use crate::keyword::Keyword;
use crate::keyword_research::{Flight, KeptResearch, Reservation, Search, SubjectKey};
use crate::link::{LinkHash, LinkTarget, PersonLink};
use crate::mail::{Delivery, Suppression};
use crate::password::PasswordHash;
use crate::ports::paid_call_ledger::PaidCallOutcome;
use crate::ports::server_notes::ServerNote;
use crate::ports::spending::{Counter, Spending};
use crate::ports::storage::StorageError;
use crate::project::Project;
use crate::project_overrides::{BrandNames, IgnoredSuggestion, SiteAnnotation};
use crate::results::{KeywordMeasurement, ResultHead, StagedFinding};
use crate::schedule::Schedule;
use crate::sealed_secret::{SealedSecret, WrappedKey};
use crate::search_console::{Binding, ImportInfo, RowSet};
use crate::session::{Session, SessionHash};
use crate::throttle::Throttle;
use crate::token::{ApiToken, TokenHash};
use crate::user::User;
use analysis::document::Document;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

/// Rows of an account by id.
pub type Table<Id, Row> = BTreeMap<(AccountId, Id), Row>;
/// Rows of a project by their key within it.
pub type InProject<Id, Row> = BTreeMap<(AccountId, ProjectId, Id), Row>;
/// Rows of a job, likewise.
pub type InJob<Id, Row> = BTreeMap<(AccountId, JobId, Id), Row>;

#[derive(Debug, Clone, PartialEq)]
pub struct PasswordRow {
    pub hash: PasswordHash,
    pub changed_at: DateTime<Utc>,
    pub devices_from: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct WrittenCallRow {
    pub step: String,
    pub begun_at: DateTime<Utc>,
    pub ended: Option<(PaidCallOutcome, DateTime<Utc>)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct VisitedPageRow {
    pub page: KeptPage,
    pub validators: Validators,
    pub visited_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ImportRow {
    pub project: ProjectId,
    pub set: RowSet,
    pub import_info: ImportInfo,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct State {
    pub accounts: BTreeMap<AccountId, Account>,
    pub users: Table<UserId, User>,
    /// Home account, person, and the account that the person joined besides.
    pub joined: BTreeSet<(AccountId, UserId, AccountId)>,
    pub operators: Table<UserId, DateTime<Utc>>,
    pub grants: BTreeSet<(AccountId, UserId, ProjectId)>,
    pub invitations: Table<InvitationId, (Invitation, Option<LinkHash>)>,
    pub deliveries: Table<DeliveryId, Delivery>,
    pub suppressions: Table<(EmailAddress, &'static str), Suppression>,
    pub person_links: Table<PersonLinkId, PersonLink>,
    pub link_hashes: BTreeMap<[u8; 32], LinkTarget>,
    pub passwords: Table<UserId, PasswordRow>,
    pub sessions: Table<SessionId, (Session, SessionHash)>,
    pub tokens: Table<TokenId, (ApiToken, TokenHash)>,
    pub throttles: BTreeMap<[u8; 32], Throttle>,
    pub server_notes: BTreeMap<String, ServerNote>,
    pub secrets: BTreeMap<String, [u8; 32]>,
    pub server_keys: BTreeMap<u32, WrappedKey>,
    pub sealed: BTreeMap<(String, u32), SealedSecret>,
    pub idempotency: Table<String, IdempotencyRecord>,
    pub audit: Table<AuditEventId, AuditEvent>,
    /// By sequence number.
    pub events: Table<i64, LoggedEvent>,
    pub event_heads: BTreeMap<AccountId, i64>,
    pub projects: Table<ProjectId, Project>,
    pub keywords: Table<KeywordId, Keyword>,
    pub named_sites: InProject<String, SiteAnnotation>,
    pub brands: InProject<String, BrandNames>,
    pub ignored: InProject<String, IgnoredSuggestion>,
    pub assignments: InProject<AssignmentSubject, Assignment>,
    pub plans: Table<ContentPlanId, ContentPlan>,
    pub jobs: Table<JobId, Job>,
    pub queues: BTreeMap<AccountId, AccountQueue>,
    /// By name of kind.
    pub schedules: InProject<&'static str, Schedule>,
    pub bindings: Table<ProjectId, Binding>,
    pub imports: Table<ConsoleSpanId, ImportRow>,
    pub spending: BTreeMap<Counter, Spending>,
    /// By epoch and number.
    pub paid_calls: InJob<(i64, i64), WrittenCallRow>,
    pub markets: BTreeMap<SubjectKey, KeptResearch>,
    pub flights: BTreeMap<SubjectKey, Flight>,
    pub quotas: Table<NaiveDate, u32>,
    pub reservations: Table<FlightId, Reservation>,
    pub searches: Table<SearchId, Search>,
    pub models: Table<String, ModelSettings>,
    pub model_uses: Table<String, DateTime<Utc>>,
    pub measurements: InProject<(KeywordId, JobId), KeywordMeasurement>,
    /// The measurement with the newest page of each keyword.
    pub latest_pages: InProject<KeywordId, KeywordMeasurement>,
    /// By name of type, and ordinal.
    pub staged: InJob<(&'static str, i64), StagedFinding>,
    pub journal: InJob<i64, Vec<u8>>,
    pub staged_pages: InJob<String, StagedPage>,
    pub pages: InProject<String, VisitedPageRow>,
    /// By name of type, job and ordinal.
    pub findings: InProject<(&'static str, JobId, i64), StagedFinding>,
    pub heads: InProject<&'static str, ResultHead>,
    pub carries: InProject<&'static str, Document>,
    pub answers: Table<AnswerId, (ProjectId, KeptAnswer)>,
    pub tallies: InProject<(String, TallyCursor), KeywordTallies>,
}

/// Adds a row under an application-made id.
pub fn add<K: Ord, V>(table: &mut BTreeMap<K, V>, key: K, row: V) -> Result<(), StorageError> {
    match table.entry(key) {
        Entry::Occupied(_) => Err(StorageError::IdTaken),
        Entry::Vacant(place) => {
            place.insert(row);
            Ok(())
        }
    }
}

/// Removes up to `limit` rows in key order; returns how many.
pub fn remove<K: Ord + Clone, V>(
    table: &mut BTreeMap<K, V>,
    limit: u32,
    is_over: impl Fn(&K, &V) -> bool,
) -> u64 {
    let over = table.iter().filter(|(key, row)| is_over(key, row));
    let over: Vec<K> = over.take(limit as usize).map(|it| it.0.clone()).collect();
    for key in &over {
        table.remove(key);
    }
    over.len() as u64
}

/// The same in the order of `age`.
pub fn remove_oldest<K: Ord + Clone, V, A: Ord>(
    table: &mut BTreeMap<K, V>,
    limit: u32,
    is_over: impl Fn(&K, &V) -> bool,
    age: impl Fn(&V) -> A,
) -> u64 {
    let over = table.iter().filter(|(key, row)| is_over(key, row));
    let mut over: Vec<(A, K)> = over.map(|(key, row)| (age(row), key.clone())).collect();
    over.sort_unstable();
    over.truncate(limit as usize);
    for (_, key) in &over {
        table.remove(key);
    }
    over.len() as u64
}
