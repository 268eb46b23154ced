//! The nine edits of the GEO paper (Aggarwal et al., KDD '24) and their effect on the score. Edits replace
//! words, as in the paper, so that shares of words stay.

use super::*;
use crate::findings::sample_pages::link;
use proptest::prelude::*;

fn with_statistics(page: &PageContent) -> PageContent {
    edited(page, |_, text| {
        text.replacen("many people", "73 % people", 1)
    })
}

fn with_quotations(page: &PageContent) -> PageContent {
    edited(page, |_, text| {
        text.replacen(
            "It is known that many people like the old house near the river in spring.",
            "As Jane Doe said: “Many people like the old house near the river in spring.”",
            1,
        )
    })
}

fn with_sources(page: &PageContent, count: usize) -> PageContent {
    let mut page = page.clone();
    for at in 0..count {
        let url = format!("https://source{at}.example/paper");
        page.links.push(link(&url, "a study"));
    }
    page
}

fn stuffed(page: &PageContent) -> PageContent {
    edited(page, |_, text| {
        text.replace(
            "in spring.",
            "in spring. The old house, the best old house.",
        )
    })
}

fn score(page: &PageContent) -> f64 {
    let keywords = ["best old house".to_owned()];
    let input = GeoInput {
        keywords: &keywords,
        ..input(page)
    };
    evaluate(&input, &context()).geo_score.unwrap()
}

/// Values of all factors except `left_out`.
fn others(page: &PageContent, left_out: &[FactorCode]) -> Vec<Option<f64>> {
    let record = evaluated(page);
    let kept = record
        .factors
        .iter()
        .filter(|it| !left_out.contains(&it.code));
    kept.map(|it| it.value).collect()
}

#[test]
fn statistics_quotations_and_sources_raise_the_score() {
    let plain = plain_article();
    for (better, code) in [
        (with_statistics(&plain), FactorCode::Statistics),
        (with_quotations(&plain), FactorCode::Quotations),
        (with_sources(&plain, 2), FactorCode::Citations),
    ] {
        assert!(score(&better) > score(&plain) + 3.0, "{code:?}");
        assert!(value(&evaluated(&better), code) > value(&evaluated(&plain), code));
        // Only fluency may change too.
        let left_out = [code, FactorCode::Fluency];
        assert_eq!(
            others(&better, &left_out),
            others(&plain, &left_out),
            "{code:?}"
        );
    }
}

#[test]
fn stuffing_lowers_the_score_and_is_named() {
    let plain = plain_article();
    let stuffed = stuffed(&plain);
    assert!(score(&stuffed) < score(&plain) - 4.0);
    let keywords = ["best old house".to_owned()];
    let record = evaluate(
        &GeoInput {
            keywords: &keywords,
            ..input(&stuffed)
        },
        &context(),
    );
    let found = record.stuffing.unwrap();
    assert_eq!((found.phrase.as_str(), found.uses), ("best old house", 25));
}

#[test]
fn title_phrases_are_checked_for_stuffing() {
    let mut page = plain_article();
    assert!(evaluated(&page).stuffing.is_none());
    set_title(&mut page, "House near the river");
    assert_eq!(
        evaluated(&page).stuffing.unwrap().phrase,
        "house near the river"
    );
}

#[test]
fn plainer_words_never_lower_the_score() {
    let hard = edited(&plain_article(), |_, text| {
        text.replace("like", "unquestionably appreciate")
            .replace("old", "architecturally extraordinary")
    });
    let easy = plain_article();
    assert!(
        value(&evaluated(&easy), FactorCode::Fluency)
            > value(&evaluated(&hard), FactorCode::Fluency)
    );
    assert!(score(&easy) > score(&hard));
}

#[test]
fn tone_technical_and_unique_words_change_nothing_but_fluency() {
    let plain = plain_article();
    let edits: [fn(usize, &str) -> String; 3] = [
        // Authoritative tone.
        |_, text| text.replace("It is known that", "We can assure you"),
        // Technical terms.
        |_, text| text.replace("house", "edifice"),
        // Unique words.
        |at, text| {
            text.replacen(
                "spring",
                ["a", "autumn", "winter", "summer", "May", "heat"][at % 6],
                1,
            )
        },
    ];
    for edit in edits {
        let other = edited(&plain, edit);
        let left_out = [FactorCode::Fluency];
        assert_eq!(others(&other, &left_out), others(&plain, &left_out));
    }
}

/// Pages of sentences that every edit applies to.
fn any_page() -> impl Strategy<Value = PageContent> {
    let sentence = prop::sample::select(vec![
        "It is known that many people like the old house near the river in spring.",
        "The mill is a building that uses the power of water to grind grain.",
        "Compared with the new one it is rather small.",
        "About 250 visitors come each day.",
        "“It was the best day of my life,” said John Smith.",
        "Nobody knows.",
        "A visit takes some 40 minutes and costs 12 €.",
    ]);
    let block = (prop::collection::vec(sentence, 1..7), 0..6_u8).prop_map(|(all, kind)| {
        let kind = match kind {
            0 => BlockKind::Heading(2),
            1 => BlockKind::ListItem,
            2 => BlockKind::Quote,
            _ => BlockKind::Paragraph,
        };
        (kind, all.join(" "))
    });
    prop::collection::vec(block, 1..12).prop_map(|blocks| {
        let blocks: Vec<_> = blocks
            .iter()
            .map(|(kind, text)| (*kind, text.as_str()))
            .collect();
        page("https://example.com/house", &blocks)
    })
}

/// The score without fluency, which any word can change.
fn without_fluency(page: &PageContent) -> f64 {
    let record = evaluated(page);
    let known = record
        .factors
        .iter()
        .filter(|it| it.code != FactorCode::Fluency);
    known
        .map(|it| it.weight * it.value.unwrap_or_default())
        .sum()
}

proptest! {
    #[test]
    fn adding_evidence_never_lowers_the_score(page in any_page(), sources in 1..6_usize) {
        let before = without_fluency(&page);
        prop_assert!(without_fluency(&with_statistics(&page)) >= before - 1e-9);
        prop_assert!(without_fluency(&with_quotations(&page)) >= before - 1e-9);
        prop_assert!(score(&with_sources(&page, sources)) >= score(&page) - 1e-9);
    }

    #[test]
    fn stuffing_never_raises_the_score(page in any_page()) {
        let stuffed = stuffed(&page);
        let keywords = ["best old house".to_owned()];
        let record = evaluate(&GeoInput { keywords: &keywords, ..input(&stuffed) }, &context());
        // Fewer than eight uses are not stuffing.
        if record.stuffing.is_some() {
            prop_assert!(record.geo_score.unwrap() <= score(&page) + 1e-9);
        }
    }

    #[test]
    fn the_score_is_monotone_in_every_factor(
        values in prop::collection::vec(0.0..=1.0, 11), which in 0..11_usize, higher in 0.0..=1.0, gates in 0.0..=1.0,
    ) {
        let factors = |values: &[f64]| -> Vec<Factor> {
            FactorCode::ALL.iter().zip(values).map(|(code, value)| Factor {
                code: *code, weight: code.weight(), value: Some(*value), measured: None, target: None, evidence: Vec::new(),
            }).collect()
        };
        let score = |values: &[f64]| crate::findings::geo_score::evaluate::score(&factors(values), gates, 0.0).unwrap();
        let mut better = values.clone();
        better[which] = f64::max(values[which], higher);
        prop_assert!(score(&better) >= score(&values) - 1e-9);
        prop_assert!((0.0..=100.0).contains(&score(&values)));
    }
}
