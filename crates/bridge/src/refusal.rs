use crate::compact::compact;
use crate::envelope::{Envelope, Id};
use crate::failure::Failure;
use crate::reply::Reply;
use reqwest::StatusCode;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Problem {
    title: Option<Value>,
    detail: Option<Value>,
    hint: Option<Value>,
}

/// Reads an error response: `Ok` is the server's JSON-RPC response. `id` is `None` for messages without a response.
pub(crate) fn read(
    status: StatusCode,
    kind: &str,
    body: &[u8],
    id: Option<&Id>,
) -> Result<String, Failure> {
    if let Some(id) = id
        && let Some(Reply::Response(answer)) = Reply::read(body, id)
    {
        return Ok(answer);
    }
    let text = std::str::from_utf8(body).unwrap_or_default().trim();
    let failure = if text.starts_with('{') {
        problem(text, kind).or_else(|| error(text))
    } else {
        None
    };
    Err(failure.unwrap_or_else(|| {
        Failure::no_response(format!(
            "the server refused with HTTP status {status} and without words that could be read. Is SIGHTLINE_URL the address of a Sightline server?"
        ))
    }))
}

fn problem(text: &str, kind: &str) -> Option<Failure> {
    let problem: Problem = serde_json::from_str(text).ok()?;
    let words = |it: &Option<Value>| it.as_ref().and_then(Value::as_str).map(str::to_owned);
    let title = words(&problem.title);
    if title.is_none() && kind != "application/problem+json" {
        return None;
    }
    let more: Vec<String> = [words(&problem.detail), words(&problem.hint)]
        .into_iter()
        .flatten()
        .filter(|it| !it.is_empty())
        .collect();
    let title = title.unwrap_or_else(|| "The server refused".to_owned());
    let message = if more.is_empty() {
        title
    } else {
        format!("{title}: {}", more.join(" "))
    };
    Some(Failure::refused(message, compact(text)))
}

/// A JSON-RPC error for a message without an id.
fn error(text: &str) -> Option<Failure> {
    let error = Envelope::read(text).ok()?.error?;
    let error: Value = serde_json::from_str(error.get()).ok()?;
    let message = error["message"].as_str()?;
    Some(Failure::no_response(format!(
        "the server refused: {message}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBLEM: &str = "application/problem+json";

    fn refusal(kind: &str, body: &str) -> Failure {
        let id = Id::read("1").unwrap();
        read(StatusCode::UNAUTHORIZED, kind, body.as_bytes(), Some(&id)).unwrap_err()
    }

    #[test]
    fn problem_document_becomes_message_and_data() {
        let body =
            "{\n\"title\":\"No\",\"detail\":\"It is old.\",\"hint\":\"Make one.\",\"n\":1.0}";
        let failure = refusal(PROBLEM, body);
        assert_eq!(failure.code, -32001);
        assert_eq!(failure.message, "No: It is old. Make one.");
        assert_eq!(
            failure.data.as_deref(),
            Some("{\"title\":\"No\",\"detail\":\"It is old.\",\"hint\":\"Make one.\",\"n\":1.0}")
        );
        assert_eq!(refusal(PROBLEM, "{}").message, "The server refused");
        assert_eq!(refusal("text/html", "{\"title\":\"No\"}").message, "No");
    }

    #[test]
    fn other_errors_report_the_http_status() {
        for body in ["", "<html>", "{}", "[]", "\"no\""] {
            let failure = refusal("application/json", body);
            assert_eq!(failure.code, -32000);
            assert!(failure.message.contains("401"), "{}", failure.message);
        }
    }

    #[test]
    fn error_without_request_id_is_reported() {
        let body = br#"{"id":null,"error":{"code":-32020,"message":"a header"}}"#;
        let failure = read(StatusCode::BAD_REQUEST, "", body, None).unwrap_err();
        assert_eq!(failure.message, "the server refused: a header");
        let id = Id::read("1").unwrap();
        let answer = read(StatusCode::BAD_REQUEST, "", body, Some(&id)).unwrap();
        assert!(answer.contains("\"id\":1,"), "{answer}");
    }
}
