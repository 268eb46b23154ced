use super::outcome::Outcome;
use super::record::{EeatRecord, Ymyl, YmylTopic};
use super::signal::SignalCode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Sums over page records, which are added one by one and not kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageAverages {
    pages: u32,
    ymyl_known: u32,
    ymyl_pages: u32,
    topics: BTreeMap<YmylTopic, u32>,
    signals: BTreeMap<SignalCode, Sums>,
    /// Sum and count of the scores.
    score: (f64, u32),
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    value: f64,
    confidence: f64,
    pages: u32,
}

impl PageAverages {
    pub fn add(&mut self, record: &EeatRecord) {
        self.pages += 1;
        self.ymyl_known += u32::from(record.ymyl.is_ymyl.is_some());
        self.ymyl_pages += u32::from(record.ymyl.is_ymyl == Some(true));
        for topic in &record.ymyl.topics {
            *self.topics.entry(*topic).or_default() += 1;
        }
        // A page without a score was truncated: missing signals are unknown.
        let Some(score) = record.eeat_score else {
            return;
        };
        self.score.0 += score;
        self.score.1 += 1;
        for signal in &record.signals {
            if let Some(value) = signal.value {
                let sums = self.signals.entry(signal.code).or_default();
                sums.value += value;
                sums.confidence += signal.confidence;
                sums.pages += 1;
            }
        }
    }

    pub const fn pages(&self) -> u32 {
        self.pages
    }

    /// The mean score of the pages; `None` without any.
    pub fn mean_score(&self) -> Option<f64> {
        (self.score.1 > 0).then(|| self.score.0 / f64::from(self.score.1))
    }

    /// The mean of a signal over the pages that it applies to.
    pub(super) fn outcome(&self, code: SignalCode) -> Outcome {
        self.signals
            .get(&code)
            .map_or(Outcome::not_applicable(), |it| {
                let pages = f64::from(it.pages);
                Outcome::new(it.value / pages, it.confidence / pages)
            })
    }

    /// A site is YMYL if half of its pages are.
    pub(super) fn ymyl(&self) -> Ymyl {
        let topics = self.topics.iter().filter(|it| *it.1 * 4 >= self.pages);
        Ymyl {
            is_ymyl: (self.ymyl_known > 0).then_some(self.ymyl_pages * 2 >= self.ymyl_known),
            topics: topics.map(|it| *it.0).collect(),
            evidence: if self.ymyl_pages > 0 {
                vec![format!("{} of {} pages", self.ymyl_pages, self.pages)]
            } else {
                Vec::new()
            },
        }
    }
}
