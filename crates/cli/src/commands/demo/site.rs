//! The example shop that the demo serves and audits, with a few faults.

use actix_web::{HttpRequest, HttpResponse, web::to};
use anyhow::Context;
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use web::server::HttpServerSetup;

pub const HOST: &str = "demo-site.example.com";

const NAVIGATION: &str = r#"<nav><a href="/">Home</a> <a href="/shoes.html">Shoes</a> <a href="/plan.html">Training plan</a> <a href="/about.html">About</a></nav>"#;

pub fn serve(stop: CancellationToken) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))
        .context("cannot listen on 127.0.0.1 for the demo's example shop")?;
    let address = listener.local_addr()?;
    let listening = HttpServerSetup {
        configure: Arc::new(|config| {
            config.default_service(to(page));
        }),
        connections: None,
        threads: Some(NonZeroUsize::MIN),
        drain: Duration::ZERO,
    };
    let server = listening.listen(listener)?;
    let handle = server.handle();
    tokio::spawn(server);
    tokio::spawn(async move {
        stop.cancelled().await;
        handle.stop(false).await;
    });
    Ok(address)
}

async fn page(request: HttpRequest) -> HttpResponse {
    let body = match request.path() {
        "/robots.txt" => {
            return HttpResponse::Ok()
                .content_type("text/plain")
                .body("User-agent: *\nDisallow: /private/\n");
        }
        "/" => html(
            "Running store",
            r#"<p>Everything for runners: <a href="/shoes.html#trail">trail shoes</a>, <a href="/sale.html">the summer sale</a>, <a href="/old-plan.html">plans</a>.</p>"#,
        ),
        "/shoes.html" => html(
            "Shoes",
            r#"<h2 id="road">Road</h2><p>Light.</p><h2 id="trail">Trail</h2><p>Grippy. See the <a href="/size-chart.pdf">size chart</a>.</p><img src="/img/shoe.png" alt="A shoe">"#,
        ),
        "/plan.html" => html(
            "Training plan",
            r##"<p>Twelve weeks. <a href="#week-13">Skip to the race</a>. <a href="/shoes.html#barefoot">Barefoot?</a></p>"##,
        ),
        "/about.html" => html(
            "About",
            r#"<p>Mail <a href="mailto:hello@">us</a>. <a href="/private/staff.html">Staff</a>.</p>"#,
        ),
        "/old-plan.html" => {
            return HttpResponse::MovedPermanently()
                .insert_header(("Location", "/plan.html"))
                .finish();
        }
        _ => {
            return HttpResponse::NotFound()
                .content_type("text/html; charset=utf-8")
                .body(html("Not found", "<p>There is no such page.</p>"));
        }
    };
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .body(body)
}

fn html(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head><body>{NAVIGATION}<main><h1>{title}</h1>{body}</main></body></html>"
    )
}
