//! Reads the members of a JSON body and collects all errors.

use crate::contract::{Body, FieldType, StringEnum};
use crate::problem::{FieldError, Problem, one_of};
use chrono::NaiveDate;
use domain::patch::Change;
use serde_json::{Map, Value};
use std::{cell::RefCell, fmt::Display, rc::Rc};

/// Nested objects share the list of errors.
#[derive(Clone)]
pub struct Fields<'a> {
    members: &'a Map<String, Value>,
    pointer: String,
    errors: Rc<RefCell<Vec<FieldError>>>,
}

/// The error of `Wrong` is already collected.
#[derive(Debug, Clone, PartialEq)]
pub enum Given<T> {
    Absent,
    Null,
    Invalid,
    Value(T),
}

/// Reads a body with `read`; fails if any error was collected, including unknown members.
pub fn read_body<'a, B: Body<'a>, T>(
    body: &'a Map<String, Value>,
    read: impl FnOnce(&B) -> Option<T>,
) -> Result<T, Problem> {
    read_fields(body, |fields| {
        fields.reject_unknown(B::names());
        read(&B::reading(fields.clone()))
    })
}

/// Reads a merge patch. Read-only members may be sent back as `shown`. `read` checks those in `aside`.
pub fn read_patch<'a, B: Body<'a>, T>(
    body: &'a Map<String, Value>,
    shown: &Value,
    aside: &[&str],
    read: impl FnOnce(&B) -> T,
) -> Result<T, Problem> {
    read_fields(body, |fields| {
        let shown = shown.as_object();
        let names = shown.into_iter().flat_map(Map::keys).map(String::as_str);
        let kept: Vec<&str> = names
            .filter(|it| !B::names().contains(it) && !aside.contains(it))
            .collect();
        fields.reject_unknown_except(B::names(), &[kept.as_slice(), aside].concat());
        for name in kept {
            let given = fields.raw(name);
            if given.is_some_and(|it| shown.and_then(|all| all.get(name)) != Some(it)) {
                let rule = "cannot be changed; leave it out";
                fields.note_at(name, "read-only-field", rule);
            }
        }
        Some(read(&B::reading(fields.clone())))
    })
}

fn read_fields<'a, T>(
    body: &'a Map<String, Value>,
    read: impl FnOnce(&Fields<'a>) -> Option<T>,
) -> Result<T, Problem> {
    let fields = Fields {
        members: body,
        pointer: String::new(),
        errors: Rc::default(),
    };
    let value = read(&fields);
    let errors = fields.errors.take();
    match value {
        Some(value) if errors.is_empty() => Ok(value),
        _ => Err(Problem::invalid(errors)),
    }
}

impl<'a> Fields<'a> {
    /// Adds an error for each unknown member.
    pub fn reject_unknown(&self, known: &[&str]) {
        self.reject_unknown_except(known, &[]);
    }

    /// `tolerated` members are accepted but not suggested.
    fn reject_unknown_except(&self, known: &[&str], tolerated: &[&str]) {
        let is_known = |name: &str| known.contains(&name) || tolerated.contains(&name);
        for name in self.members.keys().filter(|name| !is_known(name)) {
            let error = FieldError::in_body(
                self.at(name),
                "unknown-field",
                format!("there is no field `{name}`"),
            );
            let noted = self.error_count();
            self.note(error.with_allowed_if_shown(noted, known, name));
        }
    }

