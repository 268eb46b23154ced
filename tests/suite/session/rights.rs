//! Roles: each page and endpoint of the session API, for every role and for projects of the role, of others and of
//! another account, is as documented in `docs/reference/rights.md` and `docs/reference/session-endpoints.md`.

use chrono::TimeDelta;
use domain::audit::{Actor, AuditFilter};
use domain::rights::Role;
use harness::{
    app::TestApp, browsers::Browser, callers::id, databases::TestDatabase, on_every_database,
    recorded::table,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt::Write, fs, path::Path};
use web::limits::Rate;

on_every_database![
    every_role_meets_the_documented_rights,
    a_client_reads_nothing_of_other_projects,
    a_role_does_not_extend_to_other_accounts,
    only_operators_reach_the_accounts_of_the_server,
];

fn document(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference");
    fs::read_to_string(path.join(name)).unwrap()
}

/// What each role may do with a right: `yes`, `password`, `granted projects`, `own` or `no`.
fn documented_rights() -> BTreeMap<String, Vec<String>> {
    let rows = table(&document("rights.md"), "Right");
    rows.into_iter()
        .map(|row| (row[0].clone(), row[2..].to_vec()))
        .collect()
}

/// Method, path and right of each endpoint and page that needs a session.
fn documented_places() -> Vec<(String, String, String)> {
    let endpoints = table(&document("session-endpoints.md"), "method");
    let mut all: Vec<_> = { endpoints.into_iter() }
        .filter(|row| row[2] != "none" && row[2] != "operator")
        .map(|row| (row[0].clone(), row[1].clone(), row[2].clone()))
        .collect();
    let pages = table(&document("rights.md"), "Page");
    all.extend(
        { pages.into_iter() }.map(|row| ("PAGE".to_owned(), row[0].clone(), row[1].clone())),
    );
    all
}

/// A project with a keyword, and a content plan.
struct Scene {
    project: i64,
    keyword: i64,
    plan: i64,
}

async fn scene(owner: &Browser, name: &str) -> Scene {
    let body = json!({ "domain": format!("{name}.example.com"), "name": name, "keywords": [format!("{name} word")] });
    let created = owner.post("/api/projects", body).await.created();
    let project = id(&created);
    let plan = json!({ "name": format!("{name} plan"), "clusteredBy": "words", "items": [] });
    let plans = format!("/api/projects/{project}/content-plans");
    Scene {
        project,
        keyword: id(&created["keywords"]["created"][0]),
        plan: id(&owner.post(&plans, plan).await.created()),
    }
}

struct Seen {
    status: u16,
    body: String,
}

/// A request that changes nothing where it is allowed: its body is not valid, or its id names nothing.
async fn call(browser: &Browser, method: &str, path: &str, scene: &Scene) -> Seen {
    let id = if path.starts_with("/api/keywords") {
        scene.keyword
    } else if path.contains("/projects/") {
        scene.project
    } else {
        7
    };
    let mut path = path.replace("{id}", &id.to_string());
    path = path.replace("{planId}", &scene.plan.to_string());
    path = path.replace("{plan}", &scene.plan.to_string());
    if method == "PAGE" {
        let request = browser.cookie_request(reqwest::Method::GET, &path);
        let answer = request.header("Accept", "text/html").send().await.unwrap();
        return Seen {
            status: answer.status().as_u16(),
            body: answer.text().await.unwrap(),
        };
    }
    if path.ends_with("/results") {
        path.push_str("?type=rankings");
    }
    let request = browser.same_origin_request(method.parse().unwrap(), &path);
    let request = if ["GET", "DELETE"].contains(&method) {
        request
    } else {
        request.json(&json!({ "wrong": 1 }))
    };
    let answer = browser.send(request).await;
    Seen {
        status: answer.status.as_u16(),
        body: answer.body,
    }
}

/// Where the request ended: at the session, the role, the password, the project, or behind all of them.
fn outcome(answer: &Seen) -> &'static str {
    let code = serde_json::from_str::<Value>(&answer.body).ok();
    let code = code.as_ref().and_then(|it| it["code"].as_str());
    match (answer.status, code) {
        (401, _) | (303, None) => "signed out",
        (403, Some("role-insufficient") | None) => "no",
        (403, Some("reauthentication-required")) => "password",
        (404, Some("project-not-found" | "keyword-not-found")) => "not found",
        (404, None) if answer.body.contains("Nothing is here") => "not found",
        (200..=299 | 303 | 404 | 409 | 422, _) => "yes",
        (status, _) => panic!("{status}: {}", answer.body),
    }
}

