//! A generated site and its neighbors on loopback: every host, over HTTP and HTTPS, with certificates of a temporary
//! authority.

use crate::certified::certified;
use crate::fault_sites::{Answer, Failing, GeneratedSite};
use crawler::Resolve;
use flate2::{Compression, write::GzEncoder};
use rustls::pki_types::CertificateDer;
use std::{collections::BTreeSet, io::Write, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
    time::sleep,
};
use tokio_rustls::TlsAcceptor;

/// How long a silent server keeps a connection.
const SILENCE: Duration = Duration::from_mins(1);

pub struct SiteServer {
    plain: SocketAddr,
    encrypted: SocketAddr,
    hosts: BTreeSet<String>,
    /// The authority of the site's certificates.
    pub authority: CertificateDer<'static>,
    tasks: [JoinHandle<()>; 2],
}

impl Drop for SiteServer {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

impl SiteServer {
    pub async fn start(site: GeneratedSite) -> Self {
        let hosts = hosts(&site);
        let (authority, acceptor) = certified(hosts.iter().cloned());
        let site = Arc::new(site);
        let open = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (plain, encrypted) = (open.local_addr().unwrap(), closed.local_addr().unwrap());
        let tasks = [
            tokio::spawn(listen(open, None, Arc::clone(&site))),
            tokio::spawn(listen(closed, Some(acceptor), site)),
        ];
        Self {
            plain,
            encrypted,
            hosts,
            authority,
            tasks,
        }
    }

    /// Maps its hosts to loopback.
    pub fn resolve(&self) -> Vec<Resolve> {
        let of = |host: &String, port, address| Resolve {
            host: host.clone(),
            port,
            address,
        };
        let both = self
            .hosts
            .iter()
            .flat_map(|it| [of(it, 80, self.plain), of(it, 443, self.encrypted)]);
        both.collect()
    }
}

/// Every host that the site mentions.
fn hosts(site: &GeneratedSite) -> BTreeSet<String> {
    let mut texts: Vec<String> = site.answers.keys().cloned().collect();
    for answer in site.answers.values() {
        texts.push(String::from_utf8_lossy(&answer.body).into_owned());
        texts.extend(answer.headers.iter().map(|it| it.1.clone()));
    }
    let mut hosts = BTreeSet::new();
    for text in &texts {
        for after in text.split("://").skip(1) {
            let end = after.find(|it: char| !it.is_ascii_alphanumeric() && it != '.' && it != '-');
            let host = &after[..end.unwrap_or(after.len())];
            if host.contains('.') && host.parse::<std::net::IpAddr>().is_err() {
                hosts.insert(host.trim_end_matches('.').to_ascii_lowercase());
            }
        }
    }
    hosts
}

async fn listen(listener: TcpListener, acceptor: Option<TlsAcceptor>, site: Arc<GeneratedSite>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (acceptor, site) = (acceptor.clone(), Arc::clone(&site));
        tokio::spawn(async move {
            match acceptor {
                None => answer(stream, "http", &site).await,
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        answer(stream, "https", &site).await;
                    }
                }
            }
        });
    }
}

/// Ends a connection without a response.
trait Abrupt {
    fn reset(self);
}

impl Abrupt for TcpStream {
    fn reset(self) {
        let _ = self.set_zero_linger();
    }
}

impl Abrupt for tokio_rustls::server::TlsStream<TcpStream> {
    fn reset(self) {
        let _ = self.get_ref().0.set_zero_linger();
    }
}

async fn answer<S>(mut stream: S, scheme: &str, site: &GeneratedSite)
where
    S: AsyncRead + AsyncWrite + Unpin + Abrupt,
{
    while let Some(head) = read_head(&mut stream).await {
        let path = head.split(' ').nth(1).unwrap_or("/");
        let mut lines = head.lines();
        let host = lines.find_map(|it| {
            it.to_ascii_lowercase()
                .strip_prefix("host: ")
                .map(str::to_owned)
        });
        let host = host.unwrap_or_default();
        let answer = site.answer(&format!("{scheme}://{}{path}", host.trim()));
        match answer.failing {
            Some(Failing::Silence) => return sleep(SILENCE).await,
            Some(Failing::Reset) => return stream.reset(),
            None => {}
        }
        sleep(Duration::from_millis(answer.delay_ms.into())).await;
        let bytes = written(&answer, head.starts_with("HEAD "));
        if stream.write_all(&bytes).await.is_err() || stream.flush().await.is_err() {
            return;
        }
    }
}

async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).await.ok()? == 0 {
            return None;
        }
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

fn written(answer: &Answer, is_head: bool) -> Vec<u8> {
    let mut body = answer.body.clone();
    let mut headers = answer.headers.clone();
    if answer.compressed {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(&body).unwrap();
        body = packer.finish().unwrap();
        headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
    }
    headers.push(("content-length".to_owned(), body.len().to_string()));
    let mut bytes = format!("HTTP/1.1 {} It is so\r\n", answer.status).into_bytes();
    for (name, value) in headers {
        bytes.extend(format!("{name}: {value}\r\n").into_bytes());
    }
    bytes.extend(b"\r\n");
    if !is_head {
        bytes.extend(body);
    }
    bytes
}
