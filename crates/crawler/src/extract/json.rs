//! JSON parsing that keeps source positions and duplicate keys.

use analysis::observation::structured_data::INFINITE;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use std::{cell::Cell, fmt};

use super::dom::SourcePosition;

pub enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Json>),
    Object(Object),
}

pub struct Object {
    /// Index of its `{` in the text.
    pub number: usize,
    /// In source order.
    pub entries: Vec<(String, Json)>,
}

pub enum JsonError {
    TooDeep,
    TooLarge,
    /// Not JSON; `at` is a byte offset.
    Invalid {
        message: String,
        at: usize,
    },
}

impl Object {
    /// The last value of a key, as in other JSON parsers.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let entry = self.entries.iter().rev().find(|it| it.0 == key);
        entry.map(|it| &it.1)
    }
}

/// Parses JSON (RFC 8259) up to serde's 128 levels. Numbers out of range become the text [`INFINITE`], since browsers
/// read infinity. Each value is deducted from `room`.
pub fn read(text: &str, budget: &Cell<usize>) -> Result<Json, JsonError> {
    match parse(text, budget) {
        Err(JsonError::Invalid { message, .. }) if message == "number out of range" => {
            parse(&without_infinite_numbers(text), budget)
        }
        read => read,
    }
}

/// Replaces numbers out of range by [`INFINITE`], padded to keep byte offsets; no such number is shorter.
fn without_infinite_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    let mut rest = text;
    while let Some(it) = rest.chars().next() {
        let is_part = |it: char| it.is_ascii_digit() || matches!(it, '+' | '-' | '.' | 'e' | 'E');
        if !in_string && (it.is_ascii_digit() || it == '-') {
            let length = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
            let number = &rest[..length];
            if number.parse().is_ok_and(f64::is_infinite) {
                let quoted = format!("\"{INFINITE}\"");
                out.push_str(&quoted);
                out.extend(std::iter::repeat_n(
                    ' ',
                    length.saturating_sub(quoted.len()),
                ));
            } else {
                out.push_str(number);
            }
            rest = &rest[length..];
            continue;
        }
        match it {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ => {}
        }
        out.push(it);
        rest = &rest[it.len_utf8()..];
    }
    out
}

fn parse(text: &str, budget: &Cell<usize>) -> Result<Json, JsonError> {
    let objects = Cell::new(0);
    let mut reader = serde_json::Deserializer::from_str(text);
    let objects = &objects;
    let seed = Seed { objects, budget };
    let json = seed.deserialize(&mut reader);
    let json = json.and_then(|it| reader.end().map(|()| it));
    json.map_err(|error| {
        let full_message = error.to_string();
        let message = full_message
            .split(" at line ")
            .next()
            .unwrap_or(&full_message)
            .to_owned();
        if message == BUDGET_EXCEEDED {
            JsonError::TooLarge
        } else if message == "recursion limit exceeded" {
            JsonError::TooDeep
        } else {
            let at = offset(text, error.line(), error.column());
            JsonError::Invalid { message, at }
        }
    })
}

/// Byte offset of serde's line and column (in bytes, of the last byte read).
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let mut at = (before + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Position of a byte offset, given where the text begins.
pub fn position_at(text: &str, at: usize, begins: SourcePosition) -> SourcePosition {
    let mut place = begins;
    advance(&mut place, &text[..at]);
    place
}

/// Positions of all `{` outside strings of valid JSON.
pub fn object_positions(text: &str, begins: SourcePosition) -> Vec<SourcePosition> {
    let (mut all, mut place) = (Vec::new(), begins);
    let (mut in_string, mut escaped) = (false, false);
    for it in text.chars() {
        match it {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '{' if !in_string => all.push(place),
            _ => {}
        }
        step(&mut place, it);
    }
    all
}

fn advance(place: &mut SourcePosition, text: &str) {
    text.chars().for_each(|it| step(place, it));
}

fn step(place: &mut SourcePosition, character: char) {
    if character == '\n' {
        place.line += 1;
        place.column = 1;
    } else {
        place.column += 1;
    }
}

#[derive(Clone, Copy)]
struct Seed<'a> {
    objects: &'a Cell<usize>,
    budget: &'a Cell<usize>,
}

const BUDGET_EXCEEDED: &str = "too many values";

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Json, D::Error> {
        let budget = self.budget.get();
        self.budget.set(
            budget
                .checked_sub(1)
                .ok_or_else(|| D::Error::custom(BUDGET_EXCEEDED))?,
        );
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(Number::from_f64(value).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Json, E> {
        Ok(Json::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut all = Vec::new();
        while let Some(it) = from.next_element_seed(self)? {
            all.push(it);
        }
        Ok(Json::List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let number = self.objects.get();
        self.objects.set(number + 1);
        let mut entries = Vec::new();
        while let Some(key) = from.next_key()? {
            entries.push((key, from.next_value_seed(self)?));
        }
        Ok(Json::Object(Object { number, entries }))
    }
}
