//! A loopback server with scripted good and bad replies; it records its requests.

use serde_json::Value;
use setting::WebAddress;
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::sleep,
};
use url::Url;

#[derive(Debug, Clone)]
pub enum Reply {
    /// Replies with status, extra headers and body.
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// Status 200 after a delay.
    Late(Duration, String),
    /// Resets the connection after the first byte of the request.
    Reset,
    /// Sends headers, then single bytes without end.
    SlowBody,
    /// Announces a longer body than it sends.
    CutShort(String),
    /// Sends that many bytes of text.
    Huge(usize),
}

impl Reply {
    /// Unreadable variants of a readable body.
    pub fn unreadable(whole: String) -> Vec<Self> {
        let half = whole.floor_char_boundary(whole.len() / 2);
        vec![
            Self::Status(200, &[], whole[..half].to_owned()),
            Self::CutShort(whole),
            Self::Status(200, &[], String::new()),
            Self::Status(200, &[], "<html>captcha</html>".to_owned()),
            Self::Status(302, &[("location", "http://127.0.0.1:1/")], String::new()),
            Self::Huge(25_000_000),
        ]
    }

    pub fn ok(body: &Value) -> Self {
        Self::Status(200, &[], body.to_string())
    }

    pub fn status(status: u16, body: &Value) -> Self {
        Self::Status(status, &[], body.to_string())
    }
}

#[derive(Debug, Clone)]
pub struct Received {
    pub head: String,
    pub body: String,
}

impl Received {
    pub fn url(&self) -> Url {
        let path = self.head.split_whitespace().nth(1).expect("a request line");
        Url::parse("http://loopback")
            .and_then(|base| base.join(path))
            .expect("a path")
    }

    pub fn parameter(&self, name: &str) -> Option<String> {
        self.url()
            .query_pairs()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON body")
    }
}

type Script = dyn Fn(usize, &Received) -> Reply + Send + Sync;

/// Stops when dropped.
pub struct FaultServer {
    port: u16,
    shared: Arc<Shared>,
    accepting: JoinHandle<()>,
}

struct Shared {
    script: Box<Script>,
    connections: AtomicUsize,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
    received: Mutex<Vec<Received>>,
}

impl FaultServer {
    pub async fn always(reply: Reply) -> Self {
        Self::scripted(move |_, _| reply.clone()).await
    }

    /// Replies by connection number, from 0, and request.
    pub async fn scripted(
        script: impl Fn(usize, &Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            script: Box::new(script),
            connections: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
            most_under_way: AtomicUsize::new(0),
            received: Mutex::default(),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self {
            port,
            shared,
            accepting,
        }
    }

    pub fn url(&self) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}", self.port)).expect("a URL")
    }

    pub fn address(&self, path: &str) -> WebAddress {
        let address = format!("http://127.0.0.1:{}{path}", self.port);
        WebAddress::try_from(address).expect("an address")
    }

    /// Number of requests.
    pub fn calls(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Maximum number of concurrent requests.
    pub fn most_under_way(&self) -> usize {
        self.shared.most_under_way.load(Ordering::SeqCst)
    }

    /// In order.
    pub fn received(&self) -> Vec<Received> {
        self.shared
            .received
            .lock()
            .expect("no test panicked here")
            .clone()
    }
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let busy = shared.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            shared.most_under_way.fetch_max(busy, Ordering::SeqCst);
            // Clients may disconnect at any time.
            let _ = serve(stream, &shared).await;
            shared.under_way.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

async fn serve(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let number = shared.connections.fetch_add(1, Ordering::SeqCst);
    let nothing = Received {
        head: String::new(),
        body: String::new(),
    };
    if matches!((shared.script)(number, &nothing), Reply::Reset) {
        // Unread data makes the kernel reset the connection.
        stream.read_u8().await?;
        return Ok(());
    }
    let received = receive(&mut stream).await?;
    let reply = (shared.script)(number, &received);
    shared
        .received
        .lock()
        .expect("no test panicked here")
        .push(received);
    answer(&mut stream, reply).await?;
    stream.shutdown().await
}

async fn receive(stream: &mut TcpStream) -> std::io::Result<Received> {
    let mut bytes = Vec::new();
    loop {
        stream.read_buf(&mut bytes).await?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    let line = line.to_ascii_lowercase();
                    line.strip_prefix("content-length:")?.trim().parse().ok()
                })
                .unwrap_or(0);
            if body.len() >= length {
                return Ok(Received {
                    head: head.to_owned(),
                    body: body.to_owned(),
                });
            }
        }
    }
}

async fn answer(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    match reply {
        Reply::Status(status, headers, body) => {
            send(stream, &head(status, headers, body.len()), &body).await
        }
        Reply::Late(after, body) => {
            sleep(after).await;
            send(stream, &head(200, &[], body.len()), &body).await
        }
        Reply::CutShort(body) => send(stream, &head(200, &[], body.len() + 50), &body).await,
        Reply::Reset => Ok(()),
        Reply::SlowBody => {
            send(stream, &head(200, &[], 100_000), "{").await?;
            loop {
                sleep(Duration::from_millis(50)).await;
                stream.write_all(b" ").await?;
            }
        }
        Reply::Huge(bytes) => {
            send(
                stream,
                "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n",
                "{\"organic\": [",
            )
            .await?;
            let chunk = vec![b' '; 64 * 1024];
            for _ in 0..bytes / chunk.len() {
                stream.write_all(&chunk).await?;
            }
            Ok(())
        }
    }
}

fn head(status: u16, headers: &[(&str, &str)], length: usize) -> String {
    use std::fmt::Write;
    let mut head = format!(
        "HTTP/1.1 {status} Whatever\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n"
    );
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    head + "\r\n"
}

async fn send(stream: &mut TcpStream, head: &str, body: &str) -> std::io::Result<()> {
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await
}
