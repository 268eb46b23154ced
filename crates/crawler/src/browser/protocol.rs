//! The DevTools protocol over two pipes: JSON messages, each ended by a zero byte. With pipes, unlike a port, no
//! other process can reach the browser, and the browser exits when this process ends for any reason.

use super::messages::{Attached, Created, Evaluated, World};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use std::collections::VecDeque;
use thiserror::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};

/// The isolated world in which observers and readers run.
pub const ISOLATED_WORLD: &str = "sightline";

const MAX_MESSAGE_LENGTH: usize = 64 * 1024 * 1024;

const CHUNK: usize = 256 * 1024;

/// Events queued while a command waits for its answer, and their bytes.
const MAX_WAITING: usize = 100_000;
const MAX_WAITING_BYTES: usize = 128 * 1024 * 1024;

#[derive(Debug, Error)]
pub enum ProtocolError {
    #[error("the DevTools connection is closed")]
    Ended,
    /// A message exceeds the limit, or too many events are queued.
    #[error("a DevTools message exceeds 64 MiB, or queued events exceed their limit")]
    LimitExceeded,
    #[error("a DevTools message is malformed")]
    Malformed,
    #[error("DevTools command {method} failed: {reason}")]
    Refused { method: String, reason: String },
}

#[derive(Debug)]
pub struct Event {
    pub session: Option<String>,
    /// For example `Page.loadEventFired`.
    pub method: String,
    pub params: Box<RawValue>,
}

pub struct Protocol {
    to: ChildStdin,
    from: ChildStdout,
    unread: Vec<u8>,
    /// Offset from which the end of the next message is searched.
    searched: usize,
    last_id: u64,
    queued_events: VecDeque<Event>,
    queued_bytes: usize,
}

#[derive(Deserialize)]
struct Wire<'a> {
    id: Option<u64>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<ErrorObject>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

#[derive(Deserialize)]
struct ErrorObject {
    #[serde(default)]
    message: String,
}

pub enum Message {
    /// Answer to a command, by its id; `Err` has the browser's reason.
    Response(u64, Result<Box<RawValue>, String>),
    Event(Event),
    Other,
}

impl Protocol {
    pub fn new(to: ChildStdin, from: ChildStdout) -> Self {
        Self {
            to,
            from,
            unread: Vec::new(),
            searched: 0,
            last_id: 0,
            queued_events: VecDeque::new(),
            queued_bytes: 0,
        }
    }

