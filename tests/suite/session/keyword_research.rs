//! Keyword research: paid results are shared, and the monthly quota is neither exceeded nor lost.

use analysis::{
    observation::{
        keyword_research::{IdeaRelation, KeywordFigures, KeywordIdea, ResearchedKeyword},
        search_page::Feature,
    },
    provenance::Provenance,
};
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::FlightId,
    keyword::KeywordText,
    keyword_research::{Flight, ResearchSubject, Reservation},
    market::{Country, Language},
    money::MicroUsd,
    ports::{
        clock::Clock,
        keyword_data::{KeywordData, KeywordDataLabel, KeywordDataOutcome, KeywordQuery},
        paid_call_ledger::{PaidCall, PaidCallLedger, PaidCallOutcome, PaidCallStart},
        search_results::{PaidCallRefusal, ProviderError, Spent},
        spending::{Counter, Spending},
        storage::Storage,
    },
    test_support::FrozenClock,
};
use futures_util::future::join_all;
use harness::{
    app::TestApp,
    browsers::Browser,
    callers::{Answer, id, ids},
    databases::{TestDatabase, open},
    on_every_database,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use storage::{DatabaseKind, OpenOptions};

on_every_database![
    an_answer_has_every_documented_member,
    of_64_cache_misses_with_5_units_left_5_are_bought,
    equal_searches_at_two_servers_cost_one_call_and_one_unit,
    a_supplier_failure_costs_no_unit_and_fails_all_waiters,
    cached_results_are_free_without_units_left,
    a_result_cached_by_another_account_costs_a_unit,
    equal_searches_of_two_accounts_cost_each_a_unit,
    a_result_is_cached_for_30_days,
    units_reset_at_midnight_utc_on_the_first,
    reopening_a_search_costs_no_call_and_no_unit,
    the_history_belongs_to_the_user_and_is_paged,
    unknown_countries_return_the_closest_names,
    ideas_mark_keywords_that_the_project_tracks,
    cost_is_reserved_and_never_exceeds_the_budget,
    a_crashed_server_leaves_no_reserved_unit,
    a_late_result_uses_no_unit,
    a_search_continues_after_client_disconnect,
];

const RESEARCH: &str = "/api/keyword-research";
const HISTORY: &str = "/api/keyword-research/history";

/// The server's clock, set once the server runs.
type LateClock = Arc<Mutex<Option<Arc<FrozenClock>>>>;

/// A configurable supplier that counts its calls.
struct Market {
    calls: AtomicUsize,
    is_down: AtomicBool,
    takes: Duration,
    /// Advances the server's clock during a call.
    lags: Option<(LateClock, TimeDelta)>,
    max_cost_per_call: MicroUsd,
    costs: MicroUsd,
}

impl Market {
    fn that_takes(milliseconds: u64) -> Self {
        Self {
            calls: AtomicUsize::new(0),
            is_down: AtomicBool::new(false),
            takes: Duration::from_millis(milliseconds),
            lags: None,
            max_cost_per_call: MicroUsd(0),
            costs: MicroUsd(0),
        }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl KeywordData for Market {
    fn label(&self) -> KeywordDataLabel {
        KeywordDataLabel {
            name: "keyword data".to_owned(),
            provenance: Provenance::Estimated,
        }
    }

    fn max_spend(&self) -> Spent {
        Spent::on(1, self.max_cost_per_call)
    }

    fn paid_call_refusal(&self) -> Option<PaidCallRefusal> {
        None
    }

    async fn research(
        &self,
        query: &KeywordQuery,
        journal: &Arc<dyn PaidCallLedger>,
    ) -> KeywordDataOutcome {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let call = PaidCall {
            step: query.keyword.clone(),
            max_cost: self.max_cost_per_call,
        };
        let Ok(PaidCallStart::Proceed(ticket)) = journal.begin(&call).await else {
            panic!("what was set aside allows it");
        };
        tokio::time::sleep(self.takes).await;
        if let Some((clock, lag)) = &self.lags {
            let clock = clock.lock().unwrap_or_else(PoisonError::into_inner);
            clock.as_ref().expect("a clock").advance(*lag);
        }
        let ended = PaidCallOutcome {
            calls: 1,
            cost: self.costs,
            answer: None,
        };
        journal.end(ticket, ended).await.expect("it is noted");
        let idea = |text: &str| KeywordIdea {
            keyword: text.to_owned(),
            relation: IdeaRelation::Phrase,
            figures: KeywordFigures::default(),
        };
        let found = ResearchedKeyword {
            provider: self.label().name,
            provenance: Provenance::Estimated,
            fetched_at: DateTime::UNIX_EPOCH,
            figures: KeywordFigures {
                search_volume: Some(1_000),
                ..KeywordFigures::default()
            },
            features: Some(vec![Feature::AiOverview]),
            ideas: vec![idea("red shoes"), idea("Blue Shoes"), idea("old shoes")],
        };
        let is_down = self.is_down.load(Ordering::SeqCst);
        KeywordDataOutcome {
            answer: if is_down {
                Err(ProviderError::Unavailable)
            } else {
                Ok(found)
            },
            spent: Spent::on(1, self.costs),
        }
    }
}

async fn served(db: &TestDatabase, market: &Arc<Market>) -> TestApp {
    let market = Arc::clone(market) as Arc<dyn KeywordData>;
    TestApp::with_keyword_data(db.port(), market, |_| {}).await
}

fn research_body(keyword: &str) -> Value {
    json!({ "keyword": keyword, "location": "United States", "language": "English" })
}

async fn researched(browser: &Browser, keyword: &str) -> Answer {
    browser.post(RESEARCH, research_body(keyword)).await
}

async fn quota(browser: &Browser) -> (u64, u64, bool) {
    let body = browser.get(RESEARCH).await.ok();
    (
        body["usage"].as_u64().unwrap(),
        body["limit"].as_u64().unwrap(),
        body["available"].as_bool().unwrap(),
    )
}

async fn an_answer_has_every_documented_member(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    assert_eq!(
        browser.get(RESEARCH).await.ok(),
        json!({ "usage": 0, "limit": 100, "available": true, "resetsAt": "2026-10-01T00:00:00Z" })
    );
    let wish = json!({ "keyword": "  Running   SHOES ", "location": "gb", "language": "english" });
    let research = browser.post(RESEARCH, wish).await.ok();
    for (member, value) in [
        ("keyword", json!("Running SHOES")),
        ("normalized", json!("running shoes")),
        (
            "location",
            json!({ "name": "United Kingdom", "code": "gb" }),
        ),
        ("language", json!({ "name": "English", "code": "en" })),
        ("cached", json!(false)),
        ("usage", json!(1)),
        ("limit", json!(100)),
        ("available", json!(true)),
        ("resetsAt", json!("2026-10-01T00:00:00Z")),
        ("provider", json!("sandbox")),
        ("provenance", json!("simulated")),
        ("difficultyMethod", json!("supplier")),
    ] {
        assert_eq!(research[member], value, "{member}");
    }
    let now = app.clock.now();
    assert_eq!(research["cachedAt"], json!(now));
    assert_eq!(research["expiresAt"], json!(now + TimeDelta::days(30)));
    let trend = research["trend"].as_array().unwrap();
    assert_eq!(trend.len(), 12);
    assert_eq!(
        (&trend[0]["year"], &trend[0]["month"]),
        (&json!(2025), &json!(9))
    );
    assert_eq!(
        (&trend[11]["year"], &trend[11]["month"]),
        (&json!(2026), &json!(8))
    );
    for member in ["amount", "low", "high"] {
        assert!(
            research["cpc"][member].is_f64(),
            "{member}: {}",
            research["cpc"]
        );
    }
    for member in ["month", "quarter", "year"] {
        assert!(research["trendChange"][member].is_f64(), "{member}");
    }
    for member in ["searchVolume", "competition", "difficulty"] {
        assert!(research[member].is_number(), "{member}");
    }
    assert!(["low", "medium", "high"].contains(&research["competitionLevel"].as_str().unwrap()));
    assert!(research["intent"]["main"].is_string() && research["intent"]["confidence"].is_f64());
    assert!(research["peakMonths"].is_array() && research["serpFeatures"].is_array());
    assert!(research["aiOverviewLikely"].is_boolean());
    let ideas = research["ideas"].as_array().unwrap();
    assert!(ideas.len() > 10, "{}", ideas.len());
    for member in [
        "keyword",
        "relation",
        "searchVolume",
        "cpc",
        "competition",
        "difficulty",
        "intent",
        "trend",
        "inProject",
    ] {
        assert!(ideas[0].get(member).is_some(), "{member}");
    }
    assert_eq!(ideas[0]["inProject"], Value::Null);
    let relations: BTreeSet<&str> = { ideas.iter() }
        .filter_map(|it| it["relation"].as_str())
        .collect();
    assert!(relations.is_superset(&BTreeSet::from(["question", "phrase", "related"])));

    for (wrong, places) in [
        (json!({}), vec!["/keyword", "/location", "/language"]),
        (
            json!({ "keyword": "", "location": 7, "language": "en", "x": 1 }),
            vec!["/x", "/keyword", "/location"],
        ),
        (
            json!({ "keyword": "a", "location": "us", "language": "en", "projectId": "b" }),
            vec!["/projectId"],
        ),
    ] {
        let errors = browser.post(RESEARCH, wrong).await.errors();
        let found: Vec<&str> = errors.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(found, places);
    }
    let failing = researched(&browser, "sandbox:unavailable").await;
    let problem = failing.refused(503, "supplier-unavailable");
    assert_eq!(problem["reason"], "supplierUnavailable");
    assert_eq!(quota(&browser).await, (1, 100, true));
}

async fn of_64_cache_misses_with_5_units_left_5_are_bought(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(300));
    let app = served(&db, &market).await;
    let browser = app.db_member(0).await;
    app.db_limit(|limits| limits.keyword_research = 7).await;
    for keyword in ["one", "two"] {
        researched(&browser, keyword).await.ok();
    }
    let searches = (0..64).map(|number| {
        let browser = browser.clone();
        async move { researched(&browser, &format!("shoes {number}")).await }
    });
    let (mut bought, mut refused) = (0, 0);
    for answer in join_all(searches).await {
        if answer.status == 200 {
            assert_eq!(answer.ok()["cached"], false);
            bought += 1;
        } else {
            let problem = answer.refused(429, "quota-exceeded");
            assert_eq!(problem["resetsAt"], "2026-10-01T00:00:00Z");
            assert_eq!(problem["quota"]["name"], "keywordResearch");
            assert_eq!(problem["quota"]["used"], 7);
            refused += 1;
        }
    }
    assert_eq!((bought, refused, market.calls()), (5, 59, 7));
    assert_eq!(quota(&browser).await, (7, 7, false));
    // Nothing stays reserved: one more unit allows one more search.
    app.db_limit(|limits| limits.keyword_research = 8).await;
    researched(&browser, "eight").await.ok();
    researched(&browser, "nine")
        .await
        .refused(429, "quota-exceeded");
}

async fn equal_searches_at_two_servers_cost_one_call_and_one_unit(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(400));
    let first = served(&db, &market).await;
    let storage: Arc<dyn Storage> = match db.kind() {
        DatabaseKind::Postgres => Arc::new(open(&db.url, OpenOptions::default()).await),
        DatabaseKind::Sqlite => db.port(),
    };
    let data = Arc::clone(&market) as Arc<dyn KeywordData>;
    let second = TestApp::with_keyword_data(storage, data, |_| {}).await;
    let here = first.db_member(0).await;
    let there = second.browser();
    there.set_cookie("__Host-sid", here.cookie("__Host-sid").as_deref());
    there.get("/api/session").await.ok();
    let searches = (0..20).map(|number| {
        let browser = if number % 2 == 0 { &here } else { &there };
        let keyword = if number % 3 == 0 {
            "Red  Shoes"
        } else {
            "red shoes"
        };
        async move { researched(browser, keyword).await.ok() }
    });
    let answers = join_all(searches).await;
    let bought = answers.iter().filter(|it| it["cached"] == false).count();
    assert_eq!((bought, market.calls()), (1, 1));
    assert!(answers.iter().all(|it| it["searchVolume"] == 1_000));
    assert_eq!(quota(&here).await, (1, 100, true));
    // One entry per user and result.
    let history = here.get(HISTORY).await.ok();
    assert_eq!(history["items"].as_array().unwrap().len(), 1);
}

async fn a_supplier_failure_costs_no_unit_and_fails_all_waiters(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(500));
    market.is_down.store(true, Ordering::SeqCst);
    let app = served(&db, &market).await;
    let browser = app.db_member(0).await;
    app.db_limit(|limits| limits.keyword_research = 1).await;
    let searches = (0..10).map(|_| researched(&browser, "red shoes"));
    for answer in join_all(searches).await {
        let problem = answer.refused(503, "supplier-unavailable");
        assert_eq!(problem["reason"], "supplierUnavailable");
        assert_eq!(answer.header("retry-after"), "10");
    }
    assert!(market.calls() <= 2, "{}", market.calls());
    assert_eq!(quota(&browser).await, (0, 1, true));
    let history = browser.get(HISTORY).await.ok();
    assert_eq!(history["items"], json!([]));

    market.is_down.store(false, Ordering::SeqCst);
    assert_eq!(
        researched(&browser, "red shoes").await.ok()["cached"],
        false
    );
    assert_eq!(quota(&browser).await, (1, 1, false));
}

