//! A small, slow site on loopback with broken links.

use super::loopback::Loopback;
use actix_web::{HttpResponse, web};
use std::{fmt::Write, net::SocketAddr, time::Duration};

pub const PAGES: usize = 60;
/// The default delay of a response.
const PAUSE: Duration = Duration::from_millis(60);

/// Stops when dropped.
pub struct Website {
    pub address: SocketAddr,
    _server: Loopback,
}

impl Website {
    /// With the default delay.
    pub fn start() -> Self {
        Self::with_pause(PAUSE)
    }

    pub fn with_pause(pause: Duration) -> Self {
        let server = Loopback::start(move |app| {
            let any = move |n: web::Path<usize>| page(*n, pause);
            app.route("/", web::get().to(move || page(0, pause)))
                .route("/page/{n}", web::get().to(any));
        });
        Self {
            address: server.address,
            _server: server,
        }
    }
}

/// Each page links to two more; every fifth has a broken link, every seventh a broken fragment.
async fn page(n: usize, pause: Duration) -> HttpResponse {
    tokio::time::sleep(pause).await;
    if n >= PAGES {
        return HttpResponse::NotFound().finish();
    }
    let mut body = format!("<!doctype html><title>Page {n}</title><h1 id=top>Page {n}</h1>");
    for next in [2 * n + 1, 2 * n + 2].into_iter().filter(|it| *it < PAGES) {
        let _ = write!(body, "<p><a href=\"/page/{next}\">Page {next}</a>");
    }
    if n.is_multiple_of(5) {
        let _ = write!(body, "<p><a href=\"/gone/{n}\">gone</a>");
    }
    if n.is_multiple_of(7) && n > 0 {
        let _ = write!(
            body,
            "<p><a href=\"/page/{}#nowhere\">no such place</a>",
            n - 1
        );
    }
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .body(body)
}
