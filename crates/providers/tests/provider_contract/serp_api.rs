//! SerpApi: documented responses, and the second call for an AI Overview.

use super::{
    KEY, MONEY,
    fault_server::{FaultServer, Received, Reply},
    found, query, serp_api,
};
use analysis::observation::search_page::{Device, Feature, FeatureCoverage};
use domain::{money::MicroUsd, ports::search_results::Spent};
use serde_json::{Value, json};
use std::ops::RangeInclusive;

/// A page with results at those positions.
pub fn page(places: RangeInclusive<u32>) -> Value {
    let organic = places.map(|place| {
        json!({
            "position": place, "title": format!("Result {place}"),
            "link": format!("https://site{place}.test/"), "displayed_link": "site.test",
            "redirect_link": "https://www.google.com/url?q=x", "snippet": "What it is about.",
        })
    });
    json!({
        "search_metadata": {
            "id": "1", "status": "Success", "created_at": "2026-11-21 10:00:00 UTC",
            "json_endpoint": format!("https://serpapi.com/searches/1.json?api_key={KEY}"),
        },
        "search_parameters": {"engine": "google", "q": "running shoes", "device": "desktop"},
        "search_information": {"total_results": 34_400, "organic_results_state": "Results for exact spelling"},
        "organic_results": organic.collect::<Vec<_>>(),
        "serpapi_pagination": {"next": format!("https://serpapi.com/search.json?api_key={KEY}")},
    })
}

fn rich_page() -> Value {
    let mut page = page(1..=2);
    page["organic_results"] = json!([
        {"position": 1, "title": "Acme", "link": "https://acme.com/", "displayed_link": "https://acme.com",
         "snippet": "Shop.", "snippet_highlighted_words": ["Shop"], "date": "Aug 31, 2026",
         "sitelinks": {"inline": [{"title": "Boots", "link": "https://acme.com/boots"}],
                       "expanded": [{"title": "Socks", "link": "https://acme.com/socks", "snippet": "…"}]},
         "rich_snippet": {"top": {"detected_extensions": {"rating": 4.5, "reviews": 120, "price": 59.9, "currency": "$"}}}},
        {"position": 2, "title": "B", "link": "https://b.test/shoes"},
    ]);
    page["ads"] = json!([
        {"position": 1, "block_position": "top", "title": "Buy", "link": "https://shop.test/"},
        {"position": 2, "block_position": "bottom", "title": "Try", "link": "https://try.test/"},
    ]);
    page["answer_box"] = json!({"type": "organic_result", "title": "Shoes", "link": "https://b.test/shoes",
        "snippet": "Shoes are worn on feet.", "snippet_highlighted_words": ["worn on feet"]});
    page["knowledge_graph"] = json!({"title": "Acme", "website": "https://acme.com/", "description": "A shop.",
        "source": {"name": "Wikipedia", "link": "https://en.wikipedia.org/wiki/Acme"}});
    page["related_questions"] = json!([{"question": "Why shoes?", "snippet": "…", "title": "C", "link": "https://c.test/"}]);
    page["local_results"] =
        json!({"places": [{"title": "Acme Berlin", "rating": 4.1}], "more_locations_link": "…"});
    page["inline_videos"] = json!([{"title": "V", "link": "https://video.test/"}]);
    page["short_videos"] = json!([{"title": "W", "link": "https://shorts.test/"}]);
    page["discussions_and_forums"] = json!([{"title": "F", "link": "https://forum.test/"}]);
    page["top_stories"] = json!([]);
    page["related_searches"] = json!([{"query": "red shoes"}, {"block_position": 1, "items": []}]);
    page
}

