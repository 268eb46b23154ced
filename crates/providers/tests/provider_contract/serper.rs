//! serper.dev: the documented answers, and every way in which it fails.

use super::{
    KEY,
    fault_server::{FaultServer, Reply},
    query, serper,
};
use analysis::observation::search_page::{Device, Feature, FeatureCoverage};
use domain::ports::search_results::ProviderError;
use serde_json::{Value, json};
use std::time::Duration;

/// A result page in the documented shape, its results named after the page.
fn page(number: u64) -> Value {
    let organic = (1..=10).map(|place| {
        json!({
            "title": format!("Result {place} of page {number}"),
            "link": format!("https://site{place}.test/{number}"),
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

/// Answers with the page that is asked for.
async fn pages() -> FaultServer {
    FaultServer::scripted(|_, received| {
        let asked = if received.body.is_empty() {
            json!(1)
        } else {
            received.json()["page"].clone()
        };
        Reply::ok(&page(asked.as_u64().unwrap_or(1)))
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
async fn it_is_asked_in_its_own_shape() {
    let server = pages().await;
    let mut asked = query(10);
    asked.location = Some("Berlin".to_owned());
    serper(&server).search(&asked).await.expect("an answer");
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
async fn every_documented_block_is_understood() {
    let server = FaultServer::always(Reply::ok(&rich_page())).await;
    let page = serper(&server).search(&query(10)).await.expect("an answer");
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
async fn a_quoted_page_that_is_listed_nowhere_else_has_the_first_place() {
    let mut body = rich_page();
    body["answerBox"]["link"] = json!("https://quoted.test/");
    let server = FaultServer::always(Reply::ok(&body)).await;
    let page = serper(&server).search(&query(10)).await.expect("an answer");
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
    let page = serper(&server).search(&query(25)).await.expect("an answer");
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
async fn it_stops_when_the_results_run_out_and_counts_repetitions_once() {
    let server = FaultServer::always(Reply::ok(&page(1))).await;
    let page = serper(&server)
        .search(&query(100))
        .await
        .expect("an answer");
    assert_eq!((server.calls(), page.depth_checked()), (2, 10));
    assert!(page.warnings.is_empty());
}

#[tokio::test]
async fn nothing_found_is_an_empty_page() {
    let empty = json!({"searchParameters": {"q": "x"}, "organic": [], "credits": 1});
    let server = FaultServer::always(Reply::ok(&empty)).await;
    let page = serper(&server)
        .search(&query(100))
        .await
        .expect("an answer");
    assert_eq!((server.calls(), page.depth_checked()), (1, 0));
}

#[tokio::test]
async fn a_later_page_that_fails_leaves_what_was_seen_and_says_so() {
    let server = FaultServer::scripted(|number, _| match number {
        0 => Reply::ok(&page(1)),
        _ => Reply::status(403, &json!({"message": "Unauthorized."})),
    })
    .await;
    let page = serper(&server)
        .search(&query(30))
        .await
        .expect("the first page");
    assert_eq!(
        (page.depth_checked(), page.warnings.as_slice()),
        (10, &["depthCutShort".to_owned()][..])
    );
}

#[tokio::test]
async fn a_phone_is_not_measured_with_a_desktop() {
    let server = pages().await;
    let mut asked = query(10);
    asked.device = Device::Mobile;
    let error = serper(&server).search(&asked).await.expect_err("a refusal");
    assert!(matches!(error, ProviderError::Refused { .. }));
    assert_eq!(server.calls(), 0);
}

/// What a failure is taken for, and how often the call was made.
async fn failure(reply: Reply) -> (ProviderError, usize) {
    let server = FaultServer::always(reply).await;
    let error = serper(&server)
        .search(&query(10))
        .await
        .expect_err("a failure");
    assert!(!format!("{error} {error:?}").contains(KEY));
    (error, server.calls())
}

fn said(message: &str) -> Value {
    json!({"message": message, "statusCode": 400})
}

fn limited(seconds: Option<u64>) -> ProviderError {
    ProviderError::RateLimited {
        retry_after: seconds.map(Duration::from_secs),
    }
}

#[tokio::test]
async fn refusals_are_told_apart_and_not_repeated() {
    let refused = |reason: &str| ProviderError::Refused {
        reason: reason.to_owned(),
    };
    for (reply, expected) in [
        (
            Reply::status(401, &said("Unauthorized.")),
            ProviderError::Unauthorised,
        ),
        (
            Reply::status(403, &said("Unauthorized.")),
            ProviderError::Unauthorised,
        ),
        (Reply::status(402, &said("Pay.")), ProviderError::OutOfFunds),
        (
            Reply::status(400, &said("Not enough credits")),
            ProviderError::OutOfFunds,
        ),
        (
            Reply::status(400, &said("Missing query parameter")),
            refused("Missing query parameter"),
        ),
        (Reply::status(404, &json!("?")), refused("no reason given")),
        (
            Reply::status(400, &said(&format!("{KEY} is no key"))),
            refused("… is no key"),
        ),
        (
            Reply::ok(&json!({"message": "Unauthorized.", "statusCode": 403})),
            ProviderError::Unauthorised,
        ),
        (
            Reply::ok(&said("Not enough credits")),
            ProviderError::OutOfFunds,
        ),
        (
            Reply::ok(&json!({"error": "query too long"})),
            refused("query too long"),
        ),
    ] {
        assert_eq!(failure(reply.clone()).await, (expected, 1), "{reply:?}");
    }
}

#[tokio::test]
async fn requests_to_slow_down_are_heeded_within_reason() {
    let slow_down = |headers| Reply::Status(429, headers, said("Slow down").to_string());
    assert_eq!(failure(slow_down(&[])).await, (limited(None), 3));
    assert_eq!(
        failure(slow_down(&[("retry-after", "0")])).await,
        (limited(Some(0)), 3)
    );
    assert_eq!(
        failure(slow_down(&[("Retry-After", "3600")])).await,
        (limited(Some(3600)), 1)
    );
}

#[tokio::test]
async fn outages_are_retried_twice() {
    for status in [500, 502, 503, 504, 408, 425] {
        let reply = Reply::Status(status, &[], "<html>".to_owned());
        assert_eq!(
            failure(reply).await,
            (ProviderError::Unavailable, 3),
            "{status}"
        );
    }
}

#[tokio::test]
async fn a_call_that_may_have_been_billed_is_not_repeated() {
    assert_eq!(failure(Reply::Reset).await, (ProviderError::Unavailable, 1));
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_malformed() {
    let whole = page(1).to_string();
    for reply in [
        Reply::Status(200, &[], whole[..whole.len() / 2].to_owned()),
        Reply::CutShort(whole),
        Reply::ok(&json!({"organic": "yes"})),
        Reply::ok(&json!({"organic": [{"title": "no link"}]})),
        Reply::ok(&json!({})),
        Reply::ok(&json!([])),
        Reply::Status(200, &[], String::new()),
        Reply::Status(200, &[], "<html>captcha</html>".to_owned()),
        Reply::Status(302, &[("location", "http://127.0.0.1:1/")], String::new()),
        Reply::Huge(100_000_000),
    ] {
        let (error, calls) = failure(reply.clone()).await;
        assert!(
            matches!(error, ProviderError::Malformed { .. }),
            "{reply:?}: {error:?}"
        );
        assert_eq!(calls, 1);
    }
}
