//! Notes that the processes of one server exchange through the storage.

use super::storage::StorageError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::{fmt, str::FromStr};

/// Subject of a note; each topic has at most one note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// The last backup that was taken; the note is empty.
    Backup,
    /// A supplier refuses the operator's account; the note is the code of the refusal
    /// ([`ProviderError::code`](super::search_results::ProviderError::code)).
    Refusal { provider: String, operation: String },
    /// A worker checked the clock before purging; the note is the time from which the clock is trusted, RFC 3339.
    Retention,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerNote {
    pub topic: Topic,
    pub note: String,
    pub noted_at: DateTime<Utc>,
}

/// Maximum number of notes read at once; there are fewer topics.
pub const MAX_NOTES: u32 = 100;

const BACKUP: &str = "backup";
const REFUSAL: &str = "refusal";
const RETENTION: &str = "retention";

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Backup => f.write_str(BACKUP),
            Self::Retention => f.write_str(RETENTION),
            Self::Refusal {
                provider,
                operation,
            } => write!(f, "{REFUSAL}:{provider}:{operation}"),
        }
    }
}

impl FromStr for Topic {
    type Err = ();

    /// Fails for topics of another version.
    fn from_str(text: &str) -> Result<Self, ()> {
        let parts: Vec<&str> = text.split(':').collect();
        match parts[..] {
            [BACKUP] => Ok(Self::Backup),
            [RETENTION] => Ok(Self::Retention),
            [REFUSAL, provider, operation] => Ok(Self::Refusal {
                provider: provider.to_owned(),
                operation: operation.to_owned(),
            }),
            _ => Err(()),
        }
    }
}

#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait ServerNoteRepository: Send {
    /// Writes a note, replacing the topic's earlier one.
    async fn put(&mut self, note: &ServerNote) -> Result<(), StorageError>;
    async fn remove(&mut self, topic: &Topic) -> Result<(), StorageError>;
    /// Notes on all topics that this version knows, at most [`MAX_NOTES`].
    async fn all(&mut self) -> Result<Vec<ServerNote>, StorageError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_survive_a_round_trip() {
        let refusal = Topic::Refusal {
            provider: "serper".to_owned(),
            operation: "searchPage".to_owned(),
        };
        for (topic, text) in [
            (Topic::Backup, "backup"),
            (Topic::Retention, "retention"),
            (refusal, "refusal:serper:searchPage"),
        ] {
            assert_eq!(topic.to_string(), text);
            assert_eq!(text.parse(), Ok(topic));
        }
        for unknown in ["", "restore", "refusal", "refusal:serper", "backup:daily"] {
            assert_eq!(unknown.parse::<Topic>(), Err(()), "{unknown}");
        }
    }
}
