//! Who takes care of an issue or a suggestion of a project.

use crate::ids::UserId;
use crate::text::Text;
use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    pub subject: AssignmentSubject,
    /// A member of the account; also one who has left since.
    pub member: UserId,
    pub assigned_by: UserId,
    pub assigned_at: DateTime<Utc>,
    pub note: Option<AssignmentNote>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssignmentSubject {
    pub kind: SubjectKind,
    /// Of an issue, its code in the catalogue; of a suggestion, its `suggestionId`.
    pub key: String,
}

/// A note for the member: one line.
pub type AssignmentNote = Text<500>;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum SubjectKind {
        /// Everything of that kind that the site audit finds on the project's pages.
        Issue = "issue",
        Suggestion = "suggestion",
    }
}

impl AssignmentSubject {
    pub fn suggestion(id: &str) -> Self {
        let (kind, key) = (SubjectKind::Suggestion, id.to_owned());
        Self { kind, key }
    }

    pub fn issue(code: &str) -> Self {
        let (kind, key) = (SubjectKind::Issue, code.to_owned());
        Self { kind, key }
    }
}
