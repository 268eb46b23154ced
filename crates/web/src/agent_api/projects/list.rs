//! GET /projects.

use super::ProjectView;
use crate::{
    agent_api::{ListBody, paging, selected, written},
    answer::Answer,
    endpoint::Call,
    paging::{Limits, bound_part, wanted},
    problem::Problem,
    query::Query,
    selection::{PROJECT, Selection},
    services::Services,
    weight::Telling,
};
use domain::{
    page::Direction,
    ports::projects::{ProjectFilter, ProjectSort},
    project::{Priority, Project, Status, WorkflowStatus},
};
use std::sync::Arc;

pub const LIST_LIMITS: Limits = Limits {
    default: 50,
    most: 200,
};

const SORTS: [(&str, ProjectSort); 5] = [
    ("createdAt", ProjectSort::CreatedAt),
    ("name", ProjectSort::Name),
    ("domain", ProjectSort::Domain),
    ("lastAnalysisAt", ProjectSort::LastAnalysisAt),
    ("priority", ProjectSort::Priority),
];

pub async fn list(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let bound_to = bound_part(&call.path, &call.query_text);
    let paging = paging(&call, &bound_to, LIST_LIMITS, &SORTS, Direction::Ascending);
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let filter = filter(&call.query);
    let fields = Selection::read(&call.query, &PROJECT);
    let request = wanted(paging.request(key, now), &call.query)?;
    let mut page = services
        .core
        .projects(call.account(), &filter, &request)
        .await?;
    let defaults = &call.tenant().report_defaults;
    let term = services.purge_term();
    let view = |project: &Project| ProjectView::of(project, defaults, term);
    let items = if call.telling != Telling::Whole && fields.is_none() {
        // How each is reported on is told of one project, or where it is asked for.
        written(call.telling, &mut page, None, |project| {
            let mut row = selected(&view(project), None);
            if let Some(members) = row.as_object_mut() {
                members.shift_remove("effectiveReportSettings");
            }
            row
        })
    } else {
        written(call.telling, &mut page, fields.as_ref(), view)
    };
    let next = paging.next_cursor(&page, key, now);
    let body = ListBody::of(items, &page, next.as_deref(), request.limit);
    Ok(body.answer(&call, now))
}

fn filter(query: &Query) -> ProjectFilter {
    ProjectFilter {
        status: status(query),
        tag: query.free_text("tag", 50),
        category: query.free_text("category", 200),
        priority: query.choice("priority", &Priority::NAMES, Priority::named),
        workflow_status: query.choice(
            "workflowStatus",
            &WorkflowStatus::NAMES,
            WorkflowStatus::named,
        ),
        favorite: query.flag("favorite"),
        search: query
            .free_text("search", 200)
            .filter(|text| !text.trim().is_empty()),
    }
}

/// `active` when nothing is said, `all` for both.
pub fn status(query: &Query) -> Option<Status> {
    let named = |name: &str| {
        if name == "all" {
            Some(None)
        } else {
            Status::named(name).map(Some)
        }
    };
    query
        .choice("status", &["active", "deactivated", "all"], named)
        .unwrap_or(Some(Status::Active))
}
