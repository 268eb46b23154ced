//! Competitors, their figures, and properties.

use super::{head_to_head::HeadToHeads, *};
use crate::provenance::RecordStatus;
use crate::search_panel::tests::{own_sites, panel};
use crate::search_panel::{OWN, Panel};
use proptest::prelude::*;

struct Known {
    pinned: BTreeMap<String, Pinned>,
    home_page_types: BTreeMap<String, Vec<String>>,
    earlier: BTreeMap<String, EarlierCompetitor>,
    ai: BTreeMap<String, AiRates>,
}

fn nothing_known() -> Known {
    Known {
        pinned: BTreeMap::new(),
        home_page_types: BTreeMap::new(),
        earlier: BTreeMap::new(),
        ai: BTreeMap::new(),
    }
}

fn found(panel: &Panel<'_>, known: &Known) -> Vec<CompetitorRecord> {
    competitors(
        panel,
        &CompetitorsContext {
            project_id: 1,
            pinned: &known.pinned,
            home_page_types: &known.home_page_types,
            earlier: &known.earlier,
            ai: &known.ai,
            provider: None,
        },
    )
}

fn of<'r>(records: &'r [CompetitorRecord], domain: &str) -> &'r CompetitorRecord {
    records.iter().find(|it| it.domain == domain).unwrap()
}

/// The project has eight keywords in the top 20; `a` shares four, and has two more.
const PAGES: [(Option<u64>, &str); 10] = [
    (Some(100), "aob"),
    (Some(100), "oab"),
    (Some(100), "aob"),
    (Some(100), "bcdefghijkao"),
    (Some(100), "oc"),
    (Some(100), "oc"),
    (Some(100), "oc"),
    (Some(100), "oc"),
    (Some(100), "abcdefghijkabcdefghij"),
    (Some(100), "bcadefghijkbcdefghijko"),
];

#[test]
fn overlaps_are_those_of_the_sets() {
    let own = own_sites();
    let panel = panel(&own, &PAGES);
    let records = found(&panel, &nothing_known());
    let a = of(&records, "a-site.com");
    assert_eq!(
        (a.own_keywords, a.competitor_keywords, a.common_keywords),
        (8, 6, 4)
    );
    assert_eq!(a.keyword_overlap, Some(0.4));
    assert_eq!(a.topicality, Some(0.5));
    assert!((a.similarity.unwrap() - 4.0 / 6.0).abs() < 1e-12);
    // It ranks higher in three of four.
    assert_eq!(a.head_to_head_win_rate, Some(0.75));
    let positions = a.average_position_common.unwrap();
    assert!((positions.own - (2.0 + 1.0 + 2.0 + 12.0) / 4.0).abs() < 1e-12);
    assert!((positions.competitor - (1.0 + 2.0 + 1.0 + 11.0) / 4.0).abs() < 1e-12);
    assert_eq!(a.envelope.status, RecordStatus::Ok);
    assert_eq!(
        (a.class, a.class_source),
        (SiteClass::Direct, ClassSource::Assumed)
    );
}

/// Keys.so: 700 common keywords of 1,400 and 1,000 are a topicality of half and a similarity of 70 %.
#[test]
fn the_example_of_keys_so_is_met() {
    let own = own_sites();
    let mut pages = vec![(None, "oa"); 7];
    pages.extend([(None, "ob"); 7]);
    pages.extend([(None, "ab"); 3]);
    let panel = panel(&own, &pages);
    let records = found(&panel, &nothing_known());
    let a = of(&records, "a-site.com");
    assert_eq!((a.topicality, a.similarity), (Some(0.5), Some(0.7)));
}

#[test]
fn a_gap_needs_their_top_ten_and_our_known_absence() {
    let own = own_sites();
    let panel = panel(&own, &PAGES);
    let records = found(&panel, &nothing_known());
    let a = of(&records, "a-site.com");
    let gaps: Vec<_> = a
        .gap_keywords
        .iter()
        .map(|it| (it.keyword_id, it.their_position, it.our_position))
        .collect();
    // Keyword 4 is not a gap: the project is at 12. Keyword 9 has 21 results without the project.
    assert_eq!(gaps, [(9, 1, None), (10, 3, Some(22))]);
    let first = &a.gap_keywords[0];
    assert!((first.potential_clicks.unwrap() - 28.5).abs() < 1e-9);
    assert_eq!(a.gap_keyword_count, 2);
    // Pages of two results do not show that `a` is below 20.
    assert!(a.advantage_keywords.is_empty());
    assert!(a.envelope.warnings.contains(&"shallowPages".to_owned()));
}

