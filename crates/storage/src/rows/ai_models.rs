use super::{count, counted, passed};
use crate::{
    instant::At,
    schema::{ai_engine_uses, ai_models},
};
use diesel::prelude::*;
use domain::{
    ai_models::ModelSettings,
    ids::AccountId,
    market::{Country, Language},
    ports::storage::StorageError,
};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = ai_models,
    primary_key(account_id, engine),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub struct ModelRow {
    pub account_id: i64,
    pub engine: String,
    pub active: bool,
    pub samples: i64,
    pub prompts: i64,
    pub country: Option<String>,
    pub language: Option<String>,
    pub web_search: bool,
    pub weight: f64,
}

impl ModelRow {
    pub fn of(account: AccountId, settings: &ModelSettings) -> Self {
        Self {
            account_id: account.0,
            engine: settings.engine.clone(),
            active: settings.is_active,
            samples: count(settings.samples),
            prompts: count(settings.prompts),
            country: settings.country.as_ref().map(ToString::to_string),
            language: settings.language.as_ref().map(ToString::to_string),
            web_search: settings.web_search,
            weight: settings.weight,
        }
    }
}

impl TryFrom<ModelRow> for ModelSettings {
    type Error = StorageError;

    fn try_from(row: ModelRow) -> Result<Self, StorageError> {
        let country = |code: String| passed(Country::parse(&code), "the country of a model");
        let language = |code: String| passed(Language::parse(&code), "the language of a model");
        Ok(Self {
            engine: row.engine,
            is_active: row.active,
            samples: counted(row.samples, "samples")?,
            prompts: counted(row.prompts, "prompts")?,
            country: row.country.map(country).transpose()?,
            language: row.language.map(language).transpose()?,
            web_search: row.web_search,
            weight: row.weight,
        })
    }
}

#[derive(Insertable)]
#[diesel(table_name = ai_engine_uses, treat_none_as_default_value = false)]
pub struct UseRow {
    pub account_id: i64,
    pub engine: String,
    pub last_used_at: At,
}
