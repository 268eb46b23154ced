//! Keyword priorities. The weights are ours.

use crate::{ToSchema, search_intent::Intent};
use serde::{Deserialize, Serialize};
use texts::findings::envelope::rounded;

#[derive(Debug, Serialize)]
pub struct Weights {
    pub opportunity: f64,
    pub cpc: f64,
    pub intent: f64,
    pub trend: f64,
}

pub const WEIGHTS: Weights = Weights {
    opportunity: 0.4,
    cpc: 0.2,
    intent: 0.2,
    trend: 0.2,
};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PriorityInput {
    /// Clicks per month at the target position, weighted by difficulty.
    pub opportunity: Option<f64>,
    /// In the same currency for all keywords.
    pub cpc: Option<f64>,
    pub intent: Option<Intent>,
    /// See [`super::Demand::trend`].
    pub trend: Option<f64>,
}

/// A keyword's priority.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Priority {
    /// 0 to 100, comparable inside of the project alone: opportunity and cost per click are taken
    /// as shares of the largest one.
    #[serde(serialize_with = "rounded::score")]
    pub score: f64,
    /// What is not known and was left out; the others' weights are scaled up.
    pub missing: Vec<MissingPart>,
}

/// A part of a priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MissingPart {
    /// What advertisers pay for a click.
    Cpc,
    /// What the searcher wants.
    Intent,
    /// Where demand is heading.
    Trend,
}

/// `None` without an opportunity.
pub fn priorities(keywords: &[PriorityInput]) -> Vec<Option<Priority>> {
    let largest = |part: fn(&PriorityInput) -> Option<f64>| {
        keywords.iter().filter_map(part).fold(0.0, f64::max)
    };
    let (clicks, cpc) = (largest(|it| it.opportunity), largest(|it| it.cpc));
    keywords
        .iter()
        .map(|keyword| priority(keyword, clicks, cpc))
        .collect()
}

fn priority(keyword: &PriorityInput, clicks: f64, cpc: f64) -> Option<Priority> {
    let of_largest = |value: f64, largest: f64| {
        if largest > 0.0 {
            (value / largest).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let opportunity = of_largest(keyword.opportunity?, clicks);
    let parts = [
        (
            WEIGHTS.cpc,
            keyword.cpc.map(|it| of_largest(it, cpc)),
            MissingPart::Cpc,
        ),
        (
            WEIGHTS.intent,
            keyword.intent.map(intent_weight),
            MissingPart::Intent,
        ),
        (
            WEIGHTS.trend,
            keyword.trend.map(trend_weight),
            MissingPart::Trend,
        ),
    ];
    let mut missing = Vec::new();
    let (mut sum, mut weights) = (WEIGHTS.opportunity * opportunity, WEIGHTS.opportunity);
    for (weight, value, name) in parts {
        match value {
            Some(value) => {
                sum += weight * value;
                weights += weight;
            }
            None => missing.push(name),
        }
    }
    Some(Priority {
        score: 100.0 * sum / weights,
        missing,
    })
}

pub const fn intent_weight(intent: Intent) -> f64 {
    match intent {
        Intent::Transactional => 1.0,
        Intent::Commercial => 0.8,
        Intent::Informational => 0.4,
        Intent::Navigational => 0.3,
    }
}

/// 0.5 for flat demand; 1 if demand at least doubled within a year.
fn trend_weight(trend: f64) -> f64 {
    f64::midpoint(trend.clamp(-1.0, 1.0), 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keyword(opportunity: f64) -> PriorityInput {
        PriorityInput {
            opportunity: Some(opportunity),
            cpc: Some(2.0),
            intent: Some(Intent::Commercial),
            trend: Some(0.0),
        }
    }

    #[test]
    fn parts_have_the_defined_weights() {
        let found = priorities(&[keyword(100.0), keyword(50.0)]);
        let scores: Vec<f64> = found.iter().flatten().map(|it| it.score).collect();
        assert!((scores[0] - 86.0).abs() < 1e-9 && (scores[1] - 66.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_unknown_is_left_out_and_named() {
        let bare = PriorityInput {
            opportunity: Some(5.0),
            ..Default::default()
        };
        let found = priorities(&[bare, PriorityInput::default()]);
        let first = found[0].as_ref().unwrap();
        assert!((first.score - 100.0).abs() < 1e-9);
        assert_eq!(
            first.missing,
            [MissingPart::Cpc, MissingPart::Intent, MissingPart::Trend]
        );
        assert_eq!(found[1], None);
    }

    proptest! {
        #[test]
        fn priority_never_falls_with_its_parts(
            opportunity in 0.0_f64..100.0, cpc in 0.0_f64..5.0, trend in -2.0_f64..2.0, more in 0.0_f64..1.0
        ) {
            let here = PriorityInput { opportunity: Some(opportunity), cpc: Some(cpc), intent: Some(Intent::Informational), trend: Some(trend) };
            let raised = [
                PriorityInput { opportunity: Some(opportunity + more), ..here },
                PriorityInput { cpc: Some(cpc + more), ..here },
                PriorityInput { trend: Some(trend + more), ..here },
                PriorityInput { intent: Some(Intent::Transactional), ..here },
            ];
            // The maximum stays the same, so that only one keyword changes.
            let top = PriorityInput { opportunity: Some(200.0), cpc: Some(10.0), ..here };
            let score = |it: PriorityInput| priorities(&[it, top])[0].as_ref().unwrap().score;
            prop_assert!((0.0..=100.0).contains(&score(here)));
            prop_assert!(raised.into_iter().all(|it| score(it) >= score(here) - 1e-9));
        }
    }
}