async fn cached_results_are_free_without_units_left(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(0));
    let app = served(&db, &market).await;
    let browser = app.db_member(0).await;
    app.db_limit(|limits| limits.keyword_research = 1).await;
    researched(&browser, "red shoes").await.ok();
    researched(&browser, "blue shoes")
        .await
        .refused(429, "quota-exceeded");
    let again = researched(&browser, "RED shoes").await.ok();
    assert_eq!(
        (&again["cached"], &again["usage"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(again["available"], false);
    // Another language is another query.
    app.db_limit(|limits| limits.keyword_research = 2).await;
    let wish = json!({ "keyword": "red shoes", "location": "us", "language": "de" });
    assert_eq!(browser.post(RESEARCH, wish).await.ok()["cached"], false);
    assert_eq!(market.calls(), 2);
}

async fn a_result_cached_by_another_account_costs_a_unit(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(0));
    let app = served(&db, &market).await;
    let one = app.db_member(0).await;
    researched(&one, "red shoes").await.ok();
    app.clock.advance(TimeDelta::days(5));
    let other = app.db_member(1).await;
    let theirs = researched(&other, "red shoes").await.ok();
    let bought = researched(&other, "blue shoes").await.ok();
    assert_eq!(market.calls(), 2, "the supplier is not asked again");
    let now = app.clock.now();
    for (answer, usage) in [(&theirs, 1), (&bought, 2)] {
        assert_eq!(answer["cached"], false);
        assert_eq!(answer["usage"], usage);
        assert_eq!(answer["cachedAt"], json!(now));
        assert_eq!(answer["expiresAt"], json!(now + TimeDelta::days(30)));
    }
    // From now on it is the account's own, even after the first account's has expired.
    app.clock.advance(TimeDelta::days(27));
    let other = app.db_member(1).await;
    let again = researched(&other, "red shoes").await.ok();
    assert_eq!(
        (&again["cached"], &again["usage"], &again["cachedAt"]),
        (&json!(true), &json!(0), &json!(now))
    );
    assert_eq!(market.calls(), 2);
    // Without a unit there is no result, even if it is cached.
    app.db_limit(|limits| limits.keyword_research = 0).await;
    researched(&app.db_member(0).await, "blue shoes")
        .await
        .refused(429, "quota-exceeded");
}

async fn equal_searches_of_two_accounts_cost_each_a_unit(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(200));
    let app = served(&db, &market).await;
    let (one, other) = (app.db_member(0).await, app.db_member(1).await);
    let searches = (0..8).map(|number| {
        let browser = if number % 2 == 0 { &one } else { &other };
        async move { researched(browser, "red shoes").await.ok() }
    });
    let answers = join_all(searches).await;
    let paid = answers.iter().filter(|it| it["cached"] == false).count();
    assert_eq!((paid, market.calls()), (2, 1));
    assert_eq!((quota(&one).await.0, quota(&other).await.0), (1, 1));
}

