//! Reference figures, and properties of the model.

use super::*;
use proptest::prelude::*;

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 5e-7, "{found} is not {expected}");
}

fn with(features: &[Feature]) -> SerpLayout {
    SerpLayout::new(features.to_vec(), FeatureCoverage::Complete, None)
}

#[test]
fn the_curve_is_the_published_one_with_our_tail() {
    for (position, share) in [
        (1, 0.285),
        (10, 0.025),
        (11, 0.009),
        (20, 0.0028),
        (30, 0.0005),
        (31, 0.0001),
    ] {
        close(ctr(position), share);
    }
    assert!((ctr(12) - 0.0079).abs() < 5e-5);
    assert!((ctr(15) - 0.005_36).abs() < 5e-6);
    assert!((ctr(25) - 0.001_18).abs() < 5e-6);
    close(ctr(100), 0.0001);
    close(ctr(101), 0.0);
    close(ctr(0), 0.0);
    close((1..=10).map(ctr).sum(), 0.880);
    close((1..=20).map(ctr).sum(), 0.933_757);
}

#[test]
fn snippet_and_overview_both_reduce_ctr() {
    let layout = with(&[Feature::FeaturedSnippet, Feature::AiOverview]);
    close(expected_ctr(Placement::plain(1), &layout), 0.097_914_6);
    // The figure was computed with the multiplier rounded to four digits.
    let overview = with(&[Feature::AiOverview]);
    assert!((expected_ctr(Placement::plain(5), &overview) - 0.046_843_2).abs() < 5e-6);
}

#[test]
fn ai_overview_effect_matches_the_study() {
    for (position, left) in [
        (1, 0.420),
        (2, 0.492),
        (3, 0.536),
        (4, 0.6005),
        (5, 0.6506),
        (6, 0.6915),
        (7, 0.7261),
        (8, 0.7560),
        (9, 0.7824),
        (10, 0.806),
        (50, 0.806),
    ] {
        assert!(
            (under_ai_overview(position) - left).abs() < 1e-4,
            "{position}"
        );
    }
}

#[test]
fn the_strongest_reduction_counts_alone() {
    let layout = with(&[
        Feature::FeaturedSnippet,
        Feature::PaidTop,
        Feature::Shopping,
    ]);
    close(expected_ctr(Placement::plain(1), &layout), 0.285 * 0.481);
}

#[test]
fn only_a_page_known_to_be_plain_gets_the_plain_bonus() {
    let plain = with(&[Feature::RelatedSearches]);
    close(expected_ctr(Placement::plain(2), &plain), 0.157 * 1.2);
    let unknown = SerpLayout::new(Vec::new(), FeatureCoverage::Absent, None);
    close(expected_ctr(Placement::plain(2), &unknown), 0.157);
    let pictures = with(&[Feature::Images]);
    close(expected_ctr(Placement::plain(2), &pictures), 0.157);
    assert!(pictures.has_unknown_effects() && !plain.has_unknown_effects());
}

#[test]
fn ai_overview_affects_informational_searches_only() {
    for intent in [
        Intent::Navigational,
        Intent::Transactional,
        Intent::Commercial,
    ] {
        let layout = SerpLayout::new(
            vec![Feature::AiOverview],
            FeatureCoverage::Complete,
            Some(intent),
        );
        close(expected_ctr(Placement::plain(1), &layout), 0.285);
    }
}

#[test]
fn own_sitelinks_help_at_position_one_only() {
    let layout = SerpLayout::new(Vec::new(), FeatureCoverage::Partial, None);
    let linked = |position| Placement {
        position,
        has_sitelinks: true,
    };
    close(expected_ctr(linked(1), &layout), 0.285 * 1.646);
    close(expected_ctr(linked(2), &layout), 0.157);
}

fn any_layout() -> impl Strategy<Value = SerpLayout> {
    proptest::collection::vec(proptest::sample::select(Feature::ALL.to_vec()), 0..6)
        .prop_map(|it| with(&it))
}

proptest! {
    #[test]
    fn ctr_never_rises_with_position(layout in any_layout(), position in 1_u32..120) {
        // The overview reduces position 1 more (0.420) than position 2 (0.492), which keeps the order.
        let here = expected_ctr(Placement::plain(position), &layout);
        let below = expected_ctr(Placement::plain(position + 1), &layout);
        prop_assert!(below <= here + 1e-12);
        prop_assert!((0.0..=MAX_CTR).contains(&here));
    }
}