#[tokio::test]
async fn request_matches_the_documented_format() {
    let server = FaultServer::always(Reply::ok(&page(1..=3))).await;
    let mut search_query = query(10);
    search_query.device = Device::Mobile;
    search_query.location = Some("Austin, Texas, United States".to_owned());
    found(&serp_api(&server), &search_query).await;
    let received = &server.received()[0];
    assert!(received.head.starts_with("GET /search.json?"));
    for (name, value) in [
        ("engine", "google"),
        ("q", "running shoes & socks"),
        ("gl", "us"),
        ("hl", "en"),
        ("device", "mobile"),
        ("location", "Austin, Texas, United States"),
        ("start", "0"),
        ("no_cache", "true"),
        ("api_key", KEY),
    ] {
        assert_eq!(received.parameter(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(received.parameter("num"), None);
}

#[tokio::test]
async fn every_documented_block_is_parsed() {
    let server = FaultServer::always(Reply::ok(&rich_page())).await;
    let page = found(&serp_api(&server), &query(10)).await;
    let organic: Vec<_> = page.organic().map(|(_, result)| result).collect();
    assert_eq!(organic.len(), 2);
    let (first, rich) = (organic[0], &organic[0].rich_data);
    let links: Vec<_> = first.sitelinks.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(links, ["Boots", "Socks"]);
    assert_eq!((rich.rating, rich.review_count), (Some(4.5), Some(120)));
    assert_eq!(
        (rich.price, rich.currency.as_deref()),
        (Some(59.9), Some("$"))
    );
    assert_eq!(rich.date.as_deref(), Some("Aug 31, 2026"));
    assert_eq!(first.displayed_url.as_deref(), Some("https://acme.com"));
    assert_eq!(first.highlighted, ["Shop"]);
    assert!(organic[1].in_featured_snippet && !first.in_featured_snippet);
    let features: Vec<_> = page
        .features()
        .map(|(_, it)| (it.feature, it.links.len()))
        .collect();
    assert_eq!(
        features,
        [
            (Feature::PaidTop, 1),
            (Feature::FeaturedSnippet, 1),
            (Feature::KnowledgePanel, 2),
            (Feature::PeopleAlsoAsk, 1),
            (Feature::LocalPack, 0),
            (Feature::Video, 2),
            (Feature::DiscussionsForums, 1),
            (Feature::PaidBottom, 1),
            (Feature::RelatedSearches, 0),
        ]
    );
    assert_eq!(page.related, ["red shoes"]);
    assert_eq!(page.total_results_estimate, Some(34_400));
    assert_eq!(page.feature_coverage, FeatureCoverage::Partial);
    // No overview is announced, so there is none.
    assert_eq!(page.has_ai_overview(), Some(false));
    assert!(page.warnings.is_empty());
}

#[tokio::test]
async fn malformed_feature_does_not_cost_the_ranks() {
    let mut body = rich_page();
    body["answer_box"] = json!({"type": ["?"], "link": {}});
    body["ads"] = json!({"top": []});
    body["related_searches"] = json!("none");
    body["local_results"] = json!("none");
    body["ai_overview"] = json!(["?"]);
    let server = FaultServer::always(Reply::ok(&body)).await;
    let page = found(&serp_api(&server), &query(10)).await;
    assert_eq!(page.depth_checked(), 2);
    // It was present; nothing else is known.
    assert_eq!(page.ai_overview, None);
    assert_eq!(page.warnings, ["aiOverviewUnread"]);
}

#[tokio::test]
async fn it_pages_by_ten_to_the_wanted_depth() {
    let server = FaultServer::scripted(|_, received| {
        let start = start_of(received);
        Reply::ok(&page(start + 1..=start + 10))
    })
    .await;
    let page = found(&serp_api(&server), &query(25)).await;
    assert_eq!((server.calls(), page.depth_checked()), (3, 25));
    let (block, last) = page.organic().last().expect("results");
    assert_eq!(
        (last.position, block.page, last.url.as_str()),
        (25, 3, "https://site25.test/")
    );
}

fn start_of(received: &Received) -> u32 {
    if received.head.is_empty() {
        return 0;
    }
    let start = received.parameter("start").expect("a start");
    start.parse().expect("a number")
}

#[tokio::test]
async fn results_that_run_out_end_the_search() {
    let server = FaultServer::scripted(|_, received| match start_of(received) {
        0 => Reply::ok(&page(1..=10)),
        _ => Reply::ok(&json!({"error": "Google hasn't returned any results for this query."})),
    })
    .await;
    let page = found(&serp_api(&server), &query(100)).await;
    assert_eq!((server.calls(), page.depth_checked()), (2, 10));
    assert_eq!(page.total_results_estimate, Some(34_400));
    assert!(page.warnings.is_empty());
}

fn overview() -> Value {
    json!({
        "text_blocks": [
            {"type": "heading", "snippet": "Shoes"},
            {"type": "paragraph", "snippet": "They are worn.", "reference_indexes": [1]},
            {"type": "list", "list": [{"title": "Boots", "snippet": "for rain", "list": [{"snippet": "and snow"}]}]},
        ],
        "references": [
            {"index": 1, "title": "B", "link": "https://b.test/", "source": "B"},
            {"index": 0, "link": "https://www.google.com/url?q=https%3A%2F%2Facme.com%2F", "source": "Acme"},
            {"index": 2, "title": "B again", "link": "https://b.test/"},
        ],
    })
}

#[tokio::test]
async fn ai_overview_is_parsed_with_its_citations() {
    let mut body = page(1..=3);
    body["ai_overview"] = overview();
    let server = FaultServer::always(Reply::ok(&body)).await;
    let page = found(&serp_api(&server), &query(10)).await;
    let read = page.ai_overview.expect("an overview");
    assert_eq!(
        read.text.as_deref(),
        Some("Shoes\nThey are worn.\nBoots\nfor rain\nand snow")
    );
    let cited: Vec<_> = read
        .citations
        .iter()
        .map(|it| (it.title.as_str(), it.url.as_str()))
        .collect();
    assert_eq!(
        cited,
        [("Acme", "https://acme.com/"), ("B", "https://b.test/")]
    );
    assert_eq!(server.calls(), 1);
}

/// A server with overviews that take a second call.
async fn announcing(answer: impl Fn() -> Reply + Send + Sync + 'static) -> FaultServer {
    FaultServer::scripted(move |_, received| {
        let engine = (!received.head.is_empty()).then(|| received.parameter("engine"));
        if engine.flatten().as_deref() == Some("google_ai_overview") {
            return answer();
        }
        let mut body = page(1..=3);
        body["ai_overview"] =
            json!({"page_token": "token-1", "serpapi_link": "https://serpapi.com/…"});
        Reply::ok(&body)
    })
    .await
}

#[tokio::test]
async fn announced_ai_overview_is_fetched_by_token_and_paid() {
    let server = announcing(|| {
        Reply::ok(&json!({"search_metadata": {"status": "Success"}, "ai_overview": overview()}))
    })
    .await;
    let supplier = serp_api(&server);
    let searched = supplier.search(&query(10), &MONEY).await;
    let page = searched.answer.expect("an answer");
    assert_eq!(page.ai_overview.map(|it| it.citations.len()), Some(2));
    assert_eq!(
        searched.spent,
        Spent::on(2, MicroUsd(15_000)).all_in_ledger()
    );
    assert_eq!(supplier.max_spend(10).all_in_ledger(), searched.spent);
    let second = &server.received()[1];
    assert_eq!(second.parameter("page_token").as_deref(), Some("token-1"));
    assert_eq!(second.parameter("api_key").as_deref(), Some(KEY));
    assert_eq!(second.parameter("q"), None);
}

#[tokio::test]
async fn unfetched_ai_overview_is_present_with_unknown_content() {
    let expired = json!({"error": "`page_token` has expired."});
    let failed_overview = json!({"ai_overview": {"error": "It could not be generated."}});
    for reply in [
        Reply::status(400, &expired),
        Reply::ok(&expired),
        Reply::ok(&failed_overview),
        Reply::Status(500, &[], String::new()),
    ] {
        let answer = reply.clone();
        let server = announcing(move || answer.clone()).await;
        let page = found(&serp_api(&server), &query(10)).await;
        assert_eq!(page.depth_checked(), 3);
        assert_eq!(page.ai_overview, None, "{reply:?}");
        assert_eq!(page.warnings, ["aiOverviewUnread"]);
        let features: Vec<_> = page.features().map(|(_, it)| it.feature).collect();
        assert_eq!(features, [Feature::AiOverview]);
    }
}
