use serde_json::{Map, Value, json};

/// In characters; locations and messages may quote caller input.
const MOST_QUOTED: usize = 150;
/// Errors with suggestions; more never fit into a document.
const MOST_EXPLAINED: usize = 50;
/// In bytes; longer names get no suggestion.
const LONGEST_MISTAKE: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// JSON pointer (RFC 6901).
    Body(String),
    Query(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    place: Place,
    /// A stable code.
    pub code: &'static str,
    pub message: String,
    extra: Map<String, Value>,
}

impl FieldError {
    /// In the body, at a JSON pointer.
    pub fn at(pointer: impl Into<String>, code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Place::Body(quoted(pointer)), code, quoted(message))
    }

    pub fn in_query(
        name: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self::new(Place::Query(quoted(name)), code, quoted(message))
    }

    fn new(place: Place, code: &'static str, message: String) -> Self {
        Self {
            place,
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
    pub fn allowing(self, allowed: &[&str], given: &str) -> Self {
        let meant = nearest(given, allowed);
        let told = self.with("allowed", allowed);
        match meant {
            Some(meant) => told.with("didYouMean", meant),
            None => told,
        }
    }

    pub fn place(&self) -> &str {
        match &self.place {
            Place::Body(pointer) if pointer.is_empty() => "the body",
            Place::Body(place) | Place::Query(place) => place,
        }
    }

    /// Only for errors that are shown: the closest name is slow to find, and a body may have 20,000 unknown names.
    #[must_use]
    pub fn allowing_when_told(self, noted: usize, allowed: &[&str], given: &str) -> Self {
        if noted < MOST_EXPLAINED {
            self.allowing(allowed, given)
        } else {
            self
        }
    }

    pub fn document(&self) -> Value {
        let mut document = match &self.place {
            Place::Body(pointer) => json!({ "in": "body", "pointer": pointer }),
            Place::Query(name) => json!({ "in": "query", "name": name }),
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
    if rule.chars().count() <= MOST_QUOTED {
        rule
    } else {
        "must be one of those in `allowed`".to_owned()
    }
}

fn quoted(text: impl Into<String>) -> String {
    crate::shortened(&text.into(), MOST_QUOTED)
}

/// `None` if no name is similar.
pub fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    if given.len() > LONGEST_MISTAKE {
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
    fn a_misspelt_name_is_recognised_and_nonsense_is_not() {
        let known = ["domain", "name", "keywords"];
        assert_eq!(nearest("keyword", &known), Some("keywords"));
        assert_eq!(nearest("Domian", &known), Some("domain"));
        assert_eq!(nearest("zzz", &known), None);
    }
}
