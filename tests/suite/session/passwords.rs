//! Changing one's password.

use harness::{
    app::{PASSWORD, TestApp},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::json;

on_every_database![
    another_password_ends_the_other_sessions_and_the_old_id,
    a_password_that_others_guess_is_refused,
];

const PATH: &str = "/api/settings/password";
const NEW: &str = "Čtrnáct mokrých vyder";

async fn another_password_ends_the_other_sessions_and_the_old_id(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (here, there) = (app.db_member(0).await, app.browser());
    there.sign_in("owner0@example.com", PASSWORD).await.ok();
    let before = here.copied();
    let wrong = json!({ "currentPassword": "another walrus", "newPassword": NEW });
    let told = here.post(PATH, wrong).await.errors();
    assert_eq!(told, [("/currentPassword".into(), "wrong-password".into())]);
    assert!(there.is_signed_in().await);

    let change = json!({ "currentPassword": PASSWORD, "newPassword": NEW });
    here.post(PATH, change).await.ok();
    assert!(here.is_signed_in().await);
    assert!(!before.is_signed_in().await && !there.is_signed_in().await);
    there
        .sign_in("owner0@example.com", PASSWORD)
        .await
        .refused(401, "sign-in-refused");
    there.sign_in("owner0@example.com", NEW).await.ok();
    let back =
        json!({ "currentPassword": NEW, "newPassword": PASSWORD, "endOtherSessions": false });
    here.post(PATH, back).await.ok();
    assert!(
        there.is_signed_in().await,
        "others stay when they are to stay"
    );
}

async fn a_password_that_others_guess_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    for (new, code) in [
        ("kx walrus 7q", None),
        ("elevenchars", Some("too-short")),
        ("password1234", Some("guessable")),
        ("owner0@example.com", Some("guessable")),
        ("sightlinesightline", Some("guessable")),
        (&"x1!".repeat(90), Some("too-long")),
    ] {
        let change = json!({ "currentPassword": PASSWORD, "newPassword": new });
        let answer = browser.post(PATH, change).await;
        if let Some(code) = code {
            let expected = [("/newPassword".into(), code.into())];
            assert_eq!(answer.errors(), expected, "{new}");
        } else {
            answer.ok();
            let back = json!({ "currentPassword": new, "newPassword": PASSWORD });
            browser.post(PATH, back).await.ok();
        }
    }
}
