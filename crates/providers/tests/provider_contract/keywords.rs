//! Keyword data of DataForSEO Labs: documented responses, unknown values, and failures.

use super::{
    Half, KEY, MONEY, Noon,
    data_for_seo::task,
    data_for_seo_at,
    fault_server::{FaultServer, Received, Reply},
    quick,
};
use analysis::{
    observation::{
        keyword_research::{
            CompetitionLevel, IdeaRelation, KeywordFigures, MonthlyVolume, ResearchedKeyword,
        },
        search_page::Feature,
    },
    provenance::Provenance,
    search_intent::Intent,
};
use chrono::NaiveDate;
use domain::{
    money::MicroUsd,
    ports::{
        clock::Clock,
        keyword_data::{KeywordData, KeywordDataOutcome, KeywordQuery},
        paid_call_ledger::{MockPaidCallLedger, PaidCallLedger},
        randomness::Randomness,
        search_results::{PaidCallRefusal, ProviderError, Spent},
    },
};
use providers::{
    keywords::{KeywordResearchSettings, configured},
    search::SearchSettings,
};
use serde_json::{Value, json};
use setting::Usd;
use std::{sync::Arc, time::Duration};

fn labs_with(
    server: &FaultServer,
    change: impl FnOnce(&mut KeywordResearchSettings, &mut SearchSettings),
) -> Arc<dyn KeywordData> {
    let mut settings = KeywordResearchSettings {
        resilience: quick(),
        ..KeywordResearchSettings::default()
    };
    let mut search = SearchSettings {
        data_for_seo: data_for_seo_at(server),
        ..SearchSettings::default()
    };
    change(&mut settings, &mut search);
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    let randomness: Arc<dyn Randomness> = Arc::new(Half);
    configured((&settings, &search), &clock, &randomness)
}

fn labs(server: &FaultServer) -> Arc<dyn KeywordData> {
    labs_with(server, |_, _| {})
}

fn query() -> KeywordQuery {
    KeywordQuery {
        keyword: "Running Shoes".to_owned(),
        country: "us".to_owned(),
        language: "en".to_owned(),
        day: NaiveDate::from_ymd_opt(2026, 11, 21).expect("a day"),
    }
}

async fn research(server: &FaultServer) -> KeywordDataOutcome {
    labs(server).research(&query(), &MONEY).await
}

async fn found(server: &FaultServer) -> ResearchedKeyword {
    research(server).await.answer.expect("an answer")
}

/// A keyword as both endpoints describe it.
fn data(keyword: &str, volume: u64) -> Value {
    json!({
        "se_type": "google", "keyword": keyword, "location_code": 2840, "language_code": "en",
        "keyword_info": {
            "se_type": "google", "last_updated_time": "2026-11-10 03:07:27 +00:00",
            "competition": 0.87, "competition_level": "HIGH", "cpc": 1.45, "search_volume": volume,
            "low_top_of_page_bid": 0.61, "high_top_of_page_bid": 3.2, "categories": [10007],
            "monthly_searches": [
                { "year": 2026, "month": 10, "search_volume": 90_500 },
                { "year": 2026, "month": 9, "search_volume": null },
                { "year": 2025, "month": 12, "search_volume": 110_000 },
            ],
            "search_volume_trend": { "monthly": 0, "quarterly": -18, "yearly": 22 },
        },
        "clickstream_keyword_info": null,
        "keyword_properties": {
            "core_keyword": null, "synonym_clustering_algorithm": "text_processing",
            "keyword_difficulty": 64, "detected_language": "en", "is_another_language": false,
        },
        "serp_info": {
            "check_url": "https://www.google.com/search?q=x",
            "serp_item_types": ["organic", "ai_overview", "people_also_ask", "paid", "something_new"],
            "se_results_count": 1_000,
        },
        "avg_backlinks_info": { "backlinks": 700.0, "referring_domains": 120.5, "rank": 240.0 },
        "search_intent_info": {
            "main_intent": "transactional", "foreign_intent": ["commercial", "weird"],
        },
    })
}

