//! User flows from the first run to signing out, on a real server with a worker.

use super::{
    RESULTS,
    accessibility::{assert_no_violations, check_page},
    installed_server::{EMAIL, InstalledServer, PASSWORD},
    research::{gaps, research},
    sign_in,
};
use harness::chromium::Tab;
use serde_json::Value;
use std::process::Command;
use storage::DatabaseKind;

/// Result types of a first rank check, site audit, web vitals and AI visibility.
const FIRST_DAY_RESULTS: [&str; 15] = [
    "suggestions",
    "rankings",
    "serp",
    "sov",
    "competitors",
    "forecast",
    "cannibalization",
    "ai-visibility",
    "ai-trends",
    "geo-score",
    "content",
    "eeat",
    "schema",
    "broken-links",
    "vitals",
];

mod sqlite {
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "slow: everything that people do, in a browser"]
    async fn user_flow_from_first_run_to_sign_out() {
        super::full_user_flow(storage::DatabaseKind::Sqlite).await;
    }
}
mod postgres {
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "slow: everything that people do, in a browser"]
    async fn user_flow_from_first_run_to_sign_out() {
        super::full_user_flow(storage::DatabaseKind::Postgres).await;
    }
}

async fn full_user_flow(kind: DatabaseKind) {
    let house = InstalledServer::start(kind).await;
    let tab = Tab::open(&house.origin).await;
    first_run(&tab, &house).await;
    let project = create_a_project(&tab).await;
    measure(&tab, &project).await;
    read_every_result(&tab, &project).await;
    look_after_keywords(&tab, &project).await;
    use_a_token(&tab).await;
    read_the_reference(&tab).await;
    change_settings(&tab, &project).await;
    research(&tab, &project).await;
    gaps(&tab, &project).await;
    leave(&tab, &project).await;
    nothing_came_from_elsewhere(&tab);
    tab.close().await;
}

async fn first_run(tab: &Tab, house: &InstalledServer) {
    tab.go("/").await;
    tab.wait_for_path("/welcome").await;
    // The URL as printed: the code is in its fragment, and then removed from the address bar.
    tab.go(&house.welcome).await;
    tab.wait_until(
        "the code is in its field",
        "document.querySelector('input[name=code]').value.length > 20 && location.hash === ''",
    )
    .await;
    tab.fill("Your name", "Ann").await;
    tab.fill("E-mail", EMAIL).await;
    tab.fill("Password", "password1234").await;
    tab.click("button", "Create the account").await;
    // A weak password is refused beside its field.
    tab.wait_until(
        "the password is refused",
        "document.querySelector('input[name=password]').getAttribute('aria-invalid') === 'true'",
    )
    .await;
    tab.expect_error("status of 422").await;
    tab.fill("Password", PASSWORD).await;
    tab.click("button", "Create the account").await;
    tab.wait_for_path("/").await;
    tab.wait_for_text("Which site do you want to follow?").await;
    tab.go("/welcome").await;
    tab.wait_for_path("/").await;
}

async fn create_a_project(tab: &Tab) -> String {
    tab.fill("Domain", "no domain at all").await;
    tab.click("button", "Create the project").await;
    tab.wait_until(
        "the domain is refused",
        "document.querySelector('input[name=domain]').getAttribute('aria-invalid') === 'true'",
    )
    .await;
    tab.expect_error("status of 422").await;
    let keywords: Vec<String> = (0..30).map(|it| format!("running shoes {it}")).collect();
    let project = InstalledServer::create_a_project(tab, &keywords).await;
    tab.wait_for_text("The shop").await;
    tab.wait_for_text("Nothing is measured yet").await;
    project
}

async fn measure(tab: &Tab, project: &str) {
    InstalledServer::run_analysis(tab, "Check rankings now", "Rank check").await;
    tab.wait_for_text("Simulated data.").await;
    tab.wait_for_text("On the first page").await;
    InstalledServer::run_analysis(tab, "Audit the site", "Site audit").await;
    InstalledServer::run_analysis(tab, "Web vitals", "Web vitals").await;

    tab.go(&format!("{project}/keywords?sort=text")).await;
    for keyword in ["running shoes 0", "running shoes 1"] {
        let name = format!("Measure “{keyword}” in AI answers");
        tab.click_through("table", "checkbox", &name).await;
    }
    tab.go(project).await;
    InstalledServer::run_analysis(tab, "AI answers", "AI visibility").await;

    tab.go("/analyses").await;
    for name in ["Rank check", "Site audit", "Web vitals", "AI visibility"] {
        tab.wait_for_text(name).await;
    }
    tab.wait_for_text("succeeded").await;
    tab.click_in("nav.tabs", "link", "Failed").await;
    tab.wait_for_path("/analyses?status=failed").await;
    tab.wait_for_text("No analyses here").await;
}

