//! What scripts add, change and remove.

use super::support::{Browsing, answer, audited, html, prose, shown, site};
use serde_json::json;

/// A page with its text in the document or added by a script.
fn page(by_script: bool) -> String {
    let text = format!("<article><h2>Clay</h2><p>{}</p></article>", prose(30));
    let body = if by_script {
        format!(
            "<main id=app></main><script>fetch('/text').then((it) => it.text()).then((it) => {{ document.getElementById('app').innerHTML = {text:?} + it; }})</script>"
        )
    } else {
        format!("<main>{text}</main>")
    };
    format!(
        "<!doctype html><html lang=en><head><title>Clay</title></head><body><h1>About clay</h1>{body}</body></html>"
    )
}

#[tokio::test]
async fn script_only_text_is_an_issue_and_fails_the_geo_gate() {
    let text = answer("200 OK", "text/plain", "", "<p>And more of it.</p>");
    let server = site(&[("/", html(&page(true))), ("/text", text)]).await;
    let found = audited(&Browsing::new(), &server).await;
    let rendered = &found.content["rendered"];
    assert_eq!(rendered["state"], "ok", "{rendered}");
    let words = rendered["words"]["rendered"].as_u64().unwrap();
    // Thirty sentences of eleven words, a heading, and the fetched text.
    assert!((330..=345).contains(&words), "{rendered}");
    let sent = rendered["words"]["static"].as_u64().unwrap();
    assert!(sent < 10, "{rendered}");
    assert_eq!(
        found.issue("jsOnlyContent").unwrap(),
        format!("{sent} words without scripts, {words} with them")
    );
    assert!(found.is_shut("textNeedsScripts"), "{}", found.geo);
    let evidence = found.geo["gates"].to_string();
    assert!(
        evidence.contains(&format!("{words} with them")),
        "{evidence}"
    );
}

#[tokio::test]
async fn text_in_the_document_is_no_issue() {
    let server = site(&[("/", html(&page(false)))]).await;
    let found = audited(&Browsing::new(), &server).await;
    let rendered = &found.content["rendered"];
    assert_eq!(rendered["words"]["staticShare"], 1.0, "{rendered}");
    for part in ["title", "metaDescription", "h1", "canonical"] {
        assert_eq!(rendered[part]["change"], "same", "{rendered}");
    }
    assert_eq!(rendered["links"]["onlyRendered"], 0);
    assert_eq!(found.issue("jsOnlyContent"), None);
    assert!(!found.is_shut("textNeedsScripts"), "{}", found.geo);
}

#[tokio::test]
async fn a_script_that_adds_nothing_is_no_issue() {
    let page = "<!doctype html><html lang=en><title>Clay</title><script src=/a.js></script><h1>Clay</h1><p>Closed today.";
    let script = answer("200 OK", "text/javascript", "", "window.x = 1");
    let server = site(&[("/", html(page)), ("/a.js", script)]).await;
    let found = audited(&Browsing::new(), &server).await;
    assert_eq!(found.issue("jsOnlyContent"), None);
    let mut without = Browsing::new();
    without.pages = 0;
    let found = audited(&without, &server).await;
    assert_eq!(found.content["rendered"], json!(null));
    assert_eq!(found.issue("jsOnlyContent"), None);
}

#[tokio::test]
async fn changes_by_scripts_are_reported() {
    let page = format!(
        r#"<!doctype html><html lang=en><head><title>Sent</title><meta name=robots content="noarchive">
        <link rel=canonical href="/sent"></head><body><h1>Sent too</h1><noscript><p>Switch scripts on.</p><a href=/none>none</a></noscript>
        <p>{}</p><a href="/kept">Kept</a><script>
          document.title = "By script";
          document.querySelector("h1").textContent = "By script too";
          document.querySelector("link[rel=canonical]").href = "/other";
          document.querySelector("meta[name=robots]").content = "noindex";
          const meta = document.createElement("meta");
          meta.name = "description"; meta.content = "New";
          document.head.append(meta);
          document.body.insertAdjacentHTML("beforeend", "<p><a href='/new'>New</a> <a href='/kept'>Kept</a></p>");
          const data = document.createElement("script");
          data.type = "application/ld+json";
          data.textContent = '{{"@context":"https://schema.org","@type":"Product","name":"Clay"}}';
          document.head.append(data);
        </script></body></html>"#,
        prose(20)
    );
    let server = site(&[
        ("/", html(&page)),
        ("/kept", html("<title>Kept</title><h1>Kept</h1>")),
    ])
    .await;
    let found = audited(&Browsing::new(), &server).await;
    let rendered = &found.content["rendered"];
    let changed = |part: &str, sent: serde_json::Value, shown: &str, change: &str| {
        let expected = json!({"static": sent, "rendered": shown, "change": change});
        assert_eq!(rendered[part], expected, "{part}");
    };
    changed("title", json!("Sent"), "By script", "changed");
    changed("h1", json!("Sent too"), "By script too", "changed");
    changed("metaDescription", json!(null), "New", "added");
    let (sent, other) = (server.url("/sent"), server.url("/other"));
    changed("canonical", json!(sent), &other, "changed");
    // Search engines run the scripts too.
    assert_eq!(
        (&found.content["indexable"], &found.content["noindex"]),
        (&json!(false), &json!(true))
    );
    let robots = json!({"static": ["noarchive"], "rendered": ["noindex"], "added": ["noindex"], "removed": ["noarchive"]});
    assert_eq!(rendered["robots"], robots);
    let links =
        json!({"static": 2, "rendered": 2, "onlyRendered": 1, "examples": [server.url("/new")]});
    assert_eq!(rendered["links"], links);
    let types = json!(["https://schema.org/Product"]);
    assert_eq!(rendered["structuredDataOnlyRendered"], types);
    assert!(
        found.schema["warnings"]
            .to_string()
            .contains("renderedOnly")
    );
    assert_eq!(found.issue("jsOnlyContent"), None);
}

#[tokio::test]
async fn headers_apply_to_both_versions_and_images_are_blocked() {
    let headers = "x-robots-tag: googlebot: noarchive\r\nlink: </c>; rel=canonical\r\n";
    let page = r"<title>x</title><h1>x</h1><img src=/i.png><style>@font-face{font-family:f;src:url(/f.woff2)} h1{font-family:f; background:url(/b.png)}</style><video src=/v.mp4 autoplay muted></video><script src=/s.js></script>";
    let document = answer("200 OK", "text/html", headers, page);
    let script = answer(
        "200 OK",
        "text/javascript",
        "",
        "document.querySelector('h1').textContent = navigator.userAgent",
    );
    let server = site(&[("/", document), ("/s.js", script)]).await;
    let page = Browsing::new().page(&server, "/").await;
    let shown = shown(&page);
    assert_eq!(shown.canonical, Some(server.url("/c")));
    assert_eq!(shown.robots, ["googlebot: noarchive"]);
    let heading = shown.heading.as_deref().unwrap();
    assert!(heading.contains("compatible; sightlinebot/"), "{heading}");
    for file in ["/i.png", "/b.png", "/v.mp4", "/f.woff2"] {
        // The crawler checks links itself, unlike a browser.
        assert!(server.count(file) <= 1, "{file}: {}", server.count(file));
    }
    assert!(server.count("/s.js") >= 1);
}
