//! Invitations, roles and accounts of persons over HTTP.

use chrono::TimeDelta;
use domain::scope::Scope;
use futures_util::future::join_all;
use harness::{
    app::{PASSWORD, TestApp, invitation_secret},
    browsers::Browser,
    callers::{UNKNOWN_ID, id},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};
use web::limits::Rate;

on_every_database![
    an_invitation_creates_a_person_once,
    a_known_person_joins_with_the_existing_password,
    an_invitation_is_for_its_address_alone,
    every_link_that_does_not_work_is_answered_alike,
    of_sixteen_acceptances_at_once_one_succeeds,
    invitations_of_an_account_are_limited,
    an_admin_does_not_touch_owners,
    a_new_role_counts_from_the_next_request,
    a_removed_member_is_refused_and_may_return,
    the_last_owner_stays,
    of_two_owners_who_leave_at_once_one_stays,
    a_person_who_leaves_home_keeps_the_other_account,
    a_page_of_another_account_changes_nothing,
    switching_keeps_age_and_freshness_of_the_session,
    the_audit_log_names_the_person,
    the_audit_log_is_filtered_and_exported,
    refused_authorizations_are_audited_once_an_hour,
    invitations_end_with_the_rights_of_their_inviter,
    a_person_without_an_account_takes_a_new_home,
    viewers_see_names_and_roles_alone,
];

const INVITATIONS: &str = "/api/settings/invitations";
const MEMBERS: &str = "/api/settings/members";

/// All visitors come from one address.
async fn start(db: &TestDatabase) -> TestApp {
    TestApp::with_settings(db, |it| it.limits.sign_ins = Rate::of(1_000, 1_000)).await
}

async fn invite(owner: &Browser, email: &str, role: &str) -> (Value, String) {
    let body = json!({ "email": email, "role": role });
    let invitation = owner.post(INVITATIONS, body).await.created();
    let link = invitation_secret(&invitation);
    (invitation, link)
}

fn as_new_person(link: &str) -> Value {
    json!({ "link": link, "name": "Bea", "password": PASSWORD })
}

async fn accept(browser: &Browser, link: &str) -> harness::callers::Answer {
    browser
        .post("/api/invitation/accept", as_new_person(link))
        .await
}

async fn emails(browser: &Browser) -> Vec<String> {
    let members = browser.get(MEMBERS).await.ok();
    let items = members["items"].as_array().unwrap().iter();
    items
        .map(|it| it["email"].as_str().unwrap().to_owned())
        .collect()
}

async fn member_id(browser: &Browser, email: &str) -> i64 {
    let members = browser.get(MEMBERS).await.ok();
    let items = members["items"].as_array().unwrap();
    id(items.iter().find(|it| it["email"] == email).unwrap())
}

async fn account_id(browser: &Browser) -> i64 {
    id(&browser.get("/api/session").await.ok()["account"])
}

async fn an_invitation_creates_a_person_once(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let (invitation, link) = invite(&owner, "bea@example.com", "editor").await;
    assert!(
        invitation["link"]
            .as_str()
            .unwrap()
            .starts_with("https://seo.example/invitation#")
    );
    let visitor = app.browser();
    let preview = visitor
        .post("/api/invitation", json!({ "link": link }))
        .await
        .ok();
    assert_eq!(preview["email"], "bea@example.com");
    assert_eq!(
        (&preview["role"], &preview["isKnownPerson"]),
        (&json!("editor"), &json!(false))
    );
    let nameless = json!({ "link": link, "password": PASSWORD });
    let refused = visitor.post("/api/invitation/accept", nameless).await;
    assert_eq!(refused.errors(), [("/name".into(), "required".into())]);
    let weak = json!({ "link": link, "name": "Bea", "password": "short" });
    let refused = visitor.post("/api/invitation/accept", weak).await;
    assert_eq!(refused.errors(), [("/password".into(), "too-short".into())]);
    let signed_in = accept(&visitor, &link).await.created();
    assert_eq!(signed_in["user"]["role"], "editor");
    assert_eq!(account_id(&visitor).await, account_id(&owner).await);
    accept(&app.browser(), &link)
        .await
        .refused(404, "link-invalid");
    assert_eq!(
        emails(&owner).await,
        ["owner0@example.com", "bea@example.com"]
    );
    let again = json!({ "email": "bea@example.com", "role": "admin" });
    owner
        .post(INVITATIONS, again)
        .await
        .refused(409, "already-member");
    let open = owner.get(MEMBERS).await.ok()["invitations"].clone();
    assert_eq!(open, json!([]));
    let again = app.browser();
    again.sign_in("bea@example.com", PASSWORD).await.ok();
    assert_eq!(
        again.get("/api/session").await.ok()["user"]["role"],
        "editor"
    );
}

