//! Content plans: saving, changing and removing.

use harness::{
    app::TestApp,
    browsers::Browser,
    callers::{Answer, UNKNOWN_ID, id},
    databases::TestDatabase,
    on_every_database,
};
use reqwest::Method;
use serde_json::{Value, json};

on_every_database![
    a_plan_is_saved_read_changed_and_removed,
    plans_are_listed_newest_first_in_pages,
    errors_of_a_plan_name_their_location,
    a_concurrently_changed_plan_is_not_overwritten,
    a_request_with_a_key_saves_one_plan,
    plans_are_limited_and_need_an_active_project,
];

async fn project(browser: &Browser) -> i64 {
    let body = json!({ "domain": "shop.example.com" });
    id(&browser.post("/api/projects", body).await.created())
}

fn item(keyword: &str) -> Value {
    json!({
        "keyword": keyword,
        "cluster": "tracking",
        "intent": "commercial",
        "action": "expand",
        "targetUrl": "https://shop.example.com/tracker",
        "title": "Rank trackers compared",
        "outline": ["What they measure", "Prices <b>"],
        "schemaTypes": ["Article", "FAQPage"],
        "priority": 12.5,
        "effort": "medium",
        "status": "inProgress",
        "dueOn": "2026-12-24",
        "owner": "Ann",
    })
}

fn plan(name: &str, items: &[Value]) -> Value {
    json!({ "name": name, "clusteredBy": "sharedResults", "items": items })
}

async fn a_plan_is_saved_read_changed_and_removed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser).await;
    let plans = format!("/api/projects/{project}/content-plans");
    let bare = json!({ "keyword": "what is a rank tracker", "action": "create", "targetUrl": "/guides/rank-tracker" });
    let answer = browser
        .post(&plans, plan("Winter", &[item("rank tracker"), bare]))
        .await;
    let saved = answer.created();
    let path = format!("{plans}/{}", id(&saved));
    assert_eq!(answer.header("location"), path);
    assert_eq!(
        saved["items"][0],
        item("rank tracker"),
        "told as it was sent"
    );
    assert_eq!(
        saved["items"][1],
        json!({
            "keyword": "what is a rank tracker", "cluster": null, "intent": null, "action": "create",
            "targetUrl": "/guides/rank-tracker", "title": null, "outline": [], "schemaTypes": [],
            "priority": null, "effort": null, "status": "planned", "dueOn": null, "owner": null,
        })
    );
    assert_eq!(
        (
            &saved["projectId"],
            &saved["itemCount"],
            &saved["createdAt"]
        ),
        (&json!(project), &json!(2), &saved["updatedAt"])
    );
    let read = browser.get(&path).await;
    assert_eq!(
        (read.ok(), read.header("etag")),
        (saved.clone(), answer.header("etag"))
    );
    let unchanged = browser
        .same_origin_request(Method::GET, &path)
        .header("If-None-Match", read.header("etag"));
    assert_eq!(browser.send(unchanged).await.status, 304);

    app.clock.advance(chrono::TimeDelta::minutes(5));
    let same = browser.patch(&path, saved.clone()).await.ok();
    assert_eq!(same, saved, "what was read can be sent back");
    let patch = json!({ "name": "Spring", "clusteredBy": "words" });
    let renamed = browser.patch(&path, patch).await.ok();
    assert_eq!(
        (&renamed["name"], &renamed["clusteredBy"], &renamed["items"]),
        (&json!("Spring"), &json!("words"), &saved["items"])
    );
    assert_ne!(renamed["updatedAt"], saved["updatedAt"]);
    let one = json!({ "items": [item("seo audit")] });
    let replaced = browser.patch(&path, one).await.ok();
    assert_eq!(
        (&replaced["itemCount"], &replaced["items"][0]["keyword"]),
        (&json!(1), &json!("seo audit"))
    );
    assert_eq!(browser.get(&path).await.ok(), replaced);

    let removed = browser.delete(&path).await;
    assert_eq!((removed.status.as_u16(), removed.body.as_str()), (204, ""));
    for gone in [
        browser.get(&path).await,
        browser.patch(&path, json!({ "name": "x" })).await,
        browser.delete(&path).await,
        browser.get(&format!("{plans}/{UNKNOWN_ID}")).await,
        browser.get(&format!("{plans}/nonsense")).await,
    ] {
        let problem = gone.refused(404, "content-plan-not-found");
        assert_eq!(problem["nextActions"][0]["href"], plans);
    }
    let nowhere = format!("/api/projects/77/content-plans/{}", id(&saved));
    browser
        .get(&nowhere)
        .await
        .refused(404, "project-not-found");
}