fn related() -> Value {
    let item = |keyword: &str, depth: u32| {
        json!({
            "se_type": "google", "keyword_data": data(keyword, 500), "depth": depth,
            "related_keywords": ["trail shoes"],
        })
    };
    json!([{
        "se_type": "google", "seed_keyword": "running shoes",
        "seed_keyword_data": data("running shoes", 90_500),
        "location_code": 2840, "language_code": "en", "total_count": 2, "items_count": 2,
        "items": [item("running shoes", 0), item("trail shoes", 1)],
    }])
}

fn suggestions() -> Value {
    json!([{
        "se_type": "google", "seed_keyword": "running shoes", "seed_keyword_data": null,
        "location_code": 2840, "language_code": "en", "total_count": 3, "items_count": 3,
        "items": [
            data("best running shoes", 40_500),
            data("Trail  Shoes", 500),
            data("how to lace running shoes", 390),
        ],
    }])
}

fn nothing() -> Value {
    json!([{
        "se_type": "google", "seed_keyword": "xyzzy", "seed_keyword_data": null,
        "location_code": 2840, "language_code": "en", "total_count": 0, "items_count": 0,
        "items": null,
    }])
}

fn is_related(received: &Received) -> bool {
    received.head.contains("/related_keywords/")
}

/// Serves both endpoints.
async fn answering(related: Value, suggestions: Value) -> FaultServer {
    FaultServer::scripted(move |_, received| {
        let (cost, result) = if is_related(received) {
            (0.0106, &related)
        } else {
            (0.0103, &suggestions)
        };
        Reply::ok(&task(20_000, "Ok.", cost, result))
    })
    .await
}

#[tokio::test]
async fn both_requests_match_the_documented_format() {
    let server = answering(related(), suggestions()).await;
    let researched = research(&server).await;
    assert_eq!(
        researched.spent,
        Spent::on(2, MicroUsd(10_450)).all_in_ledger()
    );
    let received = server.received();
    let paths: Vec<&str> = received
        .iter()
        .filter_map(|it| it.head.split(' ').nth(1))
        .collect();
    assert_eq!(
        paths,
        [
            "/v3/dataforseo_labs/google/related_keywords/live",
            "/v3/dataforseo_labs/google/keyword_suggestions/live"
        ]
    );
    assert_eq!(
        received[0].json(),
        json!([{
            "keyword": "Running Shoes", "location_code": 2840, "language_code": "en",
            "include_seed_keyword": true, "include_serp_info": true, "depth": 2, "limit": 60,
        }])
    );
    assert_eq!(
        received[1].json(),
        json!([{
            "keyword": "Running Shoes", "location_code": 2840, "language_code": "en",
            "include_seed_keyword": true, "limit": 100,
        }])
    );
}

#[tokio::test]
async fn every_documented_metric_is_parsed() {
    let server = answering(related(), suggestions()).await;
    let found = found(&server).await;
    assert_eq!(
        (found.provider.as_str(), found.provenance),
        ("keyword data", Provenance::Estimated)
    );
    let figures = &found.figures;
    assert_eq!(figures.search_volume, Some(90_500));
    let cpc = figures.cpc.as_ref().expect("a price");
    assert_eq!(
        (cpc.amount, cpc.low, cpc.high, cpc.currency.as_str()),
        (Some(1.45), Some(0.61), Some(3.2), "USD")
    );
    assert_eq!(figures.competition, Some(0.87));
    assert_eq!(figures.competition_level, Some(CompetitionLevel::High));
    assert_eq!(figures.difficulty, Some(64.0));
    assert_eq!(figures.referring_domains, Some(120.5));
    let intent = figures.intent.as_ref().expect("an intent");
    assert_eq!(
        (intent.main, intent.secondary.as_slice(), intent.confidence),
        (Intent::Transactional, &[Intent::Commercial][..], None)
    );
    let month = |year, month, volume| MonthlyVolume {
        year,
        month,
        volume,
    };
    assert_eq!(
        figures.months,
        [
            month(2025, 12, Some(110_000)),
            month(2026, 9, None),
            month(2026, 10, Some(90_500))
        ]
    );
    assert_eq!(figures.yearly_change, Some(0.22));
    assert_eq!(
        found.features,
        Some(vec![
            Feature::AiOverview,
            Feature::PeopleAlsoAsk,
            Feature::PaidTop,
            Feature::Other
        ])
    );
    // Each idea once, and never the keyword itself.
    let ideas: Vec<_> = { found.ideas.iter() }
        .map(|it| (it.keyword.as_str(), it.relation, it.figures.search_volume))
        .collect();
    assert_eq!(
        ideas,
        [
            ("trail shoes", IdeaRelation::Related, Some(500)),
            ("best running shoes", IdeaRelation::Phrase, Some(40_500)),
            ("how to lace running shoes", IdeaRelation::Phrase, Some(390)),
        ]
    );
}

