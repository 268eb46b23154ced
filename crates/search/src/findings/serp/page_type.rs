//! Types of results, by URL, title and features. The lists and their order are ours.

use super::SerpItem;
use crate::observation::search_page::OrganicResult;
use crate::page_type::PageType;
use crate::url_rules::is_home_page;
use crate::{ToSchema, site_class, url_rules};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many pages of a kind there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageTypeCount {
    /// The kind.
    #[serde(rename = "type")]
    pub page_type: PageType,
    /// How many.
    pub count: u32,
}

const DISCUSSION: [&str; 9] = [
    "forum",
    "forums",
    "thread",
    "threads",
    "questions",
    "discussion",
    "discussions",
    "comments",
    "topic",
];
const VIDEO: [&str; 4] = ["watch", "video", "videos", "shorts"];
const REFERENCE: [&str; 5] = [
    "wiki",
    "dictionary",
    "definition",
    "glossary",
    "encyclopedia",
];
const PRODUCT: [&str; 10] = [
    "product", "products", "dp", "itm", "item", "p", "produkt", "produkty", "producto", "termek",
];
const CATEGORY: [&str; 14] = [
    "category",
    "categories",
    "collections",
    "collection",
    "c",
    "cat",
    "shop",
    "kategorie",
    "kategoria",
    "kategoriak",
    "categoria",
    "browse",
    "tag",
    "search",
];
const ARTICLE: [&str; 12] = [
    "blog", "news", "article", "articles", "magazine", "magazin", "story", "stories", "guides",
    "guide", "clanky", "artikel",
];

pub(super) fn classify(result: &OrganicResult, domain: Option<&str>) -> PageType {
    if is_home_page(&result.url) {
        return PageType::Home;
    }
    let key = url_rules::unwrapped(&result.url);
    let path = path(&key);
    let segments: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    let holds = |list: &[&str]| {
        segments
            .iter()
            .any(|part| list.iter().any(|word| part.eq_ignore_ascii_case(word)))
    };
    let of_domain = domain.and_then(site_class::usual_page_type);
    if let Some(kind) = of_domain {
        kind
    } else if holds(&DISCUSSION) {
        PageType::Discussion
    } else if holds(&VIDEO) {
        PageType::Video
    } else if holds(&REFERENCE) {
        PageType::Reference
    } else if result.rich_data.price.is_some() || holds(&PRODUCT) {
        PageType::Product
    } else if holds(&ARTICLE) || has_date(&segments) || result.rich_data.date.is_some() {
        PageType::Article
    } else if holds(&CATEGORY) {
        PageType::Category
    } else if segments.last().is_some_and(|last| is_headline(last)) {
        PageType::Article
    } else {
        PageType::Other
    }
}

/// By URL only.
pub fn page_type_of_address(url: &str, domain: &str) -> PageType {
    let result = OrganicResult {
        url: url.to_owned(),
        ..OrganicResult::default()
    };
    classify(&result, Some(domain))
}

/// Counts of page types among the first ten results.
pub(super) fn counts(items: &[SerpItem]) -> Vec<PageTypeCount> {
    let mut counts: BTreeMap<PageType, u32> = BTreeMap::new();
    let top = items
        .iter()
        .filter(|it| it.organic_position.is_some_and(|position| position <= 10));
    for kind in top.filter_map(|it| it.page_type) {
        *counts.entry(kind).or_default() += 1;
    }
    let mut counts: Vec<PageTypeCount> = counts
        .into_iter()
        .map(|(page_type, count)| PageTypeCount { page_type, count })
        .collect();
    counts.sort_by(|one, other| {
        other
            .count
            .cmp(&one.count)
            .then(one.page_type.cmp(&other.page_type))
    });
    counts
}

fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or_default()
}

/// As in `/2024/05/`.
fn has_date(segments: &[&str]) -> bool {
    segments.windows(2).any(|pair| {
        let number = |text: &str| text.parse::<u32>().ok();
        number(pair[0]).is_some_and(|year| (1990..2100).contains(&year))
            && number(pair[1]).is_some_and(|month| (1..=12).contains(&month))
    })
}

/// Five or more hyphenated words.
fn is_headline(segment: &str) -> bool {
    segment.split(['-', '_']).filter(|it| it.len() > 1).count() >= 5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::search_page::RichData;

    #[test]
    fn page_types_follow_urls_and_prices() {
        for (url, kind) in [
            ("https://acme.com/", PageType::Home),
            ("https://www.youtube.com/watch?v=1", PageType::Video),
            ("https://www.reddit.com/r/running/x", PageType::Discussion),
            ("https://en.wikipedia.org/wiki/Shoe", PageType::Reference),
            ("https://acme.com/forum/12", PageType::Discussion),
            ("https://acme.com/products/shoe?size=4", PageType::Product),
            ("https://acme.com/collections/shoes", PageType::Category),
            ("https://acme.com/2024/05/shoes", PageType::Article),
            (
                "https://acme.com/the-ten-best-shoes-of-all",
                PageType::Article,
            ),
            ("https://acme.com/shoes", PageType::Other),
            ("no url", PageType::Other),
        ] {
            let result = OrganicResult {
                url: url.to_owned(),
                ..Default::default()
            };
            let domain = url_rules::domain_of_url(url);
            assert_eq!(classify(&result, domain.as_deref()), kind, "{url}");
        }
        let priced = OrganicResult {
            url: "https://acme.com/shoes".to_owned(),
            rich_data: RichData {
                price: Some(49.0),
                ..Default::default()
            },
            ..Default::default()
        };
        assert_eq!(classify(&priced, Some("acme.com")), PageType::Product);
    }
}
