use super::*;
use crate::findings::sample_pages::{link, paragraphs, set_title};
use crate::observation::page_content::{
    BlockKind, DetectedLanguage, Image, RobotsDirective, TagSource,
};
use crate::observation::structured_data::MetaProperty;
use crate::observation::web_site::{FetchFailure, Fetched, Placement, Truncation};
use crate::provenance::RecordStatus;
use crate::text::diff::difference;
use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use std::collections::HashSet;

fn context() -> ChangeContext {
    ChangeContext {
        project_id: 7,
        scope: CrawlScope::from_host("example.com"),
        source: ChangeSource::Scheduled,
        owner: PageOwner::Own,
    }
}

fn day(number: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(number)
}

fn begun(page: &PageContent) -> PageHistory {
    PageHistory::new(page.fetched.at)
}

const fn state(page: &PageContent) -> PageState<'_> {
    PageState {
        page,
        site: SiteFacts {
            inlinks: None,
            pages_with_same_text: None,
        },
    }
}

/// The record of a first comparison.
fn compared(before: &PageContent, after: &PageContent) -> ChangeRecord {
    compare(&state(before), &state(after), &begun(before), &context()).record
}

fn names(record: &ChangeRecord) -> Vec<ChangedField> {
    record.fields.iter().map(|it| it.name).collect()
}

const LONG: &str = "Sixteen different words stand in this one long paragraph which nobody will ever edit again today.";

#[test]
fn significance_matches_the_documented_example() {
    // Main text d .3 of weight .6, title d .4 of weight .5.
    let found = significance([(0.6, 0.3), (0.5, 0.4)]);
    assert!((found - 34.4).abs() < 1e-9, "{found}");
    assert!(significance([]).abs() < 1e-12);
    assert!((significance([(1.0, 1.0), (0.1, 0.2)]) - 100.0).abs() < 1e-9);
}

#[test]
fn pages_reproduce_the_significance_example() {
    // 7 of 10 shingles are in both texts, 2 of 5 letters differ in the titles.
    let mut before = paragraphs(&["a b c d e f g h i j"]);
    let mut after = paragraphs(&["a b c d e f g h i j k l m"]);
    set_title(&mut before, "abcde");
    set_title(&mut after, "abcxy");
    let record = compared(&before, &after);
    let moved = |name| record.fields.iter().find(|it| it.name == name).unwrap();
    assert!((moved(ChangedField::MainText).magnitude - 0.3).abs() < 1e-12);
    assert!((moved(ChangedField::Title).magnitude - 0.4).abs() < 1e-12);
    assert!((record.significance.unwrap() - 34.4).abs() < 1e-9);
    assert_eq!(record.change_class, Some(ChangeClass::Moderate));
    assert_eq!(
        (record.added_words, record.removed_words),
        (Some(3), Some(0))
    );
    assert_eq!(record.containment_old, Some(1.0));
}

#[test]
fn classes_begin_at_their_bounds() {
    let golden = [
        (0.0, ChangeClass::None),
        (4.99, ChangeClass::Trivial),
        (5.0, ChangeClass::Minor),
        (19.99, ChangeClass::Minor),
        (20.0, ChangeClass::Moderate),
        (49.99, ChangeClass::Moderate),
        (50.0, ChangeClass::Major),
    ];
    for (significance, class) in golden {
        assert_eq!(ChangeClass::of(significance), class, "{significance}");
    }
}

#[test]
fn noise_is_no_change() {
    let before = paragraphs(&[LONG, "Updated 3 minutes ago, 1,234 views"]);
    let after = paragraphs(&[LONG, "Updated 2 hours ago, 1,301 views"]);
    let record = compared(&before, &after);
    assert_eq!(record.changed, Some(false));
    assert!(record.fields.is_empty() && record.text_diff.is_empty());
    assert_eq!(record.significance, Some(0.0));
    assert_eq!(record.similarity, Some(1.0));
}

