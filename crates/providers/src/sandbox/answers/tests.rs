use super::*;
use crate::sandbox::Sandbox;
use analysis::ai_prompts::LANGUAGES;
use chrono::{DateTime, Days, Utc};
use domain::ports::paid_call_ledger::NoPaidCalls;
use domain::ports::search_results::{SearchQuery, SearchResults};
use setting::Share;
use std::collections::{BTreeMap, HashSet};

struct Noon;

impl Clock for Noon {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000, 0).expect("a time")
    }
}

fn sandbox(settings: &SandboxSettings) -> Vec<Arc<dyn AiEngine>> {
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    engines(settings, &clock)
}

fn day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 22).unwrap()
}

fn question(number: u32, sample: u32) -> AiQuery {
    AiQuery {
        prompt: format!("Which running shoes no {number} would you recommend?"),
        language: "en".to_owned(),
        country: "us".to_owned(),
        location: None,
        web_search: true,
        sample,
        day: day(),
        site: "acme.com".to_owned(),
        brand: "Acme".to_owned(),
    }
}

async fn fetch_answer(engine: &Arc<dyn AiEngine>, question: &AiQuery) -> EngineAnswer {
    let journal: Arc<dyn PaidCallLedger> = Arc::new(NoPaidCalls);
    let outcome = engine.query(question, &journal).await;
    assert_eq!(outcome.spent, Spent::on(1, MicroUsd(0)));
    outcome.answer.expect("no failure was simulated")
}

#[tokio::test]
async fn answers_depend_only_on_question_sample_and_seed() {
    let (first, second) = (
        sandbox(&SandboxSettings::default()),
        sandbox(&SandboxSettings::default()),
    );
    for (one, other) in first.iter().zip(&second) {
        let mut texts = HashSet::new();
        for sample in 1..=20 {
            let question = question(2, sample);
            let answer = fetch_answer(one, &question).await;
            assert_eq!(answer, fetch_answer(other, &question).await);
            texts.insert(answer.text);
        }
        let is_shown = texts.len() > 1;
        assert!(!is_shown || texts.len() > 10, "{}", texts.len());
    }
    let seeded = sandbox(&SandboxSettings {
        seed: 7,
        ..SandboxSettings::default()
    });
    let question = question(2, 1);
    assert_ne!(
        fetch_answer(&first[0], &question).await.text,
        fetch_answer(&seeded[0], &question).await.text
    );
}

#[tokio::test]
async fn every_engine_is_labeled_simulated_and_cites_as_declared() {
    for engine in sandbox(&SandboxSettings::default()) {
        let label = engine.label();
        assert_eq!(label.provenance, Provenance::Simulated);
        assert_eq!(label.provider, "sandbox");
        assert!(label.name.starts_with("sandbox") && label.title.contains("simulated"));
        for number in 0..50 {
            let answer = fetch_answer(&engine, &question(number, 1)).await;
            assert_eq!(answer.citations.is_some(), label.has_sources);
            assert_eq!(answer.usage.cost_micros, Some(0));
        }
    }
    let engine = &sandbox(&SandboxSettings::default())[0];
    let without = AiQuery {
        web_search: false,
        ..question(1, 1)
    };
    let answer = fetch_answer(engine, &without).await;
    assert_eq!((answer.citations, answer.searches), (None, Some(0)));
}

#[tokio::test]
async fn citation_spans_contain_their_urls() {
    let assistant = &sandbox(&SandboxSettings::default())[0];
    let mut inline = 0;
    for language in LANGUAGES {
        for number in 0..40 {
            let question = AiQuery {
                language: language.to_owned(),
                ..question(number, 1)
            };
            let answer = fetch_answer(assistant, &question).await;
            for citation in answer.citations.iter().flatten() {
                for it in &citation.spans {
                    let place = &answer.text[it.start..it.end];
                    assert!(place.contains(&citation.url), "{place}: {citation:?}");
                    inline += 1;
                }
            }
        }
    }
    assert!(inline > 400, "{inline}");
}

#[tokio::test]
async fn answers_cover_all_states_and_unnamed_citations() {
    let assistant = &sandbox(&SandboxSettings::default())[0];
    let mut states: BTreeMap<String, u32> = BTreeMap::new();
    let (mut named, mut cited, mut ghosts, mut answers) = (0, 0, 0, 0);
    for number in 0..600 {
        for sample in 1..=5 {
            let answer = fetch_answer(assistant, &question(number, sample)).await;
            *states.entry(format!("{:?}", answer.state)).or_default() += 1;
            if answer.state != AnswerState::Answered {
                continue;
            }
            answers += 1;
            let is_named = answer.text.contains("Acme");
            let is_cited = { answer.citations.iter().flatten() }
                .any(|it| it.part != CitationPart::SearchResult && it.url.contains("//acme.com/"));
            named += u32::from(is_named);
            cited += u32::from(is_cited);
            ghosts += u32::from(is_cited && !is_named);
        }
    }
    assert_eq!(states.len(), 4, "{states:?}");
    assert!((2_800..3_000).contains(&answers), "{states:?}");
    assert!((300..2_500).contains(&named), "{named}");
    assert!(cited > 200 && cited < named, "{cited} {named}");
    assert!(ghosts > 30, "{ghosts}");
}

