//! Callers of tools: real messages to `/mcp`, in the protocol's two eras.

use crate::callers::{Answer, Caller};
use jsonschema::Validator;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::{collections::HashMap, sync::LazyLock};

/// The revision without a handshake.
pub const STATELESS: &str = "2026-07-28";
/// The last revision with one.
pub const WITH_HANDSHAKE: &str = "2025-11-25";

static OUTPUTS: LazyLock<HashMap<&str, Validator>> = LazyLock::new(|| {
    let validator = |tool: &web::mcp::Tool| {
        let schema = json!(tool.described().output_schema);
        (
            tool.name,
            jsonschema::validator_for(&schema).expect("a schema"),
        )
    };
    web::mcp::tools().iter().map(validator).collect()
});

/// What a tool answered.
#[derive(Debug, Clone)]
pub struct ToolAnswer {
    /// The result.
    pub result: Value,
    /// Bytes of the whole answer.
    pub bytes: usize,
}

impl ToolAnswer {
    /// The content.
    ///
    /// # Panics
    /// When the call was refused.
    pub fn ok(self) -> Value {
        assert_ne!(self.result["isError"], true, "{}", self.result);
        self.result["structuredContent"].clone()
    }

    /// The problem document.
    ///
    /// # Panics
    /// When the call was not refused.
    pub fn refused(self) -> Value {
        assert_eq!(self.result["isError"], true, "{}", self.result);
        let text = self.result["content"][1]["text"].as_str();
        serde_json::from_str(text.expect("a problem")).expect("a document")
    }

    /// The sentence.
    #[must_use]
    pub fn sentence(&self) -> &str {
        self.result["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
    }
}

/// A message with its number.
#[must_use]
pub fn message(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The head that a message needs in an era.
pub fn addressed(request: RequestBuilder, version: &str, message: &Value) -> RequestBuilder {
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
    /// A message to the tools' path, to be changed before it is sent.
    pub fn to_tools(&self, version: &str, message: &Value) -> RequestBuilder {
        addressed(self.anywhere(Method::POST, "/mcp"), version, message)
    }

    /// Sends a message; its answer as it came.
    pub async fn says(&self, version: &str, method: &str, params: Value) -> Answer {
        self.send(self.to_tools(version, &message(method, &params)))
            .await
    }

    /// Calls a tool, in the newer era.
    pub async fn call(&self, tool: &str, arguments: Value) -> ToolAnswer {
        self.call_in(STATELESS, tool, arguments).await
    }

    /// Calls a tool in an era; what it answers has the form that its schema says, and the text says the
    /// same.
    ///
    /// # Panics
    /// When it is not answered, or has not.
    pub async fn call_in(&self, version: &str, tool: &str, arguments: Value) -> ToolAnswer {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.says(version, "tools/call", params).await;
        let told: Value = answer.json();
        assert_eq!(answer.status, 200, "{told}");
        let result = told["result"].clone();
        assert!(result.is_object(), "{told}");
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
