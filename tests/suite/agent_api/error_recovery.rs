//! Wrong requests, corrected by a program that only reads the problem documents.

use harness::{
    app::TestApp,
    callers::{Answer, Caller},
    databases::TestDatabase,
};
use reqwest::Method;
use serde_json::{Value, json};

harness::on_sqlite![most_invalid_requests_are_fixed_by_following_the_problem];

/// Maximum corrections per request.
const ROUNDS: usize = 6;

#[derive(Debug, Clone)]
struct Request {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Value>,
}

impl Request {
    async fn send(&self, agent: &Caller) -> Answer {
        let mut request = agent.request_path(self.method.clone(), &self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        if let Some(body) = &self.body {
            if !self.headers.iter().any(|it| it.0 == "content-type") {
                request = request.header("content-type", "application/json");
            }
            request = request.body(body.to_string());
        }
        agent.send(request).await
    }

    fn header(&mut self, name: &str, value: Option<&str>) {
        self.headers.retain(|it| it.0 != name);
        let value = value.map(|it| (name.to_owned(), it.to_owned()));
        self.headers.extend(value);
    }
}

/// One correction; `false` if the problem does not say how.
async fn mend(agent: &Caller, request: &mut Request, refusal: &Value) -> bool {
    let code = refusal["code"].as_str().unwrap_or_default();
    let first = |member: &str| refusal[member][0].as_str().map(str::to_owned);
    match code {
        "method-not-allowed" => {
            let served = refusal["allow"].as_array().unwrap();
            let wants_to_write = request.body.is_some();
            let fits = |it: &&Value| (*it == "POST" || *it == "PATCH") == wants_to_write;
            let method = served.iter().find(fits).and_then(Value::as_str);
            request.method = method.unwrap_or("GET").parse().unwrap();
            true
        }
        "not-acceptable" => {
            request.header("accept", first("available").as_deref());
            true
        }
        "unsupported-media-type" => {
            request.header("content-type", first("accepted").as_deref());
            request.header("content-encoding", None);
            true
        }
        "invalid-header" => {
            let name = refusal["header"].as_str().unwrap().to_lowercase();
            request.header(&name, None);
            true
        }
        "precondition-failed" => {
            request.header("if-match", refusal["currentEtag"].as_str());
            true
        }
        "validation-failed" => {
            let errors = refusal["errors"].as_array().unwrap();
            let all_mended = errors.iter().all(|error| mend_value(request, error));
            request.body.iter_mut().for_each(without_gaps);
            all_mended
        }
        "project-exists" => {
            let action = &refusal["nextActions"][0];
            request.method = action["method"].as_str().unwrap().parse().unwrap();
            request.path = action["href"].as_str().unwrap().to_owned();
            request.body = None;
            true
        }
        "feature-disabled" => {
            request.body.as_mut().unwrap()["type"] = refusal["available"][0].clone();
            true
        }
        _ => help(agent, request, refusal).await,
    }
}

/// Drops list items that could not be corrected.
fn without_gaps(value: &mut Value) {
    match value {
        Value::Array(items) => items.retain(|it| !it.is_null()),
        Value::Object(members) => members.values_mut().for_each(without_gaps),
        _ => {}
    }
}

/// Sends the suggested request; its first item replaces the unknown id.
async fn help(agent: &Caller, request: &mut Request, refusal: &Value) -> bool {
    let Some(action) = refusal["nextActions"].get(0) else {
        return false;
    };
    let helping = Request {
        method: action["method"].as_str().unwrap().parse().unwrap(),
        path: action["href"].as_str().unwrap().to_owned(),
        headers: vec![],
        body: action.get("body").cloned(),
    };
    let answer = helping.send(agent).await;
    if !answer.status.is_success() {
        return false;
    }
    if helping.method != Method::GET {
        return true;
    }
    let Some(id) = answer.json()["items"][0]["id"].as_i64() else {
        return false;
    };
    if let Some(body) = request
        .body
        .as_mut()
        .filter(|it| it.get("projectId").is_some())
    {
        body["projectId"] = id.into();
    }
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let is_id = |part: &str| part.starts_with(|it: char| it.is_ascii_digit());
    let parts: Vec<String> = path
        .split('/')
        .map(|it| {
            if is_id(it) {
                id.to_string()
            } else {
                it.to_owned()
            }
        })
        .collect();
    let pairs: Vec<String> = query
        .split('&')
        .filter(|it| !it.is_empty())
        .map(|pair| match pair.split_once('=') {
            Some((name, _)) if name.ends_with("Id") => format!("{name}={id}"),
            _ => pair.to_owned(),
        })
        .collect();
    request.path = format!("{}?{}", parts.join("/"), pairs.join("&"));
    true
}

fn mend_value(request: &mut Request, error: &Value) -> bool {
    if error["in"] == "query" {
        return mend_parameter(request, error);
    }
    let Some(body) = request.body.as_mut() else {
        return false;
    };
    let pointer = error["pointer"].as_str().unwrap_or_default();
    let (parent, name) = pointer.rsplit_once('/').unwrap_or(("", ""));
    let code = error["code"].as_str().unwrap_or_default();
    let found = body.pointer(pointer).cloned();
    let better = found.as_ref().and_then(|it| mended(it, error));
    let Some(parent) = body.pointer_mut(parent) else {
        return false;
    };
    match parent {
        Value::Object(members) => {
            let meant = error["didYouMean"].as_str();
            match (code, meant, better) {
                // A misspelled name is corrected, an unknown one removed.
                ("unknown-field", meant, _) => {
                    let value = members.remove(name).unwrap_or_default();
                    members.extend(meant.map(|it| (it.to_owned(), value)));
                }
                // Already corrected with a misspelled name.
                ("required", ..) => return members.contains_key(name),
                (_, _, Some(better)) => {
                    members.insert(name.to_owned(), better);
                }
                _ => {
                    members.remove(name);
                }
            }
        }
        Value::Array(items) => {
            let at: usize = name.parse().unwrap();
            match better {
                Some(better) if at < items.len() => items[at] = better,
                _ if at < items.len() => items[at] = Value::Null,
                _ => return false,
            }
        }
        _ => return false,
    }
    true
}

/// The value that the error suggests.
fn mended(value: &Value, error: &Value) -> Option<Value> {
    if let Some(meant) = error.get("didYouMean").or_else(|| error["allowed"].get(0)) {
        return Some(meant.clone());
    }
    let max = usize::try_from(error["max"].as_u64()?).ok()?;
    match value {
        Value::String(text) => Some(text.chars().take(max).collect::<String>().into()),
        Value::Array(items) => Some(items[..max.min(items.len())].to_vec().into()),
        _ => None,
    }
}

fn mend_parameter(request: &mut Request, error: &Value) -> bool {
    let name = error["name"].as_str().unwrap_or_default();
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let meant = error["didYouMean"].as_str();
    let code = error["code"].as_str().unwrap_or_default();
    let allowed = error["allowed"][0].as_str();
    if code == "required" {
        let Some(value) = allowed else { return false };
        request.path = format!("{path}?{query}&{name}={value}");
        return true;
    }
    let mut is_first = true;
    let pairs = query.split('&').filter_map(|pair| {
        let (known, value) = pair.split_once('=')?;
        if known != name {
            return Some(pair.to_owned());
        }
        match (code, meant, allowed) {
            ("unknown-parameter", Some(meant), _) => Some(format!("{meant}={value}")),
            ("repeated", ..) => std::mem::take(&mut is_first).then(|| pair.to_owned()),
            ("unknown-field" | "invalid-value", Some(meant), _) => Some(format!("{name}={meant}")),
            ("invalid-value", None, Some(allowed)) => Some(format!("{name}={allowed}")),
            _ => None,
        }
    });
    let pairs: Vec<String> = pairs.collect();
    request.path = format!("{path}?{}", pairs.join("&"));
    true
}

fn request_of(method: Method, path: &str, body: Option<Value>) -> Request {
    Request {
        method,
        path: format!("/api/agent/v1{path}"),
        headers: vec![],
        body,
    }
}

fn under(method: Method, path: &str, header: (&str, &str), body: Option<Value>) -> Request {
    Request {
        headers: vec![(header.0.to_owned(), header.1.to_owned())],
        ..request_of(method, path, body)
    }
}

fn wrong_projects() -> Vec<Value> {
    let long = "x".repeat(300);
    let many: Vec<String> = (0..60).map(|n| n.to_string()).collect();
    vec![
        json!({ "domian": "d0.example.com" }),
        json!({ "domain": "d1.example.com", "nmae": "N" }),
        json!({ "domain": "d2.example.com", "priority": "hihg" }),
        json!({ "domain": "d3.example.com", "priority": "urgent" }),
        json!({ "domain": "d4.example.com", "name": long }),
        json!({ "domain": "d5.example.com", "favorite": "yes" }),
        json!({ "domain": "d6.example.com", "tags": "one" }),
        json!({ "domain": "d7.example.com", "tags": many }),
        json!({ "domain": "d8.example.com", "workflowStatus": "Active" }),
        json!({ "domain": "d9.example.com", "workflow": "active" }),
        json!({ "domain": "d10.example.com", "reportSettings": { "frequency": "weekley" } }),
        json!({ "domain": "d11.example.com", "reportSettings": { "pdf": "yes" } }),
        json!({ "domain": "d12.example.com", "reportSettings": { "contentOverrides": { "ranking": true } } }),
        json!({ "domain": "d13.example.com", "reportRecipients": "ann@example.com" }),
        json!({ "domain": "d14.example.com", "keywords": "one" }),
        json!({ "domain": "d15.example.com", "clientname": "C" }),
        json!({ "domain": "d16.example.com", "category": long }),
        json!({ "domain": "d17.example.com", "id": 7 }),
        json!({ "Domain": "d18.example.com" }),
        json!({ "domain": "a.example.com" }),
    ]
}

fn wrong_changes_of_a_project() -> Vec<Value> {
    let long = "x".repeat(300);
    vec![
        json!({ "Favorite": true }),
        json!({ "favorite": "true" }),
        json!({ "name": null }),
        json!({ "domain": "other.example.com" }),
        json!({ "id": 7 }),
        json!({ "keywords": ["x"] }),
        json!({ "status": "paused" }),
        json!({ "status": "Active" }),
        json!({ "createdAt": "2020-01-01T00:00:00Z" }),
        json!({ "prority": "low" }),
        json!({ "assignedToName": long }),
    ]
}

fn wrong_keywords() -> Vec<Value> {
    let long = "x".repeat(300);
    vec![
        json!({ "keyword": ["k1"] }),
        json!({ "keywords": ["k2"], "aitracked": true }),
        json!({ "keywords": ["k3"], "market": { "country": "usa" } }),
        json!({ "keywords": ["k4"], "market": { "device": "phone" } }),
        json!({ "keywords": ["k5"], "market": { "contry": "de" } }),
        json!({ "keywords": ["k6"], "tags": "t" }),
        json!({ "keywords": ["k7", long] }),
    ]
}

fn wrong_changes_of_a_keyword() -> Vec<Value> {
    vec![
        json!({ "aiTraked": true }),
        json!({ "aiTracked": 1 }),
        json!({ "targetUrl": "not a url" }),
        json!({ "status": "off" }),
        json!({ "text": "other" }),
    ]
}

fn wrong_analyses(project: i64, keyword: i64) -> Vec<Value> {
    vec![
        json!({ "type": "rankcheck", "projectId": project, "dryRun": true }),
        json!({ "type": "ranks", "projectId": project, "dryRun": true }),
        json!({ "type": "full", "projectId": project, "dryRun": true }),
        json!({ "type": "rankCheck", "projectId": 77, "dryRun": true }),
        json!({ "type": "rankCheck", "projectid": project, "dryRun": true }),
        json!({ "type": "rankCheck", "projectId": project, "dryrun": true }),
        json!({ "type": "rankCheck", "projectId": project, "priority": "urgent", "dryRun": true }),
        json!({ "type": "siteAudit", "projectId": project, "keywordIds": [keyword], "dryRun": true }),
    ]
}

fn wrong_questions(project: i64) -> Vec<String> {
    let one = format!("/projects/{project}");
    vec![
        "/projects?limt=5".to_owned(),
        "/projects?limit=0".into(),
        "/projects?limit=ten".into(),
        "/projects?sort=nam".into(),
        "/projects?status=all&status=all".into(),
        "/projects?status=activ".into(),
        "/projects?favorite=yes".into(),
        "/projects?cursor=made-up".into(),
        "/projects?fields=nme".into(),
        "/projects/77".into(),
        format!("{one}/keywords?sort=rank"),
        format!("{one}/keywords?aiTracked=1"),
        format!("/results?type=ranking&projectId={project}"),
        format!("/results?projectId={project}"),
        "/results?type=rankings&projectId=77".into(),
        format!("/results?type=rankings&projectId={project}&from=yesterday"),
        format!("/results?type=serp&projectId={project}&histroy=true"),
        "/analyze?wait=60".into(),
        "/analyze?status=done".into(),
        "/docs?format=html".into(),
    ]
}

fn wrong_at_the_edge(one: &str) -> Vec<Request> {
    let fresh = |n: u32| Some(json!({ "domain": format!("h{n}.example.com") }));
    let create = |header, n| under(Method::POST, "/projects", header, fresh(n));
    let favorite = Some(json!({ "favorite": true }));
    let change = |header| under(Method::PATCH, one, header, favorite.clone());
    vec![
        request_of(Method::PUT, one, favorite.clone()),
        request_of(Method::POST, "/models", None),
        under(Method::GET, "/projects", ("accept", "text/html"), None),
        create(("content-type", "text/plain"), 1),
        create(("content-encoding", "gzip"), 2),
        create(("idempotency-key", "two words"), 3),
        change(("if-match", "bare")),
        change(("if-match", "\"old\"")),
    ]
}

fn wrong(project: i64, keyword: i64) -> Vec<Request> {
    let one = format!("/projects/{project}");
    let of = |method: Method, path: &str, bodies: Vec<Value>| -> Vec<Request> {
        let requests = bodies.into_iter();
        requests
            .map(|body| request_of(method.clone(), path, Some(body)))
            .collect()
    };
    let questions = wrong_questions(project);
    let questions = questions
        .iter()
        .map(|path| request_of(Method::GET, path, None));
    [
        of(Method::POST, "/projects", wrong_projects()),
        of(Method::PATCH, &one, wrong_changes_of_a_project()),
        of(Method::POST, &format!("{one}/keywords"), wrong_keywords()),
        of(
            Method::PATCH,
            &format!("/keywords/{keyword}"),
            wrong_changes_of_a_keyword(),
        ),
        of(Method::POST, "/analyze", wrong_analyses(project, keyword)),
        questions.collect(),
        wrong_at_the_edge(&one),
    ]
    .concat()
}

async fn most_invalid_requests_are_fixed_by_following_the_problem(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let agent = app.db_full_agent().await;
    let (project, keywords) = agent.project("a.example.com", &["one"]).await;
    let all = wrong(project, keywords[0]);
    assert!(all.len() >= 60, "{}", all.len());
    let mut given_up = Vec::new();
    for mut request in all.clone() {
        let original = request.clone();
        let mut answer = request.send(&agent).await;
        assert!(
            answer.status.is_client_error(),
            "this is not wrong: {original:?} {}",
            answer.body
        );
        let mut details = vec![];
        for _ in 0..ROUNDS {
            let refusal = answer.json();
            details.push(refusal["detail"].as_str().unwrap_or_default().to_owned());
            if !mend(&agent, &mut request, &refusal).await {
                break;
            }
            answer = request.send(&agent).await;
            if answer.status.is_success() {
                break;
            }
        }
        if !answer.status.is_success() {
            given_up.push(format!("{original:?}\n  {details:?}\n  {}", answer.body));
        }
    }
    let mended = all.len() - given_up.len();
    assert!(
        mended * 100 >= all.len() * 95,
        "only {mended} of {} were mended; these were not:\n{}",
        all.len(),
        given_up.join("\n")
    );
}
