//! Golden values and properties of the record, the score and the summary.

use super::*;
use crate::findings::envelope::FindingContext;
use crate::findings::issues::{Issue, IssueCode, IssueCollector, PageContext, page_issues};
use crate::observation::page_content::{
    Block, BlockKind, Heading, MAX_LINKS, MainText, Meta, MetaKey, PageContent, PlacedText,
    TagSource, TextSource,
};
use crate::observation::web_site::{CrawlScope, Truncation};
use crate::page_kind::{PageKind, page_kind};
use crate::provenance::RecordStatus;
use crate::text::counts::count;
use crate::text::language::Language;
use chrono::DateTime;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn page(url: &str, title: &str, h1: &str, paragraphs: &[&str]) -> PageContent {
    let mut page = PageContent::blank(url);
    page.titles = vec![PlacedText {
        text: title.to_owned(),
        source: TagSource::Head,
    }];
    page.headings = vec![Heading {
        level: 1,
        text: Some(h1.to_owned()),
        is_image_alt: false,
        line: 1,
    }];
    let blocks = paragraphs.iter().map(|it| Block {
        kind: BlockKind::Paragraph,
        text: (*it).to_owned(),
    });
    page.text.main = MainText {
        blocks: blocks.collect(),
        source: TextSource::Elements,
    };
    page.text.language = Some(Language::English);
    page.text.counts = count(&page.text.main.text(), page.text.language);
    page
}

fn record(page: &PageContent, issues: Vec<Issue>, keywords: &[String]) -> ContentRecord {
    let scope = CrawlScope::from_host("example.com");
    let context = ContentContext {
        finding: FindingContext {
            project_id: 7,
            measured_at: DateTime::UNIX_EPOCH,
        },
        kind: page_kind(page),
        scope: &scope,
        keywords,
    };
    content_record(page, SiteFacts::default(), issues, &context)
}

/// Field names of the API.
#[test]
fn a_record_has_every_field() {
    let page = page("https://example.com/x", "T", "H", &["Some words."]);
    let json = serde_json::to_value(record(&page, Vec::new(), &[])).unwrap();
    let of = |json: &serde_json::Value| -> BTreeSet<String> {
        json.as_object().unwrap().keys().cloned().collect()
    };
    for name in [
        "url",
        "language",
        "title",
        "metaDescription",
        "headings",
        "wordCount",
        "mainWordCount",
        "textHtmlRatio",
        "sentences",
        "averageSentenceLength",
        "readability",
        "keyword",
        "uniqueness",
        "images",
        "links",
        "freshness",
        "thin",
        "contentScore",
        "issues",
        "methodVersion",
    ] {
        assert!(of(&json).contains(name), "{name}");
    }
    let names =
        |list: &[&str]| -> BTreeSet<String> { list.iter().map(|it| (*it).to_owned()).collect() };
    assert_eq!(
        of(&json["title"]),
        names(&["text", "length", "pixelWidth", "truncated", "duplicateOf"])
    );
    assert_eq!(
        of(&json["language"]),
        names(&["declared", "detected", "confidence"])
    );
    assert_eq!(
        of(&json["freshness"]),
        names(&["published", "modified", "source"])
    );
    assert_eq!(
        of(&json["uniqueness"]),
        names(&["exactDuplicates", "nearest", "clusterId"])
    );
    assert!(
        of(&json["readability"]).is_superset(&names(&["formula", "score", "band", "lix", "grade"]))
    );
    assert!(of(&json["images"]).is_superset(&names(&[
        "count",
        "withoutAlt",
        "withoutSize",
        "oversized"
    ])));
    assert!(of(&json["links"]).is_superset(&names(&[
        "internal", "external", "nofollow", "inlinks", "depth"
    ])));
    let stored: ContentRecord = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(stored).unwrap(), json);
}

