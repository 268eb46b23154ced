//! Hostile pages in the measuring browser.

use super::{
    fault_server::Act,
    support::{answer, html, lab, site},
};
use analysis::observation::vitals::FormFactor;
use domain::ports::page_speed::LabError;
use std::{path::PathBuf, time::Duration};
use tokio::net::{TcpListener, UdpSocket};

/// Every way for a page to open connections; `{}` is the host.
const ATTEMPTS: &str = r#"<!doctype html><title>x</title><h1>Hostile</h1>
<img src="http://{}/img"><iframe src="http://{}/iframe"></iframe><script src="http://{}/script"></script>
<link rel=stylesheet href="http://{}/style"><link rel=prefetch href="http://{}/prefetch">
<link rel=preconnect href="http://{}/"><link rel=preload as=fetch href="http://{}/preload">
<object data="http://{}/object"></object><video src="http://{}/video"></video>
<img src="/away"><form id=f action="http://{}/form" method=post target=frame></form><iframe name=frame></iframe>
<script>
  const where = "{}", [host, port] = where.split(":");
  fetch(`http://${where}/fetch`, { mode: "no-cors" }).catch(() => {});
  navigator.sendBeacon(`http://${where}/beacon`, "x");
  new WebSocket(`ws://${where}/socket`);
  new EventSource(`http://${where}/events`);
  document.getElementById("f").submit();
  window.open(`http://${where}/popup`);
  try { new Worker(URL.createObjectURL(new Blob([`fetch("http://${where}/worker").catch(()=>{})`]))); } catch {}
  try {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:${host}:${port}` }, { urls: `turn:${host}:${port}?transport=tcp`, username: "a", credential: "b" }] });
    let candidates = 0;
    peer.onicecandidate = (event) => { candidates += Number(Boolean(event.candidate && event.candidate.candidate)); };
    setTimeout(() => { new Image().src = "/candidates?" + candidates; }, 1000);
    peer.createDataChannel("x");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  } catch {}
  try { new WebTransport(`https://${where}/transport`); } catch {}
</script>"#;

#[tokio::test]
async fn pages_cannot_reach_addresses_that_are_not_allowed() {
    let Some(mut lab) = lab().await else { return };
    lab.settings.quiet = Duration::from_secs(2);
    // 127.0.0.2 is private like 127.0.0.1, but the operator did not allow it.
    let forbidden = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let address = forbidden.local_addr().unwrap();
    let datagrams = UdpSocket::bind(address).await.unwrap();
    let page = ATTEMPTS.replace("{}", &address.to_string());
    let away = answer(
        "302 Found",
        "text/plain",
        &format!("location: http://{address}/away\r\n"),
        b"",
    );
    let site = site(&[("/", html(&page)), ("/away", away)]).await;
    let run = lab.load(&site.url("/"), FormFactor::Desktop).await.unwrap();
    assert!(
        run.metrics.fcp.is_some() && site.count("/away") == 1,
        "{run:?}"
    );
    assert!(
        run.resources
            .iter()
            .all(|it| it.status.is_none() || !it.url.contains("127.0.0.2")),
        "{run:?}"
    );
    let now = Duration::from_millis(1);
    assert!(tokio::time::timeout(now, forbidden.accept()).await.is_err());
    let mut heard = [0; 64];
    assert!(
        tokio::time::timeout(now, datagrams.recv(&mut heard))
            .await
            .is_err()
    );
}

#[tokio::test]
#[ignore = "slow: loads in a browser"]
async fn redirects_to_addresses_not_allowed_fail() {
    let Some(lab) = lab().await else { return };
    let forbidden = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let there = format!("location: http://{}/\r\n", forbidden.local_addr().unwrap());
    let by_server = answer("302 Found", "text/plain", &there, b"");
    let site = site(&[
        ("/", by_server),
        (
            "/file",
            answer(
                "302 Found",
                "text/plain",
                "location: file:///etc/passwd\r\n",
                b"",
            ),
        ),
    ])
    .await;
    for path in ["/", "/file"] {
        let outcome = lab.load(&site.url(path), FormFactor::Desktop).await;
        assert_eq!(outcome.err(), Some(LabError::Unreachable), "{path}");
    }
    let now = Duration::from_millis(1);
    assert!(tokio::time::timeout(now, forbidden.accept()).await.is_err());
}

#[tokio::test]
#[ignore = "slow: waits for a page that never rests"]
async fn a_page_with_dialogs_and_endless_work_is_measured() {
    let Some(lab) = lab().await else { return };
    let page = r#"<title>x</title><h1>Restless</h1><script>
        alert("answer me"); confirm("really?"); prompt("how?");
        onbeforeunload = () => "stay";
        setInterval(() => fetch("/poll").catch(() => {}), 20);
        setInterval(() => history.pushState({}, "", "?" + Math.random()), 50);
    </script>"#;
    let site = site(&[("/", html(page))]).await;
    let run = lab.load(&site.url("/"), FormFactor::Desktop).await.unwrap();
    assert!(run.metrics.fcp.is_some(), "{run:?}");
}

#[tokio::test]
#[ignore = "slow: waits until a load has taken too long"]
async fn an_unresponsive_page_is_killed_or_measured() {
    let Some(mut lab) = lab().await else { return };
    lab.settings.load_limit = Duration::from_secs(4);
    lab.settings.run_limit = Duration::from_secs(15);
    let page =
        "<title>x</title><h1>Stuck</h1><script>setTimeout(() => { while (true); }, 300)</script>";
    let site = site(&[("/", html(page))]).await;
    match lab.load(&site.url("/"), FormFactor::Desktop).await {
        Ok(run) => assert!(run.warnings.contains(&"loadTimedOut".to_owned()), "{run:?}"),
        Err(error) => assert_eq!(error, LabError::TimedOut),
    }
}

#[tokio::test]
#[ignore = "slow: waits until a load has taken too long"]
async fn a_silent_server_ends_at_the_run_limit() {
    let Some(mut lab) = lab().await else { return };
    lab.settings.run_limit = Duration::from_secs(5);
    let site = site(&[("/", Act::Silence)]).await;
    let outcome = lab.load(&site.url("/"), FormFactor::Desktop).await.err();
    assert!(
        matches!(outcome, Some(LabError::TimedOut | LabError::Unreachable)),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn an_endless_page_is_cut_off() {
    let Some(mut lab) = lab().await else { return };
    lab.settings.traffic_limit = 500_000;
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<title>x</title>".to_vec();
    let site = site(&[("/", Act::Forever(head, b"<p>more and more".repeat(1_000)))]).await;
    let outcome = lab.load(&site.url("/"), FormFactor::Desktop).await;
    assert_eq!(outcome.err(), Some(LabError::TooHeavy));
}

#[tokio::test]
#[ignore = "slow: a browser fills its memory"]
async fn a_browser_above_the_memory_limit_is_killed() {
    let Some(mut lab) = lab().await else { return };
    lab.settings.memory_limit = 1;
    let site = site(&[("/", html("<title>x</title><h1>Small</h1>"))]).await;
    let outcome = lab.load(&site.url("/"), FormFactor::Desktop).await;
    assert_eq!(outcome.err(), Some(LabError::TooHeavy));
}

#[tokio::test]
#[ignore = "slow: many loads in a browser"]
async fn a_load_that_is_cancelled_leaves_nothing() {
    let Some(lab) = lab().await else { return };
    let site = site(&[("/", Act::Silence)]).await;
    lab.load_and_cancel(&site.url("/"), Duration::from_millis(50))
        .await;
    lab.nothing_stays().await;
    lab.load_and_cancel(&site.url("/"), Duration::from_secs(3))
        .await;
    lab.nothing_stays().await;
}

#[tokio::test]
async fn a_missing_browser_is_reported_with_a_remedy() {
    let Some(mut lab) = lab().await else { return };
    lab.settings.browser = Some(PathBuf::from("/nonexistent/chromium"));
    let outcome = lab.load("http://127.0.0.1:1/", FormFactor::Desktop).await;
    let Some(LabError::NotConfigured(not_configured)) = outcome.err() else {
        panic!("it went on")
    };
    assert!(
        not_configured.missing.contains("/nonexistent/chromium"),
        "{not_configured}"
    );
    assert!(
        not_configured.remedy.contains("apt-get install chromium"),
        "{not_configured}"
    );
    // A program that starts but is not a browser is reported too.
    lab.settings.browser = Some(PathBuf::from("/bin/true"));
    let outcome = lab.load("http://127.0.0.1:1/", FormFactor::Desktop).await;
    assert!(
        matches!(outcome, Err(LabError::NotConfigured(_))),
        "{outcome:?}"
    );
}