/// By the documents: `place` is `own`, `other` (of the account, not granted) or `foreign` (another account's).
fn expected(grant: &str, method: &str, path: &str, place: &str) -> &'static str {
    let names_project = path.contains("/projects/{id}");
    let names_keyword = path.starts_with("/api/keywords/");
    match grant {
        "no" => "no",
        _ if place == "foreign" && (names_project || names_keyword) => "not found",
        "granted projects" if place == "other" && names_project => "not found",
        "password" if method != "GET" && method != "PAGE" => "password",
        _ => "yes",
    }
}

/// Changes of one's own login that need the password again, which the table calls `own`.
const OWN_WITH_PASSWORD: [&str; 3] = [
    "DELETE /api/settings/sessions",
    "DELETE /api/settings/sessions/{id}",
    "DELETE /api/settings/membership",
];

#[expect(clippy::print_stdout, reason = "the table is for a person to look at")]
fn print(table: &str) {
    println!("{table}");
}

async fn every_role_meets_the_documented_rights(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |it| {
        // All browsers have one address, and a caller sends some 300 requests.
        it.limits.sign_ins = Rate::of(1_000, 1_000);
        (it.limits.reads, it.limits.writes) = (Rate::of(9_000, 9_000), Rate::of(9_000, 9_000));
        (it.limits.account, it.limits.analyses) =
            (Rate::of(90_000, 90_000), Rate::of(9_000, 9_000));
        it.limits.anonymous = Rate::of(9_000, 9_000);
    })
    .await;
    let owner = app.db_member(0).await;
    let scenes = [
        ("own", scene(&owner, "granted").await),
        ("other", scene(&owner, "concealed").await),
        ("foreign", scene(&app.db_member(1).await, "foreign").await),
    ];
    let mut browsers = vec![owner.clone()];
    for role in &Role::NAMES[1..] {
        let projects: &[i64] = if *role == "client" {
            &[scenes[0].1.project]
        } else {
            &[]
        };
        browsers.push(app.colleague(&owner, role, projects).await);
    }
    // All passwords were given too long ago for sensitive changes.
    app.clock.advance(TimeDelta::minutes(11));
    let rights = documented_rights();
    let (mut seen, mut wrong) = (String::new(), String::new());
    let places = documented_places();
    // Signing out comes last: it ends the session.
    let is_last = |it: &(String, String, String)| it.0 == "DELETE" && it.1 == "/api/session";
    let (last, first): (Vec<_>, Vec<_>) = places.into_iter().partition(is_last);
    assert!(last.len() == 1 && first.len() > 75, "{}", first.len());
    for (method, path, right) in first.iter().chain(&last) {
        let stranger = call(&app.browser(), method, path, &scenes[0].1).await;
        assert_eq!(outcome(&stranger), "signed out", "{method} {path}");
        write!(seen, "{method:<6} {path:<48} {right:<16}").unwrap();
        for (at, browser) in browsers.iter().enumerate() {
            let grant = rights[right][at].as_str();
            for (place, scene) in &scenes {
                if path == "/api/session" && *place != "own" {
                    continue;
                }
                let answer = call(browser, method, path, scene).await;
                let found = outcome(&answer);
                let mut wanted = expected(grant, method, path, place);
                if OWN_WITH_PASSWORD.contains(&format!("{method} {path}").as_str()) {
                    wanted = "password";
                }
                // The right to a type of results is checked after the project.
                let is_late = path.ends_with("/suggestions") && found == "not found";
                if found != wanted && !(is_late && *place != "own") {
                    let role = Role::NAMES[at];
                    writeln!(
                        wrong,
                        "{method} {path} as {role}, {place}: {found}, not {wanted}"
                    )
                    .unwrap();
                }
                write!(seen, " {}", &found[..1]).unwrap();
            }
        }
        seen.push('\n');
    }
    print(&seen);
    assert!(wrong.is_empty(), "{wrong}");
}