async fn a_result_is_cached_for_30_days(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(0));
    let app = served(&db, &market).await;
    let browser = app.db_member(0).await;
    researched(&browser, "red shoes").await.ok();
    let core = app.core();
    // The session would have expired.
    let later = |by: TimeDelta| {
        app.clock.advance(by);
        app.db_member(0)
    };
    let browser = later(TimeDelta::days(30) - TimeDelta::microseconds(1)).await;
    core.purge_expired().await.unwrap();
    assert_eq!(researched(&browser, "red shoes").await.ok()["cached"], true);
    let browser = later(TimeDelta::microseconds(1)).await;
    core.purge_expired().await.unwrap();
    assert_eq!(
        researched(&browser, "red shoes").await.ok()["cached"],
        false
    );
    assert_eq!(market.calls(), 2);
    // Two supplier results are two entries; old ones are purged after 13 months.
    let listed = |page: Value| page["items"].as_array().unwrap().len();
    assert_eq!(listed(browser.get(HISTORY).await.ok()), 2);
    let browser = later(TimeDelta::days(385)).await;
    core.purge_expired().await.unwrap();
    assert_eq!(listed(browser.get(HISTORY).await.ok()), 2);
    let browser = later(TimeDelta::days(15)).await;
    core.purge_expired().await.unwrap();
    assert_eq!(listed(browser.get(HISTORY).await.ok()), 0);
}

