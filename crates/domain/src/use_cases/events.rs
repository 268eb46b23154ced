//! The event log: reading it, and events that are not derived from results.

use super::Core;
use super::sessions::Member;
use crate::event::{EventFilter, EventOrder, LoggedEvent, NewEvent};
use crate::ids::AccountId;
use crate::job::progress::StageStatus;
use crate::job::{Job, JobState};
use crate::ports::storage::{StorageError, Transaction};
use crate::rights::Right;
use crate::token::ApiToken;
use crate::user::User;
use analysis::events::{
    AccessFact, EventDraft, EventKind, EventRun, EventSeverity, EventState, Subject, SubjectKind,
    analysis_failed,
};
use chrono::{DateTime, Timelike, Utc};

/// Of an event that is not derived from results.
const NO_RESULTS: EventRun<'_> = EventRun {
    job: 0,
    simulated: false,
    method: "",
};

impl Core {
    pub async fn events(
        &self,
        account: AccountId,
        filter: &EventFilter,
        limit: u32,
    ) -> Result<Vec<LoggedEvent>, StorageError> {
        let mut read = self.storage.read().await?;
        read.events().list(account, filter, limit).await
    }
}

impl Member {
    /// The events that the member may read, newest first.
    pub fn readable_events(&self) -> EventFilter {
        let may_read = |it: &EventKind| self.holds(Right::to_read_events(it.info().class));
        EventFilter {
            kinds: EventKind::ALL.into_iter().filter(may_read).collect(),
            severities: EventSeverity::ALL.to_vec(),
            projects: self.granted_projects.clone(),
            subject: None,
            since: None,
            order: EventOrder::NewestFirst { before: None },
        }
    }
}

/// Adds the event of a job that failed, in the transaction that ends it.
pub(super) async fn add_failure(work: &mut dyn Transaction, job: &Job) -> Result<(), StorageError> {
    let at = job.finished_at;
    let (JobState::Failed | JobState::Expired, Some(at)) = (job.state, at) else {
        return Ok(());
    };
    let Some(project) = work.projects().find(job.account, job.project).await? else {
        return Ok(());
    };
    let run = EventRun {
        job: job.id.0,
        ..NO_RESULTS
    };
    let code = job.error().map_or("", |it| it.code.as_str());
    let stage = { job.progress.stages.iter() }.find(|it| it.status == StageStatus::Running);
    let stage = stage.map_or("", |it| it.name.as_str());
    let draft = analysis_failed(&run, job.kind, (code, stage), at);
    let event = NewEvent::of_project(&project, Some(job.id), draft, at);
    work.events().append(job.account, &[event]).await
}

/// Adds an event about an API token, in the transaction of its cause.
pub(super) async fn add_of_token(
    work: &mut dyn Transaction,
    kind: EventKind,
    token: &ApiToken,
    at: DateTime<Utc>,
) -> Result<(), StorageError> {
    let severity = match kind {
        EventKind::TokenLeaked => EventSeverity::Critical,
        _ => EventSeverity::Notice,
    };
    let label = format!("{}, ending with {}", token.name, token.last_four);
    let subject = Subject::new(SubjectKind::Token, Some(token.id.0), &label, None);
    let draft = EventDraft::fact(
        kind,
        severity,
        subject,
        (None, None),
        at,
        &NO_RESULTS,
        &[&token.id],
    );
    let event = NewEvent::of_account(draft, at);
    work.events().append(token.account, &[event]).await
}

/// Adds the event of a sign-in on a device that is not known.
pub(super) async fn add_new_device(
    work: &mut dyn Transaction,
    person: &User,
    access: AccessFact,
    at: DateTime<Utc>,
) -> Result<(), StorageError> {
    let severity = EventSeverity::Notice;
    add_sign_in(
        work,
        (EventKind::NewDevice, severity),
        person,
        access,
        at,
        &at.timestamp(),
    )
    .await
}

/// Adds the event of failed sign-ins, at most one an hour.
pub(super) async fn add_failed_sign_ins(
    work: &mut dyn Transaction,
    person: &User,
    failures: u32,
    at: DateTime<Utc>,
) -> Result<(), StorageError> {
    let access = AccessFact {
        browser: None,
        network: None,
        count: failures.into(),
    };
    let hour = format!("{}T{:02}", at.date_naive(), at.hour());
    let severity = EventSeverity::Warning;
    add_sign_in(
        work,
        (EventKind::SignInFailed, severity),
        person,
        access,
        at,
        &hour,
    )
    .await
}

async fn add_sign_in(
    work: &mut dyn Transaction,
    (kind, severity): (EventKind, EventSeverity),
    person: &User,
    access: AccessFact,
    at: DateTime<Utc>,
    once: &(dyn std::fmt::Display + Send + Sync),
) -> Result<(), StorageError> {
    let subject = Subject::new(
        SubjectKind::Person,
        Some(person.id.0),
        person.name.as_str(),
        None,
    );
    let draft = EventDraft::fact(
        kind,
        severity,
        subject,
        (None, Some(EventState::Access(access))),
        at,
        &NO_RESULTS,
        &[&person.id, once],
    );
    let event = NewEvent::of_account(draft, at);
    work.events().append(person.account, &[event]).await
}
