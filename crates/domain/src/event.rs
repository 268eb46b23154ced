//! What happened in an account, as its event log keeps it.

use crate::ids::{AccountId, JobId, ProjectId};
use crate::project::Project;
use analysis::events::{Event, EventDraft, EventKind, EventProject, EventSeverity, SubjectKind};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// An event that the transaction of its cause adds to the log.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// `None` for events of the whole account.
    pub project: Option<ProjectId>,
    /// The job that found it.
    pub job: Option<JobId>,
    /// Unique within the account.
    pub dedupe_key: String,
    pub event: Event,
}

#[derive(Debug, Clone, PartialEq)]
pub struct LoggedEvent {
    pub account: AccountId,
    /// Ascending in the order of commits.
    pub seq: i64,
    pub entry: NewEvent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventFilter {
    /// Only these kinds.
    pub kinds: Vec<EventKind>,
    /// Only these severities.
    pub severities: Vec<EventSeverity>,
    /// Only events of these projects; `None` is all events, those of the whole account included.
    pub projects: Option<BTreeSet<ProjectId>>,
    /// Only events about this subject, by its kind and key.
    pub subject: Option<(SubjectKind, String)>,
    /// Only what was measured at or after this time.
    pub since: Option<DateTime<Utc>>,
    pub order: EventOrder,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventOrder {
    NewestFirst {
        /// Only events with a smaller sequence number.
        before: Option<i64>,
    },
    /// Only events with a greater sequence number.
    OldestFirst { after: i64 },
}

impl NewEvent {
    pub fn of_project(
        project: &Project,
        job: Option<JobId>,
        draft: EventDraft,
        at: DateTime<Utc>,
    ) -> Self {
        let named = EventProject {
            id: project.id.0,
            name: project.name.to_string(),
        };
        Self {
            project: Some(project.id),
            job,
            ..Self::published(draft, Some(named), at)
        }
    }

    pub fn of_account(draft: EventDraft, at: DateTime<Utc>) -> Self {
        Self::published(draft, None, at)
    }

    fn published(draft: EventDraft, project: Option<EventProject>, at: DateTime<Utc>) -> Self {
        Self {
            project: None,
            job: None,
            dedupe_key: draft.dedupe_key.clone(),
            event: draft.published(project, at),
        }
    }
}

impl EventFilter {
    pub fn matches(&self, logged: &LoggedEvent) -> bool {
        let entry = &logged.entry;
        let is_in_order = match self.order {
            EventOrder::NewestFirst { before } => before.is_none_or(|it| logged.seq < it),
            EventOrder::OldestFirst { after } => logged.seq > after,
        };
        let is_of_projects = self
            .projects
            .as_ref()
            .is_none_or(|projects| entry.project.is_some_and(|it| projects.contains(&it)));
        let subject = &entry.event.subject;
        let is_about = self
            .subject
            .as_ref()
            .is_none_or(|(kind, key)| (subject.kind, &subject.key()) == (*kind, key));
        let is_new = self.since.is_none_or(|it| entry.event.measured_at >= it);
        self.kinds.contains(&entry.event.kind)
            && self.severities.contains(&entry.event.severity)
            && is_in_order
            && is_of_projects
            && is_about
            && is_new
    }
}
