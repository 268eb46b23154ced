//! Problem documents (RFC 9457).

mod code;
mod field_error;

pub use code::Code;
pub use field_error::{FieldError, one_of};

use crate::links::{Link, NextAction, Surface};
use serde_json::{Map, Value, json};
use std::time::Duration;

const MAX_ERRORS: usize = 50;
/// In bytes; further errors are only counted.
const MAX_BYTES: usize = 4 * 1024;
/// In characters; it may quote caller input.
const MAX_DETAIL: usize = 300;

#[derive(Debug, Clone)]
pub struct Problem {
    pub code: Code,
    pub detail: String,
    /// How to fix it, in one sentence.
    pub hint: Option<String>,
    pub errors: Vec<FieldError>,
    pub next_actions: Vec<NextAction>,
    pub extra: Map<String, Value>,
    /// The existing resource in a conflict.
    pub existing: Option<Link>,
    pub retry_after: Option<Duration>,
    pub headers: Vec<(&'static str, String)>,
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            code,
            detail: detail.into(),
            hint: None,
            errors: vec![],
            next_actions: vec![],
            extra: Map::new(),
            existing: None,
            retry_after: None,
            headers: vec![],
        }
    }

    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let detail = match errors.as_slice() {
            [one] => format!("{}: {}", one.location(), one.message),
            many => format!("{} values cannot be used; see errors.", many.len()),
        };
        let problem = Self {
            errors,
            ..Self::new(Code::ValidationFailed, detail)
        };
        problem.hint("Correct the values named in errors and send the request again.")
    }

    pub fn invalid_value(error: FieldError) -> Self {
        Self::invalid(vec![error])
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn add_hint(&mut self, more: &str) {
        let hint = self.hint.take();
        self.hint = Some(hint.map_or_else(|| more.to_owned(), |hint| format!("{hint} {more}")));
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    #[must_use]
    pub fn next_action(mut self, link: Link, description: &'static str) -> Self {
        self.next_actions.push(NextAction::new(link, description));
        self
    }

    #[must_use]
    pub fn existing(mut self, link: Link) -> Self {
        self.existing = Some(link);
        self
    }

    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Connections of unknown callers are closed after a refusal.
    #[must_use]
    pub fn closing_connection(self) -> Self {
        self.header("Connection", "close")
    }

    pub fn document(&self, surface: Surface, base_url: &str, request_id: &str) -> Value {
        let mut document = Map::new();
        let own_type = || format!("{base_url}/problems/{}", self.code.name());
        let registered = self.code.registered_type();
        let kind = registered.map_or_else(own_type, str::to_owned);
        document.insert("type".into(), kind.into());
        document.insert("title".into(), self.code.title().into());
        document.insert("status".into(), self.code.status().into());
        document.insert(
            "detail".into(),
            crate::shortened(&self.detail, MAX_DETAIL).into(),
        );
        document.insert("instance".into(), instance(request_id).into());
        document.insert("code".into(), self.code.name().into());
        document.insert("requestId".into(), request_id.into());
        document.insert("retryable".into(), self.code.is_retryable().into());
        document.extend(
            self.hint
                .clone()
                .map(|hint| ("hint".to_owned(), hint.into())),
        );
        document.extend(self.extra.clone());
        if let Some(link) = &self.existing {
            let existing = json!({ "id": link.id, "href": link.href(surface) });
            document.insert("existing".into(), existing);
        }
        if !self.next_actions.is_empty() {
            document.insert("nextActions".into(), self.actions(surface));
        }
        self.insert_errors(&mut document);
        Value::Object(document)
    }

    pub fn actions(&self, surface: Surface) -> Value {
        let actions = self.next_actions.iter();
        actions.map(|it| it.render(surface)).collect()
    }

    /// As many errors as fit, and the number of the rest.
    fn insert_errors(&self, document: &mut Map<String, Value>) {
        if self.errors.is_empty() {
            return;
        }
        let max_size = MAX_BYTES - r#","errors":[],"moreErrors":99999999"#.len();
        let mut size = Value::Object(document.clone()).to_string().len();
        let mut shown = Vec::new();
        for error in self.errors.iter().take(MAX_ERRORS) {
            let mut error = error.document();
            let fits = |it: &Value| size + it.to_string().len() < max_size;
            if let (false, Some(members)) = (fits(&error), error.as_object_mut()) {
                // `didYouMean` stays.
                members.remove("allowed");
            }
            size += error.to_string().len() + 1;
            if size > max_size {
                break;
            }
            shown.push(error);
        }
        let omitted = self.errors.len() - shown.len();
        document.insert("errors".into(), shown.into());
        if omitted > 0 {
            document.insert("moreErrors".into(), omitted.into());
        }
    }
}

/// URI of this occurrence. Generated ids are UUIDs; callers may send others.
fn instance(request_id: &str) -> String {
    let is_uuid = request_id.len() == 36
        && request_id.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    if is_uuid {
        format!("urn:uuid:{request_id}")
    } else {
        format!("urn:sightline:request:{request_id}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent_document(problem: &Problem) -> Value {
        problem.document(Surface::Agent, "https://s.example", "req-12345678")
    }

    #[test]
    fn a_document_has_the_common_members_and_stays_small() {
        let errors = (0..60)
            .map(|n| {
                FieldError::in_body(
                    format!("/keywords/{n}"),
                    "too-long",
                    "must not be longer than 200 characters",
                )
            })
            .collect();
        let document = agent_document(&Problem::invalid(errors));
        assert_eq!(
            document["type"],
            "https://s.example/problems/validation-failed"
        );
        let shown = document["errors"].as_array().unwrap().len() as u64;
        assert_eq!(document["status"], 422);
        assert_eq!(document["moreErrors"], 60 - shown);
        assert!(shown > 20 && document.to_string().len() <= MAX_BYTES);
    }

    #[test]
    fn caller_input_is_quoted_only_in_part() {
        let name = "\u{1}ž".repeat(100_000);
        let error =
            FieldError::in_body(format!("/{name}"), "unknown-field", format!("no `{name}`"));
        let document = agent_document(&Problem::invalid(vec![error]));
        assert!(document.to_string().len() <= MAX_BYTES);
    }
}
