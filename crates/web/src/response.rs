use crate::http::entity_tag::EntityTag;
use crate::links::{Link, Surface};
use actix_web::web::Bytes;
use domain::idempotency::StoredResponse;
use futures_util::stream::LocalBoxStream;
use serde::Serialize;
use serde_json::Value;
use std::convert::Infallible;

#[derive(Debug, Clone)]
pub struct ApiResponse {
    pub status: u16,
    pub body: String,
    pub headers: Vec<(&'static str, String)>,
    /// `Location`.
    pub location: Option<Link>,
    /// `Cache-Control`.
    pub cache: &'static str,
    pub content_type: &'static str,
    pub tag: Option<EntityTag>,
    /// Whether it was stored for idempotent replay, in the transaction of its effect.
    pub is_stored: bool,
}

pub const PROBLEM: &str = "application/problem+json";

/// Poll interval for an unfinished analysis, in seconds.
pub const RETRY_AFTER_SECONDS: &str = "2";

pub struct EventStream {
    pub headers: Vec<(&'static str, String)>,
    pub events: LocalBoxStream<'static, Result<Bytes, Infallible>>,
}

/// Clients may cache it but must revalidate.
pub const PRIVATE_NO_CACHE: &str = "private, no-cache";

impl ApiResponse {
    pub fn ok(body: &impl Serialize) -> Self {
        Self::with_status(200, body)
    }

    /// # Panics
    /// Never: bodies have string keys and infallible serializers.
    pub fn with_status(status: u16, body: &impl Serialize) -> Self {
        let body = serde_json::to_string(body).expect("answers serialise to JSON");
        Self::text(status, body)
    }

    pub const fn text(status: u16, body: String) -> Self {
        Self {
            status,
            body,
            headers: vec![],
            location: None,
            cache: PRIVATE_NO_CACHE,
            content_type: "application/json",
            tag: None,
            is_stored: false,
        }
    }

    pub fn to_stored(&self) -> StoredResponse {
        let location = self.location.as_ref();
        StoredResponse {
            status: self.status,
            location: location.map(|it| it.href(Surface::Agent)),
            etag: self.tag.as_ref().map(EntityTag::text),
            body: self.body.clone(),
        }
    }

    /// Without its body: the caller has it.
    #[must_use]
    pub fn not_modified(mut self) -> Self {
        self.status = 304;
        self.body = String::new();
        self.headers.clear();
        self
    }

    #[must_use]
    pub fn with_etag(mut self, tag: EntityTag) -> Self {
        self.tag = Some(tag);
        self
    }

    #[must_use]
    pub fn with_location(mut self, location: Link) -> Self {
        self.location = Some(location);
        self
    }

    /// Stored for idempotent replay if the request carried a key.
    #[must_use]
    pub const fn marked_stored(mut self) -> Self {
        self.is_stored = true;
        self
    }

    /// 200 with one resource and its strong tag.
    pub fn resource(resource: &impl Serialize) -> Self {
        let answer = Self::ok(resource);
        let tag = EntityTag::of_text(&answer.body);
        answer.with_etag(tag)
    }

    /// 200 with a list or summary and a weak tag.
    pub fn summary(content: &impl Serialize) -> Self {
        let answer = Self::ok(content);
        let tag = EntityTag::weak(&[&answer.body]);
        answer.with_etag(tag)
    }

    pub fn value(body: &Value) -> Self {
        Self::ok(body)
    }

    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}
