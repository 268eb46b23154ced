//! Reads the members of a JSON body, and collects everything that is wrong with them at once.

use crate::problem::{FieldError, Problem, one_of};
use chrono::NaiveDate;
use domain::patch::Change;
use serde_json::{Map, Value};
use std::{cell::RefCell, fmt::Display};

/// Nested objects share the list of errors.
pub struct Fields<'a> {
    members: &'a Map<String, Value>,
    pointer: String,
    errors: &'a RefCell<Vec<FieldError>>,
}

/// What is wrong with a value is already noted.
#[derive(Debug, Clone, PartialEq)]
pub enum Given<T> {
    Absent,
    Null,
    Wrong,
    Value(T),
}

/// Reads a body with `read`, and refuses it when anything was noted.
pub fn read_body<T>(
    body: &Map<String, Value>,
    read: impl FnOnce(&Fields) -> Option<T>,
) -> Result<T, Problem> {
    let errors = RefCell::default();
    let value = read(&Fields {
        members: body,
        pointer: String::new(),
        errors: &errors,
    });
    let errors = errors.into_inner();
    match value {
        Some(value) if errors.is_empty() => Ok(value),
        _ => Err(Problem::invalid(errors)),
    }
}

impl<'a> Fields<'a> {
    /// Notes unknown members.
    pub fn only(&self, known: &[&str]) {
        self.only_or(known, &[]);
    }

    /// Members in `tolerated` may be there, and are not proposed.
    pub fn only_or(&self, known: &[&str], tolerated: &[&str]) {
        let is_known = |name: &str| known.contains(&name) || tolerated.contains(&name);
        for name in self.members.keys().filter(|name| !is_known(name)) {
            let error = FieldError::at(
                self.at(name),
                "unknown-field",
                format!("there is no field `{name}`"),
            );
            let noted = self.errors.borrow().len();
            self.note(error.allowing_when_told(noted, known, name));
        }
    }

