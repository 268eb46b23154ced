//! Callers: real requests; every response is validated against the contract.

use crate::contract;
use domain::ids::LARGEST_ID;
use reqwest::{Client, Method, RequestBuilder, StatusCode, header::HeaderMap, redirect};
use rustls::{ClientConfig, RootCertStore, crypto::aws_lc_rs};
use serde_json::{Value, json};
use std::{net::SocketAddr, sync::Arc};

const BASE: &str = "/api/agent/v1";

/// An id that no test creates.
pub const UNKNOWN_ID: i64 = LARGEST_ID - 12_345;

#[derive(Clone)]
pub struct Caller {
    server: String,
    client: Client,
    token: Option<String>,
}

impl Caller {
    /// With or without a token.
    #[must_use]
    pub fn new(address: SocketAddr, token: Option<String>) -> Self {
        Self {
            server: format!("http://{address}"),
            client: client(),
            token,
        }
    }

    #[must_use]
    pub fn token(&self) -> Option<String> {
        self.token.clone()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    pub async fn head(&self, path: &str) -> Answer {
        self.send(self.request(Method::HEAD, path)).await
    }

    pub async fn options(&self, path: &str) -> Answer {
        self.send(self.request(Method::OPTIONS, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path).json(&body))
            .await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PATCH, path).json(&body))
            .await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// A request below the API's base path, not sent yet.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.request_path(method, &format!("{BASE}{path}"))
    }

    /// A request to any path of the server.
    pub fn request_path(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self
            .client
            .request(method, format!("{}{path}", self.server));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Sends the request and validates the response against the contract.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let request = request.build().expect("a request");
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let query = request.url().query().unwrap_or_default().to_owned();
        let response = self.client.execute(request).await.expect("an answer");
        let answer = Answer {
            status: response.status(),
            headers: response.headers().clone(),
            body: response.text().await.expect("a text"),
            request: format!("{method} {path}?{query}"),
        };
        answer.assert_common_headers();
        contract::check(&method, &path, &query, &answer);
        answer
    }

    /// Creates a project with keywords; returns the id and the keywords' ids.
    pub async fn project(&self, domain: &str, keywords: &[&str]) -> (i64, Vec<i64>) {
        let body = json!({ "domain": domain, "keywords": keywords });
        let created = self.post("/projects", body).await.created();
        let ids = created["keywords"]["created"].as_array();
        let ids = ids.map(|all| all.iter().map(id).collect());
        (id(&created), ids.unwrap_or_default())
    }

    /// Starts a rank check; returns its id.
    pub async fn rank_check(&self, project: i64) -> i64 {
        let body = json!({ "type": "rankCheck", "projectId": project });
        id(&self.post("/analyze", body).await.accepted())
    }
}

/// The id of a resource.
#[must_use]
pub fn id(resource: &Value) -> i64 {
    resource["id"].as_i64().expect("an id")
}

/// The ids of a list's items.
#[must_use]
pub fn ids(list: &Value) -> Vec<i64> {
    list["items"]
        .as_array()
        .expect("a list")
        .iter()
        .map(id)
        .collect()
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
    /// Method, path and query of the request.
    pub request: String,
}

impl Answer {
    /// The body of a 200.
    pub fn ok(&self) -> Value {
        self.expect_status(200)
    }

    /// The body of a 201.
    pub fn created(&self) -> Value {
        self.expect_status(201)
    }

    /// The body of a 202.
    pub fn accepted(&self) -> Value {
        self.expect_status(202)
    }

    fn expect_status(&self, status: u16) -> Value {
        assert_eq!(
            self.status.as_u16(),
            status,
            "{}: {}",
            self.request,
            self.body
        );
        self.json()
    }

    /// The problem document; asserts status, code and all common members.
    pub fn refused(&self, status: u16, code: &str) -> Value {
        let document = self.json();
        let outcome = (self.status.as_u16(), document["code"].as_str());
        assert_eq!(
            outcome,
            (status, Some(code)),
            "{}: {}",
            self.request,
            self.body
        );
        self.assert_problem_document();
        document
    }

    /// Codes and locations of the errors of a 422, in order.
    pub fn errors(&self) -> Vec<(String, String)> {
        let document = self.refused(422, "validation-failed");
        let place = |error: &Value| {
            let place = error.get("pointer").or_else(|| error.get("name"));
            place.and_then(Value::as_str).unwrap_or("?").to_owned()
        };
        let code = |error: &Value| error["code"].as_str().unwrap_or("?").to_owned();
        let errors = document["errors"].as_array().expect("errors");
        errors.iter().map(|it| (place(it), code(it))).collect()
    }

    /// Asserts every common member of a problem document.
    pub fn assert_problem_document(&self) {
        let document = self.json();
        let shown = format!("{}: {}", self.request, self.body);
        let text = |name: &str| document[name].as_str().unwrap_or_default();
        assert_eq!(self.header("content-type"), "application/problem+json");
        assert_eq!(document["status"], self.status.as_u16(), "{shown}");
        for member in ["title", "detail", "code"] {
            assert!(!text(member).is_empty(), "{member} in {shown}");
        }
        let own = format!("https://seo.example/problems/{}", text("code"));
        let kind = match text("code") {
            "rate-limited" => "https://iana.org/assignments/http-problem-types#quota-exceeded",
            "overloaded" => {
                "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
            }
            _ => &own,
        };
        assert_eq!(text("type"), kind);
        assert_eq!(text("requestId"), self.header("x-request-id"), "{shown}");
        assert!(text("instance").starts_with("urn:"), "{shown}");
        assert!(text("instance").ends_with(text("requestId")), "{shown}");
        assert!(document["retryable"].is_boolean(), "{shown}");
        assert!(
            self.body.len() <= 4_096,
            "{} bytes: {shown}",
            self.body.len()
        );
        assert_eq!(self.header("cache-control"), "no-store");
    }

    /// Status and body without the request id.
    #[must_use]
    pub fn without_request_id(&self) -> (u16, String) {
        let request = self.header("x-request-id");
        (self.status.as_u16(), self.body.replace(request, "<id>"))
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| {
            panic!("{}: {error}: {} {}", self.request, self.status, self.body)
        })
    }

    /// The header's text; empty if missing.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value.and_then(|it| it.to_str().ok()).unwrap_or_default()
    }

    /// All `Link` headers, joined.
    #[must_use]
    pub fn links(&self) -> String {
        let links = self.headers.get_all("link").iter();
        let links: Vec<&str> = links.filter_map(|it| it.to_str().ok()).collect();
        links.join(", ")
    }

    fn assert_common_headers(&self) {
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            (
                "content-security-policy",
                "default-src 'none'; frame-ancestors 'none'",
            ),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            (
                "strict-transport-security",
                "max-age=31536000; includeSubDomains",
            ),
        ] {
            assert_eq!(self.header(name), value, "{name} of {}", self.request);
        }
        assert!(!self.header("x-request-id").is_empty(), "{}", self.request);
        let cors = self
            .headers
            .keys()
            .find(|it| it.as_str().starts_with("access-control-"));
        assert_eq!(cors, None, "{}", self.request);
    }
}

/// An HTTP client without proxy, redirects and decompression.
#[must_use]
pub fn client() -> Client {
    let tls = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider knows the default protocol versions")
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(redirect::Policy::none())
        .no_proxy()
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .build()
        .expect("the fixed settings make a client")
}