#[tokio::test]
async fn unknown_values_are_neither_metrics_nor_failures() {
    let server = answering(nothing(), nothing()).await;
    let found = found(&server).await;
    assert_eq!(found.figures, KeywordFigures::default());
    assert_eq!((found.features, found.ideas.len()), (None, 0));

    let mut odd = data("running shoes", 1);
    odd["keyword_info"] = json!({
        "competition": 87, "competition_level": "UNKNOWN", "cpc": null, "search_volume": null,
        "monthly_searches": [{ "year": 2026, "month": 13, "search_volume": 5 }, "odd"],
        "search_volume_trend": null,
    });
    odd["keyword_properties"] = json!({ "keyword_difficulty": 640 });
    odd["search_intent_info"] = Value::Null;
    odd["serp_info"] = json!({ "serp_item_types": null });
    odd["avg_backlinks_info"] = json!({ "referring_domains": -1 });
    let mut answer = related();
    answer[0]["seed_keyword_data"] = odd;
    let server = answering(answer, nothing()).await;
    let found = research(&server).await.answer.expect("an answer");
    assert_eq!(found.figures, KeywordFigures::default());
    assert_eq!(found.features, None);
}

#[tokio::test]
async fn keyword_data_is_found_among_related_keywords() {
    let mut answer = related();
    answer[0]["seed_keyword_data"] = Value::Null;
    let server = answering(answer, suggestions()).await;
    assert_eq!(found(&server).await.figures.search_volume, Some(500));
}

#[tokio::test]
async fn failures_map_to_errors_and_their_cost_counts() {
    for (code, cost, error, spent) in [
        (40_100, 0.0, ProviderError::Unauthorized, 0),
        (40_200, 0.0, ProviderError::OutOfFunds, 0),
        (40_501, 0.0, refused("Invalid Field: 'keyword'."), 0),
        (50_000, 0.01, ProviderError::Unavailable, 10_000),
    ] {
        let body = task(code, "Invalid Field: 'keyword'.", cost, &Value::Null);
        let server = FaultServer::always(Reply::ok(&body)).await;
        let researched = research(&server).await;
        assert_eq!(researched.answer, Err(error), "{code}");
        assert_eq!(researched.spent.cost, MicroUsd(spent), "{code}");
        assert_eq!(server.calls(), 1, "{code}");
    }
    for (reply, calls) in [
        (Reply::Status(500, &[], String::new()), 3),
        (Reply::Reset, 1),
    ] {
        let server = FaultServer::always(reply).await;
        let researched = research(&server).await;
        assert_eq!(researched.answer, Err(ProviderError::Unavailable));
        assert_eq!(server.calls(), calls);
    }
}

fn refused(reason: &str) -> ProviderError {
    ProviderError::Refused {
        reason: reason.to_owned(),
    }
}

#[tokio::test]
async fn unreadable_answer_is_malformed_and_hides_secrets() {
    let whole = task(20_000, "Ok.", 0.01, &related()).to_string();
    for reply in Reply::unreadable(whole) {
        let server = FaultServer::always(reply.clone()).await;
        let researched = research(&server).await;
        assert!(
            matches!(researched.answer, Err(ProviderError::Malformed { .. })),
            "{reply:?}: {researched:?}"
        );
        // Whether it was billed is unknown.
        assert_eq!(researched.spent.cost, MicroUsd(20_000));
        assert!(!format!("{researched:?}").contains(KEY));
    }
}

