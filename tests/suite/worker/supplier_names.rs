//! Suppliers' names are for operators alone. On a server with every supplier, on which most of them fail with their name
//! in the error, no page, endpoint, tool, document, file, message or report of an account names one.

use super::{
    api::Api,
    chat_model::ChatModel,
    google::Google,
    loopback::Loopback,
    on_both,
    serper::Serper,
    small_site::{HOST, SmallSite},
    web_vitals::{EVERYBODY, bare, with_key},
    world::World,
};
use ::web::{endpoint::Access, pages, session_endpoints::session_api};
use actix_web::{HttpResponse, web};
use analysis::result_type::ResultType;
use domain::ports::search_results::ProviderError;
use harness::{
    app::{PASSWORD, invitation_secret},
    browsers::Browser,
    callers::{Caller, id},
    tool_callers::STATELESS,
};
use reqwest::Method;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    path::Path,
    time::{Duration, Instant},
};

on_both!(no_surface_of_an_account_names_a_supplier);

/// In lower case.
fn names() -> BTreeSet<String> {
    let names = providers::supplier_names().into_iter();
    names.map(|it| it.to_lowercase()).collect()
}

/// Texts that an account sees, by where it sees them.
#[derive(Default)]
struct Seen {
    names: BTreeSet<String>,
    places: BTreeSet<String>,
    found: String,
}

impl Seen {
    fn add(&mut self, place: &str, text: &str) {
        assert!(text.len() > 1, "{place} is empty");
        self.places.insert(place.to_owned());
        let text = text.to_lowercase();
        for name in &self.names {
            if let Some(at) = text.find(name.as_str()) {
                let context: String = text.chars().skip(at.saturating_sub(60)).take(160).collect();
                writeln!(self.found, "{place} names {name}: {context}").unwrap();
            }
        }
    }
}

/// Refuses every call with the names of all suppliers.
fn refusing() -> Loopback {
    let text = providers::supplier_names()
        .into_iter()
        .collect::<Vec<_>>()
        .join(", ");
    Loopback::start(move |app| {
        let text = text.clone();
        app.default_service(web::to(move || {
            let body = json!({
                "error": text, "message": text, "status_message": text, "status_code": 40_100, "tasks": null,
            });
            async move { HttpResponse::Unauthorized().json(body) }
        }));
    })
}

/// What answers in place of the suppliers.
struct Suppliers {
    _refusing: Loopback,
    _serper: Serper,
    _model: ChatModel,
    _google: Google,
    _site: SmallSite,
}

fn every_supplier(world: &mut World) -> Suppliers {
    let (refusing, serper) = (refusing(), Serper::start(Duration::ZERO));
    let (model, google) = (ChatModel::start(Duration::ZERO), Google::start());
    let site = SmallSite::start(EVERYBODY);
    bare(world, &site);
    with_key(world, "CRUX", &google);
    with_key(world, "PAGE_SPEED", &google);
    let refused = format!("http://{}", refusing.address);
    for (name, value) in [
        ("SEARCH__DATA_FOR_SEO__LOGIN", "login-0123"),
        ("SEARCH__DATA_FOR_SEO__PASSWORD", "a-password-0123"),
        ("SEARCH__DATA_FOR_SEO__BASE_URL", &refused),
        ("SEARCH__SERP_API__API_KEY", "a-key-0123"),
        ("SEARCH__SERP_API__BASE_URL", &refused),
        ("SEARCH__SERPER__API_KEY", "a-paid-key"),
        ("SEARCH__SERPER__BASE_URL", &serper.base_url),
        ("SEARCH__SEARXNG__BASE_URL", &refused),
        ("SEARCH__DEPTH", "10"),
        ("AI__COMPATIBLE__BASE_URL", &model.base_url),
        ("AI__COMPATIBLE__MODEL", "lama-3"),
        ("AI__COMPATIBLE__PRICE_PER_MILLION_INPUT", "10"),
        ("AI__COMPATIBLE__PRICE_PER_MILLION_OUTPUT", "10"),
        ("AI__GOOGLE__OVERVIEW", "true"),
        ("PUBLIC_BASE_URL", "https://seo.example"),
        ("QUEUE__FIRST_DELAY_SECONDS", "1"),
    ] {
        world.set(name, value);
    }
    for rate in [
        "ACCOUNT",
        "READS",
        "WRITES",
        "ANONYMOUS",
        "SIGN_INS",
        "ALL_SIGN_INS",
    ] {
        world.set(&format!("LIMITS__{rate}_PER_MINUTE"), "10000");
        world.set(&format!("LIMITS__{rate}_BURST"), "10000");
    }
    Suppliers {
        _refusing: refusing,
        _serper: serper,
        _model: model,
        _google: google,
        _site: site,
    }
}

