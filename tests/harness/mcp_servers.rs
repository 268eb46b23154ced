//! Servers for the official conformance suite: the product's transport with the suite's fixture, and a proxy that adds
//! a token, since the suite sends none.

use crate::{callers::client, mcp_fixture::Fixture};
use ::web::{
    checks::origin_check::check as check_place,
    links::Surface,
    mcp::{Reply, Transport},
};
use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    http::{StatusCode, header},
    web,
};
use futures_util::StreamExt;
use reqwest::{Client, Method};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, session::local::LocalSessionManager,
};
use std::{
    net::{SocketAddr, TcpListener},
    sync::Arc,
    thread,
};

/// Hop-by-hop header fields.
const HOP_BY_HOP_HEADERS: [&str; 4] = [
    "connection",
    "transfer-encoding",
    "content-length",
    "keep-alive",
];

/// Stops when dropped.
pub struct TestServer {
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Drop for TestServer {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

impl TestServer {
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

/// The fixture behind the product's transport. It has sessions, which some scenarios of the older revision need and the
/// product does not.
#[must_use]
pub fn fixture() -> TestServer {
    serve(|address| {
        let fixture = Fixture::new();
        let config = StreamableHttpServerConfig::default();
        let sessions = Arc::new(LocalSessionManager::default());
        let transport = Transport::new(move || fixture.session(), sessions, config);
        let (transport, base) = (Arc::new(transport), format!("http://{address}"));
        move |request: HttpRequest, body: web::Bytes| {
            let (transport, base) = (Arc::clone(&transport), base.clone());
            async move {
                if let Err(problem) = check_place(&request, &base) {
                    return problem_response(&problem);
                }
                let extensions = http::Extensions::new();
                match transport.respond(&request, body, extensions).await {
                    Ok(reply) => to_response(reply),
                    Err(problem) => problem_response(&problem),
                }
            }
        }
    })
}

fn problem_response(problem: &::web::problem::Problem) -> HttpResponse {
    let status = StatusCode::from_u16(problem.code.status()).expect("a status");
    HttpResponse::build(status).json(problem.document(Surface::Agent, "http://localhost", "none"))
}

fn to_response(reply: Reply) -> HttpResponse {
    let (status, headers) = match &reply {
        Reply::Complete(answer) => (answer.status, answer.headers.clone()),
        Reply::Stream(stream) => (200, stream.headers.clone()),
    };
    let mut response = HttpResponse::build(StatusCode::from_u16(status).expect("a status"));
    for header in headers {
        response.insert_header(header);
    }
    match reply {
        Reply::Complete(answer) if answer.body.is_empty() => response.finish(),
        Reply::Complete(answer) => response.content_type(answer.content_type).body(answer.body),
        Reply::Stream(stream) => response
            .content_type("text/event-stream")
            .streaming(stream.events),
    }
}

/// A proxy that adds a token.
#[must_use]
pub fn token_proxy(server: SocketAddr, token: &str) -> TestServer {
    serve(|_| {
        let (token, client) = (token.to_owned(), client());
        move |request: HttpRequest, body: web::Bytes| {
            let (token, client) = (token.clone(), client.clone());
            async move { forward(&client, server, &token, &request, body).await }
        }
    })
}

async fn forward(
    client: &Client,
    server: SocketAddr,
    token: &str,
    request: &HttpRequest,
    body: web::Bytes,
) -> HttpResponse {
    let method = Method::from_bytes(request.method().as_str().as_bytes()).expect("a method");
    let mut passed = client.request(method, format!("http://{server}{}", request.uri()));
    for (name, value) in request.headers() {
        if !HOP_BY_HOP_HEADERS.contains(&name.as_str()) {
            passed = passed.header(name.as_str(), value.as_bytes());
        }
    }
    let answer = passed.bearer_auth(token).body(body).send().await;
    let answer = answer.expect("an answer");
    let status = StatusCode::from_u16(answer.status().as_u16()).expect("a status");
    let mut response = HttpResponse::build(status);
    for (name, value) in answer.headers() {
        if !HOP_BY_HOP_HEADERS.contains(&name.as_str()) {
            let value = header::HeaderValue::from_bytes(value.as_bytes()).expect("a value");
            response.append_header((name.as_str(), value));
        }
    }
    response.streaming(
        answer
            .bytes_stream()
            .map(|it| it.map_err(std::io::Error::other)),
    )
}

/// Serves on its own thread, independent of the test's runtime.
fn serve<F, R>(handler: impl FnOnce(SocketAddr) -> F) -> TestServer
where
    F: Fn(HttpRequest, web::Bytes) -> R + Clone + Send + 'static,
    R: Future<Output = HttpResponse> + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let handler = handler(address);
    let (sender, receiver) = std::sync::mpsc::channel();
    thread::spawn(move || {
        actix_web::rt::System::new().block_on(async move {
            let app = move || App::new().default_service(web::to(handler.clone()));
            let server = HttpServer::new(app).workers(1).disable_signals();
            let server = server.listen(listener).expect("it listens").run();
            sender.send(server.handle()).expect("the caller waits");
            server.await.expect("it serves");
        });
    });
    TestServer {
        address,
        handle: receiver.recv().expect("it serves"),
    }
}
