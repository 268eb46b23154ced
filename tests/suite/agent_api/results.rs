//! Results: every state, records as they were stored, history, paging, all types.

use analysis::{
    document::Document, findings::rankings::RankingsTally, provenance::Provenance,
    result_type::ResultType,
};
use chrono::TimeDelta;
use domain::{
    ids::{JobId, KeywordId, ProjectId},
    ports::clock::Clock,
    results::{Coverage, ResultHead, StagedFinding},
};
use harness::{app::TestApp, callers::Agent, databases::TestDatabase, on_every_database};
use serde_json::{Value, json};

on_every_database![
    a_type_without_data_says_how_to_get_it,
    records_are_answered_as_they_were_stored,
    the_history_holds_every_run,
    old_results_are_stale_and_newer_ones_replace_them,
    large_pages_are_cut_and_walked_to_the_end,
    what_cannot_be_read_is_refused_with_what_was_meant,
];

async fn project(agent: &Agent) -> i64 {
    agent
        .post(
            "/projects",
            json!({ "domain": "shop.example.com", "keywords": ["rust"] }),
        )
        .await
        .is(201)["id"]
        .as_i64()
        .unwrap()
}

/// Publishes records as a finished rank check would; each is `{"n": …, "pad": …}`.
async fn db_publish(app: &TestApp, agent: &Agent, project: i64, count: i64, pad: usize) -> i64 {
    let job = agent
        .post(
            "/analyze",
            json!({ "type": "rankCheck", "projectId": project }),
        )
        .await
        .is(202)["id"]
        .as_i64()
        .unwrap();
    let now = app.clock.now();
    let staged = |n: i64| StagedFinding {
        result_type: ResultType::Rankings,
        ordinal: n,
        keyword: Some(KeywordId(n)),
        url: Some(format!("https://shop.example.com/{n}")),
        sort_value: (n != 2).then_some(f64::from(i32::try_from(count - n).unwrap())),
        measured_at: now,
        record: Document::from_stored(format!(
            r#"{{"id":{n},"n":{n},"exact":1.50,"pad":"{}"}}"#,
            "x".repeat(pad)
        )),
    };
    let head = ResultHead {
        account: agent.account,
        project: ProjectId(project),
        result_type: ResultType::Rankings,
        job: JobId(job),
        generated_at: now,
        measured_at: now,
        method_version: "rankings/1".into(),
        provider: "sandbox".into(),
        provenance: Provenance::Simulated,
        coverage: Coverage::of(9, 8, 1),
        item_count: u64::try_from(count).unwrap(),
        summary: Document::of(&RankingsTally::default().finish(9)),
        warnings: vec!["test".into()],
    };
    let mut work = app.storage.write().await.unwrap();
    let mut job = work
        .jobs()
        .lock(agent.account, JobId(job))
        .await
        .unwrap()
        .unwrap();
    work.measurements()
        .stage(
            agent.account,
            job.id,
            &(1..=count).map(staged).collect::<Vec<_>>(),
        )
        .await
        .unwrap();
    work.results()
        .publish(agent.account, ProjectId(project), job.id, &[head])
        .await
        .unwrap();
    job.state = domain::job::JobState::Succeeded;
    job.finished_at = Some(now);
    work.jobs().save(&job).await.unwrap();
    work.commit().await.unwrap();
    job.id.0
}

fn numbers(page: &Value) -> Vec<i64> {
    page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["n"].as_i64().unwrap())
        .collect()
}