#[test]
fn a_truncated_page_has_no_counts() {
    let text = "Clay is mixed with sand. ".repeat(60);
    let page = page("https://example.com/clay", "Clay", "Clay", &[&text]);
    let (mut cut, mut unparsed) = (page.clone(), page.clone());
    cut.fetched.truncation = Truncation::AtLimit;
    unparsed.document.parser_limit = true;
    for (page, warning) in [(&cut, "bodyCut"), (&unparsed, "parserLimit")] {
        let found = record(page, Vec::new(), &["clay".to_owned()]);
        assert_eq!(found.envelope.status, RecordStatus::Partial);
        assert_eq!(found.envelope.warnings, [warning]);
        assert_eq!(
            (found.word_count, found.main_word_count, found.sentences),
            (None, None, None)
        );
        assert_eq!(
            (found.average_sentence_length, found.text_html_ratio),
            (None, None)
        );
        assert_eq!(
            (found.readability, found.keyword),
            (ReadabilityFacts::default(), None)
        );
        assert_eq!(found.content_score, None);
    }
    // Without a structure, links and images are still complete.
    let of = |page: &PageContent| record(page, Vec::new(), &[]);
    assert_eq!(
        (of(&cut).links.internal, of(&cut).images.count),
        (None, None)
    );
    assert_eq!(
        (of(&unparsed).links.internal, of(&unparsed).images.count),
        (Some(0), Some(0))
    );
    let whole = of(&page);
    assert!(whole.content_score.is_some() && whole.main_word_count == Some(300));
    assert_eq!(whole.envelope.warnings, [""; 0]);
}

#[test]
fn truncated_lists_add_warnings() {
    let mut page = page("https://example.com/x", "T", "H", &["Some words."]);
    page.headings = vec![page.headings[0].clone(); 201];
    let found = record(&page, Vec::new(), &[]);
    assert_eq!(found.headings.len(), 200);
    assert_eq!(found.envelope.warnings, ["headingsCut"]);
    page.headings.truncate(200);
    assert_eq!(record(&page, Vec::new(), &[]).envelope.warnings, [""; 0]);
    page.links = vec![crate::findings::sample_pages::link("https://example.com/y", "y"); MAX_LINKS];
    let found = record(&page, Vec::new(), &[]);
    assert_eq!(found.envelope.warnings, ["linksCut"]);
    assert_eq!((found.links.internal, found.images.count), (None, Some(0)));
}

/// Golden widths.
#[test]
fn snippet_widths_match_search_results() {
    let fox = "The quick brown fox jumps over the lazy dog";
    let mut page = page("https://example.com/x", fox, "H", &[]);
    page.metas = vec![Meta {
        key: MetaKey::Name,
        name: "description".into(),
        content: fox.into(),
        source: TagSource::Head,
    }];
    let found = record(&page, Vec::new(), &[]);
    assert!((found.title.pixel_width.unwrap() - 395.75).abs() < 0.005);
    assert!((found.meta_description.pixel_width.unwrap() - 277.03).abs() < 0.005);
    assert_eq!((found.title.length, found.title.truncated), (43, false));
}

/// The formula on golden counts: 28 words, 3 sentences, 51 syllables, LIX 48.59.
/// A score needs 100 words, so the text is repeated four times; means and shares stay.
#[test]
fn readability_matches_golden_counts() {
    let text = "The Web Content Accessibility Guidelines explain how to make web content more accessible to \
        people with disabilities. They cover many recommendations. Following them makes content usable for everyone.";
    let page = page("https://example.com/x", "T", "H", &[text; 4]);
    let found = record(&page, Vec::new(), &[]);
    assert_eq!(
        (found.main_word_count, found.sentences),
        (Some(4 * 28), Some(4 * 3))
    );
    assert!((found.average_sentence_length.unwrap() - 28.0 / 3.0).abs() < 1e-12);
    assert!(
        (found.readability.lix.unwrap() - 48.59).abs() < 0.05,
        "{:?}",
        found.readability
    );
}

