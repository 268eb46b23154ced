//! Keyword research: what is asked, what is kept of it for everyone and for whom, and how much of it
//! an account may have.

use crate::{
    ids::{AccountId, FlightId, SearchId, UserId},
    keyword::KeywordText,
    market::{Country, Language},
    money::MicroUsd,
};
use analysis::{observation::keyword_research::ResearchedKeyword, provenance::Provenance};
use chrono::{DateTime, Months, NaiveDate, NaiveTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

/// What is researched.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResearchSubject {
    /// The keyword.
    pub keyword: KeywordText,
    /// Where it is searched.
    pub country: Country,
    /// In which language.
    pub language: Language,
}

/// Under which name a subject's data is kept: equal for equal keywords, markets and suppliers. It
/// tells nothing of who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubjectKey(pub [u8; 32]);

impl ResearchSubject {
    /// Its key at a supplier, named as its answers name it.
    #[must_use]
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
    /// What the supplier answered.
    pub found: ResearchedKeyword,
    /// When.
    pub bought_at: DateTime<Utc>,
    /// Until when it is good.
    pub expires_at: DateTime<Utc>,
}

impl KeptResearch {
    /// How long a result is good.
    pub const LIFETIME: TimeDelta = TimeDelta::days(30);

    /// What was bought just now.
    #[must_use]
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
    /// Which one.
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
    /// Whose.
    pub account: AccountId,
    /// The question.
    pub flight: FlightId,
    /// The day on which it was asked, which also says the month.
    pub day: NaiveDate,
    /// What is set aside for it.
    pub most: MicroUsd,
    /// Until when it holds.
    pub until: DateTime<Utc>,
}

/// How much of a month's research is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResearchQuota {
    /// The month, by its first day (UTC).
    pub month: NaiveDate,
    /// Searches that were bought.
    pub used: u32,
    /// Searches under way.
    pub reserved: u32,
    /// How many there may be.
    pub limit: u32,
}

impl ResearchQuota {
    /// What is used, searches under way included.
    #[must_use]
    pub const fn usage(&self) -> u32 {
        self.used.saturating_add(self.reserved)
    }

    /// Whether one more fits.
    #[must_use]
    pub const fn is_available(&self) -> bool {
        self.usage() < self.limit
    }

    /// When the next month begins.
    #[must_use]
    pub fn resets_at(&self) -> DateTime<Utc> {
        let next = self.month + Months::new(1);
        next.and_time(NaiveTime::MIN).and_utc()
    }
}

/// A search of a person, with what was shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Whose account.
    pub account: AccountId,
    /// Who searched.
    pub user: UserId,
    /// Its id.
    pub id: SearchId,
    /// What was researched.
    pub subject: ResearchSubject,
    /// Under which name.
    pub key: SubjectKey,
    /// When it was searched last.
    pub searched_at: DateTime<Utc>,
    /// What was shown.
    pub kept: KeptResearch,
}

/// A search in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchLine {
    /// Its id.
    pub id: SearchId,
    /// What was researched.
    pub subject: ResearchSubject,
    /// Who answered, as a neutral label.
    pub provider: String,
    /// What the figures are.
    pub provenance: Provenance,
    /// Searches a month, when known.
    pub search_volume: Option<u64>,
    /// How many ideas there were.
    pub ideas: u32,
    /// When it was searched last.
    pub searched_at: DateTime<Utc>,
    /// When the supplier answered.
    pub bought_at: DateTime<Utc>,
    /// Until when that is good.
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
