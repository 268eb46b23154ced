//! Search Console end to end: imported and fetched rows appear in rank checks.

use super::{api::Api, loopback::Loopback, on_both, world::World};
use actix_web::{HttpRequest, HttpResponse, web};
use analysis::findings::suggestions::{Evidence, resolves};
use base64::{Engine, engine::general_purpose::STANDARD};
use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::{
    ids::{AccountId, ProjectId},
    ports::storage::Storage,
    search_console::Binding,
};
use rcgen::{KeyPair, PKCS_RSA_SHA256, RsaKeySize};
use serde_json::{Value, json};
use std::{
    fmt::Write,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

on_both!(
    imported_rows_feed_rank_checks_and_suggestions,
    invalid_file_is_reported_and_not_imported,
    bound_property_is_fetched_daily_and_failures_reported,
);

const EMAIL: [&str; 2] = ["--email", "ann@example.com"];

pub fn console(world: &World, verb: &str, project: i64, more: &[&str]) -> String {
    let project = project.to_string();
    let of = [
        "search-console",
        verb,
        EMAIL[0],
        EMAIL[1],
        "--project",
        &project,
    ];
    world.run_command(&[&of[..], more].concat())
}

fn status(world: &World, project: i64) -> Value {
    serde_json::from_str(&console(world, "status", project, &["--json"])).unwrap()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the processes under test take the machine's time"
)]
pub fn now() -> DateTime<Utc> {
    Utc::now()
}

pub fn day(before: u64) -> NaiveDate {
    now().date_naive() - Days::new(before)
}

pub fn file(world: &World, name: &str, text: &str) -> String {
    let path = world.folder().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

pub async fn check(api: &Api, project: i64) {
    let over = api.finished(api.analyze("rankCheck", project).await).await;
    assert_eq!(over["status"], "succeeded", "{over}");
}

/// The ranking record of the first keyword.
async fn first(api: &Api, project: i64) -> Value {
    let records = api.records("rankings", project).await;
    let is_first = |it: &&Value| it["keyword"] == "running shoes 0";
    records.iter().find(is_first).unwrap().clone()
}

#[expect(clippy::too_many_lines, reason = "one scenario, in its order")]
async fn imported_rows_feed_rank_checks_and_suggestions(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 3).await;
    check(&api, project).await;
    let before = first(&api, project).await;
    assert_eq!(
        (
            &before["ctrModel"],
            &before["gscClicks"],
            &before["gscPosition"]
        ),
        (&json!("ctr-v1"), &Value::Null, &Value::Null)
    );
    assert_eq!(
        api.records("suggestions", project)
            .await
            .iter()
            .filter(|it| it["ruleId"] == "ctrGap")
            .count(),
        0
    );

    // Twenty days of two pages for one keyword, and enough other rows for a CTR curve.
    let mut text = "Date;Query;Page;Country;Device;Clicks;Impressions;CTR;Position".to_owned();
    // A day without impressions has no row and does not end the period.
    for before in (3..24).filter(|it| *it != 9) {
        let day = day(before);
        let mut row = |query: &str, page: &str, clicks: u32, impressions: u32, position: &str| {
            write!(text, "\r\n{day};{query};https://example.com/{page};usa;DESKTOP;{clicks};{impressions};;{position}").unwrap();
        };
        row("Running Shoes 0", "shoes", 2, 100, "2,0");
        row("running shoes 0", "sale", 1, 50, "5,0");
        row("trail shoes", "trail", 30, 100, "1,0");
        row("road shoes", "road", 20, 100, "2,0");
        row("running shoes 1", "one", 9, 90, "3,4");
    }
    // Another market than the keyword's (desktop, United States).
    write!(
        text,
        "\r\n{};running shoes 0;https://example.com/shoes;deu;MOBILE;50;60;;1",
        day(3)
    )
    .unwrap();
    let rows = file(&world, "rows.csv", &text);
    let printed = console(&world, "import", project, &[&rows]);
    assert!(
        printed.starts_with("queryPage-country-device: 101 rows of "),
        "{printed}"
    );
    // A repeated import replaces the rows.
    console(&world, "import", project, &[&rows]);
    let stored = status(&world, project);
    assert_eq!(
        (
            &stored["imported"][0]["rows"],
            &stored["imported"][0]["days"],
            &stored["binding"]
        ),
        (&json!(101), &json!(21), &Value::Null)
    );

    check(&api, project).await;
    let ranked = first(&api, project).await;
    let model = ranked["ctrModel"].as_str().unwrap();
    assert_eq!(model, format!("own-{}", day(3)));
    // Two pages may share an impression: clicks add up, impressions do not.
    assert_eq!(
        (
            &ranked["gscClicks"],
            &ranked["gscImpressions"],
            &ranked["gscPosition"]
        ),
        (&json!(60), &Value::Null, &Value::Null)
    );
    assert_eq!(
        ranked["gscPeriod"],
        json!({"from": day(23), "to": day(3), "ofMarket": true})
    );
    let records = api.records("rankings", project).await;
    let one = records
        .iter()
        .find(|it| it["keyword"] == "running shoes 1")
        .unwrap();
    assert_eq!(
        (
            &one["gscClicks"],
            &one["gscImpressions"],
            &one["gscPosition"]
        ),
        (&json!(180), &json!(1_800), &json!(3.4))
    );
    let two = records
        .iter()
        .find(|it| it["keyword"] == "running shoes 2")
        .unwrap();
    assert_eq!(
        (&two["gscClicks"], &two["gscPeriod"]),
        (&Value::Null, &Value::Null)
    );
    // Share of voice and visibility keep the published curve.
    let sov = api
        .get(&format!("/results?type=sov&projectId={project}"))
        .await;
    assert_eq!(sov["items"][0]["ctrModel"], "ctr-v1");

    let gaps = api.records("suggestions", project).await;
    let gap = gaps
        .iter()
        .find(|it| it["ruleId"] == "ctrGap" && it["url"] == "https://example.com/shoes")
        .unwrap_or_else(|| panic!("{gaps:?}"));
    let rows = console(&world, "rows", project, &["--json", "--limit", "1000"]);
    let rows: Vec<Value> = serde_json::from_str(&rows).unwrap();
    let evidence: Vec<Evidence> = serde_json::from_value(gap["evidence"].clone()).unwrap();
    assert!(evidence.len() >= 2);
    for it in &evidence {
        assert!(
            rows.iter().any(|row| resolves(it, row)),
            "{it:?} in {rows:?}"
        );
        // Dated by the last day with data, not by the import.
        let measured = it.record_ref.measured_at.unwrap().date_naive();
        assert_eq!(measured, day(2));
    }

    // A newer, coarser table fills gaps and hides nothing of the finer one.
    let coarse = "Top queries,Clicks,Impressions,CTR,Position\nrunning shoes 1,999,9999,10%,9\nrunning shoes 2,11,110,10%,4\n";
    let coarse = file(&world, "Queries.csv", coarse);
    let (from, to) = (day(28).to_string(), day(1).to_string());
    console(
        &world,
        "import",
        project,
        &["--from", &from, "--to", &to, &coarse],
    );
    check(&api, project).await;
    let records = api.records("rankings", project).await;
    let figures_of = |keyword: &str| {
        let found = records.iter().find(|it| it["keyword"] == keyword).unwrap();
        (
            found["gscClicks"].clone(),
            found["gscPeriod"]["ofMarket"].clone(),
        )
    };
    assert_eq!(figures_of("running shoes 1"), (json!(180), json!(true)));
    assert_eq!(figures_of("running shoes 2"), (json!(11), json!(false)));
}

