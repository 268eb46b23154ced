//! Projects, keywords, analyses and results in the session API.

use analysis::findings::rankings::RankingsTally;
use harness::{
    app::{Ranked, TestApp},
    browsers::Browser,
    callers::id,
    databases::TestDatabase,
    on_every_database,
};
use reqwest::Method;
use serde_json::{Value, json};

on_every_database![
    session_routes_match_agent_routes_with_their_own_links,
    a_project_and_a_keyword_are_reactivated,
    an_analysis_is_started_by_the_session_and_canceled,
    results_are_those_that_agents_read,
    an_export_of_search_console_is_imported,
];

async fn project(browser: &Browser, domain: &str) -> (i64, i64) {
    let body = json!({ "domain": domain, "keywords": ["rank tracker"] });
    let created = browser.post("/api/projects", body).await.created();
    (id(&created), id(&created["keywords"]["created"][0]))
}

async fn session_routes_match_agent_routes_with_their_own_links(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, agent) = (app.db_member(0).await, app.db_full_agent().await);
    let body = json!({ "domain": "shop.example.com", "keywords": ["rank tracker"] });
    let keyed = |body: &Value| {
        browser
            .same_origin_request(Method::POST, "/api/projects")
            .header("Idempotency-Key", "once")
            .json(body)
    };
    let answer = browser.send(keyed(&body)).await;
    let created = answer.created();
    let path = format!("/api/projects/{}", created["id"]);
    assert_eq!(answer.header("location"), path);
    let again = browser.send(keyed(&body)).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(
        (again.created(), again.header("location")),
        (created.clone(), path.as_str())
    );
    let taken = browser
        .post("/api/projects", body)
        .await
        .refused(409, "project-exists");
    assert_eq!(taken["existing"]["href"], path);
    assert_eq!(taken["nextActions"][0]["href"], path);

    let read = browser.get(&path).await;
    let theirs = agent.get(&format!("/projects/{}", created["id"])).await;
    assert_eq!(
        (read.ok(), read.header("etag")),
        (theirs.ok(), theirs.header("etag"))
    );
    let unchanged = browser
        .same_origin_request(Method::GET, &path)
        .header("If-None-Match", read.header("etag"));
    assert_eq!(browser.send(unchanged).await.status, 304);
    let changed = browser.patch(&path, json!({ "favorite": true })).await.ok();
    assert_eq!(changed["favorite"], true);
    let stale = browser
        .same_origin_request(Method::PATCH, &path)
        .header("If-Match", read.header("etag"))
        .json(&json!({ "favorite": false }));
    browser
        .send(stale)
        .await
        .refused(412, "precondition-failed");

    let added = browser
        .post(
            &format!("{path}/keywords"),
            json!({ "keywords": ["seo audit"] }),
        )
        .await
        .created();
    let keyword = format!("/api/keywords/{}", id(&added["created"][0]));
    browser
        .patch(&keyword, json!({ "aiTracked": true }))
        .await
        .ok();
    let listed = browser.get(&format!("{path}/keywords?limit=1")).await;
    assert!(
        listed
            .links()
            .contains(&format!("<{path}/keywords?limit=1&cursor=")),
        "{}",
        listed.links()
    );
    let missing = browser
        .get("/api/projects/77")
        .await
        .refused(404, "project-not-found");
    assert_eq!(missing["nextActions"][0]["href"], "/api/projects");
}

async fn a_project_and_a_keyword_are_reactivated(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let (project, keyword) = project(&browser, "shop.example.com").await;
    let (project, keyword) = (
        format!("/api/projects/{project}"),
        format!("/api/keywords/{keyword}"),
    );
    assert_eq!(browser.delete(&keyword).await.ok()["status"], "deactivated");
    let back = browser
        .post(&format!("{keyword}/reactivate"), json!({}))
        .await
        .ok();
    assert_eq!(
        (&back["status"], &back["deactivatedAt"]),
        (&json!("active"), &Value::Null)
    );
    assert_eq!(browser.delete(&project).await.ok()["status"], "deactivated");
    let nowhere = browser
        .post(&format!("{keyword}/reactivate"), json!({}))
        .await;
    let refused = browser.patch(&keyword, json!({ "aiTracked": true })).await;
    refused.refused(409, "project-deactivated");
    assert_eq!(nowhere.ok()["status"], "active", "it is active already");
    let back = browser
        .post(&format!("{project}/reactivate"), json!({}))
        .await
        .ok();
    assert_eq!(back["status"], "active");
    assert_eq!(
        browser
            .post(&format!("{project}/reactivate"), json!({}))
            .await
            .ok(),
        back
    );
    let wrong = browser
        .post(&format!("{project}/reactivate"), json!({ "name": "x" }))
        .await;
    assert_eq!(wrong.errors()[0].0, "/name");
}

