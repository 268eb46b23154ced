//! A published document: JSON text that is stored and served as it is.

use serde::Serialize;

/// One finding or summary as JSON text.
///
/// Findings are serialised once, when they are computed; storing and serving them copies text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document(String);

impl Document {
    /// Serialises a finding.
    ///
    /// # Panics
    /// Never for the types of this crate: they have string keys and no failing serialisers.
    #[must_use]
    pub fn of(finding: &impl Serialize) -> Self {
        Self(serde_json::to_string(finding).expect("findings serialise to JSON"))
    }

    /// Takes text that [`Document::of`] once wrote.
    #[must_use]
    pub fn from_stored(text: String) -> Self {
        Self(text)
    }

    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The JSON text, owned.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }

    /// Reads the document back.
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }
}
