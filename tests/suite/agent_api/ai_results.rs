//! Results of AI visibility.

use analysis::{
    ai_answers::{
        EvaluatedAnswer,
        brands::{BrandBook, BrandSpec},
        evaluate,
    },
    document::Document,
    findings::{
        ai_trends::{AiTrendsSummary, TrendInput, TrendPeriod, trend},
        ai_visibility::{
            AiVisibilitySummary, PromptPanelKind, VisibilityInput, VisibilitySubject, tallies,
            visibility,
        },
    },
    observation::ai_answer::{
        AiAnswer, AnswerCitation, AnswerState, AnswerUsage, CitationPart, EnginePrompt,
    },
    provenance::Provenance,
    result_type::ResultType,
};
use domain::{
    ids::{JobId, KeywordId, ProjectId},
    ports::clock::Clock,
    results::{Coverage, ResultHead, StagedFinding},
};
use harness::{app::TestApp, databases::TestDatabase, on_every_database};
use serde_json::{Value, json};

on_every_database![
    records_of_ai_answers_are_read_as_they_were_published,
    project_without_ai_results_returns_the_first_action,
];

const ENGINES: [&str; 2] = ["gemini", "compatible"];

fn answer(app: &TestApp, keyword: i64, engine: &str, sample: u32) -> AiAnswer {
    let cited = AnswerCitation {
        url: "https://shop.example.com/desk?utm_source=openai".to_owned(),
        title: None,
        domain: None,
        part: CitationPart::SourceList,
        spans: Vec::new(),
    };
    AiAnswer {
        engine: engine.to_owned(),
        provider: "sandbox".to_owned(),
        provenance: Provenance::Simulated,
        requested_model: None,
        served_model: Some("model-1".to_owned()),
        prompt: EnginePrompt {
            prompt_id: format!("{keyword}.Q1.en.v1.00000000"),
            keyword_id: Some(keyword),
            template: "Q1".to_owned(),
            template_version: 1,
            language: "en".to_owned(),
            is_branded: false,
            text: "Which standing desk would you recommend and why?".to_owned(),
        },
        sample,
        state: if sample == 6 {
            AnswerState::Failed("supplierTimedOut".to_owned())
        } else {
            AnswerState::Answered
        },
        text: if sample.is_multiple_of(2) {
            "Zyxwor makes the best desks.".to_owned()
        } else {
            "<script>Acme</script> **Acme** is great.".to_owned()
        },
        citations: (engine == "gemini").then(|| vec![cited]),
        searches: None,
        queries: Vec::new(),
        answered_at: app.clock.now(),
        usage: AnswerUsage {
            cost_micros: Some(1_000),
            ..AnswerUsage::default()
        },
    }
}

fn staged(
    result_type: ResultType,
    ordinal: i64,
    keyword: Option<i64>,
    app: &TestApp,
    record: Document,
) -> StagedFinding {
    StagedFinding {
        result_type,
        ordinal,
        keyword: keyword.map(KeywordId),
        url: None,
        sort_value: None,
        measured_at: app.clock.now(),
        record,
    }
}

/// Publishes a run about one keyword: six prompts to each of two engines, the last of which failed.
async fn publish(app: &TestApp, project: i64, keyword: i64, job: i64) {
    let competitors = [BrandSpec::named("Zyxwor", "zyxwor.com")];
    let book = BrandBook::of(
        &BrandSpec::named("Acme", "shop.example.com"),
        &competitors,
        &[],
    );
    let (mut findings, mut records) = (Vec::new(), Vec::new());
    let mut trends = AiTrendsSummary::empty();
    for (place, engine) in (0..).zip(ENGINES) {
        let answers: Vec<(AiAnswer, EvaluatedAnswer)> = (1..=6)
            .map(|sample| {
                let it = answer(app, keyword, engine, sample);
                let evaluated = evaluate(&it, &book);
                (it, evaluated)
            })
            .collect();
        let record = visibility(&VisibilityInput {
            subject: VisibilitySubject {
                project_id: project,
                keyword: Some((keyword, "standing desk")),
                country: Some("us"),
                location: None,
                language: "en",
            },
            engine,
            panel: PromptPanelKind::Discovery,
            answers: &answers,
            book: &book,
            measured_at: app.clock.now(),
        });
        let document = Document::of(&record);
        findings.push(staged(
            ResultType::AiVisibility,
            keyword * 64 + place,
            Some(keyword),
            app,
            document,
        ));
        records.push(record);
        let summary = trend(&TrendInput {
            project_id: project,
            keyword: None,
            engine,
            period: TrendPeriod::Week,
            tallies: &tallies(answers.iter().map(|it| (&it.0, &it.1))),
            measured_at: app.clock.now(),
            provider: Some("sandbox"),
        });
        trends.add(&summary);
        let document = Document::of(&summary);
        findings.push(staged(ResultType::AiTrends, place, None, app, document));
    }
    let account = app.db_account().await;
    let head = |result_type, summary| ResultHead {
        account,
        project: ProjectId(project),
        result_type,
        job: JobId(job),
        generated_at: app.clock.now(),
        measured_at: app.clock.now(),
        method_version: "1".to_owned(),
        provider: "sandbox".to_owned(),
        provenance: Provenance::Simulated,
        coverage: Coverage::new(12, 10, 2),
        item_count: 2,
        summary,
        warnings: vec!["jobBudgetReached".to_owned()],
    };
    let summary = AiVisibilitySummary::of(&records, &[("gemini".to_owned(), 3.0)].into());
    let heads = [
        head(ResultType::AiVisibility, Document::of(&summary)),
        head(ResultType::AiTrends, Document::of(&trends)),
    ];
    let mut work = app.storage.write().await.unwrap();
    let id = JobId(job);
    work.measurements()
        .stage(account, id, &findings)
        .await
        .unwrap();
    let project = ProjectId(project);
    work.results()
        .publish(account, project, id, &heads, &[])
        .await
        .unwrap();
    work.commit().await.unwrap();
}

