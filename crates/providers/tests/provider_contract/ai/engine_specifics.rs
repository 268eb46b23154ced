//! Requests and features of single engines.

use super::{
    super::{
        KEY, MONEY, data_for_seo_at,
        fault_server::{FaultServer, Reply},
        serp_api_at,
    },
    Setup, engine, engines, question,
    shapes::{ENGINES, FOUND, PAGE, TEXT, grounded, message, model_at, response},
};
use analysis::observation::ai_answer::{AnswerState, CitationPart};
use domain::{
    money::MicroUsd,
    ports::{
        ai_answers::AiQuery,
        search_results::{ProviderError, Spent},
    },
};
use providers::ai::AiSettings;
use serde_json::{Value, json};
use std::{fmt::Write, time::Duration};

/// The request to the service for a query from Berlin.
async fn sent(name: &str) -> (String, String, Value) {
    let shape = ENGINES.iter().find(|it| it.name == name).expect("a shape");
    let server = FaultServer::always(Reply::ok(&(shape.answered)(TEXT).body)).await;
    let question = AiQuery {
        location: Some("Berlin,Berlin,Germany".to_owned()),
        ..question()
    };
    let outcome = { engine(&(shape.at)(&server), shape.engine) }
        .query(&question, &MONEY)
        .await;
    outcome.answer.expect(name);
    let received = server.received().remove(0);
    let body = serde_json::from_str(&received.body).unwrap_or(Value::Null);
    (
        received.head.to_lowercase(),
        received.url().to_string(),
        body,
    )
}

#[tokio::test]
async fn requests_match_the_documented_format() {
    let prompt = question().prompt;
    let berlin = json!({"type": "approximate", "country": "DE", "city": "Berlin"});

    let (head, url, body) = sent("OpenAI").await;
    assert!(
        url.ends_with("/v1/responses") && head.contains(&format!("authorization: bearer {KEY}"))
    );
    assert_eq!(
        body,
        json!({
            "model": "a-model", "input": prompt, "max_output_tokens": 500, "store": false,
            "tools": [{"type": "web_search", "user_location": berlin}],
            "include": ["web_search_call.action.sources"], "max_tool_calls": 2, "tool_choice": "required",
        })
    );

    let (head, url, body) = sent("Perplexity").await;
    assert!(url.ends_with("/v1/agent") && head.contains(&format!("authorization: bearer {KEY}")));
    assert_eq!(
        body,
        json!({
            "model": "a-model", "input": prompt, "language_preference": "de", "max_output_tokens": 500,
            "tools": [{"type": "web_search", "user_location": {"country": "DE", "city": "Berlin"}}],
            "max_tool_calls": 2, "tool_choice": {"type": "web_search"},
        })
    );

    let (head, url, body) = sent("Gemini").await;
    assert!(
        url.ends_with("/v1beta/models/a-model:generateContent"),
        "{url}"
    );
    assert!(head.contains(&format!("x-goog-api-key: {KEY}")) && !url.contains(KEY));
    assert_eq!(
        body,
        json!({
            "contents": [{"role": "user", "parts": [{"text": prompt}]}],
            "generationConfig": {"maxOutputTokens": 500}, "tools": [{"google_search": {}}],
        })
    );

    let (head, url, body) = sent("Anthropic").await;
    assert!(url.ends_with("/v1/messages") && head.contains("anthropic-version: 2023-06-01"));
    assert!(head.contains(&format!("x-api-key: {KEY}")));
    assert_eq!(
        body,
        json!({
            "model": "a-model", "max_tokens": 500, "messages": [{"role": "user", "content": prompt}],
            "tools": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 2, "user_location": berlin}],
            "tool_choice": {"type": "tool", "name": "web_search"},
        })
    );

    let (head, url, body) = sent("a compatible endpoint").await;
    assert!(url.ends_with("/v1/chat/completions") && head.contains(&format!("bearer {KEY}")));
    assert_eq!(
        body,
        json!({
            "model": "a-model", "messages": [{"role": "user", "content": prompt}],
            "max_tokens": 500, "stream": false,
        })
    );

    let (_, url, _) = sent("AI Mode of SerpApi").await;
    for part in [
        "/search.json?",
        "engine=google_ai_mode",
        "gl=de",
        "hl=de",
        "no_cache=true",
        "location=Berlin",
    ] {
        assert!(url.contains(part), "{url}");
    }
    let (_, url, body) = sent("AI Mode of DataForSEO").await;
    assert!(
        url.ends_with("/v3/serp/google/ai_mode/live/advanced"),
        "{url}"
    );
    assert_eq!(
        body,
        json!([{
            "keyword": prompt, "language_code": "de", "device": "desktop", "os": "windows",
            "location_name": "Berlin,Berlin,Germany",
        }])
    );
    let (_, url, body) = sent("AI overviews of DataForSEO").await;
    assert!(
        url.ends_with("/v3/serp/google/organic/live/advanced"),
        "{url}"
    );
    assert_eq!(body[0]["load_async_ai_overview"], json!(true));
}

