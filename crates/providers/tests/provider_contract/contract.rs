//! Contract of every supplier of search results, whatever its wire format.

use super::{
    KEY, MONEY,
    fault_server::{FaultServer, Reply},
    query, quick,
    shapes::{SUPPLIERS, Shape},
    supplier,
};
use domain::{
    money::MicroUsd,
    ports::search_results::{ProviderError, SearchOutcome, Spent},
};
use providers::{
    resilience::ResilienceSettings,
    search::{self, SearchSettings},
};
use std::{
    io,
    sync::{Arc, Mutex},
    time::Duration,
};

/// The result for a server that always replies alike, and the number of its calls.
async fn searched(
    shape: &Shape,
    reply: Reply,
    resilience: ResilienceSettings,
) -> (SearchOutcome, usize) {
    let server = FaultServer::always(reply).await;
    let settings = SearchSettings {
        resilience,
        ..(shape.at)(&server)
    };
    let searched = supplier(&settings).search(&query(10), &MONEY).await;
    (searched, server.calls())
}

/// The failure and the number of calls; `cost` is what they must cost.
async fn failure(shape: &Shape, reply: Reply, cost: MicroUsd) -> (ProviderError, usize) {
    let (searched, calls) = searched(shape, reply.clone(), quick()).await;
    assert!(!format!("{searched:?}").contains(KEY), "{}", shape.name);
    let error = searched.answer.expect_err(shape.name);
    assert!(!error.to_string().contains(KEY), "{error}");
    let spent = Spent {
        cost,
        ..took(shape, calls as u64, FREE)
    };
    assert_eq!(searched.spent, spent, "{} {reply:?}", shape.name);
    (error, calls)
}

/// Paid calls are recorded in the ledger; free ones are not.
fn took(shape: &Shape, calls: u64, price: MicroUsd) -> Spent {
    let spent = Spent::on(calls, price);
    if shape.price_when_unknown == FREE {
        spent
    } else {
        spent.all_in_ledger()
    }
}

fn limited(seconds: Option<u64>) -> ProviderError {
    ProviderError::RateLimited {
        retry_after: seconds.map(Duration::from_secs),
    }
}

const FREE: MicroUsd = MicroUsd(0);

#[test]
fn every_supplier_of_the_table_has_a_shape() {
    let table = search::SUPPLIERS.iter().map(|it| it.name);
    assert!(SUPPLIERS.iter().map(|it| it.name).eq(table));
}

#[tokio::test]
async fn results_keep_their_order() {
    for shape in SUPPLIERS {
        let reply = Reply::ok(&(shape.found)(7));
        let (searched, calls) = searched(shape, reply, quick()).await;
        let page = searched.answer.expect(shape.name);
        let seen: Vec<_> = page
            .organic()
            .map(|(_, it)| (it.position, it.url.clone()))
            .collect();
        let expected = (1..=7).map(|place| (place, format!("https://site{place}.test/")));
        assert_eq!(seen, expected.collect::<Vec<_>>(), "{}", shape.name);
        assert_eq!((calls, page.calls), (1, 1), "{}", shape.name);
        assert_eq!(
            searched.spent,
            took(shape, 1, shape.price),
            "{}",
            shape.name
        );
        assert_eq!(page.engine, "google");
    }
}

#[tokio::test]
async fn nothing_found_is_an_empty_page() {
    for shape in SUPPLIERS {
        for body in (shape.empty)() {
            let (searched, calls) = searched(shape, Reply::ok(&body), quick()).await;
            let page = searched.answer.expect(shape.name);
            assert_eq!((page.depth_checked(), calls), (0, 1), "{}", shape.name);
            assert_eq!(
                searched.spent,
                took(shape, 1, shape.price),
                "{}",
                shape.name
            );
        }
    }
}

#[tokio::test]
async fn refusals_map_to_their_errors() {
    for shape in SUPPLIERS {
        for (reply, error, calls) in (shape.refusals)() {
            let observed = failure(shape, reply.clone(), FREE).await;
            assert_eq!(observed, (error, calls), "{} {reply:?}", shape.name);
        }
    }
}

#[tokio::test]
async fn retry_after_is_honored_up_to_a_maximum() {
    for shape in SUPPLIERS {
        let body = (shape.error_body)("Slow down").to_string();
        let slow_down = |headers| Reply::Status(429, headers, body.clone());
        for (headers, seconds, calls) in [
            (&[][..], None, 3),
            (&[("retry-after", "0")], Some(0), 3),
            (&[("Retry-After", "3600")], Some(3_600), 1),
        ] {
            let observed = failure(shape, slow_down(headers), FREE).await;
            assert_eq!(observed, (limited(seconds), calls), "{}", shape.name);
        }
    }
}

