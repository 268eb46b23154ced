//! Storage quotas, which include deactivated projects, and the purge of these.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{ports::clock::Clock, stored_data::StorageLimits};
use harness::{
    app::TestApp, browsers::Browser, callers::id, databases::TestDatabase, on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    a_deactivated_project_is_purged_at_purge_at,
    an_upgrade_postpones_purges_of_deactivated_projects,
    deactivated_projects_count_toward_the_storage_quota,
    deactivated_keywords_count_toward_the_storage_quota,
    rows_beyond_the_limits_are_not_imported,
    plans_beyond_the_quota_are_neither_saved_nor_enlarged,
    api_and_page_report_storage_usage,
    old_events_of_the_audit_log_are_removed,
];

async fn project(browser: &Browser, domain: &str) -> i64 {
    let body = json!({ "domain": domain, "keywords": ["rank tracker"] });
    id(&browser.post("/api/projects", body).await.created())
}

fn rows(site: &str, days: &[u32], queries: &[&str]) -> Value {
    let rows = days.iter().flat_map(|day| {
        queries.iter().map(move |query| {
            json!({
                "date": format!("2026-09-{day:02}"),
                "query": query,
                "page": format!("https://{site}/a"),
                "clicks": 1,
                "impressions": 10,
                "position": 2.0,
            })
        })
    });
    json!({ "rows": rows.collect::<Vec<_>>() })
}

fn plan(items: usize) -> Value {
    let item =
        |number: usize| json!({ "keyword": format!("keyword {number}"), "action": "create" });
    let items: Vec<Value> = (0..items).map(item).collect();
    json!({ "name": "Winter", "clusteredBy": "words", "items": items })
}

fn quota(body: &Value, name: &str) -> (u64, u64) {
    let quotas = body["quotas"].as_array().unwrap();
    let found = quotas.iter().find(|it| it["name"] == name);
    let found = found.unwrap_or_else(|| panic!("{name} is not told"));
    (
        found["used"].as_u64().unwrap(),
        found["limit"].as_u64().unwrap(),
    )
}

fn allowance(problem: &Value) -> &str {
    problem["allowance"]["name"].as_str().unwrap()
}

async fn a_deactivated_project_is_purged_at_purge_at(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let agent = app.db_full_agent().await;
    let gone = project(&browser, "shop.example.com").await;
    let stays = project(&browser, "other.example.com").await;
    let path = format!("/api/projects/{gone}");
    let console = format!("{path}/search-console");
    let plans = format!("{path}/content-plans");
    browser
        .post(&console, rows("shop.example.com", &[15], &["a"]))
        .await
        .created();
    let saved = id(&browser.post(&plans, plan(1)).await.created());
    assert_eq!(browser.get(&path).await.ok()["purgeAt"], Value::Null);

    let deactivated = browser.delete(&path).await.ok();
    let purge_at: DateTime<Utc> = deactivated["purgeAt"].as_str().unwrap().parse().unwrap();
    assert_eq!(purge_at, app.clock.now() + TimeDelta::days(365));
    let by_token = agent.get(&format!("/projects/{gone}")).await.ok();
    assert_eq!(by_token["purgeAt"], deactivated["purgeAt"]);

    // Before the term ends, everything can be reactivated.
    app.clock.advance(TimeDelta::days(364));
    app.core().purge_expired().await.unwrap();
    let browser = app.db_member(0).await;
    let back = browser.post(&format!("{path}/reactivate"), json!({})).await;
    let back = back.ok();
    assert_eq!(
        (&back["purgeAt"], &back["keywordCount"]),
        (&Value::Null, &json!(1))
    );
    assert_eq!(browser.get(&console).await.ok()["imported"][0]["rows"], 1);
    browser.get(&format!("{plans}/{saved}")).await.ok();

    browser.delete(&path).await.ok();
    app.clock.advance(TimeDelta::days(365));
    // Afterwards it cannot be reactivated, purged or not.
    let browser = app.db_member(0).await;
    browser
        .post(&format!("{path}/reactivate"), json!({}))
        .await
        .refused(404, "project-not-found");
    app.core().purge_expired().await.unwrap();
    browser.get(&path).await.refused(404, "project-not-found");
    browser
        .get(&format!("{plans}/{saved}"))
        .await
        .refused(404, "project-not-found");
    let listed = browser.get("/api/projects?status=all").await.ok();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    assert_eq!(listed["items"][0]["id"], stays);
    let stored = browser.get("/api/session").await.ok();
    let account = app.db_owner(0).await.account;
    let mut read = app.storage.read().await.unwrap();
    let events = read.stored_data().of_account(account).await.unwrap();
    assert_eq!(
        quota(&stored, "storedBytes").0,
        events.event_bytes,
        "events of sign-ins alone"
    );
    assert_eq!(quota(&stored, "storedKeywords").0, 1);
}

