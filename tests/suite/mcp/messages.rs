//! Messages of both protocol eras: results, protocol errors and tool errors.

use harness::{
    app::TestApp,
    callers::{Answer, Caller},
    databases::TestDatabase,
    tool_callers::{STATELESS, WITH_HANDSHAKE, message, with_mcp_headers},
};
use reqwest::Method;
use serde_json::{Value, json};

harness::on_sqlite![
    a_handshake_negotiates_a_version_without_a_session,
    without_a_handshake_every_request_names_its_version,
    headers_that_contradict_the_message_are_refused,
    the_tool_list_is_the_same_in_all_protocol_versions,
    protocol_errors_and_tool_errors_are_distinguished,
    malformed_messages_return_json_rpc_errors,
    protocol_versions_mix_on_one_connection,
    only_posts_are_served,
];

fn handshake(version: &str) -> Value {
    message(
        "initialize",
        &json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "suite", "version": "1" } }),
    )
}

async fn agreed(agent: &Caller, version: &str) -> Value {
    let request = agent
        .request_path(Method::POST, "/mcp")
        .header("Accept", "application/json, text/event-stream")
        .json(&handshake(version));
    let answer = agent.send(request).await;
    assert_eq!(answer.header("mcp-session-id"), "");
    answer.ok()["result"].clone()
}

async fn a_handshake_negotiates_a_version_without_a_session(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for version in ["2025-06-18", WITH_HANDSHAKE] {
        let handshake = agreed(&agent, version).await;
        assert_eq!(handshake["protocolVersion"], version);
        assert_eq!(handshake["serverInfo"]["name"], "sightline");
        let instructions = handshake["instructions"].as_str().unwrap();
        assert!(instructions.len() < 2_048 && instructions.contains("service_list_projects"));
    }
    // An unsupported version leads to the newest one with a handshake.
    for version in ["2024-11-05", "2031-01-01", STATELESS] {
        assert_eq!(
            agreed(&agent, version).await["protocolVersion"],
            WITH_HANDSHAKE,
            "{version}"
        );
    }
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let request = agent
        .mcp_request(WITH_HANDSHAKE, &initialized)
        .header("Mcp-Session-Id", "made-up");
    let answer = agent.send(request).await;
    assert_eq!((answer.status.as_u16(), answer.body.as_str()), (202, ""));
    let request = agent
        .mcp_request(WITH_HANDSHAKE, &message("ping", &json!({})))
        .header("Mcp-Session-Id", "made-up");
    assert_eq!(agent.send(request).await.ok()["result"], json!({}));
}

async fn without_a_handshake_every_request_names_its_version(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let discovery = agent
        .send_message(STATELESS, "server/discover", json!({}))
        .await
        .ok()["result"]
        .clone();
    assert_eq!(discovery["resultType"], "complete");
    assert_eq!(
        discovery["supportedVersions"],
        json!(["2025-06-18", WITH_HANDSHAKE, STATELESS])
    );
    assert!(
        discovery["ttlMs"].is_number() && discovery["cacheScope"].is_string(),
        "{discovery}"
    );
    let listed = agent
        .send_message(STATELESS, "tools/list", json!({}))
        .await
        .ok()["result"]
        .clone();
    assert_eq!(
        (
            &listed["resultType"],
            &listed["ttlMs"],
            &listed["cacheScope"]
        ),
        (&json!("complete"), &json!(300_000), &json!("private"))
    );
    let called = agent.call("service_get_models", json!({})).await.result;
    assert_eq!(called["resultType"], "complete");
    // Only in the other era.
    for method in ["ping", "logging/setLevel"] {
        let refused = agent
            .send_message(STATELESS, method, json!({ "level": "info" }))
            .await;
        assert_eq!(
            (refused.status.as_u16(), error_of(&refused)),
            (404, -32_601),
            "{method}"
        );
    }
}

fn error_of(answer: &Answer) -> i64 {
    answer.json()["error"]["code"].as_i64().unwrap_or_default()
}

