//! GET /results.

use analysis::result_type::ResultType;
use chrono::TimeDelta;
use harness::{
    app::{Ranked, TestApp},
    callers::{Caller, UNKNOWN_ID},
    databases::TestDatabase,
    on_every_database,
    rankings::{ranked, run, summary},
};
use serde_json::{Value, json};

on_every_database![
    results_go_from_never_run_over_pending_to_ready,
    records_are_copied_as_they_are_stored,
    histories_have_all_runs_and_are_filtered_by_time,
    only_records_of_earlier_runs_are_purged,
    records_are_filtered_and_sorted,
    type_all_returns_every_result_type,
];
harness::on_sqlite![
    no_type_is_disabled,
    an_invalid_request_is_refused,
    a_page_ends_before_it_grows_too_large,
];

/// A project with two keywords.
async fn begun(app: &TestApp) -> (Caller, i64, Vec<i64>) {
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["one", "two"]).await;
    (agent, project, keywords)
}

async fn results_go_from_never_run_over_pending_to_ready(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    let path = format!("/results?type=rankings&projectId={project}");
    let never = agent.get(&path).await.ok();
    assert_eq!(
        (&never["state"], &never["items"], &never["summary"]),
        (&json!("neverRun"), &json!([]), &Value::Null)
    );
    let action = &never["nextActions"][0];
    assert_eq!(
        (&action["method"], &action["href"]),
        (&json!("POST"), &json!("/api/agent/v1/analyze"))
    );
    let job = agent
        .post("/analyze", action["body"].clone())
        .await
        .accepted()["id"]
        .as_i64()
        .unwrap();
    let pending = agent.get(&path).await.ok();
    assert_eq!(pending["state"], "pending");
    assert_eq!(
        pending["nextActions"][0]["href"],
        format!("/api/agent/v1/analyze?jobId={job}&wait=20")
    );

    app.db_publish_rankings(
        project,
        job,
        &summary(),
        &[ranked(&app, project, keywords[0], Some(3))],
    )
    .await;
    let ready = agent.get(&path).await.ok();
    assert_eq!(
        (&ready["state"], &ready["jobId"], &ready["nextActions"]),
        (&json!("ready"), &json!(job), &json!([]))
    );
    assert_eq!(
        (
            &ready["provenance"],
            &ready["provider"],
            &ready["methodVersion"]
        ),
        (&json!("simulated"), &json!("sandbox"), &json!("rankings/1"))
    );
    assert_eq!(
        ready["project"],
        agent.get(&format!("/projects/{project}")).await.ok()
    );
    let keyword = agent
        .get(&format!("/projects/{project}/keywords?sort=position"))
        .await
        .ok()["items"][0]
        .clone();
    assert_eq!(keyword["latest"]["position"], 3);
    app.clock.advance(TimeDelta::days(36));
    let stale = agent.get(&path).await.ok();
    assert_eq!(
        (&stale["state"], &stale["nextActions"][0]["body"]["type"]),
        (&json!("stale"), &json!("rankCheck"))
    );
}

async fn records_are_copied_as_they_are_stored(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    let record = ranked(&app, project, keywords[0], Some(3));
    run(&app, &agent, project, std::slice::from_ref(&record)).await;
    let answer = agent
        .get(&format!("/results?type=rankings&projectId={project}"))
        .await;
    assert!(
        record.record.contains("0.10") && answer.body.contains(&record.record),
        "{}",
        answer.body
    );
    assert!(answer.body.contains(&summary()));
    let few = agent
        .get(&format!(
            "/results?type=rankings&projectId={project}&fields=position,keyword"
        ))
        .await
        .ok();
    assert_eq!(
        few["items"],
        json!([{ "position": 3, "keyword": "one", "keywordId": keywords[0], "url": null }]),
        "what tells records apart is always there"
    );
    let wrong = agent
        .get(&format!(
            "/results?type=rankings&projectId={project}&fields=positon"
        ))
        .await;
    assert_eq!(wrong.errors(), [("fields".into(), "unknown-field".into())]);
    assert_eq!(wrong.json()["errors"][0]["didYouMean"], "position");
}