async fn invalid_file_is_reported_and_not_imported(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 1).await;
    let fine = "Top queries,Clicks,Impressions,CTR,Position\nshoes,1,10,10%,3\n";
    let files = [
        file(&world, "Queries.csv", fine),
        file(
            &world,
            "Pages.csv",
            "Top pages,Clicks,Impressions,CTR,Position\nhttps://example.com/,1,10,10%,3\nhttps://example.com/b,two,10,20%,3\n",
        ),
    ];
    let id = project.to_string();
    let (from, to) = (day(90).to_string(), day(3).to_string());
    let of = [
        "search-console",
        "import",
        EMAIL[0],
        EMAIL[1],
        "--project",
        &id,
        "--from",
        &from,
        "--to",
        &to,
    ];
    let refusal = world.run_failing_command(&[&of[..], &[&files[0], &files[1]]].concat());
    assert!(
        refusal.contains("Pages.csv, line 3, column 2 (“Clicks”): “two” is not a number of clicks"),
        "{refusal}"
    );
    assert_eq!(status(&world, project)["imported"], json!([]));
    let refusal = world.run_failing_command(
        &of[..6]
            .iter()
            .chain(&[&*files[0]])
            .copied()
            .collect::<Vec<_>>(),
    );
    assert!(refusal.contains("--from and --to"), "{refusal}");
    let other = file(
        &world,
        "other.csv",
        "Page,Clicks,Impressions,CTR,Position\nhttps://example.org/,1,10,10%,3\n",
    );
    let refusal = world.run_failing_command(&[&of[..], &[&other]].concat());
    assert!(refusal.contains("https://example.org/"), "{refusal}");
    let printed = console(
        &world,
        "import",
        project,
        &["--from", &from, "--to", &to, &files[0]],
    );
    assert!(printed.starts_with("query: 1 rows of "), "{printed}");
    check(&api, project).await;
}

