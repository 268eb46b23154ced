//! Scopes of endpoints, and isolation of accounts.

use domain::scope::Scope;
use harness::{
    app::TestApp,
    callers::{Answer, Caller, UNKNOWN_ID, id},
    databases::TestDatabase,
    on_every_database,
};
use reqwest::Method;
use serde_json::{Value, json};
use std::fmt::Write;

on_every_database![
    every_endpoint_requires_its_scope,
    foreign_id_answers_like_an_unknown_id,
    foreign_cursor_answers_like_a_forged_one,
];

/// Columns: no token; a wrong one; projects:read, projects:write, keywords:read, keywords:write, analysis:run and
/// models:read alone; all scopes; all scopes of another account, with the first account's ids.
const TABLE: &str = "
GET /health                   401 401 200 403 403 403 403 403 200 200
GET /docs                     200 200 200 200 200 200 200 200 200 200
GET /projects                 401 401 200 403 403 403 403 403 200 200
POST /projects                401 401 403 201 403 403 403 403 201 201
GET /projects/:id             401 401 200 403 403 403 403 403 200 404
PATCH /projects/:id           401 401 403 200 403 403 403 403 200 404
DELETE /projects/:id          401 401 403 200 403 403 403 403 200 404
GET /projects/:id/keywords    401 401 403 403 200 403 403 403 200 404
POST /projects/:id/keywords   401 401 403 403 403 201 403 403 201 404
PATCH /keywords/:id           401 401 403 403 403 200 403 403 200 404
DELETE /keywords/:id          401 401 403 403 403 200 403 403 200 404
GET /analyze                  401 401 403 403 403 403 200 403 200 200
POST /analyze                 401 401 403 403 403 403 202 403 202 404
GET /results                  401 401 200 403 403 403 403 403 200 404
GET /models                   401 401 403 403 403 403 403 200 200 200
";

#[expect(clippy::print_stdout, reason = "the table is for a person to look at")]
fn print(table: &str) {
    println!("{table}");
}

async fn every_endpoint_requires_its_scope(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|limits| limits.projects = 1_000).await;
    let owner = app.db_full_agent().await;
    let mut callers = vec![app.anonymous(), app.bearer("sightline_agt_wrong")];
    for scope in Scope::ALL {
        callers.push(app.db_agent([scope]).await);
    }
    callers.extend([owner.clone(), app.db_other_agent().await]);

    let mut seen = String::from("\n");
    for (row, line) in TABLE.trim().lines().enumerate() {
        let endpoint = line.get(..30).unwrap().trim_end();
        write!(seen, "{endpoint:<29}").unwrap();
        for (column, caller) in callers.iter().enumerate() {
            let name = format!("t{row}-{column}.example.com");
            let (project, keywords) = owner.project(&name, &["rank tracker"]).await;
            let answer = call(caller, endpoint, project, keywords[0], &name).await;
            write!(seen, " {}", answer.status.as_u16()).unwrap();
        }
        seen.push('\n');
    }
    print(&seen);
    assert_eq!(seen, TABLE);
    assert_eq!(
        TABLE.trim().lines().count(),
        web::endpoints::agent_api().len()
    );
}

async fn call(caller: &Caller, endpoint: &str, project: i64, keyword: i64, fresh: &str) -> Answer {
    let (method, path) = endpoint.split_once(' ').unwrap();
    let id = if path.starts_with("/keywords") {
        keyword
    } else {
        project
    };
    let mut path = path.replace(":id", &id.to_string());
    let body = match endpoint {
        "POST /projects" => json!({ "domain": format!("new-{fresh}") }),
        "PATCH /projects/:id" => json!({ "favorite": true }),
        "POST /projects/:id/keywords" => json!({ "keywords": ["seo audit"] }),
        "PATCH /keywords/:id" => json!({ "aiTracked": false }),
        "POST /analyze" => json!({ "type": "rankCheck", "projectId": project }),
        _ => Value::Null,
    };
    if endpoint == "GET /results" {
        path = format!("{path}?type=rankings&projectId={project}");
    }
    let request = caller.request(method.parse().unwrap(), &path);
    let request = if body.is_null() {
        request
    } else {
        request.json(&body)
    };
    caller.send(request).await
}

