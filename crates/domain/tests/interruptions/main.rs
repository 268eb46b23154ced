//! Interrupts and breaks every writing use case at each statement: its effect must occur once or
//! not at all, without extra external calls.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod external_services;
mod fixture;
mod jobs;
mod mail;
mod people;
mod projects;
mod scan;
mod transaction_watch;

use domain::{
    ids::IdMint,
    test_support::{Fault, MemoryStorage, State, fixtures},
    use_cases::{Core, Policies},
};
use external_services::Outside;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    pin::Pin,
    sync::Arc,
};
use transaction_watch::Watch;

type Running<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + 'a>>;

/// A use case with an example in which it writes.
struct Case {
    name: &'static str,
    given: fn() -> MemoryStorage,
    run: for<'a> fn(&'a Arc<Core>, &'a Outside) -> Running<'a>,
}

/// Name of a use case, state before, and call.
macro_rules! case {
    ($name:literal, $given:expr, |$core:pat_param, $outside:pat_param| $call:expr) => {
        crate::Case {
            name: $name,
            given: $given,
            run: |$core, $outside| {
                Box::pin(async move { $call.map(drop).map_err(|it| it.to_string()) })
            },
        }
    };
}
pub(crate) use case;

/// Written off the request path and not retried: the next use writes the same.
const NOT_TRIED_AGAIN: [&str; 3] = [
    "note_refused_authorization",
    "note_session_use",
    "note_token_use",
];
/// Stores failures for the owner, so more than the requested effect is written.
const NOTES_FAILURES: [&str; 2] = ["FetchConsole::run", "FetchConsole::run_due"];

fn cases() -> Vec<Case> {
    let all = [
        people::cases(),
        mail::cases(),
        projects::cases(),
        jobs::cases(),
    ];
    all.into_iter().flatten().collect()
}

struct Seen {
    outcome: Result<(), String>,
    storage: MemoryStorage,
    calls: u32,
    /// Reads of clock or random bytes in a transaction.
    reads: u32,
}

async fn run(case: &Case, fault: Option<(u32, Fault)>) -> Seen {
    let storage = (case.given)();
    if let Some((number, fault)) = fault {
        storage.fail_at(number, fault);
    }
    let watch = Arc::new(Watch::over(storage.port()));
    let core = Core {
        storage: watch.clone(),
        clock: watch.clone(),
        randomness: watch.clone(),
        mint: Arc::new(IdMint::new(watch.clone(), watch.clone())),
        cipher: Arc::new(external_services::OpenCipher),
        policies: Policies {
            mail: Some(mail::policy()),
            ..Policies::default()
        },
    };
    let outside = Outside::default();
    let outcome = (case.run)(&Arc::new(core), &outside).await;
    Seen {
        outcome,
        storage,
        calls: outside.calls(),
        reads: watch.reads(),
    }
}

/// A state as text, with minted ids replaced by their order, because a retry mints others.
fn render_state(state: &State) -> String {
    let text = format!("{state:#?}");
    let numbers = text.split(|it: char| !it.is_ascii_digit());
    let min_id = u64::try_from(fixtures::now().timestamp()).unwrap() << 21;
    let minted = numbers.filter_map(|it| it.parse::<u64>().ok());
    let minted: BTreeSet<u64> = minted.filter(|it| *it >= min_id).collect();
    let places: BTreeMap<String, usize> = { minted.into_iter().enumerate() }
        .map(|(place, id)| (id.to_string(), place))
        .collect();
    let mut rendered = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|it: char| it.is_ascii_digit()) {
        let end = rest[at..].find(|it: char| !it.is_ascii_digit());
        let end = end.map_or(rest.len(), |it| at + it);
        rendered.push_str(&rest[..at]);
        match places.get(&rest[at..end]) {
            Some(place) => write!(rendered, "id {place}").unwrap(),
            None => rendered.push_str(&rest[at..end]),
        }
        rest = &rest[end..];
    }
    rendered + rest
}

/// One run per statement, until no statement meets the fault.
async fn at_each_statement(case: &Case, fault: Fault) -> Vec<Seen> {
    let mut seen = Vec::new();
    for number in 1.. {
        let it = run(case, Some((number, fault))).await;
        if it.storage.is_fault_ahead() {
            break;
        }
        seen.push(it);
    }
    assert!(!seen.is_empty(), "{} has statements", case.name);
    seen
}

#[test]
fn every_use_case_that_writes_has_a_case() {
    let known: Vec<&str> = cases().iter().map(|it| it.name).collect();
    let known: BTreeSet<String> = known.into_iter().map(str::to_owned).collect();
    assert_eq!(scan::writers(), known);
}

#[test]
fn no_transaction_reads_the_clock_or_makes_ids_or_secrets() {
    assert_eq!(scan::impure_calls_in_transactions(), Vec::<String>::new());
}

#[tokio::test]
async fn every_case_succeeds_and_writes_something() {
    for case in cases() {
        let clean = run(&case, None).await;
        assert_eq!(clean.outcome, Ok(()), "{}", case.name);
        assert!(clean.storage.commits() > 0, "{}", case.name);
        assert_eq!(clean.reads, 0, "{}", case.name);
    }
}

#[tokio::test]
async fn an_interrupted_use_case_is_retried_with_one_effect() {
    for case in cases() {
        let clean = run(&case, None).await;
        let expected = render_state(&clean.storage.state());
        for (number, it) in (1..).zip(at_each_statement(&case, Fault::Interrupted).await) {
            let at = format!("{} at statement {number}", case.name);
            assert_eq!(it.calls, clean.calls, "{at}");
            assert_eq!(it.reads, 0, "{at}");
            if NOT_TRIED_AGAIN.contains(&case.name) {
                assert!(it.outcome.is_err(), "{at}");
                assert_eq!(it.storage.state(), (case.given)().state(), "{at}");
                continue;
            }
            assert_eq!(it.outcome, Ok(()), "{at}");
            assert_eq!(it.storage.commits(), clean.storage.commits(), "{at}");
            assert_eq!(render_state(&it.storage.state()), expected, "{at}");
        }
    }
}

#[tokio::test]
async fn a_failed_use_case_leaves_only_whole_transactions() {
    for case in cases() {
        let clean = run(&case, None).await;
        let before = (case.given)().state();
        let whole: Vec<_> = [before]
            .into_iter()
            .chain(clean.storage.history())
            .collect();
        for fault in [Fault::Broken, Fault::AnswerLost] {
            for (number, it) in (1..).zip(at_each_statement(&case, fault).await) {
                let at = format!("{}: {fault:?} at statement {number}", case.name);
                assert!(it.calls <= clean.calls, "{at}");
                let state = it.storage.state();
                let is_whole = if NOTES_FAILURES.contains(&case.name) {
                    whole.iter().any(|it| it.imports == state.imports)
                } else {
                    whole.contains(&state)
                };
                assert!(is_whole, "{at}: {state:#?}");
            }
        }
    }
}
