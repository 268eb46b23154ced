//! Workers killed during paid calls, and paid calls that are disabled.

use super::{
    api::{Api, done_units, number},
    crashes::{Working, start},
    on_both,
    serper::Serper,
    world::World,
};
use serde_json::{Value, json};
use std::time::Duration;

const KEYWORDS: usize = 20;
const PAGES: usize = 3;
/// Per page, in millionths of a US dollar.
const PRICE: usize = 1_000;

on_both!(
    #[ignore = "slow: processes are killed, and leases run out"]
    kill_repeats_at_most_one_paid_call_within_the_cap,
    disabled_paid_calls_are_not_made,
    cap_reached_on_a_later_page_is_reported,
    cost_of_failed_calls_is_reported_with_its_cause,
    stopping_worker_awaits_the_paid_call,
    #[ignore = "slow: a worker waits for a call that hangs"]
    stopping_worker_leaves_a_hanging_paid_call_charged,
);

/// A supplier, and an account with a budget for one rank check at its maximum cost.
pub fn paying(world: &mut World, pause: u64) -> Serper {
    let serper = Serper::start(Duration::from_millis(pause));
    for (name, value) in [
        ("API_KEY", "a-paid-key"),
        ("BASE_URL", &serper.base_url),
        ("PRICE_PER_CALL", "0.001"),
    ] {
        world.set(&format!("SEARCH__SERPER__{name}"), value);
    }
    world.set("SEARCH__DEPTH", &(PAGES * 10).to_string());
    for flag in ["--monthly-budget", "--daily-budget"] {
        world.run_command(&[
            "account",
            "limits",
            "--email",
            "ann@example.com",
            flag,
            "0.06",
        ]);
    }
    serper
}