/// A request that names an id.
type Naming = (&'static str, Method, fn(&str) -> String, fn(i64) -> Value);

/// Every request with an id in the path or the query.
fn in_paths() -> [Naming; 11] {
    let nothing: fn(i64) -> Value = |_| Value::Null;
    [
        (
            "project",
            Method::GET,
            |id| format!("/projects/{id}"),
            nothing,
        ),
        (
            "project",
            Method::PATCH,
            |id| format!("/projects/{id}"),
            |_| json!({ "name": "Mine" }),
        ),
        (
            "project",
            Method::PATCH,
            |id| format!("/projects/{id}"),
            |_| json!({ "wrong": 1 }),
        ),
        (
            "project",
            Method::DELETE,
            |id| format!("/projects/{id}"),
            nothing,
        ),
        (
            "project",
            Method::GET,
            |id| format!("/projects/{id}/keywords"),
            nothing,
        ),
        (
            "project",
            Method::POST,
            |id| format!("/projects/{id}/keywords"),
            |_| json!({ "keywords": ["mine"] }),
        ),
        (
            "keyword",
            Method::PATCH,
            |id| format!("/keywords/{id}"),
            |_| json!({ "aiTracked": true }),
        ),
        (
            "keyword",
            Method::DELETE,
            |id| format!("/keywords/{id}"),
            nothing,
        ),
        (
            "project",
            Method::GET,
            |id| format!("/analyze?projectId={id}&limit=0"),
            nothing,
        ),
        (
            "project",
            Method::GET,
            |id| format!("/results?type=all&projectId={id}"),
            nothing,
        ),
        (
            "job",
            Method::GET,
            |id| format!("/analyze?jobId={id}&wait=20"),
            nothing,
        ),
    ]
}

/// Every request with an id in the body.
fn in_bodies() -> [fn(i64, i64) -> Value; 3] {
    [
        |_, id| json!({ "type": "rankCheck", "projectId": id }),
        |_, id| json!({ "type": "nonsense", "projectId": id }),
        |_, id| json!({ "type": "rankCheck", "projectId": id, "dryRun": true }),
    ]
}

async fn foreign_id_answers_like_an_unknown_id(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (owner, other) = (app.db_full_agent().await, app.db_other_agent().await);
    let (project, keywords) = owner.project("shop.example.com", &["rank tracker"]).await;
    let job = owner.rank_check(project).await;
    let (own, _) = other.project("shop.example.com", &["rank tracker"]).await;
    let before = visible_data(&owner, project).await;

    for (kind, method, path, body) in in_paths() {
        let foreign = match kind {
            "project" => project,
            "keyword" => keywords[0],
            _ => job,
        };
        let mut answers = vec![];
        for named in [
            foreign.to_string(),
            UNKNOWN_ID.to_string(),
            "abc".into(),
            "0".into(),
            "-1".into(),
            "1.5".into(),
            "99999999999999999999".into(),
        ] {
            let request = other.request(method.clone(), &path(&named));
            let request = if body(0).is_null() {
                request
            } else {
                request.json(&body(0))
            };
            let answer = other.send(request).await;
            answer.refused(404, &format!("{kind}-not-found"));
            answers.push(answer.without_request_id());
        }
        assert!(answers.iter().all(|it| *it == answers[0]), "{answers:#?}");
    }
    for body in in_bodies() {
        let refusal = same_answer(
            &other,
            &[body(own, project), body(own, UNKNOWN_ID), body(own, 0)],
        )
        .await;
        assert_eq!(refusal.0, 404);
    }
    let named =
        |keyword: i64| json!({ "type": "rankCheck", "projectId": own, "keywordIds": [keyword] });
    assert_eq!(
        same_answer(&other, &[named(keywords[0]), named(UNKNOWN_ID)])
            .await
            .0,
        404
    );
    let filtered =
        |keyword: i64| format!("/results?type=rankings&projectId={own}&keywordId={keyword}");
    let foreign = other.get(&filtered(keywords[0])).await;
    let nobodys = other.get(&filtered(UNKNOWN_ID)).await;
    assert_eq!(foreign.without_request_id(), nobodys.without_request_id());

    assert_eq!(visible_data(&owner, project).await, before);
}

/// Posts each body to /analyze; asserts that all responses are equal.
async fn same_answer(caller: &Caller, bodies: &[Value]) -> (u16, String) {
    let mut answers = vec![];
    for body in bodies {
        let answer = caller.post("/analyze", body.clone()).await;
        answer.assert_problem_document();
        answers.push(answer.without_request_id());
    }
    assert!(answers.iter().all(|it| *it == answers[0]), "{answers:#?}");
    answers.remove(0)
}

/// All data that the owner can see.
async fn visible_data(owner: &Caller, project: i64) -> Vec<Value> {
    let mut seen = vec![];
    for path in [
        "/projects?status=all".to_owned(),
        format!("/projects/{project}/keywords?status=all"),
        "/analyze".to_owned(),
        format!("/results?type=all&projectId={project}"),
    ] {
        seen.push(owner.get(&path).await.ok());
    }
    seen
}

async fn foreign_cursor_answers_like_a_forged_one(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (owner, other) = (app.db_full_agent().await, app.db_other_agent().await);
    for name in ["a.example.com", "b.example.com"] {
        owner.project(name, &[]).await;
    }
    let page = owner.get("/projects?limit=1").await.ok();
    let cursor = page["nextCursor"].as_str().unwrap();
    let mine = owner
        .get(&format!("/projects?limit=1&cursor={cursor}"))
        .await
        .ok();
    assert_ne!(id(&page["items"][0]), id(&mine["items"][0]));

    let foreign = other.get(&format!("/projects?cursor={cursor}")).await;
    assert_eq!(
        foreign.errors(),
        [("cursor".into(), "invalid-cursor".into())]
    );
    for forged in [
        format!("{cursor}A"),
        cursor.replace(|_| true, "A"),
        "x".into(),
        String::new(),
    ] {
        let answer = other.get(&format!("/projects?cursor={forged}")).await;
        assert_eq!(answer.without_request_id(), foreign.without_request_id());
    }
}
