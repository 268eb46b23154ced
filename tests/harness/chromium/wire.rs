//! The DevTools protocol over a pair of pipes: JSON messages, each ended by a zero byte.
//!
//! A thread reads, so that tests with runtimes of their own can share the browser.

use super::heard::Heard;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    process::{ChildStdin, ChildStdout},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{sync::oneshot, time::timeout};

/// No answer takes longer.
const ANSWER: Duration = Duration::from_secs(30);

type Answer = Result<Value, String>;

/// One end of the conversation.
pub struct Wire {
    to: Mutex<ChildStdin>,
    last: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
    /// Who hears what happens in a session.
    heard: Mutex<HashMap<String, Arc<Heard>>>,
}

fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Wire {
    /// Talks through these pipes.
    pub fn new(to: ChildStdin, from: ChildStdout) -> Arc<Self> {
        let wire = Arc::new(Self {
            to: Mutex::new(to),
            last: AtomicU64::new(0),
            waiting: Mutex::default(),
            heard: Mutex::default(),
        });
        let reader = Arc::clone(&wire);
        std::thread::spawn(move || reader.read(BufReader::new(from)));
        wire
    }

    /// From now on this one hears what happens in that session.
    pub fn hear(&self, session: &str, heard: &Arc<Heard>) {
        held(&self.heard).insert(session.to_owned(), Arc::clone(heard));
    }

    /// Sends a command; nobody waits for its answer.
    pub fn tell(&self, session: Option<&str>, method: &str, params: &Value) -> u64 {
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.send(id, session, method, params);
        id
    }

    fn send(&self, id: u64, session: Option<&str>, method: &str, params: &Value) {
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        // When the browser is gone, whoever waits for the answer is told.
        let _ = held(&self.to).write_all(&bytes);
    }

    /// Sends a command and waits for its answer.
    pub async fn ask(&self, session: Option<&str>, method: &str, params: Value) -> Answer {
        let (tell, told) = oneshot::channel();
        let id = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        held(&self.waiting).insert(id, tell);
        self.send(id, session, method, &params);
        match timeout(ANSWER, told).await {
            Ok(Ok(answer)) => answer.map_err(|it| format!("{method}: {it}")),
            Ok(Err(_)) => Err(format!("{method}: the browser is gone")),
            Err(_) => Err(format!("{method}: no answer")),
        }
    }

    fn read(&self, mut from: BufReader<ChildStdout>) {
        let mut message = Vec::new();
        while from.read_until(0, &mut message).is_ok_and(|it| it > 0) {
            message.pop();
            if let Ok(value) = serde_json::from_slice::<Value>(&message) {
                self.take(value);
            }
            message.clear();
        }
        held(&self.waiting).clear();
    }

    fn take(&self, mut message: Value) {
        if let Some(id) = message["id"].as_u64() {
            let waiting = held(&self.waiting).remove(&id);
            if let Some(tell) = waiting {
                let answer = match message["error"]["message"].as_str() {
                    Some(reason) => Err(reason.to_owned()),
                    None => Ok(message["result"].take()),
                };
                let _ = tell.send(answer);
            }
            return;
        }
        let session = message["sessionId"].as_str().unwrap_or_default().to_owned();
        let heard = held(&self.heard).get(&session).cloned();
        let (Some(heard), Some(method)) = (heard, message["method"].as_str()) else {
            return;
        };
        let params = &message["params"];
        if method == "Target.attachedToTarget" {
            // A frame of another site has a process of its own.
            if let Some(child) = params["sessionId"].as_str() {
                self.hear(child, &heard);
                for domain in ["Runtime", "Log", "Network"] {
                    self.tell(Some(child), &format!("{domain}.enable"), &json!({}));
                }
            }
        }
        if let Some((method, params)) = heard.take(method, params) {
            self.tell(Some(&session), method, &params);
        }
    }
}