async fn units_reset_at_midnight_utc_on_the_first(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(0));
    let app = served(&db, &market).await;
    app.db_limit(|limits| limits.keyword_research = 1).await;
    let midnight: DateTime<Utc> = "2026-10-01T00:00:00Z".parse().unwrap();
    app.clock
        .advance(midnight - app.clock.now() - TimeDelta::milliseconds(1));
    let browser = app.db_member(0).await;
    researched(&browser, "red shoes").await.ok();
    let problem = researched(&browser, "blue shoes").await;
    let problem = problem.refused(429, "quota-exceeded");
    assert_eq!(problem["resetsAt"], "2026-10-01T00:00:00Z");
    app.clock.advance(TimeDelta::milliseconds(1));
    let research = researched(&browser, "blue shoes").await.ok();
    assert_eq!(
        (&research["usage"], &research["resetsAt"]),
        (&json!(1), &json!("2026-11-01T00:00:00Z"))
    );
}

async fn reopening_a_search_costs_no_call_and_no_unit(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(0));
    let app = served(&db, &market).await;
    let browser = app.db_member(0).await;
    let shown = researched(&browser, "Red Shoes").await.ok();
    let path = format!("{HISTORY}/{}", id(&shown));
    // Long after expiry, and with an empty quota.
    app.clock.advance(TimeDelta::days(40));
    app.db_limit(|limits| limits.keyword_research = 0).await;
    let browser = app.db_member(0).await;
    let again = browser.get(&path).await.ok();
    for member in [
        "id",
        "keyword",
        "normalized",
        "location",
        "language",
        "searchVolume",
        "trend",
        "ideas",
        "serpFeatures",
        "provider",
        "provenance",
        "cachedAt",
        "expiresAt",
        "searchedAt",
    ] {
        assert_eq!(again[member], shown[member], "{member}");
    }
    assert_eq!(
        (&again["cached"], &again["usage"], &again["limit"]),
        (&json!(true), &json!(0), &json!(0))
    );
    assert_eq!(market.calls(), 1);
    assert_eq!(browser.delete(&path).await.ok(), json!({ "forgotten": 1 }));
    browser.get(&path).await.refused(404, "not-found");
    browser.delete(&path).await.refused(404, "not-found");
}

