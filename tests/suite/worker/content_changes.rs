//! Audits of a site that changes between them.

use super::{
    api::{Api, number},
    loopback::Loopback,
    on_both,
    world::World,
};
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

pub const HOST: &str = "shop.example.com";

on_both!(changes_between_two_audits_are_reported);

/// The served edition, and the responses so far.
#[derive(Default)]
struct State {
    edition: u32,
    answers: Vec<(String, u16)>,
}

type Shared = Arc<Mutex<State>>;

pub struct ChangingSite {
    state: Shared,
    server: Loopback,
}

impl ChangingSite {
    pub fn start() -> Self {
        let state = Shared::default();
        let shared = web::Data::new(Arc::clone(&state));
        let server = Loopback::start(move |app| {
            app.app_data(shared.clone())
                .default_service(web::to(answer));
        });
        Self { state, server }
    }

    pub fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Makes it resolvable for processes started from now on, over http and without delays.
    pub fn settle_in(&self, world: &mut World) {
        let resolve = format!(
            "[\"{HOST}:80={}\",\"{HOST}:443=127.0.0.1:1\"]",
            self.server.address
        );
        world.set("CRAWLER__RESOLVE", &resolve);
        world.set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]");
        world.set("CRAWLER__PER_HOST_DELAY_MS", "0");
    }

    pub fn publish(&self, edition: u32) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.edition = edition;
        state.answers.clear();
    }

    pub fn statuses(&self, path: &str) -> Vec<u16> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let of = state.answers.iter().filter(|it| it.0 == path);
        of.map(|it| it.1).collect()
    }
}

async fn answer(request: HttpRequest, state: web::Data<Shared>) -> HttpResponse {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let answer = page(&request, state.edition);
    let path = request.path().to_owned();
    state.answers.push((path, answer.status().as_u16()));
    answer
}

/// In the second edition `/edited` has new text, `/leaves` is gone, `/hidden` has no links, and `/moves` redirects to
/// the unchanged `/stays`.
fn page(request: &HttpRequest, edition: u32) -> HttpResponse {
    let second = edition > 1;
    let (title, text, links) = match request.path() {
        "/" => (
            "Cups and bowls of clay",
            "We make cups and bowls of clay in a small house by the river, each of them by hand.",
            if second {
                vec!["/stays", "/edited", "/moves"]
            } else {
                vec!["/stays", "/edited", "/moves", "/leaves", "/hidden"]
            },
        ),
        "/stays" | "/hidden" => (
            "How a cup is fired",
            "A cup is fired twice, once at nine hundred degrees and once more, with its glaze, at twelve hundred.",
            vec!["/"],
        ),
        "/edited" if second => (
            "Prices of our cups",
            "A small cup costs fourteen crowns, a large one costs thirty; whoever takes ten pays for nine of them.",
            vec!["/"],
        ),
        "/edited" => (
            "Prices of our cups",
            "A small cup costs twelve crowns, a large one costs twenty; whoever takes ten pays for nine of them.",
            vec!["/"],
        ),
        "/moves" if second => {
            return HttpResponse::MovedPermanently()
                .insert_header(("Location", "/stays"))
                .finish();
        }
        "/leaves" if second => return HttpResponse::NotFound().finish(),
        "/moves" | "/leaves" => (
            "Opening hours of the house",
            "The house is open on every day of the week except on Mondays, from nine in the morning until five.",
            vec!["/"],
        ),
        _ => return HttpResponse::NotFound().finish(),
    };
    let links: Vec<String> = { links.iter() }
        .map(|it| format!("<li><a href=\"{it}\">To {it}</a>"))
        .collect();
    let links = links.concat();
    let body = format!(
        "<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1><p>{text}<ul>{links}</ul>"
    );
    let etag = format!("\"{}-{}\"", request.path().len(), body.len());
    let known = request.headers().get("If-None-Match");
    if known.is_some_and(|it| it.as_bytes() == etag.as_bytes()) {
        return HttpResponse::NotModified().finish();
    }
    HttpResponse::Ok()
        .insert_header(("ETag", etag))
        .content_type("text/html; charset=utf-8")
        .body(body)
}

struct Audits<'a> {
    api: &'a Api,
    project: i64,
}

