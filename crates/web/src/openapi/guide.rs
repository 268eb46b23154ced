use crate::{endpoints, paths};
use domain::scope::Scope;
use serde_json::{Value, json};

/// At most 16 KiB.
pub fn guide(base_url: &str) -> Value {
    let endpoints: Vec<Value> = endpoints::agent_api()
        .iter()
        .map(|it| json!({ "name": it.operation, "method": it.verb.name(), "path": it.path, "scope": it.access.scope().map(Scope::name), "does": it.summary }))
        .collect();
    json!({
        "service": "Sightline: how visible websites are in search results and to their visitors",
        "baseUrl": format!("{base_url}/api/agent/v1"),
        "mcp": format!("{base_url}{}", paths::MCP),
        "authentication": "Authorization: Bearer <token>",
        "rules": [
            "JSON in UTF-8, camelCase; times are RFC 3339 in UTC; ids are integers; null is unknown, 0 is counted.",
            "A refusal is application/problem+json: read code, detail, hint, errors[] and nextActions[].",
            "Lists answer {items, nextCursor, limit}: go on with cursor=<nextCursor> until it is null.",
            "RateLimit reports what is left; after 429 or 503 wait as long as Retry-After says.",
            "A POST with an Idempotency-Key of your own may be sent again: it is executed once.",
            "Send the ETag of what you read as If-Match with a change: 412 when somebody was faster. fields=a,b.c keeps answers small.",
            "PATCH is a merge patch: what is left out stays, null resets.",
            "DELETE deactivates; nothing is lost, and PATCH {\"status\":\"active\"} brings it back.",
            "Records with provenance `simulated` come from the sandbox, not from the web.",
        ],
        "firstSteps": [
            { "step": "Check the token", "method": "GET", "path": "/api/agent/v1/health" },
            { "step": "Create a project", "method": "POST", "path": "/api/agent/v1/projects", "body": { "domain": "example.com", "keywords": ["rank tracker", "seo audit"] } },
            { "step": "Measure its keywords", "method": "POST", "path": "/api/agent/v1/analyze", "body": { "type": "rankCheck", "projectId": "<id of the project>" } },
            { "step": "Follow it", "method": "GET", "path": "/api/agent/v1/analyze?jobId=<id of the job>&wait=20" },
            { "step": "Read positions", "method": "GET", "path": "/api/agent/v1/results?type=rankings&projectId=<id of the project>" },
            { "step": "Audit the site's links", "method": "POST", "path": "/api/agent/v1/analyze", "body": { "type": "siteAudit", "projectId": "<id of the project>" } },
            { "step": "Read broken links", "method": "GET", "path": "/api/agent/v1/results?type=broken-links&projectId=<id of the project>" },
        ],
        "endpoints": endpoints,
        "reference": format!("{base_url}/api/agent/v1/docs"),
    })
}