#[test]
fn every_field_is_compared() {
    let mut before = paragraphs(&[LONG]);
    set_title(&mut before, "Title");
    before.links.push(link("https://example.com/a", "a"));
    let mut after = before.clone();
    set_title(&mut after, "Other");
    after.document.lang = Some("de".to_owned());
    after.links = vec![
        link("https://example.com/b", "b"),
        link("https://other.example/", "c"),
    ];
    after.response.headers.frame_options = Some("DENY".to_owned());
    after.response.body_bytes = 5_000;
    after.depth = 2;
    after.url = "https://example.com/elsewhere".to_owned();
    let record = compared(&before, &after);
    let expected = [
        ChangedField::FinalUrl,
        ChangedField::Title,
        ChangedField::InternalLinks,
        ChangedField::ExternalLinks,
        ChangedField::Lang,
        ChangedField::Headers,
        ChangedField::Depth,
        ChangedField::BodyBytes,
    ];
    assert_eq!(names(&record), expected);
    let links = &record.fields[2];
    let list = |url: &str| Some(FieldValue::List(vec![url.to_owned()]));
    assert_eq!(links.before, list("https://example.com/a"));
    assert_eq!(links.after, list("https://example.com/b"));
    assert_eq!(
        record.envelope.url.as_deref(),
        Some("https://example.com/page")
    );
}

#[test]
fn urls_are_compared_and_reported_verbatim() {
    let linking = |url: &str| {
        let mut page = paragraphs(&[LONG]);
        page.links.push(link(url, "a"));
        page
    };
    let pairs = [
        (
            "https://example.com/product-10000001.html",
            "https://example.com/product-20000002.html",
        ),
        ("https://example.com:49495/x", "https://example.com:49496/x"),
        (
            "https://example.com/at/12:30",
            "https://example.com/at/12:31",
        ),
    ];
    for (was, is) in pairs {
        let record = compared(&linking(was), &linking(is));
        assert_eq!(record.fields.len(), 1, "{is}");
        let list = |url: &str| Some(FieldValue::List(vec![url.to_owned()]));
        let change = &record.fields[0];
        assert_eq!((&change.before, &change.after), (&list(was), &list(is)));
    }
    let built = |hash: &str| linking(&format!("https://example.com/list.{hash}.pdf"));
    assert_eq!(
        compared(&built("3f2a9c1b"), &built("00c0ffee")).changed,
        Some(false)
    );
    // The reported URL keeps the hash.
    let record = compared(&built("3f2a9c1b"), &paragraphs(&[LONG]));
    let expected = FieldValue::List(vec!["https://example.com/list.3f2a9c1b.pdf".to_owned()]);
    assert_eq!(record.fields[0].before, Some(expected));
}

fn picture(url: &str) -> Image {
    Image {
        url: Some(url.to_owned()),
        alt: None,
        is_named_otherwise: false,
        width: None,
        height: None,
        has_size: false,
        in_picture: false,
        in_link: false,
        in_main_text: true,
        is_lazy: false,
        placement: Placement::Content,
        line: 1,
    }
}

#[test]
fn image_urls_with_different_numbers_differ() {
    let showing = |number: u32| {
        let mut page = paragraphs(&[LONG]);
        let url = format!("https://example.com/pic-{number}.jpg");
        page.images.push(picture(&url));
        page.structured_data.open_graph.push(MetaProperty {
            name: "og:image".to_owned(),
            content: url,
        });
        page
    };
    let record = compared(&showing(11_111_111), &showing(22_222_222));
    assert_eq!(
        names(&record),
        [ChangedField::Images, ChangedField::SocialCards]
    );
}

#[test]
fn csp_nonces_are_noise_and_csp_rules_are_not() {
    let policy = |text: &str| {
        let mut page = paragraphs(&[LONG]);
        page.response.headers.content_security_policy = Some(text.to_owned());
        page
    };
    let before = policy("script-src 'nonce-aBc123' 'self'");
    let changed = |is: &str| compared(&before, &policy(is)).changed;
    assert_eq!(changed("script-src 'nonce-XyZ789' 'self'"), Some(false));
    assert_eq!(changed("script-src 'nonce-XyZ789' *"), Some(true));
}

