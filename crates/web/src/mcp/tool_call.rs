//! A tool call: the endpoint it maps to, with path, query and body.

use super::tool::Tool;
use super::tools::treats_null_as_absent;
use super::{schema, tool, truncate};
use crate::caller::Caller;
use crate::checks::idempotency;
use crate::contract::fields::whole_number;
use crate::contract::parameters::Query;
use crate::endpoint::{Access, Call, Endpoint};
use crate::http::byte_budget::Verbosity;
use crate::problem::{Code, FieldError, Problem};
use crate::response::ApiResponse;
use crate::route_table::{Verb, id_argument};
use crate::services::Services;
use domain::use_cases::tokens::Agent;
use serde_json::{Map, Value};
use std::{sync::Arc, time::Duration};
use url::form_urlencoded;

/// Maximum wait for the end of an analysis.
pub const MAX_WAIT: Duration = Duration::from_mins(5);

fn id_source(id: &str) -> &'static str {
    match id {
        "keywordId" => "service_list_projects with projectId and include=keywords",
        _ => "service_list_projects",
    }
}

pub struct ToolCall {
    pub tool: &'static Tool,
    pub endpoint: &'static Endpoint,
    pub max_bytes: usize,
    pub wait: Duration,
    /// Errors of the tool's own arguments; reported after the scope check.
    errors: Vec<FieldError>,
    /// Id in the endpoint's path.
    pub id: Option<i64>,
    path: String,
    query: Vec<(String, String)>,
    body: Map<String, Value>,
    key: Option<String>,
}

impl ToolCall {
    pub fn of(tool: &'static Tool, mut arguments: Map<String, Value>) -> Self {
        // `null` selects no operation.
        let chosen: Map<String, Value> = arguments
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let endpoint = tool::endpoint((tool.choose_operation)(&chosen));
        if treats_null_as_absent(endpoint.verb) {
            arguments = chosen;
        }
        let mut call = Self {
            tool,
            endpoint,
            max_bytes: truncate::DEFAULT_BYTES,
            wait: Duration::ZERO,
            errors: vec![],
            id: None,
            path: endpoint.path.to_owned(),
            query: vec![],
            body: Map::new(),
            key: None,
        };
        call.reject_foreign_arguments(&arguments);
        call.take_tool_arguments(&mut arguments);
        call.take_id(&mut arguments);
        if endpoint.verb == Verb::Get {
            call.query = call.parameters(&arguments);
        } else {
            call.body = arguments;
        }
        call
    }

    /// Rejects arguments of the tool's other endpoints, which this endpoint would call unknown. For reads, and beside a
    /// missing id, also rejects arguments that the tool does not list: they may be a misnamed id.
    fn reject_foreign_arguments(&mut self, arguments: &Map<String, Value>) {
        let (own, taken) = (
            (self.tool.own_arguments)(),
            schema::arguments(self.endpoint),
        );
        let others: Vec<_> = { self.tool.endpoints() }
            .filter(|it| it.operation != self.endpoint.operation)
            .map(|it| (it.summary, schema::arguments(it)))
            .collect();
        let id = id_argument(self.endpoint.path);
        let lacks_its_id = taken.contains_key(id) && !arguments.contains_key(id);
        for name in arguments.keys().filter(|it| !taken.contains_key(*it)) {
            let theirs = others.iter().filter(|(_, it)| it.contains_key(name));
            let theirs: Vec<&str> = theirs.map(|(summary, _)| *summary).collect();
            let pointer = format!("/{name}");
            if !theirs.is_empty() {
                let rule = format!(
                    "does not go with the other arguments; it is for: {}",
                    theirs.join(", ")
                );
                self.errors
                    .push(FieldError::in_body(pointer, "not-applicable", rule));
            } else if (lacks_its_id || self.endpoint.verb == Verb::Get) && !own.contains_key(name) {
                let known = taken.keys().chain(own.keys());
                let known: Vec<&str> = known.map(String::as_str).collect();
                let error =
                    FieldError::in_body(pointer, "unknown-field", "there is no such argument");
                self.errors
                    .push(error.with_allowed_if_shown(self.errors.len(), &known, name));
            }
        }
    }

    /// Takes the arguments that no endpoint reads.
    fn take_tool_arguments(&mut self, arguments: &mut Map<String, Value>) {
        let own = (self.tool.own_arguments)();
        if own.contains_key("maxBytes")
            && let Some(given) = arguments.shift_remove("maxBytes")
        {
            let found = self.number(
                "maxBytes",
                &given,
                truncate::MIN_BYTES as u64,
                truncate::MAX_BYTES as u64,
            );
            self.max_bytes = found
                .and_then(|it| it.try_into().ok())
                .unwrap_or(truncate::DEFAULT_BYTES);
        }
        if own.contains_key("wait")
            && let Some(given) = arguments.shift_remove("wait")
        {
            let found = self.number("wait", &given, 0, MAX_WAIT.as_secs());
            self.wait = Duration::from_secs(found.unwrap_or_default());
        }
        if own.contains_key("idempotencyKey")
            && let Some(given) = arguments.shift_remove("idempotencyKey")
        {
            self.key = given.as_str().and_then(idempotency::parse_key);
            if self.key.is_none() {
                let rule = "must be 1 to 255 visible ASCII characters, for example a UUID";
                self.errors.push(FieldError::in_body(
                    "/idempotencyKey",
                    "invalid-value",
                    rule,
                ));
            }
        }
        if own.contains_key("include")
            && let Some(given) = arguments.shift_remove("include")
            && given != "keywords"
        {
            let error = FieldError::in_body("/include", "invalid-value", "must be keywords");
            self.errors
                .push(error.with_allowed(&["keywords"], given.as_str().unwrap_or_default()));
        }
    }

