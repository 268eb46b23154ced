//! Keyword research as rows. What a supplier told is JSON, packed by LZ4.

use super::{
    count, counted, known,
    packing::{pack_json, unpack_json},
    passed,
};
use crate::{
    instant::At,
    schema::{keyword_markets, keyword_reservations, keyword_searches},
};
use analysis::provenance::Provenance;
use chrono::NaiveDate;
use diesel::prelude::*;
use domain::{
    ids::{AccountId, FlightId, SearchId, UserId},
    keyword::KeywordText,
    keyword_research::{
        KeptResearch, ResearchSubject, Reservation, Search, SearchLine, SubjectKey,
    },
    market::{Country, Language},
    money::MicroUsd,
    ports::{spending::month_of, storage::StorageError},
};

const WHAT: &str = "keyword research";

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

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = keyword_reservations)]
pub struct ReservationRow {
    account_id: i64,
    flight_id: i64,
    month: NaiveDate,
    day: NaiveDate,
    most: i64,
    until: At,
}

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = keyword_searches, treat_none_as_default_value = false)]
pub struct SearchRow {
    account_id: i64,
    id: i64,
    user_id: i64,
    market_key: Vec<u8>,
    bought_at: At,
    searched_at: At,
    expires_at: At,
    keyword: String,
    country: String,
    language: String,
    provider: String,
    provenance: String,
    search_volume: Option<i64>,
    ideas: i64,
    body: Vec<u8>,
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
            found: unpack_json(&row.body, WHAT)?,
            bought_at: row.bought_at.into(),
            expires_at: row.expires_at.into(),
        })
    }
}

impl From<&Reservation> for ReservationRow {
    fn from(it: &Reservation) -> Self {
        Self {
            account_id: it.account.0,
            flight_id: it.flight.0,
            month: month_of(it.day),
            day: it.day,
            most: it.most.0,
            until: it.until.into(),
        }
    }
}

impl From<ReservationRow> for Reservation {
    fn from(row: ReservationRow) -> Self {
        Self {
            account: AccountId(row.account_id),
            flight: FlightId(row.flight_id),
            day: row.day,
            most: MicroUsd(row.most),
            until: row.until.into(),
        }
    }
}

impl From<&Search> for SearchRow {
    fn from(search: &Search) -> Self {
        let (subject, kept) = (&search.subject, &search.kept);
        Self {
            account_id: search.account.0,
            id: search.id.0,
            user_id: search.user.0,
            market_key: search.key.0.to_vec(),
            bought_at: kept.bought_at.into(),
            searched_at: search.searched_at.into(),
            expires_at: kept.expires_at.into(),
            keyword: subject.keyword.to_string(),
            country: subject.country.to_string(),
            language: subject.language.to_string(),
            provider: kept.found.provider.clone(),
            provenance: kept.found.provenance.name().to_owned(),
            search_volume: kept.found.figures.search_volume.map(count),
            ideas: count(kept.found.ideas.len()),
            body: pack_json(&kept.found),
        }
    }
}

impl TryFrom<SearchRow> for Search {
    type Error = StorageError;

    fn try_from(row: SearchRow) -> Result<Self, StorageError> {
        Ok(Self {
            account: AccountId(row.account_id),
            user: UserId(row.user_id),
            id: SearchId(row.id),
            subject: subject(&row.keyword, &row.country, &row.language)?,
            key: SubjectKey(passed(row.market_key.try_into(), WHAT)?),
            searched_at: row.searched_at.into(),
            kept: KeptResearch {
                found: unpack_json(&row.body, WHAT)?,
                bought_at: row.bought_at.into(),
                expires_at: row.expires_at.into(),
            },
        })
    }
}

impl TryFrom<SearchLineRow> for SearchLine {
    type Error = StorageError;

    fn try_from(row: SearchLineRow) -> Result<Self, StorageError> {
        Ok(Self {
            id: SearchId(row.id),
            subject: subject(&row.keyword, &row.country, &row.language)?,
            provenance: known(provenance(&row.provenance), WHAT)?,
            provider: row.provider,
            search_volume: { row.search_volume }
                .map(|it| counted(it, WHAT))
                .transpose()?,
            ideas: counted(row.ideas, WHAT)?,
            searched_at: row.searched_at.into(),
            bought_at: row.bought_at.into(),
            expires_at: row.expires_at.into(),
        })
    }
}

fn subject(keyword: &str, country: &str, language: &str) -> Result<ResearchSubject, StorageError> {
    Ok(ResearchSubject {
        keyword: passed(KeywordText::parse(keyword), WHAT)?,
        country: passed(Country::parse(country), WHAT)?,
        language: passed(Language::parse(language), WHAT)?,
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