#[tokio::test]
async fn search_is_forced_only_if_configured_and_supported() {
    for (name, possible) in [
        ("chatgpt", true),
        ("perplexity", true),
        ("claude", true),
        ("gemini", false),
    ] {
        for force_search in [true, false] {
            let shape = ENGINES
                .iter()
                .find(|it| it.engine == name)
                .expect("a shape");
            let server = FaultServer::always(Reply::ok(&(shape.answered)(TEXT).body)).await;
            let mut setup = (shape.at)(&server);
            setup.ai.chatgpt.force_search = force_search;
            setup.ai.perplexity.force_search = force_search;
            setup.ai.claude.force_search = force_search;
            let engine = engine(&setup, name);
            let answer = engine.query(&question(), &MONEY).await.answer.expect(name);
            let is_forced = possible && force_search;
            assert_eq!(engine.label().forces_retrieval, is_forced, "{name}");
            assert_eq!(answer.retrieval.forced, is_forced, "{name}");
            let body = server.received()[0].json();
            assert_eq!(body.get("tool_choice").is_some(), is_forced, "{name}");
        }
    }
}

/// A Gemini server with numbered source links that redirect at its own address.
async fn of_gemini(
    links: usize,
    lead: impl Fn(usize) -> Reply + Send + Sync + 'static,
) -> FaultServer {
    FaultServer::scripted(move |_, received| {
        let Some(host) = received.head.lines().find_map(|it| {
            it.strip_prefix("host: ")
                .or_else(|| it.strip_prefix("Host: "))
        }) else {
            return Reply::ok(&Value::Null);
        };
        let path = received.head.split_whitespace().nth(1).unwrap_or_default();
        if let Some(number) = path.strip_prefix("/grounding-api-redirect/") {
            return lead(number.parse().expect("a number"));
        }
        let chunks = (0..links).map(|number| {
            let uri = format!("http://{host}/grounding-api-redirect/{number}");
            json!({"web": {"uri": uri, "title": format!("site{number}.test")}})
        });
        let chunks: Vec<Value> = chunks
            .chain([json!({"web": {"uri": PAGE, "title": "Acme"}})])
            .collect();
        let mut body = grounded(TEXT, PAGE, "x");
        let grounding = &mut body["candidates"][0]["groundingMetadata"];
        grounding["groundingSupports"][0]["groundingChunkIndices"] =
            json!((0..=links).collect::<Vec<_>>());
        grounding["groundingChunks"] = json!(chunks);
        Reply::ok(&body)
    })
    .await
}

fn gemini(server: &FaultServer) -> Setup {
    let shape = ENGINES
        .iter()
        .find(|it| it.engine == "gemini")
        .expect("a shape");
    (shape.at)(server)
}

#[tokio::test]
async fn google_redirects_are_resolved_without_the_target() {
    let target = FaultServer::always(Reply::ok(&json!({}))).await;
    let page = format!("{}page", target.url());
    let location: &'static str = Box::leak(page.clone().into_boxed_str());
    let headers: &'static [(&str, &str)] = Box::leak(Box::new([("location", location)]));
    let server = of_gemini(3, move |number| match number {
        0 => Reply::Status(302, headers, String::new()),
        1 => Reply::Status(302, &[("location", "javascript:alert(1)")], String::new()),
        _ => Reply::Status(404, &[], String::new()),
    })
    .await;
    let outcome = engine(&gemini(&server), "gemini")
        .query(&question(), &MONEY)
        .await;
    let citations = outcome.answer.unwrap().citations.unwrap();
    let own = server.url();
    let seen: Vec<(String, Option<&str>)> = { citations.iter() }
        .map(|it| (it.url.replace(own.as_str(), "/"), it.domain.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            (page, Some("site0.test")),
            ("/grounding-api-redirect/1".to_owned(), Some("site1.test")),
            ("/grounding-api-redirect/2".to_owned(), Some("site2.test")),
            (PAGE.to_owned(), None),
        ]
    );
    assert_eq!(target.calls(), 0);
    // One query, and one request for each of Google's redirects.
    assert_eq!(server.calls(), 4);
    for request in &server.received()[1..] {
        assert!(!request.head.contains(KEY), "{}", request.head);
    }
    assert_eq!(outcome.spent.calls, 1);
}

