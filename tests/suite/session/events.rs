//! GET /api/events and the pages of events: who reads what, and how the log is continued.

use chrono::TimeDelta;
use domain::{event::NewEvent, ids::ProjectId, test_support::an_event_draft};
use harness::{
    app::TestApp,
    browsers::Browser,
    callers::{UNKNOWN_ID, id},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    events_are_read_by_right_and_granted_project,
    the_log_is_continued_without_a_gap,
    filters_that_make_no_sense_are_refused,
    pages_show_events_with_their_project,
    tokens_and_failed_sign_ins_are_events,
];

const EVENTS: &str = "/api/events";

async fn project(owner: &Browser, domain: &str) -> i64 {
    let project = json!({ "domain": domain });
    id(&owner.post("/api/projects", project).await.created())
}

/// Adds the `n`-th event to the log of the first account.
async fn add(app: &TestApp, project: i64, n: i64) {
    let account = app.db_owner(0).await.account;
    let mut work = app.storage.write().await.unwrap();
    let found = work.projects().find(account, ProjectId(project)).await;
    let draft = an_event_draft(n);
    let at = draft.measured_at;
    let event = NewEvent::of_project(&found.unwrap().unwrap(), None, draft, at);
    work.events().append(account, &[event]).await.unwrap();
    work.commit().await.unwrap();
}

async fn items(browser: &Browser, query: &str) -> Vec<Value> {
    let answer = browser.get(&format!("{EVENTS}{query}")).await.ok();
    answer["items"].as_array().unwrap().clone()
}

/// Ids of the keywords that the events are about; without those of tokens and sign-ins.
async fn keywords(browser: &Browser, query: &str) -> Vec<i64> {
    let items = items(browser, query).await.into_iter();
    let ranks = items.filter(|it| it["kind"] == "rank.changed");
    ranks
        .map(|it| it["subject"]["id"].as_i64().unwrap())
        .collect()
}

async fn events_are_read_by_right_and_granted_project(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let shop = project(&owner, "shop.example.com").await;
    let other = project(&owner, "other.example.com").await;
    add(&app, shop, 1).await;
    add(&app, other, 2).await;
    let client = app.colleague(&owner, "client", &[shop]).await;
    let viewer = app.colleague(&owner, "viewer", &[]).await;
    assert_eq!(keywords(&owner, "").await, [2, 1]);
    assert_eq!(keywords(&viewer, "").await, [2, 1]);
    assert_eq!(keywords(&client, "").await, [1]);
    assert_eq!(keywords(&owner, &format!("?projectId={other}")).await, [2]);
    let kinds = async |browser: &Browser| {
        let all = items(browser, "").await.into_iter();
        let mut kinds: Vec<String> = all
            .map(|it| it["kind"].as_str().unwrap().to_owned())
            .collect();
        kinds.dedup();
        kinds
    };
    // The owner signed in on a device that was not known.
    assert_eq!(kinds(&owner).await, ["rank.changed", "sign_in.new_device"]);
    assert_eq!(kinds(&viewer).await, ["rank.changed"]);
    let hidden = client.get(&format!("{EVENTS}?projectId={other}")).await;
    let unknown = client
        .get(&format!("{EVENTS}?projectId={UNKNOWN_ID}"))
        .await;
    hidden.refused(404, "project-not-found");
    assert_eq!(hidden.without_request_id(), unknown.without_request_id());
    let stranger = app.db_member(1).await;
    assert_eq!(keywords(&stranger, "").await, [0; 0]);
}

async fn the_log_is_continued_without_a_gap(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let shop = project(&owner, "shop.example.com").await;
    for n in 1..=5 {
        add(&app, shop, n).await;
    }
    let kind = "kind=rank.changed";
    let mut read = Vec::new();
    let mut after = 0;
    loop {
        let part = items(&owner, &format!("?{kind}&limit=2&after={after}")).await;
        let Some(last) = part.last() else { break };
        after = last["seq"].as_i64().unwrap();
        read.extend(part.iter().map(|it| it["subject"]["id"].as_i64().unwrap()));
    }
    assert_eq!(read, [1, 2, 3, 4, 5]);
    let newest = items(&owner, &format!("?{kind}&limit=2")).await;
    let before = newest[1]["seq"].as_i64().unwrap();
    let next = keywords(&owner, &format!("?{kind}&limit=2&before={before}")).await;
    assert_eq!(next, [3, 2]);
    assert_eq!(keywords(&owner, "?severity=warning").await, [0; 0]);
    assert_eq!(keywords(&owner, "?severity=notice").await.len(), 5);
    let event = &newest[0];
    assert_eq!(event["before"], json!({ "position": 5 }));
    assert_eq!(event["after"], json!({ "position": 15 }));
    assert_eq!(event["project"]["id"], json!(shop));
    let text = event["text"].as_str().unwrap();
    assert!(text.contains("“rank tracker”"), "{text}");
}

async fn filters_that_make_no_sense_are_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    for query in [
        "before=1&after=1",
        "kind=rank.moved",
        "severity=high",
        "after=-1",
        "since=x",
    ] {
        let refused = owner.get(&format!("{EVENTS}?{query}")).await;
        assert_eq!(refused.status.as_u16(), 422, "{query}: {}", refused.body);
    }
}

async fn pages_show_events_with_their_project(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let shop = project(&owner, "shop.example.com").await;
    let of_shop = format!("/projects/{shop}/events");
    assert!(owner.page(&of_shop).await.contains("No events yet"));
    for n in 1..=51 {
        add(&app, shop, n).await;
    }
    let page = owner.page("/events?about=ranks").await;
    assert_eq!(page.matches("“rank tracker”").count(), 50);
    assert!(page.contains(&format!("href=\"/projects/{shop}\"")));
    let next = page.split("href=\"").find(|it| it.contains("before="));
    let next = next.and_then(|it| it.split('"').next()).unwrap();
    let last = owner.page(&next.replace("&amp;", "&")).await;
    assert_eq!(last.matches("“rank tracker”").count(), 1);
    assert_eq!(
        owner.page(&of_shop).await.matches("“rank tracker”").count(),
        50
    );
    let none = owner.page(&format!("{of_shop}?severity=critical")).await;
    assert!(none.contains("Nothing fits the filter."));
}

async fn tokens_and_failed_sign_ins_are_events(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let body = json!({ "name": "CI", "scopes": ["projects:read"] });
    let token = owner.post("/api/settings/api-tokens", body).await.created();
    let created = items(&owner, "?kind=token.created").await;
    assert_eq!(created.len(), 1);
    assert_eq!(created[0]["subject"]["id"], token["id"]);
    assert_eq!(created[0]["project"], Value::Null);
    let text = created[0].to_string();
    assert!(!text.contains(token["token"].as_str().unwrap()), "{text}");
    for _ in 0..12 {
        // Each guess waits for the one before.
        app.clock.advance(TimeDelta::minutes(2));
        let browser = app.browser();
        let guess = browser
            .sign_in("owner0@example.com", "a wrong password")
            .await;
        guess.refused(401, "sign-in-refused");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let failed = items(&owner, "?kind=sign_in.failed").await;
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(failed[0]["after"]["count"], 10);
}