async fn the_history_belongs_to_the_user_and_is_paged(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(0));
    let app = served(&db, &market).await;
    let (browser, other) = (app.db_member(0).await, app.db_member(1).await);
    let mut made = vec![];
    for keyword in ["one", "two", "three", "four", "five"] {
        app.clock.advance(TimeDelta::seconds(1));
        made.push(id(&researched(&browser, keyword).await.ok()));
    }
    // A repeated search moves to the top.
    app.clock.advance(TimeDelta::seconds(1));
    assert_eq!(id(&researched(&browser, "two").await.ok()), made[1]);
    let expected = [made[1], made[4], made[3], made[2], made[0]];
    let (mut seen, mut path) = (vec![], format!("{HISTORY}?limit=2"));
    loop {
        let page = browser.get(&path).await.ok();
        assert_eq!(page["limit"], 2);
        seen.extend(ids(&page));
        let Some(cursor) = page["nextCursor"].as_str() else {
            break;
        };
        path = format!("{HISTORY}?limit=2&cursor={cursor}");
        other.get(&path).await.errors();
    }
    assert_eq!(seen, expected);
    let first = &browser.get(HISTORY).await.ok()["items"][0];
    assert_eq!(
        (&first["keyword"], &first["searchVolume"], &first["ideas"]),
        (&json!("two"), &json!(1_000), &json!(3))
    );
    assert_eq!(
        first["location"],
        json!({ "name": "United States", "code": "us" })
    );
    assert_eq!(other.get(HISTORY).await.ok()["items"], json!([]));
    let foreign = format!("{HISTORY}/{}", made[0]);
    other.get(&foreign).await.refused(404, "not-found");
    other.delete(&foreign).await.refused(404, "not-found");
    browser.get(&foreign).await.ok();
}

