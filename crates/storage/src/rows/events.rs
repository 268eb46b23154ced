use super::from_json;
use super::stored::{Stored, row};
use crate::instant::At;
use crate::schema::events;
use analysis::document::Document;
use analysis::events::{EventKind, EventSeverity, SubjectKind};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::event::{LoggedEvent, NewEvent};
use domain::ids::{AccountId, JobId, ProjectId};

/// As the column `subject` holds it.
pub fn subject_key(kind: SubjectKind, key: &str) -> String {
    format!("{}:{key}", kind.name())
}

row! {
    struct EventRow(events) {
        account_id: AccountId,
        seq: i64,
        at: DateTime<Utc> = At(event.at),
        measured_at: DateTime<Utc> = At(event.measured_at),
        kind: EventKind = event.kind.column(),
        severity: EventSeverity = event.severity.column(),
        project_id: Option<ProjectId>,
        subject: String = subject_key(event.subject.kind, &event.subject.key()),
        job_id: Option<JobId>,
        simulated: bool = event.simulated,
        dedupe_key: String,
        body: String = Document::of(event).column(),
    }
    LoggedEvent {
        account: account_id, seq, entry: NewEvent { project: project_id, job: job_id, dedupe_key, event },
    }
    where {
        event = from_json(&body, "an event")?;
    }
}