    fn number(&mut self, name: &str, given: &Value, min: u64, max: u64) -> Option<u64> {
        // Models sometimes send numbers as strings.
        let found = whole_number(given).or_else(|| given.as_str()?.parse().ok());
        let found = found.and_then(|it| u64::try_from(it).ok());
        let found = found.filter(|it| (min..=max).contains(it));
        if found.is_none() {
            let rule = format!("must be a whole number from {min} to {max}");
            let error = FieldError::in_body(format!("/{name}"), "invalid-value", rule);
            self.errors.push(error.with("min", min).with("max", max));
        }
        found
    }

    fn take_id(&mut self, arguments: &mut Map<String, Value>) {
        if !self.endpoint.path.contains("{id}") {
            return;
        }
        let name = id_argument(self.endpoint.path);
        let pointer = format!("/{name}");
        match arguments.shift_remove(name) {
            None => {
                let rule = format!("is required; {} returns it", id_source(name));
                self.errors
                    .push(FieldError::in_body(pointer, "required", rule));
            }
            Some(given) => {
                let found =
                    whole_number(&given).or_else(|| given.as_str().and_then(crate::parse_id));
                // An invalid number or string becomes a nonexistent id, as in a URL.
                if !given.is_number() && !given.is_string() {
                    let rule = "must be a positive integer up to 9007199254740991";
                    self.errors
                        .push(FieldError::in_body(pointer, "invalid-type", rule));
                }
                self.id = found.filter(|it| (1..=domain::ids::LARGEST_ID).contains(it));
            }
        }
        let id = self.id.unwrap_or(crate::NONEXISTENT_ID);
        self.path = self.endpoint.path.replace("{id}", &id.to_string());
    }

    fn parameters(&mut self, arguments: &Map<String, Value>) -> Vec<(String, String)> {
        let mut pairs = Vec::with_capacity(arguments.len());
        for (name, value) in arguments {
            let text = match value {
                Value::String(value) => value.clone(),
                Value::Bool(value) => value.to_string(),
                Value::Number(number) => {
                    whole_number(value).map_or_else(|| number.to_string(), |it| it.to_string())
                }
                Value::Array(items) if name == "fields" && items.iter().all(Value::is_string) => {
                    let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
                    items.join(",")
                }
                _ => {
                    let rule = "must be a text, a number, true or false";
                    let pointer = format!("/{name}");
                    self.errors
                        .push(FieldError::in_body(pointer, "invalid-type", rule));
                    continue;
                }
            };
            pairs.push((name.clone(), text));
        }
        pairs
    }

    /// `None` unless it is a read.
    #[must_use]
    pub fn clone_if_read(&self) -> Option<Self> {
        let reads = self.endpoint.verb == Verb::Get;
        reads.then(|| Self {
            errors: vec![],
            path: self.path.clone(),
            query: self.query.clone(),
            body: Map::new(),
            key: None,
            ..*self
        })
    }

    /// Runs the endpoint. Fails like it, and for arguments that no request could carry.
    pub async fn run(
        self,
        services: &Arc<Services>,
        agent: Agent,
        request_id: &str,
    ) -> Result<ApiResponse, Problem> {
        if !self.errors.is_empty() {
            return Err(Problem::invalid(self.errors));
        }
        let Access::Agent(_, handler) = self.endpoint.access else {
            return Err(Problem::new(Code::NotFound, "No tool leads there."));
        };
        let idempotent_request = self.key.map(|key| {
            let caller = agent.token.id.into();
            idempotency::idempotent_request(key, self.endpoint.verb, &self.path, &self.body, caller)
        });
        let parameters = (self.endpoint.parameters)();
        let known: Vec<&str> = parameters.iter().map(|it| it.name).collect();
        let call = Call {
            caller: Caller::Tool(Box::new(agent)),
            idempotent_request,
            if_match: None,
            id: self.id,
            part_id: None,
            // Cursors are bound to the query string.
            query_text: form_urlencoded::Serializer::new(String::new())
                .extend_pairs(&self.query)
                .finish(),
            query: Query::of(self.query, &known),
            path: self.path,
            body: self.body,
            verbosity: Verbosity::Terse(truncate::row_budget(self.max_bytes)),
            peer: None,
        };
        idempotency::call_handler(services, handler, call, request_id).await
    }
}
