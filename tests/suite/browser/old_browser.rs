//! An old browser: between a browser of today and the server, what it would not have sent is taken out.
//!
//! Chromium adds Fetch Metadata behind the place where the DevTools protocol can change a request, so
//! that this is done on the wire.

use actix_web::{HttpRequest, HttpResponse, web};
use harness::processes::loopback::Loopback;
use harness::{callers::client, chromium::Tab};
use std::sync::{Arc, OnceLock};

/// What is taken out of every request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Without {
    /// `Sec-Fetch-*`: browsers before 2020 to 2023.
    FetchMetadata,
    /// `Origin` and `Referer` too, as some companies' proxies do.
    Origin,
}

/// A way to a server that takes headers out.
pub struct OldBrowser {
    server: Loopback,
    target: Arc<OnceLock<String>>,
}

impl OldBrowser {
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

    /// Where browsers find the server.
    pub fn origin(&self) -> String {
        format!("http://{}", self.server.address)
    }

    /// From now on that is the server.
    pub fn leads_to(&self, origin: String) {
        self.target.set(origin).expect("it leads somewhere once");
    }

    /// A tab that finds the server through it.
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
