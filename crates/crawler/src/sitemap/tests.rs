//! Sitemaps of all formats; `tests/oracles/sitemaps.py` compares them with ultimate-sitemap-parser.

use super::*;
use std::io::Write;

const TWO: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="x">
      <url><loc> https://example.com/a?x=1&amp;y=%20 </loc><lastmod>2024-01-01</lastmod></url>
      <url><image:image><image:loc>https://example.com/i.png</image:loc></image:image><loc><![CDATA[https://example.com/b]]>&#x2F;</loc></url>
    </urlset>"#;

fn urls(entries: &[SitemapEntry]) -> Vec<&str> {
    entries.iter().map(|it| it.url.as_str()).collect()
}

fn dates(bytes: &[u8]) -> Vec<Option<String>> {
    Sitemap::read(bytes)
        .pages
        .iter()
        .map(|it| it.last_modified.map(|it| it.text()))
        .collect()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
fn pages_are_read_with_references_resolved() {
    let sitemap = Sitemap::read(TWO.as_bytes());
    assert_eq!(
        urls(&sitemap.pages),
        ["https://example.com/a?x=1&y=%20", "https://example.com/b/"]
    );
    assert_eq!(sitemap.problem, None);
}

#[test]
fn valid_dates_are_kept() {
    let sitemap = "<urlset><url><lastmod>2024-05-06T07:08Z</lastmod><loc>https://example.com/a</loc></url>
        <url><loc>https://example.com/b</loc><lastmod>last week</lastmod></url><url><loc>https://example.com/c</loc></url></urlset>";
    assert_eq!(
        dates(sitemap.as_bytes()),
        [Some("2024-05-06T07:08:00+00:00".to_owned()), None, None]
    );
    assert_eq!(dates(TWO.as_bytes())[0].as_deref(), Some("2024-01-01"));
}

#[test]
fn indexes_gzip_and_plain_lists_are_read() {
    let index = "<sitemapindex><sitemap><loc>https://example.com/s.xml.gz</loc><lastmod>2024-05</lastmod></sitemap></sitemapindex>";
    let index = Sitemap::read(index.as_bytes());
    assert_eq!(urls(&index.sitemaps), ["https://example.com/s.xml.gz"]);
    assert_eq!(
        index.sitemaps[0]
            .last_modified
            .map(|it| it.text())
            .as_deref(),
        Some("2024-05-01")
    );
    assert_eq!(Sitemap::read(&packed(TWO.as_bytes())).pages.len(), 2);
    let list = "\u{feff}https://example.com/a\r\nhttps://example.com/b\nnonsense\n";
    assert_eq!(Sitemap::read(list.as_bytes()).pages.len(), 2);
}

#[test]
fn feeds_are_sitemaps() {
    let rss = "<rss version='2.0'><channel><link>https://example.com/</link><item><link>https://example.com/a</link>
        <pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate></item></channel></rss>";
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='https://example.com/'/><entry><link rel='self' href='https://example.com/x'/>
        <link href='https://example.com/a?x=1&amp;y=2'/><updated>2024-05-06T07:08:09Z</updated></entry></feed>";
    assert_eq!(
        urls(&Sitemap::read(rss.as_bytes()).pages),
        ["https://example.com/a"]
    );
    assert_eq!(
        urls(&Sitemap::read(atom.as_bytes()).pages),
        ["https://example.com/a?x=1&y=2"]
    );
    for feed in [rss, atom] {
        assert_eq!(
            dates(feed.as_bytes()),
            [Some("2024-05-06T07:08:09+00:00".to_owned())]
        );
    }
}

#[test]
fn other_encodings_are_read() {
    let text = "<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>https://example.com/\u{e9}</loc></url></urlset>";
    let latin: Vec<u8> = text
        .chars()
        .map(|it| u8::try_from(u32::from(it)).unwrap())
        .collect();
    assert_eq!(
        urls(&Sitemap::read(&latin).pages),
        ["https://example.com/é"]
    );
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    assert_eq!(urls(&Sitemap::read(&wide).pages), ["https://example.com/é"]);
}

#[test]
fn doctypes_entities_and_malformed_xml_end_the_parse() {
    let lol = r#"<!DOCTYPE x [<!ENTITY a "b">]><urlset><url><loc>https://example.com/&a;</loc></url></urlset>"#;
    assert_eq!(Sitemap::read(lol.as_bytes()).problem, Some("doctype"));
    let harmless = format!("<!DOCTYPE urlset>{}", &TWO[TWO.find("<urlset").unwrap()..]);
    assert_eq!(Sitemap::read(harmless.as_bytes()).problem, None);
    let entity = "<urlset><url><loc>https://example.com/&a;</loc></url></urlset>";
    assert_eq!(Sitemap::read(entity.as_bytes()).problem, Some("entity"));
    let broken = "<urlset><url><loc>https://example.com/a</loc></url><url></loc>";
    let sitemap = Sitemap::read(broken.as_bytes());
    assert_eq!((sitemap.pages.len(), sitemap.problem), (1, Some("notXml")));
    let deep = "<a>".repeat(1_000);
    assert_eq!(Sitemap::read(deep.as_bytes()).problem, Some("tooDeep"));
}

#[test]
fn truncated_files_and_other_formats_are_reported() {
    let problem = |text: &str| Sitemap::read(text.as_bytes()).problem;
    let cut = &TWO[..TWO.rfind("<url>").unwrap()];
    let sitemap = Sitemap::read(cut.as_bytes());
    assert_eq!((sitemap.pages.len(), sitemap.problem), (1, Some("cutOff")));
    for html in [
        "<!doctype html><html><body><p>Not here</p></body></html>",
        "<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\"><p>Not here",
        "<HTML><head><meta charset=utf-8><title>x</title>",
    ] {
        assert_eq!(problem(html), Some("html"), "{html}");
    }
    for other in [
        "",
        "{\"error\": 1}",
        "<error/>",
        "<error>no</error>",
        "<!-- -->",
    ] {
        assert_eq!(problem(other), Some("notSitemap"), "{other}");
    }
    for empty in [
        "<urlset/>",
        "<s:urlset xmlns:s='x'></s:urlset>",
        "<feed></feed>",
    ] {
        assert_eq!(problem(empty), None, "{empty}");
    }
}

#[test]
fn truncated_gzip_is_read_as_far_as_possible() {
    let mut cut = packed(&TWO.repeat(50).into_bytes());
    cut.truncate(cut.len() - 8);
    let sitemap = Sitemap::read(&cut);
    assert_eq!(
        (sitemap.pages.len() >= 2, sitemap.problem),
        (true, Some("undecodable"))
    );
}

#[test]
fn fifty_thousand_entries_are_the_limit() {
    let entry = "<url><loc>https://example.com/a</loc></url>";
    let full = format!("<urlset>{}</urlset>", entry.repeat(MAX_ENTRIES));
    assert_eq!(Sitemap::read(full.as_bytes()).problem, None);
    let over = format!("<urlset>{}</urlset>", entry.repeat(MAX_ENTRIES + 1));
    let over = Sitemap::read(over.as_bytes());
    assert_eq!(
        (over.pages.len(), over.problem),
        (MAX_ENTRIES, Some("tooManyEntries"))
    );
    let list = "https://example.com/a\n".repeat(MAX_ENTRIES + 1);
    assert_eq!(
        Sitemap::read(list.as_bytes()).problem,
        Some("tooManyEntries")
    );
}

#[test]
fn a_gzip_bomb_is_refused() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![b' '; 1024 * 1024];
    for _ in 0..51 {
        packed.write_all(&zeros).unwrap();
    }
    assert_eq!(
        Sitemap::read(&packed.finish().unwrap()).problem,
        Some("tooLarge")
    );
}

proptest::proptest! {
    #[test]
    fn arbitrary_xml_is_parsed(text in "(<(/?url|/?loc|/?urlset|/?entry|link href='x'/|!\\[CDATA\\[)>?|&amp;|&#x?0;|x| ){0,40}") {
        Sitemap::read(text.as_bytes());
    }
}