    pub fn raw(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name)
    }

    pub fn note_at(&self, name: &str, code: &'static str, message: impl Into<String>) {
        self.note(FieldError::in_body(self.at(name), code, message));
    }

    pub fn note(&self, error: FieldError) {
        self.errors.borrow_mut().push(error);
    }

    /// Number of errors so far.
    pub fn error_count(&self) -> usize {
        self.errors.borrow().len()
    }

    /// The JSON pointer of a member.
    pub fn at(&self, name: &str) -> String {
        format!(
            "{}/{}",
            self.pointer,
            name.replace('~', "~0").replace('/', "~1")
        )
    }

    pub fn nullable<M: FieldType>(&self, name: &str) -> Given<M::Value> {
        match self.members.get(name) {
            None => Given::Absent,
            Some(Value::Null) => Given::Null,
            Some(value) => M::of(self, &self.at(name), value).map_or(Given::Invalid, Given::Value),
        }
    }

    pub fn names(&self) -> impl Iterator<Item = &'a String> + use<'a> {
        self.members.keys()
    }

    pub fn required<M: FieldType>(&self, name: &str) -> Option<M::Value> {
        match self.nullable::<M>(name) {
            Given::Value(value) => Some(value),
            Given::Invalid => None,
            Given::Absent | Given::Null => {
                self.note_at(name, "required", "is required");
                None
            }
        }
    }

    /// May be absent, but not `null`.
    pub fn optional<M: FieldType>(&self, name: &str) -> Option<M::Value> {
        match self.nullable::<M>(name) {
            Given::Value(value) => Some(value),
            Given::Absent | Given::Invalid => None,
            Given::Null => {
                self.note_at(name, "not-nullable", "must not be null");
                None
            }
        }
    }

    /// For a member that cannot be null.
    pub fn change<M: FieldType>(&self, name: &str) -> Change<M::Value> {
        self.optional::<M>(name).map_or(Change::Keep, Change::Set)
    }

    pub fn parsed<T, E: Display>(
        &self,
        pointer: &str,
        value: &Value,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        match parse(self.text(pointer, value)?) {
            Ok(parsed) => Some(parsed),
            Err(rule) => {
                self.note(FieldError::in_body(
                    pointer,
                    "invalid-value",
                    rule.to_string(),
                ));
                None
            }
        }
    }

    pub fn text<'v>(&self, pointer: &str, value: &'v Value) -> Option<&'v str> {
        self.typed(pointer, "a text", value, value.as_str())
    }

    pub fn flag(&self, pointer: &str, value: &Value) -> Option<bool> {
        self.typed(pointer, "true or false", value, value.as_bool())
    }

    pub fn word<W: StringEnum>(&self, pointer: &str, value: &Value) -> Option<W> {
        let text = self.text(pointer, value)?;
        let found = W::from_word(text);
        if found.is_none() {
            let words = W::words();
            let error = FieldError::in_body(pointer, "invalid-value", one_of(&words));
            self.note(error.with_allowed(&words, text));
        }
        found
    }

    /// A positive integer that JSON carries exactly.
    pub fn id(&self, pointer: &str, value: &Value) -> Option<i64> {
        let found = whole_number(value).filter(|id| (1..=domain::ids::LARGEST_ID).contains(id));
        let wanted = "a positive integer up to 9007199254740991";
        self.typed(pointer, wanted, value, found)
    }

    /// `rule`: the error message.
    pub fn number(
        &self,
        pointer: &str,
        value: &Value,
        rule: &str,
        fits: impl Fn(f64) -> bool,
    ) -> Option<f64> {
        let number = self.typed(pointer, "a number", value, value.as_f64())?;
        if !fits(number) {
            self.note(FieldError::in_body(pointer, "invalid-value", rule));
            return None;
        }
        Some(number)
    }

    pub fn list<M: FieldType>(
        &self,
        pointer: &str,
        value: &Value,
        max: usize,
    ) -> Option<Vec<M::Value>> {
        let items = self.typed(pointer, "a list", value, value.as_array())?;
        if items.len() > max {
            let rule = format!(
                "must not hold more than {max} items, it holds {}",
                items.len()
            );
            self.note(FieldError::in_body(pointer, "too-many", rule).with("max", max));
            return None;
        }
        let read: Vec<Option<M::Value>> = items
            .iter()
            .enumerate()
            .map(|(n, item)| M::of(self, &format!("{pointer}/{n}"), item))
            .collect();
        read.into_iter().collect()
    }

    pub fn object<'v>(&self, pointer: &str, value: &'v Value) -> Option<Fields<'v>> {
        Some(Fields {
            members: self.typed(pointer, "an object", value, value.as_object())?,
            pointer: pointer.to_owned(),
            errors: Rc::clone(&self.errors),
        })
    }

    fn typed<T>(&self, pointer: &str, wanted: &str, value: &Value, found: Option<T>) -> Option<T> {
        if found.is_none() {
            let is = match value {
                Value::Null => "null",
                Value::Bool(_) => "true or false",
                Value::Number(_) => "a number",
                Value::String(_) => "a text",
                Value::Array(_) => "a list",
                Value::Object(_) => "an object",
            };
            let rule = format!("must be {wanted}, it is {is}");
            self.note(FieldError::in_body(pointer, "invalid-type", rule));
        }
        found
    }
}

/// RFC 3339 `full-date`; the error is the message.
pub fn day(text: &str) -> Result<NaiveDate, &'static str> {
    // chrono also parses signs and longer years.
    let is_plain = text.len() == 10;
    let found = text.parse().ok().filter(|_| is_plain);
    found.ok_or("must be a day such as 2026-11-21")
}

/// As in JSON Schema, `8.0` is an integer.
pub fn whole_number(value: &Value) -> Option<i64> {
    /// 2⁵³: larger floats do not represent every integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within 2⁵³")]
    let of_float =
        |number: f64| (number.fract() == 0.0 && number.abs() < EXACT).then_some(number as i64);
    value.as_i64().or_else(|| value.as_f64().and_then(of_float))
}

impl<T> Given<T> {
    pub fn clearable(self) -> Change<Option<T>> {
        match self {
            Self::Absent | Self::Invalid => Change::Keep,
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
            Self::Absent | Self::Null | Self::Invalid => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{List, body};
    use serde_json::json;

    body! {
        Something {
            tags: List<String, 0, 5> = optional "tags";
            favorite: bool = nullable "favorite";
            name: String = required "name";
        }
    }

    body! {
        Switches {
            a: bool = nullable "a";
            b: bool = change "b";
        }
    }

    fn read<'a, B: Body<'a>, T>(
        body: &'a Value,
        read: impl FnOnce(&B) -> Option<T>,
    ) -> Result<T, Vec<Value>> {
        let documents =
            |problem: Problem| problem.errors.iter().map(FieldError::document).collect();
        read_body(body.as_object().unwrap(), read).map_err(documents)
    }

    #[test]
    fn all_errors_are_reported_with_their_location() {
        let body = json!({ "nam": "x", "tags": ["ok", 3], "favorite": "yes" });
        let errors = read(&body, |it: &Something| {
            let _ = (it.tags(), it.favorite());
            it.name()
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
    fn null_clears_only_nullable_members() {
        let body = json!({ "a": null, "b": null });
        let errors = read(&body, |it: &Switches| {
            assert_eq!(it.a().clearable(), Change::Set(None));
            it.b();
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
        let body = json!({ "a/b~c": 1 });
        let errors = read(&body, |_: &Switches| Some(())).unwrap_err();
        assert_eq!(errors[0]["pointer"], "/a~1b~0c");
    }
}
