//! Projects and their parts.

use super::{
    Case, case,
    external_services::researched,
    fixture::{SHOP, idempotency_writer, keywords, label, member, once_only, scene, unbound},
};
use analysis::{document::Document, provenance::Provenance, result_type::ResultType};
use chrono::{Days, TimeDelta};
use domain::{
    assignment::AssignmentSubject,
    content_plan::{ContentPlanPatch, NewContentPlan},
    domain_name::SiteDomain,
    ids::{ConsoleSpanId, JobId, KeywordId, SearchId, UserId},
    keyword::{KeywordPatch, KeywordText},
    keyword_research::{KeptResearch, ResearchSubject, Search},
    market::{Country, Language, Market},
    patch::Change,
    project::{NewProject, ProjectMeta, ProjectPatch},
    project_overrides::{IgnoreReason, SiteRole},
    results::{Coverage, ResultHead, StagedFinding},
    search_console::{DimensionSet, RowSet, RowSubject, SearchRow, Span},
    test_support::{ACCOUNT, MemoryStorage, a_content_plan, fixtures::now},
    use_cases::{
        keywords::save::{SaveMode, WantedKeyword, WantedKeywords},
        research::{ResearchRequest, keyword::ResearchKeyword},
        search_console::fetch::{FetchConsole, FetchLimits},
    },
};
use std::sync::Arc;

pub fn cases() -> Vec<Case> {
    let all = [projects(), words(), console(), research()];
    all.into_iter().flatten().collect()
}

fn shop2() -> NewProject {
    let domain = SiteDomain::accepted("two.example.com".into(), "two.example.com".into());
    NewProject {
        domain,
        name: None,
        meta: ProjectMeta::default(),
    }
}

fn favorite() -> ProjectPatch {
    ProjectPatch {
        favorite: Change::Set(true),
        ..ProjectPatch::default()
    }
}

fn tracked() -> KeywordPatch {
    KeywordPatch {
        ai_tracked: Change::Set(true),
        target_url: Change::Set(Some("https://shop.example.com/a".to_owned())),
        ..KeywordPatch::default()
    }
}

/// One new, one deactivated, one tracked.
fn wanted() -> WantedKeywords {
    let keywords = ["actix", "seo", "rust"].map(|text| WantedKeyword {
        text: KeywordText::parse(text).unwrap(),
        ai_tracked: Some(true),
    });
    WantedKeywords {
        keywords: keywords.to_vec(),
        market: Market::default(),
        tags: vec![],
        found_in: None,
    }
}

fn projects() -> Vec<Case> {
    vec![
        case!("create_project", scene, |core, _| core
            .create_project(
                ACCOUNT,
                &shop2(),
                &keywords(&["actix", "tokio"]),
                Some(idempotency_writer(&once_only()))
            )
            .await),
        case!("change_project", scene, |core, _| core
            .change_project(ACCOUNT, SHOP, &favorite(), None)
            .await),
        case!("deactivate_project", scene, |core, _| core
            .deactivate_project(ACCOUNT, SHOP, None)
            .await),
        case!("track_keywords", scene, |core, _| core
            .track_keywords(
                ACCOUNT,
                SHOP,
                &keywords(&["actix", "seo", "rust"]),
                Some(idempotency_writer(&once_only()))
            )
            .await),
        case!("save_keywords", scene, |core, _| core
            .save_keywords(
                ACCOUNT,
                SHOP,
                &wanted(),
                SaveMode::All,
                Some(idempotency_writer(&once_only()))
            )
            .await),
        case!("change_keyword", scene, |core, _| core
            .change_keyword(ACCOUNT, KeywordId(21), &tracked(), None)
            .await),
        case!("deactivate_keyword", scene, |core, _| core
            .deactivate_keyword(ACCOUNT, KeywordId(21), None)
            .await),
    ]
}

fn new_plan() -> NewContentPlan {
    let plan = a_content_plan();
    NewContentPlan {
        name: label("Spring"),
        clustered_by: plan.clustered_by,
        items: plan.items,
    }
}

fn renamed() -> ContentPlanPatch {
    ContentPlanPatch {
        name: Change::Set(label("Summer")),
        ..ContentPlanPatch::default()
    }
}

/// A run has produced a suggestion.
fn with_a_suggestion() -> MemoryStorage {
    let (of, job) = (ResultType::Suggestions, JobId(30));
    let record = r#"{"type":"suggestions","projectId":11,"keywordId":null,"url":null,
        "measuredAt":"2026-09-21T00:00:00Z","status":"ok","error":null,"provenance":"measured",
        "provider":null,"methodVersion":"suggestions/1","sampleSize":1,"warnings":[],
        "suggestionId":"a1","ruleId":"x","variant":null,"category":"technical","severity":"error",
        "title":"x","rationale":"x","evidence":[],"affectedUrls":[],"affectedCount":0,
        "keywordIds":[],"reach":1.0,"reachBasis":"clicks","impact":1.0,"confidence":1.0,
        "effort":1.0,"priorityScore":1.0,"expectedGain":null,"steps":[],"docs":[],
        "supersedes":[],"firstSeenAt":"2026-09-21T00:00:00Z","lastSeenAt":"2026-09-21T00:00:00Z",
        "state":"open","fixedAt":null,"effect":null}"#;
    let storage = scene();
    storage.put(|state| {
        let finding = StagedFinding {
            result_type: of,
            ordinal: 1,
            keyword: None,
            url: None,
            sort_value: None,
            measured_at: now(),
            record: Document::from_stored(record.to_owned()),
        };
        let key = (ACCOUNT, SHOP, (of.name(), job, 1));
        state.findings.insert(key, finding);
        state
            .heads
            .insert((ACCOUNT, SHOP, of.name()), head(of, job, 1));
    });
    storage
}

