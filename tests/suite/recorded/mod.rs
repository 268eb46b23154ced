//! Compares the responses to hundreds of requests, and the statements that they send, with recordings, on databases of
//! an earlier version.

mod stored_words;

use harness::{
    app::TestApp,
    assert_recorded,
    browsers::Browser,
    callers::{Caller, client},
    databases::TestDatabase,
    recorded::{self, Normalizer, Statements, in_lines, is_boundary},
    sql_rules,
    tool_callers::{WITH_HANDSHAKE, message, with_mcp_headers},
};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};
use storage::DatabaseKind;

const REQUESTS: &str = include_str!("../../recorded/requests.txt");

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_responses_match_the_recording() {
    answers_are_what_was_recorded(DatabaseKind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_responses_match_the_recording() {
    answers_are_what_was_recorded(DatabaseKind::Postgres).await;
}

/// `POST /analyze` as recorded on both databases.
#[test]
fn requesting_an_analysis_takes_at_most_11_statements() {
    for recorded in [
        include_str!("../../recorded/statements.sqlite.txt"),
        include_str!("../../recorded/statements.postgres.txt"),
    ] {
        let counted = recorded.lines().filter_map(|line| {
            let (count, request_line) = line.split_once(' ')?;
            let is_one = request_line.contains("POST /api/agent/v1/analyze:")
                || request_line.contains("POST /api/analyses:")
                || request_line.starts_with("tool service_run_analysis:");
            is_one.then(|| (line, count.parse::<u32>().unwrap()))
        });
        let counted: Vec<_> = counted.collect();
        assert!(counted.len() > 20, "{counted:?}");
        let too_many = counted.iter().find(|(_, count)| *count > 11);
        assert_eq!(too_many, None);
    }
}

/// Answers and pages name AI engines, which are measured, but no supplier of search results or keyword data.
#[test]
fn recordings_name_no_supplier() {
    let search = providers::search::SUPPLIERS.iter().map(|it| it.name);
    let names = search.chain(
        providers::keywords::suppliers()
            .into_iter()
            .map(|it| it.name),
    );
    let names: Vec<String> = names.map(str::to_lowercase).collect();
    assert!(names.len() > 4, "{names:?}");
    for recording in [
        include_str!("../../recorded/answers.txt"),
        include_str!("../../recorded/pages.txt"),
    ] {
        let text = recording.to_lowercase();
        for name in &names {
            assert!(!text.contains(name.as_str()), "{name}");
        }
    }
}

async fn answers_are_what_was_recorded(kind: DatabaseKind) {
    let Some(database) = recorded::database(kind).await else {
        return;
    };
    let app = TestApp::start(&database).await;
    recorded::serve(&app).await;
    let mut recorder = Recorder::start(&app, &database).await;
    for line in REQUESTS.lines() {
        if !line.is_empty() && !line.starts_with('#') {
            recorder.send(line).await;
        }
    }
    assert_recorded!("answers.txt", &recorder.answers);
    let statements = recorder.statements.text();
    assert_recorded!(&format!("statements.{}.txt", kind.name()), &statements);
}

/// All callers, and the recorded responses.
struct Recorder<'a> {
    app: &'a TestApp,
    database: &'a TestDatabase,
    agent: Caller,
    reader: Caller,
    other: Caller,
    session: Browser,
    values: HashMap<String, String>,
    normal: Normalizer,
    answers: String,
    statements: Statements,
}

impl<'a> Recorder<'a> {
    async fn start(app: &'a TestApp, database: &'a TestDatabase) -> Self {
        let agent = app.db_full_agent().await;
        let reader = app.db_agent([domain::scope::Scope::ProjectsRead]).await;
        let (other, session) = (app.db_other_agent().await, app.db_member(0).await);
        let mut values = HashMap::new();
        for project in agent.get("/projects").await.ok()["items"]
            .as_array()
            .unwrap()
        {
            let name = match project["name"].as_str() {
                Some("Simulated market") => "market",
                _ => "pages",
            };
            values.insert(name.to_owned(), project["id"].to_string());
        }
        // The first use of a token and of a session is stored after the response.
        for caller in [&agent, &reader, &other] {
            caller.get("/health").await;
        }
        session.get("/api/session").await;
        // So is the first refusal of each scope.
        for path in ["/models", "/analyze", "/projects/7/keywords"] {
            reader.get(path).await;
        }
        for path in ["/projects", "/projects/7/keywords"] {
            reader.post(path, serde_json::json!({})).await;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let _ = sql_rules::recorded(&database.url);
        Self {
            app,
            database,
            agent,
            reader,
            other,
            session,
            values,
            normal: Normalizer::default(),
            answers: String::new(),
            statements: Statements::default(),
        }
    }

    async fn send(&mut self, line: &str) {
        let mut parts = line.split(" | ");
        let request_line = self.filled(parts.next().unwrap());
        let parts: Vec<String> = parts.map(|it| self.filled(it)).collect();
        let is_kept = |it: &&String| it.starts_with("-> ");
        let body = parts.first().filter(|it| !is_kept(it) && !is_header(it));
        let headers: Vec<&String> = parts.iter().filter(|it| is_header(it)).collect();

        let mut request = self.request(&request_line, body.map(String::as_str));
        for header in &headers {
            let (name, value) = header.split_once(": ").unwrap();
            request = request.header(name, value);
        }
        if !headers.iter().any(|it| it.starts_with("Content-Type"))
            && !request_line.starts_with("tool")
        {
            request = request.header("Content-Type", "application/json");
        }
        let is_of_people = request_line.starts_with("session ");
        let (status, headers, text) = if is_of_people {
            let answer = self.session.send(request).await;
            (answer.status, answer.headers, answer.body)
        } else {
            let answer = request.send().await.unwrap();
            let (status, headers) = (answer.status(), answer.headers().clone());
            (status, headers, answer.text().await.unwrap())
        };
        for kept in parts.iter().filter(is_kept) {
            let (name, place) = kept[3..].split_once('=').unwrap_or((&kept[3..], "/id"));
            let value = match place.strip_prefix("header:") {
                Some(header) => headers[header].to_str().unwrap().to_owned(),
                None => match serde_json::from_str::<Value>(&text).unwrap().pointer(place) {
                    Some(Value::String(value)) => value.clone(),
                    Some(value) => value.to_string(),
                    None => panic!("{line}: {text}"),
                },
            };
            self.values.insert(name.to_owned(), value);
        }

        let headers: BTreeSet<String> = { headers.iter() }
            .filter(|(name, _)| !DIFFERING.contains(&name.as_str()))
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        let headers = headers.into_iter().collect::<Vec<_>>().join("\n");
        let text = match text.chars().next() {
            Some('{' | '[') => in_lines(&text),
            _ => text,
        };
        let entry = format!("=== {line}\n{}\n{headers}\n\n{text}\n\n", status.as_u16());
        self.answers.push_str(&self.normal.normalize(&entry));
        if ["visitor ", "/reauthenticate", "/password"]
            .iter()
            .any(|it| request_line.contains(it))
        {
            // A wrong password is stored after the response.
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        let sent = sql_rules::recorded(&self.database.url);
        let sent = sent.iter().filter(|it| !is_boundary(it));
        let marks: Vec<String> = sent.map(|it| self.statements.mark(it)).collect();
        let count = marks.len();
        let marks = marks.join(" ");
        let request_line = line.split(" | ").next().unwrap_or(line);
        self.statements
            .line(&format!("{count} {request_line}: {marks}"));
    }

    /// Fills placeholders with values of earlier responses.
    fn filled(&self, text: &str) -> String {
        let mut filled = text.to_owned();
        for (name, value) in &self.values {
            filled = filled.replace(&format!("{{{name}}}"), value);
        }
        filled
    }

    fn request(&self, request_line: &str, body: Option<&str>) -> RequestBuilder {
        let parts: Vec<&str> = request_line.split(' ').collect();
        let request = match parts[..] {
            ["tool", name] => {
                let arguments: Value = serde_json::from_str(body.unwrap()).unwrap();
                let params = json!({ "name": name, "arguments": arguments });
                let message = message("tools/call", &params);
                return self.agent.mcp_request(WITH_HANDSHAKE, &message);
            }
            ["tools", method] => {
                let request = self.agent.request_path(Method::POST, "/mcp");
                return with_mcp_headers(request, WITH_HANDSHAKE, &message(method, &json!({})));
            }
            [caller, method, path] => {
                let method: Method = method.parse().unwrap();
                match caller {
                    "agent" => self.agent.request_path(method, path),
                    "reader" => self.reader.request_path(method, path),
                    "other" => self.other.request_path(method, path),
                    "session" => self.session.same_origin_request(method, path),
                    "visitor" => self.app.browser().same_origin_request(method, path),
                    _ => client().request(method, format!("{}{path}", self.app.origin())),
                }
            }
            _ => panic!("{request_line}"),
        };
        match body {
            Some(body) => request.body(body.to_owned()),
            None => request,
        }
    }
}

/// Headers that differ between runs.
const DIFFERING: [&str; 6] = [
    "connection",
    "content-length",
    "date",
    "ratelimit",
    "ratelimit-policy",
    "x-request-id",
];

fn is_header(part: &str) -> bool {
    let name = part.split(": ").next().unwrap_or_default();
    part.contains(": ")
        && name
            .bytes()
            .all(|it| it.is_ascii_alphabetic() || it == b'-')
}
