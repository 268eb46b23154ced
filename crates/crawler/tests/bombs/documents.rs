//! Hostile documents: they arrive quickly, but are expensive to read.

use crate::{
    fault_server::{Act, answer},
    trial::{one_by_one, page, place},
};
use flate2::{Compression, write::GzEncoder};
use std::{fmt::Write as _, io::Write as _};

/// Slightly more bytes than are read of a page.
const WHOLE: usize = 11 * 1024 * 1024;

/// Bytes sent uncompressed; the rest is compressed, because the limit of encoded bytes is lower.
const PLAIN: usize = 4 * 1024 * 1024;

fn packed(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), level);
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

/// A response of the maximum size that is read.
fn sent(content_type: &str, bytes: &[u8]) -> Act {
    let (first, rest) = bytes.split_at(PLAIN.min(bytes.len()));
    let members = [
        packed(first, Compression::none()),
        packed(rest, Compression::best()),
    ];
    let headers = format!("Content-Type: {content_type}\r\nContent-Encoding: gzip\r\n");
    answer(200, &headers, members.concat())
}

fn html(text: &str) -> Act {
    sent("text/html; charset=utf-8", text.as_bytes())
}

/// A closed port: the test is about reading links, not following them.
const ELSEWHERE: &str = "http://127.0.0.1:1";

fn each(count: usize, piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for number in 0..count {
        text.push_str(&piece(number));
    }
    text
}

/// A page of one repeated piece, up to the size limit.
fn full_of(piece: &str) -> Act {
    after("", piece)
}

/// The same after a beginning.
fn after(beginning: &str, piece: &str) -> Act {
    html(&(beginning.to_owned() + &piece.repeat(WHOLE / piece.len())))
}

