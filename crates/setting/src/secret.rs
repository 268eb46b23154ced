use crate::Setting;
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// A credential, or a URL that may contain one. Prints as `(hidden)`.
#[derive(Debug, Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Shorter secrets occur in ordinary text and could not be redacted.
    const MIN_CHARS: usize = 6;

    pub fn new(text: String) -> Self {
        Self(text.into())
    }

    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.reveal() == other.reveal()
    }
}

impl Eq for Secret {}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("(hidden)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.trim().is_empty() {
            return Err(D::Error::custom(
                "is empty; leave it out when there is none",
            ));
        }
        if text.trim().chars().count() < Self::MIN_CHARS {
            return Err(D::Error::custom(
                "is shorter than 6 characters: it could not be kept out of what suppliers say",
            ));
        }
        Ok(Self::new(text))
    }
}

impl Setting for Secret {
    const IS_SECRET: bool = true;
}
