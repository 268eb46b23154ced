//! Readers and schemas of domain values.

use super::{FieldType, ParameterType, StringEnum, described};
use crate::contract::fields::{Fields, day};
use crate::contract::parameters::Query;
use analysis::observation::search_page::Device;
use chrono::{DateTime, NaiveDate, Utc};
use domain::email::EmailAddress;
use domain::ids::{AccountId, JobId, KeywordId, ProjectId, SearchId, UserId};
use domain::job::kind::AnalysisKind;
use domain::job::{JobPriority, JobStatus};
use domain::keyword::KeywordText;
use domain::market::{COUNTRIES, Country, LANGUAGES, Language};
use domain::password::TypedPassword;
use domain::project::{Priority, Status, WorkflowStatus, unique_in_order};
use domain::report_settings::Frequency;
use domain::text::Text;
use serde_json::{Value, json};
use std::{marker::PhantomData, ops::RangeInclusive};

/// Not blank, and no invisible characters (`domain::text::is_invisible`).
const PLAIN: &str = r"^[^\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]*[^\s\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff][^\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]*$";

fn plain(max_chars: usize) -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": max_chars, "pattern": PLAIN })
}

impl<const MAX: usize> FieldType for Text<MAX> {
    type Value = Self;

    fn of(fields: &Fields, pointer: &str, value: &Value) -> Option<Self> {
        fields.parsed(pointer, value, Self::parse)
    }

    fn schema() -> Value {
        plain(MAX)
    }
}

/// Implements `Member`: reader and schema of each type.
macro_rules! values {
    ($($kind:ty => $value:ty: $read:expr, $schema:expr;)+) => {
        $(impl $crate::contract::FieldType for $kind {
            type Value = $value;

            fn of(
                fields: &$crate::contract::fields::Fields,
                pointer: &str,
                value: &serde_json::Value,
            ) -> Option<$value> {
                let read: fn(&$crate::contract::fields::Fields, &str, &serde_json::Value) -> Option<$value> = $read;
                read(fields, pointer, value)
            }

            fn schema() -> serde_json::Value {
                $schema
            }
        })+
    };
}
pub(crate) use values;

/// The same for types parsed from a string.
macro_rules! parsed {
    ($($kind:ty => $value:ty: $parse:expr, $schema:expr;)+) => {
        $($crate::contract::values! {
            $kind => $value: |fields, at, value| fields.parsed(at, value, $parse), $schema;
        })+
    };
}
pub(crate) use parsed;

/// Implements `ParameterType`.
macro_rules! arguments {
    ($($kind:ty => $value:ty: $read:expr, $schema:expr;)+) => {
        $(impl $crate::contract::ParameterType for $kind {
            type Value = $value;

            fn of(query: &$crate::contract::parameters::Query, name: &str) -> Option<$value> {
                let read: fn(&$crate::contract::parameters::Query, &str) -> Option<$value> = $read;
                read(query, name)
            }

            fn schema() -> serde_json::Value {
                $schema
            }
        })+
    };
}
pub(crate) use arguments;

parsed! {
    KeywordText => Self: Self::parse, plain(Self::MAX_CHARACTERS);
    EmailAddress => Self: Self::parse, json!({ "type": "string", "format": "email", "maxLength": Self::MAX, "pattern": Self::PATTERN });
    Country => Self: Self::parse, code(COUNTRIES, "ISO 3166-1, in lower case.");
    Language => Self: Self::parse, code(LANGUAGES, "ISO 639-1, in lower case.");
    TypedPassword => Self: Self::parse, json!({ "type": "string", "maxLength": Self::MAX_CHARS });
    NaiveDate => Self: day, json!({ "type": "string", "format": "date" });
}

/// A positive integer that JSON carries exactly.
pub fn id() -> Value {
    json!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": domain::ids::LARGEST_ID })
}

fn code(codes: &str, description: &str) -> Value {
    let codes: Vec<&str> = codes.split(' ').collect();
    described(json!({ "type": "string", "enum": codes }), description)
}

impl<W: StringEnum> FieldType for W {
    type Value = Self;

    fn of(fields: &Fields, pointer: &str, value: &Value) -> Option<Self> {
        fields.word(pointer, value)
    }

    fn schema() -> Value {
        json!({ "type": "string", "enum": Self::words() })
    }
}

impl<W: StringEnum> ParameterType for W {
    type Value = Self;

    fn of(query: &Query, name: &str) -> Option<Self> {
        query.word(name)
    }

    fn schema() -> Value {
        <Self as FieldType>::schema()
    }

    fn allowed() -> Option<Vec<&'static str>> {
        Some(Self::words())
    }
}

/// Implements `Words` for types of `wire_enum!`.
macro_rules! string_enums {
    ($($kind:ty),+ $(,)?) => {
        $(impl $crate::contract::StringEnum for $kind {
            fn words() -> Vec<&'static str> {
                Self::NAMES.to_vec()
            }

            fn from_word(word: &str) -> Option<Self> {
                Self::named(word)
            }
        })+
    };
}
pub(crate) use string_enums;

string_enums!(
    AnalysisKind,
    Device,
    Frequency,
    JobPriority,
    JobStatus,
    Priority,
    Status,
    WorkflowStatus,
);