async fn a_known_person_joins_with_the_existing_password(db: TestDatabase) {
    let app = start(&db).await;
    let (first, second) = (app.db_member(0).await, app.db_member(1).await);
    let (_, link) = invite(&first, "owner1@example.com", "viewer").await;
    let visitor = app.browser();
    let preview = visitor
        .post("/api/invitation", json!({ "link": link }))
        .await
        .ok();
    assert_eq!(preview["isKnownPerson"], true);
    let wrong = json!({ "link": link, "password": "not the password of anyone" });
    let refused = visitor.post("/api/invitation/accept", wrong).await;
    assert_eq!(
        refused.errors(),
        [("/password".into(), "wrong-password".into())]
    );
    let right = json!({ "link": link, "password": PASSWORD });
    let joined = visitor
        .post("/api/invitation/accept", right)
        .await
        .created();
    assert_eq!(joined["user"]["role"], "viewer");
    assert_eq!(account_id(&visitor).await, account_id(&first).await);
    let accounts = visitor.get("/api/session/accounts").await.ok();
    let roles: Vec<&Value> = { accounts["items"].as_array().unwrap().iter() }
        .map(|it| &it["role"])
        .collect();
    assert_eq!(roles, ["owner", "viewer"]);
    // The next sign-in opens the home account.
    visitor.sign_in("owner1@example.com", PASSWORD).await.ok();
    assert_eq!(account_id(&visitor).await, account_id(&second).await);
}

async fn an_invitation_is_for_its_address_alone(db: TestDatabase) {
    let app = start(&db).await;
    let (first, second) = (app.db_member(0).await, app.db_member(1).await);
    let (_, link) = invite(&first, "carl@example.com", "admin").await;
    let refused = second
        .post("/api/session/invitation", json!({ "link": link }))
        .await;
    let refused = refused.refused(403, "invitation-for-another");
    assert!(!refused.to_string().contains("carl"), "{refused}");
    let accounts = second.get("/api/session/accounts").await.ok();
    assert_eq!(accounts["items"].as_array().unwrap().len(), 1);
    accept(&app.browser(), &link).await.created();
}

async fn every_link_that_does_not_work_is_answered_alike(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let (_, used) = invite(&owner, "used@example.com", "viewer").await;
    accept(&app.browser(), &used).await.created();
    let (invitation, revoked) = invite(&owner, "revoked@example.com", "viewer").await;
    owner
        .delete(&format!("{INVITATIONS}/{}", id(&invitation)))
        .await
        .ok();
    let (_, replaced) = invite(&owner, "twice@example.com", "viewer").await;
    let (invitation, renewed) = invite(&owner, "twice@example.com", "editor").await;
    let path = format!("{INVITATIONS}/{}/link", id(&invitation));
    let newest = invitation_secret(&owner.post(&path, json!({})).await.created());
    let (_, expired) = invite(&owner, "expired@example.com", "viewer").await;
    let unknown = "a".repeat(43);
    let stranger = app.browser();
    let preview = |link: &str| stranger.post("/api/invitation", json!({ "link": link }));
    assert_eq!(preview(&newest).await.ok()["role"], "editor");
    app.clock.advance(TimeDelta::days(7));
    let links = [
        &used, &revoked, &replaced, &renewed, &expired, &unknown, "nonsense",
    ];
    let mut answers = vec![];
    for link in links {
        let answer = preview(link).await;
        answer.refused(404, "link-invalid");
        answers.push(answer.without_request_id());
        let refused = accept(&app.browser(), link).await;
        assert_eq!(refused.without_request_id(), answers[0]);
    }
    assert!(answers.iter().all(|it| *it == answers[0]), "{answers:#?}");
}

async fn of_sixteen_acceptances_at_once_one_succeeds(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let (_, link) = invite(&owner, "bea@example.com", "editor").await;
    let visitors: Vec<Browser> = (0..16).map(|_| app.browser()).collect();
    let answers = join_all(visitors.iter().map(|it| accept(it, &link))).await;
    let statuses: Vec<u16> = answers.iter().map(|it| it.status.as_u16()).collect();
    assert_eq!(
        statuses.iter().filter(|it| **it == 201).count(),
        1,
        "{statuses:?}"
    );
    assert_eq!(emails(&owner).await.len(), 2);
}

