//! Rank check results beyond ranks: share of voice, competitors, forecasts, cannibalization.

use super::{
    api::{Api, number},
    content_changes::{self, ChangingSite},
    on_both,
    world::World,
};
use analysis::provenance::Provenance;
use chrono::{DateTime, Days, Utc};
use domain::{
    ids::{AccountId, JobId, KeywordId, ProjectId},
    ports::storage::Transaction,
    results::{KeywordMeasurement, OwnPlace, RankPoint, RankState, SearchSource},
};
use serde_json::{Value, json};

on_both!(
    shares_and_competitors_come_from_all_serps,
    check_of_one_keyword_evaluates_all,
    history_yields_forecasts_and_cannibalization,
    cannibalization_advice_follows_from_the_audit,
);

async fn results(api: &Api, result_type: &str, project: i64) -> Value {
    let path = format!("/results?type={result_type}&projectId={project}");
    let results = api.get(&path).await;
    assert_eq!(results["state"], "ready", "{results}");
    assert_eq!(results["provenance"], "simulated");
    results
}

fn sum(items: &Value, member: &str) -> f64 {
    let items = items.as_array().unwrap();
    items.iter().map(|it| it[member].as_f64().unwrap()).sum()
}

async fn shares_and_competitors_come_from_all_serps(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 60).await;
    let over = api.finished(api.analyze("rankCheck", project).await).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    assert_eq!(
        over["results"],
        json!([
            "rankings",
            "serp",
            "sov",
            "forecast",
            "competitors",
            "cannibalization",
            "suggestions"
        ])
    );

    let sov = results(&api, "sov", project).await;
    let whole = &sov["items"][0];
    assert_eq!(
        (&whole["scope"], &whole["keywordCount"]),
        (&json!("project"), &json!(60))
    );
    let listed = sum(&whole["domains"], "sov") + whole["othersSov"].as_f64().unwrap();
    assert!((listed - 1.0).abs() < 1e-3, "{listed}");
    assert_eq!(sov["summary"]["sov"], whole["sov"]);

    let competitors = results(&api, "competitors", project).await;
    let competitors = competitors["items"].as_array().unwrap();
    assert!(competitors.len() > 5, "{}", competitors.len());
    let scores: Vec<f64> = competitors
        .iter()
        .filter_map(|it| it["competitorScore"].as_f64())
        .collect();
    assert!(
        scores.windows(2).all(|pair| pair[0] >= pair[1]),
        "{scores:?}"
    );
    assert!(competitors.iter().all(|it| it["domain"] != "example.com"));

    // One measurement is not a history.
    let ahead = results(&api, "forecast", project).await;
    assert_eq!(ahead["items"].as_array().unwrap().len(), 62);
    for record in ahead["items"].as_array().unwrap() {
        assert_eq!(record["status"], "insufficientData", "{record}");
        assert_eq!(record["points"], json!([]));
    }
    // The sandbox ranks the site for most keywords, so some are within reach.
    let advice = results(&api, "suggestions", project).await;
    let advice = advice["items"].as_array().unwrap();
    assert!(!advice.is_empty());
    let scores: Vec<f64> = advice
        .iter()
        .map(|it| it["priorityScore"].as_f64().unwrap())
        .collect();
    assert!(
        scores.windows(2).all(|pair| pair[0] >= pair[1]),
        "{scores:?}"
    );
    assert!(
        advice
            .iter()
            .all(|it| it["state"] == "open" && it["evidence"][0]["observed"] != Value::Null)
    );

    let cannibalization = results(&api, "cannibalization", project).await;
    assert_eq!(cannibalization["summary"]["coverage"]["measured"], 60);
}

async fn check_of_one_keyword_evaluates_all(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 20).await;
    api.finished(api.analyze("rankCheck", project).await).await;
    let keyword = api.records("rankings", project).await[0]["keywordId"].clone();
    let some = json!({ "type": "rankCheck", "projectId": project, "keywordIds": [keyword] });
    let job = api.call("POST", "/analyze", Some(&some)).await.1;
    assert_eq!(
        api.finished(number(&job, "/id")).await["status"],
        "succeeded"
    );
    let sov = results(&api, "sov", project).await;
    assert_eq!(sov["items"][0]["keywordCount"], 20);
    assert_eq!(api.records("forecast", project).await.len(), 22);
}

/// 40 days before today, with the site at 3 to 5 and two alternating pages.
fn past(
    keyword: i64,
    simulated: bool,
    now: DateTime<Utc>,
    pages: [&str; 2],
) -> Vec<KeywordMeasurement> {
    let day = |ago: u32| {
        let position = 3 + ago % 3;
        let url = pages[(ago / 2 % 2) as usize].to_owned();
        let measured_at = now - Days::new(ago.into());
        KeywordMeasurement {
            keyword: KeywordId(keyword),
            job: JobId(i64::from(ago)),
            day: measured_at.date_naive(),
            source: SearchSource {
                engine: if simulated { "sandbox" } else { "google" }.to_owned(),
                provenance: if simulated {
                    Provenance::Simulated
                } else {
                    Provenance::Measured
                },
            },
            point: RankPoint {
                measured_at,
                state: RankState::Ranked,
                position: Some(position),
                absolute_position: None,
                depth_checked: 100,
                url: Some(url.clone()),
            },
            own: vec![OwnPlace {
                url,
                position,
                expected_ctr: Some(0.08),
            }],
            best: None,
            worst: None,
            serp: None,
        }
    };
    (1..=40).map(day).collect()
}

