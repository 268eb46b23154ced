//! Figures of a page with known behavior.

use super::support::{answer, html, lab, picture, site};
use analysis::{
    findings::vitals::{LoadFacts, opportunities},
    observation::vitals::{FormFactor, ResourceKind},
};
use domain::ports::page_speed::LabError;
use std::time::Duration;

const PAGE: &str = r#"<!doctype html><html lang=en><meta charset=utf-8>
<meta name=viewport content="width=device-width"><title>Known</title>
<link rel=stylesheet href=/style.css>
<body style="margin:0"><h1>Known</h1><p>Words.</p>
<img id=hero style="width:100%" alt=hero><p id=pushed>Pushed down.</p>
<script>
  // What a page does to its own world does not reach the observers'.
  PerformanceObserver = null; JSON.stringify = () => "no"; CSS.escape = null;
  setTimeout(() => { hero.src = "/picture.svg"; }, 500);
  setTimeout(() => { const begun = performance.now(); while (performance.now() - begun < 300); }, 2500);
  new Image().src = `/seen?w=${innerWidth}&d=${devicePixelRatio}&t=${navigator.maxTouchPoints > 0}`;
</script>"#;

#[tokio::test]
async fn all_metrics_of_a_known_page_are_consistent() {
    let Some(mut lab) = lab().await else { return };
    let css = "body{color:#123}/*".to_owned() + &"long comment ".repeat(400) + "*/";
    let style = answer("200 OK", "text/css", "", css.as_bytes());
    let site = site(&[
        ("/", html(PAGE)),
        ("/style.css", style),
        ("/picture.svg", picture()),
    ])
    .await;
    // Time to Interactive needs five quiet seconds.
    lab.settings.quiet = Duration::from_millis(5_250);
    lab.settings.load_limit = Duration::from_secs(40);
    // A busy machine may never be quiet for that long.
    let mut run = lab.load(&site.url("/"), FormFactor::Phone).await.unwrap();
    for _ in 0..3 {
        if run.warnings.is_empty() {
            break;
        }
        run = lab.load(&site.url("/"), FormFactor::Phone).await.unwrap();
    }
    let metrics = &run.metrics;
    if run.warnings == ["neverQuiet"] {
        assert_eq!((metrics.tti, metrics.tbt), (None, None), "{run:?}");
        eprintln!("SKIPPED: the machine is busy, so times that take a quiet page are not measured");
    } else {
        assert_eq!(run.warnings, Vec::<String>::new(), "{run:?}");
        // A task of 300 ms blocks for 250 ms, anywhere after the first paint.
        assert!(metrics.tbt.unwrap() > 0.0, "{metrics:?}");
        assert!(metrics.fcp <= metrics.tti, "{metrics:?}");
    }
    let (fcp, lcp, ttfb) = (
        metrics.fcp.unwrap(),
        metrics.lcp.unwrap(),
        metrics.ttfb.unwrap(),
    );
    assert!(0.0 < ttfb && ttfb < fcp && fcp <= lcp, "{metrics:?}");
    assert!(metrics.si.unwrap() >= ttfb, "{metrics:?}");
    assert!(metrics.cls.unwrap() > 0.01, "{metrics:?}");
    let element = run.lcp_element.unwrap();
    assert_eq!(element.selector.as_deref(), Some("#hero"));
    assert_eq!(
        (element.kind.as_str(), element.url),
        ("image", Some(site.url("/picture.svg")))
    );
    let parts = run.lcp_breakdown.unwrap();
    let sum = parts.ttfb + parts.load_delay + parts.load_duration + parts.render_delay;
    assert!(
        (sum - lcp).abs() < 1e-6 && parts.load_duration > 0.0,
        "{parts:?}"
    );
    let moved: Vec<_> = run
        .cls_sources
        .iter()
        .filter_map(|it| it.selector.as_deref())
        .collect();
    assert!(
        moved.contains(&"#hero") || moved.contains(&"#pushed"),
        "{moved:?}"
    );
    assert_eq!(run.unsized_images, Some(1));
    let kinds: Vec<_> = run
        .resources
        .iter()
        .map(|it| (it.kind, it.blocks_rendering))
        .collect();
    assert!(
        kinds.contains(&(ResourceKind::Document, false)),
        "{kinds:?}"
    );
    assert!(
        kinds.contains(&(ResourceKind::Stylesheet, true)),
        "{kinds:?}"
    );
    let to_mend = opportunities(&LoadFacts {
        server_response_ms: run.server_response_ms,
        redirects_ms: run.redirects_ms,
        unsized_images: run.unsized_images,
        resources: &run.resources,
    });
    let ids: Vec<_> = to_mend.iter().map(|it| it.audit_id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "render-blocking-resources",
            "unsized-images",
            "uses-long-cache-ttl",
            "uses-text-compression"
        ]
    );
}