async fn a_client_reads_nothing_of_other_projects(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let (granted, hidden) = (
        scene(&owner, "granted").await,
        scene(&owner, "concealed").await,
    );
    let job = json!({ "type": "siteAudit", "projectId": hidden.project });
    owner.post("/api/analyses", job).await.accepted();
    let client = app.colleague(&owner, "client", &[granted.project]).await;
    let projects = client.get("/api/projects?status=all").await.ok();
    assert_eq!(projects["items"].as_array().unwrap().len(), 1);
    for (method, path, _) in documented_places() {
        if method != "GET" && method != "PAGE" {
            continue;
        }
        let answer = call(&client, &method, &path, &granted).await;
        assert!(
            !answer.body.contains("concealed"),
            "{method} {path}: {}",
            answer.body
        );
        let id = hidden.project.to_string();
        assert!(
            !answer.body.contains(&id),
            "{method} {path}: {}",
            answer.body
        );
    }
    // A project that is not granted is answered like one that does not exist.
    for path in ["", "/keywords", "/keyword-status", "/results"] {
        let of = |id: i64| format!("/api/projects/{id}{path}");
        let refused = client.get(&of(hidden.project)).await;
        let unknown = client.get(&of(harness::callers::UNKNOWN_ID)).await;
        assert_eq!(refused.without_request_id(), unknown.without_request_id());
    }
}

async fn a_role_does_not_extend_to_other_accounts(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (first, second) = (app.db_member(0).await, app.db_member(1).await);
    // The owner of the first account is a viewer in the second.
    let email = app.db_owner(0).await.email.to_string();
    let body = json!({ "email": email, "role": "viewer" });
    let invitation = second
        .post("/api/settings/invitations", body)
        .await
        .created();
    let link = harness::app::invitation_secret(&invitation);
    let joined = first
        .post("/api/session/invitation", json!({ "link": link }))
        .await;
    assert_eq!(joined.created()["user"]["role"], "viewer");
    let project = json!({ "domain": "shop.example.com" });
    let refused = first.post("/api/projects", project.clone()).await;
    assert_eq!(
        refused.refused(403, "role-insufficient")["requiredRight"],
        "projects.write"
    );
    let home = first.get("/api/session/accounts").await.ok()["items"][0]["id"].clone();
    let back = first
        .post("/api/session/account", json!({ "accountId": home }))
        .await;
    assert_eq!(back.ok()["user"]["role"], "owner");
    first.post("/api/projects", project).await.created();
}

async fn only_operators_reach_the_accounts_of_the_server(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (owner, other) = (app.db_member(0).await, app.db_member(1).await);
    let accounts = "/api/operator/accounts";
    let status = async |browser: &Browser| {
        let request = browser.cookie_request(reqwest::Method::GET, "/operator");
        let answer = request.header("Accept", "text/html").send().await.unwrap();
        answer.status().as_u16()
    };
    owner.get(accounts).await.refused(404, "not-found");
    assert_eq!(status(&owner).await, 404);
    let operator = app.db_owner(0).await;
    assert!(app.core().mark_operator(&operator, true).await.unwrap());
    let listed = owner.get(accounts).await.ok();
    assert_eq!(listed["items"][1]["owners"], json!(["owner1@example.com"]));
    assert_eq!(status(&owner).await, 200);
    other.get(accounts).await.refused(404, "not-found");
    let path = format!("{accounts}/{}", id(&listed["items"][1]));
    let disabled = owner
        .patch(&path, json!({ "status": "disabled" }))
        .await
        .ok();
    assert_eq!(disabled["status"], "disabled");
    assert!(!other.is_signed_in().await);
    let mut read = app.storage.read().await.unwrap();
    let account = app.db_owner(1).await.account;
    let events = read
        .audit()
        .list(account, &AuditFilter::default(), 1)
        .await
        .unwrap();
    assert_eq!(
        (
            events[0].actor,
            events[0].person.as_ref().unwrap().name.as_str()
        ),
        (Actor::Operator, "Account 0")
    );
    app.clock.advance(TimeDelta::minutes(11));
    owner
        .get(accounts)
        .await
        .refused(403, "reauthentication-required");
    assert_eq!(status(&owner).await, 403);
    app.core().mark_operator(&operator, false).await.unwrap();
    owner.get(accounts).await.refused(404, "not-found");
}