#[tokio::test]
async fn resolved_links_per_answer_are_limited() {
    let server = of_gemini(200, |_| Reply::Status(404, &[], String::new())).await;
    let outcome = engine(&gemini(&server), "gemini")
        .query(&question(), &MONEY)
        .await;
    assert_eq!(outcome.answer.unwrap().citations.unwrap().len(), 201);
    assert_eq!(server.calls(), 31);
    // A connection may begin while the previous one closes.
    assert!(server.most_under_way() <= 8, "{}", server.most_under_way());
}

#[tokio::test]
async fn an_announced_overview_takes_another_call() {
    let server = FaultServer::scripted(|_, received| {
        let path = received.head.split_whitespace().nth(1).unwrap_or_default();
        if path.contains("google_ai_overview") {
            assert!(path.contains("page_token=T1"), "{path}");
            let mut overview = json!({"text_blocks": [
                {"type": "heading", "snippet": "Schuhe"},
                {"type": "paragraph", "snippet": "Acme ist gut.", "reference_indexes": [0]},
                {"type": "list", "list": [{"snippet": "Leicht", "list": [{"snippet": "Sehr"}]}]},
            ]});
            overview["references"] = json!([{"index": 0, "link": PAGE, "source": "Acme"}]);
            return Reply::ok(
                &json!({"search_metadata": {"status": "Success"}, "ai_overview": overview}),
            );
        }
        Reply::ok(
            &json!({"search_metadata": {"status": "Success"}, "organic_results": [],
            "ai_overview": {"page_token": "T1", "serpapi_link": "https://serpapi.com/x"}}),
        )
    })
    .await;
    let shape = ENGINES
        .iter()
        .find(|it| it.name == "AI overviews of SerpApi")
        .expect("a shape");
    let engine = engine(&(shape.at)(&server), shape.engine);
    assert_eq!(engine.max_spend(), Spent::on(2, MicroUsd(15_000)));
    let outcome = engine.query(&question(), &MONEY).await;
    assert_eq!(
        super::bill(outcome.spent),
        super::bill(Spent::on(2, MicroUsd(15_000)))
    );
    let answer = outcome.answer.unwrap();
    assert_eq!(answer.usage.cost_micros, Some(30_000));
    assert_eq!(
        answer.text,
        "### Schuhe\n\nAcme ist gut.\n- Leicht\n  - Sehr"
    );
    let citation = &answer.citations.unwrap()[0];
    let place = citation.spans[0];
    assert_eq!(&answer.text[place.start..place.end], "Acme ist gut.");
}

fn both(serp_api: &FaultServer, data_for_seo: &FaultServer) -> Setup {
    let mut setup = Setup::of(AiSettings::default());
    setup.search.serp_api = serp_api_at(serp_api);
    setup.search.data_for_seo = data_for_seo_at(data_for_seo);
    setup
}

#[tokio::test]
async fn service_fails_over_to_another_of_the_same_engine() {
    let of = |name: &str| {
        let shape = ENGINES.iter().find(|it| it.name == name).expect("a shape");
        Reply::ok(&(shape.answered)(TEXT).body)
    };
    for (engine_name, name) in [
        ("googleAiOverview", "AI overviews of DataForSEO"),
        ("googleAiMode", "AI Mode of DataForSEO"),
    ] {
        let broken = FaultServer::always(Reply::Status(500, &[], String::new())).await;
        let fine = FaultServer::always(of(name)).await;
        let engine = engine(&both(&broken, &fine), engine_name);
        let outcome = engine.query(&question(), &MONEY).await;
        assert_eq!(outcome.answer.unwrap().state, AnswerState::Answered);
        assert_eq!((broken.calls(), fine.calls()), (3, 1));
        let spent = Spent {
            calls: 4,
            cost: MicroUsd(2_000),
            ..Spent::default()
        };
        assert_eq!(super::bill(outcome.spent), super::bill(spent));
    }
    // If all fail: the failure of the first.
    let empty = FaultServer::always(Reply::Status(402, &[], String::new())).await;
    let broken = FaultServer::always(Reply::Status(500, &[], String::new())).await;
    let engine = engine(&both(&empty, &broken), "googleAiOverview");
    let outcome = engine.query(&question(), &MONEY).await;
    assert_eq!(outcome.answer, Err(ProviderError::OutOfFunds));
}

