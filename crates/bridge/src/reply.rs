use crate::compact::compact;
use crate::envelope::{Envelope, Id};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Answer(String),
    Aside(String),
    Stray,
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
            return Some(Self::Aside(compact(text)));
        }
        match (envelope.id(), envelope.result, envelope.error) {
            (_, None, None) => None,
            (Some(answered), _, _) if answered == *id => Some(Self::Answer(compact(text))),
            // The server refused the request before it read its id.
            (None, None, Some(error)) => {
                let (id, error) = (id.text(), compact(error.get()));
                let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}");
                Some(Self::Answer(answer))
            }
            _ => Some(Self::Stray),
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
    fn answers_asides_and_strays_are_told_apart() {
        let answer = |text: &str| Some(Reply::Answer(text.to_owned()));
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
                Some(Reply::Aside(
                    r#"{"method":"notifications/progress"}"#.to_owned(),
                )),
            ),
            (r#"{"id":"b","result":{}}"#, Some(Reply::Stray)),
            (r#"{"result":{}}"#, Some(Reply::Stray)),
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
