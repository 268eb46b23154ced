//! Bulk saving of researched keywords: outcomes and allowances.

use harness::{
    app::TestApp, browsers::Browser, callers::id, databases::TestDatabase, on_every_database,
    sql_rules::statements_sent,
};
use reqwest::Method;
use serde_json::{Value, json};

on_every_database![
    saved_keywords_keep_researched_figures,
    each_keyword_has_an_outcome,
    mode_all_saves_nothing_if_one_keyword_is_refused,
    concurrent_saves_never_exceed_the_quota,
    a_request_with_a_key_saves_once,
    a_thousand_keywords_take_as_many_statements_as_ten,
    invalid_bodies_are_refused_with_their_location,
];

async fn project(browser: &Browser, keywords: &[&str]) -> i64 {
    let body = json!({ "domain": "shop.example.com", "keywords": keywords });
    id(&browser.post("/api/projects", body).await.created())
}

fn wanted(texts: &[(&str, bool)]) -> Vec<Value> {
    { texts.iter() }
        .map(|(text, ai)| json!({ "text": text, "aiTracked": ai }))
        .collect()
}

fn outcomes(saved: &Value) -> Vec<(&str, &str)> {
    { saved["items"].as_array().unwrap().iter() }
        .map(|it| {
            (
                it["text"].as_str().unwrap(),
                it["outcome"].as_str().unwrap(),
            )
        })
        .collect()
}

async fn saved_keywords_keep_researched_figures(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser, &[]).await;
    let wish = json!({ "keyword": "running shoes", "location": "us", "language": "en" });
    let search = browser.post("/api/keyword-research", wish).await.ok();
    let idea = search["ideas"][0]["keyword"].as_str().unwrap();
    let texts = [
        ("running shoes", false),
        (idea, false),
        ("unknown to it", false),
    ];
    let mut body = json!({
        "keywords": wanted(&texts), "mode": "partial", "searchId": search["id"], "tags": ["spring"],
    });
    let bulk = format!("/api/projects/{project}/keywords/bulk");
    let saved = browser.post(&bulk, body.clone()).await.ok();
    assert_eq!(saved["added"], 3);
    let kept = |it: &Value| app.db_keyword(it["keywordId"].as_i64().unwrap());
    let own = kept(&saved["items"][0]).await;
    let metrics = own.metrics.expect("what was researched");
    assert_eq!(
        (
            json!(metrics.search_volume),
            metrics.provenance.name(),
            own.search_volume
        ),
        (search["searchVolume"].clone(), "simulated", None)
    );
    assert_eq!(own.tags.len(), 1);
    assert!(kept(&saved["items"][1]).await.metrics.is_some());
    assert!(kept(&saved["items"][2]).await.metrics.is_none());
    // An unknown search, or one in another country, adds no figures.
    body["keywords"] = json!(wanted(&[("trail shoes", false)]));
    body["searchId"] = json!(1);
    let saved = browser.post(&bulk, body.clone()).await.ok();
    assert!(kept(&saved["items"][0]).await.metrics.is_none());
    body["searchId"] = search["id"].clone();
    body["market"] = json!({ "country": "de", "language": "en" });
    body["keywords"] = json!(wanted(&[("running shoes", false)]));
    let saved = browser.post(&bulk, body).await.ok();
    assert!(kept(&saved["items"][0]).await.metrics.is_none());
}

