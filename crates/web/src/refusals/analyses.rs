//! Refusals of analyses and other paid actions.

use super::{
    add_keywords, deactivated_project, in_progress, no_project, storage_failure, track_keywords,
};
use crate::links::{Link, Operation};
use crate::problem::{Code, FieldError, Problem};
use crate::request_metrics;
use chrono::{DateTime, Utc};
use domain::ids::ProjectId;
use domain::job::kind::AnalysisKind;
use domain::use_cases::budgets::{Budget, OverBudget};
use domain::use_cases::request_analysis::RequestAnalysisError;
use serde_json::json;
use std::time::Duration;

pub fn analysis_refused(error: RequestAnalysisError, project: ProjectId) -> Problem {
    match error {
        RequestAnalysisError::NoSuchProject => no_project(),
        RequestAnalysisError::AccountDisabled => {
            let problem = Problem::new(Code::TokenInvalid, "The account is switched off.");
            problem.hint("Ask the operator to enable the account (`sightline account enable`).")
        }
        RequestAnalysisError::ProjectDeactivated => deactivated_project(project),
        RequestAnalysisError::NoSuchKeyword => {
            let problem = Problem::new(
                Code::KeywordNotFound,
                "Not all of keywordIds are active keywords of the project.",
            );
            problem
                .hint(
                    "Name active keywords of the project, or leave keywordIds out to measure all.",
                )
                .next_action(
                    Link::of(Operation::ListKeywords, project.0),
                    "The project's active keywords",
                )
        }
        RequestAnalysisError::NotBuilt(kind) => not_built(kind),
        RequestAnalysisError::NothingToMeasure => {
            let problem = Problem::new(
                Code::NothingToMeasure,
                "The project has no active keywords to measure.",
            );
            let mut problem = problem.hint("Add keywords first.");
            problem.next_actions.push(add_keywords(project));
            problem
        }
        RequestAnalysisError::NothingTracked | RequestAnalysisError::NotTracked => {
            not_tracked(&error, project)
        }
        RequestAnalysisError::NoActiveEngine => Problem::new(
            Code::NothingToMeasure,
            "The account asks none of the AI engines.",
        )
        .hint("Ask the owner to switch a model on (`sightline models set`).")
        .next_action(
            Link::to(Operation::ListModels),
            "The models and which are active",
        ),
        RequestAnalysisError::EngineNotActive { named, active } => {
            let message = format!("`{named}` is none of the account's active models");
            let active: Vec<&str> = active.iter().map(String::as_str).collect();
            let error = FieldError::in_body("/models", "invalid-value", message);
            Problem::invalid(vec![error.with_allowed(&active, &named)])
        }
        RequestAnalysisError::AccountQueueFull { limit } => {
            request_metrics::count_quota_rejection(request_metrics::UNFINISHED_ANALYSES);
            let problem = Problem::new(
                Code::QuotaExceeded,
                format!("The account has {limit} unfinished analyses, the most it may have."),
            );
            let quota = json!({ "name": "unfinishedAnalyses", "used": limit, "limit": limit, "resetsAt": null });
            problem
                .with("quota", quota)
                .hint("Wait until some are finished; deactivating a project stops its own.")
                .retry_after(Duration::from_mins(1))
        }
        RequestAnalysisError::ServerQueueFull => {
            request_metrics::count_quota_rejection(request_metrics::SERVER_QUEUE);
            let problem = Problem::new(
                Code::QueueFull,
                "The server takes no more analyses for now.",
            );
            problem
                .hint("Send the request again after the time in Retry-After.")
                .retry_after(Duration::from_mins(1))
        }
        RequestAnalysisError::PaidCallRefused(unpaid) => {
            let detail = format!("What the analysis needs is not fetched: {unpaid}.");
            Problem::new(Code::FeatureDisabled, detail).hint(unpaid.hint())
        }
        RequestAnalysisError::OverBudget(over) => over_budget(&over, "Measure fewer keywords"),
        RequestAnalysisError::KeyUsedConcurrently(_) | RequestAnalysisError::FiredConcurrently => {
            in_progress()
        }
        RequestAnalysisError::Storage(error) => storage_failure(&error),
    }
}

/// `instead`: alternative to waiting.
pub fn over_budget(over: &OverBudget, instead: &str) -> Problem {
    let OverBudget {
        which,
        until,
        budget,
        spending,
        requested,
    } = *over;
    request_metrics::count_quota_rejection(which.name());
    let (subject, next, spending) = match (which, spending) {
        (Budget::Month, Some(spending)) => ("The month's budget", "month", spending),
        (Budget::Day, Some(spending)) => ("The day's budget", "day (UTC)", spending),
        (Budget::ServerDay, _) | (_, None) => return server_day_spent(until, instead),
    };
    let detail = format!(
        "{subject} is {budget} USD; {} are spent, {} set aside, and this needs {requested}.",
        spending.spent, spending.reserved
    );
    let quota = json!({ "name": which.name(), "used": spending.taken().to_string(), "limit": budget.to_string(), "currency": "USD", "resetsAt": until });
    Problem::new(Code::QuotaExceeded, detail)
        .with("quota", quota)
        .hint(format!(
            "{instead}, wait for the next {next}, or ask the operator for a higher budget."
        ))
}

/// Does not reveal spending of other accounts.
fn server_day_spent(until: DateTime<Utc>, instead: &str) -> Problem {
    let quota = json!({ "name": Budget::ServerDay.name(), "used": null, "limit": null, "currency": "USD", "resetsAt": until });
    Problem::new(
        Code::QuotaExceeded,
        "What this server may spend on a day is spent or set aside.",
    )
    .with("quota", quota)
    .hint(format!("{instead}, wait for the next day (UTC), or ask the operator for a higher search.most_per_day."))
}

/// Only AI-tracked keywords are measured in AI answers.
fn not_tracked(error: &RequestAnalysisError, project: ProjectId) -> Problem {
    let keywords = Link::of(Operation::ListKeywords, project.0);
    if matches!(error, RequestAnalysisError::NotTracked) {
        return Problem::new(
            Code::NothingToMeasure,
            "Not all of keywordIds are AI-tracked.",
        )
        .hint("Name AI-tracked keywords, or set aiTracked of these to true.")
        .next_action(
            keywords.with("aiTracked", true),
            "The project's AI-tracked keywords",
        );
    }
    let problem = Problem::new(
        Code::NothingToMeasure,
        "The project has no AI-tracked keywords to measure.",
    );
    let mut problem = problem.hint("Set aiTracked of keywords to true, or add AI-tracked ones.");
    problem.next_actions.push(track_keywords(project));
    problem.next_action(keywords, "The keywords that could be tracked")
}

fn not_built(kind: AnalysisKind) -> Problem {
    let built: Vec<&str> = AnalysisKind::IMPLEMENTED
        .iter()
        .map(|kind| kind.name())
        .collect();
    let problem = Problem::new(
        Code::FeatureDisabled,
        format!("This version does not run {} yet.", kind.name()),
    );
    problem
        .with("available", built.clone())
        .hint(format!("Start one of {}.", built.join(", ")))
}
