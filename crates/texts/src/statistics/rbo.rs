//! Rank-biased overlap, extrapolated (Webber, Moffat, Zobel 2010, equation 32).

use std::{collections::HashSet, hash::Hash};

/// 0 to 1, for rankings without repetitions; `None` if both are empty. `persistence` must be strictly between 0 and 1.
pub fn rbo_ext<T: Eq + Hash>(one: &[T], other: &[T], persistence: f64) -> Option<f64> {
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    if short.is_empty() {
        return (!long.is_empty()).then_some(0.0);
    }
    let overlaps = overlaps(short, long);
    Some(extrapolated(&overlaps, short.len(), persistence).clamp(0.0, 1.0))
}

/// Shared items by depth of the longer ranking.
fn overlaps<T: Eq + Hash>(short: &[T], long: &[T]) -> Vec<u32> {
    let (mut in_short, mut in_long) = (HashSet::new(), HashSet::new());
    let mut common = 0;
    let mut by_depth = Vec::with_capacity(long.len());
    for (depth, item) in long.iter().enumerate() {
        in_long.insert(item);
        common += u32::from(in_short.contains(item));
        if let Some(item) = short.get(depth) {
            in_short.insert(item);
            common += u32::from(in_long.contains(item));
        }
        by_depth.push(common);
    }
    by_depth
}

#[expect(clippy::cast_precision_loss, reason = "rankings are short")]
fn extrapolated(overlaps: &[u32], short: usize, p: f64) -> f64 {
    let (s, l) = (short as f64, overlaps.len() as f64);
    let at_short = f64::from(overlaps[short - 1]);
    let at_long = f64::from(overlaps[overlaps.len() - 1]);
    let mut sum = 0.0;
    let mut weight = 1.0;
    for (index, overlap) in overlaps.iter().enumerate() {
        let depth = index as f64 + 1.0;
        weight *= p;
        sum += f64::from(*overlap) / depth * weight;
        if depth > s {
            sum += at_short * (depth - s) / (s * depth) * weight;
        }
    }
    (1.0 - p) / p * sum + ((at_long - at_short) / l + at_short / s) * weight
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    /// The Python package `rbo` 0.1.3, `RankingSimilarity(a, b).rbo_ext(p)`;
    /// `tests/oracles/statistics_oracle.py` prints them.
    #[test]
    fn figures_are_those_of_the_python_package() {
        let golden = [
            ("abcdefghij", "bacedfgkhl", 0.9, 0.793_529_222),
            ("abc", "abc", 0.9, 1.0),
            ("abc", "xyz", 0.9, 0.0),
            ("abcde", "abcdefghij", 0.9, 1.0),
            ("abcdefghij", "jihgfedcba", 0.9, 0.511_607_565),
            ("abcd", "badcxyz", 0.8, 0.757_333_333),
            ("ab", "xaybcd", 0.9, 0.579_762),
            (
                "abcdefghijklmnopqrst",
                "bxayczdefghijwlmnvuo",
                0.9,
                0.572_457_310,
            ),
        ];
        for (one, other, p, expected) in golden {
            let found = rbo_ext(&letters(one), &letters(other), p).unwrap();
            assert!((found - expected).abs() < 1e-8, "{one} {other}: {found}");
        }
    }

    #[test]
    fn two_empty_rankings_have_no_overlap_value() {
        assert_eq!(rbo_ext::<char>(&[], &[], 0.9), None);
        assert_eq!(rbo_ext(&[], &['a'], 0.9), Some(0.0));
    }

    fn ranking() -> impl Strategy<Value = Vec<u8>> {
        Just((0_u8..40).collect::<Vec<_>>())
            .prop_shuffle()
            .prop_flat_map(|all| (Just(all), 0_usize..=20))
            .prop_map(|(all, length)| all.into_iter().take(length).collect())
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_between_0_and_1(one in ranking(), other in ranking()) {
            let found = rbo_ext(&one, &other, 0.9);
            prop_assert_eq!(found, rbo_ext(&other, &one, 0.9));
            prop_assert!(found.is_none_or(|it| (0.0..=1.0).contains(&it)));
        }

        #[test]
        fn a_ranking_overlaps_fully_with_itself(one in ranking()) {
            prop_assert!(rbo_ext(&one, &one, 0.9).is_none_or(|it| (it - 1.0).abs() < 1e-9));
        }
    }
}
