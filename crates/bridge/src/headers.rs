//! MCP headers that let intermediaries route a message without parsing it.

use crate::message::Message;
use base64::{Engine, prelude::BASE64_STANDARD};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The first protocol version with method and name in headers; versions are dates and compare as text.
const NAMES_SINCE: &str = "2026-07-28";

const BASE64_MARKERS: (&str, &str) = ("=?base64?", "?=");

pub(crate) fn for_message(message: &Message, version: Option<&str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    // A value that is not allowed in a header is left out; the server reports it as missing.
    let mut add = |name: HeaderName, text: &str| {
        if let Ok(value) = HeaderValue::from_str(text) {
            headers.insert(name, value);
        }
    };
    let Some(version) = version else {
        return headers;
    };
    add(VERSION, version);
    if version >= NAMES_SINCE && !message.method.is_empty() {
        add(METHOD, &message.method);
        if let Some(name) = &message.name {
            add(NAME, &encode_value(name));
        }
    }
    headers
}

/// Base64 if the text would not survive as a header value.
fn encode_value(text: &str) -> String {
    let is_blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    let bytes = text.as_bytes();
    let (begin, end) = BASE64_MARKERS;
    let is_visible = bytes.iter().all(|byte| (0x20..=0x7e).contains(byte));
    let loses_an_end = is_blank(bytes.first()) || is_blank(bytes.last());
    let looks_wrapped = text.starts_with(begin) && text.ends_with(end);
    let is_plain = is_visible && !loses_an_end && !looks_wrapped;
    if is_plain {
        text.to_owned()
    } else {
        format!("{begin}{}{end}", BASE64_STANDARD.encode(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(line: &str, version: Option<&str>) -> Vec<(String, String)> {
        let message = Message::read(line.as_bytes()).unwrap().unwrap();
        let text = |value: &HeaderValue| value.to_str().unwrap().to_owned();
        for_message(&message, version)
            .iter()
            .map(|(name, value)| (name.to_string(), text(value)))
            .collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    const CALL: &str = r#"{"id":1,"method":"tools/call","params":{"name":"get_rankings"}}"#;

    #[test]
    fn older_versions_send_only_the_version_header() {
        assert!(headers(CALL, None).is_empty());
        for version in ["2025-06-18", "2025-11-25"] {
            let sent = headers(CALL, Some(version));
            assert_eq!(sent, pairs(&[("mcp-protocol-version", version)]));
        }
    }

    #[test]
    fn newer_versions_send_method_and_name_headers() {
        let sent = headers(CALL, Some("2026-07-28"));
        assert_eq!(
            sent,
            pairs(&[
                ("mcp-protocol-version", "2026-07-28"),
                ("mcp-method", "tools/call"),
                ("mcp-name", "get_rankings"),
            ])
        );
        let list = headers(
            r#"{"id":1,"method":"tools/list","params":{"name":"x"}}"#,
            Some("2026-07-28"),
        );
        assert_eq!(list.len(), 2);
        let response = headers(r#"{"id":1,"result":{}}"#, Some("2026-07-28"));
        assert_eq!(response.len(), 1);
    }

    #[test]
    fn unsafe_header_values_are_base64_encoded() {
        for (text, value) in [
            ("get_rankings", "get_rankings"),
            ("a b~!", "a b~!"),
            ("", ""),
            ("=?base64?x", "=?base64?x"),
            ("héllo", "=?base64?aMOpbGxv?="),
            (" a", "=?base64?IGE=?="),
            ("a\t", "=?base64?YQk=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("a\u{7f}", "=?base64?YX8=?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
        ] {
            assert_eq!(encode_value(text), value, "{text:?}");
        }
    }
}
