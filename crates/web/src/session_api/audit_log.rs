//! /api/settings/audit-log: as JSON, as a file, and how long it is stored.

use super::sign_in::no_store;
use crate::contract::fields::{Given, read_body};
use crate::contract::{Body, Number, Time, body, bounded_numbers, query, string_enums};
use crate::endpoint::MemberCall;
use crate::paging::PageLimits;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::services::Services;
use chrono::SecondsFormat;
use domain::account::Account;
use domain::audit::{AuditAction, AuditEvent, AuditFilter, PersonFilter};
use domain::ids::UserId;
use domain::ports::storage::StorageError;
use domain::use_cases::maintenance::Retention;
use serde_json::{Value, json};
use std::sync::Arc;

const LIST_LIMITS: PageLimits = PageLimits {
    default: 100,
    max: 500,
};
/// Events of a file.
const MAX_EXPORTED: u32 = 10_000;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AuditFormat {
        Json = "json",
        /// A file of JSON lines.
        Jsonl = "jsonl",
        /// A file.
        Csv = "csv",
    }
}

bounded_numbers! {
    AuditDays => u32: Retention::AUDIT_DAYS;
}

body! {
    SetAuditLog {
        days: AuditDays = nullable "days";
    }
}

query! {
    pub(crate) ReadAuditLog {
        limit: Number<1, { LIST_LIMITS.max }> = optional "limit", "How many events; files have up to 10,000.";
        action: AuditAction = optional "action", "Events of this kind alone.";
        person: UserId = optional "personId", "Events of this person alone.";
        from: Time = optional "from", "Events from this moment on.";
        before: Time = optional "before", "Events before this moment alone: `at` of the last one continues the log.";
        format: AuditFormat = optional "format", "json when left out; jsonl and csv are files.";
    }
}
string_enums!(AuditAction, AuditFormat);

/// Newest first.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    let parameters = ReadAuditLog(&call.query);
    let (limit, format) = (parameters.limit(), parameters.format());
    let filter = AuditFilter {
        actions: parameters.action().into_iter().collect(),
        person: parameters.person().map(PersonFilter::Only),
        since: parameters.from(),
        before: parameters.before(),
        behind: None,
    };
    call.query.finish()?;
    let format = format.unwrap_or(AuditFormat::Json);
    let limit = limit.unwrap_or(match format {
        AuditFormat::Json => LIST_LIMITS.default,
        AuditFormat::Jsonl | AuditFormat::Csv => MAX_EXPORTED,
    });
    let account = &call.member.account;
    let events = { &services.core }
        .audit_events(account.id, &filter, limit)
        .await?;
    Ok(no_store(match format {
        AuditFormat::Json => {
            let items: Vec<Value> = events.iter().map(view).collect();
            let mut log = retention(&services, account);
            log["items"] = items.into();
            log["nextCursor"] = Value::Null;
            log["limit"] = limit.into();
            ApiResponse::value(&log)
        }
        AuditFormat::Jsonl => {
            let lines: Vec<String> = events.iter().map(|it| view(it).to_string()).collect();
            file(lines.join("\n"), "application/jsonl", "audit-log.jsonl")
        }
        AuditFormat::Csv => file(
            csv_text(&events),
            "text/csv; charset=utf-8",
            "audit-log.csv",
        ),
    }))
}

/// How long the log is stored.
pub async fn set(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let days = read_body(&call.body, |body: &SetAuditLog| match body.days() {
        Given::Value(days) => Some(Some(days)),
        Given::Null => Some(None),
        Given::Invalid => None,
        Given::Absent => {
            let text = "is required; null is the server's default";
            body.fields().note_at("days", "required", text);
            None
        }
    })?;
    let by = &call.member.user;
    let changed = services.core.set_audit_days(by, days).await?;
    let changed = changed.ok_or(StorageError::Corrupt {
        subject: "the account of a session",
    })?;
    Ok(no_store(ApiResponse::value(&retention(
        &services, &changed,
    ))))
}

/// `days` applies: the account's own setting, else the server's; null is unlimited.
fn retention(services: &Services, account: &Account) -> Value {
    let retention = &services.core.policies.retention;
    json!({
        "days": retention.audit_days(account),
        "ownDays": account.audit_days,
        "defaultDays": retention.audit,
    })
}

fn file(text: String, content_type: &'static str, name: &str) -> ApiResponse {
    let answer = ApiResponse {
        content_type,
        ..ApiResponse::text(200, text)
    };
    answer.header(
        "Content-Disposition",
        format!("attachment; filename=\"{name}\""),
    )
}

fn view(event: &AuditEvent) -> Value {
    json!({
        "id": event.id.0,
        "at": event.at,
        "actor": event.actor.name(),
        "personId": event.person.as_ref().map(|it| it.id.0),
        "personName": event.person.as_ref().map(|it| it.name.as_str()),
        "action": event.action.name(),
        "tokenId": event.token.map(|token| token.0),
        "detail": event.detail,
    })
}

/// RFC 4180, with every cell in quotes.
fn csv_text(events: &[AuditEvent]) -> String {
    let line = |cells: [String; 6]| {
        let cells = cells.map(|it| format!("\"{}\"", it.replace('"', "\"\"")));
        cells.join(",") + "\r\n"
    };
    let header = ["at", "actor", "person", "action", "token", "detail"];
    let rows = events.iter().map(|it| {
        let person = it.person.as_ref().map_or("", |it| it.name.as_str());
        line([
            it.at.to_rfc3339_opts(SecondsFormat::Micros, true),
            it.actor.name().to_owned(),
            without_formula(person),
            it.action.name().to_owned(),
            it.token.map(|it| it.to_string()).unwrap_or_default(),
            without_formula(&it.detail),
        ])
    });
    std::iter::once(line(header.map(str::to_owned)))
        .chain(rows)
        .collect()
}

/// Spreadsheets compute a cell that begins so; an apostrophe makes it a text (OWASP, CSV injection).
fn without_formula(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        return format!("'{text}");
    }
    text.to_owned()
}
