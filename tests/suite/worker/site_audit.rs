//! A site audit through the API, killed in the middle.

use super::{
    api::{Api, done_units, number},
    on_both,
    website::{PAGES, Website},
    world::World,
};
use serde_json::Value;
use std::collections::BTreeMap;

on_both!(resumed_site_audit_finds_the_same_as_an_undisturbed_one);

async fn resumed_site_audit_finds_the_same_as_an_undisturbed_one(mut world: World) {
    let site = Website::start();
    let hosts = ["one.example.com", "two.example.com"];
    let resolve =
        hosts.map(|host| format!("\"{host}:80={0}\",\"{host}:443=127.0.0.1:1\"", site.address));
    world.set("CRAWLER__RESOLVE", &format!("[{}]", resolve.join(",")));
    world.set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]");
    world.set("CRAWLER__PER_HOST_DELAY_MS", "0");

    let (server, api) = world.serve(&[]);
    let project = api.project(hosts[0], 0).await;
    let job = api.analyze("siteAudit", project).await;
    api.follow(job, |job| done_units(job) >= 15).await;
    server.kill();

    let (_server, api) = world.serve(&[]);
    let over = api.finished(job).await;
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&"succeeded".into(), 2),
        "{over}"
    );
    let stages = over["stages"].as_array().unwrap().iter();
    let of: BTreeMap<&str, &Value> = { stages }
        .map(|it| (it["name"].as_str().unwrap(), it))
        .collect();
    assert_eq!(of["read pages"]["done"], PAGES, "{over}");
    assert_eq!(of["judge pages"]["done"], 2 * PAGES, "{over}");
    assert_eq!(number(&over, "/progress/percent"), 100, "{over}");
    world.assert_nothing_staged(job).await;

    let other = api.project(hosts[1], 0).await;
    let undisturbed = api.analyze("siteAudit", other).await;
    assert_eq!(api.finished(undisturbed).await["attempts"], 1);
    for (result_type, records) in [
        ("broken-links", PAGES / 5 + (PAGES - 1) / 7),
        ("content", PAGES),
        ("content-changes", 0),
        ("schema", PAGES),
        ("geo-score", PAGES),
        ("eeat", PAGES + 1),
    ] {
        let found = findings(&api, result_type, project, hosts[0]).await;
        assert_eq!(found.len(), records, "{result_type}");
        assert_eq!(found, findings(&api, result_type, other, hosts[1]).await);
    }
    let path = format!("/results?type=content&projectId={project}&limit=1");
    let summary = api.get(&path).await["summary"].clone();
    assert_eq!(number(&summary, "/pages"), i64::try_from(PAGES).unwrap());
    assert!(
        summary["issues"]["internalBroken"]["urls"].as_u64() > Some(0),
        "{summary}"
    );
}

/// The records without what differs between runs and hosts.
async fn findings(api: &Api, result_type: &str, project: i64, host: &str) -> Vec<String> {
    let records = api.records(result_type, project).await;
    let texts = records.into_iter().map(|mut record| {
        strip(&mut record);
        record.to_string().replace(host, "HOST")
    });
    let mut texts: Vec<String> = texts.collect();
    texts.sort_unstable();
    texts
}

/// Removes ids, times and response times, which differ between runs.
fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| key != "projectId" && !key.ends_with("At"));
            members.values_mut().for_each(strip);
        }
        Value::Array(items) => {
            items.retain(|it| it["code"] != "slowTtfb");
            items.iter_mut().for_each(strip);
        }
        _ => {}
    }
}