/// Waits until that many calls were made and one is under way.
async fn amid(serper: &Serper, calls: u32) {
    for _ in 0..2_000 {
        {
            let state = serper.state();
            if state.billed() >= calls && state.under_way > 0 {
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("only {} calls were made", serper.state().billed());
}

async fn quota(api: &Api, name: &str) -> Value {
    let health = api.get("/health").await;
    let quotas = health["quotas"].as_array().unwrap().iter();
    quotas
        .clone()
        .find(|it| it["name"] == name)
        .unwrap()
        .clone()
}

fn dollars(calls: usize) -> String {
    domain::money::MicroUsd(i64::try_from(calls * PRICE).unwrap()).to_string()
}

async fn kill_repeats_at_most_one_paid_call_within_the_cap(mut world: World) {
    world.use_long_leases();
    let serper = paying(&mut world, 60);
    let mut working = start(&world);
    let project = working.api.project("example.com", KEYWORDS).await;
    let job = working.api.analyze("rankCheck", project).await;
    for (kill, calls) in [(1, 8), (2, 30)] {
        amid(&serper, calls).await;
        let Working { worker, beside, .. } = working;
        worker.kill();
        drop(beside);
        working = start(&world);
        assert!(serper.state().repeated() < kill);
    }
    let over = working.api.finished(job).await;
    assert!(
        over["status"] == "succeeded" || over["status"] == "partial",
        "{over}"
    );
    assert_eq!(number(&over, "/attempts"), 3);
    assert!(done_units(&over) >= 19, "{over}");

    let (billed, repeated, at_once) = {
        let state = serper.state();
        (state.billed(), state.repeated(), state.max_under_way)
    };
    assert!(repeated <= 2, "{repeated} calls were repeated by two kills");
    // The killed worker's call may still be answered while the next one starts.
    assert!(at_once <= 2, "{at_once}");
    let billed = usize::try_from(billed).unwrap();
    assert!(billed <= KEYWORDS * PAGES, "{billed}");
    // A started call counts even without an answer: at most one per kill.
    let job_cost = over["cost"]["amount"].as_str().unwrap();
    let counted = [billed, billed + 1, billed + 2].map(dollars);
    assert!(
        counted.iter().any(|it| it == job_cost),
        "{job_cost} {billed}"
    );
    for name in ["monthlyBudget", "dailyBudget"] {
        let quota = quota(&working.api, name).await;
        assert_eq!(
            (&quota["used"], &quota["reserved"], &quota["limit"]),
            (&json!(job_cost), &json!("0.00"), &json!("0.06")),
            "{name}"
        );
    }
    // The budget is used up.
    let more = json!({ "type": "rankCheck", "projectId": project });
    let (status, refusal) = working.api.call("POST", "/analyze", Some(&more)).await;
    assert_eq!((status, &refusal["code"]), (429, &json!("quota-exceeded")));
}

async fn disabled_paid_calls_are_not_made(mut world: World) {
    let serper = paying(&mut world, 20);
    let working = start(&world);
    let project = working.api.project("example.com", KEYWORDS).await;
    let job = working.api.analyze("rankCheck", project).await;
    working.api.follow(job, |job| done_units(job) >= 2).await;
    drop(working);
    let before = serper.state().billed();

    world.set("SEARCH__PAID_CALLS", "false");
    let again = start(&world);
    let over = again.api.finished(job).await;
    assert_eq!(over["status"], "partial", "{over}");
    assert_eq!(serper.state().billed(), before);
    // Earlier measurements are published.
    let records = again.api.records("rankings", project).await;
    assert_eq!(i64::try_from(records.len()).unwrap(), done_units(&over));
    let more = json!({ "type": "rankCheck", "projectId": project });
    let (status, refusal) = again.api.call("POST", "/analyze", Some(&more)).await;
    assert_eq!(
        (status, &refusal["code"]),
        (409, &json!("feature-disabled"))
    );
    let hint = refusal["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("search.paid_calls"), "{hint}");
    // Health does not report it as ready.
    let health = again.api.get("/health").await;
    let search = &health["providers"][0];
    assert_eq!(
        (&search["need"], &search["state"]),
        (&json!("searchResults"), &json!("failing")),
        "{search}"
    );
    let missing = search["missing"][0].as_str().unwrap();
    assert!(missing.contains("search.paid_calls"), "{missing}");
}

async fn cap_reached_on_a_later_page_is_reported(mut world: World) {
    let serper = paying(&mut world, 10);
    serper.state().nonsense = 1;
    let working = start(&world);
    let project = working.api.project("example.com", 3).await;
    let job = working.api.analyze("rankCheck", project).await;
    let over = working.api.finished(job).await;
    // The failed first call was billed, so the budget lacks one for the last page.
    let (calls, billed) = (3 * PAGES, serper.state().billed());
    assert_eq!(usize::try_from(billed).unwrap(), calls);
    assert_eq!(
        (&over["status"], &over["cost"]["amount"], done_units(&over)),
        (&json!("partial"), &json!(dollars(calls)), 3),
        "{over}"
    );
    assert_eq!(
        usize::try_from(number(&over, "/cost/calls")).unwrap(),
        calls
    );
    let path = format!("/results?type=rankings&projectId={project}");
    let results = working.api.get(&path).await;
    let warned = |of: &Value, code: &str| of["warnings"].as_array().unwrap().contains(&json!(code));
    assert!(warned(&results, "jobBudgetReached"), "{results}");
    let records = working.api.records("rankings", project).await;
    let cut = records.iter().filter(|it| warned(it, "depthCutShort"));
    assert_eq!(cut.count(), 1);
}

async fn cost_of_failed_calls_is_reported_with_its_cause(mut world: World) {
    let serper = paying(&mut world, 10);
    serper.state().nonsense = u32::MAX;
    let working = start(&world);
    let project = working.api.project("example.com", 1).await;
    let job = working.api.analyze("rankCheck", project).await;
    let over = working.api.finished(job).await;
    assert_eq!(over["status"], "failed", "{over}");
    let billed = serper.state().billed();
    assert_eq!(number(&over, "/cost/calls"), i64::from(billed), "{over}");
    let detail = over["error"]["detail"].as_str().unwrap();
    assert!(detail.contains("cannot be read"), "{over}");
}

async fn stopping_worker_awaits_the_paid_call(mut world: World) {
    let serper = paying(&mut world, 1_500);
    let working = start(&world);
    let project = working.api.project("example.com", 1).await;
    let job = working.api.analyze("rankCheck", project).await;
    amid(&serper, 1).await;
    let (status, took) = working.worker.terminate();
    assert!(status.success(), "{status}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    let (billed, under_way) = {
        let state = serper.state();
        (state.billed(), state.under_way)
    };
    assert_eq!((billed, under_way), (1, 0));
    drop(working.beside);

    let again = start(&world);
    let over = again.api.finished(job).await;
    assert_eq!(
        (&over["status"], number(&over, "/attempts")),
        (&json!("succeeded"), 1),
        "{over}"
    );
    let calls = i64::try_from(PAGES).unwrap();
    assert_eq!(number(&over, "/cost/calls"), calls, "{over}");
    assert_eq!(i64::from(serper.state().billed()), calls);
}

async fn stopping_worker_leaves_a_hanging_paid_call_charged(mut world: World) {
    world.use_long_leases();
    let serper = paying(&mut world, 40_000);
    let working = start(&world);
    let project = working.api.project("example.com", 1).await;
    let job = working.api.analyze("rankCheck", project).await;
    amid(&serper, 1).await;
    let (status, took) = working.worker.terminate();
    assert!(status.success(), "{status}");
    let (min, max) = (Duration::from_secs(15), Duration::from_secs(28));
    assert!((min..max).contains(&took), "{took:?}");
    drop(working.beside);
    // Requeued, which counts neither as an attempt nor as a crash.
    let given_back = format!(
        "SELECT count(*) FROM jobs WHERE id = {job} AND state = 'ready' AND attempt = 0 AND crash_count = 0"
    );
    assert_eq!(world.database.counts(&given_back)[0].1, 1);
    let (server, api) = world.serve(&["--no-worker"]);
    let waiting = api.job(job).await;
    assert_eq!(
        (&waiting["status"], &waiting["error"]),
        (&json!("queued"), &json!(null)),
        "{waiting}"
    );
    let (amount, calls) = (&waiting["cost"]["amount"], number(&waiting, "/cost/calls"));
    assert_eq!((amount, calls), (&json!(dollars(1)), 1), "{waiting}");
    drop(server);
}
