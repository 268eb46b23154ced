//! Clickjacking, session fixation, open redirects and password guessing.

use super::{
    csrf::{foreign_page, places},
    served, sign_in, signed_in,
};
use chrono::TimeDelta;
use harness::{
    app::{PASSWORD, TestApp},
    chromium::Tab,
    databases::TestDatabase,
};
use passwords::HashingSettings;
use serde_json::json;
use std::time::{Duration, Instant};
use storage::DatabaseKind;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: every page, in a browser"]
async fn no_page_can_be_framed() {
    let (app, _database) = served().await;
    let victim = signed_in(&app).await;
    let page = foreign_page();
    for (site, place) in places(&page) {
        for path in ["/", "/sign-in", "/settings/api-tokens"] {
            for element in ["iframe", "object", "embed"] {
                let attacker = victim.new_tab().await;
                attacker.go(&place).await;
                let url = json!(format!("{}{path}", app.origin()));
                let script = format!(
                    "(() => {{ const it = document.createElement('{element}'); it.{} = {url}; document.body.append(it); }})()",
                    if element == "object" { "data" } else { "src" }
                );
                attacker.eval(&script).await;
                let label = format!("{path} in an {element} of a {site} page");
                attacker
                    .wait_for(&label, || async {
                        let errors = attacker.events().errors();
                        let refused = |it: &String| {
                            it.contains("frame-ancestors")
                                || it.contains("X-Frame-Options")
                                || it.contains("BLOCKED_BY_RESPONSE")
                        };
                        errors.iter().any(refused).then_some(())
                    })
                    .await;
            }
        }
    }
    // Our own pages must not be framed either.
    victim.eval("document.body.append(Object.assign(document.createElement('iframe'), { src: '/settings/account' }))").await;
    for words in [
        "refused by policy: frame-src",
        "ERR_BLOCKED_BY_CSP",
        "frame-src",
    ] {
        victim.expect_error(words).await;
    }
    victim.close().await;
}

