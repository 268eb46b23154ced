//! Competitors and ignored suggestions set by owners, and their effect on analyses.

use super::{api::Api, on_both, world::World};
use serde_json::{Value, json};

on_both!(
    set_competitor_is_tracked_and_own_domain_is_not,
    ignored_suggestion_stays_ignored_until_reopened,
    unknown_project_is_reported_by_every_list,
);

async fn items(api: &Api, result_type: &str, project: i64) -> Vec<Value> {
    let path = format!("/results?type={result_type}&projectId={project}&limit=100");
    let results = api.get(&path).await;
    results["items"].as_array().unwrap().clone()
}

async fn check(api: &Api, project: i64) {
    let over = api.finished(api.analyze("rankCheck", project).await).await;
    assert_eq!(over["status"], "succeeded", "{over}");
}

async fn unknown_project_is_reported_by_every_list(world: World) {
    for list in [
        ["sites", "list"],
        ["suggestions", "list"],
        ["answers", "list"],
        ["search-console", "rows"],
        ["search-console", "status"],
    ] {
        let of = ["--email", "ann@example.com", "--project", "12345"];
        let refusal = world.run_failing_command(&[&list[..], &of[..]].concat());
        assert!(
            refusal.contains("no active project 12345"),
            "{list:?}: {refusal}"
        );
    }
}

async fn set_competitor_is_tracked_and_own_domain_is_not(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 20).await;
    check(&api, project).await;
    let found = items(&api, "competitors", project).await;
    let domain = |at: usize| found[at]["domain"].as_str().unwrap().to_owned();
    let (competitor, own) = (domain(0), domain(1));
    let shares = items(&api, "sov", project).await;
    assert_eq!(shares[0]["sovTracked"], Value::Null);

    let id = project.to_string();
    let of = ["--email", "ann@example.com", "--project", &id];
    let run = |words: &[&str]| world.run_command(&[&words[..2], &of[..], &words[2..]].concat());
    run(&[
        "sites",
        "name",
        "--domain",
        &format!("https://www.{competitor}/shop"),
        "--class",
        "marketplace",
    ]);
    run(&["sites", "name", "--domain", &own, "--as", "own"]);
    run(&["sites", "name", "--domain", "unseen-competitor.com"]);
    let listed: Value = serde_json::from_str(&run(&["sites", "list", "--json"])).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 3, "{listed}");

    check(&api, project).await;
    let found = items(&api, "competitors", project).await;
    let of_domain = |domain: &str| found.iter().find(|it| it["domain"] == domain);
    let followed = of_domain(&competitor).expect("the competitor");
    let labels = (
        &followed["isTracked"],
        &followed["class"],
        &followed["source"],
    );
    assert_eq!(
        labels,
        (&json!(true), &json!("marketplace"), &json!("user")),
        "{followed}"
    );
    assert!(
        of_domain(&own).is_none(),
        "an own domain is not a competitor"
    );
    let unseen = of_domain("unseen-competitor.com").expect("it was named");
    assert_eq!(
        (&unseen["isTracked"], &unseen["rank"]),
        (&json!(true), &Value::Null)
    );
    let whole = &items(&api, "sov", project).await[0];
    let tracked = whole["sovTracked"].as_f64().unwrap();
    assert!(tracked > 0.0 && tracked < 1.0, "{whole}");
    let domains = whole["domains"].as_array().unwrap();
    let is_own = |it: &&Value| it["isOwn"] == true;
    assert!(domains.iter().filter(is_own).count() >= 1);

    run(&["sites", "forget", "--domain", &competitor]);
    run(&["sites", "forget", "--domain", "unseen-competitor.com"]);
    check(&api, project).await;
    assert_eq!(
        items(&api, "sov", project).await[0]["sovTracked"],
        Value::Null
    );
}

async fn ignored_suggestion_stays_ignored_until_reopened(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 30).await;
    check(&api, project).await;
    let suggestions = items(&api, "suggestions", project).await;
    let open = suggestions
        .iter()
        .find(|it| it["state"] == "open")
        .expect("one that is open");
    let suggestion = open["suggestionId"].as_str().unwrap().to_owned();
    let id = project.to_string();
    let run = |verb: &str, more: &[&str]| {
        let of = [
            "suggestions",
            verb,
            "--email",
            "ann@example.com",
            "--project",
            &id,
        ];
        world.run_command(&[&of[..], more].concat())
    };
    assert!(run("list", &[]).contains(&suggestion));
    run("ignore", &["--id", &suggestion, "--reason", "not now"]);
    let state = async || {
        check(&api, project).await;
        let suggestions = items(&api, "suggestions", project).await;
        let is_it = |it: &&Value| it["suggestionId"] == suggestion.as_str();
        suggestions
            .iter()
            .find(is_it)
            .expect("the suggestion is listed")["state"]
            .clone()
    };
    assert_eq!(state().await, "ignored");
    assert!(!run("list", &[]).contains(&suggestion));
    assert!(run("list", &["--all"]).contains(&suggestion));
    let all: Value = serde_json::from_str(&run("list", &["--all", "--json"])).unwrap();
    assert_eq!(
        (
            &all["ignored"][0]["suggestionId"],
            &all["ignored"][0]["reason"]
        ),
        (&json!(suggestion), &json!("not now"))
    );
    let shown = all["items"].as_array().unwrap();
    assert!(
        shown
            .iter()
            .any(|it| it["suggestionId"] == suggestion.as_str())
    );
    run("take-up", &["--id", &suggestion]);
    assert_eq!(state().await, "open");
}
