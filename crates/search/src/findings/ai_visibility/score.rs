//! The AI visibility score. The weights are our choice; sentiment is left out, since it would favor unseen brands.

/// Components of the score, 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ScoreParts {
    pub mention_rate: f64,
    /// `None` if no brand is named.
    pub position_adjusted_share: Option<f64>,
    /// `None` if the engine has no sources.
    pub citation_rate: Option<f64>,
    /// `None` if it cannot be detected.
    pub recommendation_rate: Option<f64>,
}

/// 0 to 100. Unknown parts are left out and the rest is scaled up; without a mention the share is 0.
pub fn ai_visibility_score(parts: &ScoreParts) -> f64 {
    let share = parts
        .position_adjusted_share
        .or((parts.mention_rate <= 0.0).then_some(0.0));
    let known = [
        (0.45, Some(parts.mention_rate)),
        (0.25, share),
        (0.20, parts.citation_rate),
        (0.10, parts.recommendation_rate),
    ];
    let (mut sum, mut weights) = (0.0, 0.0);
    for (weight, part) in known {
        if let Some(part) = part {
            sum += weight * part;
            weights += weight;
        }
    }
    100.0 * sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(values: [f64; 4]) -> ScoreParts {
        ScoreParts {
            mention_rate: values[0],
            position_adjusted_share: Some(values[1]),
            citation_rate: Some(values[2]),
            recommendation_rate: Some(values[3]),
        }
    }

    #[test]
    fn the_example_scores_26_5() {
        let score = ai_visibility_score(&parts([0.4, 0.2, 0.1, 0.15]));
        assert!((score - 26.5).abs() < 1e-9, "{score}");
    }

    #[test]
    fn unknown_parts_are_left_out_of_the_score() {
        let without = ScoreParts {
            citation_rate: None,
            recommendation_rate: None,
            ..parts([0.4, 0.4, 0.0, 0.0])
        };
        assert!((ai_visibility_score(&without) - 40.0).abs() < 1e-9);
        assert!(ai_visibility_score(&ScoreParts::default()).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_score_never_falls_with_its_parts(
            values in proptest::array::uniform4(0.0_f64..=1.0), at in 0_usize..4, more in 0.0_f64..=1.0
        ) {
            let score = ai_visibility_score(&parts(values));
            let mut raised = values;
            raised[at] = raised[at].max(more);
            prop_assert!(ai_visibility_score(&parts(raised)) >= score - 1e-9);
            prop_assert!((-1e-9..=100.0 + 1e-9).contains(&score));
        }
    }
}
