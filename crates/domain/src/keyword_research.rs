//! Keyword research: queries, shared and per-account results, and quotas.

use crate::ids::{AccountId, FlightId, SearchId, UserId};
use crate::keyword::KeywordText;
use crate::market::{Country, Language};
use crate::money::MicroUsd;
use analysis::{observation::keyword_research::ResearchedKeyword, provenance::Provenance};
use chrono::{DateTime, Months, NaiveDate, NaiveTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResearchSubject {
    pub keyword: KeywordText,
    pub country: Country,
    pub language: Language,
}

/// Equal for equal keywords, markets and suppliers; does not reveal the account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubjectKey(pub [u8; 32]);

impl ResearchSubject {
    /// Key at a supplier, given by the name in its answers.
    pub fn key(&self, supplier: &str) -> SubjectKey {
        let mut hash = Sha256::new();
        for part in [
            supplier,
            &self.country.to_string(),
            &self.language.to_string(),
            self.keyword.normalized(),
        ] {
            // Length prefixes keep the parts apart.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        SubjectKey(hash.finalize().into())
    }
}

/// A bought result, shared by all accounts.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptResearch {
    pub found: ResearchedKeyword,
    pub bought_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

impl KeptResearch {
    pub const LIFETIME: TimeDelta = TimeDelta::days(30);

    pub fn new(found: ResearchedKeyword, now: DateTime<Utc>) -> Self {
        Self {
            found,
            bought_at: now,
            expires_at: now + Self::LIFETIME,
        }
    }
}

/// A query to a supplier in flight; others with the same key wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flight {
    pub id: FlightId,
    /// End of its lease.
    pub until: DateTime<Utc>,
    /// Error code, if it failed.
    pub failure: Option<String>,
}

impl Flight {
    /// Maximum duration; after it, the process that made the query is considered dead.
    pub const LEASE: TimeDelta = TimeDelta::seconds(120);
}

/// A unit of the monthly quota reserved for a query in flight, with its maximum cost. On expiry the
/// unit is released and the money counts as spent, because the outcome of the call is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    pub account: AccountId,
    pub flight: FlightId,
    /// Day of the query, which also gives the month.
    pub day: NaiveDate,
    pub max_cost: MicroUsd,
    pub until: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResearchQuota {
    /// First day of the month (UTC).
    pub month: NaiveDate,
    /// Bought searches.
    pub used: u32,
    /// Searches in flight.
    pub reserved: u32,
    pub limit: u32,
}

impl ResearchQuota {
    /// Searches in flight included.
    pub const fn usage(&self) -> u32 {
        self.used.saturating_add(self.reserved)
    }

    pub const fn is_available(&self) -> bool {
        self.usage() < self.limit
    }

    /// Start of the next month.
    pub fn resets_at(&self) -> DateTime<Utc> {
        let next = self.month + Months::new(1);
        next.and_time(NaiveTime::MIN).and_utc()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    pub account: AccountId,
    pub user: UserId,
    pub id: SearchId,
    pub subject: ResearchSubject,
    pub key: SubjectKey,
    /// Time of the last search.
    pub searched_at: DateTime<Utc>,
    pub kept: KeptResearch,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchSummary {
    pub id: SearchId,
    pub subject: ResearchSubject,
    /// Neutral label of the supplier.
    pub provider: String,
    pub provenance: Provenance,
    /// Monthly searches, if known.
    pub search_volume: Option<u64>,
    pub ideas: u32,
    /// Time of the last search.
    pub searched_at: DateTime<Utc>,
    /// When the supplier answered.
    pub bought_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(keyword: &str, country: &str, language: &str) -> ResearchSubject {
        ResearchSubject {
            keyword: KeywordText::parse(keyword).unwrap(),
            country: Country::parse(country).unwrap(),
            language: Language::parse(language).unwrap(),
        }
    }

    #[test]
    fn keys_are_equal_only_for_equal_subjects() {
        let key = subject("Red  Shoes", "us", "en").key("sandbox");
        assert_eq!(key, subject("red shoes", "us", "en").key("sandbox"));
        for other in [
            subject("red shoe", "us", "en").key("sandbox"),
            subject("red shoes", "gb", "en").key("sandbox"),
            subject("red shoes", "us", "de").key("sandbox"),
            subject("red shoes", "us", "en").key("keyword data"),
        ] {
            assert_ne!(key, other);
        }
    }

    #[test]
    fn a_month_ends_where_the_next_begins() {
        let quota = ResearchQuota {
            month: NaiveDate::from_ymd_opt(2026, 12, 1).unwrap(),
            used: 4,
            reserved: 1,
            limit: 5,
        };
        assert_eq!((quota.usage(), quota.is_available()), (5, false));
        assert_eq!(quota.resets_at().to_rfc3339(), "2027-01-01T00:00:00+00:00");
        let lowered = ResearchQuota { limit: 3, ..quota };
        assert!(!lowered.is_available());
    }
}