async fn histories_have_all_runs_and_are_filtered_by_time(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    for position in [9, 5, 2] {
        run(
            &app,
            &agent,
            project,
            &[ranked(&app, project, keywords[0], Some(position))],
        )
        .await;
        app.clock.advance(TimeDelta::days(1));
    }
    let path = format!("/results?type=rankings&projectId={project}");
    let positions = |results: Value| -> Vec<i64> {
        results["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["position"].as_i64().unwrap())
            .collect()
    };
    for (more, expected) in [
        ("", vec![2]),
        ("&history=true", vec![2, 5, 9]),
        ("&history=true&sort=measuredAt", vec![9, 5, 2]),
        ("&history=true&from=2026-09-22", vec![2, 5]),
        ("&history=true&to=2026-09-22", vec![5, 9]),
        ("&history=true&from=2026-09-22&to=2026-09-22", vec![5]),
        (
            "&history=true&from=2026-09-22T14:13:20Z&to=2026-09-23T14:13:20%2B00:00",
            vec![5],
        ),
        ("&history=true&limit=1", vec![2]),
    ] {
        assert_eq!(
            positions(agent.get(&format!("{path}{more}")).await.ok()),
            expected,
            "{more}"
        );
    }
    let mut walked = vec![];
    let mut next = format!("{path}&history=true&limit=1");
    loop {
        let page = agent.get(&next).await.ok();
        walked.extend(positions(page.clone()));
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        next = format!("{path}&history=true&limit=1&cursor={cursor}");
    }
    assert_eq!(walked, [2, 5, 9]);
}

async fn only_records_of_earlier_runs_are_purged(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    let path = format!("/results?type=rankings&projectId={project}&history=true");
    let positions = async || -> Vec<Value> {
        let history = agent.get(&path).await.ok();
        let items = history["items"].as_array().unwrap();
        items.iter().map(|it| it["position"].clone()).collect()
    };
    for position in [9, 5] {
        let record = ranked(&app, project, keywords[0], Some(position));
        run(&app, &agent, project, &[record]).await;
        app.clock.advance(TimeDelta::days(30));
    }
    let age = |days| app.clock.advance(TimeDelta::days(days));
    // Both are more than a year old and still returned.
    age(400);
    app.core().purge_expired().await.unwrap();
    assert_eq!(positions().await, [5, 9]);
    // The first is 37 months and a day old, the second a month younger.
    age(37 * 30 + 18 - 460);
    app.core().purge_expired().await.unwrap();
    assert_eq!(positions().await, [5]);
    // The newest is kept at any age, as the current position.
    age(4_000);
    app.core().purge_expired().await.unwrap();
    assert_eq!(positions().await, [5]);
}

async fn records_are_filtered_and_sorted(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    let records = [
        ranked(&app, project, keywords[0], None),
        ranked(&app, project, keywords[1], Some(7)),
    ];
    run(&app, &agent, project, &records).await;
    let path = format!("/results?type=rankings&projectId={project}");
    let positions = |results: Value| -> Vec<Value> {
        results["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["position"].clone())
            .collect()
    };
    for (more, expected) in [
        (String::new(), vec![Value::Null, json!(7)]),
        ("&sort=position".into(), vec![json!(7), Value::Null]),
        ("&sort=-default".into(), vec![json!(7), Value::Null]),
        (format!("&keywordId={}", keywords[1]), vec![json!(7)]),
        ("&url=https://shop.example.com/7".into(), vec![json!(7)]),
    ] {
        assert_eq!(
            positions(agent.get(&format!("{path}{more}")).await.ok()),
            expected,
            "{more}"
        );
    }
    // A foreign keyword is not taken for one that was never measured.
    let (elsewhere, others) = agent.project("other.example.com", &["elsewhere"]).await;
    for keyword in [UNKNOWN_ID, others[0]] {
        let answer = agent.get(&format!("{path}&keywordId={keyword}")).await;
        answer.refused(404, "keyword-not-found");
    }
    let waits = format!(
        "/results?type=serp&projectId={elsewhere}&keywordId={}",
        others[0]
    );
    assert_eq!(agent.get(&waits).await.ok()["items"], json!([]));
}

async fn type_all_returns_every_result_type(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    let many: Vec<Ranked> = vec![ranked(&app, project, keywords[0], Some(1)); 7];
    run(&app, &agent, project, &many).await;
    agent
        .post(
            "/analyze",
            json!({ "type": "siteAudit", "projectId": project }),
        )
        .await
        .accepted();
    let all = agent
        .get(&format!("/results?type=all&projectId={project}"))
        .await
        .ok();
    let results = all["results"].as_object().unwrap();
    assert_eq!(results.len(), 16);
    assert!(
        ResultType::ALL
            .iter()
            .all(|it| results.contains_key(it.name()))
    );
    let rankings = &results["rankings"];
    assert_eq!(
        (
            &rankings["state"],
            rankings["items"].as_array().unwrap().len(),
            &rankings["truncated"]
        ),
        (&json!("ready"), 5, &json!(true))
    );
    assert_eq!(
        (
            &results["serp"]["state"],
            &results["broken-links"]["state"],
            &results["ai-trends"]["state"]
        ),
        (&json!("neverRun"), &json!("pending"), &json!("neverRun"))
    );
    let next = rankings["next"].as_str().unwrap();
    agent
        .send(agent.request_path(reqwest::Method::GET, next))
        .await
        .ok();
}

async fn no_type_is_disabled(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, _) = begun(&app).await;
    for kind in ResultType::ALL {
        let state = agent
            .get(&format!("/results?type={kind}&projectId={project}"))
            .await
            .ok()["state"]
            .clone();
        assert_eq!(state, "neverRun", "{kind}");
    }
}

async fn an_invalid_request_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, _) = begun(&app).await;
    let answer = agent
        .get(&format!("/results?type=ranking&projectId={project}"))
        .await;
    assert_eq!(answer.errors(), [("type".into(), "invalid-value".into())]);
    assert_eq!(answer.json()["errors"][0]["didYouMean"], "rankings");
    let missing = agent.get("/results").await.errors();
    assert_eq!(
        missing,
        [
            ("projectId".into(), "required".into()),
            ("type".into(), "required".into())
        ]
    );
    for wrong in [
        "keywordId=x",
        "from=yesterday",
        "to=2026-09-21&from=2026-09-22",
        "to=2026-09-22T14:13:20Z&from=2026-09-22T14:13:20Z",
        "history=1",
        "limit=0",
        "cursor=x",
        "sort=size",
        "include=all",
    ] {
        for kind in ["rankings", "all"] {
            let errors = agent
                .get(&format!("/results?type={kind}&projectId={project}&{wrong}"))
                .await
                .errors();
            assert_eq!(errors[0].0, wrong.split('=').next().unwrap());
        }
        let nobodys = agent
            .get(&format!(
                "/results?type=rankings&projectId={UNKNOWN_ID}&{wrong}"
            ))
            .await;
        nobodys.refused(404, "project-not-found");
    }
    // An unsupported filter is refused, not ignored.
    for of_one_type in [
        "fields=position",
        "sort=position",
        "history=true",
        "from=2026-01-01",
    ] {
        let path = format!("/results?type=all&projectId={project}&{of_one_type}");
        let name = of_one_type.split('=').next().unwrap().to_owned();
        assert_eq!(
            agent.get(&path).await.errors(),
            [(name, "not-applicable".into())]
        );
    }
    let many = format!("/results?type=all&projectId={project}&limit=1000");
    agent.get(&many).await.ok();
    let of_another = format!("/results?type=rankings&projectId={project}&fields=targetUrl,positon");
    let answer = agent.get(&of_another).await;
    let wrong = ("fields".to_owned(), "unknown-field".to_owned());
    assert_eq!(answer.errors(), [wrong.clone(), wrong]);
}

async fn a_page_ends_before_it_grows_too_large(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (agent, project, keywords) = begun(&app).await;
    let mut large = ranked(&app, project, keywords[0], Some(1));
    large.record = large.record.replacen(
        '{',
        &format!("{{ \"padding\": \"{}\",", "x".repeat(100_000)),
        1,
    );
    run(&app, &agent, project, &vec![large; 5]).await;
    let path = format!("/results?type=rankings&projectId={project}");
    let mut sizes = vec![];
    let mut next = path.clone();
    loop {
        let page = agent.get(&next).await.ok();
        sizes.push(page["items"].as_array().unwrap().len());
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        next = format!("{path}&cursor={cursor}");
    }
    assert_eq!(sizes, [2, 2, 1]);
}
