//! Sitemaps are bounded, dates round-trip, and a generated sitemap is read completely.

use crawler::{LastModified, Sitemap};
use std::fmt::Write;

const PROBLEMS: [&str; 10] = [
    "notSitemap",
    "tooManyEntries",
    "doctype",
    "html",
    "notXml",
    "tooDeep",
    "cutOff",
    "entity",
    "tooLarge",
    "undecodable",
];

pub(crate) fn check(bytes: &[u8]) {
    let sitemap = Sitemap::read(bytes);
    let entries = || sitemap.pages.iter().chain(&sitemap.sitemaps);
    assert!(entries().count() <= 50_000);
    assert!(sitemap.problem.is_none_or(|it| PROBLEMS.contains(&it)));
    for entry in entries() {
        assert!((1..=2_048).contains(&entry.url.len()), "{}", entry.url);
        if let Some(modified) = entry.last_modified {
            let again = LastModified::read(&modified.text());
            assert_eq!(again, Some(modified), "{}", modified.text());
        }
    }
    assert_eq!(Sitemap::read(bytes), sitemap, "the same twice");
    let text = String::from_utf8_lossy(bytes);
    check_written_sitemap(&text);
    let dates = [
        LastModified::read(&text),
        LastModified::read_rfc_2822(&text),
    ];
    for modified in dates.into_iter().flatten() {
        let again = LastModified::read(&modified.text());
        assert_eq!(again, Some(modified), "{text:?}");
    }
}

/// Every line as a URL, alternately escaped and in CDATA.
fn check_written_sitemap(text: &str) {
    let is_plain = |it: &&str| {
        !it.chars()
            .any(|it| it.is_control() || "\u{fffe}\u{ffff}".contains(it))
    };
    let lines = text.lines().filter(is_plain).map(str::trim);
    let urls: Vec<String> = lines
        .filter(|it| it.len() <= 2_000)
        .map(|it| format!("https://shop.example.com/{it}"))
        .collect();
    let mut file = "<?xml version='1.0' encoding='UTF-8'?><urlset>".to_owned();
    for (number, url) in urls.iter().enumerate() {
        let loc = if number % 2 == 0 || url.contains("]]>") {
            url.replace('&', "&amp;")
                .replace('<', "&#x3C;")
                .replace('>', "&gt;")
        } else {
            format!("<![CDATA[{url}]]>")
        };
        let _ = write!(file, "<url><loc>\n{loc} </loc></url>");
    }
    file.push_str("</urlset>");
    let read = Sitemap::read(file.as_bytes());
    assert_eq!(read.problem, None, "of {file}");
    let read: Vec<&str> = read.pages.iter().map(|it| it.url.as_str()).collect();
    assert_eq!(read, urls, "of {file}");
}
