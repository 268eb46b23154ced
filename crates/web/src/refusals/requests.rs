//! Refusals before a use case runs.

use crate::http::cookies::{Cookie, CookieStyle};
use crate::limits::{NoSlot, RateLimitExceeded, SlotKey};
use crate::links::{Link, Operation};
use crate::problem::{Code, Problem};
use crate::request_metrics;
use serde_json::json;
use std::time::Duration;

pub fn in_progress() -> Problem {
    let problem = Problem::new(
        Code::IdempotencyInProgress,
        "Another request with this Idempotency-Key is being executed.",
    );
    problem
        .hint("Send the same request again after the time in Retry-After.")
        .retry_after(Duration::from_secs(1))
}

pub fn session_missing(cookies: CookieStyle) -> Problem {
    let name = cookies.name(Cookie::Session);
    let problem = session_required(cookies, "The request carries no session that lasts.");
    problem.hint(format!(
        "Sign in with POST /api/session and send the cookie {name}."
    ))
}

pub fn session_required(cookies: CookieStyle, detail: &str) -> Problem {
    let name = cookies.name(Cookie::Session);
    Problem::new(Code::SessionRequired, detail)
        .header(
            "WWW-Authenticate",
            format!("Cookie realm=\"sightline\", form-action=\"/sign-in\", cookie-name=\"{name}\""),
        )
        .next_action(Link::to(Operation::SignIn), "Sign in")
}

pub fn too_many(exhausted: &RateLimitExceeded, besides: &str) -> Problem {
    request_metrics::count_rate_limited(exhausted.policy);
    let seconds = exhausted.wait.as_secs_f64().ceil().max(1.0);
    let problem = Problem::new(
        Code::RateLimited,
        format!(
            "The rate limit `{}` is used up for the moment.",
            exhausted.policy
        ),
    );
    problem
        .with("violated-policies", json!([exhausted.policy]))
        .hint(format!("Send the request again in {seconds} s; {besides}."))
        .retry_after(Duration::from_secs_f64(seconds))
}

pub fn too_many_in_flight(reason: NoSlot) -> Problem {
    let (key, max) = match reason {
        NoSlot::Full => {
            let detail = "The server has as many requests under way as it may.";
            return overloaded("in-flight", detail);
        }
        NoSlot::KeyFull { key, max } => (key, max),
    };
    let (subject, policy) = match key {
        SlotKey::Caller(_) => ("token or session", "in-flight-per-token"),
        SlotKey::Account(_) => ("account", "in-flight-per-account"),
        SlotKey::Network(_) | SlotKey::DeviceOwner(_) => {
            ("address or its network", "in-flight-per-address")
        }
    };
    request_metrics::count_rate_limited(policy);
    let problem = Problem::new(
        Code::ConcurrencyLimited,
        format!("The {subject} has {max} requests under way, which is as many as it may."),
    );
    problem
        .with("limit", max)
        .hint("Wait for the answers to earlier requests before you send more.")
        .retry_after(Duration::from_secs(1))
}

pub fn overloaded(policy: &'static str, detail: &str) -> Problem {
    request_metrics::count_rate_limited(policy);
    Problem::new(Code::Overloaded, detail)
        .hint("Send the request again a little later.")
        .retry_after(Duration::from_secs(1))
}