#[tokio::test]
async fn engines_never_replace_each_other_or_simulate() {
    let broken = FaultServer::always(Reply::Status(500, &[], String::new())).await;
    let fine = FaultServer::always(Reply::ok(&response(
        "completed",
        &json!([message("A", &json!([]))]),
    )))
    .await;
    let both = engines(&Setup::of(AiSettings {
        chatgpt: model_at(&broken),
        perplexity: model_at(&fine),
        ..AiSettings::default()
    }));
    let names: Vec<String> = both.all().map(|it| it.label().name).collect();
    assert_eq!(names, ["chatgpt", "perplexity"]);
    let outcome = both
        .named("chatgpt")
        .unwrap()
        .query(&question(), &MONEY)
        .await;
    assert_eq!(outcome.answer, Err(ProviderError::Unavailable));
    assert_eq!(fine.calls(), 0);

    let unconfigured = engines(&Setup::of(AiSettings::default()));
    let labels: Vec<_> = unconfigured.all().map(|it| it.label()).collect();
    assert_eq!(labels.len(), 3);
    assert!(labels.iter().all(|it| it.provenance.is_simulated()));
}

#[tokio::test]
async fn openai_offsets_are_found_in_any_unit() {
    let link = "([a](https://acme.test/x))";
    let text = format!("Größe 🦊🦊 zählt {link} – und mehr.");
    let points = text.chars().position(|it| it == '(').unwrap();
    let bytes = text.find('(').unwrap();
    for (start, length) in [
        (points, link.len()),
        (points + 2, link.len()),
        (bytes, link.len()),
    ] {
        let annotation = json!({"type": "url_citation", "start_index": start, "end_index": start + length,
            "url": "https://acme.test/x?utm_source=openai", "title": "A"});
        let body = response(
            "completed",
            &json!([
                message("Vorweg 🦊.", &json!([])),
                message(&text, &json!([annotation]))
            ]),
        );
        let server = FaultServer::always(Reply::ok(&body)).await;
        let setup = Setup::of(AiSettings {
            chatgpt: model_at(&server),
            ..AiSettings::default()
        });
        let answer = engine(&setup, "chatgpt")
            .query(&question(), &MONEY)
            .await
            .answer
            .unwrap();
        let citation = &answer.citations.unwrap()[0];
        let place = citation.spans[0];
        assert_eq!(&answer.text[place.start..place.end], link);
        assert_eq!(citation.part, CitationPart::Inline);
    }
}

#[tokio::test]
async fn temporary_gemini_quota_is_waited_for() {
    let error = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "40s"}]}});
    let server = FaultServer::always(Reply::status(429, &error)).await;
    let outcome = engine(&gemini(&server), "gemini")
        .query(&question(), &MONEY)
        .await;
    let retry_after = Some(Duration::from_secs(40));
    assert_eq!(
        outcome.answer,
        Err(ProviderError::RateLimited { retry_after })
    );
    assert_eq!(server.calls(), 1);
}

#[tokio::test]
async fn partly_failed_search_is_only_a_warning() {
    let content = json!([
        {"type": "server_tool_use", "id": "1", "name": "web_search", "input": {"query": "a"}},
        {"type": "web_search_tool_result", "tool_use_id": "1", "content": [
            {"type": "web_search_result", "url": FOUND, "title": "F"}]},
        {"type": "web_search_tool_result", "tool_use_id": "2", "content":
            {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}},
        {"type": "text", "text": "Acme."},
    ]);
    let body = json!({"model": "m", "content": content, "stop_reason": "end_turn",
        "usage": {"input_tokens": 1, "output_tokens": 1}});
    let server = FaultServer::always(Reply::ok(&body)).await;
    let setup = Setup::of(AiSettings {
        claude: model_at(&server),
        ..AiSettings::default()
    });
    let answer = engine(&setup, "claude")
        .query(&question(), &MONEY)
        .await
        .answer
        .unwrap();
    assert_eq!(
        (answer.state, answer.searches),
        (AnswerState::Answered, Some(1))
    );
    assert_eq!(answer.warnings, ["searchFailedInPart"]);
}

/// Many parts, each with a citation: the work must stay bounded.
#[tokio::test]
async fn an_answer_with_thousands_of_references_is_read_in_time() {
    let mut text = String::new();
    for number in 1..=5_000 {
        let _ = write!(text, "Satz {number}[{}]. ", number % 1_500);
    }
    let results: Vec<Value> = (1..=1_500)
        .map(|id| json!({"id": id, "url": format!("https://s{id}.test/"), "title": "S"}))
        .collect();
    let output = json!([{"type": "search_results", "queries": [], "results": results}, message(&text, &json!([]))]);
    let server = FaultServer::always(Reply::ok(&response("completed", &output))).await;
    let setup = Setup::of(AiSettings {
        perplexity: model_at(&server),
        ..AiSettings::default()
    });
    let answer = engine(&setup, "perplexity")
        .query(&question(), &MONEY)
        .await
        .answer
        .unwrap();
    assert_eq!(answer.citations.unwrap().len(), 300);
}