#[test]
fn losing_indexability_is_a_major_change() {
    let before = paragraphs(&[LONG]);
    let mut after = before.clone();
    let directive = RobotsDirective::from_meta(None, "noindex", TagSource::Head);
    after.robots.push(directive);
    let record = compared(&before, &after);
    assert_eq!(
        names(&record),
        [ChangedField::Indexable, ChangedField::Robots]
    );
    assert_eq!(record.change_class, Some(ChangeClass::Major));
}

#[test]
fn indexability_changes_are_reported_both_ways() {
    let listed = paragraphs(&[LONG]);
    let mut unlisted = listed.clone();
    let directive = RobotsDirective::from_meta(None, "noindex", TagSource::Head);
    unlisted.robots.push(directive);
    let indexable_change = |record: &ChangeRecord| {
        let mut all = record.fields.iter();
        let found = all.find(|it| it.name == ChangedField::Indexable)?;
        Some((found.before.clone(), found.after.clone()))
    };
    let flags = |was, is| Some((Some(FieldValue::Flag(was)), Some(FieldValue::Flag(is))));
    let there = compared(&listed, &unlisted);
    let back = compared(&unlisted, &listed);
    assert_eq!(indexable_change(&there), flags(true, false));
    assert_eq!(indexable_change(&back), flags(false, true));
    assert_eq!(names(&there), names(&back));
    assert_eq!(back.change_class, Some(ChangeClass::Major));
    // The same after a block or redirect: the last report counts, not the stored page.
    let mut moved = Fetched::plain("https://example.com/elsewhere", 200);
    moved.at = day(1);
    for gone in [Unread::Blocked(day(1)), Unread::Redirected(&moved)] {
        let gone = compare_unread(&state(&listed), gone, &begun(&listed), &context());
        assert_eq!(indexable_change(&gone.record), flags(true, false));
        let after = |now| compare(&state(&listed), &state(now), &gone.history, &context());
        assert_eq!(indexable_change(&after(&listed).record), flags(false, true));
        assert_eq!(indexable_change(&after(&unlisted).record), None);
    }
    let gone = Unread::Blocked(day(1));
    let gone = compare_unread(&state(&unlisted), gone, &begun(&unlisted), &context());
    assert_eq!(indexable_change(&gone.record), None);
    let after = |now| compare(&state(&unlisted), &state(now), &gone.history, &context());
    assert_eq!(indexable_change(&after(&listed).record), flags(false, true));
    assert_eq!(indexable_change(&after(&unlisted).record), None);
}

#[test]
fn directives_without_effect_are_no_change() {
    let before = paragraphs(&[LONG]);
    let mut after = before.clone();
    after.robots.push(RobotsDirective::from_header(
        "index, follow, max-image-preview:large",
    ));
    assert_eq!(compared(&before, &after).changed, Some(false));
}

#[test]
fn one_failure_is_unknown_and_two_are_a_change() {
    let page = paragraphs(&[LONG]);
    let mut failed = Fetched::plain(&page.url, 503);
    failed.at = day(1);
    let first = compare_unread(
        &state(&page),
        Unread::Failed(&failed),
        &begun(&page),
        &context(),
    );
    assert_eq!(first.baseline, Baseline::Before);
    assert_eq!(first.record.envelope.status, RecordStatus::InsufficientData);
    assert_eq!(first.record.envelope.warnings, [FETCH_FAILED]);
    assert_eq!(
        (first.record.changed, first.record.change_class),
        (None, None)
    );
    assert_eq!(first.record.significance, None);
    assert_eq!(first.history.comparisons, 0);

    failed.at = day(2);
    let second = compare_unread(
        &state(&page),
        Unread::Failed(&failed),
        &first.history,
        &context(),
    );
    assert_eq!(
        names(&second.record),
        [ChangedField::StatusCode, ChangedField::Indexable]
    );
    assert_eq!(
        second.record.fields[0].before,
        Some(FieldValue::Number(200))
    );
    assert_eq!(second.record.fields[0].after, Some(FieldValue::Number(503)));
    assert_eq!(second.record.change_class, Some(ChangeClass::Major));
    assert_eq!(second.record.first_change_detected_at, Some(day(2)));

    let third = compare_unread(
        &state(&page),
        Unread::Failed(&failed),
        &second.history,
        &context(),
    );
    // The same response as before.
    assert_eq!(third.record.changed, Some(false));
    assert_eq!(third.record.change_class, Some(ChangeClass::None));
    assert!(third.record.fields.is_empty());
    assert_eq!(third.record.significance, Some(0.0));

    let back = compare(&state(&page), &state(&page), &third.history, &context());
    assert_eq!(
        names(&back.record),
        [ChangedField::StatusCode, ChangedField::Indexable]
    );
    assert_eq!(back.record.fields[0].before, Some(FieldValue::Number(503)));
    assert_eq!((back.history.failures, back.history.missing), (0, None));
}

