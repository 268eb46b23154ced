//! Metadata of small pages. `tests/oracles/metadata.py` measures the quality on real pages.

use super::*;
use crate::extract::{main_text::drafts, parse::parse};

fn read(html: &str) -> PageMetadata {
    let dom = parse(html).dom;
    let url = Url::parse("https://example.com/news/2023/04/05/page.html").unwrap();
    let sight = VisibleTree::of(&dom);
    metadata(
        &sight,
        &drafts(&sight),
        &JsonLd::of(&dom),
        Some("en-GB"),
        &url,
    )
}

fn dates(html: &str) -> Vec<(DateRole, FactSource, String)> {
    let all = read(html).dates.into_iter();
    all.map(|it| (it.role, it.source, it.day.to_string()))
        .filter(|it| it.1 != FactSource::Url)
        .collect()
}

/// The date of the most trusted source.
fn first(html: &str) -> (DateRole, FactSource, String) {
    dates(html).into_iter().next().unwrap()
}

fn is(role: DateRole, source: FactSource, day: &str) -> (DateRole, FactSource, String) {
    (role, source, day.to_owned())
}

#[test]
fn dates_have_the_right_role_and_source() {
    use DateRole::{Modified, Published, Unspecified};
    use FactSource::{JsonLd, Meta, Microdata, TimeElement, VisibleText};
    for (html, expected) in [
        (
            r#"<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-06T07:08:09Z"}</script>"#,
            is(Published, JsonLd, "2024-05-06"),
        ),
        (
            r#"<script type="application/ld+json">{"@type":"WebPage","dateModified":"2024-05-06"}</script>"#,
            is(Modified, JsonLd, "2024-05-06"),
        ),
        (
            "<meta property='article:published_time' content='2024-05-06'>",
            is(Published, Meta, "2024-05-06"),
        ),
        (
            "<meta name='Last-Modified' content='Mon, 06 May 2024 07:08:09 GMT'>",
            is(Modified, Meta, "2024-05-06"),
        ),
        (
            "<span itemprop=datePublished content=2024-05-06>long ago</span>",
            is(Published, Microdata, "2024-05-06"),
        ),
        (
            "<time datetime=2024-05-06>6 May</time>",
            is(Unspecified, TimeElement, "2024-05-06"),
        ),
        (
            "<time class=updated datetime=2024-05-06>6 May</time>",
            is(Modified, TimeElement, "2024-05-06"),
        ),
        (
            "<time pubdate>6 May 2024</time>",
            is(Published, TimeElement, "2024-05-06"),
        ),
        (
            "<p>Veröffentlicht am 6. Mai 2024</p>",
            is(Published, VisibleText, "2024-05-06"),
        ),
        (
            "<p>Naposledy upraveno: 6. 5. 2024</p>",
            is(Modified, VisibleText, "2024-05-06"),
        ),
        (
            "<span class=entry-date>6 maja 2024</span>",
            is(Published, VisibleText, "2024-05-06"),
        ),
        (
            "<h1>Title</h1><p>6 May 2024</p>",
            is(Unspecified, VisibleText, "2024-05-06"),
        ),
    ] {
        assert_eq!(first(html), expected, "{html}");
    }
}

#[test]
fn a_line_can_have_both_dates() {
    assert_eq!(
        dates("<p>Published 6 May 2024, updated 7 June 2024</p>"),
        [
            is(DateRole::Published, FactSource::VisibleText, "2024-05-06"),
            is(DateRole::Modified, FactSource::VisibleText, "2024-06-07")
        ]
    );
}

#[test]
fn dates_of_other_content_and_running_text_are_ignored() {
    for html in [
        "<div class=related-posts><time datetime=2024-05-06>6 May</time></div>",
        "<div class=comment>Posted on 6 May 2024</div>",
        "<nav><span class=date>6 May 2024</span></nav>",
        "<p>On 6 May 2024 the council met for the first time since the war, and decided to go on.</p>",
        r#"<script type="application/ld+json">{"@type":"Event","startDate":"2024-05-06","datePublished":"2024-05-06"}</script>"#,
        "<p>© 2024</p>",
    ] {
        assert_eq!(dates(html), [], "{html}");
    }
}

#[test]
fn the_most_trusted_source_wins_and_the_url_is_last() {
    let html = "<meta property='article:published_time' content='2024-05-06T07:08:09+02:00'><time class=published datetime=2024-05-07>x</time>";
    let known = read(html);
    let published = known.published().unwrap();
    assert_eq!(
        (
            published.source,
            published.moment.map(|it| it.to_rfc3339()).as_deref()
        ),
        (FactSource::Meta, Some("2024-05-06T07:08:09+02:00"))
    );
    assert_eq!(known.visible_date().unwrap().day.to_string(), "2024-05-07");
    assert_eq!(known.modified(), None);
    let bare = read("<p>nothing");
    assert_eq!(
        bare.published().map(|it| (it.source, it.day.to_string())),
        Some((FactSource::Url, "2023-04-05".to_owned()))
    );
}

