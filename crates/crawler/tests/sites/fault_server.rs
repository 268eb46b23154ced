//! A loopback server that sends exactly the given bytes, and misbehaves.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::sleep,
};

/// Reaction to a request.
#[derive(Clone)]
pub enum Act {
    /// Send the bytes and close.
    Raw(Vec<u8>),
    /// Send the bytes one by one with this pause.
    Drip(Vec<u8>, Duration),
    /// Send the first bytes, then repeat the second.
    Forever(Vec<u8>, Vec<u8>),
    /// Reset the connection.
    Reset,
    /// Keep the connection open without an answer.
    Silence,
    /// By the number of requests for the path.
    Sequence(Vec<Act>),
}

/// Responses by path.
pub type Site = HashMap<String, Act>;

pub struct FaultServer {
    pub address: SocketAddr,
    requests: Arc<Mutex<BTreeMap<String, u32>>>,
    heads: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for FaultServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FaultServer {
    /// `otherwise` answers paths that the site does not have.
    pub async fn start(
        site: Site,
        otherwise: impl Fn(&str) -> Act + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (site, otherwise) = (Arc::new(site), Arc::new(otherwise));
        let requests = Arc::new(Mutex::new(BTreeMap::new()));
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (counts, seen) = (Arc::clone(&requests), Arc::clone(&heads));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (site, otherwise) = (Arc::clone(&site), Arc::clone(&otherwise));
                let (counts, seen) = (Arc::clone(&counts), Arc::clone(&seen));
                tokio::spawn(async move {
                    let mut stream = stream;
                    let Some(head) = read_head(&mut stream).await else {
                        return;
                    };
                    let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
                    let time = {
                        let mut counts = counts.lock().unwrap();
                        let count = counts.entry(path.clone()).or_insert(0);
                        *count += 1;
                        *count
                    };
                    let is_head = head.starts_with("HEAD");
                    seen.lock().unwrap().push(head);
                    let act = site.get(&path).cloned().unwrap_or_else(|| otherwise(&path));
                    perform(act, time, is_head, stream).await;
                });
            }
        });
        Self {
            address,
            requests,
            heads,
            task,
        }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Requests for a path.
    pub fn count(&self, path: &str) -> u32 {
        self.requests
            .lock()
            .unwrap()
            .get(path)
            .copied()
            .unwrap_or(0)
    }

    pub fn total(&self) -> u32 {
        self.requests.lock().unwrap().values().sum()
    }

    /// The heads of all requests.
    pub fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    while !bytes.windows(4).any(|it| it == b"\r\n\r\n") {
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return None,
            Ok(length) => bytes.extend_from_slice(&part[..length]),
        }
        if bytes.starts_with(&[0x16]) {
            // The client speaks TLS.
            let _ = stream.write_all(b"HTTP/1.1 400 X\r\n\r\n").await;
            return None;
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

async fn perform(act: Act, time: u32, is_head: bool, mut stream: TcpStream) {
    match act {
        Act::Raw(bytes) => {
            let end = bytes.windows(4).position(|it| it == b"\r\n\r\n");
            let sent = if is_head {
                &bytes[..end.map_or(bytes.len(), |it| it + 4)]
            } else {
                &bytes[..]
            };
            let _ = stream.write_all(sent).await;
            let _ = stream.shutdown().await;
        }
        Act::Drip(bytes, pause) => {
            for byte in bytes {
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
                sleep(pause).await;
            }
        }
        Act::Forever(first, again) => {
            let _ = stream.write_all(&first).await;
            while stream.write_all(&again).await.is_ok() {}
        }
        Act::Reset => {
            let stream = stream.into_std().unwrap();
            let socket = stream;
            // Closing with unread input makes the kernel reset the connection.
            drop(socket);
        }
        Act::Silence => {
            let mut part = [0; 64];
            let _ = stream.read(&mut part).await;
        }
        Act::Sequence(acts) => {
            let at = (time as usize - 1).min(acts.len() - 1);
            Box::pin(perform(acts[at].clone(), time, is_head, stream)).await;
        }
    }
}

pub fn answer(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Act {
    let body = body.as_ref();
    let mut bytes = format!(
        "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    Act::Raw(bytes)
}

pub fn html(body: &str) -> Act {
    answer(200, "Content-Type: text/html; charset=utf-8\r\n", body)
}

pub fn page_of_links(links: &[&str]) -> Act {
    let link = |it: &&str| format!("<p><a href=\"{it}\">{it}</a>");
    let body = links.iter().map(link).collect::<Vec<_>>().join("\n");
    html(&format!("<title>Links</title>{body}"))
}

pub fn redirect(status: u16, to: &str) -> Act {
    answer(status, &format!("Location: {to}\r\n"), "")
}

pub fn not_found() -> Act {
    answer(404, "Content-Type: text/html\r\n", "<title>404</title>")
}