#[test]
fn a_success_resets_the_failure_count() {
    let page = paragraphs(&[LONG]);
    let mut failed = Fetched::plain(&page.url, 200);
    failed.failure = Some(FetchFailure::Timeout);
    let first = compare_unread(
        &state(&page),
        Unread::Failed(&failed),
        &begun(&page),
        &context(),
    );
    let well = compare(&state(&page), &state(&page), &first.history, &context());
    let again = compare_unread(
        &state(&page),
        Unread::Failed(&failed),
        &well.history,
        &context(),
    );
    assert_eq!(
        (well.record.changed, again.record.changed),
        (Some(false), None)
    );
}

#[test]
fn a_page_still_without_response_is_unknown() {
    let page = paragraphs(&[LONG]);
    let mut failed = Fetched::plain(&page.url, 200);
    failed.failure = Some(FetchFailure::Timeout);
    let (mut history, mut summary) = (begun(&page), ContentChangesSummary::default());
    let mut changed = Vec::new();
    for _ in 0..3 {
        let found = compare_unread(&state(&page), Unread::Failed(&failed), &history, &context());
        changed.push(found.record.changed);
        summary.add(&found.record);
        history = found.history;
    }
    assert_eq!(changed, [None, Some(true), None]);
    // The summary agrees with the records.
    assert_eq!((summary.pages, summary.changed, summary.unread), (3, 1, 2));
    assert_eq!(summary.by_class.values().sum::<u32>(), 1);
    assert_eq!(summary.by_class[&ChangeClass::Major], 1);
    // A visit that reports nothing is not an interval.
    assert_eq!((history.comparisons, history.changes), (1, 1));
}

#[test]
fn a_page_that_answers_with_an_error_is_not_compared() {
    let before = paragraphs(&[LONG]);
    let mut after = paragraphs(&["Not here."]);
    after.fetched.status = Some(404);
    let found = compare(&state(&before), &state(&after), &begun(&before), &context());
    assert_eq!(found.record.envelope.warnings, [FETCH_FAILED]);
    assert_eq!(found.baseline, Baseline::Before);
}

#[test]
fn a_new_robots_txt_block_is_reported_at_once() {
    let page = paragraphs(&[LONG]);
    let found = compare_unread(
        &state(&page),
        Unread::Blocked(day(3)),
        &begun(&page),
        &context(),
    );
    assert_eq!(
        names(&found.record),
        [ChangedField::RobotsTxt, ChangedField::Indexable]
    );
    assert_eq!(found.record.change_class, Some(ChangeClass::Major));
    let again = compare_unread(
        &state(&page),
        Unread::Blocked(day(4)),
        &found.history,
        &context(),
    );
    assert_eq!(
        (again.record.changed, again.record.significance),
        (None, None)
    );
    assert_eq!(again.record.envelope.warnings, [BLOCKED]);
    assert_eq!(again.history.comparisons, found.history.comparisons);
}