    pub fn raw(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    pub fn note_at(&self, name: &str, code: &'static str, message: impl Into<String>) {
        self.note(FieldError::at(self.at(name), code, message));
    }

    pub fn note(&self, error: FieldError) {
        self.errors.borrow_mut().push(error);
    }

    /// The JSON pointer of a member.
    pub fn at(&self, name: &str) -> String {
        format!(
            "{}/{}",
            self.pointer,
            name.replace('~', "~0").replace('/', "~1")
        )
    }

    pub fn text<T, E: Display>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Given<T> {
        self.given(name, |value| self.parsed(&self.at(name), value, &parse))
    }

    pub fn flag(&self, name: &str) -> Given<bool> {
        self.given(name, |value| {
            let found = value.as_bool();
            if found.is_none() {
                self.wrong_type(&self.at(name), "true or false", value);
            }
            found
        })
    }

    pub fn choice<T>(
        &self,
        name: &str,
        allowed: &[&str],
        named: impl Fn(&str) -> Option<T>,
    ) -> Given<T> {
        self.given(name, |value| {
            let Some(text) = value.as_str() else {
                self.wrong_type(&self.at(name), "a text", value);
                return None;
            };
            let found = named(text);
            if found.is_none() {
                let rule = one_of(allowed);
                self.note(
                    FieldError::at(self.at(name), "invalid-value", rule).allowing(allowed, text),
                );
            }
            found
        })
    }

    /// A positive integer that JSON carries exactly.
    pub fn id(&self, name: &str) -> Given<i64> {
        self.given(name, |value| self.id_of(&self.at(name), value))
    }

    /// `rule` says which numbers fit.
    pub fn number(&self, name: &str, rule: &str, fits: impl Fn(f64) -> bool) -> Given<f64> {
        self.given(name, |value| {
            let Some(number) = value.as_f64() else {
                self.wrong_type(&self.at(name), "a number", value);
                return None;
            };
            if !fits(number) {
                self.note_at(name, "invalid-value", rule);
                return None;
            }
            Some(number)
        })
    }

    pub fn objects<T>(
        &self,
        name: &str,
        most: usize,
        read: impl Fn(&Fields) -> Option<T>,
    ) -> Given<Vec<T>> {
        self.list(name, most, |pointer, value| {
            let Some(members) = value.as_object() else {
                self.wrong_type(pointer, "an object", value);
                return None;
            };
            read(&Fields {
                members,
                pointer: pointer.to_owned(),
                errors: self.errors,
            })
        })
    }

    pub fn texts<T, E: Display>(
        &self,
        name: &str,
        most: usize,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Given<Vec<T>> {
        self.list(name, most, |pointer, value| {
            self.parsed(pointer, value, &parse)
        })
    }

    pub fn ids(&self, name: &str, most: usize) -> Given<Vec<i64>> {
        self.list(name, most, |pointer, value| self.id_of(pointer, value))
    }

    pub fn object<T>(&self, name: &str, read: impl Fn(&Fields) -> T) -> Given<T> {
        self.given(name, |value| {
            let Some(members) = value.as_object() else {
                self.wrong_type(&self.at(name), "an object", value);
                return None;
            };
            Some(read(&Fields {
                members,
                pointer: self.at(name),
                errors: self.errors,
            }))
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &'a String> + use<'a> {
        self.members.keys()
    }

    pub fn required<T>(&self, name: &str, given: Given<T>) -> Option<T> {
        match given {
            Given::Value(value) => Some(value),
            Given::Wrong => None,
            Given::Absent | Given::Null => {
                self.note_at(name, "required", "is required");
                None
            }
        }
    }

    /// May be left out, but not be `null`.
    pub fn or_left_out<T>(&self, name: &str, given: Given<T>) -> Option<T> {
        match given {
            Given::Value(value) => Some(value),
            Given::Absent | Given::Wrong => None,
            Given::Null => {
                self.not_null(name);
                None
            }
        }
    }

    /// For a field that has no empty state.
    pub fn change<T>(&self, name: &str, given: Given<T>) -> Change<T> {
        self.or_left_out(name, given)
            .map_or(Change::Keep, Change::Set)
    }

    fn not_null(&self, name: &str) {
        self.note_at(name, "not-nullable", "must not be null");
    }

    fn given<T>(&self, name: &str, read: impl FnOnce(&Value) -> Option<T>) -> Given<T> {
        match self.members.get(name) {
            None => Given::Absent,
            Some(Value::Null) => Given::Null,
            Some(value) => read(value).map_or(Given::Wrong, Given::Value),
        }
    }

    fn list<T>(
        &self,
        name: &str,
        most: usize,
        read: impl Fn(&str, &Value) -> Option<T>,
    ) -> Given<Vec<T>> {
        self.given(name, |value| {
            let pointer = self.at(name);
            let Some(items) = value.as_array() else {
                self.wrong_type(&pointer, "a list", value);
                return None;
            };
            if items.len() > most {
                let rule = format!(
                    "must not hold more than {most} items, it holds {}",
                    items.len()
                );
                self.note(FieldError::at(pointer, "too-many", rule).with("max", most));
                return None;
            }
            let read: Vec<Option<T>> = items
                .iter()
                .enumerate()
                .map(|(n, item)| read(&format!("{pointer}/{n}"), item))
                .collect();
            read.into_iter().collect()
        })
    }

    fn parsed<T, E: Display>(
        &self,
        pointer: &str,
        value: &Value,
        parse: &impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        let Some(text) = value.as_str() else {
            self.wrong_type(pointer, "a text", value);
            return None;
        };
        match parse(text) {
            Ok(parsed) => Some(parsed),
            Err(rule) => {
                self.note(FieldError::at(pointer, "invalid-value", rule.to_string()));
                None
            }
        }
    }

    fn id_of(&self, pointer: &str, value: &Value) -> Option<i64> {
        let found = whole(value).filter(|id| (1..=domain::ids::LARGEST_ID).contains(id));
        if found.is_none() {
            self.wrong_type(pointer, "a positive integer up to 9007199254740991", value);
        }
        found
    }

    fn wrong_type(&self, pointer: &str, wanted: &str, value: &Value) {
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        };
        self.note(FieldError::at(
            pointer,
            "invalid-type",
            format!("must be {wanted}, it is {found}"),
        ));
    }
}

/// A day as RFC 3339 writes it (`full-date`); the error is the rule.
pub fn day(text: &str) -> Result<NaiveDate, &'static str> {
    // Longer texts that chrono reads as days are years beyond the fourth digit, or signs.
    let is_plain = text.len() == 10;
    let found = text.parse().ok().filter(|_| is_plain);
    found.ok_or("must be a day such as 2026-11-21")
}

/// A whole number, as JSON Schema has it: `8.0` is one.
pub fn whole(value: &Value) -> Option<i64> {
    /// Beyond this a number with a fraction part is not exact (2⁵³).
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within 2⁵³")]
    let of_float =
        |number: f64| (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64);
    value.as_i64().or_else(|| value.as_f64().and_then(of_float))
}

impl<T> Given<T> {
    pub fn clearable(self) -> Change<Option<T>> {
        match self {
            Self::Absent | Self::Wrong => Change::Keep,
            Self::Null => Change::Set(None),
            Self::Value(value) => Change::Set(Some(value)),
        }
    }

    pub fn resettable(self) -> Change<T>
    where
        T: Default,
    {
        match self.clearable() {
            Change::Keep => Change::Keep,
            Change::Set(value) => Change::Set(value.unwrap_or_default()),
        }
    }

    pub fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null | Self::Wrong => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read<T>(body: &Value, read: impl FnOnce(&Fields) -> Option<T>) -> Result<T, Vec<Value>> {
        let told = |problem: Problem| problem.errors.iter().map(FieldError::document).collect();
        read_body(body.as_object().unwrap(), read).map_err(told)
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once_with_its_place() {
        let body = json!({ "nam": "x", "tags": ["ok", 3], "favorite": "yes" });
        let errors = read(&body, |fields| {
            fields.only(&["name", "tags", "favorite"]);
            let _: Given<Vec<String>> =
                fields.texts("tags", 5, |it| Ok::<_, String>(it.to_owned()));
            let _ = fields.flag("favorite");
            let text = fields.text("name", |it| Ok::<_, String>(it.to_owned()));
            fields.required("name", text)
        })
        .unwrap_err();
        let places: Vec<&str> = errors
            .iter()
            .map(|it| it["pointer"].as_str().unwrap())
            .collect();
        assert_eq!(places, ["/nam", "/tags/1", "/favorite", "/name"]);
        assert_eq!(errors[0]["didYouMean"], "name");
    }

    #[test]
    fn null_clears_only_what_can_be_cleared() {
        let body = json!({ "a": null, "b": null });
        let errors = read(&body, |fields| {
            assert_eq!(fields.flag("a").clearable(), Change::Set(None));
            let given = fields.flag("b");
            fields.change("b", given);
            Some(())
        })
        .unwrap_err();
        assert_eq!(
            (errors.len(), &errors[0]["code"]),
            (1, &json!("not-nullable"))
        );
    }

    #[test]
    fn pointers_are_escaped() {
        let errors = read(&json!({ "a/b~c": 1 }), |fields| {
            fields.only(&[]);
            Some(())
        })
        .unwrap_err();
        assert_eq!(errors[0]["pointer"], "/a~1b~0c");
    }
}