#[test]
fn a_keyword_is_searched_in_eight_places() {
    let mut page = page(
        "https://example.com/glazed-cups",
        "Glazed cups by hand",
        "Our cups",
        &[
            "We make glazed cups every day.",
            "Nothing else is made here.",
        ],
    );
    page.headings.push(Heading {
        level: 2,
        text: Some("How glazed cups dry".into()),
        is_image_alt: false,
        line: 2,
    });
    let facts = keyword_facts(&page, "glazed cup", &[]);
    let found = facts.coverage;
    assert!(found.title && found.first_100_words && found.h2 && found.url_slug && found.body);
    assert!(!found.h1 && !found.meta_description && !found.image_alt);
    assert!((facts.coverage_score - 70.0).abs() < 1e-12);
    assert_eq!((facts.uses, facts.stuffing), (1, false));
    // 2 words of 11.
    assert!((facts.density.unwrap() - 2.0 / 11.0).abs() < 1e-12);
}

/// The flag is set exactly if the issue names the keyword.
#[test]
fn the_stuffing_flag_matches_the_issue() {
    let with = |title: &str, uses: usize| {
        let text = "salt glaze ".repeat(uses) + &"clay ".repeat(300 - 2 * uses);
        page("https://example.com/x", title, "H", &[&text])
    };
    let scope = CrawlScope::from_host("example.com");
    let decided = |page: &PageContent, keywords: &[String]| {
        let context = PageContext {
            kind: PageKind::Other,
            scope: &scope,
            schema: None,
            vitals: &[],
            keywords,
            has_traffic: None,
        };
        let issues = page_issues(page, &context);
        let is_reported = issues
            .iter()
            .any(|it| it.code == IssueCode::KeywordStuffing);
        let keyword = record(page, issues, keywords).keyword.unwrap();
        assert_eq!(keyword.stuffing, is_reported, "{keyword:?}");
        is_reported
    };
    let given = ["salt glaze".to_owned()];
    // 8 uses are 5.3 % of the words, 12 are 8 %.
    for (uses, by_title, by_keyword) in [
        (3, false, false),
        (5, false, false),
        (8, false, true),
        (12, true, true),
    ] {
        let page = with("Salt glaze", uses);
        assert_eq!(
            (decided(&page, &[]), decided(&page, &given)),
            (by_title, by_keyword),
            "{uses}"
        );
    }
    // Single words of the title are not checked.
    assert!(!decided(&with("Salt", 12), &[]));
}

#[test]
fn the_probable_keyword_comes_from_title_and_text() {
    let page = page(
        "https://example.com/guides/salt-glaze",
        "Salt glaze at home | The Workshop",
        "Working with salt glaze",
        &[
            "Salt glaze is old.",
            "With salt glaze you need a hot oven.",
            "Workshop.",
        ],
    );
    assert_eq!(probable_keyword(&page).as_deref(), Some("salt glaze"));
    assert_eq!(
        probable_keyword(&PageContent::blank("https://example.com/")),
        None
    );
}

