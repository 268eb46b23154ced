//! DataForSEO: documented responses, reported costs, and depth in one call.

use super::{
    KEY, MONEY, about, data_for_seo,
    fault_server::{FaultServer, Reply},
    found, query,
};
use analysis::observation::search_page::{BlockContent, Device, Feature, FeatureCoverage};
use domain::{
    money::MicroUsd,
    ports::search_results::{ProviderError, Spent},
};
use serde_json::{Value, json};

pub fn task(code: u32, message: &str, cost: f64, result: &Value) -> Value {
    json!({
        "version": "0.1.20261101", "status_code": 20_000, "status_message": "Ok.",
        "time": "5.1 sec.", "cost": cost, "tasks_count": 1, "tasks_error": 0,
        "tasks": [{
            "id": "1", "status_code": code, "status_message": message, "time": "5.0 sec.",
            "cost": cost, "result_count": 1, "path": ["v3", "serp"], "data": {}, "result": result,
        }],
    })
}

pub fn answer(items: &[Value]) -> Value {
    let result = json!([{
        "keyword": "running shoes", "type": "organic", "se_domain": "google.com",
        "location_code": 2840, "language_code": "en", "datetime": "2026-11-21 10:00:00 +00:00",
        "item_types": [], "se_results_count": 34_400, "items_count": items.len(), "items": items,
    }]);
    task(20_000, "Ok.", 0.002, &result)
}

/// Ten results per page.
pub fn organic(results: u32) -> Vec<Value> {
    let item = |place: u32| {
        json!({
            "type": "organic", "rank_group": place, "rank_absolute": place, "page": (place - 1) / 10 + 1,
            "position": "left", "domain": format!("site{place}.test"), "title": format!("Result {place}"),
            "url": format!("https://site{place}.test/"), "description": "What it is about.",
        })
    };
    (1..=results).map(item).collect()
}

#[tokio::test]
async fn request_is_one_task_in_the_documented_format() {
    let server = FaultServer::always(Reply::ok(&answer(&organic(3)))).await;
    let supplier = data_for_seo(&server);
    let mut search_query = about("100% c++");
    search_query.depth = 45;
    found(&supplier, &search_query).await;
    search_query.device = Device::Mobile;
    search_query.location = Some("Berlin, Berlin, Germany".to_owned());
    found(&supplier, &search_query).await;
    let received = server.received();
    let head = &received[0].head;
    assert!(head.starts_with("POST /v3/serp/google/organic/live/advanced HTTP/1.1"));
    // Base64 of `ann@example.com:key-that-nobody-may-see`.
    let credentials = "Basic YW5uQGV4YW1wbGUuY29tOmtleS10aGF0LW5vYm9keS1tYXktc2Vl";
    assert!(head.contains(credentials), "{head}");
    let task = json!([{
        "keyword": "100%25 c%2B%2B", "location_code": 2840, "language_code": "en",
        "device": "desktop", "os": "windows", "depth": 45, "max_crawl_pages": 5,
        "load_async_ai_overview": true,
    }]);
    assert_eq!(received[0].json(), task);
    let second = received[1].json();
    assert_eq!(second[0]["location_name"], json!("Berlin,Berlin,Germany"));
    assert_eq!(
        (&second[0]["device"], &second[0]["location_code"]),
        (&json!("mobile"), &Value::Null)
    );
}

