//! Entity tags (RFC 9110, 8.8.3) and conditional headers.

use crate::problem::{Code, Problem};
use actix_web::{HttpRequest, http::header};
use serde::Serialize;
use std::hash::Hasher;
use twox_hash::XxHash3_64;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityTag {
    opaque: String,
    is_weak: bool,
}

impl EntityTag {
    /// Documented syntax of `If-Match` and `If-None-Match`.
    pub const LIST_PATTERN: &'static str = r#"^(\*|(W/)?"[!#-~]*"(, ?(W/)?"[!#-~]*")*)$"#;

    /// Of the whole view, which changes more often than the version (last analysis, inherited values).
    pub fn of(resource: &impl Serialize) -> Self {
        Self {
            opaque: hashed_text(&[&serde_json::to_string(resource).unwrap_or_default()]),
            is_weak: false,
        }
    }

    pub fn of_text(resource: &str) -> Self {
        Self {
            opaque: hashed_text(&[resource]),
            is_weak: false,
        }
    }

    /// Of parts of a list or summary; weak, since a list can be paged in several ways.
    pub fn weak(parts: &[&str]) -> Self {
        Self {
            opaque: hashed_text(parts),
            is_weak: true,
        }
    }

    pub const fn is_weak(&self) -> bool {
        self.is_weak
    }

    pub fn text(&self) -> String {
        let weak = if self.is_weak { "W/" } else { "" };
        format!("{weak}\"{}\"", self.opaque)
    }
}

/// 64-bit XXH3: the same on every server. A tag is not a secret; collisions have a probability of 2⁻⁶⁴.
fn hashed_text(parts: &[&str]) -> String {
    let mut hash = XxHash3_64::new();
    for part in parts {
        hash.write(part.as_bytes());
    }
    format!("{:016x}", hash.finish())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ETagCondition {
    /// `*`: any existing representation.
    Any,
    OneOf(Vec<EntityTag>),
}

impl ETagCondition {
    pub fn if_match(request: &HttpRequest) -> Result<Option<Self>, Problem> {
        Self::read(request, &header::IF_MATCH, "If-Match")
    }

    pub fn if_none_match(request: &HttpRequest) -> Result<Option<Self>, Problem> {
        Self::read(request, &header::IF_NONE_MATCH, "If-None-Match")
    }

    fn read(
        request: &HttpRequest,
        name: &header::HeaderName,
        shown: &'static str,
    ) -> Result<Option<Self>, Problem> {
        let mut values = request.headers().get_all(name).peekable();
        if values.peek().is_none() {
            return Ok(None);
        }
        let lines: Option<Vec<&str>> = values.map(|value| value.to_str().ok()).collect();
        let parsed = lines.and_then(|lines| Self::parse(&lines.join(",")));
        let wrong = || {
            let problem = Problem::new(
                Code::InvalidHeader,
                format!("The header {shown} cannot be read."),
            );
            problem
                .with("header", shown)
                .hint("Send the ETag of an earlier answer as it was, in its quotes, or *.")
        };
        parsed.map(Some).ok_or_else(wrong)
    }

    /// `*`, or quoted tags separated by commas.
    fn parse(text: &str) -> Option<Self> {
        if text.trim() == "*" {
            return Some(Self::Any);
        }
        let (mut tags, mut rest) = (Vec::new(), text.trim_start_matches([' ', '\t', ',']));
        while !rest.is_empty() {
            let (is_weak, quoted) = match rest.strip_prefix("W/") {
                Some(quoted) => (true, quoted),
                None => (false, rest),
            };
            let (opaque, behind) = quoted.strip_prefix('"')?.split_once('"')?;
            let is_legal = opaque.bytes().all(|it| it > b' ' && it != 0x7f);
            let behind = behind.trim_start_matches([' ', '\t']);
            if !is_legal || !(behind.is_empty() || behind.starts_with(',')) {
                return None;
            }
            tags.push(EntityTag {
                opaque: opaque.to_owned(),
                is_weak,
            });
            rest = behind.trim_start_matches([' ', '\t', ',']);
        }
        (!tags.is_empty()).then_some(Self::OneOf(tags))
    }

    /// Strong comparison, for `If-Match`.
    pub fn matches_strong(&self, tag: &EntityTag) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(tags) => !tag.is_weak && tags.contains(tag),
        }
    }

    /// Weak comparison, for `If-None-Match`.
    pub fn matches_weak(&self, tag: &EntityTag) -> bool {
        match self {
            Self::Any => true,
            Self::OneOf(tags) => tags.iter().any(|it| it.opaque == tag.opaque),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag(opaque: &str, is_weak: bool) -> EntityTag {
        EntityTag {
            opaque: opaque.to_owned(),
            is_weak,
        }
    }

    #[test]
    fn headers_contain_tags_or_a_star() {
        assert_eq!(ETagCondition::parse(" * "), Some(ETagCondition::Any));
        let list = ETagCondition::parse("\"a\" , W/\"b,c\",, \"\"");
        let tags = vec![tag("a", false), tag("b,c", true), tag("", false)];
        assert_eq!(list, Some(ETagCondition::OneOf(tags)));
        for wrong in [
            "",
            "a",
            "\"a",
            "\"a\" \"b\"",
            "w/\"a\"",
            "\"a\", *",
            "\"a b\"",
        ] {
            assert_eq!(ETagCondition::parse(wrong), None, "{wrong}");
        }
    }

    /// The table of RFC 9110, 8.8.3.2.
    #[test]
    fn tags_compare_as_in_rfc_9110() {
        for (one, other, strongly, weakly) in [
            (tag("1", true), tag("1", true), false, true),
            (tag("1", true), tag("2", true), false, false),
            (tag("1", true), tag("1", false), false, true),
            (tag("1", false), tag("1", false), true, true),
        ] {
            let wanted = ETagCondition::OneOf(vec![one]);
            assert_eq!(wanted.matches_strong(&other), strongly);
            assert_eq!(wanted.matches_weak(&other), weakly);
        }
    }

    #[test]
    fn a_tag_changes_with_the_content() {
        let (one, other) = (EntityTag::of(&["a"]), EntityTag::of(&["b"]));
        assert_ne!(one, other);
        assert_eq!(one, EntityTag::of_text("[\"a\"]"));
        // No bytes, in xxHash's sanity test vectors.
        assert_eq!(EntityTag::of_text("").text(), "\"2d06800538d394c2\"");
        assert!(EntityTag::weak(&["a"]).text().starts_with("W/\""));
    }
}
