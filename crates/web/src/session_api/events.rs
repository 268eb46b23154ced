//! GET /api/events: what happened in the account.

use super::sign_in::no_store;
use crate::contract::{Number, Time, query, string_enums};
use crate::endpoint::MemberCall;
use crate::paging::PageLimits;
use crate::problem::Problem;
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use analysis::events::{EventKind, EventSeverity, sentence};
use domain::event::{EventFilter, EventOrder, LoggedEvent};
use domain::ids::ProjectId;
use domain::use_cases::sessions::Member;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;

const LIST_LIMITS: PageLimits = PageLimits {
    default: 100,
    max: 500,
};

query! {
    pub(crate) ReadEvents {
        limit: Number<1, { LIST_LIMITS.max }> = optional "limit", "How many events.";
        project: ProjectId = optional "projectId", "Events of this project alone.";
        kind: EventKind = optional "kind", "Events of this kind alone.";
        severity: EventSeverity = optional "severity", "Events of this severity and above.";
        from: Time = optional "from", "Events measured from this moment on.";
        before: Number<1, { u32::MAX }> = optional "before", "Events before this `seq`, newest first.";
        after: Number<0, { u32::MAX }> = optional "after", "Events after this `seq`, oldest first: the last `seq` of an answer continues the log without a gap.";
    }
}
string_enums!(EventKind, EventSeverity);

/// Newest first, unless `after` is given. Events that the member's role may not read are left out.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let parameters = ReadEvents(&call.query);
    let limit = parameters.limit().unwrap_or(LIST_LIMITS.default);
    let (project, kind, severity) = (
        parameters.project(),
        parameters.kind(),
        parameters.severity(),
    );
    let (before, after) = (parameters.before(), parameters.after());
    let since = parameters.from();
    if before.is_some() && after.is_some() {
        call.query
            .note_invalid("before", "cannot be combined with `after`");
    }
    call.query.finish()?;
    let account = call.member.account.id;
    if let Some(project) = project {
        if !call.member.may_see(project) {
            return Err(refusals::no_project());
        }
        services.project(account, project).await?;
    }
    let order = match after {
        Some(after) => EventOrder::OldestFirst {
            after: after.into(),
        },
        None => EventOrder::NewestFirst {
            before: before.map(Into::into),
        },
    };
    let filter = EventFilter {
        since,
        order,
        ..readable(&call.member, project, kind, severity)
    };
    let events = services.core.events(account, &filter, limit).await?;
    let items: Vec<Value> = events.iter().map(view).collect();
    let document = json!({ "items": items, "nextCursor": null, "limit": limit });
    Ok(no_store(ApiResponse::value(&document)))
}

/// What the member may read of what is wanted.
pub fn readable(
    member: &Member,
    project: Option<ProjectId>,
    kind: Option<EventKind>,
    severity: Option<EventSeverity>,
) -> EventFilter {
    let mut filter = member.readable_events();
    filter
        .kinds
        .retain(|it| kind.is_none_or(|kind| *it == kind));
    let min_severity = severity.unwrap_or(EventSeverity::Info);
    filter.severities.retain(|it| *it >= min_severity);
    if let Some(project) = project {
        filter.projects = Some(BTreeSet::from([project]));
    }
    filter
}

fn view(logged: &LoggedEvent) -> Value {
    let mut view = json!(logged.entry.event);
    view["seq"] = logged.seq.into();
    view["text"] = sentence(&logged.entry.event).into();
    view
}
