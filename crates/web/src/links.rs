//! Links to operations with arguments, rendered per surface.

use crate::route_table::{ROWS, Row, capture_ids, id_argument};
use serde_json::{Map, Value, json};
use std::{borrow::Cow, sync::LazyLock};
use url::form_urlencoded;

/// Interface through which a request came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Stored responses use its links.
    Agent,
    Session,
    Tool,
}

analysis::wire_enum! {
    /// Link targets, by their names in the route table.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Operation {
        AddKeywords = "addKeywords",
        GetContentPlan = "getContentPlan",
        GetDocs = "getDocs",
        GetProject = "getProject",
        GetResults = "getResults",
        ListAccounts = "listAccounts",
        ListAnalyses = "listAnalyses",
        ListContentPlans = "listContentPlans",
        ListKeywords = "listKeywords",
        ListMail = "listMail",
        ListMembers = "listMembers",
        ListModels = "listModels",
        ListProjects = "listProjects",
        ListSearches = "listSearches",
        ListSessions = "listSessions",
        ListTokens = "listTokens",
        Reauthenticate = "reauthenticate",
        RevokeToken = "revokeToken",
        SignIn = "signIn",
        StartAnalysis = "startAnalysis",
        UpdateKeyword = "updateKeyword",
        UpdateProject = "updateProject",
    }
}

impl Operation {
    fn row(self, surface: Surface) -> &'static Row {
        static ROWS: LazyLock<[[&Row; 2]; Operation::ALL.len()]> = LazyLock::new(|| {
            Operation::ALL
                .map(|it| [Surface::Agent, Surface::Session].map(|surface| it.find_row(surface)))
        });
        ROWS[self as usize][usize::from(surface == Surface::Session)]
    }

    /// Sessions have their own rows for shared operations, such as `sessionAddKeywords`.
    fn find_row(self, surface: Surface) -> &'static Row {
        let of_agents = |it: &&Row| it.operation == self.name();
        let of_people = |it: &&Row| {
            let name = it.operation.strip_prefix("session");
            name.is_some_and(|it| it.eq_ignore_ascii_case(self.name()))
        };
        let own = match surface {
            Surface::Session => ROWS.iter().find(of_people),
            Surface::Agent | Surface::Tool => None,
        };
        own.or_else(|| ROWS.iter().find(of_agents))
            .expect("links name operations that are served; a test looks each of them up")
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub operation: Operation,
    /// Id in the path, or of the project if the path has none.
    pub id: Option<i64>,
    /// Of a nested resource.
    part_id: Option<i64>,
    pub query: Vec<(String, Value)>,
}

impl Link {
    pub const fn to(operation: Operation) -> Self {
        Self {
            operation,
            id: None,
            part_id: None,
            query: vec![],
        }
    }

    pub const fn of(operation: Operation, id: i64) -> Self {
        let mut link = Self::to(operation);
        link.id = Some(id);
        link
    }

    #[must_use]
    pub const fn part(mut self, id: i64) -> Self {
        self.part_id = Some(id);
        self
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.query.push((name.to_owned(), value.into()));
        self
    }

    /// Path and query.
    pub fn href(&self, surface: Surface) -> String {
        let mut path = self.operation.row(surface).path.to_owned();
        let mut query = form_urlencoded::Serializer::new(String::new());
        for (name, value) in &self.query {
            let text = value.as_str().map(str::to_owned);
            query.append_pair(name, &text.unwrap_or_else(|| value.to_string()));
        }
        if let Some(id) = self.id {
            if path.contains("{id}") {
                path = path.replace("{id}", &id.to_string());
            } else {
                query.append_pair("projectId", &id.to_string());
            }
        }
        if let Some(id) = self.part_id {
            path = path.replace("{planId}", &id.to_string());
        }
        match query.finish() {
            query if query.is_empty() => path,
            query => format!("{path}?{query}"),
        }
    }

    /// Parses a link of a stored response, which has the form of [`Surface::Agent`].
    pub fn parse_stored(method: Option<&str>, href: &str) -> Option<Self> {
        let (path, query) = href.split_once('?').unwrap_or((href, ""));
        Operation::ALL.into_iter().find_map(|operation| {
            let row = operation.row(Surface::Agent);
            if method.is_some_and(|it| it != row.verb.name()) {
                return None;
            }
            let (id, part_id) = match capture_ids(row.path, path) {
                Some((id, part_id)) => (Some(id), part_id),
                None if row.path == path => (None, None),
                None => return None,
            };
            let query = form_urlencoded::parse(query.as_bytes());
            Some(Self {
                operation,
                id,
                part_id,
                query: query
                    .map(|(name, text)| (name.into_owned(), number_or_flag(&text)))
                    .collect(),
            })
        })
    }
}

