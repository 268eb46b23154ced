//! A tool and its endpoint agree in data, problems and effects.

use harness::{
    app::{Ranked, TestApp},
    callers::{Answer, Caller, UNKNOWN_ID, id},
    databases::TestDatabase,
    on_every_database,
    rankings::{ranked, run},
    tool_callers::ToolAnswer,
};
use serde_json::{Map, Value, json};

on_every_database![
    reads_by_tool_match_reads_by_endpoint,
    changes_by_tool_match_changes_by_endpoint,
    foreign_ids_are_answered_like_unknown_ones,
    tools_and_endpoints_share_idempotency_keys,
    tools_and_endpoints_start_and_follow_the_same_jobs,
];

/// A body without what tools omit or render differently.
fn terse(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            if members.contains_key("in") && members.contains_key("message") {
                return terse(&in_arguments(members));
            }
            let kept = members.iter().filter(|(name, it)| {
                let is_nothing = it.is_null() || it.as_array().is_some_and(Vec::is_empty);
                let is_way = [
                    "next",
                    "nextActions",
                    "nextCursor",
                    "limit",
                    "truncated",
                    "requestId",
                    "instance",
                    "href",
                ];
                !is_nothing && !is_way.contains(&name.as_str())
            });
            kept.map(|(name, it)| (name.clone(), terse(it))).collect()
        }
        Value::Array(items) => items.iter().map(terse).collect(),
        plain => plain.clone(),
    }
}

/// A field error located in a tool argument.
fn in_arguments(error: &Map<String, Value>) -> Value {
    let mut error = error.clone();
    error.remove("in");
    let place = error.remove("pointer").or_else(|| error.remove("name"));
    let place = place.unwrap();
    let place = place.as_str().unwrap().trim_start_matches('/');
    error.insert("argument".into(), place.into());
    error.into()
}

/// Tools do not repeat envelope members in records, and omit report settings in lists.
fn remove_repeated_members(results: &mut Value) {
    let around = results.clone();
    for row in { results.get_mut("items").and_then(Value::as_array_mut) }
        .into_iter()
        .flatten()
    {
        if let Some(members) = row.as_object_mut() {
            members.remove("effectiveReportSettings");
        }
    }
    if around["state"].is_null() {
        return;
    }
    if let Some(project) = results["project"].as_object_mut() {
        project.remove("effectiveReportSettings");
    }
    let records = results.get_mut("items").and_then(Value::as_array_mut);
    for record in records.into_iter().flatten() {
        let members = record.as_object_mut().unwrap();
        for name in [
            "type",
            "projectId",
            "methodVersion",
            "provider",
            "provenance",
        ] {
            if members.get(name) == Some(&around[name]) {
                members.remove(name);
            }
        }
    }
}

fn same(tool: ToolAnswer, endpoint: &Answer) {
    let mut theirs = terse(&endpoint.json());
    remove_repeated_members(&mut theirs);
    if endpoint.status.is_success() {
        assert_eq!(terse(&tool.ok()), theirs, "{}", endpoint.request);
    } else {
        assert_eq!(terse(&tool.refused()), theirs, "{}", endpoint.request);
    }
}

/// A project with two measured keywords.
async fn measured(app: &TestApp, agent: &Caller) -> (i64, Vec<i64>, i64) {
    let (project, keywords) = agent
        .project("example.com", &["rank tracker", "seo audit"])
        .await;
    let positions = keywords.iter().zip([Some(3), None]);
    let ranked: Vec<Ranked> = positions
        .map(|(keyword, position)| ranked(app, project, *keyword, position))
        .collect();
    let job = run(app, agent, project, &ranked).await;
    (project, keywords, job)
}

