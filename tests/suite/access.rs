//! Who may call what: the access table of the specification, and that nobody sees another
//! account's data.

use domain::scope::Scope;
use harness::{
    app::TestApp,
    callers::{Agent, Caller},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};
use std::fmt::Write;

on_every_database![
    the_access_table_is_the_specifications,
    another_accounts_ids_are_answered_like_ids_that_never_were
];

/// The specification's table, written out: method, path, required scope (`-` is public), in the
/// order of the columns projects:read, projects:write, keywords:read, keywords:write,
/// analysis:run, models:read.
const EXPECTED: [(&str, &str, &str); 15] = [
    ("GET", "/health", "projects:read"),
    ("GET", "/docs", "-"),
    ("GET", "/projects", "projects:read"),
    ("POST", "/projects", "projects:write"),
    ("GET", "/projects/:id", "projects:read"),
    ("PATCH", "/projects/:id", "projects:write"),
    ("DELETE", "/projects/:id", "projects:write"),
    ("GET", "/projects/:id/keywords", "keywords:read"),
    ("POST", "/projects/:id/keywords", "keywords:write"),
    ("PATCH", "/keywords/:id", "keywords:write"),
    ("DELETE", "/keywords/:id", "keywords:write"),
    ("GET", "/analyze", "analysis:run"),
    ("POST", "/analyze", "analysis:run"),
    ("GET", "/results", "projects:read"),
    ("GET", "/models", "models:read"),
];

const COLUMNS: [&str; 10] = [
    "no token",
    "wrong token",
    "projects:read",
    "projects:write",
    "keywords:read",
    "keywords:write",
    "analysis:run",
    "models:read",
    "all scopes",
    "other account",
];

/// What the columns say for a scope: statuses, or `ok` for anything good.
fn expected_row(path: &str, scope: &str) -> Vec<String> {
    let names_an_object = path.contains(":id") || ["/analyze", "/results"].contains(&path);
    COLUMNS
        .iter()
        .map(|column| match *column {
            _ if scope == "-" => "ok".to_owned(),
            "no token" | "wrong token" => "401".to_owned(),
            "other account" if names_an_object => "404".to_owned(),
            "all scopes" | "other account" => "ok".to_owned(),
            held if held == scope => "ok".to_owned(),
            _ => "403".to_owned(),
        })
        .collect()
}

struct Shop {
    project: i64,
    keyword: i64,
}

async fn shop(agent: &Agent, domain: &str) -> Shop {
    let created = agent
        .post(
            "/projects",
            json!({ "domain": domain, "keywords": ["rust"] }),
        )
        .await
        .is(201);
    Shop {
        project: created["id"].as_i64().unwrap(),
        keyword: created["keywords"]["created"][0]["id"].as_i64().unwrap(),
    }
}

/// Calls an endpoint in a way that succeeds for whoever may, and can be repeated.
async fn call(caller: &Caller, method: &str, path: &str, shop: &Shop, nth: usize) -> String {
    let id = if path.starts_with("/keywords") {
        shop.keyword
    } else {
        shop.project
    };
    let target = match path {
        "/analyze" if method == "GET" => format!("/analyze?projectId={}", shop.project),
        "/results" => format!("/results?type=all&projectId={}", shop.project),
        path => path.replace(":id", &id.to_string()),
    };
    let body: Option<Value> = match (method, path) {
        ("POST", "/projects") => Some(json!({ "domain": format!("p{nth}.example.com") })),
        ("POST", "/analyze") => Some(json!({ "type": "siteAudit", "projectId": shop.project })),
        ("POST", _) => Some(json!({ "keywords": ["rust"] })),
        // A deactivated keyword or project is brought back for the next column.
        ("PATCH", _) => Some(json!({ "status": "active" })),
        _ => None,
    };
    let status = caller.call(method, &target, body.as_ref()).await.status;
    if (200..300).contains(&status) {
        "ok".to_owned()
    } else {
        status.to_string()
    }
}

async fn the_access_table_is_the_specifications(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let tenant = app.db_tenant().await;
    let all = app.db_agent_of(&tenant, &Scope::ALL).await;
    let other = app.db_agent().await;
    let shop = shop(&all, "shop.example.com").await;
    let mut callers: Vec<Caller> = vec![app.anonymous(), app.bearing("sightline_agt_wrong")];
    for scope in Scope::ALL {
        callers.push(app.db_agent_of(&tenant, &[scope]).await.caller);
    }
    callers.extend([all.caller.clone(), other.caller]);

    let mut printed = format!(
        "{:32}{}\n",
        "",
        COLUMNS.map(|it| format!("{it:>15}")).concat()
    );
    let mut wrong = Vec::new();
    for (nth, (method, path, scope)) in EXPECTED.into_iter().enumerate() {
        let mut row = Vec::new();
        for (column, caller) in callers.iter().enumerate() {
            row.push(call(caller, method, path, &shop, nth * 100 + column).await);
            if method == "DELETE" {
                call(&all.caller, "PATCH", path, &shop, 0).await;
            }
        }
        writeln!(
            printed,
            "{:32}{}",
            format!("{method} {path}"),
            row.iter()
                .fold(String::new(), |line, it| line + &format!("{it:>15}"))
        )
        .unwrap();
        if row != expected_row(path, scope) {
            wrong.push(format!(
                "{method} {path}: {row:?}, not {:?}",
                expected_row(path, scope)
            ));
        }
    }
    print(&printed);
    assert!(wrong.is_empty(), "{}\n{printed}", wrong.join("\n"));
}

