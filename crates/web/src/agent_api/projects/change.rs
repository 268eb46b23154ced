//! PATCH /projects/:id (RFC 7396).

use super::{MetaFields, ProjectView};
use crate::{
    answer::Answer,
    endpoint::Call,
    entity_tag::EntityTag,
    fields::{Fields, read_body},
    problem::{FieldError, Problem},
    refusals,
    services::Services,
};
use analysis::url_rules::DomainName;
use domain::{
    ids::ProjectId,
    project::{Project, ProjectPatch, PurgeTerm, Status},
    text::Label,
    use_cases::projects::change::ChangeProjectError,
};
use serde_json::{Map, Value};
use std::sync::Arc;

pub const FIELDS: [&str; 11] = [
    "name",
    "status",
    "clientName",
    "category",
    "tags",
    "favorite",
    "priority",
    "workflowStatus",
    "assignedToName",
    "reportRecipients",
    "reportSettings",
];

/// Callers may send these back as they read them.
const READ_ONLY: [&str; 10] = [
    "id",
    "domainUnicode",
    "effectiveReportSettings",
    "keywordCount",
    "aiTrackedCount",
    "lastAnalysisAt",
    "createdAt",
    "updatedAt",
    "deactivatedAt",
    "purgeAt",
];

pub async fn change(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let current = call.project(&services).await?;
    let id = current.id;
    let defaults = &call.tenant().report_defaults;
    let term = services.purge_term();
    let shown = ProjectView::of(&current, defaults, term);
    let shown = serde_json::to_value(shown).unwrap_or(Value::Null);
    call.query.finish()?;
    let patch = patch_of(&call.body, &shown).map_err(|mut problem| {
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
    Ok(Answer::resource(&ProjectView::of(&changed, defaults, term)))
}

pub fn expected(call: &Call, term: PurgeTerm) -> impl Fn(&Project) -> bool + Sync {
    let defaults = &call.tenant().report_defaults;
    call.expects(move |project| ProjectView::of(project, defaults, term))
}

pub fn refused(error: ChangeProjectError, call: &Call, term: PurgeTerm) -> Problem {
    match error {
        ChangeProjectError::NotAsExpected(project) => {
            let view = ProjectView::of(&project, &call.tenant().report_defaults, term);
            refusals::not_as_expected(&EntityTag::of(&view))
        }
        error => refusals::of_project(ProjectId(call.id.unwrap_or_default()))(error),
    }
}

/// Callers may send back what they read (`shown`). Fails with everything that is wrong with the body.
pub fn patch_of(body: &Map<String, Value>, shown: &Value) -> Result<ProjectPatch, Problem> {
    read_body(body, |fields| Some(read(fields, shown)))
}

fn read(fields: &Fields, current: &Value) -> ProjectPatch {
    fields.only_or(
        &FIELDS,
        &[READ_ONLY.as_slice(), &["domain", "keywords"]].concat(),
    );
    unchanged(
        fields,
        current,
        &READ_ONLY,
        "read-only-field",
        "cannot be changed; leave it out",
    );
    if fields.raw("domain").is_some_and(|it| !names(current, it)) {
        fields.note_at(
            "domain",
            "immutable-field",
            "cannot be changed: create another project for another domain",
        );
    }
    if fields.raw("keywords").is_some() {
        let error = FieldError::at(
            "/keywords",
            "unknown-field",
            "keywords are added with POST /projects/:id/keywords and changed one by one",
        );
        fields.note(error);
    }
    let meta = MetaFields::read(fields);
    ProjectPatch {
        name: fields.change("name", fields.text("name", Label::parse)),
        status: fields.change(
            "status",
            fields.choice("status", &Status::NAMES, Status::named),
        ),
        client_name: meta.client_name.clearable(),
        category: meta.category.clearable(),
        tags: meta.tags.resettable(),
        favorite: fields.change("favorite", meta.favorite),
        priority: meta.priority.resettable(),
        workflow_status: meta.workflow_status.resettable(),
        assigned_to_name: meta.assigned_to_name.clearable(),
        report_recipients: meta.report_recipients.resettable(),
        report_settings: meta.report_settings.clearable(),
    }
}

/// However the domain is written.
fn names(project: &Value, given: &Value) -> bool {
    let parsed = given.as_str().and_then(|it| DomainName::parse(it).ok());
    parsed.is_some_and(|it| project["domain"] == it.ascii)
}

/// Accepts members that are as they were: agents send back what they read.
pub fn unchanged(fields: &Fields, current: &Value, names: &[&str], code: &'static str, rule: &str) {
    for name in names {
        if fields
            .raw(name)
            .is_some_and(|given| current.get(name) != Some(given))
        {
            fields.note_at(name, code, rule);
        }
    }
}