async fn invitations_of_an_account_are_limited(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    for number in 0..20 {
        invite(&owner, &format!("p{number}@example.com"), "viewer").await;
    }
    let body = json!({ "email": "more@example.com", "role": "viewer" });
    let refused = owner.post(INVITATIONS, body.clone()).await;
    let refused = refused.refused(429, "rate-limited");
    assert_eq!(refused["violated-policies"], json!(["invitations"]));
    let other = app.db_member(1).await;
    other.post(INVITATIONS, body.clone()).await.created();
    app.clock.advance(TimeDelta::hours(1));
    let refused = owner.post(INVITATIONS, body.clone()).await;
    refused.refused(403, "reauthentication-required");
    owner
        .post(
            "/api/session/reauthenticate",
            json!({ "password": PASSWORD }),
        )
        .await
        .ok();
    owner.post(INVITATIONS, body).await.created();
}

async fn an_admin_does_not_touch_owners(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let admin = app.colleague(&owner, "admin", &[]).await;
    let id = member_id(&owner, "owner0@example.com").await;
    let path = format!("{MEMBERS}/{id}");
    let refused = admin.patch(&path, json!({ "role": "viewer" })).await;
    assert_eq!(
        refused.refused(403, "role-insufficient")["requiredRight"],
        "owners.manage"
    );
    admin.delete(&path).await.refused(403, "role-insufficient");
    let body = json!({ "email": "more@example.com", "role": "owner" });
    admin
        .post(INVITATIONS, body)
        .await
        .refused(403, "role-insufficient");
    let (invitation, _) = invite(&owner, "more@example.com", "owner").await;
    let path = format!("{INVITATIONS}/{}", harness::callers::id(&invitation));
    admin.delete(&path).await.refused(403, "role-insufficient");
    let renewed = admin.post(&format!("{path}/link"), json!({})).await;
    renewed.refused(403, "role-insufficient");
    invite(&admin, "fine@example.com", "admin").await;
}

async fn a_new_role_counts_from_the_next_request(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let created = owner
        .post("/api/projects", json!({ "domain": "shop.example.com" }))
        .await;
    let project = id(&created.created());
    let editor = app.colleague(&owner, "editor", &[]).await;
    let email = editor.get("/api/session").await.ok()["user"]["email"].clone();
    let path = format!(
        "{MEMBERS}/{}",
        member_id(&owner, email.as_str().unwrap()).await
    );
    let add = |text: &str| json!({ "keywords": [text] });
    let keywords = format!("/api/projects/{project}/keywords");
    editor.post(&keywords, add("one")).await.created();
    owner.patch(&path, json!({ "role": "viewer" })).await.ok();
    editor
        .post(&keywords, add("two"))
        .await
        .refused(403, "role-insufficient");
    editor.get(&keywords).await.ok();
    let client = json!({ "role": "client" });
    let refused = owner.patch(&path, client).await;
    assert_eq!(
        refused.errors(),
        [("/projectIds".into(), "invalid-value".into())]
    );
    let client = json!({ "role": "client", "projectIds": [UNKNOWN_ID] });
    owner
        .patch(&path, client)
        .await
        .refused(404, "project-not-found");
    let client = json!({ "role": "client", "projectIds": [project] });
    let changed = owner.patch(&path, client).await.ok();
    assert_eq!(changed["projectIds"], json!([project]));
    editor.get(&keywords).await.ok();
    editor
        .get("/api/analyses")
        .await
        .refused(403, "role-insufficient");
    let viewer = json!({ "role": "viewer", "projectIds": [project] });
    let refused = owner.patch(&path, viewer).await;
    assert_eq!(
        refused.errors(),
        [("/projectIds".into(), "invalid-value".into())]
    );
    let changed = owner.patch(&path, json!({ "role": "admin" })).await.ok();
    assert_eq!(
        (&changed["role"], &changed["projectIds"]),
        (&json!("admin"), &json!([]))
    );
    editor.get("/api/settings/audit-log").await.ok();
}

