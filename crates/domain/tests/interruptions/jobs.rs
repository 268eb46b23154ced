//! Requesting, running and ending jobs.

use super::{
    Case, case,
    fixture::{
        RUNNING, SHOP, WAITING, halfway, idempotency_writer, lease_token, once_only, running,
        scene, schedule,
    },
    projects::head,
};
use analysis::{
    document::Document,
    findings::rankings::{RankPoint, RankState},
    observation::ai_answer::{AiAnswer, AnswerState, AnswerUsage, EnginePrompt},
    provenance::Provenance,
    result_type::ResultType,
};
use chrono::TimeDelta;
use domain::{
    ai_models::ModelChoice,
    ids::KeywordId,
    job::{JobPriority, Trigger, kind::AnalysisKind, slots::FreeSlots},
    kept_answers::KeywordTallies,
    kept_pages::{KeptPage, StagedContent, StagedPage, Validators},
    keyword::{KeywordChoice, LatestRank},
    results::{CarriedKind, JournalEntry, KeywordMeasurement, SearchSource, StagedFinding},
    schedule::Recurrence,
    test_support::{
        ACCOUNT, MemoryStorage, VisitedPageRow, an_event_draft,
        fixtures::{job, now},
    },
    use_cases::{
        end_attempt::{AttemptEnd, AttemptError},
        leases::Heartbeat,
        measure_keyword::MeasuredKeyword,
        publish_results::JobResults,
        query_ai_engine::ObservedAnswer,
        request_analysis::{AnalysisRequest, ScheduleFiring},
    },
};

pub fn cases() -> Vec<Case> {
    [queue(), schedules(), work(), ends()]
        .into_iter()
        .flatten()
        .collect()
}

fn request() -> AnalysisRequest {
    AnalysisRequest {
        project: SHOP,
        kind: AnalysisKind::RankCheck,
        keywords: KeywordChoice::All,
        models: ModelChoice::All,
        priority: JobPriority::Normal,
        trigger: Trigger::Api,
    }
}

/// The worker of the running job is gone.
fn abandoned() -> MemoryStorage {
    scene().with(job(RUNNING.0).reserved(100).running_for(10_000))
}

fn queue() -> Vec<Case> {
    vec![
        case!("request_analysis", scene, |core, _| core
            .request_analysis(ACCOUNT, &request(), Some(idempotency_writer(&once_only())))
            .await),
        case!("request_scheduled", scene, |core, _| core
            .request_scheduled(
                &request(),
                &ScheduleFiring {
                    before: schedule(),
                    after: schedule().fired(now(), None),
                }
            )
            .await),
        case!("cancel_analysis", scene, |core, _| core
            .cancel_analysis(ACCOUNT, WAITING)
            .await),
        case!("claim_jobs", scene, |core, _| core
            .claim_jobs("another", &FreeSlots::of(4))
            .await),
        case!("sweep_queue", abandoned, |core, _| core.sweep_queue().await),
        case!("reclaim_all", scene, |core, _| core.reclaim_all().await),
    ]
}

fn schedules() -> Vec<Case> {
    vec![
        case!("set_schedule", scene, |core, _| core
            .set_schedule(
                ACCOUNT,
                SHOP,
                AnalysisKind::SiteAudit,
                Recurrence::parse("weekly:monday", "03:00", "Europe/Berlin").unwrap()
            )
            .await),
        case!("remove_schedule", scene, |core, _| core
            .remove_schedule(ACCOUNT, SHOP, AnalysisKind::RankCheck)
            .await),
        case!("fire_schedules", scene, |core, _| core
            .fire_schedules()
            .await),
    ]
}

fn finding(result_type: ResultType, ordinal: i64) -> StagedFinding {
    StagedFinding {
        result_type,
        ordinal,
        keyword: Some(KeywordId(21)),
        url: None,
        sort_value: None,
        measured_at: now(),
        record: Document::from_stored("{}".to_owned()),
    }
}

fn measured() -> MeasuredKeyword {
    let point = RankPoint {
        measured_at: now(),
        state: RankState::Ranked,
        position: Some(3),
        absolute_position: Some(4),
        depth_checked: 100,
        url: None,
    };
    MeasuredKeyword {
        measurement: KeywordMeasurement {
            keyword: KeywordId(21),
            job: RUNNING,
            day: now().date_naive(),
            source: SearchSource {
                engine: "google".to_owned(),
                provenance: Provenance::Simulated,
            },
            point,
            own: vec![],
            best: None,
            worst: None,
            serp: None,
        },
        findings: vec![
            finding(ResultType::Rankings, 21),
            finding(ResultType::Serp, 21),
        ],
        calls: 1,
        failure: None,
        truncated_by: None,
    }
}