async fn a_type_without_data_says_how_to_get_it(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let id = project(&agent).await;
    let never = agent
        .get(&format!("/results?type=rankings&projectId={id}"))
        .await
        .is(200);
    assert_eq!(
        (
            &never["state"],
            &never["items"],
            &never["summary"],
            &never["measuredAt"]
        ),
        (&json!("neverRun"), &json!([]), &Value::Null, &Value::Null)
    );
    assert_eq!(
        never["nextActions"][0]["body"],
        json!({ "type": "rankCheck", "projectId": id })
    );
    assert_eq!(never["project"]["domain"], "shop.example.com");
    for disabled in ["sov", "forecast", "ai-visibility", "vitals", "content"] {
        let answer = agent
            .get(&format!("/results?type={disabled}&projectId={id}"))
            .await
            .is(200);
        assert_eq!(
            (&answer["state"], &answer["reason"], &answer["items"]),
            (&json!("disabled"), &json!("notBuiltYet"), &json!([]))
        );
    }
    let action = &never["nextActions"][0];
    let job = agent.post("/analyze", action["body"].clone()).await.is(202);
    let pending = agent
        .get(&format!("/results?type=serp&projectId={id}"))
        .await
        .is(200);
    assert_eq!(pending["state"], "pending");
    assert_eq!(
        pending["nextActions"][0]["href"],
        format!("/api/agent/v1/analyze?jobId={}&wait=20", job["id"])
    );
    let all = agent
        .get(&format!("/results?type=all&projectId={id}"))
        .await
        .is(200);
    let states: Vec<&Value> = all["results"]
        .as_object()
        .unwrap()
        .values()
        .map(|it| &it["state"])
        .collect();
    assert_eq!(states.len(), 16);
    assert_eq!(states.iter().filter(|it| **it == "disabled").count(), 13);
    assert_eq!(all["results"]["broken-links"]["state"], "neverRun");
}

