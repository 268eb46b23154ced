//! Emulates an old browser with a proxy that removes headers.
//!
//! Chromium adds Fetch Metadata after the DevTools protocol can change a request, so a proxy is needed.

use actix_web::{HttpRequest, HttpResponse, web};
use harness::processes::loopback::Loopback;
use harness::{callers::client, chromium::Tab};
use std::sync::{Arc, OnceLock};

/// Removed from every request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Without {
    /// `Sec-Fetch-*`: browsers before 2020 to 2023.
    FetchMetadata,
    /// `Origin` and `Referer` too, as some corporate proxies do.
    Origin,
}

/// A proxy that removes headers.
pub struct HeaderFilter {
    server: Loopback,
    target: Arc<OnceLock<String>>,
}

impl HeaderFilter {
    pub fn start(without: Without) -> Self {
        let target = Arc::<OnceLock<String>>::default();
        let shared = web::Data::new(Arc::clone(&target));
        let server = Loopback::start(move |app| {
            let pass = move |request: HttpRequest,
                             body: web::Bytes,
                             target: web::Data<Arc<OnceLock<String>>>| {
                pass(request, body, target.get().cloned(), without)
            };
            app.app_data(shared.clone()).default_service(web::to(pass));
        });
        Self { server, target }
    }

    /// The proxy's origin.
    pub fn origin(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// Sets the target once.
    pub fn set_target(&self, origin: String) {
        self.target.set(origin).expect("it leads somewhere once");
    }

    /// A tab that uses the proxy.
    pub async fn tab(&self) -> Tab {
        Tab::open(self.origin()).await
    }
}

async fn pass(
    request: HttpRequest,
    body: web::Bytes,
    target: Option<String>,
    without: Without,
) -> HttpResponse {
    let url = format!("{}{}", target.expect("a server"), request.uri());
    let method = request.method().as_str().parse().unwrap();
    let mut passed = client().request(method, url).body(body.to_vec());
    for (name, value) in request.headers() {
        let name = name.as_str();
        let is_taken = name.starts_with("sec-fetch-")
            || without == Without::Origin && ["origin", "referer"].contains(&name)
            || ["host", "connection", "content-length", "accept-encoding"].contains(&name);
        if !is_taken {
            passed = passed.header(name, value.as_bytes());
        }
    }
    let answer = passed.send().await.unwrap();
    let mut response = HttpResponse::build(answer.status().as_u16().try_into().unwrap());
    for (name, value) in answer.headers() {
        if !["connection", "content-length", "transfer-encoding"].contains(&name.as_str()) {
            response.append_header((name.as_str(), value.as_bytes()));
        }
    }
    response.body(answer.bytes().await.unwrap())
}