pub fn head(result_type: ResultType, job: JobId, item_count: u64) -> ResultHead {
    ResultHead {
        account: ACCOUNT,
        project: SHOP,
        result_type,
        job,
        generated_at: now(),
        measured_at: now(),
        method_version: "test/1".to_owned(),
        provider: "sandbox".to_owned(),
        provenance: Provenance::Simulated,
        coverage: Coverage::new(item_count, item_count, 0),
        item_count,
        summary: Document::from_stored("{}".to_owned()),
        warnings: vec![],
    }
}

fn words() -> Vec<Case> {
    vec![
        case!("add_content_plan", scene, |core, _| core
            .add_content_plan(
                ACCOUNT,
                SHOP,
                &new_plan(),
                Some(idempotency_writer(&once_only()))
            )
            .await),
        case!("change_content_plan", scene, |core, _| core
            .change_content_plan(ACCOUNT, SHOP, a_content_plan().id, &renamed(), None)
            .await),
        case!("remove_content_plan", scene, |core, _| core
            .remove_content_plan(ACCOUNT, SHOP, a_content_plan().id, None)
            .await),
        case!("set_brand_names", scene, |core, _| core
            .set_brand_names(ACCOUNT, SHOP, "rival.com", &[label("Rival")], None)
            .await),
        case!("set_site_role", scene, |core, _| core
            .set_site_role(ACCOUNT, SHOP, "second.com", SiteRole::Own, None)
            .await),
        case!("remove_site_role", scene, |core, _| core
            .remove_site_role(ACCOUNT, SHOP, "rival.com")
            .await),
        case!("ignore_suggestion", with_a_suggestion, |core, _| core
            .ignore_suggestion(ACCOUNT, SHOP, "a1", IgnoreReason::parse("no").ok())
            .await),
        case!("assign", with_a_suggestion, |core, _| core
            .assign(
                &member(),
                SHOP,
                AssignmentSubject::suggestion("a1"),
                member().user.id,
                None
            )
            .await),
        case!("unassign", scene, |core, _| core
            .unassign(ACCOUNT, SHOP, &AssignmentSubject::issue("http4xx"))
            .await),
        case!("unignore_suggestion", scene, |core, _| core
            .unignore_suggestion(ACCOUNT, SHOP, "b2")
            .await),
    ]
}

/// Yesterday's rows, which replace earlier ones.
fn rows(clicks: u64) -> RowSet {
    let row = SearchRow {
        query: Some("rust".to_owned()),
        page: None,
        country: None,
        device: None,
        clicks,
        impressions: 9,
        position: Some(2.0),
    };
    RowSet {
        dimensions: DimensionSet::aggregated(RowSubject::Query),
        span: Span::day(now().date_naive() - Days::new(1)),
        rows: vec![row],
    }
}

fn imported() -> MemoryStorage {
    let storage = scene();
    storage.put(|state| {
        let import_info = domain::search_console::ImportInfo {
            origin: domain::search_console::Origin::Export,
            label: "x".to_owned(),
            at: now(),
        };
        let import = domain::test_support::ImportRow {
            project: SHOP,
            set: rows(1),
            import_info,
        };
        state.imports.insert((ACCOUNT, ConsoleSpanId(91)), import);
    });
    storage
}

fn fetching(core: &Arc<domain::use_cases::Core>, outside: &super::Outside) -> FetchConsole {
    FetchConsole {
        core: Arc::clone(core),
        console: Arc::new(outside.clone()),
        limits: FetchLimits {
            rows_per_day: 10,
            first_days: 2,
        },
    }
}

fn console() -> Vec<Case> {
    vec![
        case!("bind_console", unbound, |core, _| core
            .bind_console(ACCOUNT, SHOP, "sc-domain:shop.example.com")
            .await),
        case!("unbind_console", scene, |core, _| core
            .unbind_console(ACCOUNT, SHOP)
            .await),
        case!("import_console_rows", imported, |core, _| core
            .import_console_rows(ACCOUNT, SHOP, vec![rows(2)], "export.csv")
            .await),
        case!("FetchConsole::run", scene, |core, outside| {
            let fetching = fetching(core, outside);
            fetching.run(ACCOUNT, SHOP, None, &|_| {}).await
        }),
        case!("FetchConsole::run_due", scene, |core, outside| {
            let fetching = fetching(core, outside);
            fetching.run_due().await
        }),
    ]
}

fn subject() -> ResearchSubject {
    ResearchSubject {
        keyword: KeywordText::parse("rust").unwrap(),
        country: Country::parse("us").unwrap(),
        language: Language::parse("en").unwrap(),
    }
}

fn searched() -> MemoryStorage {
    let storage = scene();
    storage.put(|state| {
        let search = Search {
            account: ACCOUNT,
            user: UserId(51),
            id: SearchId(81),
            subject: subject(),
            key: subject().key("another"),
            searched_at: now() - TimeDelta::hours(1),
            kept: KeptResearch::new(researched(), now()),
        };
        state.searches.insert((ACCOUNT, search.id), search);
    });
    storage
}

fn research() -> Vec<Case> {
    vec![
        case!("forget_search", searched, |core, _| core
            .forget_search(ACCOUNT, UserId(51), SearchId(81))
            .await),
        case!("ResearchKeyword::run", scene, |core, outside| {
            let research = ResearchKeyword {
                core: Arc::clone(core),
                sleeper: Arc::new(outside.clone()),
                supplier: Arc::new(outside.clone()),
            };
            let request = ResearchRequest {
                account: ACCOUNT,
                user: UserId(51),
                subject: subject(),
                project: Some(SHOP),
            };
            research.run(&request).await
        }),
    ]
}
