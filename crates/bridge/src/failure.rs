use crate::envelope::Id;
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub code: i32,
    pub message: String,
    pub data: Option<String>,
}

/// The server was not reached, or its response could not be read.
const NO_RESPONSE: i32 = -32000;
/// The server refused with a problem document.
const REFUSED: i32 = -32001;
const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;
const PARSE_ERROR: i32 = -32700;

#[derive(Serialize)]
struct ErrorResponse<'a> {
    jsonrpc: &'static str,
    id: Option<&'a RawValue>,
    error: Error<'a>,
}

#[derive(Serialize)]
struct Error<'a> {
    code: i32,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a RawValue>,
}

impl Failure {
    fn new(code: i32, message: String) -> Self {
        let data = None;
        Self {
            code,
            message,
            data,
        }
    }

    pub(crate) fn parse_error(reason: &str) -> Self {
        Self::new(PARSE_ERROR, format!("the line is not JSON: {reason}"))
    }

    pub(crate) fn invalid_request(reason: &str) -> Self {
        Self::new(
            INVALID_REQUEST,
            format!("the line is not a request: {reason}"),
        )
    }

    pub(crate) fn no_response(message: String) -> Self {
        Self::new(NO_RESPONSE, message)
    }

    pub(crate) fn internal() -> Self {
        let message = "the bridge failed at this message; please report it".to_owned();
        Self::new(INTERNAL_ERROR, message)
    }

    /// `data` is the server's problem document.
    pub(crate) fn refused(message: String, data: String) -> Self {
        Self {
            data: Some(data),
            ..Self::new(REFUSED, message)
        }
    }

    pub(crate) fn to_response(&self, id: Option<&Id>) -> String {
        let raw = |json: &str| RawValue::from_string(json.to_owned()).ok();
        let id = id.and_then(|id| raw(id.text()));
        let data = self.data.as_deref().and_then(raw);
        let answer = ErrorResponse {
            jsonrpc: "2.0",
            id: id.as_deref(),
            error: Error {
                code: self.code,
                message: &self.message,
                data: data.as_deref(),
            },
        };
        serde_json::to_string(&answer).expect("texts and numbers are JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_response_is_one_line_with_the_original_id() {
        let failure = Failure::refused("a\nb".to_owned(), "{\"x\":1.0}".to_owned());
        assert_eq!(
            failure.to_response(Id::read("\"\\u0061\"").as_ref()),
            r#"{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32001,"message":"a\nb","data":{"x":1.0}}}"#
        );
        assert_eq!(
            Failure::internal().to_response(None),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"the bridge failed at this message; please report it"}}"#
        );
    }
}