#[test]
fn advantages_mirror_gaps() {
    let own = own_sites();
    let deep = "ocdefghijkbcdefghijkc";
    let pages: Vec<(Option<u64>, &str)> = std::iter::repeat_n((Some(10), deep), 5)
        .chain([(Some(10), "oa")])
        .collect();
    let panel = panel(&own, &pages);
    let records = found(&panel, &nothing_known());
    let a = of(&records, "a-site.com");
    assert_eq!((a.advantage_keyword_count, a.gap_keyword_count), (5, 0));
    let first = &a.advantage_keywords[0];
    assert_eq!((first.our_position, first.their_position), (1, None));
    assert!((first.estimated_clicks.unwrap() - 2.85).abs() < 1e-9);
    assert!(!a.envelope.warnings.is_empty());
}

#[test]
fn with_few_own_keywords_clicks_decide_the_order() {
    let own = own_sites();
    let panel = panel(&own, &[(Some(10), "aob"), (Some(900), "ba")]);
    let records = found(&panel, &nothing_known());
    assert_eq!(records[0].domain, "b-site.com");
    assert_eq!(records[0].envelope.status, RecordStatus::InsufficientData);
    assert_eq!(
        (records[0].competitor_score, records[0].keyword_overlap),
        (None, None)
    );
    assert!(records[0].sov.is_some());
    assert!(
        records[0]
            .envelope
            .warnings
            .contains(&"fewOwnKeywords".to_owned())
    );
}

#[test]
fn pins_and_classes_apply_and_platforms_are_limited() {
    let own = own_sites();
    let mut known = nothing_known();
    for (name, class, is_tracked) in [
        ("c-site.com", Some(SiteClass::Platform), false),
        ("nowhere.com", None, true),
        ("b-site.com", Some(SiteClass::Directory), true),
    ] {
        known
            .pinned
            .insert(name.into(), Pinned { class, is_tracked });
    }
    let news = vec!["https://schema.org/NewsMediaOrganization".to_owned()];
    known.home_page_types.insert("a-site.com".into(), news);
    let panel = panel(&own, &PAGES);
    let records = found(&panel, &known);
    let c = of(&records, "c-site.com");
    assert_eq!((c.rank, c.class_source), (None, ClassSource::User));
    let a = of(&records, "a-site.com");
    assert_eq!(
        (a.class, a.class_source),
        (SiteClass::Publisher, ClassSource::HomePage)
    );
    let b = of(&records, "b-site.com");
    assert_eq!(
        (b.class, b.source),
        (SiteClass::Directory, CompetitorSource::User)
    );
    let nowhere = records.last().unwrap();
    assert_eq!(
        (nowhere.domain.as_str(), nowhere.common_keywords),
        ("nowhere.com", 0)
    );
    assert!(nowhere.is_tracked && nowhere.envelope.warnings.contains(&"notSeen".to_owned()));
    assert_eq!(nowhere.sov, Some(0.0));
    let ranks: Vec<u32> = records.iter().filter_map(|it| it.rank).collect();
    assert_eq!(ranks, (1..).take(ranks.len()).collect::<Vec<u32>>());
    let summary = CompetitorsSummary::of(&records, &panel);
    assert_eq!((summary.own_keywords, summary.tracked), (8, 2));
    assert_eq!(summary.domains_seen, 11);
}

#[test]
fn earlier_values_are_carried_over() {
    let own = own_sites();
    let mut known = nothing_known();
    let first = chrono::DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let earlier = EarlierCompetitor {
        first_seen_at: first,
        sov_30_days_ago: Some(0.1),
    };
    known.earlier.insert("a-site.com".into(), earlier);
    let rates = AiRates {
        mention_rate: Some(0.3),
        citation_rate: None,
    };
    known.ai.insert("a-site.com".into(), rates);
    let panel = panel(&own, &PAGES);
    let records = found(&panel, &known);
    let a = of(&records, "a-site.com");
    assert_eq!(
        (a.first_seen_at, a.ai_mention_rate, a.ai_citation_rate),
        (first, Some(0.3), None)
    );
    assert!((a.trend30.unwrap() - (a.sov.unwrap() - 0.1)).abs() < 1e-12);
    let b = of(&records, "b-site.com");
    assert_eq!(
        (b.trend30, b.ai_mention_rate, b.ai_overview_citation_rate),
        (None, None, None)
    );
    assert_eq!(b.first_seen_at, panel.measured_at());
    let json = serde_json::to_value(a).unwrap();
    let back: CompetitorRecord = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&back).unwrap(), json);
}

