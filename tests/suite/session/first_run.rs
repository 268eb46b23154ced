//! The first account.

use futures_util::future::join_all;
use harness::{app::TestApp, databases::TestDatabase, on_every_database};
use serde_json::{Value, json};

on_every_database![
    the_setup_code_creates_the_owner_and_a_session,
    of_16_concurrent_setups_one_succeeds,
    setup_is_refused_if_an_account_exists,
];

const PATH: &str = "/api/welcome";

fn owner(code: Option<&str>, email: &str) -> Value {
    json!({ "code": code, "email": email, "name": "Ann", "password": "fourteen damp otters" })
}

async fn the_setup_code_creates_the_owner_and_a_session(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (browser, code) = (app.browser(), app.welcome_code.as_deref());
    assert_eq!(browser.get(PATH).await.ok()["open"], true);
    let guess = Some("00000000000000000000000000000000");
    let wrong = browser.post(PATH, owner(guess, "eve@example.com")).await;
    assert_eq!(wrong.errors(), [("/code".into(), "wrong-code".into())]);
    let mut weak = owner(code, "ann@example.com");
    weak["password"] = "ann@example.com".into();
    let weak = browser.post(PATH, weak).await;
    assert_eq!(weak.errors(), [("/password".into(), "guessable".into())]);

    let created = browser
        .post(PATH, owner(code, "ann@example.com"))
        .await
        .created();
    assert_eq!(created["user"]["email"], "ann@example.com");
    assert!(browser.is_signed_in().await);
    let project = json!({ "domain": "shop.example.com" });
    browser.post("/api/projects", project).await.created();

    assert_eq!(browser.get(PATH).await.ok()["open"], false);
    let again = app
        .browser()
        .post(PATH, owner(code, "eve@example.com"))
        .await;
    again.refused(409, "welcome-over");
}

async fn of_16_concurrent_setups_one_succeeds(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let code = app.welcome_code.as_deref();
    let all = (0..16).map(|number| {
        let browser = app.browser();
        async move {
            let body = owner(code, &format!("owner{number}@example.com"));
            browser.post(PATH, body).await.status.as_u16()
        }
    });
    let statuses = join_all(all).await;
    let welcomed = statuses.iter().filter(|it| **it == 201).count();
    assert_eq!(welcomed, 1, "{statuses:?}");
    let refused = |it: &&u16| [409, 503].contains(*it);
    assert_eq!(statuses.iter().filter(refused).count(), 15, "{statuses:?}");
    let mut read = app.storage.read().await.unwrap();
    assert_eq!(read.accounts().list().await.unwrap().len(), 1);
}

async fn setup_is_refused_if_an_account_exists(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_owner(0).await;
    let code = app.welcome_code.as_deref();
    let browser = app.browser();
    assert_eq!(browser.get(PATH).await.ok()["open"], false);
    browser
        .post(PATH, owner(code, "eve@example.com"))
        .await
        .refused(409, "welcome-over");
}
