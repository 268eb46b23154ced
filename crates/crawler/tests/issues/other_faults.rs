//! Faults in other forms than on the catalog's sites, over HTTP: the same codes and no others, or without a code,
//! what records and summary report.

use super::over_http::{Audited, Before, ORIGIN, audited};
use crate::fault_sites::{Answer, Failing, GeneratedSite, SiteSpec, faultless};
use analysis::findings::broken_links::PreviousBrokenLinks;
use flate2::{Compression, write::GzEncoder};
use serde_json::{Value, json};
use std::{collections::BTreeSet, io::Write};

/// The page with the fault.
const GLAZE: &str = "https://example.com/guides/glaze";

/// A site without faults, plus this HTML on one page.
fn with(html: &str) -> SiteSpec {
    let mut site = faultless(ORIGIN);
    site.pages[2].extra.push_str(html);
    site
}

fn answer(site: &mut GeneratedSite, path: &str, answer: Answer) {
    site.answers.insert(format!("{ORIGIN}{path}"), answer);
}

fn found(codes: &[&str]) -> BTreeSet<String> {
    codes.iter().map(|it| (*it).to_owned()).collect()
}

async fn audit(site: GeneratedSite) -> Audited {
    audited(site, Before::default()).await
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_images_in_srcset_are_reported() {
    for html in [
        "<img src=/cup.png srcset=\"/cup.png 1x, /lost.png 2x\" alt=\"A cup\" width=40 height=30>",
        "<picture><source srcset=/lost.avif><img src=/cup.png alt=\"A cup\" width=40 height=30></picture>",
    ] {
        let report = audit(with(html).generated()).await;
        assert_eq!(report.codes(), found(&["imageBroken"]), "{html}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_declared_sitemaps_are_reported() {
    let sitemap = |change: &dyn Fn(Answer) -> Answer| {
        let mut site = faultless(ORIGIN).generated();
        let whole = site.answer(&format!("{ORIGIN}/sitemap.xml"));
        answer(&mut site, "/sitemap.xml", change(whole));
        site
    };
    let cut = sitemap(&|it| {
        let end = it.body.len() - "</urlset>\n".len();
        Answer::file("application/xml", &it.body[..end])
    });
    let html = sitemap(&|_| Answer::file("text/html", "<!doctype html><p>Not here.</p>"));
    let gone = sitemap(&|_| Answer::status(404));
    let down = sitemap(&|_| Answer::status(503));
    for (site, code, problem, status) in [
        (cut, "sitemapInvalidXml", "cutOff", 200),
        (html, "sitemapInvalidXml", "html", 200),
        (gone, "sitemapNon200", "absent", 404),
        (down, "sitemapNon200", "unavailable", 503),
    ] {
        let report = audit(site).await;
        assert_eq!(report.codes(), found(&[code]), "{problem}");
        let line = &report.summary["sitemaps"][0];
        assert_eq!(
            (&line["problem"], &line["status"]),
            (&json!(problem), &json!(status))
        );
        assert_eq!(line["named"], true);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn undeclared_sitemaps_are_not_reported() {
    for other in [
        Answer::file("text/html", "<html><p>Not here.</html>"),
        Answer::status(503),
    ] {
        let mut spec = faultless(ORIGIN);
        spec.robots = "User-agent: *\nAllow: /\n".to_owned();
        let mut site = spec.generated();
        answer(&mut site, "/sitemap.xml", other);
        let report = audit(site).await;
        assert_eq!(report.codes(), found(&[]));
        assert_eq!(report.summary["sitemaps"][0]["named"], false);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sitemap_entries_of_other_hosts_are_counted() {
    let mut site = faultless(ORIGIN).generated();
    let whole = site.answer(&format!("{ORIGIN}/sitemap.xml"));
    let body = String::from_utf8(whole.body).unwrap();
    let more = "<url><loc>https://other.example/a</loc></url></urlset>";
    let body = body.replace("</urlset>", more);
    answer(
        &mut site,
        "/sitemap.xml",
        Answer::file("application/xml", body),
    );
    let report = audit(site).await;
    assert_eq!(report.codes(), found(&[]));
    let line = &report.summary["sitemaps"][0];
    assert_eq!(
        (&line["entries"], &line["foreignEntries"]),
        (&json!(6), &json!(1))
    );
    assert_eq!(line["foreignExamples"], json!(["https://other.example/a"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_white_space_page_has_empty_main_content() {
    for path in ["/guides/blank", "/blank.html", "/ws", "/blank/"] {
        let mut site = with(&format!("<p>See <a href={path}>what is to come</a>.</p>")).generated();
        answer(&mut site, path, Answer::file("text/html", " \n\t \n"));
        let report = audit(site).await;
        assert!(
            report.codes().contains("emptyMainContent"),
            "{path}: {:?}",
            report.codes()
        );
        let record = &report.records[&format!("{ORIGIN}{path}")];
        assert_eq!(record["thin"], true, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unread_pages_are_reported_with_a_reason() {
    let encoded = |encoding: &str, body: &[u8]| {
        let mut answer = Answer::file("text/html", body);
        let header = ("content-encoding".to_owned(), encoding.to_owned());
        answer.headers.push(header);
        answer
    };
    let bomb = packed(&vec![b' '; 20_000_000]);
    for (sent, reason, verdict) in [
        (
            encoded("gzip", b"<p>plain"),
            "undecodableBody",
            Some("serverError"),
        ),
        (encoded("gzip", &bomb), "decompressionBomb", None),
        (encoded("br", b"x"), "contentEncoding", None),
    ] {
        let mut site = with("<p>See <a href=/packed>what is packed</a>.</p>").generated();
        answer(&mut site, "/packed", sent);
        let report = audit(site).await;
        assert_eq!(report.codes(), found(&[]), "{reason}");
        assert_eq!(report.summary["unreadPages"], 1);
        assert_eq!(
            report.summary["unreadExamples"],
            json!([{ "url": format!("{ORIGIN}/packed"), "status": 200, "reason": reason }])
        );
        let links: Vec<&Value> = report.links.iter().map(|it| &it["verdict"]).collect();
        let expected: Vec<Value> = verdict.iter().map(|it| json!(it)).collect();
        assert_eq!(links, expected.iter().collect::<Vec<_>>(), "{reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_responses_are_reported() {
    for status in [200, 204] {
        let mut site = with("<p>See <a href=/nothing>nothing</a>.</p>").generated();
        let nothing = Answer {
            status,
            ..Answer::default()
        };
        answer(&mut site, "/nothing", nothing);
        let report = audit(site).await;
        assert_eq!(report.codes(), found(&[]), "{status}");
        assert_eq!(
            report.summary["unreadExamples"],
            json!([{ "url": format!("{ORIGIN}/nothing"), "status": status, "reason": "noContent" }])
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_without_location_is_a_broken_link() {
    let mut site = with("<p>See <a href=/moved>what was moved</a>.</p>").generated();
    answer(&mut site, "/moved", Answer::status(302));
    let report = audit(site).await;
    assert_eq!(report.codes(), found(&["internalBroken"]));
    let link = &report.links[0];
    assert_eq!(
        (&link["verdict"], &link["statusCode"], &link["errorDetail"]),
        (&json!("invalidUrl"), &json!(302), &json!("noLocation"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charset_mismatch_is_a_warning() {
    let mut site = faultless(ORIGIN).generated();
    let mut glaze = site.answer(GLAZE);
    // windows-1250 in a page declared as UTF-8.
    let text = b"<p>P\xf8\xedli\x9a</p></main>";
    let at = glaze
        .body
        .windows(7)
        .position(|it| it == b"</main>")
        .unwrap();
    glaze.body.splice(at..at + 7, text.iter().copied());
    answer(&mut site, "/guides/glaze", glaze);
    let report = audit(site).await;
    assert_eq!(report.codes(), found(&[]));
    let record = &report.records[GLAZE];
    assert_eq!(
        record["charset"],
        json!({ "name": "UTF-8", "source": "meta", "replacedSequences": 3 })
    );
    assert_eq!(record["warnings"], json!(["charsetMismatch"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_external_failure_becomes_a_warning() {
    let spec = || {
        let mut site = with("<p>See <a href=https://other.example/a>what others write</a>.</p>");
        let silent = Answer {
            failing: Some(Failing::Reset),
            ..Answer::default()
        };
        site.files
            .insert("https://other.example/a".to_owned(), silent);
        site.generated()
    };
    let severity =
        |report: &Audited| report.summary["issues"]["externalBroken"]["severity"].clone();
    let first = audit(spec()).await;
    assert_eq!(first.codes(), found(&["externalBroken"]));
    assert_eq!(severity(&first), "notice");
    let again = |history: PreviousBrokenLinks, days| Before {
        history,
        days,
        ..Before::default()
    };
    let second = audited(spec(), again(first.history, 1)).await;
    assert_eq!(second.codes(), found(&["externalBroken"]));
    assert_eq!(severity(&second), "warning");
}

/// Nesting beyond the parser's limit, followed by required elements.
#[tokio::test(flavor = "multi_thread")]
async fn beyond_the_parser_limit_nothing_is_claimed() {
    let deep = "<div>".repeat(600)
        + "<h2></h2><a href=/><img src=/cup.png alt=Cup width=1 height=1></a><p>Words that nobody counts.";
    let report = audit(with(&deep).generated()).await;
    assert_eq!(report.codes(), found(&[]));
    let record = super::memory_crawl::audit(&with(&deep), None)
        .records
        .remove(GLAZE)
        .unwrap();
    assert_eq!(record.envelope.warnings, ["parserLimit"]);
    assert_eq!((record.main_word_count, record.content_score), (None, None));
    assert!(record.links.internal.is_some());
}

/// A page without links, as far as it was read.
#[test]
fn unread_links_do_not_make_a_dead_end() {
    use analysis::{
        findings::issues::{IssueCode, PageContext, page_issues},
        observation::web_site::{CrawlScope, Truncation},
        page_kind::PageKind,
    };
    use crawler::extract::{ReceivedPage, read_page};
    let url = url::Url::parse(GLAZE).unwrap();
    let mut page = read_page(ReceivedPage::without_crawl(
        b"<title>Glaze</title><p>Glaze",
        None,
        &url,
    ));
    let scope = CrawlScope::from_host("example.com");
    let context = PageContext {
        kind: PageKind::Other,
        scope: &scope,
        schema: None,
        vitals: &[],
        keywords: &[],
        has_traffic: None,
    };
    let absent = [
        IssueCode::DeadEnd,
        IssueCode::H1Missing,
        IssueCode::DescMissing,
    ];
    let is_reported = |page: &_| {
        let issues = page_issues(page, &context);
        absent.map(|code| issues.iter().any(|it| it.code == code))
    };
    assert_eq!(is_reported(&page), [true; 3]);
    page.fetched.truncation = Truncation::AtLimit;
    assert_eq!(is_reported(&page), [false; 3]);
}