/// PEM, as in key files.
fn pem(key: &KeyPair) -> String {
    let text = STANDARD.encode(key.serialize_der());
    let lines: Vec<&str> = { text.as_bytes().chunks(64) }
        .map(|it| std::str::from_utf8(it).unwrap())
        .collect();
    format!(
        "-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n",
        lines.join("\n")
    )
}

/// State of the fake Google, and the requests it received.
#[derive(Default)]
struct Known {
    /// Days before today that are not final.
    lag: u64,
    failure: Option<(u16, &'static str)>,
    tokens: usize,
    /// Days queried, by combination of dimensions.
    queries: Vec<(String, usize)>,
}

type Shared = web::Data<Arc<Mutex<Known>>>;

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn token(
    shared: Shared,
    form: web::Form<std::collections::BTreeMap<String, String>>,
) -> HttpResponse {
    assert_eq!(form["assertion"].split('.').count(), 3);
    lock(&shared).tokens += 1;
    HttpResponse::Ok()
        .json(json!({"access_token": "ya29.canary", "expires_in": 3599, "token_type": "Bearer"}))
}

async fn query(shared: Shared, request: HttpRequest, body: web::Json<Value>) -> HttpResponse {
    let mut known = lock(&shared);
    let bearer = request
        .headers()
        .get("authorization")
        .unwrap()
        .to_str()
        .unwrap();
    assert_eq!(bearer, "Bearer ya29.canary");
    if let Some((code, reason)) = known.failure {
        let error =
            json!({"error": {"code": code, "message": "no", "errors": [{"reason": reason}]}});
        return HttpResponse::build(code.try_into().unwrap()).json(error);
    }
    let (from, to): (NaiveDate, NaiveDate) = (
        serde_json::from_value(body["startDate"].clone()).unwrap(),
        serde_json::from_value(body["endDate"].clone()).unwrap(),
    );
    let dimensions: Vec<String> = serde_json::from_value(body["dimensions"].clone()).unwrap();
    let last = day(known.lag);
    let days = from.iter_days().take_while(|it| *it <= to.min(last));
    let figures = |keys: Vec<String>| json!({"keys": keys, "clicks": 4.0, "impressions": 60.0, "ctr": 0.0667, "position": 3.0});
    let rows: Vec<Value> = days
        .map(|day| {
            let keys = dimensions.iter().map(|it| match it.as_str() {
                "date" => day.to_string(),
                "query" => "running shoes 0".to_owned(),
                "page" => "https://example.com/shoes".to_owned(),
                "country" => "usa".to_owned(),
                _ => "DESKTOP".to_owned(),
            });
            figures(keys.collect())
        })
        .collect();
    if dimensions != ["date"] {
        known.queries.push((from.to_string(), dimensions.len()));
    }
    HttpResponse::Ok().json(json!({"rows": rows, "responseAggregationType": "byPage"}))
}

#[expect(clippy::too_many_lines, reason = "one scenario, in its order")]
async fn bound_property_is_fetched_daily_and_failures_reported(mut world: World) {
    let known = Arc::new(Mutex::new(Known {
        lag: 3,
        failure: Some((403, "forbidden")),
        ..Known::default()
    }));
    let shared = web::Data::new(Arc::clone(&known));
    let google = Loopback::start(move |app| {
        app.app_data(shared.clone())
            .route("/token", web::post().to(token))
            .route(
                "/webmasters/v3/sites/sc-domain:example.com/searchAnalytics/query",
                web::post().to(query),
            );
    });
    let key = KeyPair::generate_rsa_for(&PKCS_RSA_SHA256, RsaKeySize::_2048).unwrap();
    let key = json!({
        "type": "service_account", "client_email": "sightline@p.iam.gserviceaccount.com",
        "private_key": pem(&key), "private_key_id": "f00",
    });
    let key = file(&world, "key.json", &key.to_string());
    let base = format!("http://{}", google.address);
    world.set("SEARCH_CONSOLE__KEY_FILE", &key);
    world.set("SEARCH_CONSOLE__BASE_URL", &base);
    world.set("SEARCH_CONSOLE__TOKEN_URL", &format!("{base}/token"));
    world.set("SEARCH_CONSOLE__FIRST_DAYS", "9");
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 1).await;
    let id = project.to_string();
    let wrong = [
        "search-console",
        "bind",
        EMAIL[0],
        EMAIL[1],
        "--project",
        &id,
        "--property",
        "sc-domain:example.org",
    ];
    assert!(
        world
            .run_failing_command(&wrong)
            .contains("the project is example.com")
    );
    console(
        &world,
        "bind",
        project,
        &["--property", "sc-domain:example.com"],
    );