values! {
    bool => Self: |fields, at, value| fields.flag(at, value), json!({ "type": "boolean" });
    // Any string, any number.
    String => Self: |fields, at, value| fields.text(at, value).map(str::to_owned), json!({ "type": "string" });
    f64 => Self: |fields, at, value| fields.number(at, value, "", |_| true), json!({ "type": "number" });
}

/// Start of a period: date or time.
pub struct Time;

/// End of a period: date or time; a date includes the whole day.
pub struct End;

arguments! {
    EmailAddress => Self: |query, name| {
        let found = Self::parse(query.text(name)?);
        found.map_err(|rule| query.note_invalid(name, rule.to_string())).ok()
    }, <Self as FieldType>::schema();
    bool => Self: |query, name| query.flag(name), <Self as FieldType>::schema();
    NaiveDate => Self: |query, name| {
        let found = day(query.text(name)?);
        found.map_err(|rule| query.note_invalid(name, rule)).ok()
    }, <Self as FieldType>::schema();
    Time => DateTime<Utc>: |query, name| query.time(name), json!({ "type": "string", "anyOf": [{ "format": "date" }, { "format": "date-time" }] });
    End => DateTime<Utc>: |query, name| query.end(name), Time::schema();
}

macro_rules! ids {
    ($($kind:ident: $read:ident),+) => {
        values! { $($kind => Self: |fields, at, value| fields.id(at, value).map($kind), id();)+ }
        arguments! { $($kind => Self: |query, name| query.$read(name).map($kind), id();)+ }
    };
}

// Invalid project and job ids respond like unknown ones.
ids!(
    AccountId: id,
    JobId: id_or_nonexistent,
    KeywordId: id,
    ProjectId: id_or_nonexistent,
    SearchId: id,
    UserId: id
);

/// `MIN` is only for the schema; the reader reports fewer items.
pub struct List<M, const MIN: usize, const MAX: usize>(PhantomData<M>);

impl<M: FieldType, const MIN: usize, const MAX: usize> FieldType for List<M, MIN, MAX> {
    type Value = Vec<M::Value>;

    fn of(fields: &Fields, pointer: &str, value: &Value) -> Option<Self::Value> {
        fields.list::<M>(pointer, value, MAX)
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": M::schema(), "minItems": MIN, "maxItems": MAX })
    }
}

/// A list; duplicates are dropped.
pub struct UniqueList<M, const MAX: usize>(PhantomData<M>);

impl<M: FieldType<Value: PartialEq>, const MAX: usize> FieldType for UniqueList<M, MAX> {
    type Value = Vec<M::Value>;

    fn of(fields: &Fields, pointer: &str, value: &Value) -> Option<Self::Value> {
        fields.list::<M>(pointer, value, MAX).map(unique_in_order)
    }

    fn schema() -> Value {
        json!({ "type": "array", "items": M::schema(), "maxItems": MAX })
    }
}

/// Query text without control characters.
pub struct FreeText<const MAX: usize>;

impl<const MAX: usize> ParameterType for FreeText<MAX> {
    type Value = String;

    fn of(query: &Query, name: &str) -> Option<String> {
        query.free_text(name, MAX)
    }

    fn schema() -> Value {
        json!({ "type": "string", "maxLength": MAX, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*$" })
    }
}

pub struct Number<const MIN: u32, const MAX: u32>;

impl<const MIN: u32, const MAX: u32> ParameterType for Number<MIN, MAX> {
    type Value = u32;

    fn of(query: &Query, name: &str) -> Option<u32> {
        query.number(name, &(MIN..=MAX))
    }

    fn schema() -> Value {
        (MIN..=MAX).schema()
    }
}

/// Inclusive bounds of a number.
pub trait Bounds {
    type Number;

    fn read(&self, fields: &Fields, pointer: &str, value: &Value) -> Option<Self::Number>;
    fn schema(&self) -> Value;
}

impl Bounds for RangeInclusive<u32> {
    type Number = u32;

    fn read(&self, fields: &Fields, pointer: &str, value: &Value) -> Option<u32> {
        let (min, max) = (self.start(), self.end());
        let rule = format!("must be a whole number from {min} to {max}");
        let bounds = f64::from(*min)..=f64::from(*max);
        let fits = |it: f64| it.fract() == 0.0 && bounds.contains(&it);
        let number = fields.number(pointer, value, &rule, fits)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, and within bounds of the type"
        )]
        Some(number as u32)
    }

    fn schema(&self) -> Value {
        json!({ "type": "integer", "minimum": self.start(), "maximum": self.end() })
    }
}

impl Bounds for RangeInclusive<f64> {
    type Number = f64;

    fn read(&self, fields: &Fields, pointer: &str, value: &Value) -> Option<f64> {
        let rule = format!("must be a number from {} to {}", self.start(), self.end());
        fields.number(pointer, value, &rule, |it| self.contains(&it))
    }

    fn schema(&self) -> Value {
        json!({ "type": "number", "minimum": self.start(), "maximum": self.end() })
    }
}

/// Declares number types with their bounds.
macro_rules! bounded_numbers {
    ($($name:ident => $number:ty: $bounds:expr;)+) => {
        $(struct $name;

        $crate::contract::values! {
            $name => $number: |fields, at, value| $crate::contract::Bounds::read(&$bounds, fields, at, value),
                $crate::contract::Bounds::schema(&$bounds);
        })+
    };
}
pub(crate) use bounded_numbers;