async fn unknown_countries_return_the_closest_names(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let wish = json!({ "keyword": "shoes", "location": "Germny", "language": "Germn" });
    let problem = browser.post(RESEARCH, wish).await;
    let problem = problem.refused(422, "validation-failed");
    for (error, place, meant) in [(0, "/location", "Germany"), (1, "/language", "German")] {
        let error = &problem["errors"][error];
        assert_eq!(
            (&error["pointer"], &error["code"]),
            (&json!(place), &json!("unknown-name"))
        );
        assert_eq!(error["nearest"][0], meant);
        assert_eq!(error["didYouMean"], meant);
        assert!(error["nearest"].as_array().unwrap().len() >= 3);
    }
    assert_eq!(quota(&browser).await, (0, 100, true));
    for (location, language) in [("Germany", "German"), ("DE", "deu"), ("deutschland", "de")] {
        let wish = json!({ "keyword": "schuhe", "location": location, "language": language });
        let research = browser.post(RESEARCH, wish).await.ok();
        assert_eq!(
            research["location"],
            json!({ "name": "Germany", "code": "de" })
        );
        assert_eq!(
            research["language"],
            json!({ "name": "German", "code": "de" })
        );
    }
    assert_eq!(quota(&browser).await, (1, 100, true));
}

async fn ideas_mark_keywords_that_the_project_tracks(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(0));
    let app = served(&db, &market).await;
    let (browser, other) = (app.db_member(0).await, app.db_member(1).await);
    let body = json!({ "domain": "shop.example.com", "keywords": ["blue  SHOES", "old shoes"] });
    let created = browser.post("/api/projects", body).await.created();
    let gone = id(&created["keywords"]["created"][1]);
    browser.delete(&format!("/api/keywords/{gone}")).await.ok();
    let project = id(&created);
    let in_project = |answer: &Value| -> Vec<Value> {
        let ideas = answer["ideas"].as_array().unwrap();
        ideas.iter().map(|it| it["inProject"].clone()).collect()
    };
    let mut wish = research_body("shoes");
    wish["projectId"] = json!(project);
    let foreign = other.post(RESEARCH, wish.clone()).await;
    foreign.refused(404, "project-not-found");
    assert_eq!(market.calls(), 0);

    // Only the active keyword counts as tracked, in any spelling.
    let research = browser.post(RESEARCH, wish.clone()).await.ok();
    assert_eq!(
        in_project(&research),
        [json!(false), json!(true), json!(false)]
    );
    let cached = browser.post(RESEARCH, wish).await.ok();
    assert_eq!(in_project(&cached), in_project(&research));
    let path = format!("{HISTORY}/{}", id(&research));
    assert_eq!(
        in_project(&browser.get(&path).await.ok()),
        vec![Value::Null; 3]
    );
    let named = browser
        .get(&format!("{path}?projectId={project}"))
        .await
        .ok();
    assert_eq!(in_project(&named), in_project(&research));
    browser
        .get(&format!("{path}?projectId=4711"))
        .await
        .refused(404, "project-not-found");
    // Search volume applies to a keyword in all its projects.
    let keywords = format!("/api/projects/{project}/keywords?status=all");
    let volumes = async || -> Vec<Value> {
        let listed = browser.get(&keywords).await.ok();
        let items = listed["items"].as_array().unwrap();
        items.iter().map(|it| it["searchVolume"].clone()).collect()
    };
    assert_eq!(volumes().await, [Value::Null, Value::Null]);
    researched(&browser, "Blue Shoes").await.ok();
    let known = volumes().await;
    assert!(
        known.contains(&json!(1_000)) && known.contains(&Value::Null),
        "{known:?}"
    );
    // Another language is another keyword.
    let mut german = research_body("shoes");
    german["projectId"] = json!(project);
    german["language"] = json!("German");
    let research = browser.post(RESEARCH, german).await.ok();
    assert_eq!(in_project(&research), vec![json!(false); 3]);
}