async fn plans_are_listed_newest_first_in_pages(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser).await;
    let plans = format!("/api/projects/{project}/content-plans");
    let empty = browser.get(&plans).await.ok();
    assert_eq!(
        (&empty["items"], &empty["nextCursor"]),
        (&json!([]), &Value::Null)
    );
    for name in ["first", "second", "third"] {
        browser
            .post(&plans, plan(name, &[item("a"), item("b")]))
            .await
            .created();
        app.clock.advance(chrono::TimeDelta::minutes(1));
    }
    let (mut names, mut cursor) = (vec![], String::new());
    loop {
        let page = browser.get(&format!("{plans}?limit=2{cursor}")).await;
        let body = page.ok();
        for item in body["items"].as_array().unwrap() {
            let mut members: Vec<&String> = item.as_object().unwrap().keys().collect();
            members.sort();
            assert_eq!(
                members,
                [
                    "clusteredBy",
                    "createdAt",
                    "id",
                    "itemCount",
                    "name",
                    "updatedAt"
                ]
            );
            assert_eq!(item["itemCount"], 2);
            names.push(item["name"].as_str().unwrap().to_owned());
        }
        let Some(next) = body["nextCursor"].as_str() else {
            break;
        };
        assert!(page.links().contains("rel=\"next\""));
        cursor = format!("&cursor={next}");
    }
    assert_eq!(names, ["third", "second", "first"]);
    let wrong = browser.get(&format!("{plans}?status=all")).await;
    assert_eq!(wrong.errors()[0].0, "status");
}

async fn errors_of_a_plan_name_their_location(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser).await;
    let plans = format!("/api/projects/{project}/content-plans");
    let refused = async |body: Value| browser.post(&plans, body).await.errors();
    let place = |errors: &[(String, String)]| errors[0].clone();
    let error = |place: &str, code: &str| (place.to_owned(), code.to_owned());
    assert_eq!(
        refused(json!({ "nam": "x" })).await,
        [
            error("/nam", "unknown-field"),
            error("/name", "required"),
            error("/clusteredBy", "required"),
            error("/items", "required"),
        ]
    );
    let with = |name: &str, value: Value| {
        let mut wrong = item("a");
        wrong[name] = value;
        plan("x", &[item("b"), wrong])
    };
    for (name, value, code) in [
        ("keyword", json!(" "), "invalid-value"),
        ("keyword", Value::Null, "required"),
        ("action", json!("rewrite"), "invalid-value"),
        ("intent", json!("local"), "invalid-value"),
        ("targetUrl", json!("javascript:alert(1)"), "invalid-value"),
        ("targetUrl", json!("//evil.example/x"), "invalid-value"),
        ("title", json!("x".repeat(301)), "invalid-value"),
        ("priority", json!(-1), "invalid-value"),
        ("priority", json!("high"), "invalid-type"),
        ("effort", json!("huge"), "invalid-value"),
        ("status", Value::Null, "not-nullable"),
        ("dueOn", json!("2026-02-30"), "invalid-value"),
        ("dueOn", json!("24.12.2026"), "invalid-value"),
        ("outline", json!(vec!["x"; 61]), "too-many"),
        ("schemaTypes", json!(["Article", 7]), "invalid-type"),
        ("volume", json!(9), "unknown-field"),
    ] {
        let errors = refused(with(name, value.clone())).await;
        let (pointer, found) = place(&errors);
        assert!(
            pointer.starts_with(&format!("/items/1/{name}")),
            "{pointer}"
        );
        assert_eq!(found, code, "{name}: {value}");
    }
    let many: Vec<Value> = (0..501)
        .map(|_| json!({ "keyword": "a", "action": "create" }))
        .collect();
    assert_eq!(
        place(&refused(plan("x", &many)).await),
        error("/items", "too-many")
    );
    // A small body with a large response.
    let line = "ž".repeat(250);
    let large: Vec<Value> = (0..9)
        .map(|n| json!({ "keyword": format!("k{n}"), "action": "create", "outline": vec![line.as_str(); 56] }))
        .collect();
    let answer = browser.post(&plans, plan("x", &large)).await;
    assert_eq!(
        place(&answer.errors()),
        error("/items", "too-large"),
        "{}",
        answer.body
    );
    assert_eq!(
        browser.get(&plans).await.ok()["items"],
        json!([]),
        "nothing was saved"
    );

    let saved = browser.post(&plans, plan("x", &[])).await.created();
    let path = format!("{plans}/{}", id(&saved));
    for (patch, pointer, code) in [
        (json!({ "name": null }), "/name", "not-nullable"),
        (json!({ "items": null }), "/items", "not-nullable"),
        (json!({ "id": 7 }), "/id", "read-only-field"),
        (
            json!({ "createdAt": "2020-01-01T00:00:00Z" }),
            "/createdAt",
            "read-only-field",
        ),
        (
            json!({ "items": [{ "action": "create" }] }),
            "/items/0/keyword",
            "required",
        ),
    ] {
        let errors = browser.patch(&path, patch).await.errors();
        assert_eq!(place(&errors), error(pointer, code));
    }
    assert_eq!(browser.get(&path).await.ok(), saved);
}

