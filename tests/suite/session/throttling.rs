//! Password guessing is throttled without locking owners out.

use chrono::TimeDelta;
use futures_util::future::join_all;
use harness::{
    app::{PASSWORD, TestApp},
    browsers::Browser,
    callers::Answer,
    databases::TestDatabase,
    on_every_database,
};
use ipnet::IpNet;
use reqwest::Method;
use serde_json::json;
use web::limits::Rate;

on_every_database![
    delays_grow_equally_for_known_and_unknown_accounts,
    of_64_concurrent_attempts_at_most_5_are_checked,
    failures_of_others_do_not_delay_a_known_device,
    an_address_has_ten_attempts_a_minute,
    session_passwords_are_throttled_like_sign_ins,
    failures_from_many_networks_stop_at_100_per_account,
    a_known_device_signs_in_while_others_are_throttled,
    failures_within_one_ipv6_site_count_together,
    a_correct_password_is_not_counted_as_failure,
    an_operator_password_reset_resets_the_throttle,
];

/// Behind a proxy, so that a request may come from any network.
async fn behind_a_proxy(db: &TestDatabase) -> TestApp {
    TestApp::with_settings(db, |config| {
        config.limits.trusted_proxies = vec!["127.0.0.0/8".parse::<IpNet>().unwrap()];
    })
    .await
}

async fn sign_in_from(browser: &Browser, address: &str, email: &str, password: &str) -> Answer {
    let body = json!({ "email": email, "password": password });
    let request = browser.same_origin_request(Method::POST, "/api/session");
    let request = request.header("X-Forwarded-For", address).json(&body);
    browser.send(request).await
}

/// Guesses, each from another network, until one is refused, and its `Retry-After`.
async fn guesses_until_refused(app: &TestApp, email: &str) -> (usize, String) {
    let browser = app.browser();
    for number in 0..150 {
        let address = format!("10.{number}.0.1");
        let answer = sign_in_from(&browser, &address, email, "another walrus").await;
        if answer.status == 429 {
            answer.refused(429, "rate-limited");
            return (number, answer.header("retry-after").to_owned());
        }
        answer.refused(401, "sign-in-refused");
    }
    (150, String::new())
}

async fn failures_from_many_networks_stop_at_100_per_account(db: TestDatabase) {
    let app = behind_a_proxy(&db).await;
    app.db_owner_with_password(0).await;
    for email in ["owner0@example.com", "nobody@example.com"] {
        assert_eq!(
            guesses_until_refused(&app, email).await,
            (100, "864".into())
        );
    }
    // One more every 14.4 minutes, also for the right password.
    app.clock.advance(TimeDelta::seconds(864));
    for email in ["owner0@example.com", "nobody@example.com"] {
        assert_eq!(guesses_until_refused(&app, email).await, (1, "864".into()));
    }
    app.clock.advance(TimeDelta::seconds(864));
    let (email, browser) = ("owner0@example.com", app.browser());
    sign_in_from(&browser, "10.200.0.1", email, PASSWORD)
        .await
        .ok();
    app.clock.advance(TimeDelta::hours(24));
    assert_eq!(guesses_until_refused(&app, email).await.0, 100);
}

async fn a_known_device_signs_in_while_others_are_throttled(db: TestDatabase) {
    let app = behind_a_proxy(&db).await;
    let known = app.db_member(0).await;
    known.set_cookie("__Host-sid", None);
    let email = "owner0@example.com";
    assert_eq!(guesses_until_refused(&app, email).await.0, 100);
    let stranger = sign_in_from(&app.browser(), "10.200.0.1", email, PASSWORD).await;
    stranger.refused(429, "rate-limited");
    sign_in_from(&known, "10.201.0.1", email, PASSWORD)
        .await
        .ok();
    // The owner's sign-in does not reset the count for others.
    let stranger = sign_in_from(&app.browser(), "10.200.0.1", email, PASSWORD).await;
    stranger.refused(429, "rate-limited");
}

async fn failures_within_one_ipv6_site_count_together(db: TestDatabase) {
    let app = behind_a_proxy(&db).await;
    app.db_owner_with_password(0).await;
    let (browser, email) = (app.browser(), "owner0@example.com");
    let mut looked_at = vec![];
    // Ten /64 of each of ten /56, all in one /48.
    for customer in 0..10 {
        for network in 0..10 {
            let address = format!("2001:db8:7:{customer:x}{network:02x}::1");
            let answer = sign_in_from(&browser, &address, email, "another walrus").await;
            looked_at.push(answer.status == 401);
        }
    }
    let in_the_first = looked_at[..10].iter().filter(|it| **it).count();
    let in_all = looked_at.iter().filter(|it| **it).count();
    assert_eq!((in_the_first, in_all), (5, 20), "by /56, by /48");
    let elsewhere = sign_in_from(&browser, "2001:db8:8::1", email, PASSWORD).await;
    elsewhere.ok();
}

async fn a_correct_password_is_not_counted_as_failure(db: TestDatabase) {
    let app = behind_a_proxy(&db).await;
    app.db_owner_with_password(0).await;
    let email = "owner0@example.com";
    for number in 0..110 {
        let address = format!("10.{number}.1.1");
        let browser = app.browser();
        sign_in_from(&browser, &address, email, PASSWORD).await.ok();
    }
}

