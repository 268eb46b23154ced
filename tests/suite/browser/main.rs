//! Tests in a real browser: Debian's Chromium against a real server.
//!
//! Every test ends by asserting a clean browser: no console errors, exceptions, policy violations or failed requests.
//! What a test provokes it must expect by its message.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accessibility;
mod attacks;
mod csrf;
mod demo;
mod dialogs;
mod edge_cases;
mod installed_server;
mod keyboard;
mod mail;
mod members;
mod notices;
mod old_browser;
mod operator;
mod plans;
mod recorded;
mod reflow;
mod refusals;
mod research;
mod signing_in;
mod user_flows;
mod xss;

use analysis::result_type::ResultType;
use chrono::TimeDelta;
use harness::{
    app::{PASSWORD, Settings, TestApp},
    chromium::Tab,
    databases::TestDatabase,
};
use storage::DatabaseKind;

/// Result type, page title, navigation label.
const RESULTS: [(&str, &str, &str); ResultType::ALL.len()] = [
    ("suggestions", "Suggestions", "Suggestions"),
    ("rankings", "Rankings", "Rankings"),
    ("serp", "Search pages", "Search pages"),
    ("sov", "Share of voice", "Share of voice"),
    ("competitors", "Competitors", "Competitors"),
    ("forecast", "Forecast", "Forecast"),
    ("cannibalization", "Cannibalization", "Cannibalization"),
    ("ai-visibility", "AI visibility", "AI visibility"),
    ("ai-trends", "AI trends", "AI trends"),
    ("geo-score", "Citability by AI engines", "Citability"),
    ("content", "Content", "Content"),
    ("eeat", "Experience, expertise, authority, trust", "E-E-A-T"),
    ("schema", "Structured data", "Structured data"),
    ("content-changes", "Content changes", "Changes"),
    ("broken-links", "Broken links", "Broken links"),
    ("vitals", "Web vitals", "Web vitals"),
];

/// All pages of a signed-in user with these projects.
fn pages(projects: &[String]) -> Vec<String> {
    let mut pages: Vec<String> = [
        "/",
        "/analyses",
        "/events",
        "/keyword-research",
        "/docs",
        "/accounts",
        "/settings/account",
        "/settings/members",
        "/settings/api-tokens",
        "/settings/report-defaults",
        "/settings/models",
        "/settings/usage",
        "/settings/audit-log",
        "/settings/mail",
    ]
    .map(str::to_owned)
    .to_vec();
    for project in projects {
        for end in [
            "",
            "/events",
            "/keywords",
            "/settings",
            "/gap-check",
            "/content-plans",
            "/assignments",
        ] {
            pages.push(format!("{project}{end}"));
        }
        pages.extend(RESULTS.map(|(name, ..)| format!("{project}/results/{name}")));
    }
    pages
}

/// A server without a worker and with a frozen clock, on `SQLite`.
async fn served() -> (TestApp, TestDatabase) {
    served_with(|_| {}).await
}

async fn served_with(change: impl FnOnce(&mut Settings)) -> (TestApp, TestDatabase) {
    let database = TestDatabase::empty(DatabaseKind::Sqlite).await;
    let app = TestApp::for_browsers(&database, change).await;
    (app, database)
}

async fn sign_in(tab: &Tab, email: &str, password: &str) {
    tab.go("/sign-in").await;
    tab.fill("E-mail", email).await;
    tab.fill("Password", password).await;
    tab.click("button", "Sign in").await;
}

/// Signed in as the first account's owner, on the projects page.
async fn signed_in(app: &TestApp) -> Tab {
    app.db_owner_with_password(0).await;
    let tab = Tab::open(app.origin()).await;
    sign_in(&tab, "owner0@example.com", PASSWORD).await;
    tab.wait_for_path("/").await;
    tab
}

/// Longer than a session counts as fresh.
const STALE: TimeDelta = TimeDelta::minutes(11);
