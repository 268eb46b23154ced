//! Field data and external lab data, over HTTP.

use super::{EVERYBODY, HOME, bare, health, measured, project, record, with_key};
use crate::{
    api::number,
    google::{Google, KEY},
    on_both,
    small_site::{HOST, SmallSite},
    world::World,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

on_both!(
    field_data_and_external_lab_runs_come_over_http,
    next_run_has_trends_and_flags_origin_data,
    unavailable_source_is_retried_and_earlier_records_stay,
    rejected_key_fails_only_its_own_records,
);

async fn field_data_and_external_lab_runs_come_over_http(mut world: World) {
    let (site, google) = (SmallSite::start(EVERYBODY), Google::start());
    bare(&mut world, &site);
    with_key(&mut world, "CRUX", &google);
    with_key(&mut world, "PAGE_SPEED", &google);
    google.known().lcp.insert(HOME.to_owned(), 2_000);
    let origin = HOME.trim_end_matches('/').to_owned();
    world.set("LOG__LEVEL", "debug");
    let (mut server, api) = world.serve(&[]);
    let provider = health(&api).await;
    assert_eq!(
        (&provider["state"], &provider["label"], &provider["missing"]),
        (
            &json!("ready"),
            &json!("field data, remote lab"),
            &json!([])
        )
    );

    let page = format!("http://{HOST}/a");
    let project = project(&api, &["/a"]).await;
    let first = measured(&api, project, "succeeded").await;
    let home = record(&first, HOME, "field", "phone");
    assert_eq!(
        (
            &home["metrics"]["lcp"]["p75"],
            &home["metrics"]["cls"]["p75"],
            &home["assessment"]
        ),
        (&json!(2000.0), &json!(0.05), &json!("passed"))
    );
    assert_eq!(
        (&home["provider"], &home["provenance"], &home["trend"]),
        (&json!("field data"), &json!("imported"), &Value::Null)
    );
    assert_eq!(home["collectionPeriod"]["lastDate"], "2026-11-20");
    let unknown = record(&first, &page, "field", "desktop");
    assert_eq!(
        (&unknown["status"], &unknown["warnings"]),
        (&json!("insufficientData"), &json!(["noFieldData"]))
    );
    let lab = record(&first, &page, "lab", "desktop");
    assert_eq!(
        (
            &lab["provider"],
            &lab["provenance"],
            &lab["metrics"]["lcp"]["value"]
        ),
        (&json!("remote lab"), &json!("imported"), &json!(3100.25))
    );
    // The fake PSI reports no score, so it is computed from the metrics.
    assert!(
        lab["performanceScore"]
            .as_i64()
            .is_some_and(|it| (50..100).contains(&it)),
        "{lab}"
    );
    // Google loads the pages: our crawler made no request.
    assert_eq!(site.requests("/a"), 0);
    assert!(
        google
            .known()
            .queries
            .contains(&(origin.clone(), "DESKTOP".to_owned()))
    );
    assert!(
        google
            .known()
            .loaded
            .contains(&(page.clone(), "mobile".to_owned()))
    );
    let output = server.output().join("\n");
    assert!(
        output.lines().count() > 10 && !output.contains(KEY),
        "the log holds the key"
    );
}

async fn next_run_has_trends_and_flags_origin_data(mut world: World) {
    let (site, google) = (SmallSite::start(EVERYBODY), Google::start());
    bare(&mut world, &site);
    with_key(&mut world, "CRUX", &google);
    with_key(&mut world, "PAGE_SPEED", &google);
    let (origin, page) = (HOME.trim_end_matches('/'), format!("http://{HOST}/a"));
    google.known().lcp.insert(HOME.to_owned(), 2_000);
    let (_server, api) = world.serve(&[]);
    let project = project(&api, &["/a"]).await;
    measured(&api, project, "succeeded").await;

    google.known().lcp.insert(HOME.to_owned(), 3_000);
    google.known().lcp.insert(origin.to_owned(), 2_200);
    let second = measured(&api, project, "succeeded").await;
    let home = record(&second, HOME, "field", "phone");
    let trend = &home["trend"]["lcp"];
    assert_eq!(
        (&trend["previous"], &trend["change"], &trend["direction"]),
        (&json!(2000.0), &json!(1000.0), &json!("worse"))
    );
    let fallback = record(&second, &page, "field", "phone");
    assert_eq!(fallback["url"], origin);
    assert!(
        fallback["warnings"]
            .as_array()
            .unwrap()
            .contains(&json!("originFallback"))
    );
    let stable = record(&second, HOME, "lab", "phone");
    assert_eq!(stable["trend"]["lcp"]["direction"], "steady");

    let head = api
        .get(&format!("/results?type=vitals&projectId={project}"))
        .await;
    assert_eq!(head["provider"], "field data, remote lab");
    assert_eq!(head["provenance"], "imported");
    let phones = &head["summary"]["byFormFactor"]["phone"];
    assert_eq!(
        (&phones["assessed"], &phones["passed"]),
        (&json!(2), &json!(1))
    );
}

async fn unavailable_source_is_retried_and_earlier_records_stay(mut world: World) {
    let (site, google) = (SmallSite::start(EVERYBODY), Google::start());
    bare(&mut world, &site);
    with_key(&mut world, "CRUX", &google);
    google.known().lcp.insert(HOME.to_owned(), 2_000);
    google.known().failure = Some((503, "UNAVAILABLE"));
    let (_server, api) = world.serve(&[]);
    let project = project(&api, &[]).await;
    let job = api.analyze("webVitals", project).await;
    let waiting = api.follow(job, |job| job["status"] == "retrying").await;
    assert!(waiting["error"]["retryable"] == true, "{waiting}");
    let loads = site.requests("/style.css");
    assert_eq!(loads, 2, "phone and desktop");

    google.known().failure = None;
    let over = api.finished(job).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    assert!(number(&over, "/attempts") >= 2);
    assert_eq!(
        site.requests("/style.css"),
        loads,
        "no page was loaded again"
    );
    let records = api.records("vitals", project).await;
    assert_eq!(records.len(), 4);
    assert_eq!(record(&records, HOME, "field", "desktop")["status"], "ok");
}

async fn rejected_key_fails_only_its_own_records(mut world: World) {
    let (site, google) = (SmallSite::start(EVERYBODY), Google::start());
    bare(&mut world, &site);
    with_key(&mut world, "CRUX", &google);
    world.set("VITALS__CRUX__API_KEY", "another");
    let (_server, api) = world.serve(&[]);
    let project = project(&api, &["/a"]).await;
    let records = measured(&api, project, "partial").await;
    let field: Vec<&Value> = records
        .iter()
        .filter(|it| it["source"] == "field")
        .collect();
    let codes: BTreeSet<&str> = field.iter().filter_map(|it| it["error"].as_str()).collect();
    assert_eq!((field.len(), codes.len()), (4, 1), "{codes:?}");
    assert!(field.iter().all(|it| it["metrics"]["lcp"].is_null()));
    let lab = records.iter().filter(|it| it["source"] == "lab");
    assert!(lab.clone().count() == 4 && lab.clone().all(|it| it["status"] == "partial"));
}
