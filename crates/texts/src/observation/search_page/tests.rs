//! Feature names, and snapshots through JSON.

use super::*;

fn page() -> SearchPage {
    SearchPage {
        engine: "google".into(),
        provider: "web search".into(),
        provenance: Provenance::Measured,
        fetched_at: DateTime::from_timestamp(1_790_000_000, 123_456_000).unwrap(),
        calls: 1,
        total_results_estimate: None,
        feature_coverage: FeatureCoverage::Partial,
        blocks: Vec::new(),
        ai_overview: None,
        related: Vec::new(),
        warnings: Vec::new(),
    }
}

#[test]
fn every_feature_serialises_to_its_name() {
    assert_eq!(Feature::ALL.len(), 30);
    for feature in Feature::ALL {
        let json = serde_json::to_value(feature).unwrap();
        assert_eq!(json, feature.name());
        assert_eq!(serde_json::from_value::<Feature>(json).unwrap(), feature);
    }
}

#[test]
fn a_snapshot_round_trips_through_json() {
    let mut page = page();
    page.blocks = vec![
        Block {
            absolute_position: Some(1),
            page: 1,
            content: BlockContent::Feature(FeatureBlock {
                feature: Feature::LocalPack,
                title: None,
                text: None,
                links: vec![PageLink {
                    title: "a".into(),
                    url: "https://a.example/".into(),
                }],
            }),
        },
        Block {
            absolute_position: None,
            page: 1,
            content: BlockContent::Organic(OrganicResult {
                position: 1,
                ..Default::default()
            }),
        },
    ];
    let json = serde_json::to_string(&page).unwrap();
    assert_eq!(serde_json::from_str::<SearchPage>(&json).unwrap(), page);
    assert_eq!((page.depth_checked(), page.features().count()), (1, 1));
}

#[test]
fn an_empty_page_is_blocked_unless_it_reports_zero() {
    let mut page = page();
    assert!(page.is_blocked());
    page.total_results_estimate = Some(0);
    assert!(!page.is_blocked());
}