#[expect(clippy::print_stdout, reason = "the table is for a person to look at")]
fn print(table: &str) {
    println!("{table}");
}

#[test]
fn the_route_table_serves_exactly_the_specifications_endpoints() {
    let served: Vec<(String, String, String)> = web::endpoints::agent_api()
        .iter()
        .map(|it| {
            let path = it
                .path
                .trim_start_matches("/api/agent/v1")
                .replace("{id}", ":id");
            (
                it.verb.name().to_owned(),
                path,
                it.access.scope().map_or("-", Scope::name).to_owned(),
            )
        })
        .collect();
    let expected = EXPECTED
        .map(|(method, path, scope)| (method.to_owned(), path.to_owned(), scope.to_owned()));
    assert_eq!(served, expected);
}

/// An answer without what differs in every answer.
fn essence(body: &Value) -> Value {
    let mut body = body.clone();
    for member in ["requestId", "instance"] {
        body.as_object_mut().unwrap().remove(member);
    }
    body
}

/// Every place that carries an id, with somebody else's.
fn places(foreign: &Shop, job: i64) -> [(&'static str, &'static str, Option<Value>, i64); 14] {
    [
        ("GET", "/projects/{}", None, foreign.project),
        (
            "PATCH",
            "/projects/{}",
            Some(json!({ "favorite": true })),
            foreign.project,
        ),
        (
            "PATCH",
            "/projects/{}",
            Some(json!({ "nonsense": true })),
            foreign.project,
        ),
        ("DELETE", "/projects/{}", None, foreign.project),
        ("GET", "/projects/{}/keywords", None, foreign.project),
        (
            "GET",
            "/projects/{}/keywords?limit=0",
            None,
            foreign.project,
        ),
        (
            "POST",
            "/projects/{}/keywords",
            Some(json!({ "keywords": ["x"] })),
            foreign.project,
        ),
        (
            "POST",
            "/projects/{}/keywords",
            Some(json!({ "keywords": [] })),
            foreign.project,
        ),
        (
            "PATCH",
            "/keywords/{}",
            Some(json!({ "aiTracked": true })),
            foreign.keyword,
        ),
        ("DELETE", "/keywords/{}", None, foreign.keyword),
        ("GET", "/analyze?jobId={}", None, job),
        ("GET", "/analyze?projectId={}", None, foreign.project),
        (
            "GET",
            "/results?type=all&projectId={}",
            None,
            foreign.project,
        ),
        (
            "GET",
            "/results?type=rankings&projectId={}",
            None,
            foreign.project,
        ),
    ]
}

async fn another_accounts_ids_are_answered_like_ids_that_never_were(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (ours, theirs) = (app.db_agent().await, app.db_agent().await);
    let foreign = shop(&theirs, "theirs.example.com").await;
    let own = shop(&ours, "ours.example.com").await;
    let job = theirs
        .post(
            "/analyze",
            json!({ "type": "rankCheck", "projectId": foreign.project }),
        )
        .await
        .is(202);
    let job = job["id"].as_i64().unwrap();
    for (method, path, body, id) in places(&foreign, job) {
        let mut told = Vec::new();
        for id in [id, 4_242] {
            let answer = ours
                .call(method, &path.replace("{}", &id.to_string()), body.as_ref())
                .await;
            assert_eq!(answer.status, 404, "{}: {}", answer.asked, answer.text);
            let mut names: Vec<String> = answer.headers.keys().map(ToString::to_string).collect();
            names.sort();
            told.push((essence(&answer.body), names));
        }
        assert_eq!(told[0], told[1], "{method} {path}");
    }
    for (foreign_body, unknown_body) in [
        (
            json!({ "type": "rankCheck", "projectId": foreign.project }),
            json!({ "type": "rankCheck", "projectId": 4_242 }),
        ),
        (
            json!({ "type": "nonsense", "projectId": foreign.project }),
            json!({ "type": "nonsense", "projectId": 4_242 }),
        ),
        (
            json!({ "type": "rankCheck", "projectId": own.project, "keywordIds": [foreign.keyword] }),
            json!({ "type": "rankCheck", "projectId": own.project, "keywordIds": [4_242] }),
        ),
    ] {
        let (foreign, unknown) = (
            ours.post("/analyze", foreign_body).await,
            ours.post("/analyze", unknown_body).await,
        );
        assert_eq!(
            (foreign.status, essence(&foreign.body)),
            (404, essence(&unknown.body))
        );
    }
    let untouched = theirs
        .get(&format!("/projects/{}", foreign.project))
        .await
        .is(200);
    assert_eq!(
        (
            &untouched["status"],
            &untouched["favorite"],
            &untouched["keywordCount"]
        ),
        (&json!("active"), &json!(false), &json!(1))
    );
    let theirs_only = ours.get("/projects").await.is(200);
    assert_eq!(theirs_only["items"].as_array().unwrap().len(), 1);
}
