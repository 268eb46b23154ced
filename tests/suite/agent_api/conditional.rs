//! Entity tags: 304 responses and lost-update protection.

use chrono::TimeDelta;
use futures_util::future::join_all;
use harness::{
    app::{Ranked, TestApp},
    callers::{Answer, Caller, UNKNOWN_ID, id},
    databases::TestDatabase,
    on_every_database,
};
use reqwest::Method;
use serde_json::{Value, json};

on_every_database![
    of_64_writers_with_the_same_etag_one_succeeds,
    a_change_with_an_outdated_if_match_has_no_effect,
    a_finished_analysis_changes_the_project_etag,
    weak_etags_of_lists_follow_their_content,
];
harness::on_sqlite![
    a_current_representation_is_answered_with_304,
    all_responses_of_a_resource_have_the_same_etag,
    keyword_changes_check_if_match,
    preconditions_are_checked_in_the_documented_order,
    malformed_conditional_headers_are_refused,
];

async fn with(agent: &Caller, method: Method, path: &str, header: &str, value: &str) -> Answer {
    let request = agent.request(method, path).header(header, value);
    agent.send(request).await
}

async fn patch_if(agent: &Caller, path: &str, tag: &str, body: Value) -> Answer {
    let request = agent.request(Method::PATCH, path).header("If-Match", tag);
    agent.send(request.json(&body)).await
}

async fn a_project(app: &TestApp) -> (Caller, String, String) {
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("a.example.com", &["one"]).await;
    let path = format!("/projects/{project}");
    let tag = agent.get(&path).await.header("etag").to_owned();
    (agent, path, tag)
}

async fn of_64_writers_with_the_same_etag_one_succeeds(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, tag) = a_project(&app).await;
    let writers = (0..64).map(|number| {
        let body = json!({ "clientName": format!("writer {number}") });
        patch_if(&agent, &path, &tag, body)
    });
    let answers = join_all(writers).await;
    let won: Vec<&Answer> = answers.iter().filter(|it| it.status == 200).collect();
    assert_eq!(won.len(), 1);
    for lost in answers.iter().filter(|it| it.status != 200) {
        let problem = lost.refused(412, "precondition-failed");
        assert_eq!(problem["currentEtag"], won[0].header("etag"));
    }
    assert_eq!(agent.get(&path).await.ok(), won[0].ok());
}

async fn a_change_with_an_outdated_if_match_has_no_effect(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, old) = a_project(&app).await;
    let changed = patch_if(&agent, &path, &old, json!({ "favorite": true })).await;
    assert_eq!(changed.ok()["favorite"], true);
    let new = changed.header("etag").to_owned();
    assert_ne!(old, new);

    patch_if(&agent, &path, &old, json!({ "name": "other" }))
        .await
        .refused(412, "precondition-failed");
    with(&agent, Method::DELETE, &path, "If-Match", &old)
        .await
        .refused(412, "precondition-failed");
    let read = agent.get(&path).await;
    assert_eq!(
        (read.header("etag"), &read.ok()["status"]),
        (&*new, &json!("active"))
    );

    // Equal values have equal tags; several tags and `*` are accepted.
    let same = patch_if(&agent, &path, &new, json!({ "favorite": true })).await;
    assert_eq!((same.ok(), same.header("etag")), (read.ok(), &*new));
    let several = format!("{old}, {new}");
    patch_if(&agent, &path, &several, json!({ "favorite": false }))
        .await
        .ok();
    patch_if(&agent, &path, "*", json!({ "favorite": true }))
        .await
        .ok();
    let last = agent.get(&path).await.header("etag").to_owned();
    // A weak tag never matches strongly.
    patch_if(
        &agent,
        &path,
        &format!("W/{last}"),
        json!({ "favorite": false }),
    )
    .await
    .refused(412, "precondition-failed");
    with(&agent, Method::DELETE, &path, "If-Match", &last)
        .await
        .ok();
}

async fn a_finished_analysis_changes_the_project_etag(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("a.example.com", &["one"]).await;
    let path = format!("/projects/{project}");
    let before = agent.get(&path).await;
    let job = agent.rank_check(project).await;
    app.clock.advance(TimeDelta::minutes(1));
    let ranked = Ranked {
        keyword: keywords[0],
        position: Some(3),
        record: r#"{"position": 3}"#.to_owned(),
    };
    app.db_publish_rankings(project, job, "{}", &[ranked]).await;
    let after = agent.get(&path).await;
    assert_ne!(before.ok()["lastAnalysisAt"], after.ok()["lastAnalysisAt"]);
    assert_ne!(before.header("etag"), after.header("etag"));
}