async fn an_operator_password_reset_resets_the_throttle(db: TestDatabase) {
    let app = behind_a_proxy(&db).await;
    app.db_owner_with_password(0).await;
    let email = "owner0@example.com";
    assert_eq!(guesses_until_refused(&app, email).await.0, 100);
    app.db_owner_with_password(0).await;
    sign_in_from(&app.browser(), "10.200.0.1", email, PASSWORD)
        .await
        .ok();
}

async fn delays_grow_equally_for_known_and_unknown_accounts(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner_with_password(0).await;
    let browser = app.browser();
    for email in ["owner0@example.com", "nobody@example.com"] {
        for _ in 0..5 {
            browser
                .sign_in(email, "another walrus")
                .await
                .refused(401, "sign-in-refused");
        }
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            let wait = browser.sign_in(email, PASSWORD).await;
            wait.refused(429, "rate-limited");
            assert_eq!(wait.header("retry-after"), seconds.to_string(), "{email}");
            app.clock.advance(TimeDelta::seconds(seconds));
            browser
                .sign_in(email, "another walrus")
                .await
                .refused(401, "sign-in-refused");
        }
    }
    // Failures of others do not count.
    app.db_member(1).await;
    app.clock.advance(TimeDelta::minutes(15));
    browser.sign_in("owner0@example.com", PASSWORD).await.ok();
}

async fn of_64_concurrent_attempts_at_most_5_are_checked(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner_with_password(0).await;
    let guesses = (0..64).map(|number| {
        let browser = app.browser();
        async move {
            let guess = format!("walrus number {number}");
            browser
                .sign_in("owner0@example.com", &guess)
                .await
                .status
                .as_u16()
        }
    });
    let mut statuses = join_all(guesses).await;
    statuses.sort_unstable();
    let looked_at = statuses.iter().filter(|it| **it == 401).count();
    // The hashing queue may be full; those guesses were not checked either.
    assert!(looked_at <= 5, "{statuses:?}");
    assert!(
        statuses.iter().all(|it| [401, 429, 503].contains(it)),
        "{statuses:?}"
    );
}

async fn failures_of_others_do_not_delay_a_known_device(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.limits.sign_ins = Rate::of(10, 10);
        config.limits.all_sign_ins = Rate::of(60, 12);
        config.limits.anonymous = Rate::of(60, 20);
    })
    .await;
    let known = app.db_member(0).await;
    known.set_cookie("__Host-sid", None);
    let attacker = app.browser();
    for _ in 0..12 {
        attacker
            .sign_in("owner0@example.com", "another walrus")
            .await;
    }
    for _ in 0..10 {
        attacker.get("/api/welcome").await;
    }
    // Same address, account and password: only the device differs.
    attacker
        .sign_in("owner0@example.com", PASSWORD)
        .await
        .refused(429, "rate-limited");
    known.sign_in("owner0@example.com", PASSWORD).await.ok();

    // Its own failures count, and a forged mark is ignored.
    known.set_cookie("__Host-sid", None);
    for _ in 0..5 {
        known
            .sign_in("owner0@example.com", "another walrus")
            .await
            .refused(401, "sign-in-refused");
    }
    known
        .sign_in("owner0@example.com", PASSWORD)
        .await
        .refused(429, "rate-limited");
    let forged = app.browser();
    let mark = known.cookie("__Host-device").unwrap();
    let (rest, _) = mark.rsplit_once('.').unwrap();
    forged.set_cookie("__Host-device", Some(&format!("{rest}.{}", "0".repeat(64))));
    forged
        .sign_in("owner0@example.com", PASSWORD)
        .await
        .refused(429, "rate-limited");
}

async fn an_address_has_ten_attempts_a_minute(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.limits.sign_ins = Rate::of(10, 10);
        config.limits.trusted_proxies = vec!["127.0.0.0/8".parse::<IpNet>().unwrap()];
    })
    .await;
    let browser = app.browser();
    let from = |address: &'static str, email: String| {
        let body = json!({ "email": email, "password": "another walrus" });
        let request = browser.same_origin_request(Method::POST, "/api/session");
        let request = request.header("X-Forwarded-For", address).json(&body);
        let browser = browser.clone();
        async move { browser.send(request).await.status.as_u16() }
    };
    let mut statuses = vec![];
    for number in 0..12 {
        statuses.push(from("192.0.2.1", format!("somebody{number}@example.com")).await);
    }
    assert_eq!(statuses, [[401; 10].as_slice(), &[429; 2]].concat());
    let elsewhere = from("198.51.100.1", "somebody@example.com".into()).await;
    assert_eq!(elsewhere, 401);
    app.clock.advance(TimeDelta::seconds(6));
    assert_eq!(from("192.0.2.1", "x@example.com".into()).await, 401);
    assert_eq!(from("192.0.2.1", "y@example.com".into()).await, 429);
}

async fn session_passwords_are_throttled_like_sign_ins(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let guess = json!({ "password": "another walrus" });
    let path = "/api/session/reauthenticate";
    for _ in 0..5 {
        browser.post(path, guess.clone()).await.errors();
    }
    let wait = browser.post(path, json!({ "password": PASSWORD })).await;
    wait.refused(429, "rate-limited");
    let change = json!({ "currentPassword": PASSWORD, "newPassword": "fourteen damp otters" });
    browser
        .post("/api/settings/password", change)
        .await
        .refused(429, "rate-limited");
    app.browser()
        .sign_in("owner0@example.com", PASSWORD)
        .await
        .ok();
    app.clock.advance(TimeDelta::seconds(1));
    browser
        .post(path, json!({ "password": PASSWORD }))
        .await
        .ok();
}