pub async fn remember(world: &World, project: i64, measurements: &[KeywordMeasurement]) {
    let account = AccountId(world.account());
    let add = |mut work: Box<dyn Transaction>| async move {
        let port = work.measurements();
        port.add(account, ProjectId(project), measurements).await?;
        work.commit().await
    };
    world.database.port().transaction(add).await.unwrap();
}

async fn history_yields_forecasts_and_cannibalization(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 2).await;
    let path = format!("/projects/{project}/keywords");
    let keywords = api.get(&path).await;
    let keyword = |at: usize| keywords["items"][at]["id"].as_i64().unwrap();
    let health = api.get("/health").await;
    let now: DateTime<Utc> = health["serverTime"].as_str().unwrap().parse().unwrap();
    let pages = ["https://example.com/a", "https://example.com/b"];
    remember(&world, project, &past(keyword(0), true, now, pages)).await;
    remember(&world, project, &past(keyword(1), false, now, pages)).await;

    let over = api.finished(api.analyze("rankCheck", project).await).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let of = async |result_type: &str, keyword: i64| {
        let path = format!("/results?type={result_type}&projectId={project}&keywordId={keyword}");
        api.get(&path).await["items"].clone()
    };
    let ahead = of("forecast", keyword(0)).await;
    let (ahead, points) = (&ahead[0], ahead[0]["points"].as_array().unwrap());
    assert!(!points.is_empty() && points.len() <= 30, "{ahead}");
    for point in points {
        let value = |name: &str| point[name].as_f64().unwrap();
        assert!(value("lo95") <= value("lo80") && value("lo80") <= value("median"));
        assert!(value("median") <= value("hi80") && value("hi80") <= value("hi95"));
    }
    assert_eq!(ahead["provenance"], "simulated");
    let cannibalized = of("cannibalization", keyword(0)).await;
    let urls: Vec<&Value> = cannibalized[0]["urls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["url"])
        .collect();
    assert!(
        urls.contains(&&json!("https://example.com/a"))
            && urls.contains(&&json!("https://example.com/b")),
        "{cannibalized}"
    );
    assert!(
        cannibalized[0]["flipRate"].as_f64().unwrap() > 0.3,
        "{cannibalized}"
    );

    // One of two keywords was measured before by the same source.
    let changes = results(&api, "rankings", project).await["summary"]["sinceLast"].clone();
    assert_eq!(
        (&changes["compared"], &changes["added"]),
        (&json!(1), &json!(1)),
        "{changes}"
    );

    // Data of a real engine is another series than the sandbox's.
    let other = of("forecast", keyword(1)).await;
    assert_eq!(other[0]["status"], "insufficientData", "{other}");
    assert_eq!(of("cannibalization", keyword(1)).await, json!([]));
    let rank = of("rankings", keyword(1)).await;
    assert_eq!(rank[0]["changeKind"], "firstSeen", "{rank}");
}

async fn cannibalization_advice_follows_from_the_audit(mut world: World) {
    let site = ChangingSite::start();
    site.settle_in(&mut world);
    site.publish(1);
    let (_server, api) = world.serve(&[]);
    let host = content_changes::HOST;
    let project = api.project(host, 3).await;
    let keywords = api.get(&format!("/projects/{project}/keywords")).await;
    let health = api.get("/health").await;
    let now: DateTime<Utc> = health["serverTime"].as_str().unwrap().parse().unwrap();
    let url = |path: &str| format!("http://{host}{path}");
    // The same text at two URLs, another text, and finally a page that redirects to its competitor.
    let competitors = ["/hidden", "/edited", "/moves"];
    for (at, competitor) in competitors.iter().enumerate() {
        let keyword = keywords["items"][at]["id"].as_i64().unwrap();
        let days = past(keyword, true, now, [&url("/stays"), &url(competitor)]);
        remember(&world, project, &days).await;
    }
    for edition in [1, 2] {
        site.publish(edition);
        let over = api.finished(api.analyze("siteAudit", project).await).await;
        assert_eq!(over["status"], "succeeded", "{over}");
    }
    let over = api.finished(api.analyze("rankCheck", project).await).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let found = results(&api, "cannibalization", project).await;
    let of = |competitor: &str| {
        let items = found["items"].as_array().unwrap();
        let is_of = |record: &&Value| {
            let urls = record["urls"].as_array().unwrap();
            urls.iter().any(|it| it["url"] == url(competitor))
        };
        items.iter().find(is_of).expect("pages that take turns")
    };

    let twins = of("/hidden");
    assert_eq!(twins["textSimilarity"], 1.0, "{twins}");
    assert_eq!(twins["action"], "redirect301", "{twins}");
    let titles = twins["urls"].as_array().unwrap().iter();
    assert_eq!(
        { titles }
            .filter(|it| it["title"] == "How a cup is fired")
            .count(),
        2,
        "{twins}"
    );
    assert!(of("/edited")["textSimilarity"].as_f64().unwrap() < 0.2);
    // A page that redirects to its competitor does not compete.
    let moved = of("/moves");
    assert_eq!(
        (&moved["score"], &moved["severity"]),
        (&json!(0.0), &json!("none")),
        "{moved}"
    );
}
