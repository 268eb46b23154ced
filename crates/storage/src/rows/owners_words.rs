use super::{from_json, json, known, passed};
use crate::{
    instant::At,
    schema::{brands, ignored_suggestions, named_sites},
};
use diesel::prelude::*;
use domain::{
    ids::{AccountId, ProjectId},
    owners_words::{BrandNames, IgnoredSuggestion, NamedSite, SiteClass, SiteRole},
    ports::storage::StorageError,
    text::Label,
};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = named_sites,
    primary_key(account_id, project_id, domain),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub struct NamedSiteRow {
    pub account_id: i64,
    pub project_id: i64,
    pub domain: String,
    pub role: String,
    pub class: Option<String>,
    pub named_at: At,
}

impl NamedSiteRow {
    pub fn of(account: AccountId, project: ProjectId, site: &NamedSite) -> Self {
        Self {
            account_id: account.0,
            project_id: project.0,
            domain: site.domain.clone(),
            role: site.role.name().to_owned(),
            class: site.class.map(|it| it.name().to_owned()),
            named_at: At(site.named_at),
        }
    }
}

impl TryFrom<NamedSiteRow> for NamedSite {
    type Error = StorageError;

    fn try_from(row: NamedSiteRow) -> Result<Self, StorageError> {
        let class = |name: String| known(SiteClass::named(&name), "the class of a site");
        Ok(Self {
            domain: row.domain,
            role: known(SiteRole::named(&row.role), "the role of a site")?,
            class: row.class.map(class).transpose()?,
            named_at: row.named_at.0,
        })
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = ignored_suggestions,
    primary_key(account_id, project_id, suggestion_id),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub struct IgnoredSuggestionRow {
    pub account_id: i64,
    pub project_id: i64,
    pub suggestion_id: String,
    pub reason: Option<String>,
    pub ignored_at: At,
}

impl IgnoredSuggestionRow {
    pub fn of(account: AccountId, project: ProjectId, of: &IgnoredSuggestion) -> Self {
        Self {
            account_id: account.0,
            project_id: project.0,
            suggestion_id: of.id.clone(),
            reason: of.reason.clone(),
            ignored_at: At(of.ignored_at),
        }
    }
}

impl From<IgnoredSuggestionRow> for IgnoredSuggestion {
    fn from(row: IgnoredSuggestionRow) -> Self {
        Self {
            id: row.suggestion_id,
            reason: row.reason,
            ignored_at: row.ignored_at.0,
        }
    }
}

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = brands,
    primary_key(account_id, project_id, domain),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub struct BrandRow {
    pub account_id: i64,
    pub project_id: i64,
    pub domain: String,
    pub names: String,
    pub is_word: Option<bool>,
}

impl BrandRow {
    pub fn of(account: AccountId, project: ProjectId, brand: &BrandNames) -> Self {
        let names: Vec<&str> = brand.names.iter().map(Label::as_str).collect();
        Self {
            account_id: account.0,
            project_id: project.0,
            domain: brand.domain.clone(),
            names: json(&names),
            is_word: brand.is_word,
        }
    }
}

impl TryFrom<BrandRow> for BrandNames {
    type Error = StorageError;

    fn try_from(row: BrandRow) -> Result<Self, StorageError> {
        let names: Vec<String> = from_json(&row.names, "the names of a brand")?;
        let read = |it: &String| passed(Label::parse(it), "the name of a brand");
        Ok(Self {
            domain: row.domain,
            names: names.iter().map(read).collect::<Result<_, _>>()?,
            is_word: row.is_word,
        })
    }
}
