use crate::compact::compact;
use crate::envelope::{Envelope, Id};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Response(String),
    ServerMessage(String),
    Unrelated,
}

impl Reply {
    /// Reads what a server sends during a request; `None` if it is not a message.
    pub(crate) fn read(bytes: &[u8], id: &Id) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?.trim();
        let envelope = text
            .starts_with('{')
            .then(|| Envelope::read(text).ok())
            .flatten()?;
        if envelope.method.is_some() {
            return Some(Self::ServerMessage(compact(text)));
        }
        match (envelope.id(), envelope.result, envelope.error) {
            (_, None, None) => None,
            (Some(answered), _, _) if answered == *id => Some(Self::Response(compact(text))),
            // The server refused the request before it read its id.
            (None, None, Some(error)) => {
                let (id, error) = (id.text(), compact(error.get()));
                let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}");
                Some(Self::Response(answer))
            }
            _ => Some(Self::Unrelated),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Reply> {
        Reply::read(text.as_bytes(), &Id::read("\"a\"").unwrap())
    }

    #[test]
    fn responses_and_other_messages_are_distinguished() {
        let answer = |text: &str| Some(Reply::Response(text.to_owned()));
        for (text, reply) in [
            (
                "{\n \"id\": \"\\u0061\", \"result\": null }\n",
                answer(r#"{"id":"\u0061","result":null}"#),
            ),
            (
                r#"{"id":"a","error":{"code": -1}}"#,
                answer(r#"{"id":"a","error":{"code":-1}}"#),
            ),
            (
                r#"{"id":null,"error":{"code": -1}}"#,
                answer(r#"{"jsonrpc":"2.0","id":"a","error":{"code":-1}}"#),
            ),
            (
                r#"{"error":{}}"#,
                answer(r#"{"jsonrpc":"2.0","id":"a","error":{}}"#),
            ),
            (
                r#"{ "method":"notifications/progress" }"#,
                Some(Reply::ServerMessage(
                    r#"{"method":"notifications/progress"}"#.to_owned(),
                )),
            ),
            (r#"{"id":"b","result":{}}"#, Some(Reply::Unrelated)),
            (r#"{"result":{}}"#, Some(Reply::Unrelated)),
            ("{}", None),
            ("[]", None),
            ("<html>", None),
            (r#"{"id":"a","result":"#, None),
        ] {
            assert_eq!(read(text), reply, "{text}");
        }
        assert_eq!(Reply::read(b"\xff", &Id::read("1").unwrap()), None);
    }
}