async fn no_surface_of_an_account_names_a_supplier(mut world: World) {
    let _suppliers = every_supplier(&mut world);
    let password = format!(
        "printf '%s\\n' '{PASSWORD}' | target/release/sightline account password --email ann@example.com"
    );
    let set = world.run_script(&password);
    assert!(set.status.success(), "{set:?}");
    let doctor = world.command(&["doctor"]).output().unwrap();
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    for supplier in providers::search::SUPPLIERS {
        assert!(
            doctor.contains(supplier.name),
            "{}: {doctor}",
            supplier.name
        );
    }
    let (_server, api) = world.serve(&[]);
    let project = api.project(HOST, 2).await;
    let analyses = measure(&api, project).await;

    let mut seen = Seen {
        names: names(),
        ..Seen::default()
    };
    let address = api.address.parse().unwrap();
    let browser = || Browser::new(Caller::new(address, None));
    let owner = browser();
    owner.sign_in("ann@example.com", PASSWORD).await.ok();
    let keyword = api.get(&format!("/projects/{project}/keywords")).await;
    let research = json!({ "keyword": "shoes", "country": "de", "language": "de" });
    let refused = owner.post("/api/keyword-research", research).await;
    seen.add("POST /api/keyword-research", &refused.body);
    let ids = Ids {
        project,
        keyword: id(&keyword["items"][0]),
    };
    let mut browsers = vec![("owner", owner.clone())];
    for role in ["admin", "editor", "viewer", "client"] {
        let projects: &[i64] = if role == "client" { &[project] } else { &[] };
        let body =
            json!({ "email": format!("{role}@example.com"), "role": role, "projectIds": projects });
        let invited = owner
            .post("/api/settings/invitations", body)
            .await
            .created();
        let member = browser();
        let link = invitation_secret(&invited);
        let body = json!({ "link": link, "name": format!("A {role}"), "password": PASSWORD });
        member.post("/api/invitation/accept", body).await.created();
        browsers.push((role, member));
    }
    browsers.push(("stranger", browser()));
    for (role, browser) in &browsers {
        read_pages(&mut seen, role, browser, &ids).await;
        read_session_api(&mut seen, role, browser, &ids).await;
    }
    read_agent_api(&mut seen, &api, &ids, &analyses).await;
    read_tools(
        &mut seen,
        &Caller::new(address, Some(api.token.clone())),
        &ids,
    )
    .await;
    read_sources_of_mail(&mut seen);
    read_report(&mut seen, &world);
    assert!(seen.places.len() > 250, "{:?}", seen.places);
    assert!(seen.found.is_empty(), "{}", seen.found);

    // The operator sees them: the names are those that the server uses.
    world.run_command(&["account", "operator", "--email", "ann@example.com"]);
    let status = refused_status(&owner).await;
    let page = owner.page("/operator").await;
    // The same reading finds them there.
    for text in [&status, &page] {
        let mut shown = Seen {
            names: names(),
            ..Seen::default()
        };
        shown.add("operator", text);
        for supplier in providers::search::SUPPLIERS {
            let name = supplier.name.to_lowercase();
            assert!(
                shown.found.contains(&format!("names {name}:")),
                "{name}: {text}"
            );
        }
    }
    assert!(page.contains("refused by the supplier"), "{page}");
}