#[test]
fn the_score_is_the_weighted_mean_of_known_parts() {
    assert!((WEIGHTS.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let all = Parts {
        substance: Some(1.0),
        uniqueness: Some(0.5),
        readability: Some(0.6),
        snippet: Some(1.0),
        structure: Some(0.8),
        keyword: Some(0.7),
    };
    // 25 + 10 + 9 + 15 + 8 + 10.5
    assert!((content_score(&all).unwrap() - 77.5).abs() < 1e-9);
    let without = Parts {
        keyword: None,
        ..all
    };
    assert!((content_score(&without).unwrap() - 67.0 / 0.85).abs() < 1e-9);
    assert_eq!(content_score(&Parts::default()), None);
}

fn issue(code: IssueCode) -> Vec<Issue> {
    let mut found = IssueCollector::default();
    found.add(code, None);
    found.finished()
}

#[test]
fn health_counts_pages_with_errors_and_weighs_groups() {
    let one = |issues| {
        record(
            &page("https://example.com/x", "T", "H", &["Some words."]),
            issues,
            &[],
        )
    };
    let mut summary = ContentSummary::default();
    summary.add(&one(issue(IssueCode::TitleMissing)));
    summary.add(&one(issue(IssueCode::LangMissing)));
    summary.add(&one(issue(IssueCode::ThinContent)));
    summary.add(&one(Vec::new()));
    summary.add_issues("https://example.com/gone", &issue(IssueCode::Http4xx));
    let summary = summary.finished();
    assert_eq!(
        (summary.pages, summary.pages_with_errors, summary.thin_pages),
        (4, 1, 1)
    );
    assert!((summary.health_score.unwrap() - 75.0).abs() < 1e-12);
    // Title loses 1/4 of its seventeenth; content 0.4/4 and 0.1/4.
    let expected = 100.0 * (1.0 - (0.25 + 0.1 + 0.025) / 17.0);
    assert!((summary.weighted_health.unwrap() - expected).abs() < 1e-9);
    assert_eq!(
        summary.issues[&IssueCode::Http4xx].examples,
        ["https://example.com/gone"]
    );
    assert_eq!(ContentSummary::default().finished().health_score, None);
}

proptest! {
    #[test]
    fn no_part_lowers_the_score_when_it_grows(parts in proptest::array::uniform6(0.0_f64..1.0), at in 0_usize..6, more in 0.0_f64..1.0) {
        let of = |it: [f64; 6]| Parts {
            substance: Some(it[0]), uniqueness: Some(it[1]), readability: Some(it[2]),
            snippet: Some(it[3]), structure: Some(it[4]), keyword: Some(it[5]),
        };
        let mut better = parts;
        better[at] = parts[at] + (1.0 - parts[at]) * more;
        let (before, after) = (content_score(&of(parts)).unwrap(), content_score(&of(better)).unwrap());
        prop_assert!(after >= before - 1e-9);
        prop_assert!((0.0..=100.0).contains(&after));
    }

    #[test]
    fn any_page_has_a_record(title in "\\PC{0,40}", h1 in "\\PC{0,40}", text in "\\PC{0,300}", keyword in "\\PC{0,20}") {
        let page = page("https://example.com/x", &title, &h1, &[&text]);
        let found = record(&page, Vec::new(), &[keyword]);
        prop_assert_eq!(found.content_score.is_some(), page.text.counts.words > 0);
        prop_assert!(found.content_score.is_none_or(|it| (0.0..=100.0).contains(&it)));
        let facts = found.keyword.unwrap();
        prop_assert!((0.0..=100.0).contains(&facts.coverage_score));
    }

    /// Repeating the keyword never lowers its coverage.
    #[test]
    fn coverage_does_not_fall_with_more_uses(times in 1_usize..20) {
        let text = "Here are blue cups. ".repeat(times);
        let few = keyword_facts(&page("https://example.com/x", "T", "H", &[&text]), "blue cups", &[]);
        prop_assert_eq!(few.uses as usize, times);
        prop_assert!(few.coverage.body && few.coverage.first_100_words);
    }
}

#[test]
fn a_page_without_main_text_has_no_score() {
    let empty = page(
        "https://example.com/x",
        "A title of a fitting length",
        "H",
        &[],
    );
    let mut summary = ContentSummary::default();
    let mut known = record(&empty, Vec::new(), &[]);
    assert_eq!(known.content_score, None);
    known.indexable = true;
    summary.add(&known);
    let written = page(
        "https://example.com/y",
        "T",
        "H",
        &["Some words about clay."],
    );
    let mut known = record(&written, Vec::new(), &[]);
    known.indexable = true;
    summary.add(&known);
    let summary = summary.finished();
    assert_eq!((summary.pages, summary.scored_pages), (2, 1));
    assert_eq!(summary.average_content_score, known.content_score);
}
