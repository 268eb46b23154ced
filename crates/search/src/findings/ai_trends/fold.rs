//! Aggregates the tallies of many runs: one per period, prompt and set of terms.

use super::TrendPeriod;
use crate::findings::ai_visibility::PromptTally;
use chrono::NaiveDate;
use std::collections::{BTreeMap, btree_map::Entry};

/// The keyword comes first, so that its tallies are adjacent.
type Key = (
    Option<i64>,
    String,
    NaiveDate,
    Option<String>,
    u32,
    String,
    &'static str,
);

#[derive(Debug)]
pub struct TallyFold {
    period: TrendPeriod,
    domains_since: NaiveDate,
    folded: BTreeMap<Key, PromptTally>,
}

impl TallyFold {
    /// Cited domains are kept from `domains_since` on; earlier ones are never compared.
    pub const fn new(period: TrendPeriod, domains_since: NaiveDate) -> Self {
        Self {
            period,
            domains_since,
            folded: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, mut tally: PromptTally) {
        if tally.day < self.domains_since {
            tally.cited_domains.clear();
        }
        let key = (
            tally.keyword_id,
            tally.prompt_id.clone(),
            self.period.start(tally.day),
            tally.model.clone(),
            tally.template_version,
            tally.detector_version.clone(),
            tally.provenance.name(),
        );
        match self.folded.entry(key) {
            Entry::Occupied(mut there) => there.get_mut().merge(&tally),
            Entry::Vacant(free) => {
                free.insert(tally);
            }
        }
    }

    /// Grouped by keyword.
    pub fn finish(self) -> Vec<PromptTally> {
        self.folded.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::ai_trends::tests::{monday, tally, trend_of};
    use chrono::Days;

    #[test]
    fn folding_changes_no_trend() {
        let mut tallies = Vec::new();
        for week in 0..5 {
            for day in [0, 2, 5] {
                for prompt in 0..12 {
                    let mut it = tally(week, prompt, 5, (prompt * 7 + week * 3 + day) % 6);
                    it.day = monday() + Days::new(7 * week + day);
                    it.cited_domains = [("a.com".to_owned(), 1 + week % 2)].into();
                    tallies.push(it);
                }
            }
        }
        let mut fold = TallyFold::new(TrendPeriod::Week, monday());
        tallies.iter().rev().for_each(|it| fold.add(it.clone()));
        let folded = fold.finish();
        assert_eq!(folded.len(), 5 * 12);
        let (one, other) = (trend_of(&tallies), trend_of(&folded));
        assert_eq!(one.points.len(), 5);
        assert_eq!(one, other);
    }

    #[test]
    fn domains_of_old_days_are_dropped() {
        let mut fold = TallyFold::new(TrendPeriod::Week, monday() + Days::new(7));
        for week in [0, 1] {
            let mut it = tally(week, 1, 5, 1);
            it.cited_domains = [("a.com".to_owned(), 1)].into();
            fold.add(it);
        }
        let folded = fold.finish();
        let domain_counts: Vec<usize> = folded.iter().map(|it| it.cited_domains.len()).collect();
        assert_eq!(domain_counts, [0, 1]);
    }
}
