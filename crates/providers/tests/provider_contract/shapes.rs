//! Requests and responses of each supplier of search results, for the contract tests.

use super::{
    KEY, data_for_seo, data_for_seo_at,
    fault_server::{FaultServer, Reply},
    searxng, searxng_at, serp_api, serp_api_at, serper, serper_at,
};
use domain::{money::MicroUsd, ports::search_results::ProviderError};
use providers::search::SearchSettings;
use serde_json::{Value, json};

pub struct Shape {
    pub name: &'static str,
    /// Settings that enable this supplier alone, at that server.
    pub at: fn(&FaultServer) -> SearchSettings,
    /// A page with that many results: `https://site1.test/` and so on.
    pub found: fn(u32) -> Value,
    /// Responses that report no results.
    pub empty: fn() -> Vec<Value>,
    /// Price of a call with results; 0 if calls are free.
    pub price: MicroUsd,
    /// Cost of a call if it is unknown whether it was billed.
    pub price_when_unknown: MicroUsd,
    /// An error response with that message.
    pub error_body: fn(&str) -> Value,
    /// Invalid key, exhausted account and every other error, also with a success status; with the number of calls made.
    pub refusals: fn() -> Vec<(Reply, ProviderError, usize)>,
    /// JSON that is not a response of this supplier.
    pub strange: fn() -> Vec<Value>,
}

pub const SUPPLIERS: &[Shape] = &[DATA_FOR_SEO, SERP_API, SERPER, SEARXNG];

const DATA_FOR_SEO: Shape = Shape {
    name: "DataForSEO",
    at: |server| SearchSettings {
        data_for_seo: data_for_seo_at(server),
        ..SearchSettings::default()
    },
    found: |results| data_for_seo::answer(&data_for_seo::organic(results)),
    empty: || {
        let nothing = json!({"se_results_count": 0, "items_count": 0, "items": null});
        vec![
            data_for_seo::task(40_102, "No Search Results.", 0.002, &json!(null)),
            data_for_seo::task(20_000, "Ok.", 0.002, &json!([nothing])),
        ]
    },
    price: MicroUsd(2_000),
    price_when_unknown: MicroUsd(4_000),
    error_body: |message| json!({"status_code": 40_000, "status_message": message, "tasks": null}),
    refusals: || {
        let error_reply = |code, message| {
            let body =
                json!({"status_code": code, "status_message": message, "cost": 0, "tasks": null});
            Reply::ok(&body)
        };
        let task =
            |code, message, cost| Reply::ok(&data_for_seo::task(code, message, cost, &json!(null)));
        let limited = ProviderError::RateLimited { retry_after: None };
        vec![
            (
                Reply::status(401, &json!({})),
                ProviderError::Unauthorized,
                1,
            ),
            (
                error_reply(40_100, "You are not authorized."),
                ProviderError::Unauthorized,
                1,
            ),
            (Reply::status(402, &json!({})), ProviderError::OutOfFunds, 1),
            (
                error_reply(40_200, "Payment Required."),
                ProviderError::OutOfFunds,
                1,
            ),
            (
                task(40_203, "The cost limit has been exceeded.", 0.0),
                ProviderError::OutOfFunds,
                1,
            ),
            (error_reply(40_202, "Rate limit."), limited.clone(), 3),
            (task(40_202, "Rate limit.", 0.0), limited, 3),
            (
                error_reply(50_000, "Internal Error."),
                ProviderError::Unavailable,
                3,
            ),
            (
                task(50_000, "Internal Error.", 0.0),
                ProviderError::Unavailable,
                3,
            ),
            (
                task(40_501, &format!("Invalid Field: 'keyword' of {KEY}."), 0.0),
                refused("Invalid Field: 'keyword' of …."),
                1,
            ),
            (
                Reply::status(
                    404,
                    &json!({"status_code": 40_400, "status_message": "Not Found."}),
                ),
                refused("Not Found."),
                1,
            ),
        ]
    },
    strange: || {
        vec![
            json!({}),
            json!([]),
            json!({"status_code": 20_000, "tasks": "yes"}),
            json!({"status_code": 20_000, "tasks": []}),
            data_for_seo::task(20_000, "Ok.", 0.002, &json!(null)),
            data_for_seo::task(20_000, "Ok.", 0.002, &json!([{"items": "yes"}])),
            data_for_seo::answer(&[json!({"type": "organic", "title": "no address"})]),
        ]
    },
};

