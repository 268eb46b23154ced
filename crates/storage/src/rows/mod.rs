pub mod accounts;
pub mod ai_answers;
pub mod ai_models;
pub mod audit;
pub mod console;
pub mod content_plans;
pub mod events;
pub mod idempotency;
pub mod jobs;
pub mod kept_pages;
pub mod keywords;
pub mod measurements;
pub mod members;
pub mod outbox;
pub mod packing;
pub mod project_overrides;
pub mod projects;
pub mod records;
mod report_settings;
pub mod research;
pub mod results;
pub mod schedules;
pub mod sessions;
pub mod stored;
pub mod tokens;

use domain::ports::storage::StorageError;
use serde::{Serialize, de::DeserializeOwned};

pub fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

pub fn counted<T: TryFrom<i64>>(number: i64, subject: &'static str) -> Result<T, StorageError> {
    T::try_from(number).map_err(|_| StorageError::Corrupt { subject })
}

/// Fails where the stored value is not a known one.
pub fn known<T>(value: Option<T>, subject: &'static str) -> Result<T, StorageError> {
    value.ok_or(StorageError::Corrupt { subject })
}

/// Fails where the stored value breaks its own rules.
pub fn validated<T, E>(value: Result<T, E>, subject: &'static str) -> Result<T, StorageError> {
    value.map_err(|_| StorageError::Corrupt { subject })
}

pub fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("rows have string keys and no failing serialisers")
}

pub fn from_json<T: DeserializeOwned>(
    text: &str,
    subject: &'static str,
) -> Result<T, StorageError> {
    validated(serde_json::from_str(text), subject)
}

/// The stored form of a list of labels: JSON with a label on each line, so that one label can be searched for exactly
/// (see [`tag_line`]).
pub fn tag_list(tags: impl Iterator<Item = impl AsRef<str>>) -> String {
    let tags: Vec<String> = tags.map(|it| it.as_ref().to_owned()).collect();
    serde_json::to_string_pretty(&tags).expect("a list of text is JSON")
}

/// What a list holds exactly when the label is in it: JSON strings have no line breaks, and unescaped quotes only at
/// their ends.
pub fn tag_line(tag: &str) -> String {
    format!("\n  {}", json(&tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_matches_only_as_a_whole() {
        let list = tag_list(["seo tools", "a\"b", ",", "žluť\\"].iter());
        for tag in ["seo tools", "a\"b", ",", "žluť\\"] {
            assert!(list.contains(&tag_line(tag)), "{tag}");
        }
        for tag in [
            "seo",
            "tools",
            "b",
            "a",
            "\",\n  \"",
            "",
            "žluť",
            "SEO tools",
        ] {
            assert!(!list.contains(&tag_line(tag)), "{tag}");
        }
    }
}
