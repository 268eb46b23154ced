//! Signals of pages.

use super::*;
use crate::observation::page_content::{DateFact, DateRole, Image};
use chrono::NaiveDate;

fn texts(text: &str) -> EeatRecord {
    article(&paragraphs(&[text]))
}

#[test]
fn authors_have_name_page_and_markup() {
    let mut page = paragraphs(&["Some text."]);
    let codes = [
        SignalCode::Byline,
        SignalCode::AuthorPage,
        SignalCode::Credentials,
        SignalCode::AuthorMarkup,
    ];
    let values = |page: &PageContent, site: &SiteSignals| {
        let record = evaluated(page, PageType::Article, site);
        codes.map(|it| value(&record, it))
    };
    let mut site = empty_site();
    assert_eq!(values(&page, &site), [Some(0.0); 4]);
    written_by(&mut page, "Jane Doe", None);
    assert_eq!(
        values(&page, &site),
        [Some(1.0), Some(0.0), Some(0.0), Some(0.0)]
    );
    let article = add_item(&mut page, schema_item("Article", &[("headline", "x")]));
    let author = schema_item(
        "Person",
        &[
            ("name", "Jane Doe"),
            ("jobTitle", "Head of Testing"),
            ("url", "https://example.com/jane"),
            ("sameAs", "https://orcid.org/0000-0001"),
        ],
    );
    add_nested_item(&mut page, article, "author", author);
    assert_eq!(
        values(&page, &site),
        [Some(1.0), Some(0.5), Some(1.0), Some(1.0)]
    );
    let biography = ["word"; 50].join(" ");
    let about_her = crate::findings::sample_pages::page(
        "https://example.com/jane",
        &[(BlockKind::Paragraph, &biography)],
    );
    site.add(&about_her);
    assert_eq!(values(&page, &site), [Some(1.0); 4]);
    let record = evaluated(&page, PageType::Article, &site);
    let expected = EeatAuthor {
        name: "Jane Doe".to_owned(),
        url: Some("https://example.com/jane".to_owned()),
        credentials: vec!["Head of Testing".to_owned()],
        same_as: vec!["https://orcid.org/0000-0001".to_owned()],
    };
    assert_eq!(record.authors, [expected]);
    // Only articles need an author.
    let product = evaluated(&paragraphs(&["Some text."]), PageType::Product, &site);
    assert!(codes.iter().all(|it| value(&product, *it).is_none()));
}

#[test]
fn a_degree_in_the_byline_is_a_credential() {
    let mut page = paragraphs(&["Some text."]);
    written_by(&mut page, "Jane Doe", None);
    page.metadata.byline = Some(SourcedText {
        text: "By Jane Doe, PhD".to_owned(),
        source: FactSource::VisibleText,
    });
    assert_eq!(article(&page).authors[0].credentials, ["PhD"]);
}

#[test]
fn organizations_may_write_non_ymyl_pages() {
    let with_text = |text: &str| {
        let mut page = paragraphs(&[text]);
        written_by(&mut page, "Example Ltd", None);
        let article_item = add_item(&mut page, schema_item("Article", &[]));
        let author = schema_item("Organization", &[("name", "Example Ltd")]);
        add_nested_item(&mut page, article_item, "author", author);
        value(&article(&page), SignalCode::Byline)
    };
    assert_eq!(with_text("Some text."), Some(1.0));
    assert_eq!(with_text(MEDICAL), Some(0.5));
}

#[test]
fn ymyl_articles_need_a_reviewer() {
    let reviewed = format!("{MEDICAL} Medically reviewed by Jane Doe, MD.");
    assert_eq!(value(&texts(&reviewed), SignalCode::Reviewer), Some(1.0));
    assert_eq!(value(&texts(MEDICAL), SignalCode::Reviewer), Some(0.0));
    let mut page = paragraphs(&[MEDICAL]);
    add_item(
        &mut page,
        schema_item("MedicalWebPage", &[("reviewedBy", "Jane Doe")]),
    );
    assert_eq!(value(&article(&page), SignalCode::Reviewer), Some(1.0));
}

#[test]
fn experience_signals_come_from_phrases() {
    let record =
        texts("We tested it for 30 days. Methodology: a sample of 12. A case study follows.");
    for code in [
        SignalCode::FirstPerson,
        SignalCode::TestMethod,
        SignalCode::OwnData,
    ] {
        assert_eq!(value(&record, code), Some(1.0), "{code:?}");
        assert!(signal(&record, code).evidence[0].text.is_some());
    }
    let rows = [
        (BlockKind::TableRow, "A\t1.5\t2.5"),
        (BlockKind::TableRow, "B\t3\t4"),
    ];
    let table = article(&page("https://example.com/t", &rows));
    assert_eq!(value(&table, SignalCode::OwnData), Some(1.0));
}

