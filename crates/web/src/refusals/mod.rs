//! Converts use case errors to problems.

mod analyses;
mod requests;

pub use analyses::{analysis_refused, over_budget};
pub use requests::{
    in_progress, overloaded, session_missing, session_required, too_many, too_many_in_flight,
};

use crate::http::entity_tag::EntityTag;
use crate::links::{Link, NextAction, Operation};
use crate::problem::{Code, FieldError, Problem};
use crate::request_metrics;
use domain::allowance::{AllowanceExceeded, AllowanceName};
use domain::ids::{KeywordId, ProjectId};
use domain::ports::storage::StorageError;
use domain::rights::Right;
use domain::stored_data::{StorageExceeded, StorageQuota};
use domain::use_cases::analyses::ListAnalysesError;
use domain::use_cases::keywords::change::ChangeKeywordError;
use domain::use_cases::keywords::save::SaveKeywordsError;
use domain::use_cases::keywords::track::TrackKeywordsError;
use domain::use_cases::projects::change::ChangeProjectError;
use domain::use_cases::projects::create::CreateProjectError;
use domain::use_cases::sessions::Member;
use serde_json::json;
use std::{error::Error, time::Duration};

const CONTENTION: &str = "contention";

/// The same for foreign, unknown and invalid ids.
pub fn no_project() -> Problem {
    let problem = Problem::new(
        Code::ProjectNotFound,
        "The account has no project with this id.",
    );
    problem
        .hint("List the account's projects.")
        .next_action(all_projects(), "The account's projects")
}

pub fn no_keyword() -> Problem {
    let problem = Problem::new(
        Code::KeywordNotFound,
        "The account has no keyword with this id.",
    );
    problem
        .hint("List the keywords of the project.")
        .next_action(all_projects(), "The account's projects")
}

const fn all_projects() -> Link {
    Link::to(Operation::ListProjects)
}

pub fn no_content_plan(project: ProjectId) -> Problem {
    let problem = Problem::new(
        Code::ContentPlanNotFound,
        "The project has no content plan with this id.",
    );
    problem
        .hint("List the content plans of the project.")
        .next_action(
            Link::of(Operation::ListContentPlans, project.0),
            "The project's content plans",
        )
}

pub fn no_job() -> Problem {
    let problem = Problem::new(
        Code::JobNotFound,
        "The account has no analysis with this id.",
    );
    problem
        .hint("List the account's analyses.")
        .next_action(Link::to(Operation::ListAnalyses), "The account's analyses")
}

fn database_unavailable(detail: &str, hint: &str, wait: Duration) -> Problem {
    Problem::new(Code::DatabaseUnavailable, detail)
        .hint(hint)
        .retry_after(wait)
}

/// The cause is logged, not sent.
pub fn storage_failure(error: &StorageError) -> Problem {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    match error {
        StorageError::Interrupted(_) => {
            tracing::warn!("Others were in the way for too long: {message}");
            database_unavailable(
                "Other requests are changing the same data.",
                "Send the request again after the time in Retry-After.",
                Duration::from_secs(2),
            )
            .with("reason", CONTENTION)
        }
        StorageError::Unavailable(_) | StorageError::IdTaken => {
            tracing::warn!("The storage does not serve: {message}");
            database_unavailable(
                "The storage does not answer in time.",
                "Send the request again after the time in Retry-After.",
                Duration::from_secs(2),
            )
        }
        StorageError::Full(_) => {
            tracing::error!("The storage has no room: {message}");
            database_unavailable(
                "The disk of the storage is full: what is stored can be read, and nothing can be added or changed.",
                "Ask the operator to free disk space, then send the request again.",
                Duration::from_mins(1),
            )
            .with("reason", "diskFull")
        }
        StorageError::Damaged(_) => {
            tracing::error!("The storage is broken: {message}");
            database_unavailable(
                "The database is broken: some of what is stored can be read, and nothing can be added or changed.",
                "Ask the operator to restore a backup, then send the request again.",
                Duration::from_mins(5),
            )
            .with("reason", "databaseBroken")
        }
        StorageError::Conflict { .. } | StorageError::Corrupt { .. } | StorageError::ReadOnly => {
            tracing::error!("The storage failed: {message}");
            Problem::new(
                Code::InternalError,
                "An error in the service kept it from answering.",
            )
            .hint("Report the requestId to the operator.")
        }
    }
}

pub fn is_contention(problem: &Problem) -> bool {
    problem
        .extra
        .get("reason")
        .is_some_and(|it| it == CONTENTION)
}

pub fn precondition_failed(current: &EntityTag) -> Problem {
    resource_changed().with("currentEtag", current.text())
}

fn resource_changed() -> Problem {
    let problem = Problem::new(
        Code::PreconditionFailed,
        "It has changed since the ETag in If-Match was answered.",
    );
    problem.hint("Read it again, then repeat the change with the new ETag in If-Match.")
}

