use serde_json::{Map, Value, json};

/// In characters; locations and messages may quote caller input.
const MAX_QUOTED_CHARS: usize = 150;
/// Errors with suggestions; more never fit into a document.
const MAX_EXPLAINED_ERRORS: usize = 50;
/// In bytes; longer names get no suggestion.
const MAX_TYPO_LEN: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
enum ErrorLocation {
    /// JSON pointer (RFC 6901).
    Body(String),
    Query(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    location: ErrorLocation,
    /// A stable code.
    pub code: &'static str,
    pub message: String,
    extra: Map<String, Value>,
}

impl FieldError {
    /// In the body, at a JSON pointer.
    pub fn in_body(
        pointer: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self::new(ErrorLocation::Body(quoted(pointer)), code, quoted(message))
    }

    pub fn in_query(
        name: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self::new(ErrorLocation::Query(quoted(name)), code, quoted(message))
    }

    fn new(place: ErrorLocation, code: &'static str, message: String) -> Self {
        Self {
            location: place,
            code,
            message,
            extra: Map::new(),
        }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.extra.insert(name.to_owned(), value.into());
        self
    }

    /// With the allowed values and the closest one.
    #[must_use]
    pub fn with_allowed(self, allowed: &[&str], given: &str) -> Self {
        let meant = nearest(given, allowed);
        let error = self.with("allowed", allowed);
        match meant {
            Some(meant) => error.with("didYouMean", meant),
            None => error,
        }
    }

    pub fn location(&self) -> &str {
        match &self.location {
            ErrorLocation::Body(pointer) if pointer.is_empty() => "the body",
            ErrorLocation::Body(location) | ErrorLocation::Query(location) => location,
        }
    }

    /// Only for errors that are shown: the closest name is slow to find, and a body may have 20,000 unknown names.
    #[must_use]
    pub fn with_allowed_if_shown(self, error_count: usize, allowed: &[&str], given: &str) -> Self {
        if error_count < MAX_EXPLAINED_ERRORS {
            self.with_allowed(allowed, given)
        } else {
            self
        }
    }

    pub fn document(&self) -> Value {
        let mut document = match &self.location {
            ErrorLocation::Body(pointer) => json!({ "in": "body", "pointer": pointer }),
            ErrorLocation::Query(name) => json!({ "in": "query", "name": name }),
        };
        if let Some(members) = document.as_object_mut() {
            members.insert("code".into(), self.code.into());
            members.insert("message".into(), self.message.clone().into());
            members.extend(self.extra.clone());
        }
        document
    }
}

pub fn one_of(allowed: &[&str]) -> String {
    let rule = format!("must be one of {}", allowed.join(", "));
    if rule.chars().count() <= MAX_QUOTED_CHARS {
        rule
    } else {
        "must be one of those in `allowed`".to_owned()
    }
}

fn quoted(text: impl Into<String>) -> String {
    crate::shortened(&text.into(), MAX_QUOTED_CHARS)
}

/// `None` if no name is similar.
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    if given.len() > MAX_TYPO_LEN {
        return None;
    }
    let likeness = |name: &str| strsim::jaro_winkler(&given.to_lowercase(), &name.to_lowercase());
    let best = known
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.75).then_some(*best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_name_is_corrected_and_nonsense_is_not() {
        let known = ["domain", "name", "keywords"];
        assert_eq!(nearest("keyword", &known), Some("keywords"));
        assert_eq!(nearest("Domian", &known), Some("domain"));
        assert_eq!(nearest("zzz", &known), None);
    }
}