/// Reads, with the equivalent paths.
fn readings(project: i64, keywords: &[i64], job: i64) -> Vec<(&'static str, Value, String)> {
    vec![
        ("service_list_projects", json!({}), "/projects".to_owned()),
        (
            "service_list_projects",
            json!({ "search": "exam", "sort": "-name", "limit": 5 }),
            "/projects?search=exam&sort=-name&limit=5".to_owned(),
        ),
        (
            "service_list_projects",
            json!({ "status": "deactivated" }),
            "/projects?status=deactivated".to_owned(),
        ),
        (
            "service_list_projects",
            json!({ "projectId": project }),
            format!("/projects/{project}"),
        ),
        (
            "service_list_projects",
            json!({ "projectId": project, "fields": "name" }),
            format!("/projects/{project}?fields=name"),
        ),
        (
            "service_list_projects",
            json!({ "projectId": project, "include": "keywords" }),
            format!("/projects/{project}/keywords"),
        ),
        (
            "service_list_projects",
            json!({ "projectId": project, "include": "keywords", "limit": 1, "aiTracked": false }),
            format!("/projects/{project}/keywords?limit=1&aiTracked=false"),
        ),
        (
            "service_list_projects",
            json!({ "limit": 0 }),
            "/projects?limit=0".to_owned(),
        ),
        (
            "service_list_projects",
            json!({ "cursor": "bogus" }),
            "/projects?cursor=bogus".to_owned(),
        ),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "rankings" }),
            format!("/results?projectId={project}&type=rankings"),
        ),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "rankings", "keywordId": keywords[1] }),
            format!(
                "/results?projectId={project}&type=rankings&keywordId={}",
                keywords[1]
            ),
        ),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "rankings", "history": true, "from": "2020-01-01" }),
            format!("/results?projectId={project}&type=rankings&history=true&from=2020-01-01"),
        ),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "vitals" }),
            format!("/results?projectId={project}&type=vitals"),
        ),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "rankngs" }),
            format!("/results?projectId={project}&type=rankngs"),
        ),
        (
            "service_get_results",
            json!({ "type": "serp" }),
            "/results?type=serp".to_owned(),
        ),
        ("service_get_models", json!({}), "/models".to_owned()),
        ("service_run_analysis", json!({}), "/analyze".to_owned()),
        (
            "service_run_analysis",
            json!({ "jobId": job }),
            format!("/analyze?jobId={job}"),
        ),
        (
            "service_run_analysis",
            json!({ "status": "failed" }),
            "/analyze?status=failed".to_owned(),
        ),
        (
            "service_run_analysis",
            json!({ "projectId": project }),
            format!("/analyze?projectId={project}"),
        ),
    ]
}

async fn reads_by_tool_match_reads_by_endpoint(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, keywords, job) = measured(&app, &agent).await;
    for (tool, arguments, path) in readings(project, &keywords, job) {
        same(agent.call(tool, arguments).await, &agent.get(&path).await);
    }
    let plan = json!({ "type": "rankCheck", "projectId": project, "dryRun": true });
    same(
        agent.call("service_run_analysis", plan.clone()).await,
        &agent.post("/analyze", plan).await,
    );
    the_figures_of_all_types_are_the_same(&agent, project).await;
    pages_follow_each_other(&agent, project, &keywords).await;
}

async fn the_figures_of_all_types_are_the_same(agent: &Caller, project: i64) {
    let answer = agent
        .call(
            "service_get_results",
            json!({ "projectId": project, "type": "all" }),
        )
        .await
        .ok();
    let whole = agent
        .get(&format!("/results?projectId={project}&type=all"))
        .await
        .ok();
    let types = whole["results"].as_object().unwrap();
    assert_eq!(answer["results"].as_object().unwrap().len(), types.len());
    for (name, theirs) in types {
        let ours = &answer["results"][name];
        for member in ["state", "summary", "measuredAt", "provenance"] {
            let mut theirs = terse(&theirs[member]);
            if let Some(members) = theirs.as_object_mut() {
                members.remove("methodVersion");
            }
            assert_eq!(ours[member], theirs, "{name}: {member}");
        }
        assert_eq!(ours["analysis"].is_string(), theirs["state"] != "ready");
    }
    assert_eq!(answer["results"]["rankings"]["records"], 2);
    // Results include the owner's labels.
    for member in [
        "id",
        "domain",
        "name",
        "priority",
        "workflowStatus",
        "favorite",
    ] {
        assert_eq!(answer["project"][member], whole["project"][member]);
    }
}

