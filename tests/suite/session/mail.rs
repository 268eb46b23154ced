//! Messages of an account: who gets which, and how recipients stop them.

use chrono::TimeDelta;
use domain::{
    link::LinkKind,
    mail::{Letter, Purpose},
};
use harness::{
    app::{PASSWORD, TestApp, invitation_secret},
    browsers::Browser,
    callers::client,
    databases::TestDatabase,
    letters::{secret, summary},
    on_every_database,
};
use reqwest::Method;
use serde_json::json;

on_every_database![
    an_invitation_is_mailed_with_a_link_of_its_own,
    a_renewed_invitation_replaces_both_links,
    a_revoked_invitation_is_not_mailed,
    a_new_device_is_mailed_once_an_hour,
    a_disowned_sign_in_ends_all_sessions,
    ten_failed_sign_ins_are_mailed_once,
    members_learn_of_changes_to_their_role,
    a_leaked_token_is_mailed_to_those_who_manage_tokens,
    a_recipient_stops_invitations_with_one_click,
    messages_are_listed_without_those_about_logins,
    messages_over_a_limit_wait,
];

const OWNER: &str = "owner0@example.com";
const INVITATIONS: &str = "/api/settings/invitations";
const MAIL: &str = "/api/settings/mail";

async fn invite(owner: &Browser, email: &str) -> serde_json::Value {
    let body = json!({ "email": email, "role": "editor" });
    owner.post(INVITATIONS, body).await.created()
}

fn accepting(link: &str) -> serde_json::Value {
    json!({ "link": link, "name": "Bea", "password": PASSWORD })
}

async fn an_invitation_is_mailed_with_a_link_of_its_own(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    let invitation = invite(&owner, "bea@example.com").await;
    assert_eq!(invitation["isMailed"], true);
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [("bea@example.com", Purpose::Invitation)]);
    let mailed = secret(&mail, LinkKind::MailedInvitation);
    let copied = invitation_secret(&invitation);
    assert_ne!(mailed, copied);
    let path = "/api/invitation";
    for link in [&mailed, &copied] {
        app.browser().post(path, json!({ "link": link })).await.ok();
    }
    let accept = "/api/invitation/accept";
    app.browser()
        .post(accept, accepting(&mailed))
        .await
        .created();
    let late = app.browser().post(accept, accepting(&copied)).await;
    late.refused(404, "link-invalid");
    let notice = app.delivered().await;
    assert_eq!(summary(&notice), [(OWNER, Purpose::InvitationAccepted)]);
}

async fn a_renewed_invitation_replaces_both_links(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    let invitation = invite(&owner, "bea@example.com").await;
    let first = secret(&app.delivered().await, LinkKind::MailedInvitation);
    let path = format!("{INVITATIONS}/{}/link", invitation["id"]);
    let renewed = owner.post(&path, json!({})).await.created();
    let second = secret(&app.delivered().await, LinkKind::MailedInvitation);
    let preview = async |link: &str| {
        let browser = app.browser();
        let answer = browser.post("/api/invitation", json!({ "link": link }));
        answer.await.status
    };
    assert_eq!(preview(&first).await, 404);
    assert_eq!(preview(&invitation_secret(&invitation)).await, 404);
    assert_eq!(preview(&second).await, 200);
    assert_eq!(preview(&invitation_secret(&renewed)).await, 200);
}

async fn a_revoked_invitation_is_not_mailed(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    let invitation = invite(&owner, "bea@example.com").await;
    let path = format!("{INVITATIONS}/{}", invitation["id"]);
    owner.delete(&path).await.ok();
    assert_eq!(summary(&app.delivered().await), []);
    let listed = owner.get(MAIL).await.ok();
    assert_eq!(listed["items"][0]["state"], "canceled");
}

async fn a_new_device_is_mailed_once_an_hour(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.db_owner_with_password(0).await;
    let device = app.browser();
    for _ in 0..2 {
        device.sign_in(OWNER, PASSWORD).await.ok();
    }
    let others = [app.browser(), app.browser()];
    others[0].sign_in(OWNER, PASSWORD).await.ok();
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::NewDevice)]);
    app.clock.advance(TimeDelta::hours(1));
    device.sign_in(OWNER, PASSWORD).await.ok();
    assert_eq!(summary(&app.delivered().await), [], "a known device");
    others[1].sign_in(OWNER, PASSWORD).await.ok();
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::NewDevice)]);
}

async fn a_disowned_sign_in_ends_all_sessions(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.db_owner_with_password(0).await;
    let stranger = app.browser();
    stranger.sign_in(OWNER, PASSWORD).await.ok();
    let link = secret(&app.delivered().await, LinkKind::NotMe);
    let disowned = app
        .browser()
        .post("/api/not-me", json!({ "link": link }))
        .await;
    disowned.ok();
    assert!(!stranger.is_signed_in().await);
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::PasswordReset)]);
    stranger.sign_in(OWNER, PASSWORD).await.ok();
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [], "within the hour; the device is unknown");
}

async fn ten_failed_sign_ins_are_mailed_once(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.db_owner_with_password(0).await;
    app.delivered().await;
    let mut mail = Vec::<Letter>::new();
    for _ in 0..12 {
        // Each guess waits for the one before.
        app.clock.advance(TimeDelta::minutes(2));
        let guess = app.browser().sign_in(OWNER, "a wrong password").await;
        guess.refused(401, "sign-in-refused");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        mail.extend(app.delivered().await);
    }
    assert_eq!(summary(&mail), [(OWNER, Purpose::FailedSignIns)]);
}

