//! GET /projects.

use super::ProjectView;
use crate::agent_api::{ListBody, StatusFilter, paging, render_rows, select_fields};
use crate::contract::{FreeText, query};
use crate::endpoint::Call;
use crate::http::byte_budget::Verbosity;
use crate::paging::{
    PageLimits, bound_query, fields_parameter, finish_query, page_parameters, sort_parameter,
    total_parameter,
};
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::selection::{PROJECT_FIELDS, Selection};
use crate::services::Services;
use domain::page::Direction;
use domain::ports::projects::{ProjectFilter, ProjectSort};
use domain::project::{Priority, Project, WorkflowStatus};
use std::sync::Arc;

pub const LIST_LIMITS: PageLimits = PageLimits {
    default: 50,
    max: 200,
};

const SORTS: [(&str, ProjectSort); 5] = [
    ("createdAt", ProjectSort::CreatedAt),
    ("name", ProjectSort::Name),
    ("domain", ProjectSort::Domain),
    ("lastAnalysisAt", ProjectSort::LastAnalysisAt),
    ("priority", ProjectSort::Priority),
];

query! {
    pub(crate) ListProjects {
        ..page_parameters(LIST_LIMITS);
        ..total_parameter();
        ..fields_parameter(&PROJECT_FIELDS);
        ..sort_parameter(&SORTS, "The order; a leading - reverses. createdAt when left out.");
        status: StatusFilter = optional "status", "active when left out.";
        tag: FreeText<50> = optional "tag", "Only with this tag.";
        category: FreeText<200> = optional "category", "Only of this category.";
        priority: Priority = optional "priority", "Only of this priority.";
        workflow_status: WorkflowStatus = optional "workflowStatus", "Only with this workflow status.";
        favorite: bool = optional "favorite", "Only favourites, or only others.";
        search: FreeText<200> = optional "search", "Only with this text in name, domain or client.";
    }
}

pub async fn list(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let bound_to = bound_query(&call.path, &call.query_text);
    let paging = paging(&call, &bound_to, LIST_LIMITS, &SORTS, Direction::Ascending);
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let filter = ProjectFilter {
        only: call.caller.granted_projects(),
        ..filter(&ListProjects(&call.query))
    };
    let fields = Selection::read(&call.query, &PROJECT_FIELDS);
    let request = finish_query(paging.request(key, now), &call.query)?;
    let mut page = services
        .core
        .projects(call.account(), &filter, &request)
        .await?;
    let defaults = &call.tenant().report_defaults;
    let term = services.purge_term();
    let view = |project: &Project| ProjectView::of(project, defaults, term);
    let items = if call.verbosity != Verbosity::Full && fields.is_none() {
        // Compact lists omit report settings unless `fields` selects them.
        render_rows(call.verbosity, &mut page, None, |project| {
            let mut row = select_fields(&view(project), None);
            if let Some(members) = row.as_object_mut() {
                members.shift_remove("effectiveReportSettings");
            }
            row
        })
    } else {
        render_rows(call.verbosity, &mut page, fields.as_ref(), view)
    };
    let next = paging.next_cursor(&page, key, now);
    let body = ListBody::of(items, &page, next.as_deref(), request.limit);
    Ok(body.to_response(&call, now))
}

fn filter(query: &ListProjects) -> ProjectFilter {
    ProjectFilter {
        status: query.status().unwrap_or_default().0,
        tag: query.tag(),
        category: query.category(),
        priority: query.priority(),
        workflow_status: query.workflow_status(),
        favorite: query.favorite(),
        search: query.search().filter(|text| !text.trim().is_empty()),
        only: None,
    }
}
