//! Route table rows without handlers, for links, checks and lists.

use actix_web::http::Method;
use domain::scope::Scope;
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// HEAD counts as GET.
    pub fn of(method: &Method) -> Option<Self> {
        match *method {
            Method::GET | Method::HEAD => Some(Self::Get),
            Method::POST => Some(Self::Post),
            Method::PUT => Some(Self::Put),
            Method::PATCH => Some(Self::Patch),
            Method::DELETE => Some(Self::Delete),
            _ => None,
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    pub const fn accepted_types(self) -> &'static [&'static str] {
        match self {
            Self::Post | Self::Put => &["application/json"],
            Self::Patch => &["application/json", "application/merge-patch+json"],
            Self::Get | Self::Delete => &[],
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub verb: Verb,
    pub path: &'static str,
    pub operation: &'static str,
    /// `None` when no token is needed.
    pub scope: Option<Scope>,
    pub tools: &'static [&'static str],
}

/// In table order.
pub static ROWS: LazyLock<Vec<Row>> = LazyLock::new(crate::rows);

/// Values of `{id}` and a second placeholder. An invalid id becomes a nonexistent one, so that both take the same
/// lookup and response.
pub fn capture_ids(template: &str, path: &str) -> Option<(i64, Option<i64>)> {
    let (before, after) = template.split_once("{id}")?;
    let rest = path.strip_prefix(before)?;
    let Some((between, part)) = after.split_once('{') else {
        return Some((segment_id(rest.strip_suffix(after)?)?, None));
    };
    let (_, after) = part.split_once('}')?;
    let (text, part) = rest.strip_suffix(after)?.split_once(between)?;
    Some((segment_id(text)?, Some(segment_id(part)?)))
}

fn segment_id(text: &str) -> Option<i64> {
    let is_one = !text.is_empty() && !text.contains('/');
    is_one.then(|| crate::id_or_nonexistent(text))
}

/// Tool argument for the id in a path.
pub fn id_argument(path: &str) -> &'static str {
    if path.contains("/keywords/{id}") {
        "keywordId"
    } else {
        "projectId"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_positive_integers_are_ids() {
        let id = |text: &str| {
            let (id, part) = capture_ids("/p/{id}/keywords", &format!("/p/{text}/keywords"))?;
            assert_eq!(part, None);
            Some(id)
        };
        assert_eq!(id("42"), Some(42));
        for wrong in [
            "0",
            "-1",
            "+1",
            "042",
            "x",
            "9007199254740992",
            "1.5",
            "99999999999999999999",
        ] {
            assert_eq!(id(wrong), Some(crate::NONEXISTENT_ID), "{wrong}");
        }
        assert_eq!(
            (id(""), id("1/2"), capture_ids("/p/{id}", "/q/1")),
            (None, None, None)
        );
        let both = |path: &str| capture_ids("/p/{id}/plans/{planId}", path);
        assert_eq!(both("/p/42/plans/7"), Some((42, Some(7))));
        assert_eq!(both("/p/x/plans/7"), Some((crate::NONEXISTENT_ID, Some(7))));
        assert_eq!(
            both("/p/42/plans/x"),
            Some((42, Some(crate::NONEXISTENT_ID)))
        );
        for wrong in [
            "/p/42/plans",
            "/p/42/plans/",
            "/p//plans/7",
            "/p/42/plans/7/8",
            "/p/4/2/plans/7",
        ] {
            assert_eq!(both(wrong), None, "{wrong}");
        }
    }
}
