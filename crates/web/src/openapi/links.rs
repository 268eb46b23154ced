//! OpenAPI links: response values that other operations take.

use serde_json::{Map, Value, json};

const OF_A_PROJECT: [&str; 5] = [
    "getProject",
    "updateProject",
    "listKeywords",
    "addKeywords",
    "deactivateProject",
];
const OF_A_KEYWORD: [&str; 2] = ["updateKeyword", "deactivateKeyword"];

/// By target operation. Lists have no links, since they may be empty.
pub fn response_links(operation: &str, status: u16) -> Map<String, Value> {
    match (operation, status) {
        ("createProject", 201) | ("getProject" | "updateProject" | "deactivateProject", 200) => {
            project("$response.body#/id")
        }
        ("addKeywords", 201) => keyword("$response.body#/created/0/id"),
        ("updateKeyword" | "deactivateKeyword", 200) => keyword("$response.body#/id"),
        ("startAnalysis", 202) => {
            let about = json!({ "jobId": "$response.body#/id" });
            Map::from_iter([link("listAnalyses", &about)])
        }
        _ => Map::new(),
    }
}

fn project(id: &str) -> Map<String, Value> {
    let path = json!({ "id": id });
    let mut links: Map<String, Value> = OF_A_PROJECT.iter().map(|it| link(it, &path)).collect();
    let results = json!({ "projectId": id, "type": "all" });
    links.extend([link("getResults", &results)]);
    links
}

fn keyword(id: &str) -> Map<String, Value> {
    let path = json!({ "id": id });
    OF_A_KEYWORD.iter().map(|it| link(it, &path)).collect()
}

fn link(operation: &str, parameters: &Value) -> (String, Value) {
    let link = json!({ "operationId": operation, "parameters": parameters });
    (operation.to_owned(), link)
}
