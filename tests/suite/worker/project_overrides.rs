//! Competitors and ignored suggestions set by owners, and their effect on analyses.

use super::{api::Api, on_both, world::World};
use serde_json::{Value, json};

on_both!(
    set_competitor_is_tracked_and_own_domain_is_not,
    ignored_suggestion_stays_ignored_until_reopened,
    unknown_project_is_reported_by_every_list,
    deprecated_command_prints_a_notice_and_the_same_output,
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
        ["competitors", "list"],
        ["domains", "list"],
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
        "competitors",
        "add",
        "--domain",
        &format!("https://www.{competitor}/shop"),
        "--class",
        "marketplace",
    ]);
    run(&["domains", "add", "--domain", &own]);
    run(&["competitors", "add", "--domain", "unseen-competitor.com"]);
    for (group, count) in [("competitors", 2), ("domains", 3)] {
        let listed: Value = serde_json::from_str(&run(&[group, "list", "--json"])).unwrap();
        assert_eq!(listed.as_array().unwrap().len(), count, "{listed}");
    }
    let is_own = ["competitors", "remove", "--domain", &own];
    let refusal = world.run_failing_command(&[&is_own[..], &of[..]].concat());
    assert!(refusal.contains("is not a competitor"), "{refusal}");

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

    run(&["competitors", "remove", "--domain", &competitor]);
    run(&["domains", "remove", "--domain", "unseen-competitor.com"]);
    check(&api, project).await;
    assert_eq!(
        items(&api, "sov", project).await[0]["sovTracked"],
        Value::Null
    );
}

async fn deprecated_command_prints_a_notice_and_the_same_output(world: World) {
    let (_server, api) = world.serve(&[]);
    let id = api.project("example.com", 1).await.to_string();
    let of = ["--email", "ann@example.com", "--project", &id];
    let ran = |line: &str| {
        let words: Vec<&str> = line.split(' ').chain(of).collect();
        let ran = world.command(&words).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (ran.status.code(), text(ran.stdout), text(ran.stderr))
    };
    for (old, new, code, names) in [
        (
            "sites name --domain our-shop.com --as=own",
            "domains add --domain our-shop.com --role=own",
            0,
            ("sites name --as", "domains add --role"),
        ),
        (
            "sites list --json",
            "domains list --json",
            0,
            ("sites list", "domains list"),
        ),
        (
            "sites forget --domain unseen-competitor.com",
            "domains remove --domain unseen-competitor.com",
            2,
            ("sites forget", "domains remove"),
        ),
    ] {
        let (expected, renamed) = (ran(new), ran(old));
        let (before, after) = names;
        let notice = format!(
            "sightline: \"{before}\" is deprecated and will be removed in version 1.0; use \"{after}\"\n"
        );
        assert_eq!(expected.0, Some(code), "{expected:?}");
        assert_eq!((renamed.0, &renamed.1), (expected.0, &expected.1));
        assert_eq!(renamed.2, notice + &expected.2);
    }
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
    run("reopen", &["--id", &suggestion]);
    assert_eq!(state().await, "open");
}
