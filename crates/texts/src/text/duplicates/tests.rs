use super::*;
use crate::text::similarity::jaccard;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A text with some words replaced.
fn text(page: usize, words: usize, replaced: &[usize]) -> String {
    let word = |at: usize| {
        let other = if replaced.contains(&at) { "x" } else { "" };
        format!("w{page}{other}{at}")
    };
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

fn found(texts: &[String]) -> Duplicates {
    let sets: Vec<Vec<u64>> = texts.iter().map(|it| shingles(it)).collect();
    let pages: Vec<Option<Fingerprint>> = texts.iter().map(|it| Fingerprint::of(it)).collect();
    clusters(&pages, |one, other| jaccard(&sets[one], &sets[other]))
}

#[test]
fn exact_duplicates_ignore_case_and_spaces() {
    let texts = [
        "One two three four five.",
        "Another text altogether",
        "ONE two  three\nfour five.",
    ];
    let found = found(&texts.map(str::to_owned));
    assert_eq!(
        found.clusters,
        [Cluster {
            pages: vec![0, 2],
            exact: true
        }]
    );
    assert_eq!(
        found.nearest[0],
        Some(Nearest {
            page: 2,
            similarity: 1.0
        })
    );
    assert_eq!(found.nearest[1], None);
    assert!(found.complete);
}

/// Of 297 shingles one replaced word changes four: 293 of 301 are shared.
#[test]
fn a_changed_word_makes_a_near_duplicate() {
    let texts = [text(1, 300, &[]), text(1, 300, &[100]), text(2, 300, &[])];
    let found = found(&texts);
    assert_eq!(
        found.clusters,
        [Cluster {
            pages: vec![0, 1],
            exact: false
        }]
    );
    let nearest = found.nearest[0].unwrap();
    assert_eq!(nearest.page, 1);
    assert!((nearest.similarity - 293.0 / 301.0).abs() < 1e-12);
}

#[test]
fn a_chain_of_near_duplicates_is_one_cluster() {
    let spread = |count: usize| (0..count).map(|it| it * 20 + 10).collect::<Vec<_>>();
    let texts = [
        text(1, 300, &spread(0)),
        text(1, 300, &spread(3)),
        text(1, 300, &spread(6)),
    ];
    let found = found(&texts);
    assert_eq!(
        found.clusters,
        [Cluster {
            pages: vec![0, 1, 2],
            exact: false
        }]
    );
    let ends = jaccard(&shingles(&texts[0]), &shingles(&texts[2]));
    assert!(ends < MIN_NEAR_SIMILARITY, "{ends}");
}

#[test]
fn pages_without_text_are_no_duplicates() {
    let found = found(&[String::new(), " … ".to_owned(), String::new()]);
    assert_eq!((found.clusters, found.nearest), (vec![], vec![None; 3]));
}

#[test]
fn many_pages_of_one_template_are_one_cluster_at_bounded_cost() {
    let texts: Vec<String> = (0..400)
        .map(|it| format!("{} number{it}", text(1, 80, &[])))
        .collect();
    let sets: Vec<Vec<u64>> = texts.iter().map(|it| shingles(it)).collect();
    let pages: Vec<_> = texts.iter().map(|it| Fingerprint::of(it)).collect();
    let mut compared = 0;
    let found = clusters(&pages, |one, other| {
        compared += 1;
        jaccard(&sets[one], &sets[other])
    });
    assert_eq!(found.clusters.len(), 1);
    assert_eq!(found.clusters[0].pages.len(), 400);
    assert!(!found.complete);
    // Without the bound it would be 79,800.
    assert!(compared < 40_000, "{compared}");
}

#[test]
fn a_pair_is_compared_once_however_many_bands_it_shares() {
    let texts = [text(1, 300, &[]), text(1, 300, &[150])];
    let pages: Vec<_> = texts.iter().map(|it| Fingerprint::of(it)).collect();
    let mut compared = Vec::new();
    let _ = clusters(&pages, |one, other| {
        compared.push((one, other));
        1.0
    });
    assert_eq!(compared, [(0, 1)]);
}

#[test]
fn simhashes_of_similar_texts_differ_in_few_bits() {
    let hash = |text: &str| simhash(&shingles(text));
    let similar = hamming(hash(&text(1, 2_000, &[])), hash(&text(1, 2_000, &[7])));
    let different = hamming(hash(&text(1, 2_000, &[])), hash(&text(2, 2_000, &[])));
    assert!(similar <= SIMHASH_DISTANCE, "{similar}");
    assert!((16..=48).contains(&different), "{different}");
}

/// The standard error of the mean of 40 estimates at J = 0.5 is 0.0442/√40 = 0.007; a bias would exceed
/// five of them.
#[test]
fn estimates_have_no_bias() {
    let errors: f64 = (0..40)
        .map(|page| {
            let words: Vec<usize> = (0..300).filter(|it| it % 12 == 0).collect();
            let (one, other) = (
                shingles(&text(page, 300, &[])),
                shingles(&text(page, 300, &words)),
            );
            let estimate = Signature::of(&one)
                .unwrap()
                .similarity(&Signature::of(&other).unwrap());
            estimate - jaccard(&one, &other)
        })
        .sum();
    assert!((errors / 40.0).abs() < 0.035, "{errors}");
}

#[test]
fn signatures_are_stable() {
    // Stored signatures are compared with new ones, so the functions must never change. Figures of a
    // second implementation, tests/oracles/duplicates.py.
    let signature =
        Signature::of(&shingles("the quick brown fox jumps over the lazy dog")).unwrap();
    assert_eq!(
        signature.values()[..4],
        [365_075_336, 149_674_797, 777_663_413, 398_268_698]
    );
    let hash = simhash(&shingles("the quick brown fox jumps over the lazy dog"));
    assert_eq!(hash, 0x8358_ada5_4a2d_3488);
}

proptest! {
    #[test]
    fn order_and_repetition_of_shingles_do_not_matter(shingles in prop::collection::vec(any::<u64>(), 1..60)) {
        let unique: BTreeSet<u64> = shingles.iter().copied().collect();
        let unique: Vec<u64> = unique.into_iter().collect();
        prop_assert_eq!(Signature::of(&shingles), Signature::of(&unique));
    }

    #[test]
    fn a_unions_signature_is_the_minimum_of_both(one in prop::collection::vec(any::<u64>(), 1..40), other in prop::collection::vec(any::<u64>(), 1..40)) {
        let both = Signature::of(&[one.clone(), other.clone()].concat()).unwrap();
        let (one, other) = (Signature::of(&one).unwrap(), Signature::of(&other).unwrap());
        for at in 0..PERMUTATIONS {
            prop_assert_eq!(both.values()[at], one.values()[at].min(other.values()[at]));
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pages_are_in_one_cluster_and_not_their_own_nearest(picks in prop::collection::vec((0_usize..4, 0_usize..3), 0..20)) {
        let texts: Vec<String> = picks.iter().map(|(page, changed)| text(*page, 60, &[changed * 25])).collect();
        let found = found(&texts);
        let members: Vec<usize> = found.clusters.iter().flat_map(|it| it.pages.clone()).collect();
        let unique: BTreeSet<usize> = members.iter().copied().collect();
        prop_assert_eq!(unique.len(), members.len());
        for (page, nearest) in found.nearest.iter().enumerate() {
            prop_assert!(nearest.is_none_or(|it| it.page != page));
        }
    }
}

proptest! {
    #[test]
    fn the_digest_covers_the_whole_normalized_text(text in "([a-zA-Zé]{1,4}|[ \n\r\t]|\u{2028}|e\u{301}|ﬁ){0,40}") {
        let whole: [u8; 32] = Sha256::digest(normalized(&text).as_bytes()).into();
        prop_assert_eq!(digest(&text), whole);
    }
}
