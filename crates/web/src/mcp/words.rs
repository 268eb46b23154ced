//! Requests that answers propose, as calls of tools: a model with tools has no use for a method and a path.

use super::tools;
use crate::links::{NextAction, Operation};
use serde_json::{Map, Value, json};

/// `None` where no tool leads there.
pub fn call(action: &NextAction) -> Option<Value> {
    let operation = action.link.operation.name();
    let mut tools = tools::all().iter();
    let tool = tools.find(|it| it.operations.contains(&operation))?;
    let mut arguments = Map::new();
    if let Some(id) = action.link.id {
        arguments.insert(tools::id_argument(operation).to_owned(), id.into());
    }
    if action.link.operation == Operation::ListKeywords {
        arguments.insert("include".to_owned(), "keywords".into());
    }
    arguments.extend(action.link.query.iter().cloned());
    let body = action.body.as_ref().and_then(Value::as_object);
    arguments.extend(body.cloned().unwrap_or_default());
    Some(json!({
        "tool": tool.name,
        "arguments": arguments,
        "description": action.why,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::{Link, Surface, retold};

    #[test]
    fn requests_become_calls_and_what_sites_wrote_stays() {
        let called = |link, body: Option<Value>| {
            let action = NextAction {
                body,
                ..NextAction::new(link, "Why")
            };
            action.told(Surface::Tool)
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
        assert_eq!(retold(kept.clone(), Surface::Tool), kept);
    }
}
