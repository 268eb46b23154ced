//! Tool results: structured content, a sentence, and the content as text for clients that give their model only text.

use super::{tool::Tool, truncate};
use crate::http::byte_budget::strip_empty;
use crate::links::{Link, NextAction, Operation, Surface};
use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

/// In the sentence; the document lists all.
const MAX_REPORTED_ERRORS: usize = 3;

/// `project`: id from the arguments.
pub fn success(
    tool: &Tool,
    answer: &ApiResponse,
    project: Option<i64>,
    max_bytes: usize,
) -> CallToolResult {
    let mut content: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let is_list = content["items"].is_array();
    strip_empty(&mut content);
    if let Some(members) = content.as_object_mut() {
        let limit = members.shift_remove("limit").and_then(|it| it.as_u64());
        // An empty list is a result.
        if is_list {
            members.entry("items").or_insert_with(|| json!([]));
        }
        // In results the project only identifies the site.
        if let Some(Value::Object(project)) = members.get_mut("project") {
            project.shift_remove("effectiveReportSettings");
        }
        if members.contains_key("nextCursor") {
            members.insert("truncated".into(), true.into());
            let rows = members.get("items").and_then(Value::as_array);
            let rows = rows.map_or(0, |it| it.len() as u64);
            if limit.is_some_and(|limit| rows < limit) {
                members.insert("endedBy".into(), "maxBytes".into());
            }
        }
    }
    let rest = take_full_list_action(&mut content, project);
    truncate::truncate_to_fit(&mut content, max_bytes);
    report_shortened_lists(&mut content);
    if content["truncated"] == true
        && let (Some(rest), Some(members)) = (rest, content.as_object_mut())
    {
        members.insert("nextActions".into(), json!([rest]));
    }
    let mut blocks = vec![
        ContentBlock::text((tool.summarize)(&content)),
        ContentBlock::text(content.to_string()),
    ];
    let is_replay = answer
        .headers
        .iter()
        .any(|(name, _)| *name == "Idempotent-Replayed");
    if is_replay {
        blocks.insert(
            1,
            ContentBlock::text(
                "This was done before under the same idempotencyKey; this is its answer.",
            ),
        );
    }
    let mut result = CallToolResult::success(blocks);
    result.structured_content = Some(content);
    result
}

/// JSON pointers of added keywords: alone, or with their project.
const ADDED_KEYWORDS_PATHS: [&str; 2] = ["", "/keywords"];

/// Removes the link to the full list and returns it as a tool call, for when the list is cut.
fn take_full_list_action(content: &mut Value, project: Option<i64>) -> Option<Value> {
    let project = project.or_else(|| content["id"].as_i64())?;
    for place in ADDED_KEYWORDS_PATHS {
        let added = content.pointer_mut(place).and_then(Value::as_object_mut);
        let added = added.filter(|it| it.contains_key("counts"));
        if added.is_some_and(|it| it.shift_remove("next").is_some()) {
            let link = Link::of(Operation::ListKeywords, project);
            return Some(NextAction::new(link, "List all of them.").render(Surface::Tool));
        }
    }
    None
}

/// Reports lists that the endpoint has shortened with the size of the full list.
fn report_shortened_lists(content: &mut Value) {
    let mut cut: Vec<Value> = { content.get("cut").and_then(Value::as_array) }
        .cloned()
        .unwrap_or_default();
    for place in ADDED_KEYWORDS_PATHS {
        let added = content.pointer(place);
        let counts = added.and_then(|it| it.get("counts")?.as_object());
        for (name, of) in counts.into_iter().flatten() {
            let at = format!("{place}/{name}");
            let kept = content.pointer(&at).and_then(Value::as_array).map(Vec::len);
            if let Some(kept) = kept.filter(|kept| of.as_u64().is_some_and(|of| of > *kept as u64))
            {
                cut.retain(|it| it["at"] != at.as_str());
                cut.push(json!({ "at": at, "kept": kept, "of": of }));
            }
        }
    }
    if let (false, Some(members)) = (cut.is_empty(), content.as_object_mut()) {
        members.insert("truncated".into(), true.into());
        members.insert("cut".into(), cut.into());
    }
}

/// A problem for the model: what, where and how to fix it.
pub fn refused(problem: &Problem, services: &Services, request_id: &str) -> CallToolResult {
    let base_url = &services.config.public_base_url;
    let mut document = problem.document(Surface::Agent, base_url, request_id);
    if !problem.next_actions.is_empty() {
        document["nextActions"] = problem.actions(Surface::Tool);
    }
    let mut hint = problem.hint.clone().unwrap_or_default();
    if let Some(members) = document.as_object_mut() {
        if let Some(wait) = problem.retry_after {
            let seconds = wait.as_secs().max(1);
            members.insert("retryAfterSeconds".into(), seconds.into());
            if hint.contains("Retry-After") || problem.code == Code::RateLimited {
                hint = format!("Call again after {seconds} s.");
                members.insert("hint".into(), hint.as_str().into());
            }
        }
        rename_to_arguments(members);
    }
    let text = format!("{}: {} {hint}", problem.code.title(), detail(problem));
    CallToolResult::error(vec![
        ContentBlock::text(text.trim_end()),
        ContentBlock::text(document.to_string()),
    ])
}

/// A tool has arguments instead of query and body.
fn rename_to_arguments(document: &mut Map<String, Value>) {
    let errors = document.get_mut("errors").and_then(Value::as_array_mut);
    for error in errors
        .into_iter()
        .flatten()
        .filter_map(Value::as_object_mut)
    {
        error.shift_remove("in");
        let pointer = error.shift_remove("pointer");
        let location = pointer.or_else(|| error.shift_remove("name"));
        if let Some(location) = location.as_ref().and_then(Value::as_str) {
            error.shift_insert(
                0,
                "argument".into(),
                location.trim_start_matches('/').into(),
            );
        }
    }
    if let Some(Value::Object(existing)) = document.get_mut("existing") {
        existing.shift_remove("href");
    }
}

/// Names the first errors.
fn detail(problem: &Problem) -> String {
    if problem.errors.is_empty() {
        return problem.detail.clone();
    }
    let errors = problem.errors.iter().take(MAX_REPORTED_ERRORS);
    let messages: Vec<String> = errors
        .map(|it| format!("{}: {}", it.location().trim_start_matches('/'), it.message))
        .collect();
    format!("{}.", messages.join("; "))
}
