use super::stored::{Stored, row};
use super::{from_json, json, validated};
use crate::schema::{assignments, brands, ignored_suggestions, named_sites};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::assignment::{Assignment, AssignmentNote, AssignmentSubject, SubjectKind};
use domain::ids::{AccountId, ProjectId, UserId};
use domain::ports::storage::StorageError;
use domain::project_overrides::{
    BrandNames, IgnoredSuggestion, SiteAnnotation, SiteClass, SiteRole,
};
use domain::text::Label;

row! {
    struct NamedSiteRow(named_sites, key (account_id, project_id, domain))
        within (account_id: AccountId, project_id: ProjectId)
    {
        domain: String,
        role: SiteRole ["the role of a site"],
        class: Option<SiteClass> ["the class of a site"],
        named_at: DateTime<Utc>,
    }
    SiteAnnotation { domain, role, class, annotated_at: named_at }
}

row! {
    struct IgnoredSuggestionRow(ignored_suggestions, key (account_id, project_id, suggestion_id))
        within (account_id: AccountId, project_id: ProjectId)
    {
        suggestion_id: String,
        reason: Option<String>,
        ignored_at: DateTime<Utc>,
    }
    IgnoredSuggestion { id: suggestion_id, reason, ignored_at }
}

row! {
    struct AssignmentRow(assignments, key (account_id, project_id, subject_kind, subject_key))
        within (account_id: AccountId, project_id: ProjectId)
    {
        subject_kind: String = subject.kind.name().to_owned(),
        subject_key: String = subject.key.clone(),
        user_id: UserId,
        assigned_by: UserId,
        assigned_at: DateTime<Utc>,
        note: Option<AssignmentNote> ["the note of an assignment"],
    }
    Assignment { subject, member: user_id, assigned_by, assigned_at, note }
    where {
        subject = AssignmentSubject {
            kind: SubjectKind::read(subject_kind, "the subject of an assignment")?,
            key: subject_key,
        };
    }
}

row! {
    struct BrandRow(brands, key (account_id, project_id, domain))
        within (account_id: AccountId, project_id: ProjectId)
    {
        domain: String,
        names: String = json(&names.iter().map(Label::as_str).collect::<Vec<_>>()),
        is_word: Option<bool>,
    }
    BrandNames { domain, names, is_word }
    where { names = labels(&names)?; }
}

fn labels(text: &str) -> Result<Vec<Label>, StorageError> {
    let names: Vec<String> = from_json(text, "the names of a brand")?;
    let read = |it: &String| validated(Label::parse(it), "the name of a brand");
    names.iter().map(read).collect()
}
