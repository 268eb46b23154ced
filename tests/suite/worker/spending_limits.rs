//! Spending limits of new accounts, and warnings about unlimited spending.

use super::{
    process::{Process, command},
    world::World,
};
use serde_json::Value;
use storage::DatabaseKind;
use tempfile::TempDir;

type Settings<'a> = &'a [(&'a str, &'a str)];

const PAID: (&str, &str) = ("SIGHTLINE_SEARCH__SERPER__API_KEY", "a-key-of-serper");
const NO_BUDGET: (&str, &str) = ("SIGHTLINE_NEW_ACCOUNTS__MONTHLY_BUDGET", "none");
const BY_DAY: (&str, &str) = ("SIGHTLINE_SEARCH__MOST_PER_DAY", "5");

fn owned(settings: Settings) -> Vec<(String, String)> {
    let own = |it: &(&str, &str)| (it.0.to_owned(), it.1.to_owned());
    settings.iter().map(own).collect()
}

fn run(place: &TempDir, settings: Settings, arguments: &[&str]) -> String {
    let ran = command(place.path(), &owned(settings), arguments)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap()
}

fn create(place: &TempDir, settings: Settings, name: &str) -> Value {
    let email = format!("{name}@example.com");
    let arguments = ["account", "create", "--email", &email, "--name", name];
    run(place, settings, &arguments);
    let listed = run(place, &[], &["account", "list", "--json"]);
    let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let made = listed.iter().find(|it| it["email"] == *email).unwrap();
    made["limits"].clone()
}

fn spending(place: &TempDir, settings: Settings) -> (String, String) {
    let report = run(place, settings, &["doctor", "--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().find(|it| it["check"] == "spending").unwrap();
    let text = |key: &str| found[key].as_str().unwrap().to_owned();
    (text("state"), text("told"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_below_the_usage_are_reported() {
    let world = World::on(DatabaseKind::Sqlite).await;
    let (_server, api) = world.serve(&["--no-worker"]);
    for host in ["a.example.com", "b.example.com"] {
        api.project(host, 2).await;
    }
    let limited = |projects: &str| {
        let email = ["--email", "ann@example.com", "--projects", projects];
        let ran = world.command(&[&["account", "limits"], &email[..]].concat());
        let ran = { ran }.output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8(ran.stderr).unwrap()
    };
    assert!(!limited("2").contains("are in use"));
    let warning = limited("1");
    assert!(
        warning.contains("projects: 2 are in use and 1 allowed"),
        "{warning}"
    );
}

#[test]
fn new_accounts_get_the_configured_limits() {
    let place = TempDir::new().unwrap();
    let first = create(&place, &[], "ann");
    assert_eq!(first["monthlyBudget"], "100.00");
    assert_eq!(first["projects"], 100);
    let settings = [
        ("SIGHTLINE_NEW_ACCOUNTS__PROJECTS", "3"),
        ("SIGHTLINE_NEW_ACCOUNTS__MONTHLY_BUDGET", "12.5"),
        ("SIGHTLINE_NEW_ACCOUNTS__DAILY_BUDGET", "1"),
    ];
    let second = create(&place, &settings, "bob");
    assert_eq!(second["projects"], 3);
    assert_eq!(second["monthlyBudget"], "12.50");
    assert_eq!(second["dailyBudget"], "1.00");
    // Existing accounts keep their limits.
    let arguments = ["account", "limits", "--email", "ann@example.com"];
    let kept = run(&place, &settings, &arguments);
    assert!(kept.contains("monthly budget: 100.00 USD"), "{kept}");
}

#[test]
fn doctor_names_accounts_without_spending_limit() {
    let place = TempDir::new().unwrap();
    assert_eq!(spending(&place, &[NO_BUDGET]).0, "good");
    assert_eq!(spending(&place, &[PAID]).0, "good");
    assert_eq!(spending(&place, &[PAID, NO_BUDGET]).0, "notice");
    create(&place, &[NO_BUDGET], "ann");
    let (state, description) = spending(&place, &[PAID]);
    assert_eq!(state, "notice", "{description}");
    assert!(
        description.starts_with("1 account(s) have no spending limit"),
        "{description}"
    );
    assert!(description.contains("Serper"), "{description}");
    // No paid supplier, or a cap above all accounts.
    assert_eq!(spending(&place, &[]).0, "good");
    assert_eq!(spending(&place, &[PAID, BY_DAY]).0, "good");
    let unpaid = ("SIGHTLINE_SEARCH__PAID_CALLS", "false");
    let searxng = ("SIGHTLINE_SEARCH__SEARXNG__BASE_URL", "http://127.0.0.1:1/");
    assert_eq!(spending(&place, &[PAID, unpaid, searxng]).0, "good");
    let email = ["--email", "ann@example.com"];
    let cap = [
        "account",
        "limits",
        email[0],
        email[1],
        "--daily-budget",
        "2",
    ];
    run(&place, &[], &cap);
    assert_eq!(spending(&place, &[PAID]).0, "good");
}

#[test]
fn start_warns_of_unlimited_spending() {
    let place = TempDir::new().unwrap();
    create(&place, &[NO_BUDGET], "ann");
    let settings = [
        PAID,
        ("SIGHTLINE_LISTEN", "127.0.0.1:0"),
        ("SIGHTLINE_ADMIN__LISTEN", "off"),
    ];
    for role in ["serve", "worker"] {
        let mut process = Process::start(command(place.path(), &owned(&settings), &[role]));
        let warning = process.await_line("no spending limit");
        assert!(warning.contains("WARN"), "{warning}");
        assert!(warning.contains("search.most_per_day"), "{warning}");
        process.kill();
    }
}