impl Audits<'_> {
    async fn run(&self) {
        let job = self.api.analyze("siteAudit", self.project).await;
        assert_eq!(self.api.finished(job).await["status"], "succeeded");
    }

    /// By path.
    async fn records(&self, result_type: &str) -> BTreeMap<String, Value> {
        let records = self.api.records(result_type, self.project).await;
        let by_path = records.into_iter().map(|it| {
            let url = it["url"].as_str().unwrap();
            (
                url.trim_start_matches(&format!("http://{HOST}")).to_owned(),
                it,
            )
        });
        by_path.collect()
    }

    async fn results(&self) -> Value {
        let path = format!("/results?type=content-changes&projectId={}", self.project);
        self.api.get(&path).await
    }
}

fn fields(record: &Value) -> Vec<&str> {
    let fields = record["fields"].as_array().unwrap();
    fields
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect()
}

async fn changes_between_two_audits_are_reported(mut world: World) {
    let site = ChangingSite::start();
    site.settle_in(&mut world);
    let (_server, api) = world.serve(&[]);
    let project = api.project(HOST, 0).await;
    let audits = Audits { api: &api, project };

    site.publish(1);
    audits.run().await;
    let first = audits.results().await;
    assert_eq!(first["items"], json!([]), "{first}");
    assert_eq!(first["warnings"], json!(["noEarlierVisit"]));
    let fresh = audits.records("content").await;

    site.publish(2);
    audits.run().await;
    let changes = audits.records("content-changes").await;
    let paths: Vec<&str> = changes.keys().map(String::as_str).collect();
    assert_eq!(paths, ["/", "/edited", "/leaves", "/moves", "/stays"]);

    let edited = &changes["/edited"];
    assert_eq!(edited["changed"], true);
    assert!(fields(edited).contains(&"mainText"), "{edited}");
    assert_eq!(
        (
            number(edited, "/addedWords"),
            number(edited, "/removedWords")
        ),
        (2, 2)
    );
    assert_eq!(changes["/stays"]["changed"], false, "{}", changes["/stays"]);
    assert!(
        fields(&changes["/"]).contains(&"internalLinks"),
        "{}",
        changes["/"]
    );
    let moved = &changes["/moves"];
    assert_eq!(
        (&moved["changeClass"], fields(moved)[0]),
        (&json!("major"), "finalUrl")
    );
    assert_eq!(
        moved["fields"][0]["after"],
        format!("http://{HOST}/stays"),
        "{moved}"
    );
    // A single failed response proves nothing yet.
    assert_eq!(changes["/leaves"]["status"], "insufficientData");
    for unknown in ["significance", "changed", "changeClass"] {
        assert_eq!(changes["/leaves"][unknown], Value::Null, "{unknown}");
    }

    let results = audits.results().await;
    assert_eq!(results["warnings"], json!([]));
    let significance = |n: usize| results["items"][n]["significance"].as_f64();
    assert!(significance(0) >= significance(1) && significance(4).is_none());
    assert_eq!(number(&results, "/summary/pages"), 5);
    assert_eq!(number(&results, "/summary/unread"), 1);

    // Unchanged pages are not sent again and keep their content. (`/stays` is also fetched through `/moves`, without
    // validators.)
    assert!(site.statuses("/stays").contains(&304));
    assert_eq!(site.statuses("/edited"), [200]);
    assert_eq!(
        site.statuses("/hidden").len(),
        1,
        "nothing leads there, it was requested"
    );
    let kept = audits.records("content").await;
    for member in ["/title/text", "/headings", "/readability", "/language"] {
        let (kept, fresh) = (&kept["/stays"], &fresh["/stays"]);
        assert!(fresh.pointer(member).is_some(), "{member}: {fresh}");
        assert_eq!(kept.pointer(member), fresh.pointer(member), "{member}");
    }

    site.publish(2);
    audits.run().await;
    let changes = audits.records("content-changes").await;
    let left = &changes["/leaves"];
    assert_eq!(
        (&left["changed"], fields(left)[0]),
        (&json!(true), "statusCode"),
        "{left}"
    );
    assert_eq!(
        (&left["fields"][0]["before"], &left["fields"][0]["after"]),
        (&json!(200), &json!(404))
    );
    for still in ["/", "/edited", "/moves", "/stays"] {
        assert_eq!(changes[still]["changed"], false, "{}", changes[still]);
    }
    let history = format!(
        "/results?type=content-changes&projectId={project}&history=true&url=http://{HOST}/leaves"
    );
    let history = api.get(&history).await;
    assert_eq!(history["items"].as_array().unwrap().len(), 2, "{history}");
}