#[test]
fn a_url_that_stops_being_a_page_is_reported_once() {
    let page = paragraphs(&[LONG]);
    let visit = |kind: Option<&str>, history: &PageHistory| {
        let mut answer = Fetched::plain(&page.url, 200);
        answer.content_type = kind.map(str::to_owned);
        compare_unread(
            &state(&page),
            Unread::OtherMediaType(&answer),
            history,
            &context(),
        )
    };
    let text = |it: &str| Some(FieldValue::Text(it.to_owned()));
    let first = visit(Some("application/pdf"), &begun(&page));
    assert_eq!(names(&first.record), [ChangedField::ContentType]);
    assert_eq!(first.record.fields[0].before, text("text/html"));
    assert_eq!(first.record.fields[0].after, text("application/pdf"));
    assert_eq!(first.record.change_class, Some(ChangeClass::Major));
    assert_eq!(first.baseline, Baseline::Before);

    let again = visit(Some("application/pdf"), &first.history);
    assert_eq!(again.record.changed, Some(false));
    assert_eq!(again.record.change_class, Some(ChangeClass::None));
    let other = visit(Some("application/json"), &again.history);
    assert_eq!(other.record.fields[0].before, text("application/pdf"));
    assert_eq!(other.record.changed, Some(true));
    // An unknown type reports nothing.
    let unknown = visit(None, &other.history);
    assert_eq!(unknown.record.changed, None);
    assert_eq!(unknown.record.envelope.warnings, [FETCH_FAILED]);

    let mut lost = Fetched::plain(&page.url, 404);
    lost.at = day(9);
    let lost = Unread::Failed(&lost);
    let once = compare_unread(&state(&page), lost, &unknown.history, &context());
    let twice = compare_unread(&state(&page), lost, &once.history, &context());
    assert_eq!(once.record.changed, None);
    assert_eq!(names(&twice.record), [ChangedField::StatusCode]);
    assert_eq!(twice.record.fields[0].before, Some(FieldValue::Number(200)));

    let back = compare(&state(&page), &state(&page), &other.history, &context());
    assert_eq!(names(&back.record), [ChangedField::ContentType]);
    assert_eq!(back.record.fields[0].before, text("application/json"));
    assert_eq!(back.record.fields[0].after, text("text/html"));
}

#[test]
fn truncated_content_is_not_reported_as_removed() {
    let whole = paragraphs(&[LONG, "And this is the end of it."]);
    let mut at_limit = paragraphs(&[LONG]);
    at_limit.fetched.truncation = Truncation::AtLimit;
    let mut unparsed = paragraphs(&[LONG]);
    unparsed.document.parser_limit = true;
    for (cut, warning) in [(at_limit, BODY_CUT), (unparsed, PARSER_LIMIT)] {
        let history = begun(&whole);
        let found = compare(&state(&whole), &state(&cut), &history, &context());
        assert_eq!(found.record.envelope.warnings, [warning]);
        assert_eq!(found.record.envelope.status, RecordStatus::InsufficientData);
        let record = &found.record;
        assert_eq!((record.changed, record.change_class), (None, None));
        assert_eq!((record.significance, record.removed_words), (None, None));
        assert!(record.fields.is_empty() && record.text_diff.is_empty());
        assert_eq!(
            (found.baseline, &found.history),
            (Baseline::Before, &history)
        );
        // Text that was cut off before is not new; the complete page becomes the baseline.
        let found = compare(&state(&cut), &state(&whole), &begun(&cut), &context());
        assert_eq!(
            (found.record.changed, found.baseline),
            (None, Baseline::After)
        );
        assert_eq!(found.record.envelope.warnings, [warning]);
    }
}

#[test]
fn a_new_extraction_version_is_no_change() {
    let mut was = paragraphs(&["Two words."]);
    set_title(&mut was, "Cups");
    let mut is = paragraphs(&[LONG]);
    set_title(&mut is, "Bowls");
    is.document.extraction = was.document.extraction + 1;
    let found = compare(&state(&was), &state(&is), &begun(&was), &context());
    let record = &found.record;
    assert_eq!(record.envelope.warnings, [EXTRACTION_CHANGED]);
    assert_eq!(record.envelope.status, RecordStatus::Partial);
    assert_eq!(names(record), [ChangedField::Title]);
    assert_eq!((record.similarity, record.added_words), (None, None));
    assert_eq!(found.baseline, Baseline::After);
    // The next visit is compared with this version.
    let next = compare(&state(&is), &state(&is), &found.history, &context());
    assert_eq!(next.record.changed, Some(false));
    assert!(next.record.envelope.warnings.is_empty());
}