/// Data of a version without purge terms stays for 30 days after the upgrade.
async fn an_upgrade_postpones_purges_of_deactivated_projects(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let old = project(&browser, "shop.example.com").await;
    let path = format!("/api/projects/{old}");
    browser.delete(&path).await.ok();
    app.clock.advance(TimeDelta::days(500));
    for (days, purged) in [(0, 0), (29, 0), (1, 1), (1, 0)] {
        app.clock.advance(TimeDelta::days(days));
        assert_eq!(app.core().purge_expired().await.unwrap(), purged);
    }
    let browser = app.db_member(0).await;
    browser.get(&path).await.refused(404, "project-not-found");
}

async fn deactivated_projects_count_toward_the_storage_quota(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    app.db_limit(|limits| limits.projects = 2).await;
    // Two active ones, and at least ten more.
    let mut last = 0;
    for number in 0..12 {
        last = project(&browser, &format!("site{number}.example.com")).await;
        browser.delete(&format!("/api/projects/{last}")).await.ok();
    }
    let body = json!({ "domain": "site13.example.com" });
    let refused = browser.post("/api/projects", body).await;
    let problem = refused.refused(409, "allowance-exceeded");
    assert_eq!(allowance(&problem), "storedProjects");
    assert_eq!(
        (
            &problem["allowance"]["used"],
            &problem["allowance"]["limit"]
        ),
        (&json!(12), &json!(12))
    );
    let hint = problem["hint"].as_str().unwrap();
    assert!(hint.contains("purgeAt"), "{hint}");
    // Reactivation stores nothing more.
    let back = format!("/api/projects/{last}/reactivate");
    browser.post(&back, json!({})).await.ok();
}

async fn deactivated_keywords_count_toward_the_storage_quota(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.policies.storage.inactive_factor = Some(1);
    })
    .await;
    let browser = app.db_member(0).await;
    let project = project(&browser, "shop.example.com").await;
    app.db_limit(|limits| limits.keywords = 5).await;
    let keywords = format!("/api/projects/{project}/keywords");
    // With the project's first, at least ten more than five.
    let mut gone = vec![];
    for number in 0..14 {
        let body = json!({ "keywords": [format!("keyword {number}")] });
        let added = browser.post(&keywords, body).await.created();
        let keyword = id(&added["created"][0]);
        browser
            .delete(&format!("/api/keywords/{keyword}"))
            .await
            .ok();
        gone.push(keyword);
    }
    let body = json!({ "keywords": ["one more"] });
    let refused = browser.post(&keywords, body).await;
    let problem = refused.refused(409, "allowance-exceeded");
    assert_eq!(allowance(&problem), "storedKeywords");
    let bulk =
        json!({ "mode": "partial", "keywords": [{ "text": "another" }, { "text": "keyword 3" }] });
    let saved = browser.post(&format!("{keywords}/bulk"), bulk).await.ok();
    let outcomes = saved["items"].as_array().unwrap();
    assert_eq!(
        (&outcomes[0]["outcome"], &outcomes[1]["outcome"]),
        (&json!("refused"), &json!("reactivated")),
        "{saved}"
    );
    let detail = outcomes[0]["detail"].as_str().unwrap();
    assert!(detail.contains("deactivated ones included"), "{detail}");
}

