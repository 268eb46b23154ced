//! robots.txt never forbids itself, and its patterns match like a reference matcher.

use crate::SeededRandom;
use crawler::RobotsRules;
use std::time::Duration;
use url::Url;

const PRODUCT: &str = "sightlinebot";
/// The parser cuts longer lines.
const MAX_LINE_BYTES: usize = 16_000;

/// The bytes as a file; the first two lines also as a pattern and a path.
pub(crate) fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let rules = RobotsRules::parse(&text, PRODUCT);
    assert!(rules.allow_path("/robots.txt"));
    assert!(rules.delay.is_none_or(|it| it <= Duration::from_secs(30)));
    assert_eq!(rules.delay.is_some(), rules.requested_delay.is_some());
    assert!(rules.is_delay_capped() == (rules.requested_delay > rules.delay));
    for sitemap in &rules.sitemaps {
        assert!(text.contains(sitemap.as_str()), "{sitemap:?} is the file's");
    }
    let other_ends = text.replace('\n', "\r");
    assert_eq!(RobotsRules::parse(&other_ends, PRODUCT), rules, "line ends");
    let loud = RobotsRules::parse(&text, &PRODUCT.to_uppercase());
    assert_eq!(loud, rules, "the product's case");
    let remark = format!("# remark\n{text}");
    assert_eq!(
        with_leading_comment(&remark, &text),
        rules,
        "a remark before all"
    );

    let mut lines = text.lines();
    let pattern = plain(lines.next().unwrap_or_default());
    let path = format!("/{}", plain(lines.next().unwrap_or_default()));
    check_one_rule(&pattern, &path);
    let _ = rules.allow_path(&path);
    if let Ok(url) = Url::parse(&format!("https://shop.example{path}")) {
        let _ = rules.allow(&url);
    }
    let mut chance = SeededRandom::from_bytes(bytes);
    check_one_rule(
        &random_path(&mut chance, b"/ab*$*"),
        &random_path(&mut chance, b"/ab"),
    );
}

/// A byte order mark is ignored only at the very beginning.
fn with_leading_comment(remark: &str, text: &str) -> RobotsRules {
    let whole = text.trim_start_matches('\u{feff}');
    let text = if whole.len() < text.len() {
        format!("# remark\n{whole}")
    } else {
        remark.to_owned()
    };
    RobotsRules::parse(&text, PRODUCT)
}

/// A file with one rule forbids exactly what the pattern matches.
fn check_one_rule(pattern: &str, path: &str) {
    if pattern.is_empty() || pattern.len() + path.len() > MAX_LINE_BYTES || path == "/robots.txt" {
        return;
    }
    let file = format!("User-agent: *\nDisallow: {pattern}\n");
    let rules = RobotsRules::parse(&file, PRODUCT);
    let forbidden = !rules.allow_path(path);
    assert_eq!(
        forbidden,
        is_match(pattern, path),
        "{pattern:?} and {path:?}"
    );
}

/// Only characters that are not escaped in patterns and paths.
fn plain(line: &str) -> String {
    let is_plain = |it: &char| it.is_ascii_alphanumeric() || "/*$?&=.-_~".contains(*it);
    line.chars().filter(is_plain).take(200).collect()
}

fn random_path(chance: &mut SeededRandom, from: &[u8]) -> String {
    let length = chance.below(9);
    let drawn = (0..length).map(|_| char::from(from[chance.below(from.len())]));
    format!("/{}", drawn.collect::<String>())
}

/// RFC 9309, 2.2.3: dynamic programming over prefixes of pattern and path.
fn is_match(pattern: &str, path: &str) -> bool {
    let (pattern, to_the_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern.as_bytes(), true),
        None => (pattern.as_bytes(), false),
    };
    let path = path.as_bytes();
    let mut row = vec![false; path.len() + 1];
    row[0] = true;
    for symbol in pattern {
        let mut next = vec![false; path.len() + 1];
        for at in 0..=path.len() {
            next[at] = match symbol {
                b'*' => row[at] || at > 0 && next[at - 1],
                plain => at > 0 && row[at - 1] && path[at - 1] == *plain,
            };
        }
        row = next;
    }
    if to_the_end {
        row[path.len()]
    } else {
        row.contains(&true)
    }
}
