//! Keyword research: questions, what is kept for everyone and for one account, and quotas.

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

/// Equal for equal keywords, markets and suppliers; tells nothing of who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubjectKey(pub [u8; 32]);

impl ResearchSubject {
    /// Its key at a supplier, named as its answers name it.
    pub fn key(&self, supplier: &str) -> SubjectKey {
        let mut hash = Sha256::new();
        for part in [
            supplier,
            &self.country.to_string(),
            &self.language.to_string(),
            self.keyword.normalized(),
        ] {
            // With its length, no part runs into the next.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        SubjectKey(hash.finalize().into())
    }
}

/// What was bought and is kept for everyone.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptResearch {
    pub found: ResearchedKeyword,
    pub bought_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

impl KeptResearch {
    pub const LIFETIME: TimeDelta = TimeDelta::days(30);

    pub fn bought(found: ResearchedKeyword, now: DateTime<Utc>) -> Self {
        Self {
            found,
            bought_at: now,
            expires_at: now + Self::LIFETIME,
        }
    }
}

/// One question to a supplier under way: others who ask the same wait for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flight {
    pub id: FlightId,
    /// Until when whoever asked holds the question.
    pub until: DateTime<Utc>,
    /// Why it brought nothing, as a code, once that is known.
    pub failure: Option<String>,
}

impl Flight {
    /// How long a question is held at the most: whoever asked is dead by then.
    pub const LEASE: TimeDelta = TimeDelta::seconds(120);
}

/// A unit of the month's quota that is set aside for a question under way, with what it can cost.
/// When its time is over, the unit is free and the money counts as spent: nobody knows what became
/// of the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reservation {
    pub account: AccountId,
    pub flight: FlightId,
    /// The day on which it was asked, which also says the month.
    pub day: NaiveDate,
    pub most: MicroUsd,
    pub until: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResearchQuota {
    /// The month, by its first day (UTC).
    pub month: NaiveDate,
    /// Searches that were bought.
    pub used: u32,
    /// Searches under way.
    pub reserved: u32,
    pub limit: u32,
}

impl ResearchQuota {
    /// What is used, searches under way included.
    pub const fn usage(&self) -> u32 {
        self.used.saturating_add(self.reserved)
    }

    pub const fn is_available(&self) -> bool {
        self.usage() < self.limit
    }

    /// When the next month begins.
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
    /// When it was searched last.
    pub searched_at: DateTime<Utc>,
    pub kept: KeptResearch,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchLine {
    pub id: SearchId,
    pub subject: ResearchSubject,
    /// Who answered, as a neutral label.
    pub provider: String,
    pub provenance: Provenance,
    /// Searches a month, when known.
    pub search_volume: Option<u64>,
    pub ideas: u32,
    /// When it was searched last.
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
    fn a_key_is_equal_for_equal_questions_alone() {
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