pub(crate) fn allowance_exceeded(error: AllowanceExceeded) -> Problem {
    let AllowanceExceeded {
        allowance,
        requested,
    } = error;
    request_metrics::count_quota_rejection(allowance.name.name());
    let detail = format!(
        "{} of {} {} are used; {requested} more do not fit.",
        allowance.used,
        allowance.limit,
        allowance.name.name()
    );
    let problem = Problem::new(Code::AllowanceExceeded, detail);
    let allowance_json = json!({ "name": allowance.name.name(), "used": allowance.used, "limit": allowance.limit, "requested": requested });
    problem.with("allowance", allowance_json).hint(match allowance.name {
        AllowanceName::StoredProjects => "Deactivated projects count until they are purged (see their purgeAt). Bring one of them back instead, or ask the operator for a higher limit.",
        AllowanceName::StoredKeywords => "Deactivated keywords count as long as their project is stored. Bring some of them back instead, or ask the operator for a higher limit.",
        _ => "Deactivate something of the same kind, ask for less, or ask the operator for a higher limit; waiting does not help.",
    })
}

pub fn storage_exceeded(error: StorageExceeded) -> Problem {
    let name = error.quota.name();
    request_metrics::count_quota_rejection(name);
    let allowance_json = json!({ "name": name, "used": error.used, "limit": error.limit, "requested": error.requested });
    let detail = format!(
        "{} of {} {name} are used; {} more do not fit.",
        error.used, error.limit, error.requested
    );
    let problem = Problem::new(Code::AllowanceExceeded, detail).with("allowance", allowance_json);
    problem.hint(match error.quota {
        StorageQuota::AccountBytes => "Remove content plans, import fewer rows, or ask the operator for a higher limit (storage.account_mebibytes); deactivated projects count until they are purged.",
        StorageQuota::ProjectRows => "Import fewer days or fewer columns, or ask the operator for a higher limit (storage.project_rows); rows that are too old are removed automatically.",
    })
}

fn deactivated() -> Problem {
    let problem = Problem::new(
        Code::ProjectDeactivated,
        "The project is deactivated; nothing in it can be changed or started.",
    );
    problem.hint("Bring the project back first: set its status to active.")
}

/// With the action that reactivates it.
pub fn deactivated_project(project: ProjectId) -> Problem {
    project_problem(project)(deactivated())
}

/// Adds the action that reactivates a deactivated project.
pub fn project_problem<E: Into<Problem>>(project: ProjectId) -> impl Fn(E) -> Problem {
    move |error| {
        let mut problem = error.into();
        if problem.code == Code::ProjectDeactivated {
            problem.next_actions.push(reactivate_action(project));
        }
        problem
    }
}

fn project_exists(existing: ProjectId) -> Problem {
    let link = Link::of(Operation::GetProject, existing.0);
    let problem = Problem::new(
        Code::ProjectExists,
        "The account has an active project for this domain.",
    );
    problem
        .existing(link.clone())
        .hint("Use the existing project.")
        .next_action(link, "The existing project")
}

fn keyword_exists(existing: KeywordId) -> Problem {
    let link = Link::of(Operation::UpdateKeyword, existing.0);
    let bring_back = NextAction::new(
        link.clone(),
        "Bring the existing keyword back, if it was deactivated",
    );
    let problem = Problem::new(
        Code::KeywordExists,
        "The project tracks this keyword in that market already.",
    );
    let mut problem = problem.existing(link).hint("Use the existing keyword.");
    { &mut problem.next_actions }.push(bring_back.sending(json!({ "status": "active" })));
    problem
}

fn foreign_target(own: &[String]) -> Problem {
    let rule = format!(
        "must be a page of the project's own domains ({}); the operator adds further ones with `sightline domains add`",
        own.join(", ")
    );
    Problem::invalid_value(FieldError::in_body("/targetUrl", "foreign-site", rule))
}

impl From<StorageError> for Problem {
    fn from(error: StorageError) -> Self {
        storage_failure(&error)
    }
}

impl From<CreateProjectError> for Problem {
    fn from(error: CreateProjectError) -> Self {
        match error {
            CreateProjectError::Exists(existing) => project_exists(existing),
            CreateProjectError::Allowance(error) => allowance_exceeded(error),
            CreateProjectError::UsedMeanwhile(_) => in_progress(),
            CreateProjectError::Storage(error) => storage_failure(&error),
        }
    }
}

impl From<ChangeProjectError> for Problem {
    fn from(error: ChangeProjectError) -> Self {
        match error {
            ChangeProjectError::NoSuchProject => no_project(),
            ChangeProjectError::NotAsExpected(_) => resource_changed(),
            ChangeProjectError::Deactivated => deactivated(),
            ChangeProjectError::Exists(existing) => project_exists(existing),
            ChangeProjectError::Allowance(error) => allowance_exceeded(error),
            ChangeProjectError::Storage(error) => storage_failure(&error),
        }
    }
}

