//! Whatever the arguments of an MCP tool are, the call goes to an endpoint of that tool.

use serde_json::Value;
use std::time::Duration;
use web::{
    http::json_guard,
    mcp::{MAX_DEPTH, invalid_message_reason, parse_tool_call, tools},
    route_table::Verb,
};

/// The bytes as a message, and as the arguments of each tool.
pub(crate) fn check(bytes: &[u8]) {
    let Ok(message) = json_guard::parse_within(bytes, MAX_DEPTH) else {
        return;
    };
    if invalid_message_reason(&message).is_none() {
        assert_eq!(message.get("jsonrpc"), Some(&Value::from("2.0")));
        calls_own_tool(message.clone());
    }
    for tool in tools() {
        let call = serde_json::json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": { "name": tool.name, "arguments": message },
        });
        let Value::Object(call) = call else {
            continue;
        };
        assert_eq!(invalid_message_reason(&call), None);
        assert!(
            calls_own_tool(call),
            "arguments make a call of {}",
            tool.name
        );
    }
}

fn calls_own_tool(message: serde_json::Map<String, Value>) -> bool {
    let Some(call) = parse_tool_call(message) else {
        return false;
    };
    let operation = call.endpoint.operation;
    assert!(call.tool.operations.contains(&operation), "{operation}");
    assert!((4_096..=65_536).contains(&call.max_bytes));
    assert!(call.wait <= Duration::from_mins(5));
    let reads = call.endpoint.verb == Verb::Get;
    assert_eq!(
        call.clone_if_read().is_some(),
        reads,
        "what changes is not repeated"
    );
    if let Some(again) = call.clone_if_read() {
        assert_eq!(again.endpoint.operation, operation);
    }
    true
}