    /// Sends a command without waiting for its answer; returns its id.
    pub async fn send(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<u64, ProtocolError> {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        let sent = self.to.write_all(&bytes).await;
        sent.map_err(|_| ProtocolError::Ended)?;
        Ok(self.last_id)
    }

    /// Sends a command and waits for its answer; events are queued meanwhile.
    pub async fn call<T: for<'de> Deserialize<'de>>(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<T, ProtocolError> {
        let command_id = self.send(session, method, params).await?;
        loop {
            match self.message().await? {
                Message::Response(id, answer) if id == command_id => {
                    let answer = answer.map_err(|reason| ProtocolError::Refused {
                        method: method.to_owned(),
                        reason,
                    })?;
                    return serde_json::from_str(answer.get())
                        .map_err(|_| ProtocolError::Malformed);
                }
                Message::Event(event) => self.queue_event(event)?,
                Message::Response(..) | Message::Other => {}
            }
        }
    }

    /// Opens a blank page; returns the id of its target and main frame, and its session.
    pub async fn open_page(
        &mut self,
        context: Option<&str>,
    ) -> Result<(String, String), ProtocolError> {
        let mut blank = json!({"url": "about:blank"});
        if let Some(context) = context {
            blank["browserContextId"] = json!(context);
        }
        let page: Created = self.call(None, "Target.createTarget", blank).await?;
        let attach = json!({"targetId": page.target_id, "flatten": true});
        let attached: Attached = self.call(None, "Target.attachToTarget", attach).await?;
        Ok((page.target_id, attached.session_id))
    }

    /// Evaluates in an isolated world, out of reach of the page's scripts; `null` without a value.
    pub async fn evaluate(
        &mut self,
        session: &str,
        frame: &str,
        expression: &str,
    ) -> Result<Value, ProtocolError> {
        let world = json!({"frameId": frame, "worldName": ISOLATED_WORLD});
        let world: World = self
            .call(Some(session), "Page.createIsolatedWorld", world)
            .await?;
        let params = json!({
            "contextId": world.execution_context_id,
            "expression": expression,
            "returnByValue": true,
        });
        let evaluated = self.call(Some(session), "Runtime.evaluate", params).await;
        evaluated.map(|it: Evaluated| it.result.value)
    }

    /// Sends a command and waits for completion.
    pub async fn execute(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<(), ProtocolError> {
        let _: Value = self.call(session, method, params).await?;
        Ok(())
    }

    fn queue_event(&mut self, event: Event) -> Result<(), ProtocolError> {
        self.queued_bytes += event.params.get().len();
        self.queued_events.push_back(event);
        if self.queued_events.len() > MAX_WAITING || self.queued_bytes > MAX_WAITING_BYTES {
            return Err(ProtocolError::LimitExceeded);
        }
        Ok(())
    }

    /// The next event. Cancel-safe.
    pub async fn event(&mut self) -> Result<Event, ProtocolError> {
        if let Some(event) = self.queued_events.pop_front() {
            self.queued_bytes -= event.params.get().len();
            return Ok(event);
        }
        loop {
            if let Message::Event(event) = self.message().await? {
                return Ok(event);
            }
        }
    }

    /// The next message. Cancel-safe.
    pub async fn message(&mut self) -> Result<Message, ProtocolError> {
        loop {
            let end = self.unread[self.searched..].iter().position(|it| *it == 0);
            if let Some(end) = end {
                let end = self.searched + end;
                let message = parse_message(&self.unread[..end]);
                self.unread.drain(..=end);
                self.searched = 0;
                return message;
            }
            self.searched = self.unread.len();
            if self.searched > MAX_MESSAGE_LENGTH {
                return Err(ProtocolError::LimitExceeded);
            }
            self.unread.reserve(CHUNK);
            match self.from.read_buf(&mut self.unread).await {
                Ok(1..) => {}
                Ok(0) | Err(_) => return Err(ProtocolError::Ended),
            }
        }
    }
}

fn parse_message(bytes: &[u8]) -> Result<Message, ProtocolError> {
    let wire: Wire<'_> = serde_json::from_slice(bytes).map_err(|_| ProtocolError::Malformed)?;
    let empty = || RawValue::from_string("{}".to_owned()).map_err(|_| ProtocolError::Malformed);
    let owned = |it: Option<&RawValue>| it.map_or_else(empty, |it| Ok(it.to_owned()));
    Ok(match (wire.id, wire.method) {
        (Some(id), _) => Message::Response(
            id,
            match wire.error {
                Some(refusal) => Err(refusal.message),
                None => Ok(owned(wire.result)?),
            },
        ),
        (None, Some(method)) => Message::Event(Event {
            session: wire.session,
            method,
            params: owned(wire.params)?,
        }),
        (None, None) => Message::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_errors_and_events_are_distinguished() {
        let answer = parse_message(br#"{"id":3,"result":{"a":1}}"#).unwrap();
        assert!(matches!(answer, Message::Response(3, Ok(it)) if it.get() == r#"{"a":1}"#));
        let refusal = parse_message(br#"{"id":4,"error":{"code":-32000,"message":"no"}}"#).unwrap();
        assert!(matches!(refusal, Message::Response(4, Err(reason)) if reason == "no"));
        let event =
            parse_message(br#"{"method":"Page.x","params":{"b":2},"sessionId":"S"}"#).unwrap();
        assert!(matches!(event, Message::Event(it) if it.session.as_deref() == Some("S")));
        assert!(parse_message(b"{").is_err());
    }
}