impl From<TrackKeywordsError> for Problem {
    fn from(error: TrackKeywordsError) -> Self {
        match error {
            TrackKeywordsError::NoSuchProject => no_project(),
            TrackKeywordsError::ProjectDeactivated => deactivated(),
            TrackKeywordsError::Allowance(error) => allowance_exceeded(error),
            TrackKeywordsError::UsedMeanwhile(_) => in_progress(),
            TrackKeywordsError::Storage(error) => storage_failure(&error),
        }
    }
}

impl From<SaveKeywordsError> for Problem {
    fn from(error: SaveKeywordsError) -> Self {
        match error {
            SaveKeywordsError::NoSuchProject => no_project(),
            SaveKeywordsError::ProjectDeactivated => deactivated(),
            SaveKeywordsError::NoRoom(refused) => allowance_exceeded_for_items(&refused),
            SaveKeywordsError::UsedMeanwhile(_) => in_progress(),
            SaveKeywordsError::Storage(error) => storage_failure(&error),
        }
    }
}

/// For a bulk save: the first exceeded allowance, and the positions of all refused keywords.
fn allowance_exceeded_for_items(refused: &[(usize, AllowanceExceeded)]) -> Problem {
    let Some((_, first)) = refused.first() else {
        return Problem::new(Code::AllowanceExceeded, "There is no room.");
    };
    let name = first.allowance.name;
    let of_the_same = refused.iter().filter(|(_, it)| it.allowance.name == name);
    let requested = of_the_same.count().try_into().unwrap_or(u32::MAX);
    let mut problem = allowance_exceeded(AllowanceExceeded {
        allowance: first.allowance,
        requested,
    });
    problem.errors = { refused.iter() }
        .map(|(place, exceeded)| {
            let error = FieldError::in_body(
                format!("/keywords/{place}"),
                Code::AllowanceExceeded.name(),
                "there is no room for it",
            );
            error.with("allowance", exceeded.allowance.name.name())
        })
        .collect();
    problem
}

impl From<ChangeKeywordError> for Problem {
    fn from(error: ChangeKeywordError) -> Self {
        match error {
            ChangeKeywordError::NoSuchKeyword => no_keyword(),
            ChangeKeywordError::NotAsExpected(_) => resource_changed(),
            ChangeKeywordError::ProjectDeactivated(project) => deactivated_project(project),
            ChangeKeywordError::Exists(existing) => keyword_exists(existing),
            ChangeKeywordError::ForeignTarget(sites) => foreign_target(&sites),
            ChangeKeywordError::Allowance(error) => allowance_exceeded(error),
            ChangeKeywordError::Storage(error) => storage_failure(&error),
        }
    }
}

impl From<ListAnalysesError> for Problem {
    fn from(error: ListAnalysesError) -> Self {
        match error {
            ListAnalysesError::NoSuchProject => no_project(),
            ListAnalysesError::Storage(error) => storage_failure(&error),
        }
    }
}

/// Without an example: only the caller knows the keywords.
pub const fn add_keywords(project: ProjectId) -> NextAction {
    let link = Link::of(Operation::AddKeywords, project.0);
    NextAction::new(link, "Add keywords: send yours as `keywords`")
}

pub fn track_keywords(project: ProjectId) -> NextAction {
    let link = Link::of(Operation::AddKeywords, project.0);
    let action = NextAction::new(link, "Add AI-tracked keywords: send yours as `keywords`");
    action.sending(json!({ "aiTracked": true }))
}

pub fn reactivate_action(project: ProjectId) -> NextAction {
    let link = Link::of(Operation::UpdateProject, project.0);
    NextAction::new(link, "Bring the project back").sending(json!({ "status": "active" }))
}

/// The same for every link that does not work.
pub fn link_invalid() -> Problem {
    Problem::new(Code::LinkInvalid, "This link does not work.").hint("Ask for a new one.")
}

pub fn email_taken() -> Problem {
    Problem::new(
        Code::EmailTaken,
        "The e-mail address cannot be used to sign in here.",
    )
    .hint("Choose another address.")
}

/// The member may see what exists, but not do this.
pub fn role_insufficient(member: &Member, right: Right) -> Problem {
    let role = member.user.role;
    let detail = format!("Your role in this account, {role}, does not allow this.");
    let problem = Problem::new(Code::RoleInsufficient, detail);
    problem
        .with("role", role.name())
        .with("requiredRight", right.name())
        .hint("An owner or admin of the account can do it, or change your role under Settings → Members.")
}

pub fn reauthentication_required() -> Problem {
    let problem = Problem::new(
        Code::ReauthenticationRequired,
        "This needs the password, given no longer than ten minutes ago.",
    );
    problem
        .hint("Send the password with POST /api/session/reauthenticate, and then this again with the new cookie and token.")
        .next_action(Link::to(Operation::Reauthenticate), "Give the password again")
}