async fn pages_follow_each_other(agent: &Caller, project: i64, keywords: &[i64]) {
    let page = |cursor: Value| {
        let arguments =
            json!({ "projectId": project, "include": "keywords", "limit": 1, "cursor": cursor });
        async { agent.call("service_list_projects", arguments).await.ok() }
    };
    let first = page(Value::Null).await;
    assert_eq!(first["truncated"], true);
    // It has all requested rows: not the size ended it.
    assert_eq!(first.get("endedBy"), None);
    let second = page(first["nextCursor"].clone()).await;
    assert_eq!(second.get("nextCursor"), None);
    assert_eq!(
        [id(&first["items"][0]), id(&second["items"][0])],
        [keywords[0], keywords[1]]
    );
    // A cursor of the endpoint works in the tool.
    let theirs = agent
        .get(&format!("/projects/{project}/keywords?limit=1"))
        .await
        .ok();
    let ours = page(theirs["nextCursor"].clone()).await;
    assert_eq!(ours["items"], second["items"]);
}

enum Of {
    Project,
    Keyword,
}

/// Valid and invalid changes.
fn changes() -> Vec<(Value, Of)> {
    vec![
        (
            json!({ "name": "New", "clientName": "Ann", "tags": null, "reportSettings": { "frequency": "weekly" } }),
            Of::Project,
        ),
        (json!({ "clientName": null, "favorite": true }), Of::Project),
        (json!({ "status": "deactivated" }), Of::Project),
        (json!({ "status": "active" }), Of::Project),
        (
            json!({ "nam": "x", "favorite": 3, "priority": "urgent" }),
            Of::Project,
        ),
        (
            json!({ "aiTracked": true, "targetUrl": "https://one.example.com/" }),
            Of::Keyword,
        ),
        (
            json!({ "targetUrl": null, "market": { "country": "de", "language": "de" } }),
            Of::Keyword,
        ),
        (json!({ "status": "deactivated" }), Of::Keyword),
        (json!({ "status": "gone" }), Of::Keyword),
    ]
}

