//! Keyword research as rows. Results of suppliers are JSON, packed by LZ4.

use super::packing::{pack_json, unpack_json};
use super::stored::row;
use super::{count, counted, known, validated};
use crate::instant::At;
use crate::schema::{keyword_markets, keyword_reservations, keyword_searches};
use analysis::provenance::Provenance;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use domain::ids::{AccountId, FlightId, SearchId, UserId};
use domain::keyword::KeywordText;
use domain::keyword_research::{
    KeptResearch, ResearchSubject, Reservation, Search, SearchSummary, SubjectKey,
};
use domain::market::{Country, Language};
use domain::money::MicroUsd;
use domain::ports::spending::month_of;
use domain::ports::storage::StorageError;

const SUBJECT: &str = "keyword research";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = keyword_markets)]
pub struct MarketRow {
    market_key: Vec<u8>,
    expires_at: At,
    bought_at: At,
    keyword: String,
    country: String,
    language: String,
    body: Vec<u8>,
}

row! {
    struct ReservationRow(keyword_reservations) {
        account_id: AccountId,
        flight_id: FlightId,
        month: NaiveDate = month_of(*day),
        day: NaiveDate,
        most: MicroUsd,
        until: DateTime<Utc>,
    }
    Reservation { account: account_id, flight: flight_id, day, max_cost: most, until }
}

row! {
    struct SearchRow(keyword_searches) {
        account_id: AccountId,
        id: SearchId,
        user_id: UserId,
        market_key: [u8; 32] ["keyword research"],
        bought_at: DateTime<Utc>,
        searched_at: DateTime<Utc>,
        expires_at: DateTime<Utc>,
        keyword: KeywordText ["keyword research"],
        country: Country ["keyword research"],
        language: Language ["keyword research"],
        provider: String = found.provider.clone(),
        provenance: String = found.provenance.name().to_owned(),
        search_volume: Option<i64> = found.figures.search_volume.map(count),
        ideas: i64 = count(found.ideas.len()),
        body: Vec<u8> = pack_json(found),
    }
    Search {
        account: account_id,
        user: user_id,
        id,
        subject: ResearchSubject { keyword, country, language },
        key: SubjectKey(market_key),
        searched_at,
        kept: KeptResearch { found, bought_at, expires_at },
    }
    where { found = unpack_json(&body, SUBJECT)?; }
}

/// A search without its results: lists read many.
#[derive(Queryable, Selectable)]
#[diesel(table_name = keyword_searches)]
pub struct SearchLineRow {
    pub id: i64,
    pub searched_at: At,
    bought_at: At,
    expires_at: At,
    keyword: String,
    country: String,
    language: String,
    provider: String,
    provenance: String,
    search_volume: Option<i64>,
    ideas: i64,
}

impl MarketRow {
    pub fn new(key: SubjectKey, subject: &ResearchSubject, kept: &KeptResearch) -> Self {
        Self {
            market_key: key.0.to_vec(),
            expires_at: kept.expires_at.into(),
            bought_at: kept.bought_at.into(),
            keyword: subject.keyword.normalized().to_owned(),
            country: subject.country.to_string(),
            language: subject.language.to_string(),
            body: pack_json(&kept.found),
        }
    }
}

impl TryFrom<MarketRow> for KeptResearch {
    type Error = StorageError;

    fn try_from(row: MarketRow) -> Result<Self, StorageError> {
        Ok(Self {
            found: unpack_json(&row.body, SUBJECT)?,
            bought_at: row.bought_at.into(),
            expires_at: row.expires_at.into(),
        })
    }
}

impl TryFrom<SearchLineRow> for SearchSummary {
    type Error = StorageError;

    fn try_from(row: SearchLineRow) -> Result<Self, StorageError> {
        Ok(Self {
            id: SearchId(row.id),
            subject: subject(&row.keyword, &row.country, &row.language)?,
            provenance: known(provenance(&row.provenance), SUBJECT)?,
            provider: row.provider,
            search_volume: { row.search_volume }
                .map(|it| counted(it, SUBJECT))
                .transpose()?,
            ideas: counted(row.ideas, SUBJECT)?,
            searched_at: row.searched_at.into(),
            bought_at: row.bought_at.into(),
            expires_at: row.expires_at.into(),
        })
    }
}

fn subject(keyword: &str, country: &str, language: &str) -> Result<ResearchSubject, StorageError> {
    Ok(ResearchSubject {
        keyword: validated(KeywordText::parse(keyword), SUBJECT)?,
        country: validated(Country::parse(country), SUBJECT)?,
        language: validated(Language::parse(language), SUBJECT)?,
    })
}

fn provenance(name: &str) -> Option<Provenance> {
    [
        Provenance::Measured,
        Provenance::Imported,
        Provenance::Estimated,
        Provenance::Simulated,
    ]
    .into_iter()
    .find(|it| it.name() == name)
}