async fn records_are_answered_as_they_were_stored(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let id = project(&agent).await;
    let job = db_publish(&app, &agent, id, 7, 1).await;
    let answer = agent
        .get(&format!("/results?type=rankings&projectId={id}"))
        .await;
    assert!(
        answer
            .text
            .contains(r#"{"id":1,"n":1,"exact":1.50,"pad":"x"}"#),
        "byte for byte"
    );
    let results = answer.is(200);
    for (member, expected) in [
        ("state", json!("ready")),
        ("jobId", json!(job)),
        ("methodVersion", json!("rankings/1")),
        ("provenance", json!("simulated")),
        ("provider", json!("sandbox")),
        (
            "coverage",
            json!({ "requested": 9, "measured": 8, "failed": 1, "skipped": 0 }),
        ),
        ("summary", json!(RankingsTally::default().finish(9))),
        ("warnings", json!(["test"])),
        ("limit", json!(100)),
        ("nextCursor", Value::Null),
    ] {
        assert_eq!(results[member], expected, "{member}");
    }
    for (query, expected) in [
        ("", vec![1, 2, 3, 4, 5, 6, 7]),
        ("&sort=-default", vec![7, 6, 5, 4, 3, 2, 1]),
        ("&sort=position", vec![7, 6, 5, 4, 3, 1, 2]),
        ("&sort=-position", vec![1, 3, 4, 5, 6, 7, 2]),
        ("&keywordId=3", vec![3]),
        ("&url=https://shop.example.com/4", vec![4]),
        ("&keywordId=99", vec![]),
    ] {
        let page = agent
            .get(&format!("/results?type=rankings&projectId={id}{query}"))
            .await
            .is(200);
        assert_eq!(numbers(&page), expected, "{query}");
    }
    let selected = agent
        .get(&format!(
            "/results?type=rankings&projectId={id}&fields=n&limit=1"
        ))
        .await
        .is(200);
    assert_eq!(selected["items"], json!([{ "id": 1, "n": 1 }]));
    let all = agent
        .get(&format!("/results?type=all&projectId={id}"))
        .await
        .is(200);
    assert_eq!(numbers(&all["results"]["rankings"]), [1, 2, 3, 4, 5]);
    assert_eq!(
        (
            &all["results"]["rankings"]["truncated"],
            &all["results"]["rankings"]["state"]
        ),
        (&json!(true), &json!("ready"))
    );
}

async fn the_history_holds_every_run(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let id = project(&agent).await;
    for _ in 0..3 {
        db_publish(&app, &agent, id, 2, 1).await;
        app.clock.advance(TimeDelta::days(1));
    }
    let day = |back: i64| (app.clock.now() - TimeDelta::days(back)).date_naive();
    for (query, expected) in [
        ("&history=true", 6),
        ("&history=true&keywordId=1", 3),
        ("&history=false", 2),
        (&format!("&history=true&from={}", day(1)), 2),
        (&format!("&history=true&to={}", day(1)), 4),
    ] {
        let page = agent
            .get(&format!("/results?type=rankings&projectId={id}{query}"))
            .await
            .is(200);
        assert_eq!(page["items"].as_array().unwrap().len(), expected, "{query}");
    }
    let mut walked = Vec::new();
    let mut path = format!("/results?type=rankings&projectId={id}&history=true&limit=4");
    loop {
        let page = agent.get(&path).await.is(200);
        walked.extend(numbers(&page));
        match page["nextCursor"].as_str() {
            Some(cursor) => {
                path = format!(
                    "/results?type=rankings&projectId={id}&history=true&limit=4&cursor={cursor}"
                );
            }
            None => break,
        }
    }
    walked.sort_unstable();
    assert_eq!(walked, [1, 1, 1, 2, 2, 2]);
}

async fn old_results_are_stale_and_newer_ones_replace_them(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let id = project(&agent).await;
    db_publish(&app, &agent, id, 2, 1).await;
    app.clock.advance(TimeDelta::days(36));
    let stale = agent
        .get(&format!("/results?type=rankings&projectId={id}"))
        .await
        .is(200);
    assert_eq!(
        (&stale["state"], numbers(&stale).len()),
        (&json!("stale"), 2)
    );
    let job = db_publish(&app, &agent, id, 3, 1).await;
    let fresh = agent
        .get(&format!("/results?type=rankings&projectId={id}"))
        .await
        .is(200);
    assert_eq!(
        (&fresh["state"], &fresh["jobId"], numbers(&fresh).len()),
        (&json!("ready"), &json!(job), 3)
    );
}

async fn large_pages_are_cut_and_walked_to_the_end(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let id = project(&agent).await;
    db_publish(&app, &agent, id, 12, 60_000).await;
    for sort in ["default", "-default", "position", "-position"] {
        let mut walked = Vec::new();
        let mut path = format!("/results?type=rankings&projectId={id}&sort={sort}");
        loop {
            let answer = agent.get(&path).await;
            assert!(answer.text.len() < 300_000, "{} bytes", answer.text.len());
            let page = answer.is(200);
            walked.extend(numbers(&page));
            match page["nextCursor"].as_str() {
                Some(cursor) => {
                    path = format!(
                        "/results?type=rankings&projectId={id}&sort={sort}&cursor={cursor}"
                    );
                }
                None => break,
            }
        }
        walked.sort_unstable();
        assert_eq!(walked, (1..=12).collect::<Vec<_>>(), "{sort}");
    }
}

async fn what_cannot_be_read_is_refused_with_what_was_meant(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_agent().await;
    let id = project(&agent).await;
    let problem = agent
        .get(&format!("/results?type=ranking&projectId={id}"))
        .await
        .refused(422, "validation-failed");
    assert_eq!(
        (
            &problem["errors"][0]["didYouMean"],
            problem["errors"][0]["allowed"].as_array().unwrap().len()
        ),
        (&json!("rankings"), 17)
    );
    for (query, places) in [
        (String::new(), vec!["projectId", "type"]),
        ("type=rankings".to_owned(), vec!["projectId"]),
        (format!("projectId={id}"), vec!["type"]),
        ("type=rankings&projectId=x".to_owned(), vec!["projectId"]),
        (
            format!("type=rankings&projectId={id}&from=yesterday&limit=0"),
            vec!["limit", "from"],
        ),
        (
            format!("type=rankings&projectId={id}&sort=size"),
            vec!["sort"],
        ),
        (
            format!("type=rankings&projectId={id}&histroy=true"),
            vec!["histroy"],
        ),
    ] {
        let mut told: Vec<String> = agent
            .get(&format!("/results?{query}"))
            .await
            .invalid()
            .into_iter()
            .map(|(place, _)| place)
            .collect();
        told.sort();
        let mut places: Vec<String> = places.into_iter().map(str::to_owned).collect();
        places.sort();
        assert_eq!(told, places, "{query}");
    }
}