/// Changes one site by endpoint and one by tool, then compares what is stored.
async fn changes_by_tool_match_changes_by_endpoint(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let create = |domain: &str| json!({ "domain": domain, "keywords": ["a", "b", "a"], "tags": ["x"], "priority": "high" });
    let by_endpoint = agent
        .post("/projects", create("one.example.com"))
        .await
        .created();
    let by_tool = agent
        .call("service_create_project", create("two.example.com"))
        .await
        .ok();
    let (theirs, ours) = (id(&by_endpoint), id(&by_tool));
    alike(&by_tool, &by_endpoint);
    let keyword = |of: &Value, n: usize| id(&of["keywords"]["created"][n]);
    let (their_a, our_a) = (keyword(&by_endpoint, 0), keyword(&by_tool, 0));
    for (patch, of) in changes() {
        let (tool, path, argument, their_id, our_id) = match of {
            Of::Project => (
                "service_update_project",
                "/projects",
                "projectId",
                theirs,
                ours,
            ),
            Of::Keyword => (
                "service_update_keyword",
                "/keywords",
                "keywordId",
                their_a,
                our_a,
            ),
        };
        let endpoint = agent
            .patch(&format!("{path}/{their_id}"), patch.clone())
            .await;
        let of_the_other = patch
            .to_string()
            .replace("one.example.com", "two.example.com");
        let mut arguments: Value = serde_json::from_str(&of_the_other).unwrap();
        arguments[argument] = our_id.into();
        let answer = agent.call(tool, arguments).await;
        if endpoint.status.is_success() {
            alike(&answer.ok(), &endpoint.json());
        } else {
            assert_eq!(terse(&answer.refused()), terse(&endpoint.json()), "{patch}");
        }
    }
    let add = json!({ "keywords": ["a", "b", "c"], "tags": ["t"] });
    let endpoint = agent
        .post(&format!("/projects/{theirs}/keywords"), add.clone())
        .await
        .created();
    let mut arguments = add;
    arguments["projectId"] = ours.into();
    alike(
        &agent.call("service_add_keywords", arguments).await.ok(),
        &endpoint,
    );
    // The stored data is the same.
    let list = |project: i64| format!("/projects/{project}/keywords?status=all&sort=text");
    alike(
        &agent.get(&list(ours)).await.ok(),
        &agent.get(&list(theirs)).await.ok(),
    );
    // A patch to deactivated equals DELETE.
    agent.delete(&format!("/projects/{theirs}")).await.ok();
    agent
        .call(
            "service_update_project",
            json!({ "projectId": ours, "status": "deactivated" }),
        )
        .await
        .ok();
    let project = |id: i64| format!("/projects/{id}");
    alike(
        &agent.get(&project(ours)).await.ok(),
        &agent.get(&project(theirs)).await.ok(),
    );
    let refused = agent
        .call(
            "service_add_keywords",
            json!({ "projectId": ours, "keywords": ["d"] }),
        )
        .await
        .refused();
    assert_eq!(refused["code"], "project-deactivated");
    assert_eq!(refused["nextActions"][0]["tool"], "service_update_project");
}

/// Equal except for ids and domains.
fn alike(ours: &Value, theirs: &Value) {
    let plain = |value: &Value| {
        let text = terse(value)
            .to_string()
            .replace("two.example.com", "one.example.com");
        let value: Value = serde_json::from_str(&text).unwrap();
        without_ids(&value)
    };
    assert_eq!(plain(ours), plain(theirs));
}

fn without_ids(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members
                .iter()
                .filter(|(name, _)| !["id", "projectId", "used"].contains(&name.as_str()));
            kept.map(|(name, it)| (name.clone(), without_ids(it)))
                .collect()
        }
        Value::Array(items) => {
            // Rows created at the same time have no fixed order.
            let mut items: Vec<Value> = items.iter().map(without_ids).collect();
            items.sort_by_key(Value::to_string);
            items.into()
        }
        plain => plain.clone(),
    }
}

async fn foreign_ids_are_answered_like_unknown_ones(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let (owner, other) = (app.db_full_agent().await, app.db_other_agent().await);
    let (project, keywords, job) = measured(&app, &owner).await;
    let cursor = {
        let list = owner
            .get(&format!("/projects/{project}/keywords?limit=1"))
            .await
            .ok();
        list["nextCursor"].clone()
    };
    for (tool, with) in [
        ("service_list_projects", json!({ "projectId": project })),
        (
            "service_list_projects",
            json!({ "projectId": project, "include": "keywords" }),
        ),
        (
            "service_list_projects",
            json!({ "projectId": project, "include": "keywords", "cursor": cursor }),
        ),
        (
            "service_update_project",
            json!({ "projectId": project, "name": "mine" }),
        ),
        (
            "service_update_project",
            json!({ "projectId": project, "nonsense": 1 }),
        ),
        (
            "service_add_keywords",
            json!({ "projectId": project, "keywords": ["mine"] }),
        ),
        (
            "service_update_keyword",
            json!({ "keywordId": keywords[0], "status": "deactivated" }),
        ),
        (
            "service_run_analysis",
            json!({ "projectId": project, "type": "rankCheck" }),
        ),
        (
            "service_run_analysis",
            json!({ "projectId": project, "type": "rankCheck", "dryRun": true }),
        ),
        ("service_run_analysis", json!({ "jobId": job })),
        ("service_run_analysis", json!({ "jobId": job, "wait": 1 })),
        ("service_run_analysis", json!({ "projectId": project })),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "rankings" }),
        ),
        (
            "service_get_results",
            json!({ "projectId": project, "type": "all" }),
        ),
    ] {
        let mut unknown = with.clone();
        for name in ["projectId", "keywordId", "jobId"] {
            if with.get(name).is_some() {
                unknown[name] = UNKNOWN_ID.into();
            }
        }
        let (foreign, free) = (
            other.call(tool, with.clone()).await,
            other.call(tool, unknown).await,
        );
        let text = |it: &ToolAnswer| {
            let result = terse(&it.result).to_string();
            let request = it.result["content"][1]["text"]
                .as_str()
                .map(str::to_owned)
                .unwrap_or_default();
            let document: Value = serde_json::from_str(&request).unwrap_or_default();
            let id = document["requestId"].as_str().unwrap_or("-").to_owned();
            result.replace(&id, "<id>")
        };
        assert_eq!(text(&foreign), text(&free), "{tool} {with}");
    }
    let after = owner.get(&format!("/projects/{project}")).await.ok();
    assert_eq!(
        (&after["name"], &after["keywordCount"]),
        (&json!("example.com"), &json!(2))
    );
}

