//! Position-adjusted word count (Aggarwal and others, KDD 2024, "GEO: Generative Engine Optimization").

/// The share of each of `count` sources, adding up to 1; `None` if no sentence names one.
///
/// Sentence i of S that names k sources gives each of them words · exp(−i / (S − 1)) / k; a single
/// sentence weighs 1. Words of one or two letters do not count. Where no source is named, the
/// authors' code gives equal shares instead.
#[expect(clippy::cast_precision_loss, reason = "answers are short")]
pub fn position_adjusted(sentences: &[(usize, Vec<usize>)], count: usize) -> Option<Vec<f64>> {
    let mut shares = vec![0.0; count];
    let last = sentences.len().saturating_sub(1).max(1) as f64;
    for (at, (words, named)) in sentences.iter().enumerate() {
        let weight = *words as f64 * (-(at as f64) / last).exp() / named.len().max(1) as f64;
        for source in named {
            if let Some(share) = shares.get_mut(*source) {
                *share += weight;
            }
        }
    }
    let total: f64 = shares.iter().sum();
    (total > 0.0).then(|| shares.iter().map(|it| it / total).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `impression_pos_count_simple` of the authors' `utils.py`.
    #[test]
    fn shares_match_the_reference_implementation() {
        let found = position_adjusted(&[(10, vec![0]), (8, vec![1]), (12, vec![0, 2])], 3).unwrap();
        for (found, golden) in found.iter().zip([0.633_591, 0.251_845, 0.114_564]) {
            assert!((found - golden).abs() < 1e-6, "{found} {golden}");
        }
        let only = position_adjusted(&[(7, vec![1])], 2).unwrap();
        assert!(only[0].abs() < 1e-12 && (only[1] - 1.0).abs() < 1e-12);
        assert_eq!(position_adjusted(&[(7, vec![])], 2), None);
        assert_eq!(position_adjusted(&[], 2), None);
    }

    proptest! {
        #[test]
        fn shares_sum_to_one_and_favor_early_sentences(
            words in proptest::collection::vec(1_usize..30, 2..12), at in 0_usize..10
        ) {
            // Brand 0 in one sentence, brand 1 in all others.
            let shares = |own: usize| {
                let all: Vec<(usize, Vec<usize>)> = words.iter().enumerate()
                    .map(|(index, _)| (10, vec![usize::from(index != own)])).collect();
                position_adjusted(&all, 2).unwrap()
            };
            let own = at % (words.len() - 1);
            let (early, late) = (shares(own), shares(own + 1));
            prop_assert!((early.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            prop_assert!(early[0] >= late[0]);
        }
    }
}