async fn an_analysis_is_started_by_the_session_and_canceled(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let (project, _) = project(&browser, "shop.example.com").await;
    let wish = json!({ "type": "rankCheck", "projectId": project });
    let answer = browser.post("/api/analyses", wish.clone()).await;
    let job = answer.accepted();
    assert_eq!(job["trigger"], "session");
    assert_eq!(
        answer.header("location"),
        format!("/api/analyses?jobId={}", job["id"])
    );
    let listed = browser.get("/api/analyses").await.ok();
    assert_eq!(id(&listed["items"][0]), id(&job));

    let path = format!("/api/analyses/{}", job["id"]);
    let canceled = browser.delete(&path).await.ok();
    assert_eq!(canceled["status"], "canceled");
    assert_eq!(browser.delete(&path).await.ok()["status"], "canceled");
    let listed = browser.get("/api/analyses").await.ok();
    assert_eq!(listed["queue"]["queued"], 0);
    browser
        .delete("/api/analyses/77")
        .await
        .refused(404, "job-not-found");
    let anew = browser.post("/api/analyses", wish).await.accepted();
    assert_ne!(anew["id"], job["id"], "what was set aside is free again");
}

async fn results_are_those_that_agents_read(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, agent) = (app.db_member(0).await, app.db_full_agent().await);
    let (project, keyword) = project(&browser, "shop.example.com").await;
    let path = format!("/api/projects/{project}/results");
    let never = browser.get(&format!("{path}?type=rankings")).await.ok();
    assert_eq!(never["state"], "neverRun");
    assert_eq!(never["nextActions"][0]["href"], "/api/analyses");
    let job = agent.rank_check(project).await;
    let record = json!({ "keyword": "rank tracker" });
    let summary = serde_json::to_string(&RankingsTally::default().finish(1)).unwrap();
    let ranked = Ranked {
        keyword,
        position: Some(3),
        record: record.to_string(),
    };
    app.db_publish_rankings(project, job, &summary, &[ranked])
        .await;
    let ours = browser
        .get(&format!("{path}?type=rankings&fields=keyword"))
        .await
        .ok();
    let theirs = agent
        .get(&format!(
            "/results?type=rankings&projectId={project}&fields=keyword"
        ))
        .await
        .ok();
    assert_eq!(ours["items"], theirs["items"]);
    let all = browser.get(&format!("{path}?type=all")).await.ok();
    assert_eq!(all["results"]["serp"]["next"], format!("{path}?type=serp"));
    let wrong = browser
        .get(&format!("{path}?type=rankings&projectId={project}"))
        .await;
    assert_eq!(wrong.errors()[0].0, "projectId");
}

async fn an_export_of_search_console_is_imported(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let (project, _) = project(&browser, "shop.example.com").await;
    let path = format!("/api/projects/{project}/search-console");
    let before = browser.get(&path).await.ok();
    assert_eq!(
        (&before["property"], &before["imported"]),
        (&Value::Null, &json!([]))
    );
    let export = "Suchanfrage\tKlicks\tImpressionen\tCTR\tPosition\nrank tracker\t3\t100\t3%\t4,5\nseo audit\t0\t12\t0%\t18,25\n";
    let file = json!({ "name": "Suchanfragen.csv", "content": export, "from": "2026-08-01", "to": "2026-08-31" });
    let imported = browser.post(&path, file.clone()).await.created();
    assert_eq!(
        (&imported["rows"], &imported["replaced"]),
        (&json!(2), &json!(0))
    );
    let state = browser.get(&path).await.ok();
    assert_eq!(state["imported"][0]["rows"], 2);
    assert_eq!(state["imported"][0]["label"], "Suchanfragen.csv");
    let again = browser.post(&path, file).await.created();
    assert_eq!(
        again["replaced"], 2,
        "the same days again take the place of what was there"
    );
    let wrong = json!({ "content": "Suchanfrage\tKlicks\nrank tracker\tmany\n", "from": "2026-08-01", "to": "2026-08-31" });
    assert_eq!(browser.post(&path, wrong).await.errors()[0].0, "/content");
    assert_eq!(browser.get(&path).await.ok(), state);
}
