//! Scheduled analyses, as operators configure them.

use super::{on_both, world::World};
use chrono::TimeDelta;
use serde_json::{Value, json};
use std::time::Duration;

on_both!(due_schedules_start_automatically);

async fn due_schedules_start_automatically(world: World) {
    let (_server, api) = world.serve(&[]);
    let project = api.project("example.com", 3).await;
    let id = project.to_string();
    let of = [
        "--email",
        "ann@example.com",
        "--project",
        &id,
        "--type",
        "rankCheck",
    ];
    let schedule = |verb: &'static str, more: &[&'static str]| {
        let arguments = [&["schedule", verb], &of[..], more].concat();
        world.run_command(&arguments)
    };
    let preview = schedule("set", &["--days", "daily", "--dry-run"]);
    assert!(
        preview.contains("30 times in the next 30 days"),
        "{preview}"
    );
    assert_eq!(listed(&world), json!([]));
    let printed = schedule(
        "set",
        &[
            "--days",
            "daily",
            "--at",
            "04:15",
            "--zone",
            "Europe/Berlin",
        ],
    );
    assert!(
        printed.starts_with(&format!("rankCheck of project {project}: daily at 04:15")),
        "{printed}"
    );
    assert_eq!(listed(&world)[0]["days"], "daily");

    world.make_schedules_due(TimeDelta::days(2)).await;

    let job = loop {
        let jobs = api.get(&format!("/analyze?projectId={project}")).await;
        if let Some(job) = jobs["items"].get(0) {
            break job.clone();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(
        (&job["trigger"], &job["type"]),
        (&json!("schedule"), &json!("rankCheck"))
    );
    let over = api.finished(job["id"].as_i64().unwrap()).await;
    assert_eq!(over["status"], "succeeded", "{over}");
    let after = &listed(&world)[0];
    assert_eq!(after["lastRefusal"], Value::Null);
    assert_ne!(after["lastAt"], Value::Null);
    schedule("remove", &[]);
    assert_eq!(listed(&world), json!([]));
}

fn listed(world: &World) -> Value {
    let arguments = ["schedule", "list", "--email", "ann@example.com", "--json"];
    serde_json::from_str(&world.run_command(&arguments)).unwrap()
}
