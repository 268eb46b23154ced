//! A site on loopback that records requests.

use super::{loopback::Loopback, world::World};
use actix_web::{HttpRequest, HttpResponse, web};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

pub const HOST: &str = "acme.example.com";

pub struct SmallSite {
    log: Arc<Mutex<Vec<String>>>,
    server: Loopback,
}

type RequestLog = web::Data<Arc<Mutex<Vec<String>>>>;

impl SmallSite {
    /// Every path is a page, except `/moved`, which redirects to `/private`, and `/gone`.
    pub fn start(robots: &'static str) -> Self {
        let log = Arc::new(Mutex::new(Vec::new()));
        let shared = web::Data::new(Arc::clone(&log));
        let server = Loopback::start(move |app| {
            let answer = move |request: HttpRequest, log: RequestLog| answer(request, log, robots);
            app.app_data(shared.clone())
                .default_service(web::to(answer));
        });
        Self { log, server }
    }

    /// Makes it resolvable for processes started from now on, over http and without delays.
    pub fn settle_in(&self, world: &mut World) {
        self.settle_in_beside(world, &[]);
    }

    /// The same beside other hosts.
    pub fn settle_in_beside(&self, world: &mut World, others: &[(&str, SocketAddr)]) {
        let ours = [(HOST, self.server.address)];
        let places: Vec<String> = { ours.iter().chain(others) }
            .map(|(host, at)| format!("\"{host}:80={at}\",\"{host}:443=127.0.0.1:1\""))
            .collect();
        world.set("CRAWLER__RESOLVE", &format!("[{}]", places.join(",")));
        world.set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]");
        world.set("CRAWLER__PER_HOST_DELAY_MS", "0");
    }

    /// Number of requests for a path.
    pub fn requests(&self, path: &str) -> usize {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.iter().filter(|it| *it == path).count()
    }
}

async fn answer(request: HttpRequest, log: RequestLog, robots: &'static str) -> HttpResponse {
    let path = request.path().to_owned();
    log.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(path.clone());
    match path.as_str() {
        "/robots.txt" => HttpResponse::Ok().content_type("text/plain").body(robots),
        "/moved" => HttpResponse::Found()
            .insert_header(("Location", "/private"))
            .finish(),
        "/gone" => HttpResponse::NotFound().finish(),
        "/slow.js" => {
            tokio::time::sleep(Duration::from_mins(1)).await;
            HttpResponse::NoContent().finish()
        }
        "/endless" => page("<script src=/slow.js></script>"),
        "/style.css" => HttpResponse::Ok()
            .content_type("text/css")
            .body("h1 { color: #357; font-size: 3em }"),
        _ => page(""),
    }
}

fn page(more: &str) -> HttpResponse {
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(format!(
        "<!doctype html><html lang=en><title>Acme</title>{more}<link rel=stylesheet href=/style.css><h1>Acme makes things that work</h1><p>{}",
        "Anvils, rockets and springs for every day. ".repeat(40)
    ))
}
