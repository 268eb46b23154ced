//! The public contract: bodies and query parameters are declared once. Readers, schemas, names and tool arguments
//! derive from the declaration.

pub mod fields;
mod members;
pub mod parameters;
mod schemas;
mod values;

pub use members::members;
pub use schemas::all as schemas;
#[cfg(feature = "schemas")]
pub(crate) use schemas::{DERIVED_SCHEMAS, add, add_all};
pub use values::{Bounds, End, FreeText, List, Number, Time, UniqueList, id};
pub(crate) use values::{arguments, bounded_numbers, parsed, string_enums, values};

use fields::Fields;
use parameters::Query;
use serde_json::{Value, json};

/// Type of a body member.
pub trait FieldType {
    type Value;

    /// `None` if invalid; the error is collected.
    fn of(fields: &Fields, pointer: &str, value: &Value) -> Option<Self::Value>;

    /// `of` may reject more than the schema.
    fn schema() -> Value;
}

/// Type of a query parameter.
pub trait ParameterType {
    type Value;

    /// `None` if absent, or invalid with the error collected.
    fn of(query: &Query, name: &str) -> Option<Self::Value>;

    fn schema() -> Value;

    /// All accepted values if they are few, shown when a required parameter is missing.
    fn allowed() -> Option<Vec<&'static str>> {
        None
    }
}

/// A closed set of words, usually a domain enumeration (`string_enums!`).
pub trait StringEnum: Sized {
    fn words() -> Vec<&'static str>;
    fn from_word(word: &str) -> Option<Self>;
}

/// Implemented by `body!`.
pub trait Body<'a> {
    fn reading(fields: Fields<'a>) -> Self;
    fn fields(&self) -> &Fields<'a>;
    fn names() -> &'static [&'static str];
    fn required() -> Vec<&'static str>;
    fn properties() -> Vec<(&'static str, Value)>;
}

/// Declares the members of a body. Each becomes a method that reads the member and collects its errors. Call all of
/// them before checking for missing values, so that all errors are reported at once.
///
/// - `required`, `optional` (may be absent, but not null), `change` (the same, in a merge patch)
/// - `nullable`: the reader decides between a value and a change
/// - `or`: message for an empty list
/// - `with`: members of another body; `like`: example for OpenAPI
macro_rules! body {
    (
        $(#[$about:meta])*
        $vis:vis $name:ident $(with $more:ident: $group:ident)? $(like $example:tt)? {
            $($member:ident: $kind:ty = $mode:ident $wire:literal $(or $few:literal)? $(, $note:expr)?;)*
        }
    ) => {
        $(#[$about])*
        $vis struct $name<'a>($crate::contract::fields::Fields<'a>);

        #[allow(mismatched_lifetime_syntaxes, reason = "members name their types without a lifetime")]
        impl<'a> $name<'a> {
            $(fn $member(&self) -> $crate::contract::body!(@read $mode $kind) {
                let read = self.0.$mode::<$kind>($wire);
                $(if read.as_ref().is_some_and(Vec::is_empty) {
                    self.0.note_at($wire, "too-few", $few);
                })?
                read
            })*
            $(fn $more(&self) -> $group<'a> {
                $crate::contract::Body::reading(self.0.clone())
            })?
            $(pub(crate) fn schema() -> serde_json::Value {
                $crate::contract::schema_of::<Self>(&serde_json::json!($example))
            })?
        }

        impl<'a> $crate::contract::Body<'a> for $name<'a> {
            fn reading(fields: $crate::contract::fields::Fields<'a>) -> Self {
                Self(fields)
            }

            fn fields(&self) -> &$crate::contract::fields::Fields<'a> {
                &self.0
            }

            fn names() -> &'static [&'static str] {
                static NAMES: std::sync::LazyLock<Vec<&str>> = std::sync::LazyLock::new(|| {
                    let own: &[&str] = &[$($wire),*];
                    [own, $(<$group as $crate::contract::Body>::names())?].concat()
                });
                &NAMES
            }

            fn required() -> Vec<&'static str> {
                let all: &[(&str, &str)] = &[$((stringify!($mode), $wire)),*];
                all.iter().filter(|(mode, _)| *mode == "required").map(|(_, name)| *name).collect()
            }

            fn properties() -> Vec<(&'static str, serde_json::Value)> {
                let own = vec![$({
                    let schema = $crate::contract::body!(@schema $mode $kind);
                    $(let schema = $crate::contract::described(schema, $note);)?
                    ($wire, schema)
                }),*];
                [own, $(<$group as $crate::contract::Body>::properties())?].concat()
            }
        }
    };
    (@read required $kind:ty) => { Option<<$kind as $crate::contract::FieldType>::Value> };
    (@read optional $kind:ty) => { Option<<$kind as $crate::contract::FieldType>::Value> };
    (@read change $kind:ty) => { domain::patch::Change<<$kind as $crate::contract::FieldType>::Value> };
    (@read $mode:ident $kind:ty) => { $crate::contract::fields::Given<<$kind as $crate::contract::FieldType>::Value> };
    (@schema nullable $kind:ty) => {
        $crate::contract::or_null(<$kind as $crate::contract::FieldType>::schema())
    };
    (@schema $mode:ident $kind:ty) => { <$kind as $crate::contract::FieldType>::schema() };
}

pub(crate) use body;

