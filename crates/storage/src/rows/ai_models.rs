use super::stored::row;
use crate::instant::At;
use crate::schema::{ai_engine_uses, ai_models};
use diesel::prelude::*;
use domain::ai_models::ModelSettings;
use domain::ids::AccountId;
use domain::market::{Country, Language};

row! {
    struct ModelRow(ai_models, key (account_id, engine)) within (account_id: AccountId) {
        engine: String,
        active: bool,
        samples: u32,
        prompts: u32,
        country: Option<Country> ["the country of a model"],
        language: Option<Language> ["the language of a model"],
        web_search: bool,
        weight: f64,
    }
    ModelSettings { engine, is_active: active, samples, prompts, country, language, web_search, weight }
}

#[derive(Insertable)]
#[diesel(table_name = ai_engine_uses, treat_none_as_default_value = false)]
pub struct UseRow {
    pub account_id: i64,
    pub engine: String,
    pub last_used_at: At,
}