/// Other text stays a string.
fn number_or_flag(text: &str) -> Value {
    let number = text.parse::<i64>().ok().map(Value::from);
    let flag = text.parse::<bool>().ok().map(Value::from);
    number.or(flag).unwrap_or_else(|| text.into())
}

/// A suggested request, ready to send.
#[derive(Debug, Clone, PartialEq)]
pub struct NextAction {
    pub link: Link,
    pub description: Cow<'static, str>,
    pub body: Option<Value>,
}

impl NextAction {
    pub const fn new(link: Link, description: &'static str) -> Self {
        Self {
            link,
            description: Cow::Borrowed(description),
            body: None,
        }
    }

    #[must_use]
    pub fn sending(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// A tool call for MCP if a tool covers the operation, otherwise a request.
    pub fn render(&self, surface: Surface) -> Value {
        let call = match surface {
            Surface::Tool => self.call(),
            Surface::Agent | Surface::Session => None,
        };
        call.unwrap_or_else(|| self.request(surface))
    }

    /// `None` if no tool covers the operation.
    fn call(&self) -> Option<Value> {
        let row = self.link.operation.row(Surface::Tool);
        let tool = row.tools.first()?;
        let mut arguments = Map::new();
        if let Some(id) = self.link.id {
            arguments.insert(id_argument(row.path).to_owned(), id.into());
        }
        if self.link.operation == Operation::ListKeywords {
            arguments.insert("include".to_owned(), "keywords".into());
        }
        arguments.extend(self.link.query.iter().cloned());
        let body = self.body.as_ref().and_then(Value::as_object);
        arguments.extend(body.cloned().unwrap_or_default());
        Some(json!({
            "tool": tool,
            "arguments": arguments,
            "description": self.description,
        }))
    }

    fn request(&self, surface: Surface) -> Value {
        let mut request = json!({
            "method": self.link.operation.row(surface).verb.name(),
            "href": self.link.href(surface),
            "description": self.description,
        });
        if let Some(body) = &self.body {
            request["body"] = body.clone();
        }
        request
    }

    fn parse_stored(document: &Value) -> Option<Self> {
        let (method, href) = (document["method"].as_str(), document["href"].as_str()?);
        Some(Self {
            link: Link::parse_stored(method, href)?,
            description: document["description"].as_str()?.to_owned().into(),
            body: document.get("body").cloned(),
        })
    }
}

/// Renders a stored problem document for the surface of the repeated request.
pub fn render_stored_problem(kept: String, surface: Surface) -> String {
    if surface == Surface::Agent {
        return kept;
    }
    let Ok(mut document) = serde_json::from_str::<Value>(&kept) else {
        return kept;
    };
    let actions = document.get_mut("nextActions");
    for action in actions.and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(known) = NextAction::parse_stored(action) {
            *action = known.render(surface);
        }
    }
    if let Some(href) = document.pointer_mut("/existing/href")
        && let Some(link) = href.as_str().and_then(|it| Link::parse_stored(None, it))
    {
        *href = link.href(surface).into();
    }
    document.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURFACES: [Surface; 3] = [Surface::Agent, Surface::Session, Surface::Tool];

    #[test]
    fn every_operation_is_served_at_each_surface() {
        for operation in Operation::ALL {
            for surface in SURFACES {
                assert!(!operation.row(surface).path.is_empty());
            }
        }
    }

    #[test]
    fn agent_paths_become_session_paths() {
        let serp = Link::of(Operation::GetResults, 7).with("type", "serp");
        for (link, of_agents, of_people) in [
            (
                Link::of(Operation::GetProject, 7),
                "/api/agent/v1/projects/7",
                "/api/projects/7",
            ),
            (
                Link::to(Operation::ListAnalyses).with("jobId", 3),
                "/api/agent/v1/analyze?jobId=3",
                "/api/analyses?jobId=3",
            ),
            (
                Link::to(Operation::ListModels),
                "/api/agent/v1/models",
                "/api/settings/models",
            ),
            (
                serp,
                "/api/agent/v1/results?type=serp&projectId=7",
                "/api/projects/7/results?type=serp",
            ),
            (
                Link::of(Operation::GetContentPlan, 7).part(5),
                "/api/projects/7/content-plans/5",
                "/api/projects/7/content-plans/5",
            ),
        ] {
            assert_eq!(link.href(Surface::Agent), of_agents);
            assert_eq!(link.href(Surface::Session), of_people);
        }
    }

