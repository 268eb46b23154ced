//! Certificate validation.

use crate::certified::certified;
use crate::fault_server::{FaultServer, html, not_found, page_of_links};
use crate::support::{MemoryJournal, crawl, plan, settings, verdicts};
use analysis::findings::broken_links::Verdict;
use crawler::{CrawlerSettings, Resolve};
use rustls::pki_types::CertificateDer;
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

/// The host in the certificate, and another with the same address.
const NAMED: &str = "named.example.com";
const OTHER: &str = "other.example.com";

/// A server with a certificate for [`NAMED`] that answers every path.
struct Encrypted {
    address: SocketAddr,
    authority: CertificateDer<'static>,
    /// Requests received.
    heard: Arc<AtomicU32>,
    task: JoinHandle<()>,
}

impl Drop for Encrypted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Encrypted {
    async fn start() -> Self {
        let (authority, acceptor) = certified([NAMED.to_owned()]);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::default();
        let listening = listen(listener, acceptor, Arc::clone(&heard));
        Self {
            address,
            authority,
            heard,
            task: tokio::spawn(listening),
        }
    }

    /// Verdicts of links to both hosts; none where they are fine.
    async fn link_verdicts(
        &self,
        trusted: Vec<CertificateDer<'static>>,
    ) -> BTreeMap<String, Verdict> {
        let links = [NAMED, OTHER].map(|host| format!("https://{host}/{host}"));
        let links = page_of_links(&links.each_ref().map(String::as_str));
        let site = [("/".to_owned(), links), ("/x".to_owned(), html("x"))];
        let start = FaultServer::start(site.into(), |_| not_found()).await;
        let resolve = [NAMED, OTHER].map(|host| Resolve {
            host: host.to_owned(),
            port: 443,
            address: self.address,
        });
        let settings = CrawlerSettings {
            resolve: resolve.into(),
            trusted,
            ..settings()
        };
        let journal = MemoryJournal::default();
        let seen = crawl(settings, &plan(start.url("/")), &journal).await;
        verdicts(&seen.unwrap())
    }
}

async fn listen(listener: TcpListener, acceptor: TlsAcceptor, heard: Arc<AtomicU32>) {
    while let Ok((connection, _)) = listener.accept().await {
        let Ok(mut connection) = acceptor.accept(connection).await else {
            continue;
        };
        let mut request = vec![0; 4_096];
        if connection.read(&mut request).await.is_ok_and(|it| it > 0) {
            heard.fetch_add(1, Ordering::Relaxed);
            let answer = b"HTTP/1.1 200 X\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = connection.write_all(answer).await;
            let _ = connection.shutdown().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_for_another_name_is_refused() {
    let server = Encrypted::start().await;
    let found = server.link_verdicts(vec![server.authority.clone()]).await;
    let refused = [(format!("/{OTHER}"), Verdict::TlsError)];
    assert_eq!(found, refused.into());
    assert!(server.heard.load(Ordering::Relaxed) > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_of_an_untrusted_authority_is_refused() {
    let server = Encrypted::start().await;
    let found = server.link_verdicts(Vec::new()).await;
    let refused = [NAMED, OTHER].map(|host| (format!("/{host}"), Verdict::TlsError));
    assert_eq!(found, refused.into());
    assert_eq!(server.heard.load(Ordering::Relaxed), 0);
}