    let failed = until(&world, project, |it| {
        !it["binding"]["lastFailure"].is_null()
    })
    .await;
    let message = failed["binding"]["lastFailure"].as_str().unwrap();
    assert!(
        message.contains("sightline@p.iam.gserviceaccount.com")
            && message.contains("sc-domain:example.com"),
        "{message}"
    );
    assert_eq!(failed["imported"], json!([]));

    // Made due by hand, since time does not pass for the test.
    lock(&known).failure = None;
    make_due(&world, project).await;
    let fetched = until(&world, project, |it| {
        it["binding"]["lastFailure"].is_null()
            && !it["binding"]["through"].is_null()
            && it["binding"]["failures"] == 0
    })
    .await;
    assert_eq!(fetched["binding"]["through"], json!(day(3)));
    let cuts = fetched["imported"].as_array().unwrap();
    assert_eq!(cuts.len(), 4, "{fetched}");
    let days = cuts[0]["days"].as_u64().unwrap();
    assert!((7..=8).contains(&days), "{days}");
    assert!(
        cuts.iter()
            .all(|it| it["rows"] == days && it["origin"] == "api"),
        "{fetched}"
    );
    let queries = lock(&known).queries.clone();
    assert_eq!(queries.len() as u64, days * 4, "each day once in each cut");

    // Two more workers find nothing due. Three days later the fetch continues.
    let _workers = if world.is_sqlite() {
        vec![]
    } else {
        vec![world.worker(), world.worker()]
    };
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(lock(&known).queries.len(), queries.len());
    // A named day beyond the last one leaves the days between to be fetched.
    lock(&known).lag = 0;
    let alone = day(1).to_string();
    let printed = console(
        &world,
        "fetch",
        project,
        &["--from", &alone, "--to", &alone],
    );
    assert!(printed.starts_with("1 days, 4 rows"), "{printed}");
    assert_eq!(status(&world, project)["binding"]["through"], json!(day(3)));
    lock(&known).lag = 1;
    make_due(&world, project).await;
    let later = until(&world, project, |it| {
        it["binding"]["through"] == json!(day(1))
            && it["binding"]["lastAt"] != fetched["binding"]["lastAt"]
    })
    .await;
    assert_eq!(later["imported"][0]["days"], json!(days + 2));
    let queries = lock(&known).queries.clone();
    assert_eq!(queries.len() as u64, (days + 3) * 4, "{queries:?}");
    // The fetching command is a process too.
    let processes = if world.is_sqlite() { 2 } else { 4 };
    let tokens = lock(&known).tokens;
    assert!(
        tokens <= processes,
        "a token is used while it is good: {tokens}"
    );

    // Named days are fetched again and replaced.
    let (from, to) = (day(4).to_string(), day(3).to_string());
    let printed = console(&world, "fetch", project, &["--from", &from, "--to", &to]);
    assert!(printed.starts_with("2 days, 8 rows, through"), "{printed}");
    assert_eq!(
        status(&world, project)["imported"][0]["rows"],
        json!(days + 2)
    );

    check(&api, project).await;
    let ranked = first(&api, project).await;
    assert_eq!(
        (
            &ranked["gscClicks"],
            &ranked["gscImpressions"],
            &ranked["gscPosition"]
        ),
        (&json!(4 * (days + 2)), &json!(60 * (days + 2)), &json!(3.0))
    );
    let id = project.to_string();
    let of = [
        "search-console",
        "fetch",
        EMAIL[0],
        EMAIL[1],
        "--project",
        &id,
    ];
    let refusal = world
        .run_failing_command(&[&of[..], &["--from", "2020-01-01", "--to", "2020-01-02"]].concat());
    assert!(refusal.contains("sixteen months"), "{refusal}");
    console(&world, "unbind", project, &[]);
    assert_eq!(status(&world, project)["binding"], Value::Null);
}

async fn until(world: &World, project: i64, holds: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..300 {
        let now = status(world, project);
        if holds(&now) {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("it never came to that: {}", status(world, project));
}

async fn make_due(world: &World, project: i64) {
    let (account, project) = (AccountId(world.account()), ProjectId(project));
    let mut work = world.database.storage.write().await.unwrap();
    let there = work
        .console_bindings()
        .find(account, project)
        .await
        .unwrap()
        .unwrap();
    let due = Binding {
        next_at: now() - chrono::TimeDelta::seconds(1),
        leased_until: None,
        ..there
    };
    work.console_bindings().set(&due).await.unwrap();
    work.commit().await.unwrap();
}