async fn records_of_ai_answers_are_read_as_they_were_published(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("shop.example.com", &["standing desk"]).await;
    let job = agent.rank_check(project).await;
    publish(&app, project, keywords[0], job).await;

    let path = format!("/results?type=ai-visibility&projectId={project}");
    let found = agent.get(&path).await.ok();
    assert_eq!(
        (&found["state"], &found["warnings"]),
        (&json!("ready"), &json!(["jobBudgetReached"]))
    );
    let record = &found["items"][0];
    assert_eq!(
        (
            &record["engine"],
            &record["answerCount"],
            &record["failedCount"],
            &record["mentionCount"],
            &record["mentionRate"],
            &record["citationRate"],
            &record["costUnits"],
        ),
        (
            &json!("gemini"),
            &json!(5),
            &json!(1),
            &json!(3),
            &json!(0.6),
            &json!(1.0),
            &json!(6_000),
        )
    );
    assert_eq!(
        record["failures"],
        json!([{ "code": "supplierTimedOut", "count": 1 }])
    );
    assert_eq!(record["competitors"][0]["name"], "Zyxwor");
    assert_eq!(record["answers"].as_array().unwrap().len(), 6);
    let mentions_only = &found["items"][1];
    assert_eq!(
        (
            &mentions_only["citationRate"],
            &mentions_only["citationCount"]
        ),
        (&Value::Null, &Value::Null)
    );
    let engines = found["summary"]["engines"].as_array().unwrap();
    assert_eq!(engines[1]["weight"], 3.0);

    let some = agent
        .get(&format!(
            "{path}&keywordId={}&fields=mentionRate,answers,engine",
            keywords[0]
        ))
        .await
        .ok();
    let some = some["items"].as_array().unwrap();
    assert_eq!(some.len(), 2);
    let members: Vec<&String> = some[0].as_object().unwrap().keys().collect();
    // Identifying members are always included.
    assert_eq!(
        members,
        ["keywordId", "url", "mentionRate", "answers", "engine"]
    );

    let trends = agent
        .get(&format!("/results?type=ai-trends&projectId={project}"))
        .await
        .ok();
    let record = &trends["items"][0];
    assert_eq!(
        (&record["verdict"], &record["reason"], &record["changeAbs"]),
        (
            &json!("insufficientData"),
            &json!("noAnswersInLastPeriod"),
            &Value::Null
        )
    );
    assert_eq!(trends["summary"]["engines"][1]["engine"], "compatible");

    let all = agent
        .get(&format!("/results?type=all&projectId={project}"))
        .await
        .ok();
    let of = &all["results"]["ai-visibility"];
    assert_eq!(
        (&of["state"], of["items"].as_array().unwrap().len()),
        (&json!("ready"), 2)
    );
    // Other accounts cannot read them.
    app.db_other_agent()
        .await
        .get(&path)
        .await
        .refused(404, "project-not-found");
}

async fn project_without_ai_results_returns_the_first_action(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("shop.example.com", &["a"]).await;
    let track = json!({ "aiTracked": true });
    let start = json!({ "type": "aiVisibility", "projectId": project });
    for expected in [track, start] {
        for kind in ["ai-visibility", "ai-trends"] {
            let found = agent
                .get(&format!("/results?type={kind}&projectId={project}"))
                .await
                .ok();
            assert_eq!(found["state"], "neverRun");
            assert_eq!(found["nextActions"][0]["body"], expected);
        }
        agent
            .post(
                &format!("/projects/{project}/keywords"),
                json!({ "keywords": ["running shoes"], "aiTracked": true }),
            )
            .await;
    }
}
