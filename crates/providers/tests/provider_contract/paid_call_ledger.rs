//! Paid calls: recorded in the ledger before they are made, not made if that fails, and not repeated once answered.

use super::{
    KEY, about, data_for_seo_at,
    fault_server::{FaultServer, Reply},
    query, quick, searxng_at, serp_api_at, serper_at, supplier,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::{
    money::MicroUsd,
    ports::{
        paid_call_ledger::{
            LedgerEntry, PaidCall, PaidCallLedger, PaidCallOutcome, PaidCallStart, RecordedAnswer,
        },
        search_results::{PaidCallRefusal, ProviderError, SearchResults, Spent},
    },
};
use futures_util::future::join_all;
use providers::search::SearchSettings;
use serde_json::{Value, json};
use setting::Usd;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

/// Time of answers from an earlier attempt.
pub fn earlier() -> DateTime<Utc> {
    DateTime::from_timestamp(1_789_000_000, 0).expect("a time")
}

/// A ledger entry: step, maximum cost, and outcome.
pub type Line = (String, i64, Option<PaidCallOutcome>);

/// An in-memory ledger for a job with that budget.
pub struct Book {
    lines: Mutex<Vec<Line>>,
    money: i64,
}

impl Book {
    pub fn with(money: i64) -> Arc<Self> {
        let lines = Mutex::default();
        Arc::new(Self { lines, money })
    }

    pub fn lines(&self) -> Vec<Line> {
        self.lines.lock().expect("nobody panics with it").clone()
    }
}

fn spent(lines: &[Line]) -> i64 {
    let each = lines.iter();
    each.map(|(_, max_cost, ended)| ended.as_ref().map_or(*max_cost, |it| it.cost.0))
        .sum()
}

#[async_trait]
impl PaidCallLedger for Book {
    async fn begin(&self, call: &PaidCall) -> Result<PaidCallStart, ProviderError> {
        let mut lines = self.lines.lock().expect("nobody panics with it");
        let before = lines.iter().find_map(|(step, _, ended)| {
            let answer = ended.as_ref()?.answer.clone();
            answer.filter(|_| *step == call.step)
        });
        if let Some(body) = before {
            let at = earlier();
            return Ok(PaidCallStart::AlreadyAnswered(RecordedAnswer { body, at }));
        }
        if call.max_cost.0 > self.money - spent(&lines) {
            return Err(ProviderError::JobBudgetReached);
        }
        lines.push((call.step.clone(), call.max_cost.0, None));
        let number = i64::try_from(lines.len()).expect("a few");
        let max_cost = call.max_cost;
        Ok(PaidCallStart::Proceed(LedgerEntry { number, max_cost }))
    }

    async fn end(&self, ticket: LedgerEntry, ended: PaidCallOutcome) -> Result<(), ProviderError> {
        let mut lines = self.lines.lock().expect("nobody panics with it");
        let line = usize::try_from(ticket.number - 1).expect("from 1");
        lines[line].2 = Some(ended);
        Ok(())
    }
}

pub fn as_journal(book: &Arc<Book>) -> Arc<dyn PaidCallLedger> {
    Arc::clone(book) as _
}

/// A page of ten unique results, in Serper's format.
fn ten(number: usize) -> Value {
    let organic: Vec<Value> = (0..10)
        .map(|it| json!({"title": "A", "link": format!("https://a.test/{number}/{it}")}))
        .collect();
    json!({"searchParameters": {"apiKey": KEY}, "organic": organic})
}

fn serper(server: &FaultServer) -> Arc<dyn SearchResults> {
    supplier(&SearchSettings {
        serper: serper_at(server),
        resilience: quick(),
        ..Default::default()
    })
}

#[tokio::test]
async fn call_is_recorded_before_and_its_answer_after() {
    let book = Book::with(1_000_000);
    let known = Arc::clone(&book);
    let server = FaultServer::scripted(move |number, _| {
        let open = { known.lines() }.iter().filter(|it| it.2.is_none()).count();
        assert_eq!((known.lines().len(), open), (number + 1, 1));
        Reply::ok(&ten(number))
    })
    .await;
    let searched = serper(&server).search(&query(30), &as_journal(&book)).await;
    assert_eq!(
        searched.spent,
        Spent::on(3, MicroUsd(1_000)).all_in_ledger()
    );
    assert_eq!(searched.answer.unwrap().depth_checked(), 30);
    let lines = book.lines();
    assert_eq!((lines.len(), spent(&lines)), (3, 3_000));
    for (step, _, ended) in lines {
        let answer = ended.and_then(|it| it.answer).expect("an answer");
        let text = String::from_utf8(answer).unwrap();
        assert!(text.contains("https://a.test/"), "{step}: {text}");
        assert!(!text.contains(KEY), "a key is no part of an answer");
    }
}

#[tokio::test]
async fn stored_answers_are_reused_and_only_the_rest_is_fetched() {
    // The worker dies while it waits for the third of five pages.
    let server = FaultServer::scripted(|number, _| match number {
        2 => Reply::Late(Duration::from_mins(1), ten(number).to_string()),
        _ => Reply::ok(&ten(number)),
    })
    .await;
    let book = Book::with(1_000_000);
    let (paid_call_ledger, client) = (as_journal(&book), serper(&server));
    let dying = tokio::spawn(async move { client.search(&query(50), &paid_call_ledger).await });
    while server.calls() < 3 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    dying.abort();
    let _ = dying.await;
    assert_eq!(spent(&book.lines()), 3_000, "the lost one counts");

    let again = serper(&server).search(&query(50), &as_journal(&book)).await;
    let page = again.answer.unwrap();
    assert_eq!((server.calls(), page.depth_checked()), (6, 50));
    assert_eq!((page.calls, spent(&book.lines())), (3, 6_000));
    assert_eq!(page.fetched_at, earlier(), "as old as its oldest part");
    // Another depth is another call.
    let deeper = serper(&server).search(&query(60), &as_journal(&book)).await;
    assert!(deeper.answer.is_ok());
    assert_eq!(server.calls(), 12);
}

#[tokio::test]
async fn call_refused_by_the_ledger_keeps_earlier_pages() {
    let server = FaultServer::scripted(|number, _| Reply::ok(&ten(number))).await;
    let book = Book::with(2_999);
    let searched = serper(&server).search(&query(50), &as_journal(&book)).await;
    let page = searched.answer.unwrap();
    assert_eq!((server.calls(), page.depth_checked()), (2, 20));
    assert!(page.warnings.iter().any(|it| it == "depthCutShort"));
    let next = serper(&server);
    let next = next.search(&about("another"), &as_journal(&book)).await;
    assert_eq!(
        (next.answer, server.calls()),
        (Err(ProviderError::JobBudgetReached), 2)
    );
}

/// A ledger that fails after that many calls.
struct Failing(Arc<Book>, usize);

#[async_trait]
impl PaidCallLedger for Failing {
    async fn begin(&self, call: &PaidCall) -> Result<PaidCallStart, ProviderError> {
        if self.0.lines().len() < self.1 {
            return self.0.begin(call).await;
        }
        let reason = "the disk is full".to_owned();
        Err(ProviderError::NotRecorded { reason })
    }

    async fn end(&self, ticket: LedgerEntry, ended: PaidCallOutcome) -> Result<(), ProviderError> {
        self.0.end(ticket, ended).await
    }
}

#[tokio::test]
async fn ledger_failure_leaves_the_search_to_another_attempt() {
    let server = FaultServer::scripted(|number, _| Reply::ok(&ten(number))).await;
    let book = Book::with(1_000_000);
    let failing: Arc<dyn PaidCallLedger> = Arc::new(Failing(Arc::clone(&book), 2));
    let searched = serper(&server).search(&query(30), &failing).await;
    let error = searched.answer.unwrap_err();
    assert!(error.is_retryable() && !error.to_string().contains("disk"));
    let again = serper(&server).search(&query(30), &as_journal(&book)).await;
    assert_eq!(again.answer.unwrap().depth_checked(), 30);
    assert_eq!((server.calls(), spent(&book.lines())), (3, 3_000));
}

#[tokio::test]
async fn only_certainly_unbilled_calls_are_refunded() {
    for (fault, cost) in [
        (Reply::status(500, &json!({})), 0),
        (Reply::Reset, 1_000),
        (Reply::ok(&json!("no results")), 1_000),
    ] {
        let server = FaultServer::always(fault).await;
        let book = Book::with(1_000_000);
        let searched = serper(&server).search(&query(10), &as_journal(&book)).await;
        assert!(searched.answer.is_err());
        let lines = book.lines();
        assert_eq!((lines.len(), spent(&lines)), (1, cost));
        assert_eq!(searched.spent.cost, MicroUsd(cost));
        let ended = lines[0].2.as_ref().expect("its end is written down");
        assert_eq!(ended.answer, None);
    }
}

#[tokio::test]
async fn announced_overview_is_a_separate_call() {
    let server = FaultServer::scripted(|number, _| match number {
        0 => Reply::ok(&json!({
            "search_metadata": {"status": "Success"},
            "organic_results": [{"position": 1, "title": "A", "link": "https://a.test/"}],
            "ai_overview": {"page_token": "t"},
        })),
        _ => Reply::ok(&json!({
            "search_metadata": {"status": "Success"},
            "ai_overview": {"text_blocks": [{"type": "paragraph", "snippet": "So."}], "references": []},
        })),
    })
    .await;
    let new_supplier = || {
        supplier(&SearchSettings {
            serp_api: serp_api_at(&server),
            resilience: quick(),
            ..Default::default()
        })
    };
    let book = Book::with(1_000_000);
    for _ in 0..2 {
        let searched = new_supplier().search(&query(10), &as_journal(&book)).await;
        let overview = searched.answer.unwrap().ai_overview.expect("an overview");
        assert!(overview.present);
        assert_eq!((server.calls(), spent(&book.lines())), (2, 30_000));
    }
}

#[tokio::test]
async fn free_calls_are_not_recorded() {
    let listed = json!({"url": "https://a.test/", "engines": ["google"], "positions": [1]});
    let server = FaultServer::always(Reply::ok(&json!({"results": [listed]}))).await;
    let free = supplier(&SearchSettings {
        searxng: searxng_at(&server),
        resilience: quick(),
        ..Default::default()
    });
    let book = Book::with(0);
    let searched = free.search(&query(10), &as_journal(&book)).await;
    assert!(searched.answer.is_ok());
    assert_eq!(book.lines(), []);
}

#[tokio::test]
async fn unpaid_call_is_not_made_and_names_the_reason() {
    let server = FaultServer::always(Reply::ok(&ten(0))).await;
    let free = json!({"url": "https://a.test/", "engines": ["google"], "positions": [1]});
    let free = FaultServer::always(Reply::ok(&json!({"results": [free]}))).await;
    let paying = || SearchSettings {
        serper: serper_at(&server),
        data_for_seo: data_for_seo_at(&server),
        resilience: quick(),
        ..Default::default()
    };
    let priceless = || {
        let mut settings = paying();
        settings.serper.price_per_call = Usd(0.0);
        settings.data_for_seo.price_per_page = Usd(0.0);
        settings
    };
    let dear = |price, limit| PaidCallRefusal::TooExpensive {
        price: MicroUsd(price),
        limit: MicroUsd(limit),
    };
    let book = Book::with(1_000_000);
    for (settings, expected) in [
        (
            SearchSettings {
                paid_calls: false,
                ..paying()
            },
            PaidCallRefusal::SwitchedOff,
        ),
        (
            SearchSettings {
                most_per_call: Some(Usd(0.000_999)),
                ..paying()
            },
            dear(4_000, 999),
        ),
        (priceless(), PaidCallRefusal::PriceUnknown),
    ] {
        let alone = supplier(&settings);
        assert_eq!(alone.paid_call_refusal(10), Some(expected));
        assert_eq!(alone.max_spend(10), Spent::default());
        let refused = alone.search(&query(10), &as_journal(&book)).await;
        assert_eq!(
            refused.answer,
            Err(ProviderError::PaidCallRefused(expected))
        );
        // Free suppliers still answer.
        let beside = supplier(&SearchSettings {
            searxng: searxng_at(&free),
            ..settings
        });
        assert_eq!(beside.paid_call_refusal(10), None);
        let answered = beside.search(&query(10), &as_journal(&book)).await;
        assert_eq!(answered.answer.unwrap().provider, "metasearch");
    }
    assert_eq!((server.calls(), book.lines()), (0, vec![]));
    // A price equal to the limit is allowed: Serper's, while DataForSEO's is too high.
    let at_the_bound = supplier(&SearchSettings {
        most_per_call: Some(Usd(0.001)),
        ..paying()
    });
    let answered = at_the_bound.search(&query(10), &as_journal(&book)).await;
    assert!(answered.answer.is_ok());
    assert_eq!((server.calls(), spent(&book.lines())), (1, 1_000));
}

#[tokio::test]
async fn waiters_retry_when_the_first_caller_cannot_pay() {
    let server = FaultServer::scripted(|number, _| Reply::ok(&ten(number))).await;
    let (poor, rich) = (Book::with(0), Book::with(1_000));
    let client = serper(&server);
    let (one, other) = (query(10), query(10));
    let (poor_journal, rich_journal) = (as_journal(&poor), as_journal(&rich));
    let outcomes = join_all([
        client.search(&one, &poor_journal),
        client.search(&other, &rich_journal),
    ])
    .await;
    assert_eq!(outcomes[0].answer, Err(ProviderError::JobBudgetReached));
    assert!(outcomes[1].answer.is_ok());
    assert_eq!((server.calls(), spent(&rich.lines())), (1, 1_000));
}
