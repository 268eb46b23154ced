//! Tenant isolation: foreign ids respond like unknown ones on every route.

use harness::{
    app::TestApp,
    browsers::Browser,
    callers::{Answer, UNKNOWN_ID, id},
    databases::TestDatabase,
    letters::with_mail,
    on_every_database,
};
use serde_json::{Value, json};
use web::endpoint::Access;

on_every_database![
    a_foreign_id_is_answered_like_an_unknown_id,
    every_route_needs_a_session,
];

async fn everything(browser: &Browser, project: i64) -> Vec<Value> {
    let mut seen = vec![];
    for path in [
        format!("/api/projects/{project}"),
        format!("/api/projects/{project}/keywords?status=all"),
        format!("/api/projects/{project}/content-plans"),
        "/api/analyses".to_owned(),
        "/api/settings/api-tokens".to_owned(),
        "/api/settings/account".to_owned(),
    ] {
        seen.push(browser.get(&path).await.ok());
    }
    seen
}

async fn a_foreign_id_is_answered_like_an_unknown_id(db: TestDatabase) {
    let app = TestApp::with_settings(&db, |it| {
        it.policies = with_mail(it.policies.clone());
    })
    .await;
    let (owner, other) = (app.db_member(0).await, app.db_member(1).await);
    let body = json!({ "domain": "shop.example.com", "keywords": ["rank tracker"] });
    let created = owner.post("/api/projects", body).await.created();
    let (project, keyword) = (id(&created), id(&created["keywords"]["created"][0]));
    let wish = json!({ "type": "rankCheck", "projectId": project });
    let job = id(&owner.post("/api/analyses", wish).await.accepted());
    let token = json!({ "name": "ci", "scopes": ["projects:read"] });
    let token = id(&owner
        .post("/api/settings/api-tokens", token)
        .await
        .created());
    let sessions = owner.get("/api/settings/sessions").await.ok();
    let session = id(&sessions["items"][0]);
    let plan = json!({ "name": "Winter", "clusteredBy": "words", "items": [] });
    let plans = format!("/api/projects/{project}/content-plans");
    let plan = id(&owner.post(&plans, plan).await.created());
    let shoes = json!({ "keyword": "shoes", "location": "us", "language": "en" });
    let search = id(&owner.post("/api/keyword-research", shoes).await.ok());
    app.colleague(&owner, "editor", &[]).await;
    let members = owner.get("/api/settings/members").await.ok();
    let member = id(&members["items"][1]);
    let invited = json!({ "email": "new@example.com", "role": "viewer" });
    let invitation = owner.post("/api/settings/invitations", invited).await;
    let invitation = id(&invitation.created());
    let message = id(&owner.get("/api/settings/mail").await.ok()["items"][0]);
    let account = owner.get("/api/session").await.ok()["account"].clone();
    let before = everything(&owner, project).await;

    let mut tried = 0;
    for endpoint in web::session_endpoints::session_api() {
        let Some((place, _)) = endpoint.path.split_once("/{id}") else {
            continue;
        };
        let foreign = match place {
            "/api/projects" => project,
            "/api/keywords" => keyword,
            "/api/analyses" => job,
            "/api/settings/api-tokens" => token,
            "/api/settings/sessions" => session,
            "/api/operator/accounts" => id(&account),
            "/api/settings/members" => member,
            "/api/settings/invitations" => invitation,
            "/api/settings/mail" => message,
            "/api/keyword-research/history" => search,
            other => panic!("whose id stands in {other}?"),
        };
        let verb = endpoint.verb.name();
        let mut answers: Vec<Answer> = vec![];
        for named in [
            foreign.to_string(),
            UNKNOWN_ID.to_string(),
            "nonsense".to_owned(),
        ] {
            let mut path = endpoint.path.replace("{id}", &named);
            path = path.replace("{planId}", &plan.to_string());
            if endpoint.path.ends_with("/results") {
                path.push_str("?type=rankings");
            }
            let request = other.same_origin_request(verb.parse().unwrap(), &path);
            let request = if ["GET", "DELETE"].contains(&verb) {
                request
            } else {
                request.json(&json!({ "wrong": 1 }))
            };
            answers.push(other.send(request).await);
        }
        assert_eq!(answers[0].status, 404, "{}", answers[0].request);
        for answer in &answers[1..] {
            assert_eq!(
                answer.without_request_id(),
                answers[0].without_request_id(),
                "{}",
                answer.request
            );
        }
        tried += 1;
    }
    assert!(tried >= 22, "{tried}");
    let in_body = |id: i64| json!({ "type": "rankCheck", "projectId": id });
    let foreign = other.post("/api/analyses", in_body(project)).await;
    let nobodys = other.post("/api/analyses", in_body(UNKNOWN_ID)).await;
    foreign.refused(404, "project-not-found");
    assert_eq!(foreign.without_request_id(), nobodys.without_request_id());
    assert_eq!(
        everything(&owner, project).await,
        before,
        "nothing was changed"
    );
}

async fn every_route_needs_a_session(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let stranger = app.browser();
    for endpoint in web::session_endpoints::session_api() {
        if matches!(
            endpoint.access,
            Access::Visitor(_) | Access::Report(_) | Access::Mail(_)
        ) {
            continue;
        }
        let path = endpoint.path.replace("{id}", "7").replace("{planId}", "8");
        let request = stranger.same_origin_request(endpoint.verb.name().parse().unwrap(), &path);
        let refused = stranger.send(request).await;
        refused.refused(401, "session-required");
        assert!(
            refused.header("www-authenticate").starts_with("Cookie "),
            "{path}"
        );
    }
}
