//! Reads a query string: known parameters, each once, with types.

use crate::contract::{ParameterType, StringEnum};
use crate::problem::{FieldError, Problem, one_of};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct Query {
    values: BTreeMap<String, String>,
    errors: Mutex<Vec<FieldError>>,
}

impl Query {
    /// Adds an error for each unknown or repeated parameter.
    pub fn parse(text: &str, known: &[&str]) -> Self {
        let query = Self::default();
        for pair in text.split('&').filter(|it| !is_well_encoded(it)) {
            let name = pair.split('=').next().unwrap_or_default();
            let rule = "must be UTF-8 in percent-encoding: two hexadecimal digits after each %; a % itself is written %25";
            query.note(FieldError::in_query(name, "malformed-encoding", rule));
        }
        query.with_pairs(serde_urlencoded_pairs(text), known)
    }

    /// Adds an error for each unknown or repeated parameter.
    pub fn of(pairs: Vec<(String, String)>, known: &[&str]) -> Self {
        Self::default().with_pairs(pairs, known)
    }

    fn with_pairs(self, pairs: Vec<(String, String)>, known: &[&str]) -> Self {
        let mut values = BTreeMap::new();
        for (name, value) in pairs {
            if !known.contains(&name.as_str()) {
                let error = FieldError::in_query(
                    &name,
                    "unknown-parameter",
                    format!("there is no parameter `{name}`"),
                );
                let noted = self.error_count();
                self.note(error.with_allowed_if_shown(noted, known, &name));
            } else if values.insert(name.clone(), value).is_some() {
                self.note(FieldError::in_query(
                    &name,
                    "repeated",
                    "must be there once only",
                ));
            }
        }
        Self { values, ..self }
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// For a parameter sent elsewhere in the request.
    #[must_use]
    pub fn with(mut self, name: &str, value: String) -> Self {
        self.values.insert(name.to_owned(), value);
        self
    }

    pub fn number(&self, name: &str, bounds: &std::ops::RangeInclusive<u32>) -> Option<u32> {
        let found = self
            .text(name)?
            .parse()
            .ok()
            .filter(|it| bounds.contains(it));
        if found.is_none() {
            let (min, max) = (bounds.start(), bounds.end());
            self.note_invalid(name, format!("must be a number from {min} to {max}"));
        }
        found
    }

    fn errors(&self) -> MutexGuard<'_, Vec<FieldError>> {
        self.errors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of errors so far.
    pub fn error_count(&self) -> usize {
        self.errors().len()
    }

    pub fn note(&self, error: FieldError) {
        self.errors().push(error);
    }

    pub fn note_invalid(&self, name: &str, rule: impl Into<String>) {
        self.note(FieldError::in_query(name, "invalid-value", rule));
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.text(name)? {
            "true" => Some(true),
            "false" => Some(false),
            _ => {
                self.note_invalid(name, "must be true or false");
                None
            }
        }
    }

    /// A positive integer that JSON carries exactly.
    pub fn id(&self, name: &str) -> Option<i64> {
        let found = crate::parse_id(self.text(name)?);
        if found.is_none() {
            self.note(FieldError::in_query(
                name,
                "invalid-type",
                "must be a positive integer up to 9007199254740991",
            ));
        }
        found
    }

    /// An invalid id becomes a nonexistent one.
    pub fn id_or_nonexistent(&self, name: &str) -> Option<i64> {
        self.text(name).map(crate::id_or_nonexistent)
    }

    pub fn word<W: StringEnum>(&self, name: &str) -> Option<W> {
        let text = self.text(name)?;
        let found = W::from_word(text);
        if found.is_none() {
            let words = W::words();
            let error = FieldError::in_query(name, "invalid-value", one_of(&words));
            self.note(error.with_allowed(&words, text));
        }
        found
    }

    /// RFC 3339, or a date, which means 00:00 UTC.
    pub fn time(&self, name: &str) -> Option<DateTime<Utc>> {
        self.time_or(name, Some)
    }

    /// Exclusive; a date includes the whole day.
    pub fn end(&self, name: &str) -> Option<DateTime<Utc>> {
        self.time_or(name, |day| day.succ_opt())
    }

    fn time_or(
        &self,
        name: &str,
        first_moment_of: impl Fn(NaiveDate) -> Option<NaiveDate>,
    ) -> Option<DateTime<Utc>> {
        let text = self.text(name)?;
        let day = || {
            let day = first_moment_of(text.parse::<NaiveDate>().ok()?)?;
            Some(day.and_time(NaiveTime::MIN).and_utc())
        };
        let found = DateTime::parse_from_rfc3339(text)
            .ok()
            .map(|time| time.to_utc())
            .or_else(day);
        if found.is_none() {
            self.note_invalid(
                name,
                "must be a day such as 2026-11-21 or a time such as 2026-11-21T08:00:00Z",
            );
        }
        found
    }

    /// At most `max_chars` characters, without control characters.
    pub fn free_text(&self, name: &str, max_chars: usize) -> Option<String> {
        let text = self.text(name)?;
        if text.chars().count() > max_chars || text.chars().any(char::is_control) {
            self.note_invalid(
                name,
                format!("must be text of at most {max_chars} characters"),
            );
            return None;
        }
        Some(text.to_owned())
    }

    pub fn optional<A: ParameterType>(&self, name: &str) -> Option<A::Value> {
        A::of(self, name)
    }

    pub fn required<A: ParameterType>(&self, name: &str) -> Option<A::Value> {
        if self.text(name).is_none() {
            let error = FieldError::in_query(name, "required", "is required");
            self.note(match A::allowed() {
                Some(allowed) => error.with("allowed", allowed),
                None => error,
            });
        }
        A::of(self, name)
    }

    /// Fails if any error was collected.
    pub fn finish(&self) -> Result<(), Problem> {
        let errors = self.errors();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(Problem::invalid(errors.clone()))
        }
    }
}

