//! Laws of merge patches (RFC 7396), on projects: the empty patch changes nothing, patches are idempotent, and two
//! patches equal their combination.

use harness::{app::TestApp, databases::TestDatabase};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use serde_json::{Map, Value, json};

harness::on_sqlite![patches_satisfy_the_merge_patch_laws];

const CASES: u32 = 40;

/// Any patch of members that can be reset and merged.
fn patch() -> impl Strategy<Value = Value> {
    let text = || prop_oneof![Just(Value::Null), "[a-z]{1,8}".prop_map(Value::from)];
    let tags = prop::collection::btree_set("[a-z]{1,4}", 0..4).prop_map(|it| json!(it));
    let switch = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from)];
    let overrides = prop::collection::btree_map(
        prop_oneof![Just("vitals"), Just("content"), Just("forecast")],
        switch,
        0..3,
    );
    let settings = prop::collection::btree_map(
        prop_oneof![Just("frequency"), Just("includePdf")],
        Just(Value::Null),
        0..2,
    );
    let settings = (settings, prop::option::of(overrides)).prop_map(|(mut settings, overrides)| {
        if let Some(overrides) = overrides {
            settings.insert("contentOverrides", json!(overrides));
        }
        json!(settings)
    });
    let members = (
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(tags),
        prop::option::of(prop_oneof![Just(Value::Null), settings.boxed()]),
    );
    members.prop_map(|(client, category, tags, settings)| {
        let members = [
            ("clientName", client),
            ("category", category),
            ("tags", tags),
            ("reportSettings", settings),
        ];
        let given = members
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Value::Object(given.collect())
    })
}

/// The combination of two patches (RFC 7396, 2, applied to patches: `null` stays, since it still removes).
fn both(first: &Value, second: &Value) -> Value {
    let (Value::Object(first), Value::Object(second)) = (first, second) else {
        return second.clone();
    };
    let mut merged: Map<String, Value> = first.clone();
    for (name, value) in second {
        let before = merged.remove(name).unwrap_or(Value::Null);
        // After a removal, a later object starts from scratch: members of the removed value must not reappear.
        let together = if before.is_object() {
            both(&before, value)
        } else {
            value.clone()
        };
        merged.insert(name.clone(), together);
    }
    Value::Object(merged)
}

fn without_times(mut project: Value) -> Value {
    project["updatedAt"] = Value::Null;
    project["etag"] = Value::Null;
    project
}

async fn patches_satisfy_the_merge_patch_laws(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (one, _) = agent.project("one.example.com", &[]).await;
    let path = format!("/projects/{one}");
    let mut runner = TestRunner::deterministic();
    let patches = patch();
    let draw = |runner: &mut TestRunner| patches.new_tree(runner).unwrap().current();
    let reset = json!({ "clientName": null, "category": null, "tags": [], "reportSettings": null });
    for _ in 0..CASES {
        let (first, second) = (draw(&mut runner), draw(&mut runner));
        // RFC 7396 cannot express a removal followed by an object in one patch.
        let removes = first["reportSettings"].is_null() && first.get("reportSettings").is_some();
        if removes && second["reportSettings"].is_object() {
            continue;
        }
        let start = agent.patch(&path, reset.clone()).await.ok();
        assert_eq!(
            agent.patch(&path, json!({})).await.ok(),
            start,
            "the empty patch"
        );
        let once = agent.patch(&path, first.clone()).await.ok();
        let twice = agent.patch(&path, first.clone()).await.ok();
        assert_eq!(twice, once, "{first} twice");
        let after_both = agent.patch(&path, second.clone()).await.ok();
        agent.patch(&path, reset.clone()).await.ok();
        let together = both(&first, &second);
        let at_once = agent.patch(&path, together.clone()).await.ok();
        assert_eq!(
            without_times(at_once),
            without_times(after_both),
            "{first} and {second} as {together}"
        );
    }
}