#[tokio::test]
async fn outages_are_retried_twice() {
    for shape in SUPPLIERS {
        for status in [500, 502, 503, 504, 408, 425] {
            let reply = Reply::Status(status, &[], "<html>".to_owned());
            let observed = failure(shape, reply, FREE).await;
            assert_eq!(
                observed,
                (ProviderError::Unavailable, 3),
                "{} {status}",
                shape.name
            );
        }
    }
}

#[tokio::test]
async fn possibly_billed_call_is_charged_and_not_retried() {
    for shape in SUPPLIERS {
        let calls = if shape.price == FREE { 3 } else { 1 };
        let observed = failure(shape, Reply::Reset, shape.price_when_unknown).await;
        assert_eq!(
            observed,
            (ProviderError::Unavailable, calls),
            "{}",
            shape.name
        );
    }
}

#[tokio::test]
async fn unsent_call_is_retried_at_no_cost() {
    for shape in SUPPLIERS {
        let gone = FaultServer::always(Reply::Reset).await;
        let settings = SearchSettings {
            resilience: quick(),
            ..(shape.at)(&gone)
        };
        drop(gone);
        tokio::task::yield_now().await;
        let searched = supplier(&settings).search(&query(10), &MONEY).await;
        assert_eq!(searched.answer, Err(ProviderError::Unavailable));
        assert_eq!(searched.spent, took(shape, 3, FREE), "{}", shape.name);
    }
}

#[tokio::test]
async fn slow_body_times_out() {
    for shape in SUPPLIERS {
        let resilience = ResilienceSettings {
            call_timeout: Duration::from_millis(200),
            ..quick()
        };
        let (searched, calls) = searched(shape, Reply::SlowBody, resilience).await;
        assert_eq!(
            searched.answer,
            Err(ProviderError::TimedOut),
            "{}",
            shape.name
        );
        assert_eq!(calls, 1);
        assert_eq!(searched.spent, took(shape, 1, shape.price_when_unknown));
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_malformed() {
    for shape in SUPPLIERS {
        let mut replies = Reply::unreadable((shape.found)(10).to_string());
        replies.extend((shape.strange)().iter().map(Reply::ok));
        for reply in replies {
            let (error, calls) = failure(shape, reply.clone(), shape.price_when_unknown).await;
            let is_malformed = matches!(error, ProviderError::Malformed { .. });
            assert!(is_malformed, "{} {reply:?}: {error:?}", shape.name);
            assert_eq!(calls, 1, "{} {reply:?}", shape.name);
        }
    }
}

/// However many calls fail.
#[tokio::test]
async fn retries_are_at_most_a_tenth_of_the_calls() {
    let (searches, max_calls) = (150_u32, 165);
    for shape in SUPPLIERS {
        let limited = Reply::status(429, &(shape.error_body)("Slow down"));
        let broken = Reply::Status(500, &[], String::new());
        let found = Reply::ok(&(shape.found)(3));
        for (fault, every) in [(&limited, 1), (&broken, 1), (&limited, 2), (&broken, 3)] {
            let (fault, found) = (fault.clone(), found.clone());
            let server = FaultServer::scripted(move |number, _| {
                let fails = number.is_multiple_of(every);
                if fails { fault.clone() } else { found.clone() }
            })
            .await;
            let resilience = ResilienceSettings {
                first_pause: Duration::ZERO,
                ..quick()
            };
            let supplier = supplier(&SearchSettings {
                resilience,
                ..(shape.at)(&server)
            });
            for number in 0..searches {
                let mut search_query = query(10);
                search_query.keyword = format!("keyword {number}");
                let _ = supplier.search(&search_query, &MONEY).await;
            }
            let calls = server.calls();
            assert!(calls <= max_calls, "{} {every}: {calls}", shape.name);
            // Retries do happen, or the limit would prove nothing.
            assert!(calls > 155, "{} {every}: {calls}", shape.name);
        }
    }
}

/// Captures all logs, at the most verbose level.
#[derive(Clone, Default)]
pub struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub fn text(&self) -> String {
        let kept = self.0.lock().expect("no test panicked here");
        String::from_utf8_lossy(&kept).into_owned()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut kept = self.0.lock().expect("no test panicked here");
        kept.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn credentials_are_logged_nowhere() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let _guard = tracing::subscriber::set_default(subscriber);
    for shape in SUPPLIERS {
        let mut replies: Vec<Reply> = (shape.refusals)().into_iter().map(|it| it.0).collect();
        replies.extend([Reply::Reset, Reply::ok(&(shape.found)(2))]);
        for reply in replies {
            // A call site that another test registered first may be cached as disabled.
            tracing::callsite::rebuild_interest_cache();
            let (searched, _) = searched(shape, reply, quick()).await;
            assert!(!format!("{searched:?}").contains(KEY));
        }
    }
    let text = log.text();
    assert!(text.contains("the call is made again"), "{text}");
    assert!(!text.contains(KEY), "{text}");
}