async fn a_removed_member_is_refused_and_may_return(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let admin = app.colleague(&owner, "admin", &[]).await;
    let token = json!({ "name": "ci", "scopes": [Scope::ProjectsRead.name()] });
    let token = admin
        .post("/api/settings/api-tokens", token)
        .await
        .created();
    let agent = app.bearer(token["token"].as_str().unwrap());
    agent.get("/projects").await.ok();
    let user = admin.get("/api/session").await.ok()["user"].clone();
    let path = format!("{MEMBERS}/{}", id(&user));
    let removed = owner
        .delete(&format!("{path}?revokeTokens=true"))
        .await
        .ok();
    assert_eq!(removed, json!({ "removedMembers": 1, "revokedTokens": 1 }));
    agent.get("/projects").await.refused(401, "token-revoked");
    assert!(!admin.is_signed_in().await);
    owner.delete(&path).await.refused(404, "not-found");
    let email = user["email"].as_str().unwrap();
    let refused = admin.sign_in(email, PASSWORD).await;
    refused.refused(401, "sign-in-refused");
    let (_, link) = invite(&owner, email, "viewer").await;
    let back = json!({ "link": link, "password": PASSWORD });
    let joined = admin.post("/api/invitation/accept", back).await.created();
    assert_eq!(
        (&joined["user"]["id"], &joined["user"]["role"]),
        (&user["id"], &json!("viewer"))
    );
    admin.sign_in(email, PASSWORD).await.ok();
}

async fn the_last_owner_stays(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let own = format!(
        "{MEMBERS}/{}",
        member_id(&owner, "owner0@example.com").await
    );
    owner
        .patch(&own, json!({ "role": "admin" }))
        .await
        .refused(409, "last-owner");
    owner.delete(&own).await.refused(409, "last-owner");
    owner
        .delete("/api/settings/membership")
        .await
        .refused(409, "last-owner");
    let second = app.colleague(&owner, "owner", &[]).await;
    let demoted = owner.patch(&own, json!({ "role": "admin" })).await.ok();
    assert_eq!(demoted["role"], "admin");
    // Sessions of a former owner end: an earlier version would take them for an owner's.
    assert!(!owner.is_signed_in().await);
    second
        .delete("/api/settings/membership")
        .await
        .refused(409, "last-owner");
}

async fn of_two_owners_who_leave_at_once_one_stays(db: TestDatabase) {
    let app = start(&db).await;
    for round in 0..8 {
        let owner = app.db_member(round).await;
        let second = app.colleague(&owner, "owner", &[]).await;
        let owners = [owner, second];
        let leaving = owners
            .iter()
            .map(|it| it.delete("/api/settings/membership"));
        let answers = join_all(leaving).await;
        let mut statuses: Vec<u16> = answers.iter().map(|it| it.status.as_u16()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "round {round}");
    }
}

async fn a_person_who_leaves_home_keeps_the_other_account(db: TestDatabase) {
    let app = start(&db).await;
    let (first, second) = (app.db_member(0).await, app.db_member(1).await);
    let person = app.colleague(&first, "editor", &[]).await;
    let user = person.get("/api/session").await.ok()["user"].clone();
    let email = user["email"].as_str().unwrap();
    let (_, link) = invite(&second, email, "admin").await;
    person
        .post("/api/session/invitation", json!({ "link": link }))
        .await
        .created();
    assert_eq!(account_id(&person).await, account_id(&second).await);
    first.delete(&format!("{MEMBERS}/{}", id(&user))).await.ok();
    person.sign_in(email, PASSWORD).await.ok();
    let session = person.get("/api/session").await.ok();
    assert_eq!(
        (id(&session["account"]), &session["user"]["role"]),
        (account_id(&second).await, &json!("admin"))
    );
    let accounts = person.get("/api/session/accounts").await.ok();
    assert_eq!(accounts["items"].as_array().unwrap().len(), 1);
    // Address and password are the other account's now, and change there.
    person
        .patch(
            "/api/settings/account",
            json!({ "email": "moved@example.com" }),
        )
        .await
        .ok();
    let changed =
        json!({ "currentPassword": PASSWORD, "newPassword": "a second walrus, unlike the first" });
    person.post("/api/settings/password", changed).await.ok();
    person
        .sign_in("moved@example.com", "a second walrus, unlike the first")
        .await
        .ok();
    assert_eq!(
        emails(&second).await,
        ["owner1@example.com", "moved@example.com"]
    );
}

