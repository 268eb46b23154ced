//! What the guard accepts, serde reads as the same value; what it refuses has a reason of the guard.

use serde_json::{Map, Value};
use web::http::json_guard::{MAX_DEPTH, parse};

/// serde treats this member specially if raw values are compiled in.
const RAW: &str = "$serde_json::private::RawValue";

pub(crate) fn check(bytes: &[u8]) {
    let serde: Result<Value, _> = serde_json::from_slice(bytes);
    match parse(bytes) {
        Ok(members) => {
            if !String::from_utf8_lossy(bytes).contains("private::RawValue") {
                assert_eq!(serde.ok(), Some(Value::Object(members.clone())));
            }
            assert_accepted(&members);
            // Parsers that keep the last duplicate would have fewer members.
            let kept = members_of(&Value::Object(members));
            assert_eq!(kept, colons(bytes), "no member is there twice");
        }
        Err(wrong) => {
            assert!(wrong.line >= 1 || wrong.column == 0, "{wrong:?}");
            let lines = bytes.split(|it| *it == b'\n').count();
            assert!(wrong.line <= lines, "{wrong:?}");
            assert!(!wrong.reason.is_empty());
            if let Ok(Value::Object(members)) = serde {
                let is_ours = wrong.reason.contains("twice") || wrong.reason.contains("nested");
                assert!(is_ours || members.contains_key(RAW), "{wrong:?}");
                if wrong.reason.contains("nested") {
                    assert!(depth(&Value::Object(members)) > MAX_DEPTH, "{wrong:?}");
                }
            }
        }
    }
}

fn assert_accepted(members: &Map<String, Value>) {
    let value = Value::Object(members.clone());
    assert!(depth(&value) <= MAX_DEPTH);
    let written = value.to_string();
    let again = parse(written.as_bytes()).map(Value::Object);
    assert_eq!(again, Ok(value), "what was written is read as the same");
}

/// Members at any depth.
fn members_of(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(members_of).sum(),
        Value::Object(members) => members.len() + members.values().map(members_of).sum::<usize>(),
        _ => 0,
    }
}

/// Colons outside strings: one per member.
fn colons(bytes: &[u8]) -> usize {
    let (mut count, mut in_text, mut is_escaped) = (0, false, false);
    for byte in bytes {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b':' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

/// Nesting depth; 0 for a scalar.
fn depth(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(members) => members.values().map(depth).max(),
        _ => return 0,
    };
    1 + inner.unwrap_or(0)
}
