//! What a handler answers.

use crate::entity_tag::EntityTag;
use domain::idempotency::StoredAnswer;
use serde::Serialize;
use serde_json::Value;

/// A good answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The JSON text.
    pub body: String,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// How long it may be kept.
    pub cache: &'static str,
    /// What the body is.
    pub content_type: &'static str,
    /// What tells this state of it from others.
    pub tag: Option<EntityTag>,
    /// Whether it was kept for repeats, in the transaction of its effect.
    pub is_kept: bool,
}

/// The type of problem documents.
pub const PROBLEM: &str = "application/problem+json";

/// Reads may be kept by the caller, who has to ask whether they still hold.
pub const PRIVATE: &str = "private, no-cache";

impl Answer {
    /// 200 with that body.
    #[must_use]
    pub fn ok(body: &impl Serialize) -> Self {
        Self::with_status(200, body)
    }

    /// That status with that body.
    ///
    /// # Panics
    /// Never for the bodies of this crate: they have string keys and no failing serialisers.
    #[must_use]
    pub fn with_status(status: u16, body: &impl Serialize) -> Self {
        let body = serde_json::to_string(body).expect("answers serialise to JSON");
        Self::text(status, body)
    }

    /// That status with JSON that is text already.
    #[must_use]
    pub const fn text(status: u16, body: String) -> Self {
        Self {
            status,
            body,
            headers: vec![],
            cache: PRIVATE,
            content_type: "application/json",
            tag: None,
            is_kept: false,
        }
    }

    /// As it is kept for repeats of its request.
    #[must_use]
    pub fn stored(&self) -> StoredAnswer {
        let header = |name: &str| {
            let found = self.headers.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        };
        StoredAnswer {
            status: self.status,
            location: header("Location"),
            etag: self.tag.as_ref().map(EntityTag::text),
            body: self.body.clone(),
        }
    }

    /// The same without its body: the caller has it.
    #[must_use]
    pub fn not_modified(mut self) -> Self {
        self.status = 304;
        self.body = String::new();
        self.headers.clear();
        self
    }

    /// With its tag.
    #[must_use]
    pub fn tagged(mut self, tag: EntityTag) -> Self {
        self.tag = Some(tag);
        self
    }

    /// It was kept for repeats, if its request came with a key.
    #[must_use]
    pub const fn kept(mut self) -> Self {
        self.is_kept = true;
        self
    }

    /// 200 with one resource, under its tag.
    #[must_use]
    pub fn resource(resource: &impl Serialize) -> Self {
        let answer = Self::ok(resource);
        let tag = EntityTag::of_text(&answer.body);
        answer.tagged(tag)
    }

    /// 200 with a list or a summary, under its weak tag.
    #[must_use]
    pub fn summary(content: &impl Serialize) -> Self {
        let answer = Self::ok(content);
        let tag = EntityTag::weak(&[&answer.body]);
        answer.tagged(tag)
    }

    /// 200 with a JSON value.
    #[must_use]
    pub fn value(body: &Value) -> Self {
        Self::ok(body)
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}