async fn read_every_result(tab: &Tab, project: &str) {
    tab.go(project).await;
    for (path, title, link) in RESULTS {
        tab.click_in("nav.side", "link", link).await;
        tab.wait_for_path(&format!("{project}/results/{path}"))
            .await;
        assert!(tab.has("heading", title).await, "{path} is called {title}");
        let text = tab.text().await;
        if FIRST_DAY_RESULTS.contains(&path) {
            assert!(!text.contains("Not measured yet"), "{path}: {text}");
            assert!(text.contains("easured"), "{path} says when: {text}");
        }
        // Opens everything collapsed, including the charts' tables.
        tab.eval("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
            .await;
        tab.assert_clean(path);
    }
    tab.go(&format!("{project}/results/rankings")).await;
    tab.wait_for_text("running shoes 0").await;
    // The demo has no web vitals, so accessibility is checked here.
    tab.go(&format!("{project}/results/vitals")).await;
    tab.wait_for_text("Our own loads in a browser").await;
    tab.wait_for_text("LCP, largest content shown").await;
    let mut faults = Vec::new();
    check_page(tab, "web vitals", &mut faults).await;
    assert_no_violations(&faults);
}

async fn look_after_keywords(tab: &Tab, project: &str) {
    tab.go(&format!("{project}/keywords")).await;
    tab.click("summary", "Add keywords").await;
    tab.fill("Keywords", "trail shoes\n  Trail   Shoes \nracing flats")
        .await;
    tab.click_through("main", "button", "Add them").await;
    tab.wait_for_text("32 in use").await;
    tab.fill("Search keywords", "racing").await;
    tab.press("Enter").await;
    tab.wait_until(
        "it is searched",
        "location.search.includes('search=racing')",
    )
    .await;
    tab.wait_until_idle().await;
    tab.wait_for_text("racing flats").await;
    tab.click_through("table", "button", "Deactivate").await;
    tab.wait_for_text("31 in use").await;
    tab.choose("Show", "Deactivated").await;
    tab.wait_until(
        "they are shown",
        "location.search.includes('status=deactivated')",
    )
    .await;
    tab.wait_until_idle().await;
    tab.click_through("table", "button", "Bring back").await;
    tab.wait_for_text("32 in use").await;
}

/// Runs the displayed command in a shell.
fn paste(line: &str) -> Value {
    let script = format!("{} --silent", line.trim());
    let ran = Command::new("bash").args(["-c", &script]).output();
    let ran = ran.expect("bash");
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {line}: {ran:?}"))
}

/// The displayed MCP configuration reaches the tools that the token allows.
async fn the_configuration_for_agents_works(tab: &Tab) {
    let shown = tab.eval("document.getElementById('mcp').textContent").await;
    let shown: Value = serde_json::from_str(shown.as_str().unwrap()).unwrap();
    let server = &shown["mcpServers"]["sightline"];
    let (url, header) = (&server["url"], &server["headers"]["Authorization"]);
    let (url, header) = (url.as_str().unwrap(), header.as_str().unwrap());
    let kept = tab
        .eval("document.getElementById('keep').textContent")
        .await;
    let kept = kept.as_str().unwrap();
    let listed = paste(&format!(
        "{kept}; curl {url} -H \"Authorization: {header}\" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}}'"
    ));
    assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(3));
    let command = tab
        .eval("document.getElementById('claude').textContent")
        .await;
    let expected = format!(
        "claude mcp add --transport http sightline {url} --header 'Authorization: {header}'"
    );
    assert_eq!(command, expected.as_str());
}

async fn use_a_token(tab: &Tab) {
    tab.go("/").await;
    tab.click_in("nav.side", "link", "Settings").await;
    tab.wait_for_path("/settings/account").await;
    tab.click_in("nav.tabs", "link", "API tokens").await;
    tab.wait_for_path("/settings/api-tokens").await;
    tab.fill("Name", "Reporting agent").await;
    tab.choose("Works for", "30 days").await;
    tab.click("button", "Make the token").await;
    tab.wait_for_text("The token is made.").await;
    tab.wait_until(
        "the token is shown",
        "document.getElementById('token').textContent.length > 20",
    )
    .await;
    let line = tab
        .eval("document.getElementById('curl').textContent")
        .await;
    let line = line.as_str().unwrap().to_owned();
    let projects = paste(&line);
    assert_eq!(projects["items"][0]["name"], "The shop", "{projects}");
    the_configuration_for_agents_works(tab).await;
    // Shown once: not after a reload, and not in browser storage.
    let token = line
        .split("Bearer ")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let token = token.to_owned();
    tab.reload().await;
    tab.wait_for_text("Reporting agent").await;
    let page = tab.eval("document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href").await;
    assert!(!page.as_str().unwrap().contains(&token));
    tab.click_through("table", "button", "Revoke").await;
    tab.wait_for_text("revoked").await;
    assert!(
        tab.events()
            .dialogs()
            .iter()
            .any(|it| it.contains("Revoke this token?"))
    );
    assert_eq!(paste(&line)["status"], 401);
}