async fn weak_etags_of_lists_follow_their_content(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (first, keywords) = agent.project("a.example.com", &["one", "two"]).await;
    app.clock.advance(TimeDelta::seconds(1));
    agent.project("b.example.com", &[]).await;
    let keyword = format!("/keywords/{}", keywords[0]);
    for list in [
        "/projects".to_owned(),
        "/projects?limit=1".to_owned(),
        format!("/projects/{first}/keywords?limit=2"),
        format!("/results?type=rankings&projectId={first}"),
        format!("/results?type=all&projectId={first}"),
        "/models".to_owned(),
    ] {
        let tag = agent.get(&list).await.header("etag").to_owned();
        assert!(tag.starts_with("W/\""), "{list}: {tag}");
        // The cursor changes over time, the content does not.
        app.clock.advance(TimeDelta::seconds(1));
        let same = with(&agent, Method::GET, &list, "If-None-Match", &tag).await;
        assert_eq!(
            (same.status.as_u16(), same.header("etag")),
            (304, &*tag),
            "{list}"
        );
        if list == "/models" {
            continue;
        }
        let favorite = !agent.get(&format!("/projects/{first}")).await.ok()["favorite"]
            .as_bool()
            .unwrap();
        agent
            .patch(
                &format!("/projects/{first}"),
                json!({ "favorite": favorite }),
            )
            .await
            .ok();
        agent
            .patch(&keyword, json!({ "tags": [format!("{favorite}"), tag.len().to_string(), list.len().to_string()] }))
            .await
            .ok();
        let other = with(&agent, Method::GET, &list, "If-None-Match", &tag).await;
        assert_eq!(other.status.as_u16(), 200, "{list}");
        assert_ne!(other.header("etag"), tag, "{list}");
    }
}

async fn a_current_representation_is_answered_with_304(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, tag) = a_project(&app).await;
    for wanted in [
        tag.clone(),
        format!("W/{tag}"),
        "*".to_owned(),
        format!("\"x\", {tag}"),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let answer = with(&agent, method, &path, "If-None-Match", &wanted).await;
            assert_eq!(answer.status.as_u16(), 304, "{wanted}");
            assert_eq!(answer.header("etag"), tag);
            assert_eq!(answer.header("cache-control"), "private, no-cache");
            assert!(answer.header("content-type").is_empty());
        }
    }
    with(&agent, Method::GET, &path, "If-None-Match", "\"x\"")
        .await
        .ok();
    let anonymous = app.anonymous();
    let docs = anonymous.get("/docs").await;
    let tag = docs.header("etag");
    let again = with(&anonymous, Method::GET, "/docs", "If-None-Match", tag).await;
    assert_eq!(again.status.as_u16(), 304);
}

async fn all_responses_of_a_resource_have_the_same_etag(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let created = agent
        .post("/projects", json!({ "domain": "a.example.com" }))
        .await;
    let path = format!("/projects/{}", id(&created.created()));
    let read = agent.get(&path).await;
    let part = agent.get(&format!("{path}?fields=name")).await;
    assert_eq!(created.header("etag"), read.header("etag"));
    assert_eq!(part.header("etag"), read.header("etag"));
    let changed = agent.patch(&path, json!({ "favorite": true })).await;
    assert_eq!(
        changed.header("etag"),
        agent.get(&path).await.header("etag")
    );
    let gone = agent.delete(&path).await;
    assert_eq!(gone.header("etag"), agent.get(&path).await.header("etag"));
}

async fn keyword_changes_check_if_match(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (_, keywords) = agent.project("a.example.com", &["one"]).await;
    let path = format!("/keywords/{}", keywords[0]);
    let old = agent
        .patch(&path, json!({}))
        .await
        .header("etag")
        .to_owned();
    let changed = patch_if(&agent, &path, &old, json!({ "aiTracked": true })).await;
    changed.ok();
    let refused = patch_if(&agent, &path, &old, json!({ "aiTracked": false })).await;
    let problem = refused.refused(412, "precondition-failed");
    assert_eq!(problem["currentEtag"], changed.header("etag"));
    with(&agent, Method::DELETE, &path, "If-Match", &old)
        .await
        .refused(412, "precondition-failed");
    let new = changed.header("etag");
    with(&agent, Method::DELETE, &path, "If-Match", new)
        .await
        .ok();
}

async fn preconditions_are_checked_in_the_documented_order(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, _) = a_project(&app).await;
    let nobodys = format!("/projects/{UNKNOWN_ID}");
    patch_if(&agent, &nobodys, "\"x\"", json!({}))
        .await
        .refused(404, "project-not-found");
    patch_if(&agent, &path, "\"x\"", json!({ "name": 5 }))
        .await
        .refused(422, "validation-failed");
    agent.delete(&path).await.ok();
    patch_if(&agent, &path, "\"x\"", json!({ "favorite": true }))
        .await
        .refused(412, "precondition-failed");
    patch_if(&agent, &path, "*", json!({ "favorite": true }))
        .await
        .refused(409, "project-deactivated");
}

async fn malformed_conditional_headers_are_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, path, _) = a_project(&app).await;
    for wrong in ["7", "\"7", "", "\"a\" \"b\""] {
        for (method, header) in [
            (Method::GET, "If-None-Match"),
            (Method::GET, "If-Match"),
            (Method::DELETE, "If-Match"),
        ] {
            let answer = with(&agent, method, &path, header, wrong).await;
            assert_eq!(answer.refused(400, "invalid-header")["header"], header);
        }
    }
    with(&agent, Method::GET, &path, "If-Match", "\"x\"")
        .await
        .refused(412, "precondition-failed");
}