fn image(url: &str) -> Image {
    Image {
        url: Some(url.to_owned()),
        alt: None,
        is_named_otherwise: false,
        width: Some(600),
        height: None,
        has_size: true,
        in_picture: false,
        in_link: false,
        in_main_text: true,
        is_lazy: false,
        placement: Placement::Content,
        line: 1,
    }
}

#[test]
fn own_images_are_original_and_stock_photos_are_not() {
    let value_of = |urls: &[&str]| {
        let mut page = paragraphs(&["Some text."]);
        page.images = urls.iter().map(|it| image(it)).collect();
        value(&article(&page), SignalCode::OriginalImages)
    };
    assert_eq!(value_of(&[]), None);
    assert_eq!(value_of(&["https://img.example.com/a.jpg"]), Some(1.0));
    assert_eq!(value_of(&["https://cdn.other.net/a.jpg"]), Some(0.5));
    let stock = "https://example.com/shutterstock_12.jpg";
    assert_eq!(value_of(&[stock]), Some(0.0));
    assert_eq!(value_of(&[stock, "https://example.com/b.jpg"]), Some(0.5));
    let decorates = |width: Option<u32>, alt: &str| {
        let mut icon = image("https://example.com/icon.png");
        (icon.width, icon.alt) = (width, Some(alt.to_owned()));
        let mut page = paragraphs(&["Some text."]);
        page.images.push(icon);
        value(&article(&page), SignalCode::OriginalImages).is_none()
    };
    assert!(decorates(Some(16), "A cup on a table"));
    assert!(decorates(None, "top") && decorates(None, "<-") && decorates(None, ""));
    assert!(!decorates(None, "A cup on a table"));
}

#[test]
fn paid_links_need_a_disclosure() {
    let value_of = |text: &str, url: &str, rel: Option<&str>| {
        let mut page = paragraphs(&[text]);
        let mut paid = link(url, "buy");
        paid.rel = rel.map(str::to_owned);
        page.links.push(paid);
        value(&article(&page), SignalCode::Disclosure)
    };
    assert_eq!(value_of("Some text.", "https://shop.example/x", None), None);
    assert_eq!(
        value_of("Some text.", "https://www.example.org/?tag=rust", None),
        None
    );
    let paid = "https://www.amazon.com/dp/1?tag=me-20";
    assert_eq!(value_of("Some text.", paid, None), Some(0.0));
    assert_eq!(value_of("We earn a commission.", paid, None), Some(1.0));
    assert_eq!(
        value_of(
            "Some text.",
            "https://shop.example/x",
            Some("nofollow sponsored")
        ),
        Some(0.0)
    );
}

#[test]
fn visible_and_machine_dates_must_agree() {
    let date = |source, day| DateFact {
        role: DateRole::Published,
        source,
        day: NaiveDate::from_ymd_opt(2024, 5, day).unwrap(),
        moment: None,
        text: String::new(),
    };
    let value_of = |dates: Vec<DateFact>| {
        let mut page = paragraphs(&["Some text."]);
        page.metadata.dates = dates;
        value(&article(&page), SignalCode::DateConsistency)
    };
    let (seen, markup) = (FactSource::VisibleText, FactSource::JsonLd);
    assert_eq!(value_of(vec![date(markup, 1)]), None);
    assert_eq!(value_of(vec![date(markup, 1), date(seen, 2)]), Some(1.0));
    assert_eq!(value_of(vec![date(markup, 1), date(seen, 9)]), Some(0.0));
}

#[test]
fn reviews_need_author_and_date() {
    let value_of = |properties: &[&[(&str, &str)]], page_type| {
        let mut page = paragraphs(&["Some text."]);
        for it in properties {
            add_item(&mut page, schema_item("Review", it));
        }
        value(
            &evaluated(&page, page_type, &empty_site()),
            SignalCode::DatedReviews,
        )
    };
    assert_eq!(value_of(&[], PageType::Article), None);
    assert_eq!(value_of(&[], PageType::Product), Some(0.0));
    let full: &[(&str, &str)] = &[("author", "Jane"), ("datePublished", "2024-05-01")];
    assert_eq!(value_of(&[full], PageType::Product), Some(1.0));
    assert_eq!(
        value_of(&[full, &[("author", "Jo")]], PageType::Product),
        Some(0.5)
    );
}

#[test]
fn primary_sources_are_external_public_or_scientific() {
    let value_of = |urls: &[&str]| {
        let mut page = paragraphs(&["Some text."]);
        page.links = urls.iter().map(|it| link(it, "source")).collect();
        value(&article(&page), SignalCode::PrimarySources)
    };
    assert_eq!(value_of(&["https://blog.example.org/"]), Some(0.0));
    assert_eq!(value_of(&["https://doi.org/10.1/x"]), Some(0.5));
    assert_eq!(
        value_of(&["https://www.cam.ac.uk/x", "https://www.cdc.gov/y"]),
        Some(1.0)
    );
    assert_eq!(
        value_of(&["https://www.cdc.gov/y", "https://www.cdc.gov/y"]),
        Some(0.5)
    );
}