#[test]
fn reordered_blocks_are_no_change() {
    let other = "And this is the end of it, with words of its own.";
    let record = compared(&paragraphs(&[LONG, other]), &paragraphs(&[other, LONG]));
    assert_eq!(
        (record.changed, record.similarity),
        (Some(false), Some(1.0))
    );
    assert_eq!(
        (record.added_words, record.removed_words),
        (Some(0), Some(0))
    );
    assert!(record.text_diff.is_empty());
}

#[test]
fn a_truncated_page_can_be_restored() {
    let page = paragraphs(&[LONG]);
    let mut cut = page.clone();
    cut.fetched.truncation = Truncation::AtLimit;
    let blocked = Unread::Blocked(day(1));
    let gone = compare_unread(&state(&page), blocked, &begun(&page), &context());
    let back = compare(&state(&page), &state(&cut), &gone.history, &context());
    assert_eq!(names(&back.record), [ChangedField::RobotsTxt]);
    assert_eq!(back.record.changed, Some(true));
    assert_eq!(back.record.change_class, Some(ChangeClass::Major));
    assert_eq!(back.record.envelope.status, RecordStatus::Partial);
    assert_eq!(
        (back.history.missing, back.baseline),
        (None, Baseline::Before)
    );
}

#[test]
fn an_interstitial_is_not_compared() {
    let long = vec![LONG; 10];
    let before = paragraphs(&long);
    let after = paragraphs(&["We value your privacy. Accept?"]);
    let among = |others| PageState {
        page: &after,
        site: SiteFacts {
            inlinks: None,
            pages_with_same_text: others,
        },
    };
    let found = |others| compare(&state(&before), &among(others), &begun(&before), &context());
    let interstitial = found(Some(5));
    assert_eq!(interstitial.record.envelope.warnings, [INTERSTITIAL]);
    assert_eq!(interstitial.baseline, Baseline::Before);
    assert_eq!(
        (interstitial.record.changed, &interstitial.history),
        (None, &begun(&before))
    );
    assert_eq!(found(Some(0)).record.changed, Some(true));
    let unknown = found(None);
    assert_eq!(unknown.record.changed, Some(true));
    assert_eq!(unknown.record.envelope.warnings, [TEXT_COLLAPSED]);
}

#[test]
fn versions_that_alternate_are_flapping() {
    let (a, b) = (
        paragraphs(&[LONG, "Version A"]),
        paragraphs(&[LONG, "Version B"]),
    );
    let once = compare(&state(&a), &state(&b), &begun(&a), &context());
    assert!(once.record.changed == Some(true) && !once.record.flapping);
    let twice = compare(&state(&b), &state(&a), &once.history, &context());
    assert!(twice.record.flapping);
    assert_eq!(twice.record.envelope.warnings, [FLAPPING]);
    let stays = compare(&state(&a), &state(&a), &twice.history, &context());
    assert!(!stays.record.flapping && stays.record.changed == Some(false));
}

#[test]
fn unchanged_text_is_not_flapping() {
    // Only punctuation differs.
    let address = |it: &str| paragraphs(&[LONG, &format!("See https://example.com/{it}")]);
    let last = visited(&[address("#/start"), address("#start"), address("#/start")]);
    assert_eq!(last.record.changed, Some(false));
    assert!(!last.record.flapping && last.record.envelope.warnings.is_empty());
    // A volatile block.
    let page = |number: usize| paragraphs(&[LONG, ["alpha", "bravo"][number % 2]]);
    let pages: Vec<PageContent> = (0..8).map(page).collect();
    let last = visited(&pages);
    assert_eq!(
        (last.record.changed, last.record.volatile_blocks),
        (Some(false), 1)
    );
    assert!(!last.record.flapping);
}

