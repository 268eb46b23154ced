//! serper.dev: documented responses and all kinds of failure.

use super::{
    KEY, MONEY,
    fault_server::{FaultServer, Reply},
    found, query, serper,
};
use analysis::observation::search_page::{Device, Feature, FeatureCoverage};
use domain::ports::search_results::ProviderError;
use serde_json::{Value, json};

/// A documented result page; its number is part of the URLs from page 2 on.
pub fn page(number: u64, results: u32) -> Value {
    let path = if number == 1 {
        String::new()
    } else {
        number.to_string()
    };
    let organic = (1..=results).map(|place| {
        json!({
            "title": format!("Result {place} of page {number}"),
            "link": format!("https://site{place}.test/{path}"),
            "snippet": "What it is about.",
            "position": place,
        })
    });
    json!({
        "searchParameters": {"q": "running shoes", "type": "search", "page": number},
        "organic": organic.collect::<Vec<_>>(),
        "credits": 1,
    })
}

/// Serves the requested page.
async fn pages() -> FaultServer {
    FaultServer::scripted(|_, received| {
        let number = if received.body.is_empty() {
            json!(1)
        } else {
            received.json()["page"].clone()
        };
        Reply::ok(&page(number.as_u64().unwrap_or(1), 10))
    })
    .await
}

fn rich_page() -> Value {
    json!({
        "searchParameters": {"q": "acme", "gl": "us", "hl": "en", "type": "search"},
        "knowledgeGraph": {
            "title": "Acme", "type": "Shop", "website": "https://acme.com/",
            "description": "A shop.", "descriptionSource": "Wikipedia",
            "descriptionLink": "https://en.wikipedia.org/wiki/Acme", "attributes": {"Founded": "1949"}
        },
        "answerBox": {
            "snippet": "Shoes are worn on feet.", "title": "Shoes", "link": "https://b.test/shoes",
            "snippetHighlighted": ["worn on feet"]
        },
        "organic": [
            {"title": "Acme", "link": "https://acme.com/", "snippet": "Shop.", "position": 1,
             "sitelinks": [{"title": "Boots", "link": "https://acme.com/boots"}],
             "rating": 4.5, "ratingCount": 120, "attributes": {"Products": "Shoes"}},
            {"title": "B", "link": "https://www.google.com/url?q=https%3A%2F%2Fb.test%2Fshoes",
             "position": 2, "date": "Aug 31, 2022"}
        ],
        "peopleAlsoAsk": [{"question": "Why shoes?", "snippet": "…", "title": "C", "link": "https://c.test/"}],
        "places": [{"title": "Acme Berlin", "rating": 4.1, "ratingCount": 9}],
        "relatedSearches": [{"query": "red shoes"}],
        "credits": 1
    })
}

#[tokio::test]
async fn request_matches_the_documented_format() {
    let server = pages().await;
    let mut search_query = query(10);
    search_query.location = Some("Berlin".to_owned());
    found(&serper(&server), &search_query).await;
    let received = &server.received()[0];
    assert!(received.head.starts_with("POST /search HTTP/1.1"));
    assert!(
        received
            .head
            .to_ascii_lowercase()
            .contains(&format!("x-api-key: {KEY}"))
    );
    assert_eq!(
        received.json(),
        json!({"q": "running shoes & socks", "gl": "us", "hl": "en", "num": 10, "page": 1, "location": "Berlin"})
    );
}

#[tokio::test]
async fn every_documented_block_is_parsed() {
    let server = FaultServer::always(Reply::ok(&rich_page())).await;
    let page = found(&serper(&server), &query(10)).await;
    let organic: Vec<_> = page.organic().map(|(_, result)| result).collect();
    assert_eq!(organic.len(), 2);
    assert_eq!(
        (organic[0].url.as_str(), organic[0].sitelinks.len()),
        ("https://acme.com/", 1)
    );
    assert_eq!(
        (
            organic[0].rich_data.rating,
            organic[0].rich_data.review_count
        ),
        (Some(4.5), Some(120))
    );
    assert_eq!(organic[1].url, "https://b.test/shoes");
    assert!(organic[1].in_featured_snippet && !organic[0].in_featured_snippet);
    let features: Vec<_> = page.features().map(|(_, it)| it.feature).collect();
    assert_eq!(
        features,
        [
            Feature::FeaturedSnippet,
            Feature::KnowledgePanel,
            Feature::PeopleAlsoAsk,
            Feature::LocalPack,
            Feature::RelatedSearches
        ]
    );
    assert_eq!(page.related, ["red shoes"]);
    assert_eq!(
        (page.engine.as_str(), page.feature_coverage),
        ("google", FeatureCoverage::Partial)
    );
    assert_eq!((page.ai_overview, page.calls), (None, 1));
}

#[tokio::test]
async fn unlisted_quoted_page_is_placed_first() {
    let mut body = rich_page();
    body["answerBox"]["link"] = json!("https://quoted.test/");
    let server = FaultServer::always(Reply::ok(&body)).await;
    let page = found(&serper(&server), &query(10)).await;
    let (_, first) = page.organic().next().expect("a result");
    assert_eq!(
        (first.url.as_str(), first.position),
        ("https://quoted.test/", 1)
    );
    assert!(first.in_featured_snippet);
}

#[tokio::test]
async fn it_pages_by_ten_to_the_wanted_depth() {
    let server = pages().await;
    let page = found(&serper(&server), &query(25)).await;
    assert_eq!(
        (server.calls(), page.calls, page.depth_checked()),
        (3, 3, 25)
    );
    let (block, last) = page.organic().last().expect("results");
    assert_eq!(
        (last.position, block.page, last.url.as_str()),
        (25, 3, "https://site5.test/3")
    );
}

#[tokio::test]
async fn it_stops_at_the_last_result_and_skips_repetitions() {
    let server = FaultServer::always(Reply::ok(&page(1, 10))).await;
    let page = found(&serper(&server), &query(100)).await;
    assert_eq!((server.calls(), page.depth_checked()), (2, 10));
    assert!(page.warnings.is_empty());
}

#[tokio::test]
async fn failed_later_page_keeps_earlier_ones_with_a_warning() {
    let server = FaultServer::scripted(|number, _| match number {
        0 => Reply::ok(&page(1, 10)),
        _ => Reply::status(403, &json!({"message": "Unauthorized."})),
    })
    .await;
    let page = found(&serper(&server), &query(30)).await;
    assert_eq!(
        (page.depth_checked(), page.warnings.as_slice()),
        (10, &["depthCutShort".to_owned()][..])
    );
}

#[tokio::test]
async fn mobile_query_is_refused() {
    let server = pages().await;
    let mut search_query = query(10);
    search_query.device = Device::Mobile;
    let searched = serper(&server).search(&search_query, &MONEY).await;
    let error = searched.answer.expect_err("a refusal");
    assert!(matches!(error, ProviderError::Refused { .. }));
    assert_eq!(server.calls(), 0);
}