async fn each_keyword_has_an_outcome(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|it| it.ai_tracked = 1).await;
    let browser = app.db_member(0).await;
    let project = project(&browser, &["rank tracker", "gone"]).await;
    let keywords = format!("/api/projects/{project}/keywords");
    let listed = browser.get(&format!("{keywords}?search=gone")).await.ok();
    let gone = id(&listed["items"][0]);
    browser.delete(&format!("/api/keywords/{gone}")).await.ok();

    let too_long = "x".repeat(201);
    let texts = [
        ("new", true),
        ("Rank  Tracker", true),
        ("gone", false),
        ("NEW", false),
        ("no room in ai", true),
        (" ", false),
        (too_long.as_str(), false),
        ("without ai", false),
    ];
    let body = json!({ "keywords": wanted(&texts), "mode": "partial" });
    let saved = browser.post(&format!("{keywords}/bulk"), body).await.ok();
    assert_eq!(
        outcomes(&saved),
        [
            ("new", "added"),
            ("Rank  Tracker", "alreadyTracked"),
            ("gone", "reactivated"),
            ("NEW", "alreadyTracked"),
            ("no room in ai", "refused"),
            (" ", "refused"),
            (too_long.as_str(), "refused"),
            ("without ai", "added"),
        ]
    );
    let items = &saved["items"];
    assert_eq!(items[3]["keywordId"], items[0]["keywordId"]);
    assert_eq!(items[2]["keywordId"], gone);
    let codes: Vec<&Value> = (4..7).map(|n| &items[n]["code"]).collect();
    assert_eq!(codes, ["allowance-exceeded", "empty", "too-long"]);
    assert!(items[4]["detail"].as_str().unwrap().contains("AI-tracked"));
    assert_eq!(
        (&items[0]["code"], &items[4]["keywordId"]),
        (&Value::Null, &Value::Null)
    );
    let counts = ["added", "alreadyTracked", "reactivated", "refused"].map(|it| &saved[it]);
    assert_eq!(counts, [2, 2, 1, 3]);
    assert_eq!(
        saved["allowance"],
        json!({
            "keywords": { "limit": 10_000, "used": 4 },
            "keywordsPerProject": { "limit": 5_000, "used": 4 },
            "aiTracked": { "limit": 1, "used": 1 },
        })
    );
    let now = browser.get(&format!("{keywords}?sort=text")).await.ok();
    let now: Vec<(&str, bool)> = { now["items"].as_array().unwrap().iter() }
        .map(|it| {
            (
                it["text"].as_str().unwrap(),
                it["aiTracked"].as_bool().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        now,
        [
            ("gone", false),
            ("new", true),
            ("rank tracker", false),
            ("without ai", false)
        ]
    );
    let read = browser.get(&format!("/api/projects/{project}")).await.ok();
    assert_eq!(
        (&read["keywordCount"], &read["aiTrackedCount"]),
        (&json!(4), &json!(1))
    );
}

async fn mode_all_saves_nothing_if_one_keyword_is_refused(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|it| (it.keywords, it.ai_tracked) = (3, 1))
        .await;
    let browser = app.db_member(0).await;
    let project = project(&browser, &["rank tracker"]).await;
    let bulk = format!("/api/projects/{project}/keywords/bulk");
    let all = |texts: &[(&str, bool)]| json!({ "keywords": wanted(texts), "mode": "all" });
    let wrong = browser
        .post(&bulk, all(&[("a", false), ("\u{7}", false), ("", true)]))
        .await;
    let place = |place: &str, code: &str| (place.to_owned(), code.to_owned());
    assert_eq!(
        wrong.errors(),
        [
            place("/keywords/1/text", "control-character"),
            place("/keywords/2/text", "empty")
        ]
    );
    let too_many = browser
        .post(
            &bulk,
            all(&[("a", true), ("b", true), ("c", false), ("d", false)]),
        )
        .await
        .refused(409, "allowance-exceeded");
    // The first refused keyword determines the reported allowance.
    assert_eq!(
        too_many["allowance"],
        json!({ "name": "aiTracked", "used": 1, "limit": 1, "requested": 1 })
    );
    let refused: Vec<(&str, &str)> = { too_many["errors"].as_array().unwrap().iter() }
        .map(|it| {
            (
                it["pointer"].as_str().unwrap(),
                it["allowance"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        refused,
        [("/keywords/1", "aiTracked"), ("/keywords/3", "keywords")]
    );
    let read = browser.get(&format!("/api/projects/{project}")).await.ok();
    assert_eq!(read["keywordCount"], 1, "nothing was saved");
    let saved = browser
        .post(&bulk, all(&[("a", true), ("b", false)]))
        .await
        .ok();
    assert_eq!((&saved["added"], &saved["refused"]), (&json!(2), &json!(0)));
    assert_eq!(
        saved["allowance"]["keywords"],
        json!({ "limit": 3, "used": 3 })
    );
}

async fn concurrent_saves_never_exceed_the_quota(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    app.db_limit(|it| (it.keywords, it.ai_tracked) = (40, 10))
        .await;
    let browser = app.db_member(0).await;
    let project = project(&browser, &[]).await;
    let bulk = format!("/api/projects/{project}/keywords/bulk");
    let racing = (0..32).map(|n| {
        let texts: Vec<String> = (0..3).map(|m| format!("keyword {n} {m}")).collect();
        let keywords: Vec<Value> = { texts.iter().zip([true, false, true]) }
            .map(|(text, ai)| json!({ "text": text, "aiTracked": ai }))
            .collect();
        let mode = if n % 2 == 0 { "partial" } else { "all" };
        let body = json!({ "keywords": keywords, "mode": mode });
        let (browser, bulk) = (browser.clone(), bulk.clone());
        async move { browser.post(&bulk, body).await }
    });
    let answers = futures_util::future::join_all(racing).await;
    let (mut added, mut refused) = (0, 0);
    for answer in &answers {
        if answer.status == 409 {
            answer.refused(409, "allowance-exceeded");
            refused += 1;
            continue;
        }
        let saved = answer.ok();
        added += saved["added"].as_u64().unwrap();
        for (name, max) in [("keywords", 40), ("aiTracked", 10)] {
            assert!(saved["allowance"][name]["used"].as_u64().unwrap() <= max);
        }
    }
    let read = browser.get(&format!("/api/projects/{project}")).await.ok();
    assert_eq!(read["keywordCount"], added);
    assert!(
        added <= 40 && refused > 0,
        "{added} added, {refused} refused"
    );
    assert_eq!(read["aiTrackedCount"], 10, "what was free was given away");
    let listed = browser
        .get(&format!("/api/projects/{project}/keywords?limit=500"))
        .await
        .ok();
    let listed = listed["items"].as_array().unwrap();
    assert_eq!(listed.len() as u64, added);
    let tracked = listed.iter().filter(|it| it["aiTracked"] == true);
    assert_eq!(tracked.count(), 10);
}

async fn a_request_with_a_key_saves_once(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser, &[]).await;
    let bulk = format!("/api/projects/{project}/keywords/bulk");
    let keyed = async |body: Value| {
        let request = browser
            .same_origin_request(Method::POST, &bulk)
            .header("Idempotency-Key", "bulk-1");
        browser.send(request.json(&body)).await
    };
    let body = json!({ "keywords": wanted(&[("a", true)]), "mode": "all" });
    let first = keyed(body.clone()).await.ok();
    let again = keyed(body).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!((again.ok(), &first["added"]), (first.clone(), &json!(1)));
}

async fn a_thousand_keywords_take_as_many_statements_as_ten(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser, &[]).await;
    let bulk = format!("/api/projects/{project}/keywords/bulk");
    let mut costs = vec![];
    for (name, number) in [("few", 10), ("many", 1_000)] {
        let keywords: Vec<Value> = (0..number)
            .map(|n| json!({ "text": format!("{name} {n}"), "aiTracked": n < 3 }))
            .collect();
        let before = statements_sent(&db.url);
        let body = json!({ "keywords": keywords, "mode": "partial" });
        let saved = browser.post(&bulk, body).await.ok();
        assert_eq!(saved["added"], number);
        assert_eq!(saved["items"].as_array().unwrap().len(), number);
        costs.push(statements_sent(&db.url) - before);
    }
    assert!(costs[0] > 0 && costs[1] <= costs[0] + 1, "{costs:?}");
}

async fn invalid_bodies_are_refused_with_their_location(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let browser = app.db_member(0).await;
    let project = project(&browser, &[]).await;
    let bulk = format!("/api/projects/{project}/keywords/bulk");
    for (body, place, code) in [
        (json!({ "mode": "all" }), "/keywords", "required"),
        (
            json!({ "keywords": [], "mode": "all" }),
            "/keywords",
            "too-few",
        ),
        (
            json!({ "keywords": [{ "text": "a" }] }),
            "/mode",
            "required",
        ),
        (
            json!({ "keywords": [{ "text": "a" }], "mode": "some" }),
            "/mode",
            "invalid-value",
        ),
        (
            json!({ "keywords": ["a"], "mode": "all" }),
            "/keywords/0",
            "invalid-type",
        ),
        (
            json!({ "keywords": [{ "txt": "a" }], "mode": "all" }),
            "/keywords/0/txt",
            "unknown-field",
        ),
        (
            json!({ "keywords": [{ "text": "a", "aiTracked": 1 }], "mode": "all" }),
            "/keywords/0/aiTracked",
            "invalid-type",
        ),
        (
            json!({ "keywords": vec![json!({ "text": "a" }); 1_001], "mode": "all" }),
            "/keywords",
            "too-many",
        ),
        (
            json!({ "keywords": [{ "text": "a" }], "mode": "all", "market": { "country": "Germany" } }),
            "/market/country",
            "invalid-value",
        ),
    ] {
        let errors = browser.post(&bulk, body).await.errors();
        assert_eq!(errors[0], (place.to_owned(), code.to_owned()));
    }
    let body = json!({ "keywords": [{ "text": "a" }], "mode": "all", "market": { "country": "de", "language": "de" } });
    assert_eq!(browser.post(&bulk, body).await.ok()["added"], 1);
    let listed = browser
        .get(&format!("/api/projects/{project}/keywords"))
        .await
        .ok();
    assert_eq!(listed["items"][0]["market"]["country"], "de");
    browser
        .delete(&format!("/api/projects/{project}"))
        .await
        .ok();
    let body = json!({ "keywords": [{ "text": "b" }], "mode": "partial" });
    browser
        .post(&bulk, body)
        .await
        .refused(409, "project-deactivated");
}