/// The state of the server, once refusals are noted: the worker does so every five seconds.
async fn refused_status(operator: &Browser) -> String {
    let begun = Instant::now();
    loop {
        let status = operator.get("/api/operator/status").await.ok().to_string();
        if status.contains("supplierUnauthorised") {
            return status;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{status}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

struct Ids {
    project: i64,
    keyword: i64,
}

/// One analysis of each kind that queries suppliers.
async fn measure(api: &Api, project: i64) -> Vec<i64> {
    let keywords = api.get(&format!("/projects/{project}/keywords")).await;
    let path = format!("/keywords/{}", id(&keywords["items"][0]));
    api.call("PATCH", &path, Some(&json!({ "aiTracked": true })))
        .await;
    let mut analyses = Vec::new();
    for kind in ["rankCheck", "aiVisibility", "webVitals"] {
        let job = api.analyze(kind, project).await;
        api.finished(job).await;
        analyses.push(job);
    }
    analyses
}

fn filled(path: &str, ids: &Ids) -> String {
    let id = if path.starts_with("/api/keywords") || path.contains("/keywords/{id}") {
        ids.keyword
    } else {
        ids.project
    };
    let path = path.replace("{id}", &id.to_string());
    path.replace("{planId}", "1").replace("{plan}", "1")
}

async fn read_pages(seen: &mut Seen, role: &str, browser: &Browser, ids: &Ids) {
    let public = [
        "/sign-in",
        "/forgot-password",
        "/docs",
        "/accounts",
        "/welcome",
        "/invitation",
        "/operator",
        "/nowhere",
    ];
    let members = pages::rights().into_iter().map(|it| it.0);
    for path in members.chain(public.map(str::to_owned)) {
        let request = browser.cookie_request(Method::GET, &filled(&path, ids));
        let answer = request.header("Accept", "text/html").send().await.unwrap();
        if !answer.status().is_redirection() {
            let text = answer.text().await.unwrap();
            seen.add(&format!("{role}: page {path}"), &text);
        }
    }
}

/// Every GET, and what others answer to an invalid body.
async fn read_session_api(seen: &mut Seen, role: &str, browser: &Browser, ids: &Ids) {
    for endpoint in session_api() {
        let method = endpoint.verb.name();
        if matches!(endpoint.access, Access::Report(_)) || method == "DELETE" {
            continue;
        }
        let path = filled(endpoint.path, ids);
        let place = format!("{role}: {method} {}", endpoint.path);
        if method != "GET" {
            let request = browser.same_origin_request(method.parse().unwrap(), &path);
            let answer = request.json(&json!({ "wrong": 1 })).send().await.unwrap();
            seen.add(&place, &answer.text().await.unwrap());
            continue;
        }
        let queries: Vec<String> = if path.ends_with("/results") {
            ResultType::NAMES.map(|it| format!("?type={it}")).into()
        } else if path.ends_with("/audit-log") {
            ["json", "jsonl", "csv"]
                .map(|it| format!("?format={it}"))
                .into()
        } else {
            vec![String::new()]
        };
        for query in queries {
            let request = browser.same_origin_request(Method::GET, &format!("{path}{query}"));
            let answer = request.send().await.unwrap();
            if !answer.status().is_redirection() {
                seen.add(&format!("{place}{query}"), &answer.text().await.unwrap());
            }
        }
    }
}

async fn read_agent_api(seen: &mut Seen, api: &Api, ids: &Ids, analyses: &[i64]) {
    for endpoint in ::web::endpoints::agent_api() {
        let path = endpoint.path.strip_prefix("/api/agent/v1").unwrap();
        let path = filled(path, ids);
        let method = endpoint.verb.name();
        let place = format!("agent: {method} {path}");
        match method {
            "GET" if path == "/results" => {
                let project = ids.project;
                for kind in ResultType::NAMES.iter().chain(&["all"]) {
                    let of_kind = format!("{path}?type={kind}&projectId={project}");
                    let answer = api.get(&of_kind).await.to_string();
                    seen.add(&format!("{place} {kind}"), &answer);
                }
            }
            "GET" => {
                let (_, answer) = api.call(method, &path, None).await;
                seen.add(&place, &answer.to_string());
            }
            "DELETE" => {}
            _ => {
                let (_, answer) = api.call(method, &path, Some(&json!({ "wrong": 1 }))).await;
                seen.add(&place, &answer.to_string());
            }
        }
    }
    for job in analyses {
        let answer = api.get(&format!("/analyze?jobId={job}")).await;
        seen.add(&format!("agent: job {job}"), &answer.to_string());
    }
}

async fn read_tools(seen: &mut Seen, caller: &Caller, ids: &Ids) {
    for list in ["tools/list", "resources/list", "prompts/list"] {
        let answer = caller.send_message(STATELESS, list, json!({})).await;
        seen.add(list, &answer.body);
    }
    for tool in ::web::mcp::tools() {
        let project = json!({ "projectId": ids.project });
        for arguments in [json!({}), project] {
            let answer = caller.call(tool.name, arguments).await;
            seen.add(&format!("tool {}", tool.name), &answer.result.to_string());
        }
    }
    let kinds = ResultType::NAMES;
    for kind in kinds {
        let arguments = json!({ "type": kind, "projectId": ids.project });
        let answer = caller.call("service_get_results", arguments).await;
        seen.add(
            &format!("tool get_results {kind}"),
            &answer.result.to_string(),
        );
    }
    for path in [
        "/api/agent/v1/docs",
        "/llms.txt",
        "/.well-known/oauth-protected-resource",
    ] {
        let answer = caller.send(caller.request_path(Method::GET, path)).await;
        seen.add(path, &answer.body);
    }
}

/// Messages have no other text than their sources and what the account's people wrote.
fn read_sources_of_mail(seen: &mut Seen) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/mail/src");
    for folder in ["templates", "compose"].map(|it| folder.join(it)) {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            seen.add(path.to_str().unwrap(), &text);
        }
    }
}

/// The report that is handed to a client.
fn read_report(seen: &mut Seen, world: &World) {
    let file = world.folder().join("report.html");
    let url = format!("http://{HOST}/");
    world.run_command(&["audit", &url, "--html", file.to_str().unwrap()]);
    seen.add("report", &fs::read_to_string(file).unwrap());
}

#[test]
fn a_name_in_a_text_is_found() {
    let mut seen = Seen {
        names: names(),
        ..Seen::default()
    };
    for name in [
        "serper",
        "dataforseo",
        "serpapi",
        "searxng",
        "crux",
        "serp_api",
    ] {
        assert!(seen.names.contains(name), "{:?}", seen.names);
    }
    seen.add("a page", "Web search: refused the account");
    assert!(seen.found.is_empty(), "{}", seen.found);
    let value: Value = json!({ "error": "Serper refused the account" });
    seen.add("a problem", &value.to_string());
    assert!(
        seen.found.contains("a problem names serper"),
        "{}",
        seen.found
    );
}

/// Jobs show the text of errors to their account.
#[test]
fn errors_do_not_repeat_the_text_of_a_supplier() {
    let text = || "Serper: invalid field".to_owned();
    for error in [
        ProviderError::Refused { reason: text() },
        ProviderError::Malformed { problem: text() },
        ProviderError::NotRecorded { reason: text() },
    ] {
        assert!(!error.to_string().contains("Serper"), "{error}");
    }
}