async fn rows_beyond_the_limits_are_not_imported(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.policies.storage = StorageLimits {
            project_rows: Some(8),
            account_bytes: Some(3_000),
            ..StorageLimits::default()
        };
    })
    .await;
    let browser = app.db_member(0).await;
    let console = async |domain: &str| {
        let project = project(&browser, domain).await;
        format!("/api/projects/{project}/search-console")
    };
    let path = console("shop.example.com").await;
    // Three rows, and one for their day.
    browser
        .post(&path, rows("shop.example.com", &[15], &["a", "b", "c"]))
        .await
        .created();
    let refused = browser
        .post(
            &path,
            rows("shop.example.com", &[16], &["a", "b", "c", "d"]),
        )
        .await;
    let problem = refused.refused(409, "allowance-exceeded");
    assert_eq!(allowance(&problem), "storedRowsPerProject");
    assert_eq!(
        (
            &problem["allowance"]["used"],
            &problem["allowance"]["limit"]
        ),
        (&json!(4), &json!(8))
    );
    browser
        .post(&path, rows("shop.example.com", &[16], &["a", "b", "c"]))
        .await
        .created();
    // Replacing a day adds nothing.
    browser
        .post(&path, rows("shop.example.com", &[16], &["d", "e", "f"]))
        .await
        .created();
    let other = console("other.example.com").await;
    let refused = browser
        .post(&other, rows("other.example.com", &[1, 2, 3], &["a"]))
        .await;
    let problem = refused.refused(409, "allowance-exceeded");
    assert_eq!(allowance(&problem), "storedBytes");
    let state = browser.get(&other).await.ok();
    assert_eq!(state["imported"], json!([]));
}

async fn plans_beyond_the_quota_are_neither_saved_nor_enlarged(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |config| {
        config.policies.storage.account_bytes = Some(3_000);
    })
    .await;
    let browser = app.db_member(0).await;
    let project = project(&browser, "shop.example.com").await;
    let plans = format!("/api/projects/{project}/content-plans");
    let saved = id(&browser.post(&plans, plan(5)).await.created());
    let refused = browser.post(&plans, plan(10)).await;
    let problem = refused.refused(409, "allowance-exceeded");
    assert_eq!(allowance(&problem), "storedBytes");
    let path = format!("{plans}/{saved}");
    let larger = json!({ "items": plan(12)["items"] });
    let refused = browser.patch(&path, larger).await;
    assert_eq!(
        allowance(&refused.refused(409, "allowance-exceeded")),
        "storedBytes"
    );
    let smaller = json!({ "items": plan(1)["items"] });
    browser.patch(&path, smaller).await.ok();
    browser.post(&plans, plan(5)).await.created();
}

async fn api_and_page_report_storage_usage(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let agent = app.db_full_agent().await;
    let first = project(&browser, "shop.example.com").await;
    project(&browser, "other.example.com").await;
    let console = format!("/api/projects/{first}/search-console");
    browser
        .post(&console, rows("shop.example.com", &[15], &["a"]))
        .await
        .created();
    browser.delete(&format!("/api/projects/{first}")).await.ok();
    let health = agent.get("/health").await.ok();
    let session = browser.get("/api/session").await.ok();
    for body in [&health, &session] {
        assert_eq!(quota(body, "projects"), (1, 100));
        assert_eq!(quota(body, "storedProjects"), (2, 300));
        assert_eq!(quota(body, "storedKeywords"), (2, 30_000));
        let (used, limit) = quota(body, "storedBytes");
        assert!(used > 400 && limit == 2 << 30, "{used} of {limit}");
        assert_eq!(body["limits"]["storedRowsPerProject"], 5_000_000);
    }
    let page = browser.page("/settings/usage").await;
    for words in ["deactivated ones included", "365 days", "Stored, MiB"] {
        assert!(page.contains(words), "{words}");
    }
}

async fn old_events_of_the_audit_log_are_removed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_member(0).await;
    let oldest = async |browser: &Browser| -> DateTime<Utc> {
        let log = browser.get("/api/settings/audit-log").await.ok();
        let events = log["items"].as_array().unwrap();
        events.last().unwrap()["at"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    };
    let began = app.clock.now();
    // For 30 days after an upgrade nothing is purged.
    app.clock.advance(TimeDelta::days(401));
    app.core().purge_expired().await.unwrap();
    app.clock.advance(TimeDelta::days(29));
    app.core().purge_expired().await.unwrap();
    let browser = app.db_member(0).await;
    assert_eq!(oldest(&browser).await, began);
    app.clock.advance(TimeDelta::days(1));
    app.core().purge_expired().await.unwrap();
    let browser = app.db_member(0).await;
    assert!(oldest(&browser).await > began);
}