/// Whether two hex digits follow each `%` and the decoded bytes are UTF-8.
fn is_well_encoded(text: &str) -> bool {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digit = |at: usize| after.get(at).and_then(|it| char::from(*it).to_digit(16));
        let (Some(high), Some(low)) = (digit(0), digit(1)) else {
            return false;
        };
        bytes.extend(u8::try_from(16 * high + low));
        rest = &after[2..];
    }
    str::from_utf8(&bytes).is_ok()
}

fn serde_urlencoded_pairs(text: &str) -> Vec<(String, String)> {
    actix_web::web::Query::<Vec<(String, String)>>::from_query(text)
        .map(actix_web::web::Query::into_inner)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_and_repeated_parameters_are_refused() {
        let query = Query::parse("limt=5&cursor=a&cursor=b", &["limit", "cursor"]);
        let problem = query.finish().unwrap_err();
        assert_eq!(problem.errors.len(), 2);
        assert_eq!(problem.errors[0].document()["didYouMean"], "limit");
    }

    #[test]
    fn malformed_percent_encoding_is_refused() {
        for wrong in [
            "limit=%zz",
            "limit=5%",
            "limit=%4",
            "%zz=5",
            "limit=%ff",
            "limit=%+5",
        ] {
            let query = Query::parse(&format!("cursor=a%20b&{wrong}"), &["limit", "cursor"]);
            let codes: Vec<_> = query.errors().iter().map(|it| it.code).collect();
            assert_eq!(codes[0], "malformed-encoding", "{wrong}");
        }
        let query = Query::parse("cursor=%C3%BC%25+&limit=a%0Ab", &["limit", "cursor"]);
        assert!(query.finish().is_ok());
        assert_eq!(query.text("cursor"), Some("ü% "));
    }

    #[test]
    fn values_have_types() {
        let query = Query::parse(
            "favorite=true&projectId=7&from=2026-11-21",
            &["favorite", "projectId", "from"],
        );
        assert_eq!(
            (query.flag("favorite"), query.id("projectId")),
            (Some(true), Some(7))
        );
        assert_eq!(
            query.time("from").unwrap().to_rfc3339(),
            "2026-11-21T00:00:00+00:00"
        );
        assert!(query.finish().is_ok());
        for wrong in [
            "projectId=null",
            "projectId=0",
            "projectId=%2B7",
            "projectId=9007199254740992",
            "favorite=1",
            "from=yesterday",
        ] {
            let query = Query::parse(wrong, &["favorite", "projectId", "from"]);
            let _ = (
                query.id("projectId"),
                query.flag("favorite"),
                query.time("from"),
            );
            assert!(query.finish().is_err(), "{wrong}");
        }
    }
}