/// Spending of the account's month and day, and of the server's day.
async fn spending(app: &TestApp) -> [Spending; 3] {
    let (account, day) = (app.db_account().await, app.clock.now().date_naive());
    let mut read = app.storage.read().await.unwrap();
    let mut found = [Spending::default(); 3];
    for (found, counter) in found.iter_mut().zip(Counter::of(account, day)) {
        *found = read.spending().find(counter).await.unwrap();
    }
    found
}

fn stands(reserved: i64, spent: i64) -> [Spending; 3] {
    [Spending {
        reserved: MicroUsd(reserved),
        spent: MicroUsd(spent),
    }; 3]
}

fn dear() -> Market {
    Market {
        max_cost_per_call: MicroUsd(40_000),
        costs: MicroUsd(15_000),
        ..Market::that_takes(700)
    }
}

async fn cost_is_reserved_and_never_exceeds_the_budget(db: TestDatabase) {
    let market = Arc::new(dear());
    let data = Arc::clone(&market) as Arc<dyn KeywordData>;
    let app = TestApp::with_keyword_data(db.port(), data, |config| {
        config.policies.prices.max_per_day = Some(MicroUsd(130_000));
    })
    .await;
    let browser = app.db_member(0).await;
    researched(&browser, "one").await.ok();
    assert_eq!(spending(&app).await, stands(0, 15_000));
    // A billed failure costs money but no unit.
    market.is_down.store(true, Ordering::SeqCst);
    researched(&browser, "two")
        .await
        .refused(503, "supplier-unavailable");
    market.is_down.store(false, Ordering::SeqCst);
    assert_eq!(spending(&app).await, stands(0, 30_000));
    assert_eq!(quota(&browser).await.0, 1);

    // Budget for two at once: the others are refused before any call.
    let searches = (0..10).map(|number| {
        let browser = browser.clone();
        async move { researched(&browser, &format!("at once {number}")).await }
    });
    let answers = join_all(searches).await;
    let refused = answers.iter().filter(|it| it.status == 429);
    for answer in refused.clone() {
        let problem = answer.refused(429, "quota-exceeded");
        assert_eq!(problem["quota"]["name"], "serverDailyBudget");
    }
    let refused = refused.count();
    assert!((7..=8).contains(&refused), "{refused}");
    let bought = i64::try_from(10 - refused).unwrap();
    assert_eq!(spending(&app).await, stands(0, 30_000 + 15_000 * bought));
    // Refused searches release their unit.
    assert_eq!(quota(&browser).await.0, 1 + u64::try_from(bought).unwrap());

    app.db_limit(|limits| limits.monthly_budget = Some(MicroUsd(40_000)))
        .await;
    let problem = researched(&browser, "too dear").await;
    let problem = problem.refused(429, "quota-exceeded");
    assert_eq!(problem["quota"]["name"], "monthlyBudget");
    assert_eq!(problem["quota"]["resetsAt"], "2026-10-01T00:00:00Z");
    // Cached results cost nothing.
    assert_eq!(researched(&browser, "one").await.ok()["cached"], true);
}

