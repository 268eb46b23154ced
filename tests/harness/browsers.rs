//! Simulated browsers: they send what our pages send, with their cookies.

use crate::callers::{Answer, Caller};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The origin of every page.
pub const ORIGIN: &str = "https://seo.example";

/// Clones share their cookies.
#[derive(Clone)]
pub struct Browser {
    caller: Caller,
    state: Arc<Mutex<BrowserState>>,
}

#[derive(Default)]
struct BrowserState {
    cookies: BTreeMap<String, String>,
    csrf: Option<String>,
}

impl Browser {
    #[must_use]
    pub fn new(caller: Caller) -> Self {
        Self {
            caller,
            state: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, BrowserState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[must_use]
    pub fn cookie(&self, name: &str) -> Option<String> {
        self.state().cookies.get(name).cloned()
    }

    /// Sets or deletes a cookie.
    pub fn set_cookie(&self, name: &str, value: Option<&str>) {
        let mut kept = self.state();
        match value {
            Some(value) => kept.cookies.insert(name.to_owned(), value.to_owned()),
            None => kept.cookies.remove(name),
        };
    }

    /// Another browser with the same cookies.
    #[must_use]
    pub fn copy(&self) -> Self {
        let copy = Self::new(self.caller.clone());
        {
            let (from, mut to) = (self.state(), copy.state());
            to.cookies.clone_from(&from.cookies);
            to.csrf.clone_from(&from.csrf);
        }
        copy
    }

    /// The CSRF token of writes.
    #[must_use]
    pub fn csrf(&self) -> Option<String> {
        self.state().csrf.clone()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.same_origin_request(Method::GET, path)).await
    }

    /// Requests a page as HTML.
    pub async fn page(&self, path: &str) -> String {
        let request = self.cookie_request(Method::GET, path);
        let answer = request.header("Accept", "text/html").send().await;
        let text = answer.expect("an answer").text().await.expect("text");
        for escaped in ["&lt;time", "&lt;span"] {
            assert!(!text.contains(escaped), "{path} shows its markup as text");
        }
        text
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.same_origin_request(Method::POST, path).json(&body))
            .await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(self.same_origin_request(Method::PUT, path).json(&body))
            .await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(self.same_origin_request(Method::PATCH, path).json(&body))
            .await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(self.same_origin_request(Method::DELETE, path))
            .await
    }

    /// A request with the headers of a same-origin page.
    pub fn same_origin_request(&self, method: Method, path: &str) -> RequestBuilder {
        let is_unsafe = method != Method::GET;
        let mut request = self
            .cookie_request(method, path)
            .header("Sec-Fetch-Site", "same-origin");
        if is_unsafe {
            request = request.header("Origin", ORIGIN);
            if let Some(token) = self.csrf() {
                request = request.header("X-CSRF-Token", token);
            }
        }
        request
    }

    /// A request with only the cookies.
    pub fn cookie_request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self
            .caller
            .request_path(method, path)
            .header("User-Agent", "Harness/1");
        let kept = self.state();
        if kept.cookies.is_empty() {
            return request;
        }
        let pairs: Vec<String> = { kept.cookies.iter() }
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        request.header("Cookie", pairs.join("; "))
    }

    /// Sends a request and stores the cookies and the CSRF token of the response.
    pub async fn send(&self, request: RequestBuilder) -> Answer {
        let answer = self.caller.send(request).await;
        let mut kept = self.state();
        for line in answer.headers.get_all("set-cookie") {
            let line = line.to_str().expect("ASCII");
            let (pair, attributes) = line.split_once(';').expect("attributes");
            let (name, value) = pair.split_once('=').expect("a value");
            if attributes.contains("Max-Age=0") {
                kept.cookies.remove(name);
            } else {
                kept.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        if let Ok(body) = serde_json::from_str::<Value>(&answer.body)
            && let Some(token) = body["csrfToken"].as_str()
        {
            kept.csrf = Some(token.to_owned());
        }
        answer
    }

    pub async fn sign_in(&self, email: &str, password: &str) -> Answer {
        let body = json!({ "email": email, "password": password });
        self.post("/api/session", body).await
    }

    pub async fn is_signed_in(&self) -> bool {
        self.get("/api/session").await.status == 200
    }
}
