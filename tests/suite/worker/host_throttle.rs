//! Two workers on one PostgreSQL that audit the same site at the same time.

use super::{api::Api, loopback::Loopback, world::World};
use actix_web::{HttpRequest, HttpResponse, http::header::USER_AGENT, web};
use std::{
    collections::BTreeSet,
    fmt::Write,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};
use storage::DatabaseKind;

const PAGES: usize = 10;
const DISTANCE: Duration = Duration::from_millis(400);
/// Allowed deviation: reservations are exactly `DISTANCE` apart, but database round trip, timer, wake-up and connection
/// delay each request differently, above all under load. Uncoordinated workers exceed it immediately.
const LATE: Duration = Duration::from_millis(200);

/// Time and user agent of each request.
type Log = Arc<Mutex<Vec<(Instant, String)>>>;

fn site(log: &Log) -> Loopback {
    let log = web::Data::new(Arc::clone(log));
    Loopback::start(move |app| {
        app.app_data(log.clone()).default_service(web::to(answer));
    })
}

async fn answer(request: HttpRequest, log: web::Data<Log>) -> HttpResponse {
    let by = request.headers().get(USER_AGENT).unwrap();
    let by = by.to_str().unwrap().to_owned();
    log.lock().unwrap().push((Instant::now(), by));
    match request.path() {
        "/" => {
            let mut body = "<!doctype html><title>Home</title><h1>Home</h1>".to_owned();
            for page in 1..PAGES {
                let _ = write!(body, "<p><a href=\"/page/{page}\">Page {page}</a>");
            }
            HttpResponse::Ok().content_type("text/html").body(body)
        }
        page if page.starts_with("/page/") => HttpResponse::Ok().content_type("text/html").body(
            format!("<!doctype html><title>{page}</title><h1>{page}</h1>"),
        ),
        _ => HttpResponse::NotFound().finish(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_share_the_delay_of_one_host() {
    let log = Log::default();
    let site = site(&log);
    let mut world = World::on(DatabaseKind::Postgres).await;
    let resolve = format!(
        "[\"shop.example.com:80={}\",\"shop.example.com:443=127.0.0.1:1\"]",
        site.address
    );
    world.set("CRAWLER__RESOLVE", &resolve);
    world.set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]");
    let distance = DISTANCE.as_millis().to_string();
    world.set("CRAWLER__PER_HOST_DELAY_MS", &distance);
    world.set("WORKER__JOBS", "1");
    let (_server, ann) = world.serve(&["--no-worker"]);
    let email = ["--email", "bob@example.com", "--name", "Bob"];
    world.run_command(&[&["account", "create"], &email[..]].concat());
    let token = world.run_command(&[&["token", "create"], &email[..]].concat());
    let bob = Api {
        token,
        ..ann.clone()
    };

    let mut jobs = Vec::new();
    for api in [&ann, &bob] {
        let project = api.project("shop.example.com", 0).await;
        jobs.push((api, api.analyze("siteAudit", project).await));
    }
    let _workers = ["http://one.example/", "http://two.example/"].map(|contact| {
        world.set("CRAWLER__CONTACT_URL", contact);
        world.worker()
    });
    for (api, job) in jobs {
        let over = api.finished(job).await;
        assert_eq!(over["status"], "succeeded", "{over}");
    }

    let log = log.lock().unwrap();
    let by: BTreeSet<&str> = log.iter().map(|(_, by)| by.as_str()).collect();
    assert_eq!(by.len(), 2, "both took part: {by:?}");
    assert!(log.len() >= 2 * PAGES, "{}", log.len());
    let switches = log.windows(2).filter(|it| it[0].1 != it[1].1).count();
    assert!(switches >= PAGES, "the workers alternate: {switches}");
    let apart: Vec<Duration> = log.windows(2).map(|it| it[1].0 - it[0].0).collect();
    assert!(apart.iter().all(|it| *it + LATE >= DISTANCE), "{apart:?}");
    // Delays of single requests must not add up.
    let whole: Duration = apart.iter().sum();
    let min_total = DISTANCE * u32::try_from(apart.len()).unwrap();
    assert!(whole + LATE >= min_total, "{whole:?} for {}", apart.len());
}
