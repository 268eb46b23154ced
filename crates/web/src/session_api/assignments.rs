//! /api/projects/:id/assignments: who takes care of issues and suggestions.

use crate::contract::fields::{Given, read_body};
use crate::contract::{Body, body, string_enums};
use crate::endpoint::Call;
use crate::links::{Link, Operation};
use crate::problem::{Code, FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::assignment::{Assignment, AssignmentNote, AssignmentSubject, SubjectKind};
use domain::ids::{ProjectId, UserId};
use domain::text::Label;
use domain::use_cases::assignments::{AssignError, MAX_ASSIGNMENTS};
use serde_json::{Value, json};
use std::sync::Arc;

string_enums!(SubjectKind);

body! {
    Assign {
        kind: SubjectKind = required "subject";
        key: Label = required "key", "An issue's code or a suggestionId.";
        member: UserId = nullable "memberId", "null removes the assignment.";
        note: AssignmentNote = nullable "note";
    }
}

/// In the order of subjects.
pub async fn list(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project_id()?;
    call.query.finish()?;
    let found = services.core.assignments(call.account(), project).await?;
    let found = found.ok_or_else(refusals::no_project)?;
    let items: Vec<Value> = found.iter().map(view).collect();
    let document = json!({ "limit": MAX_ASSIGNMENTS, "items": items, "nextCursor": null });
    Ok(ApiResponse::value(&document))
}

/// Replaces or removes the assignment of an issue or suggestion.
pub async fn set(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?.id;
    call.query.finish()?;
    let (subject, member, note) = read_body(&call.body, |body: &Assign| {
        let (kind, key, member, note) = (body.kind(), body.key(), body.member(), body.note());
        if matches!(member, Given::Absent) {
            body.fields().note_at("memberId", "required", "is required");
        }
        let subject = AssignmentSubject {
            kind: kind?,
            key: key?.to_string(),
        };
        Some((subject, value_of(member), value_of(note)))
    })?;
    let core = &services.core;
    let outcome = if let Some(member) = member {
        let by = call.member()?;
        let assigned = core.assign(by, project, subject, member, note).await;
        assigned.map(|it| view(&it))
    } else {
        let unassigned = core.unassign(call.account(), project, &subject).await;
        unassigned.map(|_was_assigned| Value::Null)
    };
    let assignment = outcome.map_err(|error| refused(error, project))?;
    Ok(ApiResponse::value(&json!({ "assignment": assignment })))
}

fn value_of<T>(given: Given<T>) -> Option<T> {
    match given {
        Given::Value(value) => Some(value),
        Given::Absent | Given::Null | Given::Invalid => None,
    }
}

fn view(assignment: &Assignment) -> Value {
    json!({
        "subject": assignment.subject.kind.name(),
        "key": assignment.subject.key,
        "memberId": assignment.member.0,
        "assignedBy": assignment.assigned_by.0,
        "assignedAt": assignment.assigned_at,
        "note": assignment.note.as_ref().map(AssignmentNote::as_str),
    })
}

fn refused(error: AssignError, project: ProjectId) -> Problem {
    let text = error.to_string();
    let at = |pointer, hint: &'static str, link, title: &'static str| {
        let problem = Problem::invalid_value(FieldError::in_body(pointer, "invalid-value", &text));
        problem.hint(hint).next_action(link, title)
    };
    match error {
        AssignError::Storage(error) => error.into(),
        AssignError::NoSuchProject => refusals::no_project(),
        AssignError::ProjectDeactivated => refusals::deactivated_project(project),
        AssignError::NoSuchSubject => at(
            "/key",
            "Read the project's suggestions, or the issues of its content results.",
            Link::of(Operation::GetResults, project.0),
            "The project's results",
        ),
        AssignError::NoSuchMember => at(
            "/memberId",
            "List the members.",
            Link::to(Operation::ListMembers),
            "Members and invitations",
        ),
        AssignError::TooMany => {
            let allowance = json!({ "name": "assignments", "used": MAX_ASSIGNMENTS, "limit": MAX_ASSIGNMENTS, "requested": 1 });
            Problem::new(Code::AllowanceExceeded, text.clone())
                .with("allowance", allowance)
                .hint("Remove assignments first.")
        }
    }
}