#[test]
fn a_language_change_adds_a_warning() {
    let in_language = |code: &str| {
        let mut page = paragraphs(&[LONG]);
        page.text.detected = Some(DetectedLanguage {
            code: code.to_owned(),
            confidence: 1.0,
        });
        page
    };
    let record = compared(&in_language("en"), &in_language("de"));
    assert_eq!(record.envelope.warnings, [LANGUAGE_CHANGED]);
}

/// Compares each page with the next and returns the last comparison.
fn visited(pages: &[PageContent]) -> Comparison {
    let mut history = begun(&pages[0]);
    let mut last = None;
    for pair in pages.windows(2) {
        let found = compare(&state(&pair[0]), &state(&pair[1]), &history, &context());
        history = found.history.clone();
        last = Some(found);
    }
    last.unwrap()
}

#[test]
fn volatile_blocks_are_ignored() {
    let quotes = [
        "alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf",
    ];
    let page = |quote: &&str| paragraphs(&["Quote of the day", quote, LONG]);
    let pages: Vec<PageContent> = quotes.iter().map(page).collect();
    let early = visited(&pages[..5]);
    assert!(early.record.changed == Some(true) && early.record.volatile_blocks == 0);
    let late = visited(&pages);
    assert_eq!(late.record.changed, Some(false), "{:?}", late.record.fields);
    assert_eq!(late.record.volatile_blocks, 1);
    // Changes of other blocks still count.
    let mut next = page(&"hotel");
    next.text.main.blocks[2].text = LONG.replace("nobody", "everybody");
    let found = compare(&state(&pages[6]), &state(&next), &late.history, &context());
    assert_eq!(names(&found.record), [ChangedField::MainText]);
    // An inserted block shifts the index of the slot.
    let mut moved = page(&"india");
    let first = moved.text.main.blocks[0].clone();
    moved.text.main.blocks.insert(
        0,
        crate::observation::page_content::Block {
            kind: BlockKind::Paragraph,
            text: "A new first paragraph that is quite unlike the others.".to_owned(),
        },
    );
    assert_eq!(first.text, "Quote of the day");
    let found = compare(&state(&pages[6]), &state(&moved), &late.history, &context());
    assert_eq!(found.history.slots[0].block, 2);
    assert_eq!(found.record.volatile_blocks, 1);
}

#[test]
fn a_stable_block_is_no_longer_tracked() {
    let mut pages: Vec<PageContent> = ["one", "two"]
        .iter()
        .map(|it| paragraphs(&[LONG, it]))
        .collect();
    let calm = pages[1].clone();
    pages.extend(std::iter::repeat_n(calm, 16));
    let last = visited(&pages);
    assert!(last.history.slots.is_empty());
    assert_eq!((last.history.comparisons, last.history.changes), (17, 1));
}

#[test]
fn stored_history_is_small_and_round_trips() {
    let pages: Vec<PageContent> = (0..20)
        .map(|it| paragraphs(&[LONG, &format!("number {it} of them")]))
        .collect();
    let history = visited(&pages).history;
    let written = serde_json::to_string(&history).unwrap();
    assert!(written.len() < 300, "{} bytes: {written}", written.len());
    assert_eq!(
        serde_json::from_str::<PageHistory>(&written).unwrap(),
        history
    );
}

#[test]
fn the_summary_counts_pages_and_names_the_most_changed() {
    let before = paragraphs(&[LONG]);
    let mut summary = ContentChangesSummary::default();
    for text in [LONG, "Other words in every place of this text now.", LONG] {
        summary.add(&compared(&before, &paragraphs(&[text])));
    }
    assert_eq!((summary.pages, summary.changed), (3, 1));
    assert_eq!(summary.by_field[&ChangedField::MainText], 1);
    assert_eq!(summary.by_class[&ChangeClass::None], 2);
    assert_eq!(summary.most_changed.len(), 1);
}

