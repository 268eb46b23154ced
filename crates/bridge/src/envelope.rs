use serde::{Deserialize, Deserializer};
use serde_json::{Value, value::RawValue};

/// The outermost members of a message. A missing member is `None`; `null` is `Some`.
#[derive(Debug, Deserialize)]
pub(crate) struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    pub id: Option<&'a RawValue>,
    #[serde(default)]
    pub method: Option<String>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    pub error: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    /// `text` must begin with `{`: the derived code would also accept an array.
    pub(crate) fn read(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    pub(crate) fn id(&self) -> Option<Id> {
        self.id.and_then(|id| Id::read(id.get()))
    }
}

fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

#[derive(Debug, Clone)]
pub(crate) struct Id {
    text: String,
    key: String,
}

impl Id {
    /// `None` unless the JSON is a string or a number.
    pub(crate) fn read(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        (value.is_string() || value.is_number()).then(|| Self {
            text: json.trim().to_owned(),
            key: value.to_string(),
        })
    }

    /// JSON as received.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Equal for all spellings of the same id.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Id {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_is_a_string_or_number_in_any_spelling() {
        assert_eq!(Id::read("\"a\\u0062\""), Id::read("\"ab\""));
        assert_ne!(Id::read("\"1\""), Id::read("1"));
        assert_eq!(Id::read(" 7 ").unwrap().text(), "7");
        for no_id in ["null", "true", "[1]", "{}", "", "x"] {
            assert_eq!(Id::read(no_id), None, "{no_id}");
        }
    }

    #[test]
    fn null_member_is_some_and_missing_member_is_none() {
        let envelope = Envelope::read("{\"id\":null,\"result\":null}").unwrap();
        assert!(envelope.id.is_some() && envelope.result.is_some() && envelope.error.is_none());
        assert_eq!(envelope.id(), None);
    }
}