#[tokio::test]
async fn visibility_drifts_and_the_model_changes_on_a_day() {
    let assistant = &sandbox(&SandboxSettings::default())[0];
    let mut models = Vec::new();
    let mut rates = Vec::new();
    for week in 0..40 {
        let day = day() + Days::new(7 * week);
        let mut named = 0;
        for number in 0..40 {
            let question = AiQuery {
                day,
                ..question(number, 1)
            };
            let answer = fetch_answer(assistant, &question).await;
            named += u32::from(answer.text.contains("Acme"));
            models.extend(answer.served_model);
        }
        rates.push(named);
    }
    models.dedup();
    assert!((3..=4).contains(&models.len()), "{models:?}");
    let (low, high) = (rates.iter().min().unwrap(), rates.iter().max().unwrap());
    assert!(high - low >= 6, "{rates:?}");
}

#[tokio::test]
async fn competitors_match_the_search_market() {
    let settings = SandboxSettings::default();
    let assistant = &sandbox(&settings)[0];
    let mut cited: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..200 {
        let answer = fetch_answer(assistant, &question(number, 1)).await;
        for it in answer.citations.iter().flatten() {
            let host = it.url.split('/').nth(2).unwrap_or_default().to_owned();
            *cited.entry(host).or_default() += 1;
        }
    }
    let search = Sandbox::new(settings, Arc::new(Noon));
    let journal: Arc<dyn PaidCallLedger> = Arc::new(NoPaidCalls);
    let mut ranking: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..100 {
        let query = SearchQuery {
            keyword: format!("running shoes {number}"),
            country: "us".to_owned(),
            language: "en".to_owned(),
            device: Device::Desktop,
            location: None,
            depth: 10,
            day: day(),
            site: "acme.com".to_owned(),
        };
        let page = search.search(&query, &journal).await.answer.unwrap();
        for (_, it) in page.organic() {
            let host = it.displayed_url.clone().unwrap_or_default();
            *ranking.entry(host).or_default() += 1;
        }
    }
    let top_hosts = |of: &BTreeMap<String, u32>| -> HashSet<String> {
        let mut hosts: Vec<_> = of.iter().filter(|(host, _)| *host != "acme.com").collect();
        hosts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        hosts
            .into_iter()
            .take(40)
            .map(|(host, _)| host.clone())
            .collect()
    };
    let both = top_hosts(&cited).intersection(&top_hosts(&ranking)).count();
    assert!(both > 15, "{both}");
}

#[tokio::test]
async fn failures_come_on_request_and_at_the_rate() {
    let engines = sandbox(&SandboxSettings::default());
    let journal: Arc<dyn PaidCallLedger> = Arc::new(NoPaidCalls);
    for (prompt, code) in [
        ("What about sandbox:timeout?", "supplierTimedOut"),
        ("sandbox:unauthorised", "supplierUnauthorised"),
        ("Was ist „Sandbox:Malformed“?", "supplierMalformed"),
    ] {
        let question = AiQuery {
            prompt: prompt.to_owned(),
            ..question(1, 1)
        };
        for engine in &engines {
            let outcome = engine.query(&question, &journal).await;
            assert_eq!(outcome.answer.unwrap_err().code(), code, "{prompt}");
        }
    }
    let question_of = |prompt: &str| AiQuery {
        prompt: prompt.to_owned(),
        ..question(1, 1)
    };
    let refused = fetch_answer(&engines[0], &question_of("Why sandbox:blocked, again")).await;
    assert_eq!(refused.state, AnswerState::Refused);
    let empty = fetch_answer(&engines[2], &question_of("sandbox:nothing")).await;
    assert_eq!(empty.state, AnswerState::Empty);

    let failing = sandbox(&SandboxSettings {
        failure_rate: Share(0.5),
        ..SandboxSettings::default()
    });
    let mut failed = 0;
    for number in 0..200 {
        let outcome = failing[0].query(&question(number, 1), &journal).await;
        failed += u32::from(outcome.answer.is_err());
    }
    assert!((60..140).contains(&failed), "{failed}");
}

#[tokio::test]
async fn twenty_five_thousand_answers_take_seconds() {
    let assistant = &sandbox(&SandboxSettings::default())[0];
    let begin = std::time::Instant::now();
    // A tenth of them: tests are not optimized.
    for number in 0..500 {
        for sample in 1..=5 {
            fetch_answer(assistant, &question(number, sample)).await;
        }
    }
    let took = begin.elapsed();
    println!("2500 answers in {took:?}");
    assert!(took.as_secs() < 30, "{took:?}");
}