/// A page of numbered pieces.
fn numbered(beginning: &str, piece: impl Fn(usize) -> String) -> Act {
    let mut text = beginning.to_owned();
    for number in 0.. {
        text.push_str(&piece(number));
        if text.len() > WHOLE {
            break;
        }
    }
    html(&text)
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: reads to the limits"]
async fn pages_of_too_many_elements() {
    one_by_one(vec![
        page(
            "elements side by side",
            full_of("<b></b>"),
            "page, cut, beyond",
        ),
        page(
            "elements in each other",
            full_of("<div>"),
            "page, cut, beyond",
        ),
        page(
            "formatting in each other",
            full_of("<b><i><u>"),
            "page, cut, beyond",
        ),
        page(
            "links in each other",
            full_of("<a href=http://127.0.0.1:1/x><p>"),
            "page, cut, beyond",
        ),
        page(
            "tables in each other",
            full_of("<table><tr><td>"),
            "page, cut, beyond",
        ),
        page(
            "text put before a table",
            after("<table>", "x<b>y</b>"),
            "page, cut",
        ),
        page(
            "forms, selects and options",
            full_of("<select><option>a</select>"),
            "page, cut",
        ),
        page(
            "templates in each other",
            full_of("<template>"),
            "page, cut",
        ),
        page(
            "drawings in each other",
            full_of("<svg><g>"),
            "page, cut, beyond",
        ),
        page(
            "ends without beginnings",
            full_of("</p></br>"),
            "page, cut, beyond",
        ),
        page("comments", full_of("<!--x-->"), "page, cut"),
        page("headings", full_of("<h2>word</h2>"), "page, cut"),
        page(
            "rows of a table",
            after("<table>", "<tr><td>1<td>2"),
            "page, cut",
        ),
        page("lists", full_of("<ul><li>word</ul>"), "page, cut"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: reads to the limits"]
async fn pages_of_too_many_attributes_and_too_much_text() {
    one_by_one(vec![
        page(
            "attributes of one tag",
            numbered("<p ", |it| format!("a{it} ")),
            "page, cut",
        ),
        page(
            "attributes of one tag with values",
            numbered("<p ", |it| format!("a{it}='x' ")),
            "page, cut",
        ),
        page(
            "bodies with an attribute each",
            numbered("", |it| format!("<body a{it}>")),
            "page, cut",
        ),
        page(
            "links with ten attributes",
            full_of("<a a b c d e f g h i j>"),
            "page, cut",
        ),
        page(
            "identifiers",
            numbered("", |it| format!("<p id=a{it}>")),
            "page, cut",
        ),
        page(
            "classes of one element",
            after("<p class='", "a "),
            "page, cut",
        ),
        page("text of one element", after("<p>", "word "), "page, cut"),
        page("text without a space", after("<p>", "x"), "page, cut"),
        page("text of wide characters", after("<p>", "語 "), "page, cut"),
        page(
            "references to characters",
            after("<p>", "&amp;&notin;&#x1F600;"),
            "page, cut",
        ),
        page("references that never end", after("<p>&", "a"), "page, cut"),
        page(
            "bytes of no encoding",
            sent("text/html; charset=utf-8", &vec![0xff; WHOLE]),
            "page, cut",
        ),
        page(
            "bytes of another encoding",
            sent("text/html; charset=windows-1251", &vec![0xe9; WHOLE]),
            "page, cut",
        ),
        page(
            "paragraphs of different words",
            numbered("", |it| format!("<p>word{it} and word{} ", it * 7)),
            "page, cut",
        ),
        page("a script", after("<script>", "if (a<b) x();"), "page, cut"),
        page(
            "a style of addresses",
            after("<style>", &format!("a{{b:url({ELSEWHERE}/x)}}")),
            "page, cut",
        ),
        page(
            "one tag without an end",
            after("<a href='", "x"),
            "page, cut",
        ),
        page("beginnings of tags", after("<p>", "<"), "page, cut"),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: reads to the limits"]
async fn pages_of_too_many_links() {
    let long = "x".repeat(2_000);
    one_by_one(vec![
        page(
            "links",
            numbered("", |it| format!("<a href={ELSEWHERE}/{it}>{it}</a>")),
            "20000 links",
        ),
        page(
            "links of 2,000 characters",
            numbered("", |it| format!("<a href='{ELSEWHERE}/{it}/{long}'>x</a>")),
            "page, cut",
        ),
        page(
            "links with long texts",
            numbered("", |it| {
                format!("<a href={ELSEWHERE}/{it}>{}</a>", &long[..900])
            }),
            "page, cut",
        ),
        page(
            "one srcset",
            html(&format!(
                "<img srcset='{}'>",
                format!("{ELSEWHERE}/a 1x,").repeat(400_000)
            )),
            "page, 20000 links",
        ),
        page(
            "images",
            numbered("", |it| format!("<img src={ELSEWHERE}/{it} alt=a>")),
            "page, cut",
        ),
        page("meta tags", full_of("<meta name=a content=b>"), "page, cut"),
        page(
            "other languages",
            numbered("", |it| {
                format!("<link rel=alternate hreflang=de href={ELSEWHERE}/{it}>")
            }),
            "page, cut",
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: reads to the limits"]
async fn pages_of_too_much_data() {
    let block = |inside: &str| format!("<script type=application/ld+json>{inside}</script>");
    let deep = "{\"a\":".repeat(20_000);
    let list = format!("[{}0]", "0,".repeat(500_000));
    let objects = format!("[{}{{}}]", "{},".repeat(330_000));
    let types = format!(
        "[{}0]",
        "{\"@type\":\"Product\",\"name\":\"a\"},".repeat(20_000)
    );
    let keys = {
        let mut text = "{\"@type\":\"Product\"".to_owned();
        for number in 0..60_000 {
            write!(text, ",\"k{number}\":1").unwrap();
        }
        text + "}"
    };
    one_by_one(vec![
        page(
            "blocks of JSON-LD",
            full_of(&block("{\"@type\":\"Product\",\"name\":\"x\"}")),
            "page, cut",
        ),
        page("JSON-LD in each other", full_of(&block(&deep)), "page, cut"),
        page("JSON-LD of numbers", full_of(&block(&list)), "page, cut"),
        page(
            "JSON-LD of empty objects",
            full_of(&block(&objects)),
            "page, cut",
        ),
        page("JSON-LD of products", full_of(&block(&types)), "page, cut"),
        page("JSON-LD of members", full_of(&block(&keys)), "page, cut"),
        page(
            "JSON-LD that is none",
            full_of(&block(&"{a:\"b\",]".repeat(100_000))),
            "page, cut",
        ),
        page(
            "microdata in each other",
            full_of("<p itemscope itemtype=http://schema.org/Product itemprop=a>"),
            "page, cut",
        ),
        page(
            "microdata side by side",
            full_of("<p itemscope itemtype=http://schema.org/Product><b itemprop=name>x</b></p>"),
            "page, cut",
        ),
        page(
            "microdata that refers to all",
            numbered("<p itemscope itemref='a'>", |it| {
                format!("<p id=a{it} itemscope itemref='a{}'>", it + 1)
            }),
            "page, cut",
        ),
        page(
            "RDFa in each other",
            full_of("<p vocab=http://schema.org/ typeof=Product property=a>"),
            "page, cut",
        ),
        page(
            "dates",
            full_of("<time datetime=2026-01-01>1 January 2026</time>"),
            "page, cut",
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: reads to the limits"]
async fn sitemaps_of_excessive_size() {
    let entries = |count: usize| {
        let mut text = "<urlset>".to_owned();
        for number in 0..count {
            write!(
                text,
                "<url><loc>/{number}</loc><lastmod>2026-01-01</lastmod></url>"
            )
            .unwrap();
        }
        text + "</urlset>"
    };
    let sitemap = |text: &str| answer(200, "Content-Type: application/xml\r\n", text);
    let index = each(60_000, |it| format!("<sitemap><loc>/s{it}</loc></sitemap>"));
    let long = "x".repeat(2_000);
    one_by_one(vec![
        place(
            "sitemap of 49,000 entries",
            "/sitemap.xml",
            sitemap(&entries(49_000)),
            "no problem",
        ),
        place(
            "sitemap of 400,000 entries",
            "/sitemap.xml",
            sitemap(&entries(400_000)),
            "tooManyEntries",
        ),
        place(
            "sitemap of long addresses",
            "/sitemap.xml",
            sitemap(&format!(
                "<urlset>{}</urlset>",
                format!("<url><loc>http://a.example/{long}</loc></url>").repeat(25_000)
            )),
            "sitemap with",
        ),
        place(
            "sitemap of elements in each other",
            "/sitemap.xml",
            sitemap(&"<a>".repeat(10_000_000)),
            "tooDeep",
        ),
        place(
            "sitemap of attributes",
            "/sitemap.xml",
            sitemap(&format!("<urlset {}>", "a='b' ".repeat(5_000_000))),
            "sitemap with",
        ),
        place(
            "sitemap of entities",
            "/sitemap.xml",
            sitemap("<!DOCTYPE a [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><urlset>&b;</urlset>"),
            "doctype",
        ),
        place(
            "sitemap of text",
            "/sitemap.xml",
            sitemap(&"http://a.example/\n".repeat(1_500_000)),
            "tooManyEntries",
        ),
        place(
            "sitemap in another encoding",
            "/sitemap.xml",
            answer(
                200,
                "",
                [
                    b"<?xml version='1.0' encoding='windows-1251'?><urlset>".as_slice(),
                    &vec![0xe9; 45_000_000],
                ]
                .concat(),
            ),
            "sitemap with",
        ),
        place(
            "index of 60,000 sitemaps",
            "/sitemap.xml",
            sitemap(&format!("<sitemapindex>{index}</sitemapindex>")),
            "sitemap with",
        ),
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_of_excessive_size() {
    let rules = each(60_000, |it| format!("Disallow: /{it}*a*b*c\n"));
    let stars = format!("User-agent: *\nDisallow: /{}$\n", "*a".repeat(200_000));
    let robots = |text: &str| answer(200, "Content-Type: text/plain\r\n", text);
    one_by_one(vec![
        place(
            "robots.txt of 60,000 rules",
            "/robots.txt",
            robots(&format!("User-agent: *\n{rules}")),
            "robots.txt of",
        ),
        place(
            "robots.txt of one rule with 200,000 stars",
            "/robots.txt",
            robots(&stars),
            "robots.txt of",
        ),
    ])
    .await;
}
