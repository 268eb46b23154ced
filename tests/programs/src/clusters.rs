//! Groups of keywords with the same results; the reference for `assets/js/clusters.js`.

use std::collections::HashMap;

/// Of the first ten pages.
pub const MIN_SHARED: u32 = 3;

/// The first ten URLs, by page key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopPage {
    pub keyword_id: i64,
    /// Unique.
    pub urls: Vec<String>,
}

/// Each keyword is in exactly one group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clusters {
    /// Largest first, then by smallest id; ids ascend.
    pub groups: Vec<Vec<i64>>,
}

/// Connected components of keywords that share at least [`MIN_SHARED`] of the first ten pages.
pub fn clusters(keywords: &[TopPage]) -> Clusters {
    let mut postings: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut roots: Vec<usize> = (0..keywords.len()).collect();
    let mut shared = vec![0_u32; keywords.len()];
    for (index, keyword) in keywords.iter().enumerate() {
        let mut met = Vec::new();
        for url in keyword.urls.iter().take(10) {
            let others = postings.entry(url.as_str()).or_default();
            for other in others.iter().filter(|other| **other != index) {
                if shared[*other] == 0 {
                    met.push(*other);
                }
                shared[*other] += 1;
            }
            if others.last() != Some(&index) {
                others.push(index);
            }
        }
        for other in met {
            if shared[other] >= MIN_SHARED {
                join(&mut roots, index, other);
            }
            shared[other] = 0;
        }
    }
    Clusters {
        groups: grouped(keywords, &mut roots),
    }
}

fn root(roots: &mut [usize], mut of: usize) -> usize {
    while roots[of] != of {
        roots[of] = roots[roots[of]];
        of = roots[of];
    }
    of
}

fn join(roots: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(roots, one), root(roots, other));
    let (low, high) = (one.min(other), one.max(other));
    roots[high] = low;
}

fn grouped(keywords: &[TopPage], roots: &mut [usize]) -> Vec<Vec<i64>> {
    let mut by_root: HashMap<usize, Vec<i64>> = HashMap::new();
    for (index, keyword) in keywords.iter().enumerate() {
        by_root
            .entry(root(roots, index))
            .or_default()
            .push(keyword.keyword_id);
    }
    let mut groups: Vec<Vec<i64>> = by_root.into_values().collect();
    for group in &mut groups {
        group.sort_unstable();
    }
    groups.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(keyword_id: i64, urls: &str) -> TopPage {
        TopPage {
            keyword_id,
            urls: urls.chars().map(String::from).collect(),
        }
    }

    #[test]
    fn keywords_sharing_three_pages_form_one_group() {
        let pages = [
            page(4, "abcdef"),
            page(2, "abcxyz"),
            page(3, "xyzuvw"),
            page(1, "abqrst"),
        ];
        assert_eq!(clusters(&pages).groups, [vec![2, 3, 4], vec![1]]);
    }

    proptest! {
        #[test]
        fn groups_equal_those_of_pairwise_comparison(texts in proptest::collection::vec("[a-p]{0,8}", 0..14)) {
            let pages: Vec<TopPage> = (0..).zip(&texts).map(|(id, text)| {
                let mut page = page(id, text);
                page.urls.sort();
                page.urls.dedup();
                page
            }).collect();
            let mut roots: Vec<usize> = (0..pages.len()).collect();
            for one in 0..pages.len() {
                for other in 0..one {
                    let both = pages[one].urls.iter().filter(|it| pages[other].urls.contains(it)).count();
                    if both >= 3 {
                        join(&mut roots, one, other);
                    }
                }
            }
            prop_assert_eq!(clusters(&pages).groups, grouped(&pages, &mut roots));
        }
    }
}
