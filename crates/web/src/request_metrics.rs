//! Request metrics. Labels are fixed names (route templates, problem codes, policies, tools), never caller input.

use crate::problem::{Code, Problem};
use actix_web::http::Method;
use domain::{
    allowance::AllowanceName, job::kind::AnalysisKind, stored_data::StorageQuota,
    use_cases::budgets::Budget,
};
use std::time::Duration;

const UNMATCHED: &str = "_unmatched";
/// Label of unknown methods, of which callers can invent any number.
const OTHER: &str = "_OTHER";

/// Quotas that are neither allowances nor budgets.
pub(crate) const UNFINISHED_ANALYSES: &str = "unfinishedAnalyses";
pub(crate) const SERVER_QUEUE: &str = "serverQueue";
pub(crate) const KEYWORD_RESEARCH: &str = "keywordResearch";

/// Starts at zero, so that the first increment is visible.
pub fn init_counters() {
    let refusals = Code::ALL.iter().filter(|it| is_auth_failure(**it));
    for code in refusals {
        metrics::counter!("auth_failures_total", "reason" => code.name()).absolute(0);
    }
    let quotas = AllowanceName::NAMES
        .into_iter()
        .chain(StorageQuota::NAMES)
        .chain(Budget::NAMES)
        .chain([UNFINISHED_ANALYSES, SERVER_QUEUE, KEYWORD_RESEARCH]);
    for quota in quotas {
        metrics::counter!("quota_rejected_total", "quota" => quota).absolute(0);
    }
    for kind in AnalysisKind::ALL {
        metrics::counter!("jobs_enqueued_total", "type" => kind.name()).absolute(0);
    }
    metrics::counter!("idempotency_replays_total").absolute(0);
    metrics::counter!(UNTRUSTED_PROXY).absolute(0);
}

const UNTRUSTED_PROXY: &str = "untrusted_proxy_requests_total";

pub fn count_untrusted_proxy() {
    metrics::counter!(UNTRUSTED_PROXY).increment(1);
}

pub(crate) fn init_rate_limit(policy: &'static str) {
    metrics::counter!("rate_limited_total", "policy" => policy).absolute(0);
}

/// Decrements on drop.
pub struct ActiveRequest(());

impl ActiveRequest {
    pub fn begin() -> Self {
        metrics::gauge!("http_server_active_requests").increment(1.0);
        Self(())
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        metrics::gauge!("http_server_active_requests").decrement(1.0);
    }
}

/// `route` is a template, or `none`.
pub fn record_response(method: &Method, route: &'static str, status: u16, took: Duration) {
    let route = if route == "none" { UNMATCHED } else { route };
    metrics::histogram!(
        "http_server_request_duration_seconds",
        "method" => method_label(method),
        "route" => route,
        "status" => status_label(status),
    )
    .record(took);
}

/// Counts rejected credentials by reason.
pub fn count_auth_failure(problem: &Problem) {
    if is_auth_failure(problem.code) {
        metrics::counter!("auth_failures_total", "reason" => problem.code.name()).increment(1);
    }
}

fn is_auth_failure(code: Code) -> bool {
    code.status() == 401
        || matches!(
            code,
            Code::InsufficientScope
                | Code::CsrfRejected
                | Code::OriginNotAllowed
                | Code::ReauthenticationRequired
        )
}

pub fn count_rate_limited(policy: &'static str) {
    metrics::counter!("rate_limited_total", "policy" => policy).increment(1);
}

pub fn count_quota_rejection(quota: &'static str) {
    metrics::counter!("quota_rejected_total", "quota" => quota).increment(1);
}

/// Counts a response replayed for an idempotency key.
pub fn count_replay() {
    metrics::counter!("idempotency_replays_total").increment(1);
}

pub fn count_tool_call(tool: &'static str, refusal: Option<&Problem>) {
    let outcome = match refusal {
        None => "ok",
        Some(problem) if problem.code.status() >= 500 => "failed",
        Some(_) => "refused",
    };
    metrics::counter!("mcp_tool_calls_total", "tool" => tool, "outcome" => outcome).increment(1);
}

pub fn count_enqueued(kind: AnalysisKind) {
    metrics::counter!("jobs_enqueued_total", "type" => kind.name()).increment(1);
}

/// Canceled before a worker took it.
pub fn count_canceled(kind: AnalysisKind) {
    let (kind, outcome) = (kind.name(), "canceled");
    metrics::counter!("jobs_finished_total", "type" => kind, "outcome" => outcome).increment(1);
}

fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => OTHER,
    }
}

/// Avoids an allocation per request.
fn status_label(status: u16) -> &'static str {
    macro_rules! known {
        ($($number:literal)+) => { match status { $($number => stringify!($number),)+ _ => "other" } };
    }
    known!(200 201 202 204 303 304 400 401 403 404 405 406 408 409 410 412 413 414 415 422 428 429 431 500 501 503 504)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_from_fixed_sets() {
        assert_eq!(method_label(&Method::PATCH), "PATCH");
        assert_eq!(
            method_label(&Method::from_bytes(b"BREW").unwrap()),
            "_OTHER"
        );
        assert_eq!((status_label(503), status_label(299)), ("503", "other"));
    }
}