async fn a_crashed_server_leaves_no_reserved_unit(db: TestDatabase) {
    let market = Arc::new(dear());
    let app = served(&db, &market).await;
    let browser = app.db_member(0).await;
    app.db_limit(|limits| limits.keyword_research = 1).await;
    let (account, now) = (app.db_account().await, app.clock.now());
    let subject = ResearchSubject {
        keyword: KeywordText::parse("red shoes").unwrap(),
        country: Country::parse("us").unwrap(),
        language: Language::parse("en").unwrap(),
    };
    // The state after a process died during a supplier call.
    let reservation = Reservation {
        account,
        flight: FlightId(77),
        day: now.date_naive(),
        max_cost: MicroUsd(40_000),
        until: now + Flight::LEASE,
    };
    let mut work = app.storage.write().await.unwrap();
    let key = subject.key("keyword data");
    let departed = work
        .research()
        .begin_flight(key, reservation.flight, now, reservation.until);
    assert!(departed.await.unwrap());
    work.research().reserve(&reservation).await.unwrap();
    for counter in Counter::of(account, reservation.day) {
        let reserved = work.spending().reserve(counter, reservation.max_cost, None);
        assert!(reserved.await.unwrap());
    }
    work.commit().await.unwrap();

    assert_eq!(quota(&browser).await, (1, 1, false));
    researched(&browser, "blue shoes")
        .await
        .refused(429, "quota-exceeded");
    app.clock.advance(Flight::LEASE);
    assert_eq!(quota(&browser).await, (0, 1, true));
    // The same search is repeated and uses the unit.
    assert_eq!(
        researched(&browser, "red shoes").await.ok()["cached"],
        false
    );
    assert_eq!(quota(&browser).await, (1, 1, false));
    assert_eq!(spending(&app).await, stands(40_000, 15_000));
    // The outcome of the dead process's call is unknown: its money counts as spent, its unit does not.
    let core = app.core();
    for _ in 0..2 {
        core.purge_expired().await.unwrap();
        assert_eq!(spending(&app).await, stands(0, 55_000));
    }
    assert_eq!(quota(&browser).await, (1, 1, false));
}

async fn a_late_result_uses_no_unit(db: TestDatabase) {
    let clock: Arc<Mutex<Option<Arc<FrozenClock>>>> = Arc::default();
    let market = Arc::new(Market {
        lags: Some((Arc::clone(&clock), Flight::LEASE)),
        ..dear()
    });
    let app = served(&db, &market).await;
    *clock.lock().unwrap() = Some(Arc::clone(&app.clock));
    let browser = app.db_member(0).await;
    let problem = researched(&browser, "red shoes").await;
    let problem = problem.refused(503, "supplier-unavailable");
    assert_eq!(problem["reason"], "supplierTimedOut");
    assert_eq!(quota(&browser).await, (0, 100, true));
    assert_eq!(spending(&app).await, stands(0, 15_000));
    assert_eq!(browser.get(HISTORY).await.ok()["items"], json!([]));
}

async fn a_search_continues_after_client_disconnect(db: TestDatabase) {
    let market = Arc::new(Market::that_takes(600));
    let app = served(&db, &market).await;
    let browser = app.db_member(0).await;
    let leaving = researched(&browser, "red shoes");
    let left = tokio::time::timeout(Duration::from_millis(200), leaving).await;
    assert!(left.is_err(), "it was answered");
    // The next request waits for the same result.
    let research = researched(&browser, "red shoes").await.ok();
    assert_eq!((&research["cached"], market.calls()), (&json!(true), 1));
    assert_eq!(quota(&browser).await, (1, 100, true));
}
