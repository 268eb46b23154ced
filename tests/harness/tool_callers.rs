//! MCP clients: real messages to `/mcp`, in both protocol revisions.

use crate::callers::{Answer, Caller};
use jsonschema::Validator;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::LazyLock};

/// The revision without a handshake.
pub const STATELESS: &str = "2026-07-28";
/// The last revision with a handshake.
pub const WITH_HANDSHAKE: &str = "2025-11-25";

static OUTPUTS: LazyLock<HashMap<&str, Validator>> = LazyLock::new(|| {
    let validator = |tool: &web::mcp::Tool| {
        let schema = json!(tool.to_rmcp_tool().output_schema);
        (
            tool.name,
            jsonschema::validator_for(&schema).expect("a schema"),
        )
    };
    web::mcp::tools().iter().map(validator).collect()
});

#[derive(Debug, Clone)]
pub struct ToolAnswer {
    pub result: Value,
    /// Bytes of the whole response.
    pub bytes: usize,
}

impl ToolAnswer {
    /// The structured content of a successful call.
    pub fn ok(self) -> Value {
        assert_ne!(self.result["isError"], true, "{}", self.result);
        self.result["structuredContent"].clone()
    }

    /// The problem document of a refused call.
    pub fn refused(self) -> Value {
        assert_eq!(self.result["isError"], true, "{}", self.result);
        let text = self.result["content"][1]["text"].as_str();
        serde_json::from_str(text.expect("a problem")).expect("a document")
    }

    /// The summary sentence.
    #[must_use]
    pub fn sentence(&self) -> &str {
        self.result["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
    }
}

#[must_use]
pub fn message(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// Adds the headers and metadata that the revision requires.
pub fn with_mcp_headers(request: RequestBuilder, version: &str, message: &Value) -> RequestBuilder {
    let request = request
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", version);
    if version != STATELESS {
        return request.json(message);
    }
    let mut message = message.clone();
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version.into();
    message["params"]["_meta"]["io.modelcontextprotocol/clientInfo"] =
        json!({ "name": "suite", "version": "1" });
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let request = request.header("Mcp-Method", message["method"].as_str().unwrap_or_default());
    let request = match message["params"]["name"].as_str() {
        Some(name) => request.header("Mcp-Name", name),
        None => request,
    };
    request.json(&message)
}

impl Caller {
    /// A message to `/mcp`, not sent yet.
    pub fn mcp_request(&self, version: &str, message: &Value) -> RequestBuilder {
        with_mcp_headers(self.request_path(Method::POST, "/mcp"), version, message)
    }

    /// Sends a message.
    pub async fn send_message(&self, version: &str, method: &str, params: Value) -> Answer {
        self.send(self.mcp_request(version, &message(method, &params)))
            .await
    }

    /// Calls a tool in the newer revision.
    pub async fn call(&self, tool: &str, arguments: Value) -> ToolAnswer {
        self.call_in(STATELESS, tool, arguments).await
    }

    /// Calls a tool; asserts that the content matches its schema and equals the text.
    pub async fn call_in(&self, version: &str, tool: &str, arguments: Value) -> ToolAnswer {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.send_message(version, "tools/call", params).await;
        let document: Value = answer.json();
        assert_eq!(answer.status, 200, "{document}");
        let result = document["result"].clone();
        assert!(result.is_object(), "{document}");
        let bytes = answer.body.len();
        if result["isError"] != true {
            let content = &result["structuredContent"];
            if let Err(error) = OUTPUTS[tool].validate(content) {
                panic!("{tool}: {error}: {content}");
            }
            let texts = result["content"].as_array().expect("content");
            let text = texts.last().and_then(|it| it["text"].as_str());
            let text: Value = serde_json::from_str(text.expect("a text")).expect("JSON");
            assert_eq!(text, *content);
        }
        ToolAnswer { result, bytes }
    }
}
