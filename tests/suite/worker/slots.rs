//! Worker slots with accounts that exceed their share, with real processes and slow sites.

use super::{
    api::{Api, done_units, number},
    loopback::Loopback,
    on_both,
    world::World,
};
use actix_web::{HttpRequest, HttpResponse, web};
use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{Arc, Mutex},
    time::Duration,
};
use storage::DatabaseKind;

on_both!(
    an_audit_yields_its_only_slot_and_fetches_no_page_twice,
    audits_do_not_delay_another_accounts_rank_check,
    job_without_a_worker_reports_why_it_waits,
);

const PAGES: usize = 24;
const HOSTS: usize = 5;

/// Requests by host and path.
type RequestLog = Arc<Mutex<BTreeMap<String, u32>>>;

/// A site with slow pages under several hosts.
struct SlowSite {
    requests: RequestLog,
    _server: Loopback,
}

impl SlowSite {
    fn start(world: &mut World, pause: Duration) -> Self {
        let requests = RequestLog::default();
        let (log, pause) = (web::Data::new(Arc::clone(&requests)), web::Data::new(pause));
        let server = Loopback::start(move |app| {
            app.app_data(log.clone())
                .app_data(pause.clone())
                .default_service(web::to(answer));
        });
        let address = server.address;
        let hosts = (0..HOSTS).map(|n| {
            format!("\"s{n}.example.com:80={address}\",\"s{n}.example.com:443=127.0.0.1:1\"")
        });
        let resolve = hosts.collect::<Vec<_>>().join(",");
        world.set("CRAWLER__RESOLVE", &format!("[{resolve}]"));
        world.set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]");
        world.set("CRAWLER__PER_HOST_DELAY_MS", "0");
        Self {
            requests,
            _server: server,
        }
    }

    fn requests(&self) -> BTreeMap<String, u32> {
        self.requests.lock().unwrap().clone()
    }
}

async fn answer(
    request: HttpRequest,
    requests: web::Data<RequestLog>,
    pause: web::Data<Duration>,
) -> HttpResponse {
    let path = request.path().to_owned();
    let number = match path.as_str() {
        "/" => Some(0),
        other => { other.strip_prefix("/page/") }.and_then(|it| it.parse::<usize>().ok()),
    };
    let Some(number) = number.filter(|it| *it < PAGES) else {
        return HttpResponse::NotFound().finish();
    };
    let place = format!("{}{path}", request.connection_info().host());
    *requests.lock().unwrap().entry(place).or_default() += 1;
    tokio::time::sleep(*pause.get_ref()).await;
    let mut body = format!("<!doctype html><title>Page {number}</title><h1>Page {number}</h1>");
    for next in [2 * number + 1, 2 * number + 2] {
        if next < PAGES {
            let _ = write!(body, "<p><a href=\"/page/{next}\">Page {next}</a>");
        }
    }
    HttpResponse::Ok().content_type("text/html").body(body)
}

fn second_account(world: &World, ann: &Api) -> Api {
    let email = ["--email", "bob@example.com", "--name", "Bob"];
    world.run_command(&[&["account", "create"], &email[..]].concat());
    Api {
        token: world.run_command(&[&["token", "create"], &email[..]].concat()),
        ..ann.clone()
    }
}

async fn an_audit_yields_its_only_slot_and_fetches_no_page_twice(mut world: World) {
    let site = SlowSite::start(&mut world, Duration::from_millis(400));
    world.set("WORKER__JOBS", "1");
    world.set("QUEUE__TURN_SECONDS", "1");
    let (_server, ann) = world.serve(&[]);
    let bob = second_account(&world, &ann);
    let project = ann.project("s0.example.com", 0).await;
    let audit = ann.analyze("siteAudit", project).await;
    ann.follow(audit, |job| done_units(job) >= 4).await;

    let project = bob.project("example.org", 3).await;
    for _ in 0..2 {
        let check = bob.analyze("rankCheck", project).await;
        assert_eq!(bob.finished(check).await["status"], "succeeded");
        let meanwhile = ann.job(audit).await;
        assert!(meanwhile["finishedAt"].is_null(), "{meanwhile}");
        assert!(done_units(&meanwhile) >= 4, "progress is kept: {meanwhile}");
    }
    let over = ann.finished(audit).await;
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&"succeeded".into(), 1),
        "{over}"
    );
    assert!(over["error"].is_null(), "{over}");
    let requests = site.requests();
    assert_eq!(requests.len(), PAGES, "{requests:?}");
    assert!(requests.values().all(|it| *it == 1), "{requests:?}");
}

async fn audits_do_not_delay_another_accounts_rank_check(mut world: World) {
    let _site = SlowSite::start(&mut world, Duration::from_secs(2));
    let (_server, ann) = world.serve(&[]);
    let bob = second_account(&world, &ann);
    let mut audits = Vec::new();
    for n in 0..HOSTS {
        let project = ann.project(&format!("s{n}.example.com"), 0).await;
        audits.push(ann.analyze("siteAudit", project).await);
    }
    for audit in &audits[..3] {
        ann.follow(*audit, |job| job["status"] == "running").await;
    }
    let project = bob.project("example.org", 3).await;
    let check = bob.analyze("rankCheck", project).await;
    assert_eq!(bob.finished(check).await["status"], "succeeded");
    for audit in &audits {
        let audit = ann.job(*audit).await;
        assert!(audit["finishedAt"].is_null(), "{audit}");
        assert!(audit["waitingFor"].is_null(), "{audit}");
    }
}

async fn job_without_a_worker_reports_why_it_waits(world: World) {
    let (server, api) = world.serve(&["--no-worker"]);
    let project = api.project("example.org", 3).await;
    let job = api.analyze("rankCheck", project).await;
    assert!(api.job(job).await["waitingFor"].is_null());
    let waits = api.follow(job, |job| job["waitingFor"] == "worker").await;
    assert_eq!(waits["status"], "queued", "{waits}");
    let listed = api.get("/analyze?status=queued").await;
    assert_eq!(listed["items"][0]["waitingFor"], "worker", "{listed}");
    drop(server);

    let (_server, api) = world.serve(&[]);
    let over = api.finished(job).await;
    assert_eq!(over["status"], "succeeded");
    assert!(over["waitingFor"].is_null(), "{over}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn restarted_sqlite_server_requeues_its_jobs_at_once() {
    let mut world = World::on(DatabaseKind::Sqlite).await;
    // Longer than this test takes.
    world.set("QUEUE__LEASE_SECONDS", "600");
    world.set("QUEUE__FIRST_DELAY_SECONDS", "600");
    world.set("SEARCH__SANDBOX__LATENCY_MS", "50");
    let (server, api) = world.serve(&[]);
    let project = api.project("example.org", 400).await;
    let job = api.analyze("rankCheck", project).await;
    api.follow(job, |job| done_units(job) >= 50).await;
    server.kill();

    let (_server, api) = world.serve(&[]);
    let over = api.finished(job).await;
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&"succeeded".into(), 2),
        "{over}"
    );
    world.assert_measured_once(project, job, 400).await;
}