async fn a_page_of_another_account_changes_nothing(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let add = |account: i64| {
        let request = owner.same_origin_request(reqwest::Method::POST, "/api/projects");
        let request = request.header("X-Sightline-Account", account.to_string());
        owner.send(request.json(&json!({ "domain": "shop.example.com" })))
    };
    let own = account_id(&owner).await;
    add(own + 1).await.refused(409, "account-changed");
    let projects = owner.get("/api/projects").await.ok();
    assert_eq!(projects["items"], json!([]));
    add(own).await.created();
}

async fn switching_keeps_age_and_freshness_of_the_session(db: TestDatabase) {
    let app = start(&db).await;
    let (first, second) = (app.db_member(0).await, app.db_member(1).await);
    let (_, link) = invite(&first, "owner1@example.com", "admin").await;
    second
        .post("/api/session/invitation", json!({ "link": link }))
        .await
        .created();
    let before = second.copy();
    let session = second.get("/api/session").await.ok()["session"].clone();
    app.clock.advance(TimeDelta::minutes(9));
    let home = second.get("/api/session/accounts").await.ok()["items"][0]["id"].clone();
    let enter =
        |account: Value| second.post("/api/session/account", json!({ "accountId": account }));
    enter(json!(UNKNOWN_ID)).await.refused(404, "not-found");
    enter(home).await.ok();
    assert!(!before.is_signed_in().await, "the old cookie ended");
    let switched = second.get("/api/session").await.ok()["session"].clone();
    assert_ne!(switched["id"], session["id"]);
    assert_eq!(switched["createdAt"], session["createdAt"]);
    assert_eq!(switched["freshUntil"], session["freshUntil"]);
    app.clock.advance(TimeDelta::minutes(1));
    let body = json!({ "email": "more@example.com", "role": "viewer" });
    second
        .post(INVITATIONS, body)
        .await
        .refused(403, "reauthentication-required");
}

async fn the_audit_log_names_the_person(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let (_, link) = invite(&owner, "bea@example.com", "admin").await;
    let bea = app.browser();
    accept(&bea, &link).await.created();
    bea.patch("/api/settings/account", json!({ "accountName": "Agency" }))
        .await
        .ok();
    let log = owner.get("/api/settings/audit-log").await.ok();
    let logged: Vec<String> = { log["items"].as_array().unwrap().iter() }
        .map(|it| format!("{} {}", it["action"].as_str().unwrap(), it["personName"]))
        .collect();
    for event in [
        "account.changed \"Bea\"",
        "member.joined \"Bea\"",
        "member.invited \"Account 0\"",
    ] {
        assert!(logged.iter().any(|it| it == event), "{event}: {logged:?}");
    }
    let joined = owner
        .get("/api/settings/audit-log?action=member.joined")
        .await
        .ok();
    assert_eq!(joined["items"].as_array().unwrap().len(), 1);
    let changed = owner
        .get("/api/settings/audit-log?action=account.changed")
        .await
        .ok();
    assert_eq!(changed["items"].as_array().unwrap().len(), 1);
}

async fn the_audit_log_is_filtered_and_exported(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let (_, link) = invite(&owner, "bea@example.com", "viewer").await;
    let bea = app.browser();
    let user = accept(&bea, &link).await.created()["user"].clone();
    // A name that a spreadsheet would compute.
    let name = json!({ "name": "=1+1, \"Bea\"" });
    bea.patch("/api/settings/account", name).await.ok();
    let log = "/api/settings/audit-log";
    let of_bea = owner
        .get(&format!("{log}?personId={}", id(&user)))
        .await
        .ok();
    assert_eq!(of_bea["items"].as_array().unwrap().len(), 2);
    let file = owner
        .get(&format!(
            "{log}?personId={}&format=csv&action=account.changed",
            id(&user)
        ))
        .await;
    assert_eq!(
        file.header("content-disposition"),
        "attachment; filename=\"audit-log.csv\""
    );
    let lines: Vec<&str> = file.body.lines().collect();
    assert_eq!(
        lines[0],
        "\"at\",\"actor\",\"person\",\"action\",\"token\",\"detail\""
    );
    assert_eq!(lines.len(), 2);
    assert!(
        lines[1].contains("\"'=1+1, \"\"Bea\"\"\",\"account.changed\""),
        "{}",
        lines[1]
    );
    let file = owner.get(&format!("{log}?format=jsonl")).await;
    let all = owner.get(&format!("{log}?limit=500")).await.ok();
    let lines: Vec<Value> = { file.body.lines() }
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(&Value::Array(lines), &all["items"]);
    let at = |name: &str| format!("{log}?{name}=2099-01-01T00:00:00Z");
    assert_eq!(owner.get(&at("from")).await.ok()["items"], json!([]));
    assert_eq!(
        owner.get(&at("before")).await.ok()["items"],
        owner.get(log).await.ok()["items"]
    );
}

