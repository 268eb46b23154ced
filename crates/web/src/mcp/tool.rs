//! What a tool is: its words, its arguments, and the endpoints that do its work.

use super::schema;
use crate::{endpoint::Endpoint, endpoints};
use domain::scope::Scope;
use rmcp::model::{Tool as Described, ToolAnnotations};
use serde_json::{Map, Value};
use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

static ENDPOINTS: LazyLock<Vec<Endpoint>> = LazyLock::new(endpoints::agent_api);

/// What a client may rely on; each is said, since what is left unsaid counts as the worst.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "they are MCP's four hints")]
pub struct Hints {
    /// Changes nothing.
    pub reads_only: bool,
    /// May undo what is there.
    pub is_destructive: bool,
    /// A second call with the same arguments changes nothing more.
    pub is_idempotent: bool,
    /// Asks the outside world.
    pub is_open_world: bool,
}

/// One tool.
pub struct Tool {
    /// Its name, which is part of the contract.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// What is returned, and what it costs.
    pub description: &'static str,
    /// What a client may rely on.
    pub hints: Hints,
    /// The endpoints that do its work.
    pub operations: &'static [&'static str],
    /// Which of them the arguments ask for.
    pub choose: fn(&Map<String, Value>) -> &'static str,
    /// Arguments of the tool itself, and those of the endpoints that are told in other words.
    pub own: fn() -> Map<String, Value>,
    /// Arguments that have to be there.
    pub required: &'static [&'static str],
    /// Schemas of what is answered, with the members that are told of each.
    pub answers: &'static [(&'static str, &'static [&'static str])],
    /// A sentence about an answer.
    pub tell: fn(&Value) -> String,
}

impl Tool {
    /// The endpoints that do its work.
    pub fn endpoints(&self) -> impl Iterator<Item = &'static Endpoint> + '_ {
        self.operations.iter().map(|it| endpoint(it))
    }

    /// The scopes of its endpoints.
    pub fn scopes(&self) -> BTreeSet<Scope> {
        self.endpoints()
            .filter_map(|it| it.access.scope())
            .collect()
    }

    /// As `tools/list` tells it.
    #[must_use]
    pub fn described(&self) -> Described {
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

/// The endpoint of that name.
///
/// # Panics
/// When the table of tools names one that is not there; a test reads it.
pub fn endpoint(operation: &str) -> &'static Endpoint {
    let found = ENDPOINTS.iter().find(|it| it.operation == operation);
    found.expect("tools name endpoints that are there")
}

/// All endpoints that tools may lead to.
pub fn endpoints() -> &'static [Endpoint] {
    &ENDPOINTS
}
