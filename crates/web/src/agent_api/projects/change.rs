//! PATCH /projects/:id (RFC 7396).

use super::{ProjectView, members::ProjectMembers};
use crate::contract::fields::read_patch;
use crate::contract::{Body, body};
use crate::endpoint::Call;
use crate::http::entity_tag::EntityTag;
use crate::problem::Problem;
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use analysis::url_rules::DomainName;
use domain::ids::ProjectId;
use domain::project::{Project, ProjectPatch, PurgeTerm, Status};
use domain::text::Label;
use domain::use_cases::projects::change::ChangeProjectError;
use serde_json::{Map, Value};
use std::sync::Arc;

body! {
    pub(crate) ChangeProject with members: ProjectMembers like { "favorite": true, "clientName": null } {
        name: Label = change "name";
        status: Status = change "status";
    }
}

/// Members that PATCH accepts.
pub fn change_fields() -> &'static [&'static str] {
    ChangeProject::names()
}

pub async fn change(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let current = call.project(&services).await?;
    let id = current.id;
    let defaults = &call.tenant().report_defaults;
    let term = services.purge_term();
    let shown = ProjectView::of(&current, defaults, term);
    let shown = serde_json::to_value(shown).unwrap_or(Value::Null);
    call.query.finish()?;
    let patch = read_project_patch(&call.body, &shown).map_err(|mut problem| {
        if call.body.contains_key("keywords") {
            problem.next_actions.push(refusals::add_keywords(id));
        }
        problem
    })?;
    let changed = services
        .core
        .change_project(call.account(), id, &patch, Some(&expected(&call, term)))
        .await
        .map_err(|error| refused(error, &call, term))?;
    Ok(ApiResponse::resource(&ProjectView::of(
        &changed, defaults, term,
    )))
}

pub fn expected(call: &Call, term: PurgeTerm) -> impl Fn(&Project) -> bool + Sync {
    let defaults = &call.tenant().report_defaults;
    call.expects(move |project| ProjectView::of(project, defaults, term))
}

pub fn refused(error: ChangeProjectError, call: &Call, term: PurgeTerm) -> Problem {
    match error {
        ChangeProjectError::NotAsExpected(project) => {
            let view = ProjectView::of(&project, &call.tenant().report_defaults, term);
            refusals::precondition_failed(&EntityTag::of(&view))
        }
        error => refusals::project_problem(ProjectId(call.id.unwrap_or_default()))(error),
    }
}

/// Callers may send back what they read (`shown`). Reports all errors of the body at once.
pub fn read_project_patch(
    body: &Map<String, Value>,
    shown: &Value,
) -> Result<ProjectPatch, Problem> {
    read_patch(
        body,
        shown,
        &["domain", "keywords"],
        |body: &ChangeProject| {
            let fields = body.fields();
            if fields
                .raw("domain")
                .is_some_and(|it| !is_same_domain(shown, it))
            {
                let rule = "cannot be changed: create another project for another domain";
                fields.note_at("domain", "immutable-field", rule);
            }
            if fields.raw("keywords").is_some() {
                let rule =
                    "keywords are added with POST /projects/:id/keywords and changed one by one";
                fields.note_at("keywords", "unknown-field", rule);
            }
            let noted = body.members().patch();
            ProjectPatch {
                name: body.name(),
                status: body.status(),
                ..noted
            }
        },
    )
}

/// In any spelling.
fn is_same_domain(project: &Value, given: &Value) -> bool {
    let parsed = given.as_str().and_then(|it| DomainName::parse(it).ok());
    parsed.is_some_and(|it| project["domain"] == it.ascii)
}
