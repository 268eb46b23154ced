use crate::envelope::{Envelope, Id};
use crate::failure::Failure;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

#[derive(Debug)]
pub(crate) struct Message {
    /// JSON as received.
    pub text: String,
    pub kind: Kind,
    /// Empty in a response.
    pub method: String,
    pub name: Option<String>,
    pub version: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request(Id),
    Notification,
    /// A notification that cancels a request in flight.
    Cancellation(Id),
    /// The response to a request of the server.
    Response,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Params {
    name: Option<Value>,
    uri: Option<Value>,
    #[serde(rename = "taskId")]
    task_id: Option<Value>,
    #[serde(rename = "requestId")]
    request_id: Option<Value>,
    #[serde(rename = "_meta")]
    meta: Option<Meta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<Value>,
}

impl Message {
    /// Parses a line. `None` if it is blank.
    pub(crate) fn read(line: &[u8]) -> Option<Result<Self, (Failure, Option<Id>)>> {
        let Ok(text) = std::str::from_utf8(line) else {
            return Some(Err((Failure::parse_error("it is not UTF-8"), None)));
        };
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        (!text.is_empty()).then(|| Self::parse_text(text))
    }

    fn parse_text(text: &str) -> Result<Self, (Failure, Option<Id>)> {
        let no_request = |reason: &str, id| Err((Failure::invalid_request(reason), id));
        if !text.starts_with('{') {
            return match serde_json::from_str::<&RawValue>(text) {
                Err(error) => Err((Failure::parse_error(&error.to_string()), None)),
                Ok(_) if text.starts_with('[') => {
                    no_request("batches are not taken; send each message on a line", None)
                }
                Ok(_) => no_request("it is not an object", None),
            };
        }
        let envelope = match Envelope::read(text) {
            Ok(envelope) => envelope,
            // Still valid JSON if a member is duplicated or has the wrong type.
            Err(error) => {
                return match serde_json::from_str::<&RawValue>(text) {
                    // A duplicate member is ambiguous; servers report a parse error.
                    Ok(_) if error.to_string().contains("duplicate field") => {
                        Err((Failure::parse_error(&error.to_string()), None))
                    }
                    Ok(_) => no_request(&error.to_string(), None),
                    Err(error) => Err((Failure::parse_error(&error.to_string()), None)),
                };
            }
        };
        let params = envelope.params.map(RawValue::get).unwrap_or_default();
        let params: Params = serde_json::from_str(params).unwrap_or_default();
        let kind = match (&envelope.method, envelope.id, envelope.id()) {
            (Some(_), _, Some(id)) => Kind::Request(id),
            (Some(_), Some(_), None) => {
                return no_request("its id is neither a string nor a number", None);
            }
            (Some(method), None, None) => notification(method, &params),
            (None, _, _) if envelope.result.is_some() || envelope.error.is_some() => Kind::Response,
            (None, _, id) => return no_request("it has no method", id),
        };
        let method = envelope.method.unwrap_or_default();
        let version = params.meta.as_ref().and_then(|meta| meta.version.as_ref());
        Ok(Self {
            text: text.to_owned(),
            kind,
            name: name(&method, &params),
            version: version.and_then(Value::as_str).map(str::to_owned),
            method,
        })
    }

    /// The request that opens a connection, in protocol versions that have one.
    pub(crate) fn is_initialize(&self) -> bool {
        self.method == "initialize"
    }
}

fn notification(method: &str, params: &Params) -> Kind {
    let ended = match (method, &params.request_id) {
        ("notifications/cancelled", Some(id)) => Id::read(&id.to_string()),
        _ => None,
    };
    ended.map_or(Kind::Notification, Kind::Cancellation)
}

fn name(method: &str, params: &Params) -> Option<String> {
    let name = match method {
        "tools/call" | "prompts/get" => &params.name,
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => &params.uri,
        "tasks/get" | "tasks/update" | "tasks/cancel" => &params.task_id,
        _ => return None,
    };
    name.as_ref().and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Message {
        let message = Message::read(line.as_bytes()).expect("a line that is not blank");
        message.unwrap_or_else(|(failure, _)| panic!("{failure:?} {line}"))
    }

    fn refusal(line: &[u8]) -> (i32, Option<String>) {
        let (failure, id) = Message::read(line).expect("a line").unwrap_err();
        (failure.code, id.map(|id| id.text().to_owned()))
    }

    #[test]
    fn blank_lines_are_none() {
        for line in ["", " ", "\r", "\t \r"] {
            assert!(Message::read(line.as_bytes()).is_none());
        }
    }

    #[test]
    fn message_text_is_unchanged() {
        let text = "{ \"id\":1.50, \"method\":\"x\",\"params\":{\"n\":1e400,\"n\":\"\\u00e4\"}}";
        let message = read(&format!("  {text}\r"));
        assert_eq!(message.text, text);
        assert_eq!(message.kind, Kind::Request(Id::read("1.5").unwrap()));
    }

    #[test]
    fn message_kinds_are_distinguished() {
        let id = |json: &str| Id::read(json).unwrap();
        for (line, kind) in [
            (r#"{"id":1,"method":"a"}"#, Kind::Request(id("1"))),
            (r#"{"id":"1","method":"a"}"#, Kind::Request(id("\"1\""))),
            (r#"{"method":"a"}"#, Kind::Notification),
            (
                r#"{"method":"notifications/cancelled","params":{"requestId":4}}"#,
                Kind::Cancellation(id("4")),
            ),
            (
                r#"{"method":"notifications/cancelled"}"#,
                Kind::Notification,
            ),
            (r#"{"id":1,"result":null}"#, Kind::Response),
            (r#"{"id":null,"error":{}}"#, Kind::Response),
        ] {
            assert_eq!(read(line).kind, kind, "{line}");
        }
    }

    #[test]
    fn invalid_messages_are_refused() {
        let id = |text: &str| Some(text.to_owned());
        for (line, refused) in [
            (&b"{"[..], (-32700, None)),
            (b"hello", (-32700, None)),
            (b"\xff{}", (-32700, None)),
            (b"{\"id\":1,\"method\":\"\xff\"}", (-32700, None)),
            (b"{\"method\":5", (-32700, None)),
            (b"{\"id\":1} {}", (-32700, None)),
            (b"[]", (-32600, None)),
            (b"[{\"id\":1,\"method\":\"a\"}]", (-32600, None)),
            (b"7", (-32600, None)),
            (b"{}", (-32600, None)),
            (b"{\"id\":3}", (-32600, id("3"))),
            (b"{\"id\":null,\"method\":\"a\"}", (-32600, None)),
            (b"{\"id\":{},\"method\":\"a\"}", (-32600, None)),
            (b"{\"id\":1,\"method\":5}", (-32600, None)),
            (b"{\"id\":1,\"id\":2,\"method\":\"a\"}", (-32700, None)),
        ] {
            let shown = String::from_utf8_lossy(line);
            assert_eq!(refusal(line), refused, "{shown}");
        }
    }

    #[test]
    fn name_and_version_are_read() {
        let line = r#"{"id":1,"method":"resources/read","params":{"uri":"x://y","name":"z",
            "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let message = read(line);
        assert_eq!(message.name.as_deref(), Some("x://y"));
        assert_eq!(message.version.as_deref(), Some("2026-07-28"));
        let odd = read(r#"{"id":1,"method":"tools/call","params":[1]}"#);
        assert_eq!((odd.name, odd.version), (None, None));
    }
}
