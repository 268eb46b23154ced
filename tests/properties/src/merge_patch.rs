//! Changes of a project: the merge patch of RFC 7396, which is idempotent.

use chrono::{DateTime, TimeDelta};
use domain::{
    domain_name::SiteDomain,
    email::EmailAddress,
    ids::{AccountId, ProjectId},
    project::{Priority, Project, ProjectMeta, PurgeTerm, Status, WorkflowStatus, unique_in_order},
    report_settings::{EffectiveReportSettings, Frequency, ReportSettings, Section},
    text::{Label, Tag},
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use web::{
    agent_api::projects::{ProjectView, change_fields, read_project_patch},
    http::json_guard,
};

pub(crate) fn check(bytes: &[u8]) {
    let Ok(body) = json_guard::parse(bytes) else {
        return;
    };
    let project = project();
    let before = shown(&project);
    let Ok(patch) = read_project_patch(&body, &before) else {
        return;
    };
    let later = project.updated_at + TimeDelta::hours(1);
    let changed = project.patched(patch.clone(), later);
    let after = shown(&changed);
    for field in change_fields() {
        let wanted = match body.get(*field) {
            None => before[*field].clone(),
            Some(given) => merged(field, &before[*field], given),
        };
        assert_eq!(after[*field], wanted, "{field}");
    }
    let again = changed.patched(patch, later + TimeDelta::hours(1));
    assert_eq!(again, changed, "a second time changes nothing");
    assert_round_trip(&changed, &after);
}

/// A project as it was read can be sent back, and changes nothing.
fn assert_round_trip(project: &Project, shown: &Value) {
    let body = shown.as_object().expect("a project is an object");
    let patch = read_project_patch(body, shown).expect("callers may send back what they read");
    let later = project.updated_at + TimeDelta::hours(1);
    assert_eq!(project.patched(patch, later), *project);
}

/// The expected value of a field.
fn merged(field: &str, before: &Value, given: &Value) -> Value {
    let texts = |given: &Value, parse: fn(&str) -> String| {
        let all = given.as_array().into_iter().flatten();
        let all = all.filter_map(Value::as_str).map(parse).collect();
        json!(unique_in_order(all))
    };
    match (field, given) {
        ("tags" | "reportRecipients", Value::Null) => json!([]),
        ("priority", Value::Null) => json!(Priority::default().name()),
        ("workflowStatus", Value::Null) => json!(WorkflowStatus::default().name()),
        ("reportSettings", Value::Null) => Value::Null,
        ("reportSettings", given) => settings(before, given),
        ("tags", given) => texts(given, |it| {
            Tag::parse(it).expect("it was accepted").to_string()
        }),
        ("reportRecipients", given) => texts(given, |it| {
            EmailAddress::parse(it)
                .expect("it was accepted")
                .to_string()
        }),
        ("name" | "clientName" | "category" | "assignedToName", Value::String(text)) => {
            json!(Label::parse(text).expect("it was accepted").as_str())
        }
        (_, given) => given.clone(),
    }
}

/// Report settings are merged; missing or cleared ones are inherited.
fn settings(before: &Value, given: &Value) -> Value {
    let merged = merge(before.clone(), given);
    let inherits = |name: &str| match &merged[name] {
        Value::Null => json!("inherit"),
        own => own.clone(),
    };
    let overrides = match &merged["contentOverrides"] {
        Value::Object(sections) => sections.clone(),
        _ => Map::new(),
    };
    json!({
        "enabled": merged["enabled"],
        "frequency": inherits("frequency"),
        "includePdf": inherits("includePdf"),
        "contentOverrides": overrides,
    })
}

/// RFC 7396, section 2.
fn merge(target: Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else {
        return patch.clone();
    };
    let mut members = match target {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    for (name, value) in patch {
        let old = members.remove(name);
        if !value.is_null() {
            members.insert(name.clone(), merge(old.unwrap_or_default(), value));
        }
    }
    Value::Object(members)
}

fn shown(project: &Project) -> Value {
    let defaults = EffectiveReportSettings::default();
    serde_json::to_value(ProjectView::of(project, &defaults, PurgeTerm::default()))
        .expect("a view is JSON")
}

fn project() -> Project {
    let label = |text| Label::parse(text).expect("a label");
    let at = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
    Project {
        account: AccountId(1),
        id: ProjectId(11),
        domain: SiteDomain::accepted("shop.example.com".into(), "shop.example.com".into()),
        name: label("Shop"),
        status: Status::Active,
        meta: ProjectMeta {
            client_name: Some(label("Ann")),
            category: None,
            tags: vec![Tag::parse("first").expect("a tag")],
            favorite: true,
            priority: Priority::High,
            workflow_status: WorkflowStatus::Review,
            assigned_to_name: Some(label("Bob")),
            report_recipients: vec![],
            report_settings: Some(ReportSettings {
                enabled: Some(false),
                frequency: Some(Frequency::Weekly),
                include_pdf: None,
                content_overrides: BTreeMap::from([(Section::Vitals, false)]),
            }),
        },
        keyword_count: 3,
        ai_tracked_count: 1,
        last_analysis_at: None,
        row_version: 1,
        created_at: at,
        updated_at: at,
        deactivated_at: None,
    }
}
