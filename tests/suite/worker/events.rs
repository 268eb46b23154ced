//! Events that analyses find.

use super::{api::Api, on_both, search_intelligence::remember, world::World};
use analysis::events::{EventKind, EventSeverity, TestName, sentence};
use analysis::provenance::Provenance;
use chrono::{DateTime, Days, Utc};
use domain::{
    event::{EventFilter, EventOrder, LoggedEvent},
    ids::{AccountId, JobId, KeywordId},
    results::{KeywordMeasurement, RankPoint, RankState, SearchSource},
};
use serde_json::{Value, json};

on_both!(a_change_beyond_the_usual_range_is_announced_once);

async fn events(world: &World) -> Vec<LoggedEvent> {
    let filter = EventFilter {
        kinds: EventKind::ALL.to_vec(),
        severities: EventSeverity::ALL.to_vec(),
        projects: None,
        subject: None,
        since: None,
        order: EventOrder::OldestFirst { after: 0 },
    };
    let account = AccountId(world.account());
    let mut read = world.database.port().read().await.unwrap();
    let all = read.events().list(account, &filter, 100).await.unwrap();
    all.into_iter()
        .filter(|it| it.entry.event.kind != EventKind::TokenCreated)
        .collect()
}

/// The same position on each of 27 days before today.
fn steady(keyword: i64, position: Option<u32>, now: DateTime<Utc>) -> Vec<KeywordMeasurement> {
    let on = |ago: u32| {
        let measured_at = now - Days::new(ago.into());
        KeywordMeasurement {
            keyword: KeywordId(keyword),
            job: JobId(ago.into()),
            day: measured_at.date_naive(),
            source: SearchSource {
                engine: "sandbox".to_owned(),
                provenance: Provenance::Simulated,
            },
            point: RankPoint {
                measured_at,
                state: match position {
                    Some(_) => RankState::Ranked,
                    None => RankState::NotRanked,
                },
                position,
                absolute_position: None,
                depth_checked: 100,
                url: None,
            },
            own: vec![],
            best: None,
            worst: None,
            serp: None,
        }
    };
    (1..=27).map(on).collect()
}

async fn check(api: &Api, project: i64) {
    let over = api.finished(api.analyze("rankCheck", project).await).await;
    assert_eq!(over["status"], "succeeded", "{over}");
}

fn position(record: &Value) -> Option<u32> {
    record["position"].as_u64().map(|it| it.try_into().unwrap())
}

/// The sandbox answers alike all day, so the second check measures the positions of the first one.
async fn a_change_beyond_the_usual_range_is_announced_once(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 2).await;
    check(&api, project).await;
    assert_eq!(events(&world).await, [], "nothing was measured before");
    let records = api.records("rankings", project).await;
    let of = |at: usize| records[at]["keywordId"].as_i64().unwrap();
    let now = position(&records[0]);
    let before = match now {
        Some(it) if it <= 20 => 5 * it,
        Some(it) => it / 5,
        None => 2,
    };
    world.database.run_sql("DELETE FROM rank_history");
    let health = api.get("/health").await;
    let time: DateTime<Utc> = health["serverTime"].as_str().unwrap().parse().unwrap();
    remember(&world, project, &steady(of(0), Some(before), time)).await;
    remember(&world, project, &steady(of(1), position(&records[1]), time)).await;

    check(&api, project).await;
    let found = events(&world).await;
    assert_eq!(found.len(), 1, "{found:?}");
    let event = &found[0].entry.event;
    let kind = if now.is_some() {
        EventKind::RankChanged
    } else {
        EventKind::KeywordLost
    };
    assert_eq!(event.kind, kind);
    assert_eq!(event.subject.id, Some(of(0)));
    assert_eq!(json!(event.before), json!({ "position": before }));
    assert_eq!(json!(event.after)["position"], json!(now));
    assert_eq!((event.n, event.test.name), (Some(27), TestName::ModeratedT));
    assert!(event.test.p <= event.test.limit, "{:?}", event.test);
    assert!(event.simulated);
    assert_eq!(event.fell(), now.is_none_or(|it| it > before));
    let keyword = records[0]["keyword"].as_str().unwrap();
    let text = sentence(event);
    assert!(text.contains(keyword) && text.contains("n = 27"), "{text}");
    let link = format!("/projects/{project}/keywords?keyword={}", of(0));
    assert_eq!(event.link.as_deref(), Some(&*link));

    check(&api, project).await;
    assert_eq!(
        events(&world).await,
        found,
        "the position has not changed since"
    );
}
