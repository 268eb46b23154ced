//! /api/projects/:id/search-console: what is known of a project's own searches.

use crate::{
    answer::Answer,
    endpoint::Call,
    fields::{Fields, read_body},
    problem::{Code, FieldError, Problem},
    refusals,
    services::Services,
};
use chrono::NaiveDate;
use domain::{
    ids::ProjectId,
    ports::search_console::{ExportError, ExportFile},
    search_console::Span,
    text::Label,
    use_cases::import_console_rows::ImportConsoleError,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// Tells what was imported, and what is fetched.
pub async fn read(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let project = ProjectId(call.id.ok_or_else(refusals::no_project)?);
    call.query.finish()?;
    let state = services
        .read_console_state
        .run(call.account(), project)
        .await?;
    let state = state.ok_or_else(refusals::no_project)?;
    let imported: Vec<Value> = state
        .imported
        .iter()
        .map(|it| {
            json!({
                "cut": it.cut.name(),
                "from": it.span.first,
                "to": it.span.last,
                "days": it.days,
                "rows": it.rows,
                "origin": it.origin.name(),
                "label": it.label,
                "importedAt": it.imported_at,
            })
        })
        .collect();
    let property = state.binding.as_ref().map(|it| it.property.to_string());
    Ok(Answer::summary(&json!({
        "projectId": project.0,
        "property": property,
        "imported": imported,
    })))
}

/// A file that somebody sends.
struct Sent {
    name: String,
    text: String,
    span: Option<Span>,
    page: Option<String>,
}

/// Imports the export of the performance report: all of it, or nothing.
pub async fn import(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let project = ProjectId(call.id.ok_or_else(refusals::no_project)?);
    let found = services.read_project.run(call.account(), project).await?;
    found.ok_or_else(refusals::no_project)?;
    call.query.finish()?;
    let sent = read_body(&call.body, sent)?;
    let exports = Arc::clone(&services.console_exports);
    let label = sent.name.clone();
    // A file is read in one go, which is no work for an async thread.
    let export = tokio::task::spawn_blocking(move || {
        exports.read(&ExportFile {
            name: &sent.name,
            bytes: sent.text.as_bytes(),
            span: sent.span,
            page: sent.page.as_deref(),
        })
    });
    let lost = |_| Problem::new(Code::InternalError, "A file got lost while it was read.");
    let export = export.await.map_err(lost)?.map_err(|it| unreadable(&it))?;
    let imported = services
        .import_console_rows
        .run(call.account(), project, export.sets, &label)
        .await
        .map_err(refused)?;
    let spans: Vec<Value> = imported
        .spans
        .iter()
        .map(|(cut, span, rows)| {
            json!({ "cut": cut.name(), "from": span.first, "to": span.last, "rows": rows })
        })
        .collect();
    Ok(Answer::with_status(
        201,
        &json!({
            "projectId": project.0,
            "spans": spans,
            "rows": imported.rows,
            "replaced": imported.replaced,
            "foreign": imported.foreign,
            "leftOut": export.left_out,
        }),
    ))
}

fn sent(fields: &Fields) -> Option<Sent> {
    fields.only(&["name", "content", "from", "to", "page"]);
    let name = fields.or_left_out("name", fields.text("name", Label::parse));
    let content = fields.text("content", |text| Ok::<_, String>(text.to_owned()));
    let text = fields.required("content", content);
    let day = |name: &str| {
        let day = |text: &str| {
            let rule = "must be a day such as 2026-11-21";
            text.parse::<NaiveDate>().map_err(|_| rule)
        };
        fields.or_left_out(name, fields.text(name, day))
    };
    let (from, to) = (day("from"), day("to"));
    let span = match (from, to) {
        (None, None) => None,
        (Some(from), Some(to)) => {
            let span = Span::between(from, to);
            if span.is_none() {
                fields.note_at("to", "invalid-value", "must not lie before `from`");
            }
            span
        }
        _ => {
            fields.note_at("from", "required", "from and to belong together");
            None
        }
    };
    let page = fields.text("page", |text| Ok::<_, String>(text.to_owned()));
    Some(Sent {
        name: name.map_or_else(|| "export.csv".to_owned(), |it| it.to_string()),
        text: text?,
        span,
        page: fields.or_left_out("page", page),
    })
}

fn unreadable(error: &ExportError) -> Problem {
    let mut told = FieldError::at("/content", "unreadable", error.to_string());
    if let Some(line) = error.line {
        told = told.with("line", line);
    }
    Problem::invalid_value(told)
}

fn refused(error: ImportConsoleError) -> Problem {
    match error {
        ImportConsoleError::Storage(error) => error.into(),
        ImportConsoleError::NoSuchProject => Problem::new(
            Code::ProjectDeactivated,
            "The project is deactivated; nothing is imported into it.",
        )
        .hint("Bring the project back first."),
        error => {
            let told = error.to_string();
            Problem::invalid_value(FieldError::at("/content", "refused", told))
        }
    }
}
