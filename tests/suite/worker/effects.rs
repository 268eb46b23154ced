//! Effects of fixes, measured by imported data and page loads before and after.

use super::{
    api::Api,
    on_both,
    search_console::{check, console, day, file, now},
    world::World,
};
use analysis::{document::Document, result_type::ResultType};
use chrono::{DateTime, Days, Utc};
use domain::{
    ids::{AccountId, JobId, ProjectId},
    ports::storage::Storage,
    results::StagedFinding,
};
use serde_json::{Value, json};
use std::fmt::Write;

on_both!(effect_of_a_fix_follows_from_later_measurements);

const PAGE: &str = "https://example.com/a";
/// How many days ago the faults were last seen; they were fixed the day after.
const SEEN: u64 = 75;

fn ago(days: u64) -> DateTime<Utc> {
    now() - Days::new(days)
}

/// A fixed suggestion made from an open one.
fn fixed(like: &Value, id: &str, rule: &str, more: Value) -> StagedFinding {
    let mut record = like.clone();
    let changes = json!({
        "suggestionId": id, "ruleId": rule, "state": "fixed", "affectedUrls": [PAGE], "effect": null,
        "firstSeenAt": ago(SEEN + 30), "lastSeenAt": ago(SEEN), "fixedAt": ago(SEEN - 1),
    });
    for (name, value) in [changes, more]
        .iter()
        .flat_map(|it| it.as_object().unwrap())
    {
        record[name] = value.clone();
    }
    staged(
        ResultType::Suggestions,
        10_000 + i64::from(id.as_bytes()[0]),
        SEEN,
        &record,
    )
}

/// A page load in our browser, that many days ago.
fn load(days: u64, device: &str, lcp: f64) -> StagedFinding {
    let record = json!({"formFactor": device, "source": "lab", "metrics": {"lcp": {"value": lcp}}});
    let device = i64::from(device == "phone");
    let place = 2 * i64::try_from(days).unwrap() + device;
    staged(ResultType::Vitals, place, days, &record)
}

fn staged(result_type: ResultType, ordinal: i64, days: u64, record: &Value) -> StagedFinding {
    StagedFinding {
        result_type,
        ordinal,
        keyword: None,
        url: Some(PAGE.to_owned()),
        sort_value: None,
        measured_at: ago(days),
        record: Document::of(record),
    }
}

async fn publish(world: &World, project: i64, job: &Value, findings: &[StagedFinding]) {
    let account = AccountId(world.account());
    let job = JobId(job.as_i64().unwrap());
    let mut work = world.database.storage.write().await.unwrap();
    work.measurements()
        .stage(account, job, findings)
        .await
        .unwrap();
    let project = ProjectId(project);
    work.results()
        .publish(account, project, job, &[], &[])
        .await
        .unwrap();
    work.commit().await.unwrap();
}

async fn effect(api: &Api, project: i64, id: &str) -> Value {
    let records = api.records("suggestions", project).await;
    let of = records.iter().find(|it| it["suggestionId"] == id);
    of.expect("what was fixed is remembered")["effect"].clone()
}

async fn effect_of_a_fix_follows_from_later_measurements(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 30).await;
    let over = api.finished(api.analyze("rankCheck", project).await).await;
    let suggestions = api.records("suggestions", project).await;
    let like = &suggestions[0];
    let speed = json!([{
        "resultType": "vitals", "metric": "LCP", "pointer": "/metrics/lcp/value",
        "recordRef": {"keywordId": null, "url": PAGE, "with": {"formFactor": "phone", "source": "lab"}, "measuredAt": ago(SEEN)},
        "observed": 4_000, "threshold": 2_500,
    }]);
    let mut findings = vec![
        fixed(like, "a-ctr", "ctrGap", json!({"variant": null})),
        fixed(
            like,
            "b-lcp",
            "lcpPoor",
            json!({"variant": "lab", "evidence": speed}),
        ),
        fixed(like, "c-clicks", "noCompression", json!({"variant": null})),
    ];
    // A load a day: slow until the fix, then fast; on desktops the reverse.
    for days in 20..SEEN + 28 {
        let wobble = f64::from(u32::try_from(days % 7).unwrap());
        let lcp = if days >= SEEN { 4_000.0 } else { 2_000.0 };
        findings.push(load(days, "phone", lcp + wobble));
        findings.push(load(days, "desktop", 6_000.0 - lcp + wobble));
    }
    publish(&world, project, &over["id"], &findings).await;

    // Per day and page: two clicks of a hundred impressions before, eight after.
    let mut text = "Date;Page;Clicks;Impressions;CTR;Position".to_owned();
    for before in 3..119 {
        let clicks = if before >= SEEN {
            2 + before % 2
        } else {
            8 + before % 2
        };
        write!(text, "\r\n{};{PAGE};{clicks};100;;3,0", day(before)).unwrap();
    }
    let rows = file(&world, "pages.csv", &text);
    console(&world, "import", project, &[&rows]);
    check(&api, project).await;

    let ctr = effect(&api, project, "a-ctr").await;
    assert_eq!(
        (&ctr["metric"], &ctr["verdict"]),
        (&json!("ctr"), &json!("improved")),
        "{ctr}"
    );
    let rates = (
        ctr["before"]["value"].as_f64().unwrap(),
        ctr["after"]["value"].as_f64().unwrap(),
    );
    assert!(
        (rates.0 - 0.025).abs() < 0.001 && (rates.1 - 0.085).abs() < 0.001,
        "{ctr}"
    );
    let lcp = effect(&api, project, "b-lcp").await;
    assert_eq!(
        (&lcp["metric"], &lcp["verdict"]),
        (&json!("vitals"), &json!("improved")),
        "{lcp}"
    );
    let after = lcp["after"]["value"].as_f64().unwrap();
    assert!((2_000.0..2_010.0).contains(&after), "{lcp}");
    let clicks = effect(&api, project, "c-clicks").await;
    assert_eq!(
        (&clicks["metric"], &clicks["verdict"]),
        (&json!("clicks"), &json!("improved")),
        "{clicks}"
    );

    // A final effect survives the deletion of its data.
    console(
        &world,
        "import",
        project,
        &[&file(&world, "pages.csv", &text.replace(";100;", ";900;"))],
    );
    check(&api, project).await;
    assert_eq!(effect(&api, project, "a-ctr").await, ctr);
}