fn observed_answer(sample: u32) -> ObservedAnswer {
    ObservedAnswer {
        answer: AiAnswer {
            engine: "chatgpt".to_owned(),
            provider: "sandbox".to_owned(),
            provenance: Provenance::Simulated,
            requested_model: None,
            served_model: None,
            prompt: EnginePrompt {
                prompt_id: "21.Q1".to_owned(),
                keyword_id: Some(21),
                template: "Q1".to_owned(),
                template_version: 1,
                language: "en".to_owned(),
                is_branded: false,
                text: "Which?".to_owned(),
            },
            sample,
            state: AnswerState::Answered,
            text: "Acme".to_owned(),
            citations: None,
            searches: None,
            queries: vec![],
            answered_at: now(),
            usage: AnswerUsage::default(),
        },
        calls: 1,
        failure: None,
    }
}

fn page() -> StagedPage {
    StagedPage {
        url: "https://shop.example.com/".to_owned(),
        visited_at: now(),
        content: Some(StagedContent {
            entry: 1,
            validators: Validators::default(),
        }),
        memory: Document::from_stored("{}".to_owned()),
    }
}

fn tallies() -> KeywordTallies {
    KeywordTallies {
        job: RUNNING,
        day: now().date_naive(),
        keyword: KeywordId(21),
        engine: "chatgpt".to_owned(),
        tallies: vec![],
    }
}

fn visited_long_ago() -> MemoryStorage {
    let storage = scene();
    storage.put(|state| {
        let page = VisitedPageRow {
            page: KeptPage {
                url: page().url,
                body: vec![1],
                memory: page().memory,
            },
            validators: Validators::default(),
            visited_at: now() - TimeDelta::days(400),
        };
        let key = (ACCOUNT, SHOP, page.page.url.clone());
        state.pages.insert(key, page);
    });
    storage
}

fn work() -> Vec<Case> {
    vec![
        case!("renew_leases", scene, |core, _| core
            .renew_leases(
                ACCOUNT,
                &[Heartbeat {
                    lease: lease_token(),
                    progress: halfway(),
                }]
            )
            .await),
        case!("record_measurements", scene, |core, _| core
            .record_measurements(lease_token(), &[measured()], 2, &halfway())
            .await),
        case!("record_answers", scene, |core, _| core
            .record_answers(
                lease_token(),
                &[observed_answer(1), observed_answer(2)],
                2,
                &halfway()
            )
            .await),
        case!("stage_findings", scene, |core, _| core
            .stage_findings(lease_token(), &[finding(ResultType::Content, 1)], &[page()])
            .await),
        case!("stage_visibility", scene, |core, _| core
            .stage_visibility(
                lease_token(),
                &[finding(ResultType::AiVisibility, 1)],
                &[tallies()]
            )
            .await),
        case!("carry_over_visibility", scene, |core, _| core
            .carry_over_visibility(&running(), &["chatgpt".to_owned()])
            .await),
        case!("add_to_journal", scene, |core, _| core
            .add_to_journal(
                lease_token(),
                &[JournalEntry {
                    sequence: 1,
                    body: vec![1],
                }],
                &halfway()
            )
            .await),
        case!("purge_pages", visited_long_ago, |core, _| core
            .purge_pages(ACCOUNT, SHOP)
            .await),
        case!("summarize_rankings", scene, |core, _| {
            core.summarize_rankings(&running(), 1, &mut ()).await
        }),
    ]
}

/// Enough records of one type to be copied before the job ends.
fn outcome() -> JobResults {
    let latest = LatestRank {
        position: Some(3),
        url: None,
        measured_at: now(),
        state: RankState::Ranked,
    };
    JobResults {
        heads: vec![
            head(ResultType::Rankings, RUNNING, 501),
            head(ResultType::Serp, RUNNING, 1),
        ],
        latest: vec![(KeywordId(21), latest)],
        carried_over: vec![(
            CarriedKind::PageHistory,
            Document::from_stored("{}".to_owned()),
        )],
        partial: false,
        progress: halfway(),
        events: vec![an_event_draft(1)],
    }
}

fn staged() -> MemoryStorage {
    let storage = scene();
    storage.put(|state| {
        let findings = (1..=501).map(|it| finding(ResultType::Rankings, it));
        for it in findings.chain([finding(ResultType::Serp, 1)]) {
            let key = (ACCOUNT, RUNNING, (it.result_type.name(), it.ordinal));
            state.staged.insert(key, it);
        }
    });
    storage
}

fn ends() -> Vec<Case> {
    vec![
        case!("end_attempt", staged, |core, _| core
            .end_attempt(
                lease_token(),
                &AttemptEnd::Failed(AttemptError {
                    code: "siteUnreachable".to_owned(),
                    detail: "x".to_owned(),
                    hint: None,
                })
            )
            .await),
        case!("publish_results", staged, |core, _| core
            .publish_results(lease_token(), &outcome())
            .await),
        case!("publish_all", staged, |core, _| core
            .publish_all(ACCOUNT, &[(lease_token(), &outcome())])
            .await),
    ]
}