async fn members_learn_of_changes_to_their_role(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    invite(&owner, "bea@example.com").await;
    let link = secret(&app.delivered().await, LinkKind::MailedInvitation);
    let bea = app.browser();
    let accepted = bea.post("/api/invitation/accept", accepting(&link)).await;
    accepted.created();
    app.delivered().await;
    let members = owner.get("/api/settings/members").await.ok();
    let members = members["items"].as_array().unwrap();
    let id = &members
        .iter()
        .find(|it| it["email"] == "bea@example.com")
        .unwrap()["id"];
    let path = format!("/api/settings/members/{id}");
    owner.patch(&path, json!({ "role": "viewer" })).await.ok();
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [("bea@example.com", Purpose::RoleChanged)]);
    owner.delete(&path).await.ok();
    let mail = app.delivered().await;
    assert_eq!(
        summary(&mail),
        [("bea@example.com", Purpose::MemberRemoved)]
    );
}

async fn a_leaked_token_is_mailed_to_those_who_manage_tokens(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    app.colleague(&owner, "viewer", &[]).await;
    app.delivered().await;
    let body = json!({ "name": "ci", "scopes": ["projects:read"] });
    let token = owner.post("/api/settings/api-tokens", body).await.created();
    let finder = app.anonymous();
    let report = finder.request_path(Method::POST, "/api/token-revocations");
    let report = report.json(&json!({ "token": token["token"] }));
    finder.send(report).await.accepted();
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::TokenLeaked)]);
}

async fn a_recipient_stops_invitations_with_one_click(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    invite(&owner, "bea@example.com").await;
    let mail = app.delivered().await;
    let stop = mail[0].stop.as_ref().unwrap();
    let path = stop.one_click.strip_prefix("https://seo.example").unwrap();
    // As a mail program: neither session nor origin.
    let client = client();
    let url = format!("{}{path}", app.origin());
    let shown = client.get(&url).header("Host", "seo.example").send().await;
    let shown = shown.unwrap();
    assert_eq!(shown.status(), 303);
    let place = shown.headers()["location"].to_str().unwrap();
    assert!(stop.page.ends_with(place), "{place}");
    let form = [("List-Unsubscribe", "One-Click")];
    for _ in 0..2 {
        let stopping = client.post(&url).header("Host", "seo.example").form(&form);
        assert_eq!(stopping.send().await.unwrap().status(), 200);
    }
    let forged = url.replace("?t=", "?t=1");
    let forged = client.post(&forged).header("Host", "seo.example").send();
    assert_eq!(forged.await.unwrap().status(), 404);

    invite(&owner, "bea@example.com").await;
    assert_eq!(summary(&app.delivered().await), []);
    let listed = owner.get(MAIL).await.ok();
    assert_eq!(listed["items"][0]["state"], "suppressed");
    let suppression = json!({ "email": "bea@example.com", "reason": "invitationsStopped" });
    let shown = &listed["suppressions"][0];
    assert_eq!(
        (&shown["email"], &shown["reason"]),
        (&suppression["email"], &suppression["reason"])
    );
    let path = "/api/settings/suppressions?email=bea%40example.com&reason=invitationsStopped";
    let lifted = owner.delete(path).await.ok();
    assert_eq!(lifted["liftedSuppressions"], 1);
    let path = "/api/settings/suppressions?email=bea%40example.com&reason=complaint";
    owner.delete(path).await.refused(409, "suppression-final");
    invite(&owner, "bea@example.com").await;
    assert_eq!(app.delivered().await.len(), 1);
}

async fn messages_are_listed_without_those_about_logins(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    for number in 0..3 {
        invite(&owner, &format!("guest{number}@example.com")).await;
        app.clock.advance(TimeDelta::seconds(1));
    }
    app.delivered().await;
    let listed = owner.get(&format!("{MAIL}?limit=2")).await.ok();
    let items = listed["items"].as_array().unwrap();
    let to: Vec<&str> = items.iter().map(|it| it["to"].as_str().unwrap()).collect();
    assert_eq!(to, ["guest2@example.com", "guest1@example.com"]);
    assert_eq!(items[0]["state"], "sent");
    let cursor = listed["nextCursor"].as_str().unwrap();
    let rest = owner.get(&format!("{MAIL}?cursor={cursor}")).await.ok();
    assert_eq!(rest["nextCursor"], serde_json::Value::Null);
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    let path = format!("{MAIL}/{}/copies", items[0]["id"]);
    let refused = owner.post(&path, json!({})).await;
    refused.refused(409, "message-not-failed");
    let other = app.db_member(1).await;
    let foreign = other.post(&path, json!({})).await;
    foreign.refused(404, "not-found");
    assert_eq!(other.get(MAIL).await.ok()["items"], json!([]));
}

async fn messages_over_a_limit_wait(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    let invitation = invite(&owner, "bea@example.com").await;
    let path = format!("{INVITATIONS}/{}/link", invitation["id"]);
    let mut sent = app.delivered().await.len();
    let renew = async || {
        app.clock.advance(TimeDelta::minutes(61));
        let password = json!({ "password": PASSWORD });
        let fresh = owner.post("/api/session/reauthenticate", password).await;
        fresh.ok();
        owner.post(&path, json!({})).await.created();
    };
    for _ in 0..19 {
        renew().await;
        sent += app.delivered().await.len();
    }
    assert_eq!(sent, 20);
    renew().await;
    assert_eq!(app.delivered().await.len(), 0);
    let listed = owner.get(MAIL).await.ok();
    assert_eq!(listed["items"][0]["state"], "delayed");
    app.clock.advance(TimeDelta::hours(4));
    assert_eq!(app.delivered().await.len(), 1);
}
