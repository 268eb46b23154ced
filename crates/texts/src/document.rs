//! A published document: JSON text that is stored and served unchanged.

use serde_json::value::RawValue;

pub trait ToJson {
    /// Never panics: implementors have string keys and infallible serializers.
    fn to_json(&self) -> String;
}

pub trait FromJson: Sized {
    fn from_json(text: &[u8]) -> Result<Self, serde_json::Error>;
}

/// Implements [`ToJson`], [`FromJson`] or both in the crate of the type, so that serde's code is compiled once.
#[macro_export]
macro_rules! json {
    (write: $($type:ty),+) => {
        $(impl $crate::document::ToJson for $type {
            fn to_json(&self) -> String {
                serde_json::to_string(self).expect("it serialises to JSON")
            }
        })+
    };
    (read: $($type:ty),+) => {
        $(impl $crate::document::FromJson for $type {
            fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
                serde_json::from_slice(text)
            }
        })+
    };
    ($($type:ty),+) => {
        $crate::json!(write: $($type),+);
        $crate::json!(read: $($type),+);
    };
}

json!(String, serde_json::Value);

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self) -> String {
        let items: Vec<String> = self.iter().map(T::to_json).collect();
        format!("[{}]", items.join(","))
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(text: &[u8]) -> Result<Self, serde_json::Error> {
        let items: Vec<&RawValue> = serde_json::from_slice(text)?;
        items
            .into_iter()
            .map(|it| T::from_json(it.get().as_bytes()))
            .collect()
    }
}

/// A finding or summary as JSON text, serialized once, when it is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document(String);

impl Document {
    pub fn of(finding: &impl ToJson) -> Self {
        Self(finding.to_json())
    }

    /// `text` must come from [`Document::of`].
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }

    pub fn parse<T: FromJson>(&self) -> Result<T, serde_json::Error> {
        T::from_json(self.0.as_bytes())
    }
}
