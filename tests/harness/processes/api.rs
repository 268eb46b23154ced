//! A client of the Agent API: plain HTTP/1.1, one connection per request.

use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

#[derive(Clone)]
pub struct Api {
    /// Host and port.
    pub address: String,
    /// The Bearer token.
    pub token: String,
}

const BASE: &str = "/api/agent/v1";
/// The longest time that a job of these tests may take.
const JOB_TIMEOUT: Duration = Duration::from_mins(2);

impl Api {
    pub async fn call(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = format!(
            "{method} {BASE}{path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        let mut server = TcpStream::connect(&self.address).await.expect("a server");
        server.write_all(request.as_bytes()).await.expect("sent");
        let mut answer = Vec::new();
        server.read_to_end(&mut answer).await.expect("an answer");
        let answer = String::from_utf8(answer).expect("UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        let document = serde_json::from_str(body).unwrap_or(Value::Null);
        (status.expect("a status"), document)
    }

    /// The status of a path outside the API; `None` if nothing listens.
    pub async fn probe(&self, path: &str) -> Option<u16> {
        let mut server = TcpStream::connect(&self.address).await.ok()?;
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        );
        server.write_all(request.as_bytes()).await.ok()?;
        let mut answer = String::new();
        server.read_to_string(&mut answer).await.ok()?;
        answer.split(' ').nth(1)?.parse().ok()
    }

    /// Retries while the rate limit refuses.
    async fn call_with_retry(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
    ) -> (u16, Value) {
        let until = Instant::now() + JOB_TIMEOUT;
        loop {
            let (status, document) = self.call(method, path, body).await;
            if status != 429 || Instant::now() > until {
                return (status, document);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }

    async fn expect(&self, status: u16, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (got, document) = self.call_with_retry(method, path, body).await;
        assert_eq!(got, status, "{method} {path}: {document}");
        document
    }

    pub async fn get(&self, path: &str) -> Value {
        self.expect(200, "GET", path, None).await
    }

    pub async fn delete(&self, path: &str) -> Value {
        self.expect(200, "DELETE", path, None).await
    }

    pub async fn project(&self, domain: &str, keywords: usize) -> i64 {
        let body = json!({ "domain": domain });
        let made = self.expect(201, "POST", "/projects", Some(&body)).await;
        let id = number(&made, "/id");
        let texts: Vec<String> = (0..keywords)
            .map(|n| format!("running shoes {n}"))
            .collect();
        for part in texts.chunks(500) {
            let path = format!("/projects/{id}/keywords");
            let (status, answer) = self
                .call("POST", &path, Some(&json!({ "keywords": part })))
                .await;
            assert!((200..300).contains(&status), "{answer}");
        }
        id
    }

    /// Starts an analysis; returns the job's id.
    pub async fn analyze(&self, kind: &str, project: i64) -> i64 {
        let body = json!({ "type": kind, "projectId": project });
        let job = self.expect(202, "POST", "/analyze", Some(&body)).await;
        number(&job, "/id")
    }

    pub async fn job(&self, id: i64) -> Value {
        self.get(&format!("/analyze?jobId={id}")).await["items"][0].clone()
    }

    /// Polls a job until the condition holds.
    pub async fn follow(&self, id: i64, holds: impl Fn(&Value) -> bool) -> Value {
        self.poll_until(&format!("/analyze?jobId={id}"), holds)
            .await
    }

    /// The finished job; the server delays its responses (`wait`).
    pub async fn finished(&self, id: i64) -> Value {
        let path = format!("/analyze?jobId={id}&wait=20");
        self.poll_until(&path, is_finished).await
    }

    async fn poll_until(&self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + JOB_TIMEOUT;
        loop {
            let (status, answer) = self.call_with_retry("GET", path, None).await;
            assert_eq!(status, 200, "{answer}");
            let job = answer["items"][0].clone();
            if holds(&job) {
                return job;
            }
            assert!(
                Instant::now() < until && !is_finished(&job),
                "it never came to that: {job}"
            );
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    }

    /// The same during outages of the database, when only 503 `database-unavailable` is allowed.
    pub async fn finished_despite_outages(&self, id: i64) -> Value {
        let until = Instant::now() + JOB_TIMEOUT;
        loop {
            let path = format!("/analyze?jobId={id}");
            let (status, answer) = self.call("GET", &path, None).await;
            let job = answer["items"][0].clone();
            match status {
                200 if is_finished(&job) => return job,
                200 | 429 => {}
                503 => assert_eq!(answer["code"], "database-unavailable", "{answer}"),
                _ => panic!("{status}: {answer}"),
            }
            assert!(Instant::now() < until, "it does not end: {answer}");
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }

    /// Every record of a type, over all pages.
    pub async fn records(&self, result_type: &str, project: i64) -> Vec<Value> {
        let first = format!("/results?type={result_type}&projectId={project}&limit=1000");
        let (mut records, mut path) = (vec![], first.clone());
        loop {
            let page = self.get(&path).await;
            records.extend(page["items"].as_array().expect("items").iter().cloned());
            match page["nextCursor"].as_str() {
                Some(cursor) => path = format!("{first}&cursor={cursor}"),
                None => return records,
            }
        }
    }
}

pub fn is_finished(job: &Value) -> bool {
    let status = job["status"].as_str().expect("a status");
    !["queued", "running", "retrying"].contains(&status)
}

/// Finished units of the job.
pub fn done_units(job: &Value) -> i64 {
    number(job, "/progress/done")
}

/// The number at the JSON pointer.
pub fn number(document: &Value, pointer: &str) -> i64 {
    let found = document.pointer(pointer).and_then(Value::as_i64);
    found.unwrap_or_else(|| panic!("no number {pointer} in {document}"))
}