async fn tools_and_endpoints_share_idempotency_keys(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let call = |domain: &str| json!({ "domain": domain, "idempotencyKey": "k-1" });
    let first = agent
        .call("service_create_project", call("a.example.com"))
        .await
        .ok();
    let again = agent
        .call("service_create_project", call("a.example.com"))
        .await;
    assert_eq!(again.result["content"].as_array().map(Vec::len), Some(3));
    assert_eq!(again.ok(), first);
    let request = agent
        .request(reqwest::Method::POST, "/projects")
        .header("Idempotency-Key", "k-1");
    let endpoint = agent
        .send(request.json(&json!({ "domain": "a.example.com" })))
        .await;
    assert_eq!(endpoint.header("idempotent-replayed"), "true");
    assert_eq!(id(&endpoint.created()), id(&first));
    let other = agent
        .call("service_create_project", call("b.example.com"))
        .await
        .refused();
    assert_eq!(other["code"], "idempotency-key-reused");
    // Without a key it is a new request.
    let second = agent
        .call(
            "service_create_project",
            json!({ "domain": "a.example.com" }),
        )
        .await
        .refused();
    assert_eq!(second["code"], "project-exists");
}

async fn tools_and_endpoints_start_and_follow_the_same_jobs(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, _) = agent.project("example.com", &["a"]).await;
    let start = json!({ "type": "rankCheck", "projectId": project });
    let ours = agent.call("service_run_analysis", start.clone()).await.ok();
    assert_eq!(
        (&ours["trigger"], &ours["deduplicated"]),
        (&json!("mcp"), &json!(false))
    );
    let theirs = agent.post("/analyze", start.clone()).await.accepted();
    assert_eq!(
        (id(&theirs), &theirs["deduplicated"]),
        (id(&ours), &json!(true))
    );
    let joined = agent.call("service_run_analysis", start).await.ok();
    assert_eq!(terse(&joined), terse(&theirs));
    // No worker runs: the wait times out.
    let waited = agent
        .call(
            "service_run_analysis",
            json!({ "jobId": id(&ours), "wait": 1 }),
        )
        .await
        .ok();
    assert_eq!(waited["items"][0]["status"], "queued");
    let empty = agent
        .post("/projects", json!({ "domain": "empty.example.com" }))
        .await
        .created();
    let refused = agent
        .call(
            "service_run_analysis",
            json!({ "type": "rankCheck", "projectId": id(&empty) }),
        )
        .await
        .refused();
    assert_eq!(refused["code"], "nothing-to-measure");
    assert_eq!(refused["nextActions"][0]["tool"], "service_add_keywords");
}
