//! /api/projects/:id/search-console: imported search data.

use super::console_rows::{MAX_ROWS, RowMembers, group_rows};
use crate::contract::fields::read_body;
use crate::contract::{Body, List, body};
use crate::endpoint::Call;
use crate::limits::{NoSlot, Slot, SlotKey};
use crate::problem::{Code, FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use chrono::NaiveDate;
use domain::ports::search_console::{ExportError, ExportFile, ReadExport};
use domain::search_console::{RowSet, Span};
use domain::text::Label;
use domain::use_cases::search_console::import::ImportConsoleError;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub async fn read(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project_id()?;
    call.query.finish()?;
    let state = services.core.console_state(call.account(), project).await?;
    let state = state.ok_or_else(refusals::no_project)?;
    let imported: Vec<Value> = state
        .imported
        .iter()
        .map(|it| {
            json!({
                "cut": it.dimensions.name(),
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
    Ok(ApiResponse::summary(&json!({
        "projectId": project.0,
        "property": property,
        "imported": imported,
    })))
}

body! {
    ImportRows {
        name: Label = optional "name";
        rows: List<RowMembers, 1, MAX_ROWS> = required "rows" or "must hold at least one row";
    }
}

body! {
    ImportFile {
        name: Label = optional "name";
        content: String = required "content";
        from: NaiveDate = optional "from";
        to: NaiveDate = optional "to";
        page: String = optional "page";
    }
}

enum ImportSource {
    File(FileUpload),
    Rows(String, Vec<RowSet>),
}

struct FileUpload {
    name: String,
    text: String,
    span: Option<Span>,
    page: Option<String>,
}

/// How long an import waits for a slot.
const SLOT_WAIT_TIMEOUT: Duration = Duration::from_secs(5);

/// An export of the performance report, or rows: all or nothing.
pub async fn import(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?.id;
    call.query.finish()?;
    let sent = if call.body.contains_key("rows") {
        read_body(&call.body, rows)?
    } else {
        ImportSource::File(read_body(&call.body, file)?)
    };
    let one_of_account = [(SlotKey::Account(call.account()), 1)];
    let slot = services
        .import_slots
        .take_within(SLOT_WAIT_TIMEOUT, &one_of_account);
    let slot = Arc::new(slot.await.map_err(too_many)?);
    let (label, pointer, export) = match sent {
        ImportSource::File(file) => (
            file.name.clone(),
            "/content",
            read_export(&services, file, Arc::clone(&slot)).await?,
        ),
        ImportSource::Rows(name, sets) => {
            let read = ReadExport {
                sets,
                left_out: vec![],
            };
            (name, "/rows", read)
        }
    };
    let began = Instant::now();
    let imported = services
        .core
        .import_console_rows(call.account(), project, export.sets, &label)
        .await;
    // Imports block other writers: the slot is held for another two thirds of the time.
    let pause = 2 * began.elapsed();
    tokio::spawn(async move {
        tokio::time::sleep(pause).await;
        drop(slot);
    });
    let imported = imported.map_err(|error| refused(error, pointer))?;
    let spans: Vec<Value> = imported
        .spans
        .iter()
        .map(|(cut, span, rows)| {
            json!({ "cut": cut.name(), "from": span.first, "to": span.last, "rows": rows })
        })
        .collect();
    Ok(ApiResponse::with_status(
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

async fn read_export(
    services: &Services,
    file: FileUpload,
    slot: Arc<Slot>,
) -> Result<ReadExport, Problem> {
    let exports = Arc::clone(&services.console_exports);
    // Parsing is blocking work.
    let export = tokio::task::spawn_blocking(move || {
        // Parsing continues after a client disconnect, and holds the slot.
        let _slot = slot;
        exports.read(&ExportFile {
            name: &file.name,
            bytes: file.text.as_bytes(),
            span: file.span,
            page: file.page.as_deref(),
            unpacks: false,
        })
    });
    let lost = |_| Problem::new(Code::InternalError, "A file got lost while it was read.");
    export.await.map_err(lost)?.map_err(|it| unreadable(&it))
}

fn rows(body: &ImportRows) -> Option<ImportSource> {
    let (name, rows) = (body.name(), body.rows());
    let name = name.map_or_else(|| "rows".to_owned(), |it| it.to_string());
    Some(ImportSource::Rows(name, group_rows(body.fields(), rows?)))
}

fn file(body: &ImportFile) -> Option<FileUpload> {
    let fields = body.fields();
    let (name, text) = (body.name(), body.content());
    let (from, to) = (body.from(), body.to());
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
    let page = body.page();
    Some(FileUpload {
        name: name.map_or_else(|| "export.csv".to_owned(), |it| it.to_string()),
        text: text?,
        span,
        page,
    })
}

fn too_many(refusal: NoSlot) -> Problem {
    let problem = match refusal {
        NoSlot::KeyFull { .. } => Problem::new(
            Code::ConcurrencyLimited,
            "The account is importing another file; one is imported at a time.",
        ),
        NoSlot::Full => Problem::new(
            Code::Overloaded,
            "The server is importing as many files as it can.",
        ),
    };
    problem
        .hint("Send the request again after the time in Retry-After.")
        .retry_after(SLOT_WAIT_TIMEOUT)
}

fn unreadable(error: &ExportError) -> Problem {
    let mut field_error = FieldError::in_body("/content", "unreadable", error.to_string());
    if let Some(line) = error.line {
        field_error = field_error.with("line", line);
    }
    Problem::invalid_value(field_error)
}

fn refused(error: ImportConsoleError, pointer: &str) -> Problem {
    match error {
        ImportConsoleError::Storage(error) => error.into(),
        ImportConsoleError::Full(error) => refusals::storage_exceeded(error),
        ImportConsoleError::NoSuchProject => Problem::new(
            Code::ProjectDeactivated,
            "The project is deactivated; nothing is imported into it.",
        )
        .hint("Bring the project back first."),
        error => {
            let message = error.to_string();
            Problem::invalid_value(FieldError::in_body(pointer, "refused", message))
        }
    }
}