async fn a_concurrently_changed_plan_is_not_overwritten(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser).await;
    let plans = format!("/api/projects/{project}/content-plans");
    let answer = browser.post(&plans, plan("x", &[item("a")])).await;
    let path = format!("{plans}/{}", id(&answer.created()));
    let first = answer.header("etag").to_owned();
    let expecting = |method: Method, tag: &str| {
        browser
            .same_origin_request(method, &path)
            .header("If-Match", tag.to_owned())
    };
    let changed = browser
        .send(expecting(Method::PATCH, &first).json(&json!({ "name": "y" })))
        .await;
    changed.ok();
    let stale = browser
        .send(expecting(Method::PATCH, &first).json(&json!({ "items": [] })))
        .await
        .refused(412, "precondition-failed");
    assert_eq!(stale["currentEtag"], changed.header("etag"));
    browser
        .send(expecting(Method::DELETE, &first))
        .await
        .refused(412, "precondition-failed");
    let kept = browser.get(&path).await.ok();
    assert_eq!(
        (&kept["name"], &kept["itemCount"]),
        (&json!("y"), &json!(1))
    );
    let removed = browser
        .send(expecting(Method::DELETE, changed.header("etag")))
        .await;
    assert_eq!(removed.status, 204);
}

async fn a_request_with_a_key_saves_one_plan(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser).await;
    let plans = format!("/api/projects/{project}/content-plans");
    let keyed = async |name: &str| -> Answer {
        let request = browser
            .same_origin_request(Method::POST, &plans)
            .header("Idempotency-Key", "plan-1");
        browser.send(request.json(&plan(name, &[item("a")]))).await
    };
    let first = keyed("x").await;
    let again = keyed("x").await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(
        (
            again.created(),
            again.header("location"),
            again.header("etag")
        ),
        (
            first.created(),
            first.header("location"),
            first.header("etag")
        )
    );
    keyed("y").await.refused(422, "idempotency-key-reused");
    let listed = browser.get(&plans).await.ok();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
}

async fn plans_are_limited_and_need_an_active_project(db: TestDatabase) {
    use domain::{
        content_plan::ContentPlan,
        ids::{ContentPlanId, ProjectId},
        test_support::a_content_plan,
    };
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser).await;
    let plans = format!("/api/projects/{project}/content-plans");
    let account = app.db_account().await;
    let mut work = app.storage.write().await.unwrap();
    for n in 1..i64::from(ContentPlan::MAX_IN_A_PROJECT) {
        let plan = ContentPlan {
            account,
            id: ContentPlanId(n),
            project: ProjectId(project),
            items: vec![],
            ..a_content_plan()
        };
        work.content_plans().add(&plan).await.unwrap();
    }
    work.commit().await.unwrap();
    // Of concurrent requests, one gets the last plan.
    let body = plan("last", &[]);
    let racing = (0..6).map(|_| browser.post(&plans, body.clone()));
    let answers = futures_util::future::join_all(racing).await;
    let saved: Vec<&Answer> = answers.iter().filter(|it| it.status == 201).collect();
    assert_eq!(saved.len(), 1);
    let refused = answers.iter().find(|it| it.status != 201).unwrap();
    let problem = refused.refused(409, "allowance-exceeded");
    assert_eq!(
        problem["allowance"],
        json!({ "name": "contentPlans", "used": 200, "limit": 200, "requested": 1 })
    );
    let path = format!("{plans}/{}", id(&saved[0].created()));
    browser
        .delete(&format!("/api/projects/{project}"))
        .await
        .ok();
    for refused in [
        browser.post(&plans, body).await,
        browser.patch(&path, json!({ "name": "x" })).await,
        browser.delete(&path).await,
    ] {
        let problem = refused.refused(409, "project-deactivated");
        assert_eq!(
            problem["nextActions"][0]["href"],
            format!("/api/projects/{project}")
        );
    }
    assert_eq!(
        browser.get(&path).await.ok()["name"],
        "last",
        "it can be read"
    );
}