fn authors(html: &str) -> Vec<(String, Option<String>, FactSource)> {
    read(html)
        .authors
        .into_iter()
        .map(|it| (it.name, it.url, it.source))
        .collect()
}

#[test]
fn authors_are_read_with_their_pages() {
    let ann =
        |url: Option<&str>, source| vec![("Ann Smith".to_owned(), url.map(str::to_owned), source)];
    for (html, expected) in [
        (
            r#"<script type="application/ld+json">{"@type":"Article","author":{"@type":"Person","name":"Ann Smith","url":"/ann"}}</script>"#,
            ann(Some("https://example.com/ann"), FactSource::JsonLd),
        ),
        (
            r##"<script type="application/ld+json">{"@graph":[{"@type":"Article","author":{"@id":"#a"}},{"@id":"#a","name":"Ann Smith"}]}</script>"##,
            ann(None, FactSource::JsonLd),
        ),
        (
            "<meta name=author content='By Ann Smith'><p class=byline>by <a href=/team/ann>Ann Smith</a>",
            ann(Some("https://example.com/team/ann"), FactSource::Meta),
        ),
        (
            "<span itemprop=author><a href=/ann itemprop=url><b itemprop=name>Ann Smith</b></a></span>",
            ann(Some("https://example.com/ann"), FactSource::Microdata),
        ),
        (
            "<a rel=author href=/ann>Ann Smith</a>",
            ann(Some("https://example.com/ann"), FactSource::AuthorLink),
        ),
        (
            "<p class=byline>Von Ann Smith, 6. Mai 2024</p>",
            ann(None, FactSource::VisibleText),
        ),
        (
            "<div class=comment><p class=author>Troll</p></div><p class=author>Ann Smith</p>",
            ann(None, FactSource::VisibleText),
        ),
        (
            "<meta property='article:author' content='https://facebook.com/ann'>",
            Vec::new(),
        ),
    ] {
        assert_eq!(authors(html), expected, "{html}");
    }
}

#[test]
fn the_byline_has_each_author_once() {
    let html = r#"<script type="application/ld+json">{"@type":"Article","author":[{"name":"Ann"},"Ben",{"name":"Ann"}]}</script>"#;
    assert_eq!(
        read(html).byline.map(|it| it.text).as_deref(),
        Some("Ann, Ben")
    );
}

#[test]
fn the_site_is_named_by_meta_json_ld_or_title() {
    for (html, name, source) in [
        (
            "<meta property=og:site_name content='The  Site'><title>x | y</title>",
            "The Site",
            FactSource::Meta,
        ),
        (
            r#"<script type="application/ld+json">{"@type":"NewsArticle","publisher":{"name":"The Paper"}}</script>"#,
            "The Paper",
            FactSource::JsonLd,
        ),
        (
            "<title>A long title of a page - The Site</title>",
            "The Site",
            FactSource::Title,
        ),
    ] {
        let read = read(html).site_name.map(|it| (it.text, it.source));
        assert_eq!(read, Some((name.to_owned(), source)), "{html}");
    }
    assert_eq!(read("<title>Only a title</title>").site_name, None);
}

#[test]
fn thousands_of_authors_and_dates_are_bounded() {
    let metas = (0..5_000)
        .map(|it| format!("<meta name=author content='A {it}'><meta name=date content=2024-05-06>"))
        .collect::<Vec<_>>()
        .concat();
    assert_eq!(read(&metas).authors.len(), 20);
    let names = (0..5_000)
        .map(|it| format!("{{\"@id\":\"x{it}\"}},"))
        .collect::<Vec<_>>()
        .concat();
    read(&format!(
        "<script type=application/ld+json>{{\"@type\":\"Article\",\"author\":[{names}\"A\"]}}</script>"
    ));
    read(&"<span class='author date'>".repeat(30_000));
    read(&"<p class=byline>6 May".repeat(10_000));
}

proptest::proptest! {
    #[test]
    fn arbitrary_pages_are_parsed(html in "(<(meta name=(author|date) content=|time datetime=|p class=(byline|date)|script type=application/ld.json|/script|a rel=author href=)|'|>|\\{\"@type\":\"Article\"|\"author\":|2024-05-06|x| ){0,40}") {
        read(&html);
    }
}
