//! Turns requests that answers propose into calls of tools: a model with tools has no use for a method and a path.

use super::tools;
use crate::agent_api::BASE;
use serde_json::{Map, Value, json};
use url::form_urlencoded;

/// Turns requests that an answer proposes into calls of tools, and takes out paths that lead where the tool's own
/// arguments lead. What an answer shows a part of is called `rest`.
pub fn in_tools(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(in_tools),
        Value::Object(members) => {
            if let Some(call) = proposed(members) {
                *value = call;
                return;
            }
            let is_path = |it: &Value| it.as_str().is_some_and(|it| it.starts_with(BASE));
            if members.get("next").is_some_and(is_path)
                && let Some(next) = members.shift_remove("next")
                && members.contains_key("counts")
            {
                let rest =
                    json!({ "method": "GET", "href": next, "description": "List all of them." });
                members.insert("rest".into(), rest);
            }
            members.values_mut().for_each(in_tools);
        }
        _ => {}
    }
}

fn proposed(members: &Map<String, Value>) -> Option<Value> {
    let method = members.get("method")?.as_str()?;
    let href = members.get("href")?.as_str()?;
    let (path, query) = href.split_once('?').unwrap_or((href, ""));
    let (operation, id) = tools::operation_at(method, path)?;
    let tool = tools::all()
        .iter()
        .find(|it| it.operations.contains(&operation))?;
    let mut arguments = Map::new();
    if let Some(id) = id {
        arguments.insert(tools::id_argument(operation).to_owned(), id.into());
    }
    if operation == "listKeywords" {
        arguments.insert("include".to_owned(), "keywords".into());
    }
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        arguments.insert(name.into_owned(), plain(&text));
    }
    if operation == "deactivateProject" || operation == "deactivateKeyword" {
        arguments.insert("status".to_owned(), "deactivated".into());
    }
    let body = members.get("body").and_then(Value::as_object);
    arguments.extend(body.cloned().unwrap_or_default());
    Some(json!({
        "tool": tool.name,
        "arguments": arguments,
        "description": members.get("description"),
    }))
}

/// A number or a flag as such.
fn plain(text: &str) -> Value {
    let number = text.parse::<i64>().ok().map(Value::from);
    let flag = text.parse::<bool>().ok().map(Value::from);
    number.or(flag).unwrap_or_else(|| text.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_become_calls_and_what_sites_wrote_stays() {
        let mut value = json!({
            "nextActions": [
                { "method": "POST", "href": "/api/agent/v1/analyze", "description": "Start", "body": { "type": "rankCheck", "projectId": 7 } },
                { "method": "GET", "href": "/api/agent/v1/analyze?jobId=3&wait=20", "description": "Follow" },
                { "method": "POST", "href": "/api/agent/v1/projects/7/keywords", "description": "Add" },
                { "method": "PATCH", "href": "/api/agent/v1/projects/7", "description": "Back", "body": { "status": "active" } },
                { "method": "GET", "href": "/api/agent/v1/docs", "description": "Read" },
            ],
            "results": { "serp": { "next": "/api/agent/v1/results?type=serp&projectId=7", "state": "ready" } },
            "items": [{ "href": "/api/agent/v1/projects", "next": "https://example.com" }],
        });
        in_tools(&mut value);
        let actions = value["nextActions"].as_array().unwrap();
        assert_eq!(
            actions[0],
            json!({ "tool": "service_run_analysis", "arguments": { "type": "rankCheck", "projectId": 7 }, "description": "Start" })
        );
        assert_eq!(actions[1]["arguments"], json!({ "jobId": 3, "wait": 20 }));
        assert_eq!(
            actions[2],
            json!({ "tool": "service_add_keywords", "arguments": { "projectId": 7 }, "description": "Add" })
        );
        assert_eq!(
            actions[3],
            json!({ "tool": "service_update_project", "arguments": { "projectId": 7, "status": "active" }, "description": "Back" })
        );
        assert_eq!(actions[4]["href"], "/api/agent/v1/docs");
        assert_eq!(value["results"]["serp"], json!({ "state": "ready" }));
        assert_eq!(value["items"][0]["next"], "https://example.com");
    }
}