fn rich_items() -> Vec<Value> {
    vec![
        json!({"type": "paid", "rank_absolute": 1, "page": 1, "title": "Buy", "url": "https://shop.test/"}),
        json!({"type": "paid", "rank_absolute": 2, "page": 1, "title": "Get", "url": "https://get.test/"}),
        json!({"type": "featured_snippet", "rank_absolute": 3, "page": 1, "title": "Shoes",
            "description": "Shoes are worn on feet.", "url": "https://quoted.test/"}),
        json!({"type": "organic", "rank_group": 1, "rank_absolute": 4, "page": 1, "title": "Acme",
            "url": "https://acme.com/", "breadcrumb": "https://acme.com › shop", "description": "Shop.",
            "highlighted": ["Shop"], "timestamp": "2026-08-31 00:00:00 +00:00",
            "links": [{"type": "link_element", "title": "Boots", "url": "https://acme.com/boots"}],
            "rating": {"rating_type": "Max5", "value": 4.5, "votes_count": 120, "rating_max": 5},
            "price": {"current": 59.9, "currency": "USD"},
            "faq": {"items": [{"type": "faq_box_element", "title": "Which size?"}]}}),
        json!({"type": "people_also_ask", "rank_absolute": 5, "page": 1, "items": [
            {"type": "people_also_ask_element", "title": "Why shoes?", "expanded_element": [
                {"type": "people_also_ask_expanded_element", "title": "C", "url": "https://c.test/"}]}]}),
        json!({"type": "local_pack", "rank_absolute": 6, "page": 1, "title": "Acme Berlin", "url": "https://acme.com/berlin"}),
        json!({"type": "local_pack", "rank_absolute": 7, "page": 1, "title": "B Berlin", "url": null}),
        json!({"type": "organic", "rank_group": 2, "rank_absolute": 8, "page": 1, "title": "D", "url": "https://d.test/"}),
        json!({"type": "something_new", "rank_absolute": 9, "page": 1, "title": {"odd": true}, "items": "odd"}),
        json!({"type": "paid", "rank_absolute": 10, "page": 1, "title": "Try", "url": "https://try.test/"}),
        json!({"type": "related_searches", "rank_absolute": 11, "page": 1, "items": ["red shoes", "old shoes"]}),
        json!({"type": "organic", "rank_group": 3, "rank_absolute": 12, "page": 2, "title": "E", "url": "https://e.test/"}),
    ]
}

#[tokio::test]
async fn every_documented_block_is_parsed_at_its_position() {
    let server = FaultServer::always(Reply::ok(&answer(&rich_items()))).await;
    let page = found(&data_for_seo(&server), &query(10)).await;
    let seen: Vec<_> = { page.blocks.iter() }
        .map(|block| {
            let content = match &block.content {
                BlockContent::Organic(result) => result.url.clone(),
                BlockContent::Feature(it) => format!("{} {}", it.feature.name(), it.links.len()),
            };
            (block.absolute_position, block.page, content)
        })
        .collect();
    let at = |rank, page, content: &str| (Some(rank), page, content.to_owned());
    assert_eq!(
        seen,
        [
            at(1, 1, "paid_top 2"),
            at(3, 1, "featured_snippet 1"),
            // Not listed elsewhere, so it is placed first.
            (None, 1, "https://quoted.test/".to_owned()),
            at(4, 1, "https://acme.com/"),
            at(5, 1, "people_also_ask 1"),
            at(6, 1, "local_pack 1"),
            at(8, 1, "https://d.test/"),
            at(9, 1, "other 0"),
            at(10, 1, "paid_bottom 1"),
            at(11, 1, "related_searches 0"),
            at(12, 2, "https://e.test/"),
        ]
    );
    let (_, acme) = page.organic().nth(1).expect("a second result");
    let rich = &acme.rich_data;
    assert_eq!(
        (acme.position, rich.rating, rich.review_count),
        (2, Some(4.5), Some(120))
    );
    assert_eq!(
        (rich.price, rich.currency.as_deref()),
        (Some(59.9), Some("USD"))
    );
    assert_eq!(rich.faq, ["Which size?"]);
    assert_eq!(acme.sitelinks.len(), 1);
    assert_eq!(
        acme.displayed_url.as_deref(),
        Some("https://acme.com › shop")
    );
    assert_eq!(page.related, ["red shoes", "old shoes"]);
    assert_eq!(page.total_results_estimate, Some(34_400));
    assert_eq!(page.feature_coverage, FeatureCoverage::Complete);
    assert_eq!(page.has_ai_overview(), Some(false));
}

fn overview(fields: &Value) -> Vec<Value> {
    let mut item = json!({"type": "ai_overview", "rank_group": 1, "rank_absolute": 1, "page": 1,
        "asynchronous_ai_overview": true});
    for (name, value) in fields.as_object().expect("fields") {
        item[name] = value.clone();
    }
    [vec![item], organic(3)].concat()
}