async fn headers_that_contradict_the_message_are_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let call = message(
        "tools/call",
        &json!({ "name": "service_get_models", "arguments": {} }),
    );
    let plain = || agent.mcp_request(STATELESS, &call).build().unwrap();
    for (header, value) in [
        ("mcp-method", Some("tools/list")),
        ("mcp-name", Some("service_get_results")),
        ("mcp-method", None),
        ("mcp-name", None),
        ("mcp-protocol-version", Some(WITH_HANDSHAKE)),
        ("mcp-protocol-version", None),
    ] {
        let mut request = plain();
        match value {
            Some(value) => drop(request.headers_mut().insert(header, value.parse().unwrap())),
            None => drop(request.headers_mut().remove(header)),
        }
        let answer = agent
            .send(reqwest::RequestBuilder::from_parts(
                harness::callers::client(),
                request,
            ))
            .await;
        assert_eq!(
            (answer.status.as_u16(), error_of(&answer)),
            (400, -32_020),
            "{header}: {value:?}"
        );
    }
    let unknown = message(
        "tools/list",
        &json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientInfo": { "name": "a", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    } }),
    );
    let request = agent
        .mcp_request("2031-01-01", &unknown)
        .header("Mcp-Method", "tools/list");
    let answer = agent.send(request).await;
    assert_eq!(
        (answer.status.as_u16(), error_of(&answer)),
        (400, -32_022),
        "{}",
        answer.body
    );
    assert_eq!(
        answer.json()["error"]["data"]["supported"],
        json!(["2025-06-18", WITH_HANDSHAKE, STATELESS])
    );
    // Older versions have no such error: the response is a problem document.
    let older = agent
        .send_message("1999-01-01", "tools/list", json!({}))
        .await;
    older.refused(400, "invalid-header");
    // Names may be encoded.
    let mut request = plain();
    let encoded = "=?base64?c2VydmljZV9nZXRfbW9kZWxz?=".parse().unwrap();
    request.headers_mut().insert("mcp-name", encoded);
    let builder = reqwest::RequestBuilder::from_parts(harness::callers::client(), request);
    agent.send(builder).await.ok();
}

async fn the_tool_list_is_the_same_in_all_protocol_versions(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let first = agent.send_message(STATELESS, "tools/list", json!({})).await;
    let second = agent.send_message(STATELESS, "tools/list", json!({})).await;
    assert_eq!(first.body, second.body);
    let older = agent
        .send_message(WITH_HANDSHAKE, "tools/list", json!({}))
        .await
        .ok();
    let tools = &first.ok()["result"]["tools"];
    assert_eq!(&older["result"]["tools"], tools);
    assert_eq!(tools.as_array().map(Vec::len), Some(8));
    for tool in tools.as_array().unwrap() {
        let hints = tool["annotations"].as_object().unwrap();
        assert_eq!(hints.len(), 4, "{tool}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert!(
            jsonschema::meta::is_valid(&tool["inputSchema"])
                && jsonschema::meta::is_valid(&tool["outputSchema"])
        );
    }
}

/// Calls that a model can correct, with their codes.
fn mendable() -> [(&'static str, Value, &'static str); 12] {
    [
        ("service_create_project", json!({}), "validation-failed"),
        (
            "service_create_project",
            json!({ "domain": "localhost" }),
            "validation-failed",
        ),
        (
            "service_update_project",
            json!({ "name": "x" }),
            "validation-failed",
        ),
        (
            "service_list_projects",
            json!({ "limt": 3 }),
            "validation-failed",
        ),
        (
            "service_list_projects",
            json!({ "include": "everything" }),
            "validation-failed",
        ),
        (
            "service_list_projects",
            json!({ "maxBytes": 10 }),
            "validation-failed",
        ),
        (
            "service_list_projects",
            json!({ "tag": { "a": 1 } }),
            "validation-failed",
        ),
        (
            "service_run_analysis",
            json!({ "type": "rankCheck", "projectId": 5, "wait": 301 }),
            "validation-failed",
        ),
        (
            "service_add_keywords",
            json!({ "projectId": 5, "keywords": ["a"], "idempotencyKey": "" }),
            "validation-failed",
        ),
        (
            "service_get_results",
            json!({ "projectId": 5, "type": "serp" }),
            "project-not-found",
        ),
        (
            "service_update_keyword",
            json!({ "keywordId": 5, "aiTracked": true }),
            "keyword-not-found",
        ),
        (
            "service_run_analysis",
            json!({ "jobId": 5 }),
            "job-not-found",
        ),
    ]
}

