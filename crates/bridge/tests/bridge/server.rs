//! A scripted loopback server that records its requests.

use serde_json::Value;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
    time::sleep,
};
use tokio_rustls::TlsAcceptor;

/// Steps run in order; then the connection is closed.
#[derive(Debug, Clone)]
pub enum Step {
    Send(String),
    Wait(Duration),
    /// Sends nothing until the client disconnects.
    AwaitDisconnect,
}

pub fn answer(status: u16, kind: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    vec![Step::Send(format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    ))]
}

pub fn json(body: &str) -> Vec<Step> {
    answer(200, "application/json", body)
}

/// The response to a notification.
pub fn accepted() -> Vec<Step> {
    answer(202, "text/plain", "")
}

pub fn result(request: &Received, text: &str) -> Vec<Step> {
    let id = &request.json()["id"];
    json(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"{text}\"}}"
    ))
}

/// The head of an event stream, and its parts.
pub fn stream(parts: Vec<Step>) -> Vec<Step> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n\r\n";
    let mut steps = vec![Step::Send(head.to_owned())];
    steps.extend(parts);
    steps
}

#[derive(Debug, Clone)]
pub struct Received {
    pub head: String,
    pub body: String,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let of = |line: &'_ str| {
            line.split_once(':')
                .map(|(key, _)| key.eq_ignore_ascii_case(name))
        };
        let line = self.head.lines().find(|line| of(line) == Some(true))?;
        line.split_once(':').map(|(_, value)| value.trim())
    }

    pub fn method(&self) -> String {
        self.json()["method"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}

type Script = dyn Fn(&Received) -> Vec<Step> + Send + Sync;

/// Stops when dropped.
pub struct Server {
    port: u16,
    scheme: &'static str,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    script: Box<Script>,
    received: Mutex<Vec<Received>>,
    left: AtomicUsize,
}

impl Server {
    pub async fn start(script: impl Fn(&Received) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Self::begin(None, script).await
    }

    pub async fn start_encrypted(
        acceptor: TlsAcceptor,
        script: impl Fn(&Received) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        Self::begin(Some(acceptor), script).await
    }

    async fn begin(
        acceptor: Option<TlsAcceptor>,
        script: impl Fn(&Received) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            script: Box::new(script),
            received: Mutex::default(),
            left: AtomicUsize::new(0),
        });
        let serving = Arc::clone(&shared);
        let scheme = if acceptor.is_some() { "https" } else { "http" };
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (shared, acceptor) = (Arc::clone(&serving), acceptor.clone());
                tokio::spawn(async move {
                    if let Some(acceptor) = acceptor {
                        if let Ok(stream) = acceptor.accept(stream).await {
                            serve(stream, &shared).await;
                        }
                    } else {
                        serve(stream, &shared).await;
                    }
                });
            }
        });
        Self {
            port,
            scheme,
            shared,
            accepting,
        }
    }

    pub fn url(&self) -> String {
        format!("{}://127.0.0.1:{}", self.scheme, self.port)
    }

    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().expect("a lock").clone()
    }

    /// Waits until so many requests were received.
    pub async fn wait_for_requests(&self, times: usize) -> Vec<Received> {
        for _ in 0..1500 {
            let received = self.received();
            if received.len() >= times {
                return received;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("{times} requests should have come: {:?}", self.received());
    }

    /// Waits until so many clients disconnected from `Step::Hold`.
    pub async fn wait_for_disconnects(&self, times: usize) {
        for _ in 0..1500 {
            if self.shared.left.load(Ordering::SeqCst) >= times {
                return;
            }
            sleep(Duration::from_millis(10)).await;
        }
        panic!("{times} connections should have been closed");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, shared: &Shared) {
    let Some(received) = read(&mut stream).await else {
        return;
    };
    let steps = (shared.script)(&received);
    shared.received.lock().expect("a lock").push(received);
    for step in steps {
        match step {
            Step::Send(text) => {
                if stream.write_all(text.as_bytes()).await.is_err() {
                    return;
                }
                let _ = stream.flush().await;
            }
            Step::Wait(time) => sleep(time).await,
            Step::AwaitDisconnect => {
                let mut byte = [0];
                let _ = stream.read(&mut byte).await;
                shared.left.fetch_add(1, Ordering::SeqCst);
            }
        }
    }
    let _ = stream.shutdown().await;
}

async fn read<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Received> {
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let mut received = Received {
        head: String::from_utf8(bytes[..head].to_vec()).ok()?,
        body: String::new(),
    };
    let length: usize = received.header("content-length")?.parse().ok()?;
    while bytes.len() < head + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    received.body = String::from_utf8(bytes[head + 4..].to_vec()).ok()?;
    Some(received)
}