async fn read_the_reference(tab: &Tab) {
    tab.click_in("nav.side", "link", "API reference").await;
    tab.wait_for_path("/docs").await;
    tab.wait_for_text("/api/agent/v1/projects").await;
    tab.eval("document.querySelectorAll('details').forEach((it) => { it.open = true; })")
        .await;
    tab.assert_clean("/docs");
}

async fn change_settings(tab: &Tab, project: &str) {
    tab.go("/settings/account").await;
    tab.fill("Account", "Ann and friends").await;
    tab.click("button", "Save").await;
    tab.wait_for_text("Saved.").await;
    tab.go("/settings/report-defaults").await;
    tab.choose("How often", "Monthly").await;
    tab.click("button", "Save").await;
    tab.wait_for_text("Saved.").await;
    tab.go("/settings/usage").await;
    tab.wait_for_text("Spent this month").await;
    tab.go(&format!("{project}/settings")).await;
    tab.fill("Client", "A client").await;
    tab.fill("Tags", "red, blue").await;
    tab.eval("document.querySelector('input[name=favorite]').click()")
        .await;
    tab.eval("document.querySelector('form[data-api^=\"PATCH\"] button[type=submit]').click()")
        .await;
    tab.wait_for_text("Saved.").await;
    tab.wait_until_idle().await;
    let rows = "Query,Clicks,Impressions,CTR,Position\nrunning shoes 0,10,100,10%,3.2\nblue anvils,1,400,0.25%,11.5\n";
    tab.fill("Or its text", rows).await;
    tab.eval("document.querySelector('input[name=from]').value = '2026-10-01'")
        .await;
    tab.eval("document.querySelector('input[name=to]').value = '2026-10-28'")
        .await;
    tab.click_through("main", "button", "Import").await;
    tab.wait_for_text("What was imported").await;
    tab.go("/?tag=blue").await;
    tab.wait_for_text("The shop").await;
    tab.wait_for_text("favourite").await;
    tab.go("/settings/account").await;
    tab.wait_for_text("Where you are signed in").await;
    assert_eq!(
        tab.eval("document.querySelector('input[name=accountName]').value")
            .await,
        "Ann and friends"
    );
    tab.go("/settings/audit-log?action=account.changed").await;
    tab.wait_for_text("Who did what").await;
    let row = "[...document.querySelectorAll('tbody tr')].map((it) => it.innerText).join()";
    let row = tab.eval(row).await;
    assert!(row.as_str().unwrap().contains("Ann"), "{row}");
}

async fn leave(tab: &Tab, project: &str) {
    let elsewhere = Tab::open(tab.base()).await;
    sign_in(&elsewhere, EMAIL, PASSWORD).await;
    elsewhere.wait_for_path("/").await;

    tab.go(project).await;
    tab.click("button", "Sign out").await;
    tab.wait_for_path("/sign-in").await;
    // The back button shows nothing after signing out.
    tab.eval("history.back()").await;
    tab.wait_for_path("/sign-in").await;
    assert!(!tab.text().await.contains("The shop"));
    tab.go(project).await;
    tab.wait_for_path("/sign-in").await;

    sign_in(tab, EMAIL, PASSWORD).await;
    tab.wait_for_path("/").await;
    tab.go("/settings/account").await;
    tab.click("button", "Sign out everywhere").await;
    tab.wait_for_path("/sign-in").await;
    elsewhere.go(project).await;
    elsewhere.wait_for_path("/sign-in").await;
    elsewhere.close().await;
}

/// All requests went to this server.
fn nothing_came_from_elsewhere(tab: &Tab) {
    let requests = tab.requests();
    assert!(requests.len() > 100, "{}", requests.len());
    let elsewhere: Vec<&String> = { requests.iter() }
        .map(|it| &it.url)
        .filter(|it| !it.starts_with(tab.base()) && !it.starts_with("data:"))
        .collect();
    assert!(elsewhere.is_empty(), "{elsewhere:?}");
}