async fn protocol_errors_and_tool_errors_are_distinguished(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for version in [STATELESS, WITH_HANDSHAKE] {
        let send = |method: &'static str, params: Value| {
            let agent = agent.clone();
            async move { agent.send_message(version, method, params).await }
        };
        // Protocol errors, which a model cannot correct.
        for (method, params, code) in [
            (
                "tools/call",
                json!({ "name": "delete_everything", "arguments": {} }),
                -32_602,
            ),
            ("tools/call", json!({ "arguments": {} }), -32_602),
            (
                "tools/call",
                json!({ "name": "service_get_models", "arguments": [] }),
                -32_602,
            ),
            ("tools/delete", json!({}), -32_601),
        ] {
            if version == STATELESS && params.get("name").is_none() && method == "tools/call" {
                continue;
            }
            let answer = send(method, params.clone()).await;
            assert_eq!(
                error_of(&answer),
                code,
                "{version} {method} {params}: {}",
                answer.body
            );
        }
        // Tool errors: what, where and how to fix it.
        for (tool, arguments, code) in mendable() {
            let answer = agent.call_in(version, tool, arguments.clone()).await;
            let sentence = answer.sentence().to_owned();
            let problem = answer.refused();
            assert_eq!(problem["code"], code, "{tool} {arguments}: {problem}");
            let title = problem["title"].as_str().unwrap();
            assert!(sentence.starts_with(title), "{sentence}");
        }
    }
    let problem = agent
        .call("service_list_projects", json!({ "priority": "urgent" }))
        .await
        .refused();
    assert_eq!(
        problem["errors"][0]["allowed"],
        json!(["low", "normal", "high", "critical"])
    );
    // An empty result has the sentence "No rows."
    let none = agent
        .call(
            "service_list_projects",
            json!({ "search": "no such project" }),
        )
        .await;
    assert_eq!(none.sentence(), "No rows.");
    assert_eq!(none.ok(), json!({ "items": [] }));
    // Errors name arguments; those of the tool's other endpoints are recognized.
    let foreign = json!({ "projectId": 5, "search": "a" });
    let refusal = agent.call("service_list_projects", foreign).await.refused();
    assert_eq!(
        (
            &refusal["errors"][0]["argument"],
            &refusal["errors"][0]["code"]
        ),
        (&json!("search"), &json!("not-applicable"))
    );
    let nameless = json!({ "id": 1, "aiTracked": true });
    let refusal = agent
        .call("service_update_keyword", nameless)
        .await
        .refused();
    let argument_names: Vec<&Value> = refusal["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["argument"])
        .collect();
    assert_eq!(argument_names, ["id", "keywordId"]);
    // Null selects nothing, a number may be a string, and `fields` may be a list.
    let list = json!({ "projectId": null, "include": null, "tag": null, "limit": "3", "maxBytes": "5000", "fields": ["id", "name"] });
    agent.call("service_list_projects", list).await.ok();
}

