use crate::{keyword_research::Search, money::MicroUsd};
use analysis::findings::keyword_research::{KeywordFacts, report};
use analysis::keyword_text::normalized;
use analysis::provenance::Provenance;
use analysis::search_intent::Intent;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

/// Researched metrics of a keyword in a country and language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordMetrics {
    /// Monthly searches.
    pub search_volume: Option<u32>,
    /// Ranking difficulty, 0 to 100.
    pub difficulty: Option<u8>,
    pub cpc: Option<Cpc>,
    pub intent: Option<Intent>,
    /// Neutral label of the supplier.
    pub provider: String,
    pub provenance: Provenance,
    pub researched_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpc {
    /// Millionths of the currency.
    pub micros: i64,
    /// ISO 4217.
    pub currency: String,
}

impl KeywordMetrics {
    /// Metrics of the searched keyword and its ideas, by normalized text.
    pub fn from_search(search: &Search) -> BTreeMap<String, Self> {
        let subject = &search.subject;
        let language = subject.language.to_string();
        let reported = report(subject.keyword.as_str(), &language, &search.kept.found);
        let of = |facts: &KeywordFacts| Self {
            search_volume: facts.search_volume.and_then(|it| u32::try_from(it).ok()),
            difficulty: facts.difficulty.map(rounded),
            cpc: facts.cpc.as_ref().and_then(|it| {
                Some(Cpc {
                    micros: micros(it.amount?),
                    currency: it.currency.clone(),
                })
            }),
            intent: facts.intent.as_ref().map(|it| it.main),
            provider: reported.provider.clone(),
            provenance: reported.provenance,
            researched_at: search.kept.bought_at,
        };
        let ideas = { reported.ideas.iter() }.map(|it| (normalized(&it.keyword), of(&it.figures)));
        let own = (
            subject.keyword.normalized().to_owned(),
            of(&reported.figures),
        );
        ideas.chain([own]).collect()
    }

    /// Whether it replaces known metrics. Simulated ones never replace measured ones, and ones
    /// without a volume never those with one. Otherwise newer replace older.
    pub fn replaces(&self, known: Option<&Self>) -> bool {
        let Some(known) = known else {
            return true;
        };
        match (
            self.provenance.is_simulated(),
            known.provenance.is_simulated(),
        ) {
            (true, false) => false,
            (false, true) => true,
            _ => match (self.search_volume, known.search_volume) {
                (Some(_), None) => true,
                (None, Some(_)) => false,
                _ => self.researched_at > known.researched_at,
            },
        }
    }

    /// `None` if simulated, because simulated volumes must not weigh measurements.
    pub fn real_volume(&self) -> Option<u32> {
        self.search_volume
            .filter(|_| !self.provenance.is_simulated())
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 100"
)]
fn rounded(difficulty: f64) -> u8 {
    difficulty.clamp(0.0, 100.0).round() as u8
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "saturates far above any price"
)]
fn micros(amount: f64) -> i64 {
    (amount * MicroUsd::PER_UNIT as f64).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeDelta;

    fn metrics(provenance: Provenance, day: i64, search_volume: Option<u32>) -> KeywordMetrics {
        KeywordMetrics {
            search_volume,
            difficulty: Some(40),
            cpc: None,
            intent: None,
            provider: "supplier".to_owned(),
            provenance,
            researched_at: DateTime::UNIX_EPOCH + TimeDelta::days(day),
        }
    }

    #[test]
    fn the_last_known_volume_is_kept() {
        use Provenance::{Estimated, Simulated};
        let known = metrics(Estimated, 5, Some(900));
        assert!(known.replaces(None));
        assert!(metrics(Estimated, 6, Some(800)).replaces(Some(&known)));
        assert!(!metrics(Estimated, 4, Some(800)).replaces(Some(&known)));
        assert!(!metrics(Estimated, 6, None).replaces(Some(&known)));
        assert!(known.replaces(Some(&metrics(Estimated, 6, None))));
        assert!(!metrics(Simulated, 6, Some(1)).replaces(Some(&known)));
        assert!(known.replaces(Some(&metrics(Simulated, 9, Some(1)))));
    }

    #[test]
    fn a_simulated_volume_is_not_a_real_volume() {
        let real = |of| metrics(of, 1, Some(900)).real_volume();
        assert_eq!(real(Provenance::Simulated), None);
        assert_eq!(real(Provenance::Estimated), Some(900));
    }
}