#[tokio::test]
async fn when_the_second_call_fails_the_first_one_stays_paid() {
    let server = FaultServer::scripted(|_, received| {
        if is_related(received) {
            Reply::ok(&task(20_000, "Ok.", 0.0106, &related()))
        } else {
            Reply::ok(&task(40_200, "Payment Required.", 0.0, &Value::Null))
        }
    })
    .await;
    let researched = research(&server).await;
    assert_eq!(researched.answer, Err(ProviderError::OutOfFunds));
    assert_eq!(researched.spent.cost, MicroUsd(10_600));
}

#[tokio::test]
async fn slow_answer_times_out() {
    let server = FaultServer::always(Reply::SlowBody).await;
    let labs = labs_with(&server, |settings, _| {
        settings.resilience.call_timeout = Duration::from_millis(200);
    });
    let researched = labs.research(&query(), &MONEY).await;
    assert_eq!(researched.answer, Err(ProviderError::TimedOut));
    assert_eq!(researched.spent.cost, MicroUsd(20_000));
}

#[tokio::test]
async fn unpaid_call_is_not_made() {
    type Change = fn(&mut SearchSettings);
    let server = answering(related(), suggestions()).await;
    let refusals: [(Change, PaidCallRefusal); 2] = [
        (|it| it.paid_calls = false, PaidCallRefusal::SwitchedOff),
        (
            |it| it.most_per_call = Some(Usd(0.019_999)),
            PaidCallRefusal::TooExpensive {
                price: MicroUsd(20_000),
                limit: MicroUsd(19_999),
            },
        ),
    ];
    for (change, unpaid) in refusals {
        let labs = labs_with(&server, |_, search| change(search));
        assert_eq!(labs.paid_call_refusal(), Some(unpaid));
        let researched = labs.research(&query(), &MONEY).await;
        assert_eq!(
            researched.answer,
            Err(ProviderError::PaidCallRefused(unpaid))
        );
    }
    // A ledger without budget allows no call.
    let mut journal = MockPaidCallLedger::new();
    journal
        .expect_begin()
        .returning(|_| Err(ProviderError::JobBudgetReached));
    let journal: Arc<dyn PaidCallLedger> = Arc::new(journal);
    let labs = labs(&server);
    let researched = labs.research(&query(), &journal).await;
    assert_eq!(researched.answer, Err(ProviderError::JobBudgetReached));
    assert_eq!(server.calls(), 0);
    assert_eq!(labs.max_spend(), Spent::on(2, MicroUsd(20_000)));
}

#[tokio::test]
async fn a_country_without_a_code_costs_no_call() {
    let server = answering(related(), suggestions()).await;
    let nowhere = KeywordQuery {
        country: "xx".to_owned(),
        ..query()
    };
    let researched = labs(&server).research(&nowhere, &MONEY).await;
    assert!(matches!(
        researched.answer,
        Err(ProviderError::Refused { .. })
    ));
    assert_eq!((researched.spent, server.calls()), (Spent::default(), 0));
}

#[tokio::test]
async fn without_credentials_the_sandbox_answers_labeled() {
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    let randomness: Arc<dyn Randomness> = Arc::new(Half);
    let sandbox = configured(
        (
            &KeywordResearchSettings::default(),
            &SearchSettings::default(),
        ),
        &clock,
        &randomness,
    );
    let label = sandbox.label();
    assert_eq!(
        (label.name.as_str(), label.provenance),
        ("sandbox", Provenance::Simulated)
    );
    assert_eq!(sandbox.max_spend().cost, MicroUsd(0));
    let found = sandbox.research(&query(), &MONEY).await.answer;
    assert_eq!(found.expect("an answer").provenance, Provenance::Simulated);
}
