use super::schema;
use crate::{endpoint::Endpoint, endpoints};
use domain::scope::Scope;
use rmcp::model::{Tool as Described, ToolAnnotations};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

static ENDPOINTS: LazyLock<Vec<Endpoint>> = LazyLock::new(endpoints::agent_api);

/// All four are set, since clients assume the worst for a missing hint.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "they are MCP's four hints")]
pub struct Hints {
    pub reads_only: bool,
    pub is_destructive: bool,
    pub is_idempotent: bool,
    pub is_open_world: bool,
}

pub struct Tool {
    /// Part of the contract.
    pub name: &'static str,
    /// Display name.
    pub title: &'static str,
    /// Result and cost.
    pub description: &'static str,
    pub hints: Hints,
    pub operations: &'static [&'static str],
    /// Selects the operation from the arguments.
    pub choose_operation: fn(&Map<String, Value>) -> &'static str,
    /// Arguments of the tool itself, and endpoint arguments with another schema.
    pub own_arguments: fn() -> Map<String, Value>,
    pub required: &'static [&'static str],
    /// Schemas of responses, with the members to list.
    pub responses: &'static [(&'static str, &'static [&'static str])],
    pub summarize: fn(&Value) -> String,
}

impl Tool {
    pub fn endpoints(&self) -> impl Iterator<Item = &'static Endpoint> + '_ {
        self.operations.iter().map(|it| endpoint(it))
    }

    pub fn scopes(&self) -> BTreeSet<Scope> {
        self.endpoints()
            .filter_map(|it| it.access.scope())
            .collect()
    }

    pub fn to_rmcp_tool(&self) -> Described {
        let hints = ToolAnnotations::new()
            .read_only(self.hints.reads_only)
            .destructive(self.hints.is_destructive)
            .idempotent(self.hints.is_idempotent)
            .open_world(self.hints.is_open_world);
        Described::new(self.name, self.description, Arc::new(schema::input(self)))
            .with_title(self.title)
            .with_raw_output_schema(Arc::new(schema::output(self)))
            .with_annotations(hints)
    }
}

/// # Panics
/// For an unknown operation; a test covers the table.
pub fn endpoint(operation: &str) -> &'static Endpoint {
    let found = ENDPOINTS.iter().find(|it| it.operation == operation);
    found.expect("tools name endpoints that are there")
}