#[tokio::test]
#[ignore = "slow: two loads in a browser"]
async fn phone_and_desktop_are_emulated_with_our_user_agent() {
    let Some(lab) = lab().await else { return };
    let site = site(&[("/", html(PAGE)), ("/picture.svg", picture())]).await;
    lab.load(&site.url("/"), FormFactor::Phone).await.unwrap();
    lab.load(&site.url("/"), FormFactor::Desktop).await.unwrap();
    assert_eq!(
        site.count("/seen?w=412&d=1.75&t=true"),
        1,
        "{:?}",
        site.heads()
    );
    assert_eq!(
        site.count("/seen?w=1350&d=1&t=false"),
        1,
        "{:?}",
        site.heads()
    );
    let agents: Vec<String> = site
        .heads()
        .iter()
        .filter(|it| it.starts_with("GET / "))
        .filter_map(|it| {
            it.lines()
                .find(|line| line.starts_with("User-Agent:"))
                .map(str::to_owned)
        })
        .collect();
    assert!(
        agents[0].contains("Android") && !agents[1].contains("Android"),
        "{agents:?}"
    );
    assert!(
        agents.iter().all(|it| it.contains("sightlinebot/")),
        "{agents:?}"
    );
}

#[tokio::test]
async fn the_redirect_target_is_measured() {
    let Some(lab) = lab().await else { return };
    let moved = answer("302 Found", "text/plain", "location: /page\r\n", b"");
    let site = site(&[
        ("/", moved),
        ("/page", html("<title>x</title><h1>There</h1>")),
    ])
    .await;
    let run = lab.load(&site.url("/"), FormFactor::Desktop).await.unwrap();
    assert_eq!(run.final_url, site.url("/page"));
    assert!(
        run.redirects_ms.unwrap() > 0.0 && run.metrics.lcp.is_some(),
        "{run:?}"
    );
}

#[tokio::test]
#[ignore = "slow: three loads in a browser"]
async fn missing_and_non_html_pages_are_reported() {
    let Some(lab) = lab().await else { return };
    let site = site(&[
        ("/json", answer("200 OK", "application/json", "", b"{}")),
        (
            "/file",
            answer(
                "200 OK",
                "application/zip",
                "content-disposition: attachment\r\n",
                b"PK",
            ),
        ),
        (
            "/gone",
            answer("410 Gone", "text/html", "", b"<h1>Gone</h1>"),
        ),
    ])
    .await;
    let desktop = FormFactor::Desktop;
    assert_eq!(
        lab.load(&site.url("/gone"), desktop).await.err(),
        Some(LabError::Status(410))
    );
    assert_eq!(
        lab.load(&site.url("/json"), desktop).await.err(),
        Some(LabError::NotHtml)
    );
    assert_eq!(
        lab.load(&site.url("/file"), desktop).await.err(),
        Some(LabError::NotHtml)
    );
    let closed_port = "http://127.0.0.1:9/";
    assert_eq!(
        lab.load(closed_port, desktop).await.err(),
        Some(LabError::Unreachable)
    );
    let file = lab.load("file:///etc/passwd", desktop).await.err();
    assert!(matches!(file, Some(LabError::Order(_))), "{file:?}");
    let all = lab.load(&site.url("/gone"), FormFactor::All).await.err();
    assert!(matches!(all, Some(LabError::Order(_))), "{all:?}");
}

#[tokio::test]
#[ignore = "slow: waits until a page has shown nothing for long"]
async fn an_empty_page_has_no_paint_metrics() {
    let Some(lab) = lab().await else { return };
    let site = site(&[("/", html("<title>x</title>"))]).await;
    let run = lab.load(&site.url("/"), FormFactor::Desktop).await.unwrap();
    assert_eq!(
        (run.metrics.fcp, run.metrics.lcp, run.metrics.si),
        (None, None, None)
    );
    assert!(run.warnings.contains(&"noPaint".to_owned()), "{run:?}");
}
