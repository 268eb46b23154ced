use super::{from_json, json, stored::row, validated};
use crate::schema::{brands, ignored_suggestions, named_sites};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::ids::{AccountId, ProjectId};
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