#[tokio::test]
async fn ai_overview_is_parsed_with_all_citations() {
    let reference = |site: &str| {
        json!({"type": "ai_overview_reference", "source": site, "domain": site,
            "url": format!("https://{site}/"), "title": site, "text": "…"})
    };
    // Some sources are listed only at passages.
    let items = overview(&json!({
        "markdown": "# Shoes",
        "references": [reference("a.test"), reference("b.test")],
        "items": [
            {"type": "ai_overview_element", "text": "…", "references": [reference("b.test"), reference("c.test")]},
            {"type": "ai_overview_expanded_element", "components": [{"references": [reference("d.test")]}]},
        ],
    }));
    let server = FaultServer::always(Reply::ok(&answer(&items))).await;
    let page = found(&data_for_seo(&server), &query(10)).await;
    let read = page.ai_overview.expect("an overview");
    assert_eq!(
        (read.absolute_position, read.text.as_deref()),
        (Some(1), Some("# Shoes"))
    );
    let cited: Vec<_> = read.citations.iter().map(|it| it.title.as_str()).collect();
    assert_eq!(cited, ["a.test", "b.test", "c.test", "d.test"]);
    assert!(page.warnings.is_empty());
}

#[tokio::test]
async fn unloaded_ai_overview_is_present_with_unknown_content() {
    let items = overview(&json!({"markdown": null, "items": null, "references": null}));
    let server = FaultServer::always(Reply::ok(&answer(&items))).await;
    let page = found(&data_for_seo(&server), &query(10)).await;
    assert_eq!((page.ai_overview, page.warnings.len()), (None, 1));
    let (block, feature) = page
        .blocks
        .iter()
        .zip([Feature::AiOverview])
        .next()
        .expect("a block");
    let BlockContent::Feature(seen) = &block.content else {
        panic!("{block:?}");
    };
    assert_eq!((block.absolute_position, seen.feature), (Some(1), feature));
}

#[tokio::test]
async fn full_depth_takes_one_call_at_the_reported_cost() {
    let mut body = answer(&organic(120));
    body["tasks"][0]["cost"] = json!(0.0175);
    let server = FaultServer::always(Reply::ok(&body)).await;
    let supplier = data_for_seo(&server);
    let searched = supplier.search(&query(100), &MONEY).await;
    assert_eq!(
        searched.spent,
        Spent::on(1, MicroUsd(17_500)).all_in_ledger()
    );
    // Ten pages and the overview, at the full price.
    assert_eq!(supplier.max_spend(100), Spent::on(1, MicroUsd(22_000)));
    let page = searched.answer.expect("an answer");
    assert_eq!((server.calls(), page.depth_checked()), (1, 100));
    assert_eq!(page.organic().last().map(|(block, _)| block.page), Some(10));
}

#[tokio::test]
async fn depth_beyond_the_limit_is_cut_short() {
    let server = FaultServer::always(Reply::ok(&answer(&organic(200)))).await;
    let page = found(&data_for_seo(&server), &query(300)).await;
    assert_eq!(server.received()[0].json()[0]["depth"], json!(200));
    assert_eq!((page.depth_checked(), server.calls()), (200, 1));
    assert_eq!(page.warnings, ["depthCutShort"]);
}

#[tokio::test]
async fn a_search_that_failed_and_was_billed_is_not_repeated() {
    let body = task(40_101, "Internal SE Server Error.", 0.002, &json!(null));
    let server = FaultServer::always(Reply::ok(&body)).await;
    let searched = data_for_seo(&server).search(&query(10), &MONEY).await;
    assert_eq!(searched.answer, Err(ProviderError::Unavailable));
    assert_eq!(
        searched.spent,
        Spent::on(1, MicroUsd(2_000)).all_in_ledger()
    );
    assert_eq!(server.calls(), 1);
}

#[tokio::test]
async fn unsupported_and_overpriced_queries_are_refused_unsent() {
    let server = FaultServer::always(Reply::ok(&answer(&organic(1)))).await;
    let mut abroad = query(10);
    abroad.country = "xx".to_owned();
    for search_query in [abroad, about("shoes Site:acme.com")] {
        let searched = data_for_seo(&server).search(&search_query, &MONEY).await;
        let refused = matches!(searched.answer, Err(ProviderError::Refused { .. }));
        assert!(refused && searched.spent == Spent::default());
        assert!(!format!("{searched:?}").contains(KEY));
    }
    assert_eq!(server.calls(), 0);
    found(&data_for_seo(&server), &about("on-site: shoes")).await;
}
