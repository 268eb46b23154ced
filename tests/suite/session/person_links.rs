//! What people do by the links of messages, without a session.

use chrono::TimeDelta;
use domain::{
    link::LinkKind,
    mail::{Letter, Purpose},
};
use futures_util::future::join_all;
use harness::{
    app::{PASSWORD, TestApp},
    browsers::Browser,
    databases::TestDatabase,
    letters::{secret, summary},
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    a_reset_link_sets_a_new_password_once,
    a_reset_is_answered_alike_for_unknown_addresses,
    a_newer_reset_link_ends_the_one_before,
    a_reset_link_works_for_30_minutes,
    of_sixteen_resets_at_once_one_succeeds,
    resets_of_an_address_are_limited,
    a_new_address_counts_once_it_is_confirmed,
    a_canceled_change_keeps_the_address,
    a_confirmed_change_can_be_undone,
    a_second_change_leaves_the_first_undoable,
    a_pending_change_ends_with_a_reset,
    a_disowned_sign_in_restores_the_address_of_its_time,
    a_taken_address_is_revealed_to_its_holder_alone,
    a_link_of_another_kind_does_not_work,
];

harness::on_sqlite![without_mail_no_reset_is_promised];

const RESET: &str = "/api/password-reset";
const COMPLETE: &str = "/api/password-reset/complete";
const ACCOUNT: &str = "/api/settings/account";
const OWNER: &str = "owner0@example.com";
const NEW: &str = "Čtrnáct mokrých vyder";

async fn request(app: &TestApp, email: &str) {
    let requested = app.browser().post(RESET, json!({ "email": email })).await;
    assert_eq!(requested.status, 202, "{requested:?}");
}

fn completing(link: &str) -> Value {
    json!({ "link": link, "password": NEW, "revokeTokens": false })
}

async fn a_reset_link_sets_a_new_password_once(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let here = app.owner_after_mail().await;
    request(&app, OWNER).await;
    let mail = app.next_delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::PasswordReset)]);
    let link = secret(&mail, LinkKind::PasswordReset);

    let weak = json!({ "link": link, "password": "short" });
    let errors = app.browser().post(COMPLETE, weak).await.errors();
    assert_eq!(errors[0].0, "/password");
    assert!(here.is_signed_in().await, "nothing changed yet");
    let done = app.browser().post(COMPLETE, completing(&link)).await.ok();
    assert_eq!(done["endedSessions"], 1);
    assert!(!here.is_signed_in().await);
    let again = app.browser().post(COMPLETE, completing(&link)).await;
    again.refused(404, "link-invalid");

    let other = app.browser();
    other
        .sign_in(OWNER, PASSWORD)
        .await
        .refused(401, "sign-in-refused");
    other.sign_in(OWNER, NEW).await.ok();
    let notices = app.next_delivered().await;
    assert_eq!(summary(&notices), [(OWNER, Purpose::PasswordChanged)]);
}

async fn a_reset_is_answered_alike_for_unknown_addresses(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.owner_after_mail().await;
    let known = app.browser().post(RESET, json!({ "email": OWNER })).await;
    let body = json!({ "email": "nobody@example.com" });
    let unknown = app.browser().post(RESET, body).await;
    assert_eq!(known.status, 202);
    assert_eq!(known.without_request_id(), unknown.without_request_id());
    let mail = app.next_delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::PasswordReset)]);
}

async fn a_newer_reset_link_ends_the_one_before(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.owner_after_mail().await;
    let mut links = Vec::new();
    for _ in 0..2 {
        request(&app, OWNER).await;
        let mail = app.next_delivered().await;
        links.push(secret(&mail, LinkKind::PasswordReset));
    }
    let first = app.browser().post(COMPLETE, completing(&links[0])).await;
    first.refused(404, "link-invalid");
    app.browser()
        .post(COMPLETE, completing(&links[1]))
        .await
        .ok();
}