/// 4-word shingles per block, as words instead of hashes.
fn sets(blocks: &[String]) -> HashSet<Vec<String>> {
    let mut all = HashSet::new();
    for block in blocks {
        let words: Vec<String> = block.split(' ').map(str::to_owned).collect();
        if words.len() < 4 {
            all.insert(words);
        } else {
            all.extend(words.windows(4).map(<[String]>::to_vec));
        }
    }
    all
}

fn size(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap())
}

fn blocks() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["ant", "bee", "cat", "dog", "elk", "fox", "gnu", "hen"]);
    let block = prop::collection::vec(word, 1..12).prop_map(|it| it.join(" "));
    prop::collection::vec(block, 1..8)
}

fn page_of(blocks: &[String]) -> PageContent {
    let texts: Vec<&str> = blocks.iter().map(String::as_str).collect();
    paragraphs(&texts)
}

proptest! {
    #[test]
    fn equal_pages_have_no_changes(blocks in blocks()) {
        let page = page_of(&blocks);
        let record = compared(&page, &page);
        prop_assert_eq!(record.changed, Some(false));
        prop_assert_eq!(record.change_class, Some(ChangeClass::None));
        prop_assert_eq!(record.significance, Some(0.0));
        prop_assert_eq!(record.similarity, Some(1.0));
    }

    #[test]
    fn similarity_is_symmetric_jaccard_of_sets(one in blocks(), other in blocks()) {
        let there = compared(&page_of(&one), &page_of(&other));
        let back = compared(&page_of(&other), &page_of(&one));
        prop_assert_eq!(there.similarity, back.similarity);
        prop_assert_eq!(there.significance, back.significance);
        let (a, b) = (sets(&one), sets(&other));
        let shared = size(a.intersection(&b).count());
        let expected = shared / size(a.union(&b).count());
        prop_assert!((there.similarity.unwrap() - expected).abs() < 1e-12);
        prop_assert!((there.containment_old.unwrap() - shared / size(a.len())).abs() < 1e-12);
    }

    #[test]
    fn the_difference_applied_to_the_earlier_text_gives_the_later(one in blocks(), other in blocks()) {
        let (before, after) = (compared_text(&page_of(&one)), compared_text(&page_of(&other)));
        let found = difference(&before, &after);
        prop_assert_eq!(found.applied_to(&before), Some(after));
        let record = compared(&page_of(&one), &page_of(&other));
        prop_assert_eq!(record.text_diff, found.report(&before).operations);
    }

    #[test]
    fn inserted_paragraphs_leave_the_earlier_text_contained(
        before in blocks(), inserted in prop::collection::vec("[m-z]{3}( [m-z]{3}){3,9}", 1..5), at in any::<prop::sample::Index>(),
    ) {
        let mut after = before.clone();
        let at = at.index(before.len() + 1);
        after.splice(at..at, inserted.clone());
        let record = compared(&page_of(&before), &page_of(&after));
        prop_assert_eq!(record.containment_old, Some(1.0));
        // The words use other letters, so the Jaccard similarity is known.
        let (old, new) = (size(sets(&before).len()), size(sets(&inserted).len()));
        prop_assert!((record.similarity.unwrap() - old / (old + new)).abs() < 1e-12);
        prop_assert_eq!(record.removed_words, Some(0));
    }

    #[test]
    fn significance_grows_with_every_part(parts in prop::collection::vec((0.0..=1.0, 0.0..=1.0), 0..10), weight in 0.0..=1.0, magnitude in 0.0..=1.0) {
        let less = significance(parts.clone());
        let more = significance(parts.into_iter().chain([(weight, magnitude)]));
        prop_assert!((0.0..=100.0).contains(&less));
        prop_assert!(more >= less - 1e-9);
    }

    #[test]
    fn rates_grow_with_changes(intervals in 1_u32..1_000, changed in 0_u32..1_000) {
        let rate = |it| rate_per_interval(intervals, it).unwrap();
        prop_assert!(rate(changed) >= 0.0 && rate(changed).is_finite());
        prop_assert!(rate(changed + 1) >= rate(changed));
    }
}