/// Makes a body a member of others. The function converts it and may return `None`.
macro_rules! nested_body {
    ($name:ident => $value:ty: $read:path) => {
        impl $crate::contract::FieldType for $name<'_> {
            type Value = $value;

            fn of(
                fields: &$crate::contract::fields::Fields,
                pointer: &str,
                value: &serde_json::Value,
            ) -> Option<$value> {
                let members = fields.object(pointer, value)?;
                members.reject_unknown(<$name as $crate::contract::Body>::names());
                $read(&$crate::contract::Body::reading(members)).into()
            }

            fn schema() -> serde_json::Value {
                $crate::contract::nested::<$name>()
            }
        }
    };
}

pub(crate) use nested_body;

/// Declares query parameters. Each becomes a method that reads the parameter and collects its errors. `..` adds
/// parameters that are read elsewhere.
macro_rules! query {
    ($(#[$about:meta])* $vis:vis $name:ident { $($all:tt)* }) => {
        $(#[$about])*
        $vis struct $name<'a>(&'a $crate::contract::parameters::Query);

        impl $name<'_> {
            $crate::contract::query!(@read $($all)*);

            pub(crate) fn parameters() -> Vec<$crate::contract::Parameter> {
                let mut parameters = vec![];
                $crate::contract::query!(@list parameters $($all)*);
                parameters
            }
        }
    };
    (@read ..$more:expr; $($rest:tt)*) => { $crate::contract::query!(@read $($rest)*); };
    (@read $member:ident: $kind:ty = $mode:ident $wire:literal, $note:expr; $($rest:tt)*) => {
        fn $member(&self) -> Option<<$kind as $crate::contract::ParameterType>::Value> {
            self.0.$mode::<$kind>($wire)
        }
        $crate::contract::query!(@read $($rest)*);
    };
    (@list $list:ident ..$more:expr; $($rest:tt)*) => {
        $list.extend($more);
        $crate::contract::query!(@list $list $($rest)*);
    };
    (@list $list:ident $member:ident: $kind:ty = $mode:ident $wire:literal, $note:expr; $($rest:tt)*) => {
        let is_required = stringify!($mode) == "required";
        $list.push($crate::contract::parameter::<$kind>($wire, is_required, $note));
        $crate::contract::query!(@list $list $($rest)*);
    };
    (@read) => {};
    (@list $list:ident) => {};
}

pub(crate) use query;

pub struct Parameter {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
    pub schema: Value,
}

pub fn parameter<A: ParameterType>(
    name: &'static str,
    required: bool,
    description: &'static str,
) -> Parameter {
    Parameter {
        name,
        description,
        required,
        schema: A::schema(),
    }
}

/// Schema of a whole body.
pub fn schema_of<'a, B: Body<'a>>(example: &Value) -> Value {
    json!({ "type": "object", "additionalProperties": false, "required": B::required(), "properties": properties::<B>(), "examples": [example] })
}

/// Schema of a nested body.
pub fn nested<'a, B: Body<'a>>() -> Value {
    let mut schema = json!({ "type": "object", "additionalProperties": false });
    if !B::required().is_empty() {
        schema["required"] = B::required().into();
    }
    schema["properties"] = properties::<B>();
    schema
}

fn properties<'a, B: Body<'a>>() -> Value {
    let all = B::properties().into_iter();
    Value::Object(all.map(|(name, it)| (name.to_owned(), it)).collect())
}

pub fn or_null(mut schema: Value) -> Value {
    if let Some(kind) = schema.get("type").cloned() {
        schema["type"] = json!([kind, "null"]);
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    }
    schema
}

/// Inserts the description before `properties`.
pub fn described(mut schema: Value, description: &str) -> Value {
    if let Some(members) = schema.as_object_mut() {
        let properties = members.shift_remove("properties");
        members.insert("description".into(), description.into());
        members.extend(properties.map(|it| ("properties".to_owned(), it)));
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::fields::read_body;
    use super::*;
    use crate::agent_api::{analyses, keywords, projects};
    use crate::problem::FieldError;
    use serde_json::Map;

    type Names = fn(&'static Map<String, Value>) -> Vec<String>;

    fn unknown<'a, B: Body<'a>>(body: &'a Map<String, Value>) -> Vec<String> {
        let problem = read_body(body, |_: &B| Some(())).unwrap_err();
        let places = problem.errors.iter().map(FieldError::document);
        let unknown = places.filter(|it| it["code"] == "unknown-field");
        unknown.map(|it| it["pointer"].to_string()).collect()
    }

    #[test]
    fn schemas_name_exactly_what_is_read() {
        let bodies: [(Value, Names); 5] = [
            (
                projects::CreateProject::schema(),
                unknown::<projects::CreateProject>,
            ),
            (
                projects::ChangeProject::schema(),
                unknown::<projects::ChangeProject>,
            ),
            (
                keywords::AddKeywords::schema(),
                unknown::<keywords::AddKeywords>,
            ),
            (
                keywords::ChangeKeyword::schema(),
                unknown::<keywords::ChangeKeyword>,
            ),
            (analyses::start_schema(), unknown::<analyses::StartAnalysis>),
        ];
        for (schema, unknown) in bodies {
            let mut body = schema["properties"].as_object().unwrap().clone();
            assert!(!body.is_empty());
            body.insert("notAMember".to_owned(), Value::Null);
            assert_eq!(unknown(Box::leak(Box::new(body))), ["\"/notAMember\""]);
        }
    }
}
