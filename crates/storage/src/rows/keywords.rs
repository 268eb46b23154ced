use super::{count, counted, from_json, known, passed, tag_list};
use crate::{instant::At, schema::keywords};
use analysis::{
    findings::rankings::RankState, observation::search_page::Device, provenance::Provenance,
    search_intent::Intent,
};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::{
    ids::{AccountId, KeywordId, ProjectId},
    keyword::{Keyword, KeywordText, LatestRank},
    keyword_metrics::{Cpc, KeywordMetrics},
    market::{Country, Language, Market},
    ports::storage::StorageError,
    project::Status,
    text::Tag,
};
use serde::{Deserialize, Serialize};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = keywords, treat_none_as_default_value = false)]
pub struct KeywordRow {
    pub account_id: i64,
    pub id: i64,
    pub project_id: i64,
    pub text: String,
    pub normalized: String,
    pub country: String,
    pub language: String,
    pub device: String,
    pub location: String,
    pub ai_tracked: bool,
    pub status: String,
    pub target_url: Option<String>,
    pub tags: String,
    pub search_volume: Option<i64>,
    pub metrics: Option<String>,
    pub latest_position: Option<i64>,
    pub latest_url: Option<String>,
    pub latest_measured_at: Option<At>,
    pub latest_state: Option<String>,
    pub row_version: i64,
    pub created_at: At,
    pub updated_at: At,
    pub deactivated_at: Option<At>,
}

impl KeywordRow {
    /// Bytes of the texts whose lengths differ.
    pub fn bytes(&self) -> usize {
        let some = [&self.target_url, &self.metrics, &self.latest_url];
        let some = some.map(|it| it.as_ref().map_or(0, String::len));
        self.text.len() + self.tags.len() + some.iter().sum::<usize>()
    }
}

#[expect(clippy::struct_field_names, reason = "the names of the columns")]
pub struct LatestChange {
    pub latest_position: Option<i64>,
    pub latest_url: Option<String>,
    pub latest_measured_at: Option<At>,
    pub latest_state: Option<String>,
}

pub fn location(market: &Market) -> String {
    market
        .location
        .as_ref()
        .map_or_else(String::new, ToString::to_string)
}

pub fn tags(text: &str) -> Result<Vec<Tag>, StorageError> {
    let tags: Vec<String> = from_json(text, "tags")?;
    tags.iter()
        .map(|it| passed(Tag::parse(it), "tag"))
        .collect()
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetricsText {
    search_volume: Option<u32>,
    difficulty: Option<u8>,
    /// Millionths of the currency, and the currency.
    cpc: Option<(i64, String)>,
    intent: Option<Intent>,
    provider: String,
    provenance: Provenance,
    researched_at: DateTime<Utc>,
}

fn metrics_text(it: &KeywordMetrics) -> String {
    let text = MetricsText {
        search_volume: it.search_volume,
        difficulty: it.difficulty,
        cpc: { it.cpc.as_ref() }.map(|cpc| (cpc.micros, cpc.currency.clone())),
        intent: it.intent,
        provider: it.provider.clone(),
        provenance: it.provenance,
        researched_at: it.researched_at,
    };
    serde_json::to_string(&text).expect("numbers and text are JSON")
}

fn metrics(text: &str) -> Result<KeywordMetrics, StorageError> {
    let it: MetricsText = from_json(text, "keyword metrics")?;
    Ok(KeywordMetrics {
        search_volume: it.search_volume,
        difficulty: it.difficulty,
        cpc: it.cpc.map(|(micros, currency)| Cpc { micros, currency }),
        intent: it.intent,
        provider: it.provider,
        provenance: it.provenance,
        researched_at: it.researched_at,
    })
}

impl From<&LatestRank> for LatestChange {
    fn from(latest: &LatestRank) -> Self {
        Self {
            latest_position: latest.position.map(count),
            latest_url: latest.url.clone(),
            latest_measured_at: Some(latest.measured_at.into()),
            latest_state: Some(latest.state.name().to_owned()),
        }
    }
}

impl From<&Keyword> for KeywordRow {
    fn from(keyword: &Keyword) -> Self {
        let market = &keyword.market;
        let latest = keyword.latest.as_ref().map(LatestChange::from);
        let latest = latest.unwrap_or(LatestChange {
            latest_position: None,
            latest_url: None,
            latest_measured_at: None,
            latest_state: None,
        });
        Self {
            account_id: keyword.account.0,
            id: keyword.id.0,
            project_id: keyword.project.0,
            text: keyword.text.as_str().to_owned(),
            normalized: keyword.text.normalized().to_owned(),
            country: market.country.to_string(),
            language: market.language.to_string(),
            device: market.device.name().to_owned(),
            location: location(market),
            ai_tracked: keyword.ai_tracked,
            status: keyword.status.name().to_owned(),
            target_url: keyword.target_url.clone(),
            tags: tag_list(keyword.tags.iter().map(Tag::as_str)),
            search_volume: keyword.search_volume.map(count),
            metrics: keyword.metrics.as_ref().map(metrics_text),
            latest_position: latest.latest_position,
            latest_url: latest.latest_url,
            latest_measured_at: latest.latest_measured_at,
            latest_state: latest.latest_state,
            row_version: keyword.row_version,
            created_at: keyword.created_at.into(),
            updated_at: keyword.updated_at.into(),
            deactivated_at: keyword.deactivated_at.map(At),
        }
    }
}

impl TryFrom<KeywordRow> for Keyword {
    type Error = StorageError;

    fn try_from(row: KeywordRow) -> Result<Self, StorageError> {
        let number = |it: i64| counted(it, "search volume");
        Ok(Self {
            market: market(&row)?,
            latest: latest(&row)?,
            account: AccountId(row.account_id),
            id: KeywordId(row.id),
            project: ProjectId(row.project_id),
            text: passed(KeywordText::parse(&row.text), "keyword")?,
            ai_tracked: row.ai_tracked,
            status: known(Status::named(&row.status), "keyword status")?,
            target_url: row.target_url,
            tags: tags(&row.tags)?,
            search_volume: row.search_volume.map(number).transpose()?,
            metrics: { row.metrics.as_deref() }.map(metrics).transpose()?,
            row_version: row.row_version,
            created_at: row.created_at.into(),
            updated_at: row.updated_at.into(),
            deactivated_at: row.deactivated_at.map(Into::into),
        })
    }
}

fn market(row: &KeywordRow) -> Result<Market, StorageError> {
    let location = Some(row.location.as_str()).filter(|it| !it.is_empty());
    Ok(Market {
        country: passed(Country::parse(&row.country), "country")?,
        language: passed(Language::parse(&row.language), "language")?,
        device: known(Device::named(&row.device), "device")?,
        location: location
            .map(|it| passed(Market::location(it), "location"))
            .transpose()?,
    })
}

fn latest(row: &KeywordRow) -> Result<Option<LatestRank>, StorageError> {
    let (Some(at), Some(state)) = (row.latest_measured_at, &row.latest_state) else {
        return Ok(None);
    };
    let position = row.latest_position;
    Ok(Some(LatestRank {
        position: position.map(|it| counted(it, "position")).transpose()?,
        url: row.latest_url.clone(),
        measured_at: at.into(),
        state: known(RankState::named(state), "rank state")?,
    }))
}
