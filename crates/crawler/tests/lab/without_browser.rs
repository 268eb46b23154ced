//! Page speed facts from files, without a browser.

use super::{
    fault_server::Act,
    support::{answer, html, picture, site},
};
use analysis::observation::vitals::{FormFactor, ResourceKind, StaticFacts};
use crawler::{CrawlerSettings, StaticReader};
use domain::ports::page_speed::{LabError, LabOrder, StaticVitals};
use tokio::net::TcpListener;

async fn look(url: &str) -> Result<StaticFacts, LabError> {
    let reader = StaticReader::new(CrawlerSettings {
        allow_networks: vec!["127.0.0.1/32".parse().unwrap()],
        ..CrawlerSettings::default()
    });
    let order = LabOrder {
        url: url.to_owned(),
        form_factor: FormFactor::Phone,
        runs: None,
    };
    reader.analyze(&order).await
}

#[tokio::test]
async fn file_facts_are_read_without_a_browser() {
    let css = "p { color: red } ".repeat(500);
    let page = "<link rel=stylesheet href=/s.css><script async src=/gone.js></script><img src=/i.svg><img src=/i.svg width=1 height=1>";
    let moved = answer(
        "301 Moved Permanently",
        "text/plain",
        "location: /page\r\n",
        b"",
    );
    let site = site(&[
        ("/", moved),
        ("/page", html(page)),
        (
            "/s.css",
            answer(
                "200 OK",
                "text/css",
                "cache-control: max-age=31536000\r\n",
                css.as_bytes(),
            ),
        ),
        ("/i.svg", picture()),
    ])
    .await;
    let facts = look(&site.url("/")).await.unwrap();
    assert_eq!(facts.final_url, site.url("/page"));
    assert!(
        facts.redirects_ms.unwrap() > 0.0 && facts.ttfb_ms.unwrap() >= facts.redirects_ms.unwrap()
    );
    assert_eq!((facts.unsized_images, facts.server_response_ms), (1, None));
    let [document, sheet, script, image] = &facts.resources[..] else {
        panic!("{facts:?}")
    };
    assert_eq!(document.kind, ResourceKind::Document);
    // The body plus some hundred bytes of headers.
    let bytes = document.transfer_bytes.unwrap();
    assert!(
        (page.len() as u64..page.len() as u64 + 300).contains(&bytes),
        "{bytes}"
    );
    assert_eq!(
        (sheet.kind, sheet.blocks_rendering, sheet.fresh_for),
        (ResourceKind::Stylesheet, true, Some(31_536_000))
    );
    assert!(
        sheet.gzip_bytes.unwrap() < 200 && !sheet.is_compressed,
        "{sheet:?}"
    );
    assert_eq!((script.status, script.blocks_rendering), (Some(404), false));
    assert_eq!(
        (image.kind, image.fresh_for),
        (ResourceKind::Image, Some(60))
    );
    assert_eq!(site.count("/i.svg"), 1);
}

#[tokio::test]
async fn incomplete_or_denied_files_have_no_size() {
    let forbidden = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let page = format!(
        "<img src=/broken><img src=/endless><img src=http://{}/x>",
        forbidden.local_addr().unwrap()
    );
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n".to_vec();
    let site = site(&[
        ("/", html(&page)),
        (
            "/broken",
            Act::Raw([&head[..], b"content-length: 900\r\n\r\nab"].concat()),
        ),
        (
            "/endless",
            Act::Forever([&head[..], b"\r\n"].concat(), vec![7; 60_000]),
        ),
    ])
    .await;
    let facts = look(&site.url("/")).await.unwrap();
    let transfers: Vec<_> = facts.resources[1..]
        .iter()
        .map(|it| (it.status, it.transfer_bytes))
        .collect();
    assert_eq!(
        transfers,
        [(Some(200), None), (Some(200), None), (None, None)]
    );
    assert!(
        tokio::time::timeout(std::time::Duration::from_millis(1), forbidden.accept())
            .await
            .is_err()
    );
}

#[tokio::test]
async fn failures_and_non_html_responses_are_reported() {
    let site = site(&[
        ("/gone", answer("410 Gone", "text/html", "", b"x")),
        ("/json", answer("200 OK", "application/json", "", b"{}")),
        (
            "/round",
            answer("302 Found", "text/plain", "location: /round\r\n", b""),
        ),
    ])
    .await;
    assert_eq!(look(&site.url("/gone")).await, Err(LabError::Status(410)));
    assert_eq!(look(&site.url("/json")).await, Err(LabError::NotHtml));
    assert_eq!(look(&site.url("/round")).await, Err(LabError::Unreachable));
    assert_eq!(look("http://127.0.0.2/").await, Err(LabError::Unreachable));
    assert!(matches!(
        look("ftp://acme.com/").await,
        Err(LabError::Order(_))
    ));
}