    #[test]
    fn stored_problems_are_rendered_for_each_surface() {
        let tracked = Link::of(Operation::ListKeywords, 7).with("aiTracked", true);
        let existing = Link::of(Operation::UpdateKeyword, 9);
        let back = json!({ "status": "active" });
        let actions = [
            NextAction::new(tracked, "The tracked"),
            NextAction::new(existing.clone(), "Back").sending(back),
        ];
        let document = |surface| {
            let existing = json!({ "id": 9, "href": existing.href(surface) });
            let actions = actions.each_ref().map(|it| it.render(surface));
            json!({ "hint": "/api/agent/v1/models", "existing": existing, "nextActions": actions })
        };
        for surface in SURFACES {
            let kept = document(Surface::Agent).to_string();
            assert_eq!(
                render_stored_problem(kept, surface),
                document(surface).to_string()
            );
        }
        for href in [
            "/api/agent/v1/projects/7",
            "/api/agent/v1/analyze?jobId=3",
            "/api/projects/7/content-plans/5",
        ] {
            let kept = Link::parse_stored(None, href).map(|it| it.href(Surface::Agent));
            assert_eq!(kept.as_deref(), Some(href));
        }
        assert_eq!(
            Link::parse_stored(None, "https://example.com/api/agent/v1/models"),
            None
        );
    }

    #[test]
    fn text_of_sites_is_not_rewritten() {
        let kept = json!({
            "nextActions": [{ "method": "GET", "href": "/api/agent/v1/projects", "description": "" }],
            "items": [{ "link": { "href": "/api/agent/v1/projects" }, "text": "/api/agent/v1/models" }],
        });
        let rendered: Value =
            serde_json::from_str(&render_stored_problem(kept.to_string(), Surface::Session))
                .unwrap();
        assert_eq!(rendered["nextActions"][0]["href"], "/api/projects");
        assert_eq!(
            rendered["items"][0]["link"]["href"],
            "/api/agent/v1/projects"
        );
        assert_eq!(rendered["items"][0]["text"], "/api/agent/v1/models");
    }

    #[test]
    fn requests_become_tool_calls_and_site_text_stays() {
        let called = |link, body: Option<Value>| {
            let action = NextAction {
                body,
                ..NextAction::new(link, "Why")
            };
            action.render(Surface::Tool)
        };
        let body = json!({ "type": "rankCheck", "projectId": 7 });
        assert_eq!(
            called(Link::to(Operation::StartAnalysis), Some(body.clone())),
            json!({ "tool": "service_run_analysis", "arguments": body, "description": "Why" })
        );
        let followed = Link::to(Operation::ListAnalyses).with("jobId", 3);
        assert_eq!(
            called(followed.with("wait", 20), None)["arguments"],
            json!({ "jobId": 3, "wait": 20 })
        );
        assert_eq!(
            called(Link::of(Operation::AddKeywords, 7), None),
            json!({ "tool": "service_add_keywords", "arguments": { "projectId": 7 }, "description": "Why" })
        );
        assert_eq!(
            called(Link::of(Operation::ListKeywords, 7), None)["arguments"],
            json!({ "projectId": 7, "include": "keywords" })
        );
        let active = json!({ "status": "active" });
        assert_eq!(
            called(Link::of(Operation::UpdateProject, 7), Some(active)),
            json!({ "tool": "service_update_project", "arguments": { "projectId": 7, "status": "active" }, "description": "Why" })
        );
        assert_eq!(
            called(Link::to(Operation::GetDocs), None),
            json!({ "method": "GET", "href": "/api/agent/v1/docs", "description": "Why" })
        );
        let kept = json!({ "items": [{ "method": "GET", "href": "/api/agent/v1/projects" }] });
        let kept = kept.to_string();
        assert_eq!(render_stored_problem(kept.clone(), Surface::Tool), kept);
    }
}
