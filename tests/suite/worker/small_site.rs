//! A site of made pages on loopback that remembers what it was asked.

use super::world::World;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, dev::ServerHandle, web};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

/// The host under which it is found.
pub const HOST: &str = "acme.example.com";

pub struct SmallSite {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    server: ServerHandle,
}

type Asked = web::Data<Arc<Mutex<Vec<String>>>>;

impl SmallSite {
    /// Every path is a page, but for `/moved`, which leads to `/private`, and `/gone`.
    pub fn start(robots: &'static str) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let shared = web::Data::new(Arc::clone(&asked));
        let server = HttpServer::new(move || {
            App::new().app_data(shared.clone()).default_service(web::to(
                move |request: HttpRequest, asked: Asked| answer(request, asked, robots),
            ))
        });
        let server = server
            .workers(1)
            .disable_signals()
            .bind(("127.0.0.1", 0))
            .unwrap();
        let address = server.addrs()[0];
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self {
            address,
            asked,
            server: handle,
        }
    }

    /// Lets the processes that start from now on find it, over http alone and without pauses.
    pub fn settle_in(&self, world: &mut World) {
        let resolve = format!(
            "[\"{HOST}:80={}\",\"{HOST}:443=127.0.0.1:1\"]",
            self.address
        );
        world.set("CRAWLER__RESOLVE", &resolve);
        world.set("CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]");
        world.set("CRAWLER__PER_HOST_DELAY_MS", "0");
    }

    /// How often a path was asked for.
    pub fn asked(&self, path: &str) -> usize {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().filter(|it| *it == path).count()
    }
}

impl Drop for SmallSite {
    fn drop(&mut self) {
        let stop = self.server.stop(false);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(stop);
        }
    }
}

async fn answer(request: HttpRequest, asked: Asked, robots: &'static str) -> HttpResponse {
    let path = request.path().to_owned();
    asked
        .lock()
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