/// A page that opens ours gets no reference to its window.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: signs in, and opens a window from each of two sites"]
async fn opener_loses_its_reference_to_our_window() {
    let (app, _database) = served().await;
    let victim = signed_in(&app).await;
    let page = foreign_page();
    for (site, place) in places(&page) {
        let attacker = victim.new_tab().await;
        attacker.go(&place).await;
        let open = format!(
            "window.ours = window.open({}); 0",
            json!(app.origin() + "/")
        );
        let gesture = json!({ "expression": open, "userGesture": true });
        attacker.command("Runtime.evaluate", gesture).await;
        attacker
            .wait_until(
                &format!("a {site} page has lost it"),
                "window.ours?.closed === true",
            )
            .await;
    }
    victim.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: two signed-in browsers"]
async fn planted_session_cookie_is_not_accepted() {
    let (app, _database) = served().await;
    app.db_owner_with_password(0).await;
    let planted = "A".repeat(43);
    let victim = Tab::open(app.origin()).await;
    victim.set_cookie("plain-sid", Some(&planted)).await;
    victim.go("/").await;
    victim.wait_for_path("/sign-in").await;
    sign_in(&victim, "owner0@example.com", PASSWORD).await;
    victim.wait_for_path("/").await;
    let given = victim.cookie("plain-sid").await.unwrap();
    assert_ne!(given, planted);
    // The cookie is `HttpOnly`.
    assert!(
        !victim
            .eval("document.cookie")
            .await
            .as_str()
            .unwrap()
            .contains("sid")
    );
    let attacker = Tab::open(app.origin()).await;
    attacker.set_cookie("plain-sid", Some(&planted)).await;
    attacker.go("/").await;
    attacker.wait_for_path("/sign-in").await;
    attacker.close().await;

    // A page on another port plants a second session cookie for some paths: neither counts. On HTTPS the `__Host-`
    // prefix prevents this.
    app.db_owner_with_password(1).await;
    let theirs = Tab::open(app.origin()).await;
    sign_in(&theirs, "owner1@example.com", PASSWORD).await;
    theirs.wait_for_path("/").await;
    let evil = theirs.cookie("plain-sid").await.unwrap();
    let page = foreign_page();
    let neighbour = victim.new_tab().await;
    neighbour.go(&places(&page)[1].1).await;
    neighbour
        .eval(&format!(
            "document.cookie = 'plain-sid={evil}; path=/api'; 0"
        ))
        .await;
    let session = victim
        .eval("fetch('/api/session').then((it) => it.json())")
        .await;
    assert_ne!(session["user"]["email"], "owner1@example.com", "{session}");
    neighbour
        .eval("document.cookie = 'plain-sid=; path=/api; max-age=0'; 0")
        .await;
    victim.events().take_error("status of 401");
    victim.go("/settings/account").await;
    victim.close().await;
    theirs.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: every page, in a browser"]
async fn no_url_redirects_to_another_site() {
    let (app, _database) = served().await;
    app.db_owner_with_password(0).await;
    let tab = Tab::open(app.origin()).await;
    let evil = [
        "//evil.example",
        "https://evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
        "%2F%2Fevil.example",
        "http:evil.example",
    ];
    let names = [
        "next", "then", "return", "returnTo", "redirect", "url", "continue",
    ];
    for value in evil {
        let query: Vec<String> = names.iter().map(|it| format!("{it}={value}")).collect();
        let query = query.join("&");
        tab.go(&format!("/sign-in?{query}#{value}")).await;
        tab.fill("E-mail", "owner0@example.com").await;
        tab.fill("Password", PASSWORD).await;
        tab.click("button", "Sign in").await;
        tab.wait_for_path("/").await;
        assert_eq!(tab.eval("location.origin").await, tab.base());
        for path in ["/sign-in", "/welcome"] {
            tab.go(&format!("{path}?{query}#{value}")).await;
            tab.wait_for_path("/").await;
            assert_eq!(tab.eval("location.origin").await, tab.base());
        }
        tab.click("button", "Sign out").await;
        tab.wait_for_path("/sign-in").await;
        assert_eq!(tab.eval("location.origin").await, tab.base());
    }
    for path in [
        "//evil.example/..",
        "/\\evil.example/",
        "/%2f%2fevil.example",
        "/.//evil.example",
        "/projects//evil.example",
    ] {
        tab.try_navigate(&format!("{}{path}", tab.base())).await;
        tab.wait_until_idle().await;
        assert_eq!(tab.eval("location.origin").await, tab.base(), "{path}");
        while tab.events().take_error("status of 404") {}
    }
    tab.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: a browser is refused again and again"]
async fn guesses_are_throttled_but_not_on_a_known_device() {
    let (app, _database) = served().await;
    let owner = signed_in(&app).await;
    // The session ends; the device stays known.
    owner.set_cookie("plain-sid", None).await;
    let attacker = Tab::open(app.origin()).await;
    attacker.go("/sign-in").await;
    attacker.fill("E-mail", "owner0@example.com").await;
    for number in 0..5 {
        attacker
            .fill("Password", &format!("walrus number {number}"))
            .await;
        attacker.click("button", "Sign in").await;
        attacker.expect_error("status of 401").await;
        attacker.wait_until_idle().await;
    }
    // The right password is refused too, with the time to wait.
    attacker.fill("Password", PASSWORD).await;
    attacker.click("button", "Sign in").await;
    attacker.expect_error("status of 429").await;
    attacker.wait_until_idle().await;
    attacker.wait_for_path("/sign-in").await;
    let message = attacker
        .eval("document.querySelector('[role=alert]').textContent")
        .await;
    assert!(
        message.as_str().unwrap().chars().any(char::is_numeric),
        "it says how long to wait: {message}"
    );
    sign_in(&owner, "owner0@example.com", PASSWORD).await;
    owner.wait_for_path("/").await;
    attacker.close().await;
    owner.close().await;
}

/// Mean and the mean's variance.
fn moments(values: &[f64]) -> (f64, f64) {
    #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|it| (it - mean).powi(2)).sum();
    (mean, squares / (count - 1.0) / count)
}

/// Refusals for known and unknown accounts are identical, and their times differ only by chance: Welch's t-test over
/// logarithms, without the slowest 5 %, since other tests run in parallel.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "slow: 640 attempts to sign in"]
async fn sign_in_times_do_not_reveal_accounts() {
    const PAIRS: usize = 300;
    let database = TestDatabase::empty(DatabaseKind::Sqlite).await;
    // As in production: times are those that an attacker measures.
    let app = TestApp::with_settings(&database, |it| it.hashing = HashingSettings::default()).await;
    app.db_owner_with_password(0).await;
    let browser = app.browser();
    let mut took: [Vec<Duration>; 2] = Default::default();
    for round in 0..PAIRS + 20 {
        // Alternately first.
        for index in [round % 2, (round + 1) % 2] {
            // Longer than any lockout, so that every password is checked.
            app.clock.advance(TimeDelta::hours(1));
            let email = ["owner0@example.com", "nobody@example.com"][index];
            let began = Instant::now();
            let answer = browser.sign_in(email, "another walrus").await;
            let time = began.elapsed();
            answer.refused(401, "sign-in-refused");
            if round >= 20 {
                took[index].push(time);
            }
        }
    }
    let [known, unknown] = took.map(|mut all| {
        all.sort_unstable();
        all.truncate(PAIRS * 19 / 20);
        let logs = all.iter().map(|it| it.as_secs_f64().ln());
        logs.collect::<Vec<f64>>()
    });
    let ((known, known_variance), (unknown, unknown_variance)) =
        (moments(&known), moments(&unknown));
    let t = (known - unknown) / (known_variance + unknown_variance).sqrt();
    let (known, unknown) = (1e3 * known.exp(), 1e3 * unknown.exp());
    // A false alarm has a probability of 1 in 100,000.
    assert!(
        t.abs() < 4.5,
        "t = {t:.2}: {known:.3} ms with an account, {unknown:.3} ms without"
    );
}