async fn a_reset_link_works_for_30_minutes(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.owner_after_mail().await;
    request(&app, OWNER).await;
    let link = secret(&app.next_delivered().await, LinkKind::PasswordReset);
    app.clock.advance(TimeDelta::minutes(30));
    let late = app.browser().post(COMPLETE, completing(&link)).await;
    late.refused(404, "link-invalid");
    let unknown = "a".repeat(43);
    let unknown = app.browser().post(COMPLETE, completing(&unknown)).await;
    assert_eq!(late.without_request_id(), unknown.without_request_id());
}

async fn of_sixteen_resets_at_once_one_succeeds(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.owner_after_mail().await;
    request(&app, OWNER).await;
    let link = secret(&app.next_delivered().await, LinkKind::PasswordReset);
    let browser = app.browser();
    let resets = (0..16).map(|_| browser.post(COMPLETE, completing(&link)));
    let answers = join_all(resets).await;
    let done = answers.iter().filter(|it| it.status == 200).count();
    assert_eq!(done, 1);
    for refused in answers.iter().filter(|it| it.status == 404) {
        refused.refused(404, "link-invalid");
    }
}

async fn resets_of_an_address_are_limited(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.owner_after_mail().await;
    let mut mailed = Vec::<Letter>::new();
    for _ in 0..6 {
        request(&app, OWNER).await;
        mailed.extend(app.next_delivered().await);
    }
    for _ in 0..4 {
        request(&app, OWNER).await;
    }
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    mailed.extend(app.delivered().await);
    assert_eq!(mailed.len(), 6);
}

async fn without_mail_no_reset_is_promised(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let refused = app.browser().post(RESET, json!({ "email": OWNER })).await;
    let refused = refused.refused(409, "mail-not-configured");
    assert!(refused["hint"].as_str().unwrap().contains("reset-link"));
}

async fn request_address(owner: &Browser, email: &str) -> Value {
    owner.patch(ACCOUNT, json!({ "email": email })).await.ok()
}

async fn a_new_address_counts_once_it_is_confirmed(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    let answer = request_address(&owner, "new@example.com").await;
    assert_eq!(answer["user"]["email"], OWNER);
    assert_eq!(answer["requestedEmail"], "new@example.com");
    let mail = app.delivered().await;
    let expected = [
        ("new@example.com", Purpose::AddressConfirmation),
        (OWNER, Purpose::AddressChange),
    ];
    assert_eq!(summary(&mail), expected);
    let link = json!({ "link": secret(&mail, LinkKind::AddressConfirmation) });
    let confirmed = app
        .browser()
        .post("/api/address/confirm", link.clone())
        .await;
    assert_eq!(confirmed.ok()["email"], "new@example.com");
    let again = app.browser().post("/api/address/confirm", link).await;
    again.refused(404, "link-invalid");
    assert!(owner.is_signed_in().await, "sessions stay");
    let now = owner.get(ACCOUNT).await.ok();
    assert_eq!(now["requestedEmail"], Value::Null);
    let old = app.browser().sign_in(OWNER, PASSWORD).await;
    old.refused(401, "sign-in-refused");
    app.browser()
        .sign_in("new@example.com", PASSWORD)
        .await
        .ok();
}

async fn a_canceled_change_keeps_the_address(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    request_address(&owner, "new@example.com").await;
    let mail = app.delivered().await;
    let cancel = json!({ "link": secret(&mail, LinkKind::AddressCancellation) });
    let kept = app.browser().post("/api/address/cancel", cancel).await.ok();
    assert_eq!(kept["email"], OWNER);
    let confirm = json!({ "link": secret(&mail, LinkKind::AddressConfirmation) });
    let late = app.browser().post("/api/address/confirm", confirm).await;
    late.refused(404, "link-invalid");
    assert!(!owner.is_signed_in().await, "all sessions end");
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::PasswordReset)]);
}

async fn a_confirmed_change_can_be_undone(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    request_address(&owner, "thief@example.com").await;
    let mail = app.delivered().await;
    let confirm = json!({ "link": secret(&mail, LinkKind::AddressConfirmation) });
    app.browser()
        .post("/api/address/confirm", confirm)
        .await
        .ok();
    let notice = app.delivered().await;
    assert_eq!(summary(&notice), [(OWNER, Purpose::AddressChange)]);
    app.clock.advance(TimeDelta::days(6));
    let cancel = json!({ "link": secret(&notice, LinkKind::AddressCancellation) });
    app.browser().post("/api/address/cancel", cancel).await.ok();
    let thief = app.browser().sign_in("thief@example.com", PASSWORD).await;
    thief.refused(401, "sign-in-refused");
    let mail = app.delivered().await;
    let link = secret(&mail, LinkKind::PasswordReset);
    app.browser().post(COMPLETE, completing(&link)).await.ok();
    app.browser().sign_in(OWNER, NEW).await.ok();
}