async fn malformed_messages_return_json_rpc_errors(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for (body, code) in [
        ("", -32_700),
        ("{", -32_700),
        (
            r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}"#,
            -32_700,
        ),
        (r#" [{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32_600),
    ] {
        let request = agent
            .request_path(Method::POST, "/mcp")
            .header("Accept", "application/json, text/event-stream")
            .header("Content-Type", "application/json")
            .body(body);
        let answer = agent.send(request).await;
        assert_eq!(
            (answer.status.as_u16(), error_of(&answer)),
            (400, code),
            "{body}"
        );
        assert_eq!(answer.json()["id"], Value::Null);
    }
    for (body, id) in [
        (json!({ "id": 1, "method": "ping" }), json!(1)),
        (
            json!({ "jsonrpc": "1.0", "id": "a", "method": "ping" }),
            json!("a"),
        ),
        (
            json!({ "jsonrpc": "2.0", "id": null, "method": "ping" }),
            Value::Null,
        ),
        (
            json!({ "jsonrpc": "2.0", "id": 1.5, "method": "ping" }),
            Value::Null,
        ),
        (json!({ "jsonrpc": "2.0", "id": 1 }), json!(1)),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": 5 }), json!(1)),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1] }),
            json!(1),
        ),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "_meta": "x" } }),
            json!(1),
        ),
    ] {
        let answer = agent.send(agent.mcp_request(WITH_HANDSHAKE, &body)).await;
        assert_eq!(
            (answer.status.as_u16(), error_of(&answer)),
            (400, -32_600),
            "{body}"
        );
        assert_eq!(answer.json()["id"], id, "{body}");
    }
    let bare = agent
        .send(agent.mcp_request(WITH_HANDSHAKE, &message("initialize", &json!({}))))
        .await;
    assert_eq!(error_of(&bare), -32_602);
    let ping = message("ping", &json!({}));
    let request = |accept: &str, kind: &str| {
        agent
            .request_path(Method::POST, "/mcp")
            .header("Accept", accept)
            .header("Content-Type", kind)
            .body(ping.to_string())
    };
    let both = "application/json, text/event-stream";
    for accept in [
        "application/json",
        "text/event-stream",
        "text/html",
        "*/*;q=0",
    ] {
        let answer = agent.send(request(accept, "application/json")).await;
        answer.refused(406, "not-acceptable");
    }
    for accept in ["*/*", "text/html, */*;q=0.1"] {
        agent.send(request(accept, "application/json")).await.ok();
    }
    for kind in ["text/plain", "application/json; charset=latin1"] {
        let answer = agent.send(request(both, kind)).await;
        answer.refused(415, "unsupported-media-type");
    }
    let large = message("ping", &json!({ "x": "x".repeat(300_000) }));
    agent
        .send(agent.mcp_request(WITH_HANDSHAKE, &large))
        .await
        .refused(413, "payload-too-large");
}

async fn protocol_versions_mix_on_one_connection(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for _ in 0..2 {
        for version in [STATELESS, "2025-06-18", WITH_HANDSHAKE] {
            let listed = agent
                .send_message(version, "tools/list", json!({}))
                .await
                .ok()["result"]
                .clone();
            assert_eq!(
                listed["tools"].as_array().map(Vec::len),
                Some(8),
                "{version}"
            );
            assert_eq!(listed.get("resultType").is_some(), version == STATELESS);
            agent
                .call_in(version, "service_get_models", json!({}))
                .await
                .ok();
        }
    }
}

async fn only_posts_are_served(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::PATCH] {
        let answer = agent.send(agent.request_path(method, "/mcp")).await;
        answer.refused(405, "method-not-allowed");
        assert_eq!(answer.header("allow"), "POST, OPTIONS");
    }
    let options = agent
        .send(agent.request_path(Method::OPTIONS, "/mcp"))
        .await;
    assert_eq!(
        (options.status.as_u16(), options.header("allow")),
        (204, "POST, OPTIONS")
    );
    let anonymous = app.anonymous();
    let request = with_mcp_headers(
        anonymous.request_path(Method::POST, "/mcp/"),
        STATELESS,
        &message("tools/list", &json!({})),
    );
    anonymous.send(request).await.refused(404, "not-found");
}
