//! Pages are read in bounded time and space, independent of how the encoding is declared; line numbers are right; JSON
//! round-trips.

use analysis::observation::{
    page_content::{CharsetSource, MAX_HEADINGS, MAX_IMAGES, MAX_LINKS, PageContent, TextSource},
    page_url::normalized,
    web_site::LinkTarget,
};
use crawler::extract::{
    ReceivedPage, read_anchor_names, read_main_text, read_page, read_page_files,
};
use std::sync::LazyLock;
use url::Url;

static PAGE: LazyLock<Url> =
    LazyLock::new(|| Url::parse("https://shop.example.com/dir/page.html").expect("a URL"));

pub(crate) fn check(bytes: &[u8]) {
    let page = read_page(ReceivedPage::without_crawl(bytes, None, &PAGE));
    assert_bounded(&page);
    let written = serde_json::to_string(&page).expect("a page is written down");
    let again: PageContent = serde_json::from_str(&written).expect("and taken up again");
    assert_eq!(again, page);

    for link in &page.links {
        if let LinkTarget::Web { url, .. } = &link.target {
            let again = normalized(url);
            assert_eq!(again.as_ref(), Some(url), "targets are in normal form");
        }
    }
    let names = read_anchor_names(bytes, None);
    assert_eq!(names, page.names, "two readers of names agree");
    assert!(names.is_sorted(), "{names:?}");
    let main = read_main_text(bytes, None);
    assert_eq!(main, page.text.main.text(), "two readers of the text agree");
    for file in read_page_files(bytes, None, &PAGE).files {
        assert!(Url::parse(&file.url).is_ok(), "{}", file.url);
    }
    if let Ok(source) = std::str::from_utf8(bytes)
        && page.document.charset_source == CharsetSource::Default
    {
        assert_lines_match(&page, source);
        assert_charset_independent(&page, bytes);
    }
}

fn assert_bounded(page: &PageContent) {
    assert!(page.links.len() <= MAX_LINKS);
    assert!(page.headings.len() <= MAX_HEADINGS);
    assert!(page.images.len() <= MAX_IMAGES);
    let is_short = |text: &str, limit| text.chars().count() <= limit;
    assert!(page.titles.iter().all(|it| is_short(&it.text, 1_000)));
    assert!(page.metas.iter().all(|it| is_short(&it.content, 2_000)));
    let mut headings = page.headings.iter();
    assert!(headings.all(|it| it.text.as_ref().is_none_or(|it| is_short(it, 300))));
    assert!(is_short(&page.text.footer, 3_000));
    let document = &page.document;
    assert!(document.duplicate_ids.len() <= 50);
    assert!(document.duplicate_ids.len() <= document.duplicate_id_count as usize);
    let text = &page.text;
    assert!(text.main.blocks.iter().all(|it| !it.text.trim().is_empty()));
    if text.main.source == TextSource::Elements {
        assert!(text.main_characters <= text.all_characters);
    }
}

/// The line of a heading or image contains its tag. Lines end at `\n`.
fn assert_lines_match(page: &PageContent, source: &str) {
    let lines: Vec<String> = source.split('\n').map(str::to_ascii_lowercase).collect();
    let has = |line: u32, tag: &str| {
        let line = usize::try_from(line).ok().and_then(|it| it.checked_sub(1));
        { line.and_then(|it| lines.get(it)) }.is_some_and(|it| it.contains(tag))
    };
    for heading in &page.headings {
        let tag = format!("<h{}", heading.level);
        assert!(has(heading.line, &tag), "{tag} at {}", heading.line);
    }
    for image in &page.images {
        assert!(has(image.line, "<im"), "an image at {}", image.line);
    }
}

/// UTF-8 by BOM, by header and by default give the same page.
fn assert_charset_independent(page: &PageContent, bytes: &[u8]) {
    let as_here = |mut other: PageContent| {
        other.document.charset_source = CharsetSource::Default;
        other.response = page.response.clone();
        other
    };
    let by_header = read_page(ReceivedPage::without_crawl(bytes, Some("utf-8"), &PAGE));
    assert_eq!(as_here(by_header), *page, "the charset of the header");
    let marked = [b"\xef\xbb\xbf", bytes].concat();
    let by_mark = read_page(ReceivedPage::without_crawl(&marked, None, &PAGE));
    assert_eq!(as_here(by_mark), *page, "the charset of a byte order mark");
}
