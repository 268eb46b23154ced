use super::stored::{Stored, row, stored};
use super::{count, from_json, tag_list, validated};
use crate::{instant::At, schema::keywords};
use analysis::{
    findings::rankings::RankState, observation::search_page::Device, provenance::Provenance,
    search_intent::Intent,
};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::ids::{AccountId, KeywordId, ProjectId};
use domain::keyword::{Keyword, KeywordText, LatestRank};
use domain::keyword_metrics::{Cpc, KeywordMetrics};
use domain::market::{Country, Language, Market};
use domain::ports::storage::StorageError;
use domain::project::Status;
use domain::text::Tag;
use serde::{Deserialize, Serialize};

row! {
    struct KeywordRow(keywords) {
        account_id: AccountId,
        id: KeywordId,
        project_id: ProjectId,
        text: KeywordText ["keyword"],
        normalized: String = text.normalized().to_owned(),
        country: Country,
        language: Language,
        device: Device,
        location: String = place.as_ref().map_or_else(String::new, ToString::to_string),
        ai_tracked: bool,
        status: Status ["keyword status"],
        target_url: Option<String>,
        tags: Vec<Tag>,
        search_volume: Option<u32> ["search volume"],
        metrics: Option<KeywordMetrics> ["keyword metrics"],
        latest_position: Option<u32> = latest.as_ref().and_then(|it| it.position.column()),
        latest_url: Option<String> = latest.as_ref().and_then(|it| it.url.clone()),
        latest_measured_at: Option<DateTime<Utc>> = latest.as_ref().map(|it| At(it.measured_at)),
        latest_state: Option<RankState> = latest.as_ref().map(|it| it.state.column()),
        row_version: i64,
        created_at: DateTime<Utc>,
        updated_at: DateTime<Utc>,
        deactivated_at: Option<DateTime<Utc>>,
    }
    Keyword {
        account: account_id, id, project: project_id, text,
        market: Market { country, language, device, location: place },
        ai_tracked, status, target_url, tags, search_volume, metrics, latest, row_version, created_at, updated_at,
        deactivated_at,
    }
    where {
        place = (!location.is_empty()).then(|| validated(Market::location(&location), "location")).transpose()?;
        latest = latest_of(latest_position, latest_url, latest_measured_at, latest_state)?;
    }
}

impl KeywordRow {
    /// Bytes of the texts of variable length.
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
        .map(|it| validated(Tag::parse(it), "tag"))
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

stored! {
    KeywordText, String: |it| it.as_str().to_owned(), |it, subject| validated(Self::parse(&it), subject);
    Vec<Tag>, String: |it| tag_list(it.iter().map(Tag::as_str)), |it, _subject| tags(&it);
    KeywordMetrics, String: |it| metrics_text(it), |it, _subject| metrics(&it);
}

fn latest_of(
    position: Option<i64>,
    url: Option<String>,
    measured_at: Option<At>,
    state: Option<String>,
) -> Result<Option<LatestRank>, StorageError> {
    let (Some(at), Some(state)) = (measured_at, state) else {
        return Ok(None);
    };
    Ok(Some(LatestRank {
        position: Stored::read(position, "position")?,
        url,
        measured_at: at.into(),
        state: Stored::read(state, "rank state")?,
    }))
}