async fn refused_authorizations_are_audited_once_an_hour(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let viewer = app.colleague(&owner, "viewer", &[]).await;
    let agent = app.db_agent([Scope::ProjectsRead]).await;
    let log = "/api/settings/audit-log?action=authorization.refused";
    for round in 1..=2 {
        for _ in 0..3 {
            let body = json!({ "domain": "shop.example.com" });
            viewer
                .post("/api/projects", body)
                .await
                .refused(403, "role-insufficient");
            viewer
                .get("/api/settings/audit-log")
                .await
                .refused(403, "role-insufficient");
            agent
                .get("/analyze")
                .await
                .refused(403, "insufficient-scope");
        }
        let mut refused = vec![];
        for _ in 0..200 {
            let items = owner.get(log).await.ok()["items"].take();
            refused = serde_json::from_value::<Vec<Value>>(items).unwrap();
            if refused.len() >= 3 * round {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        let mut logged: Vec<String> = refused
            .iter()
            .map(|it| format!("{} {}", it["detail"], it["personName"]))
            .collect();
        logged.sort();
        logged.dedup();
        assert_eq!(
            logged,
            [
                "\"analysis:run\" null",
                "\"audit.read\" \"A viewer\"",
                "\"projects.write\" \"A viewer\""
            ]
        );
        assert_eq!(refused.len(), 3 * round, "{refused:#?}");
        app.clock.advance(TimeDelta::minutes(61));
    }
}

async fn invitations_end_with_the_rights_of_their_inviter(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    let admin = app.colleague(&owner, "admin", &[]).await;
    let (_, as_admin) = invite(&admin, "one@example.com", "admin").await;
    let (_, kept) = invite(&owner, "two@example.com", "viewer").await;
    let path = format!(
        "{MEMBERS}/{}",
        id(&admin.get("/api/session").await.ok()["user"])
    );
    owner.patch(&path, json!({ "role": "editor" })).await.ok();
    accept(&app.browser(), &as_admin)
        .await
        .refused(404, "link-invalid");
    owner.patch(&path, json!({ "role": "admin" })).await.ok();
    let (_, link) = invite(&admin, "three@example.com", "viewer").await;
    owner.delete(&path).await.ok();
    accept(&app.browser(), &link)
        .await
        .refused(404, "link-invalid");
    accept(&app.browser(), &kept).await.created();
}

async fn a_person_without_an_account_takes_a_new_home(db: TestDatabase) {
    let app = start(&db).await;
    let (first, second) = (app.db_member(0).await, app.db_member(1).await);
    let person = app.colleague(&first, "editor", &[]).await;
    let user = person.get("/api/session").await.ok()["user"].clone();
    first.delete(&format!("{MEMBERS}/{}", id(&user))).await.ok();
    let email = user["email"].as_str().unwrap();
    let (_, link) = invite(&second, email, "viewer").await;
    let body = json!({ "link": link, "password": PASSWORD });
    person.post("/api/invitation/accept", body).await.created();
    person.sign_in(email, PASSWORD).await.ok();
    assert_eq!(account_id(&person).await, account_id(&second).await);
    // Sign-ins are in the log of the new home account only.
    let path = format!(
        "/api/settings/audit-log?action=session.begun&personId={}",
        id(&user)
    );
    assert_eq!(first.get(&path).await.ok()["items"], json!([]));
    assert_eq!(
        second.get(&path).await.ok()["items"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

async fn viewers_see_names_and_roles_alone(db: TestDatabase) {
    let app = start(&db).await;
    let owner = app.db_member(0).await;
    invite(&owner, "new@example.com", "viewer").await;
    let viewer = app.colleague(&owner, "viewer", &[]).await;
    let members = viewer.get(MEMBERS).await.ok();
    assert_eq!(members["invitations"], Value::Null);
    for it in members["items"].as_array().unwrap() {
        assert!(it["name"].is_string());
        assert_eq!(it["email"].is_string(), it["isYou"] == true, "{it}");
    }
    let page = viewer.page("/settings/members").await;
    assert!(!page.contains("owner0@example.com") && !page.contains("new@example.com"));
}
