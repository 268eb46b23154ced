//! Callers of the Agent API, and the answers they get. Every answer is checked on its way: JSON,
//! the headers that every answer has, and for refusals a whole problem document.

use crate::contract;
use domain::ids::{AccountId, TokenId};
use reqwest::{
    Method, RequestBuilder,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap},
};
use serde_json::Value;
use std::sync::Once;

/// The base of all paths.
pub const API: &str = "/api/agent/v1";

static PROVIDER: Once = Once::new();

/// A client that keeps nothing between calls.
///
/// # Panics
/// When no client can be built.
#[must_use]
pub fn client() -> reqwest::Client {
    PROVIDER.call_once(|| {
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    });
    reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client")
}

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    client: reqwest::Client,
    base_url: String,
    token: Option<String>,
}

/// A caller with a token that works.
#[derive(Debug, Clone)]
pub struct Agent {
    /// How it calls.
    pub caller: Caller,
    /// Its account.
    pub account: AccountId,
    /// Its token.
    pub token: TokenId,
}

impl std::ops::Deref for Agent {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What was asked, for messages.
    pub asked: String,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The text of the body.
    pub text: String,
    /// The body; null when there is none.
    pub body: Value,
}

impl Caller {
    /// A caller.
    #[must_use]
    pub fn new(client: reqwest::Client, base_url: &str, token: Option<String>) -> Self {
        Self {
            client,
            base_url: base_url.to_owned(),
            token,
        }
    }

    /// GET of a path below the base.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path)).await
    }

    /// POST of a JSON body.
    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path).json(&body))
            .await
    }

    /// PATCH of a JSON body.
    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::PATCH, path).json(&body))
            .await
    }

    /// DELETE of a path.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.request(Method::DELETE, path)).await
    }

    /// Any method, with a JSON body for those that take one.
    pub async fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let request = self.request(method, path);
        self.send(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }

    /// A request of a path below the base, or with a leading `//` from the root.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let whole = path
            .strip_prefix('/')
            .filter(|rest| rest.starts_with('/'))
            .map_or_else(|| format!("{API}{path}"), str::to_owned);
        let request = self
            .client
            .request(method, format!("{}{whole}", self.base_url));
        match &self.token {
            Some(token) => request.header(AUTHORIZATION, format!("Bearer {token}")),
            None => request,
        }
    }

    /// Sends, and checks what every answer has to have.
    ///
    /// # Panics
    /// When there is no answer, or it lacks something.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let request = request.build().expect("a request");
        let asked = format!("{} {}", request.method(), request.url());
        let is_head = request.method() == Method::HEAD;
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let response = self
            .client
            .execute(request)
            .await
            .unwrap_or_else(|error| panic!("{asked}: {error}"));
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response
            .text()
            .await
            .unwrap_or_else(|error| panic!("{asked}: {error}"));
        let body = match text.as_str() {
            "" => Value::Null,
            text => serde_json::from_str(text)
                .unwrap_or_else(|error| panic!("{asked}: {error}: {text}")),
        };
        let answer = Answer {
            asked,
            status,
            headers,
            text,
            body,
        };
        answer.check(is_head);
        contract::check(method.as_str(), &path, answer.status, &answer.body);
        answer
    }
}

impl Answer {
    fn check(&self, is_head: bool) {
        for header in [
            "x-request-id",
            "vary",
            "x-content-type-options",
            "content-security-policy",
            "referrer-policy",
            "cache-control",
            "strict-transport-security",
        ] {
            assert!(
                self.headers.contains_key(header),
                "{}: no {header}",
                self.asked
            );
        }
        assert!(
            !self.headers.contains_key("access-control-allow-origin"),
            "{}: CORS",
            self.asked
        );
        let kind = self
            .headers
            .get(CONTENT_TYPE)
            .map(|value| value.to_str().expect("text"));
        match self.status {
            204 => assert_eq!(kind, None),
            200..=299 => assert_eq!(kind, Some("application/json"), "{}", self.asked),
            _ => {
                assert_eq!(kind, Some("application/problem+json"), "{}", self.asked);
                if !is_head {
                    self.check_problem();
                }
            }
        }
    }

    fn check_problem(&self) {
        let problem = &self.body;
        for member in ["type", "title", "detail", "instance", "code", "requestId"] {
            assert!(
                problem[member].is_string(),
                "{}: no {member} in {problem}",
                self.asked
            );
        }
        assert!(problem["retryable"].is_boolean());
        assert_eq!(problem["status"], self.status);
        assert_eq!(
            problem["requestId"],
            self.headers["x-request-id"].to_str().expect("text")
        );
        let code = problem["code"].as_str().expect("a code");
        assert_eq!(
            problem["type"],
            format!("https://sightline.example/problems/{code}")
        );
        assert!(
            web::problem::Code::named(code).is_some_and(|code| code.status() == self.status),
            "{code}"
        );
        let most = if problem["errors"].is_array() {
            16 * 1024
        } else {
            4 * 1024
        };
        assert!(
            self.text.len() <= most,
            "{}: {} bytes",
            self.asked,
            self.text.len()
        );
    }

    /// The body of a good answer with that status.
    ///
    /// # Panics
    /// When it has another one.
    #[track_caller]
    pub fn is(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.asked, self.text);
        self.body
    }

    /// The problem of a refusal with that status and code.
    ///
    /// # Panics
    /// When it is something else.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        assert_eq!(
            (self.status, self.body["code"].as_str()),
            (status, Some(code)),
            "{}: {}",
            self.asked,
            self.text
        );
        self.body
    }

    /// The codes and places of a validation problem's errors.
    ///
    /// # Panics
    /// When it is something else.
    #[must_use]
    #[track_caller]
    pub fn invalid(self) -> Vec<(String, String)> {
        let problem = self.refused(422, "validation-failed");
        let told = |error: &Value| {
            let place = error["pointer"]
                .as_str()
                .or_else(|| error["name"].as_str())
                .expect("a place");
            (
                place.to_owned(),
                error["code"].as_str().expect("a code").to_owned(),
            )
        };
        problem["errors"]
            .as_array()
            .expect("errors")
            .iter()
            .map(told)
            .collect()
    }

    /// A header's text.
    ///
    /// # Panics
    /// When it is not there.
    #[must_use]
    pub fn header(&self, name: &str) -> String {
        let value = self
            .headers
            .get(name)
            .unwrap_or_else(|| panic!("{}: no {name}", self.asked));
        value.to_str().expect("text").to_owned()
    }
}