async fn a_taken_address_is_revealed_to_its_holder_alone(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    let other = app.db_member(1).await;
    let taken = "owner1@example.com";
    app.delivered().await;
    let answer = request_address(&owner, taken).await;
    assert_eq!(answer["requestedEmail"], taken, "as for a free address");
    let expected = [
        (OWNER, Purpose::AddressChange),
        (taken, Purpose::AddressTaken),
    ];
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), expected);
    assert!(other.is_signed_in().await);
}

async fn a_link_of_another_kind_does_not_work(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    app.owner_after_mail().await;
    request(&app, OWNER).await;
    let link = secret(&app.next_delivered().await, LinkKind::PasswordReset);
    for path in ["/api/address/confirm", "/api/address/cancel", "/api/not-me"] {
        let refused = app.browser().post(path, json!({ "link": link })).await;
        refused.refused(404, "link-invalid");
    }
    let preview = app
        .browser()
        .post("/api/invitation", json!({ "link": link }))
        .await;
    preview.refused(404, "link-invalid");
    app.browser().post(COMPLETE, completing(&link)).await.ok();
}

/// Requests a new address and confirms it; returns the notice to the address before.
async fn change_address(app: &TestApp, owner: &Browser, email: &str) -> Vec<Letter> {
    request_address(owner, email).await;
    let mail = app.delivered().await;
    let confirm = json!({ "link": secret(&mail, LinkKind::AddressConfirmation) });
    let confirmed = app.browser().post("/api/address/confirm", confirm).await;
    confirmed.ok();
    app.clock.advance(TimeDelta::seconds(1));
    app.delivered().await
}

async fn a_second_change_leaves_the_first_undoable(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    let first = change_address(&app, &owner, "evil1@example.com").await;
    let second = change_address(&app, &owner, "evil2@example.com").await;
    let cancel = json!({ "link": secret(&first, LinkKind::AddressCancellation) });
    let undone = app.browser().post("/api/address/cancel", cancel).await.ok();
    assert_eq!(undone["email"], OWNER);
    let cancel = json!({ "link": secret(&second, LinkKind::AddressCancellation) });
    let late = app.browser().post("/api/address/cancel", cancel).await;
    late.refused(404, "link-invalid");
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::PasswordReset)]);
}

async fn a_pending_change_ends_with_a_reset(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let owner = app.owner_after_mail().await;
    request_address(&owner, "evil@example.com").await;
    let pending = secret(&app.delivered().await, LinkKind::AddressConfirmation);
    request(&app, OWNER).await;
    let link = secret(&app.next_delivered().await, LinkKind::PasswordReset);
    app.browser().post(COMPLETE, completing(&link)).await.ok();
    let confirm = json!({ "link": pending });
    let late = app.browser().post("/api/address/confirm", confirm).await;
    late.refused(404, "link-invalid");
    app.browser().sign_in(OWNER, NEW).await.ok();
}

async fn a_disowned_sign_in_restores_the_address_of_its_time(db: TestDatabase) {
    let app = TestApp::with_mail(&db).await;
    let thief = app.db_member(0).await;
    let not_me = secret(&app.delivered().await, LinkKind::NotMe);
    change_address(&app, &thief, "evil@example.com").await;
    let disown = json!({ "link": not_me });
    app.browser().post("/api/not-me", disown).await.ok();
    assert!(!thief.is_signed_in().await);
    let mail = app.delivered().await;
    assert_eq!(summary(&mail), [(OWNER, Purpose::PasswordReset)]);
    let link = secret(&mail, LinkKind::PasswordReset);
    app.browser().post(COMPLETE, completing(&link)).await.ok();
    app.browser().sign_in(OWNER, NEW).await.ok();
}