const SERP_API: Shape = Shape {
    name: "SerpApi",
    at: |server| SearchSettings {
        serp_api: serp_api_at(server),
        ..SearchSettings::default()
    },
    found: |results| serp_api::page(1..=results),
    empty: || {
        vec![
            json!({"search_metadata": {"status": "Success"},
                "error": "Google hasn't returned any results for this query."}),
            json!({"search_metadata": {"status": "Success"},
                "search_information": {"organic_results_state": "Fully empty"}}),
        ]
    },
    price: MicroUsd(15_000),
    price_when_unknown: MicroUsd(15_000),
    error_body: |message| json!({"error": message}),
    refusals: || {
        let error_body = |message: &str| json!({"error": message});
        let invalid = format!("Invalid API key {KEY}. Your API key should be here.");
        let spent = "Your account has run out of searches.";
        let limited = ProviderError::RateLimited { retry_after: None };
        vec![
            (
                Reply::status(401, &error_body(&invalid)),
                ProviderError::Unauthorized,
                1,
            ),
            (
                Reply::status(403, &error_body("Forbidden")),
                ProviderError::Unauthorized,
                1,
            ),
            (
                Reply::ok(&error_body(&invalid)),
                ProviderError::Unauthorized,
                1,
            ),
            (
                Reply::status(429, &error_body(spent)),
                ProviderError::OutOfFunds,
                1,
            ),
            (Reply::ok(&error_body(spent)), ProviderError::OutOfFunds, 1),
            (
                Reply::ok(&error_body("You exceeded the hourly throughput limit.")),
                limited,
                3,
            ),
            (
                Reply::ok(&error_body(
                    "We couldn't get valid results for this search. Please try again later.",
                )),
                ProviderError::Unavailable,
                3,
            ),
            (
                Reply::status(400, &error_body(&format!("Unsupported `xx` for {KEY}"))),
                refused("Unsupported `xx` for …"),
                1,
            ),
            (
                Reply::ok(&error_body("Unsupported `xx`.")),
                refused("Unsupported `xx`."),
                1,
            ),
        ]
    },
    strange: || {
        vec![
            json!({}),
            json!([]),
            json!({"organic_results": "yes"}),
            json!({"organic_results": [{"title": "no link"}]}),
            json!({"search_metadata": {"status": "Processing"}}),
        ]
    },
};

const SERPER: Shape = Shape {
    name: "Serper",
    at: |server| SearchSettings {
        serper: serper_at(server),
        ..SearchSettings::default()
    },
    found: |results| serper::page(1, results),
    empty: || vec![json!({"searchParameters": {"q": "x"}, "organic": [], "credits": 1})],
    price: MicroUsd(1_000),
    price_when_unknown: MicroUsd(1_000),
    error_body: |message| json!({"message": message, "statusCode": 400}),
    refusals: || {
        let error_body = |message: &str| json!({"message": message, "statusCode": 400});
        vec![
            (
                Reply::status(401, &error_body("Unauthorized.")),
                ProviderError::Unauthorized,
                1,
            ),
            (
                Reply::status(403, &error_body("Unauthorized.")),
                ProviderError::Unauthorized,
                1,
            ),
            (
                Reply::status(402, &error_body("Pay.")),
                ProviderError::OutOfFunds,
                1,
            ),
            (
                Reply::status(400, &error_body("Not enough credits")),
                ProviderError::OutOfFunds,
                1,
            ),
            (
                Reply::status(400, &error_body("Missing query parameter")),
                refused("Missing query parameter"),
                1,
            ),
            (
                Reply::status(404, &json!("?")),
                refused("no reason given"),
                1,
            ),
            (
                Reply::status(400, &error_body(&format!("{KEY} is no key"))),
                refused("… is no key"),
                1,
            ),
            (
                Reply::ok(&json!({"message": "Unauthorized.", "statusCode": 403})),
                ProviderError::Unauthorized,
                1,
            ),
            (
                Reply::ok(&error_body("Not enough credits")),
                ProviderError::OutOfFunds,
                1,
            ),
            (
                Reply::ok(&json!({"error": "query too long"})),
                refused("query too long"),
                1,
            ),
        ]
    },
    strange: || {
        vec![
            json!({}),
            json!([]),
            json!({"organic": "yes"}),
            json!({"organic": [{"title": "no link"}]}),
        ]
    },
};

const SEARXNG: Shape = Shape {
    name: "SearXNG",
    at: |server| SearchSettings {
        searxng: searxng_at(server),
        ..SearchSettings::default()
    },
    found: |results| searxng::page(results),
    empty: || vec![searxng::body(&[], &json!([]))],
    price: MicroUsd(0),
    price_when_unknown: MicroUsd(0),
    error_body: |message| json!({"error": message}),
    refusals: || {
        let silent = |engines: Value| Reply::ok(&searxng::body(&[], &engines));
        vec![
            (
                Reply::status(401, &json!({})),
                ProviderError::Unauthorized,
                1,
            ),
            (Reply::status(402, &json!({})), ProviderError::OutOfFunds, 1),
            (
                Reply::status(400, &json!({})),
                refused("no reason given"),
                1,
            ),
            (
                silent(json!([["google", "CAPTCHA"]])),
                ProviderError::Unavailable,
                3,
            ),
            (silent(json!(["google"])), ProviderError::Unavailable, 3),
        ]
    },
    strange: || {
        vec![
            json!({}),
            json!([]),
            json!({"results": {}}),
            json!({"error": "no"}),
        ]
    },
};

fn refused(reason: &str) -> ProviderError {
    ProviderError::Refused {
        reason: reason.to_owned(),
    }
}