#[test]
fn the_strongest_is_a_business_that_shares_keywords() {
    let own = own_sites();
    let strongest = |pages: &[(Option<u64>, &str)], known: &Known| {
        let panel = panel(&own, pages);
        CompetitorsSummary::of(&found(&panel, known), &panel).strongest
    };
    let known = nothing_known();
    let first = Some("c-site.com".to_owned());
    assert_eq!(strongest(&PAGES, &known), first);
    for class in [
        SiteClass::Publisher,
        SiteClass::Directory,
        SiteClass::Platform,
    ] {
        let mut known = nothing_known();
        let pin = Pinned {
            class: Some(class),
            is_tracked: false,
        };
        known.pinned.insert("c-site.com".to_owned(), pin);
        assert_ne!(strongest(&PAGES, &known), first, "{class:?}");
    }
    // Five own keywords, of which two are shared.
    let few = [
        (Some(100), "oa"),
        (Some(100), "oa"),
        (Some(100), "o"),
        (Some(100), "o"),
        (Some(100), "o"),
    ];
    assert_eq!(strongest(&few, &known), None);
    // Three shared of forty are less than a tenth.
    let mut many = vec![(Some(100), "o"); 37];
    many.extend([(Some(100), "oa"); 3]);
    assert_eq!(strongest(&many, &known), None);
}

proptest! {
    #[test]
    fn overlap_is_symmetric_and_one_with_itself(
        pages in proptest::collection::vec("[abo]{1,30}", 1..12)
    ) {
        let own = own_sites();
        let pages: Vec<(Option<u64>, &str)> = pages.iter().map(|it| (Some(10), it.as_str())).collect();
        let there = panel(&own, &pages);
        let swapped: Vec<String> = pages
            .iter()
            .map(|(_, it)| it.replace('o', "#").replace('a', "o").replace('#', "a"))
            .collect();
        let swapped: Vec<(Option<u64>, &str)> = swapped.iter().map(|it| (Some(10), it.as_str())).collect();
        let back = panel(&own, &swapped);
        let (one, other) = (HeadToHeads::new(&there, true), HeadToHeads::new(&back, true));
        let ours = one.own();
        if ours.keywords > 0 {
            prop_assert_eq!(ours.keyword_overlap(ours.keywords), Some(1.0));
            prop_assert!((ours.traffic_overlap(ours.clicks).unwrap() - 1.0).abs() < 1e-9);
        }
        let duel = |panel: &Panel<'_>, duels: &HeadToHeads| panel.domain("a-site.com").map(|id| duels.by_domain[id as usize]);
        if let (Some(a), Some(b)) = (duel(&there, &one), duel(&back, &other)) {
            prop_assert_eq!(a.keyword_overlap(ours.keywords), b.keyword_overlap(other.own().keywords));
            let (here, mirrored) = (a.traffic_overlap(ours.clicks), b.traffic_overlap(other.own().clicks));
            prop_assert!((here.unwrap_or(0.0) - mirrored.unwrap_or(0.0)).abs() < 1e-9);
            if let (Some(won), Some(lost)) = (a.win_rate(), b.win_rate()) {
                prop_assert!((won + lost - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn everything_lies_in_its_bounds(pages in proptest::collection::vec((0_u64..900, "[a-fo]{1,40}"), 1..20)) {
        let own = own_sites();
        let pages: Vec<(Option<u64>, &str)> = pages.iter().map(|(volume, it)| (Some(*volume), it.as_str())).collect();
        let panel = panel(&own, &pages);
        let records = found(&panel, &nothing_known());
        for record in &records {
            let shares = [
                record.keyword_overlap, record.topicality, record.similarity, record.traffic_overlap,
                record.head_to_head_win_rate, record.sov,
            ];
            prop_assert!(shares.into_iter().flatten().all(|it| (0.0..=1.0).contains(&it)));
            prop_assert!(record.competitor_score.is_none_or(|it| (0.0..=100.0 + 1e-9).contains(&it)));
            prop_assert!(record.gap_keywords.len() as u64 <= record.gap_keyword_count);
            prop_assert_ne!(&record.domain, panel.name(OWN));
        }
        prop_assert!(records.windows(2).all(|pair| pair[0].competitor_score >= pair[1].competitor_score));
    }
}
