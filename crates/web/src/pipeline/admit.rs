//! Whether there is room for a request: 429 and 503, and the header fields that tell what is left.

use super::respond::Trace;
use crate::{
    limits::{Demand, Exhausted, TooManyInFlight, UnderWay, client_address},
    problem::{Code, Problem},
    services::Services,
};
use actix_web::HttpRequest;
use domain::use_cases::authenticate_agent::Agent;
use serde_json::json;
use std::{net::IpAddr, time::Duration};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// A request begins, when the process has room for it.
pub fn begin(services: &Services) -> Result<UnderWay<'_>, Problem> {
    services.limiter.in_flight.begin().ok_or_else(|| {
        let problem = Problem::new(
            Code::Overloaded,
            "The server has as many requests under way as it may.",
        );
        problem
            .hint("Send the request again a little later.")
            .retry_after(Duration::from_secs(1))
    })
}

/// Counts a request that needs no token.
pub fn anonymous(services: &Services, request: &HttpRequest) -> Result<(), Problem> {
    let counted = services.limiter.count_anonymous(address(services, request));
    counted.map_err(|exhausted| too_many(&exhausted))
}

/// Counts a request whose token was not accepted; beyond the limit the answer says so, instead of
/// what is wrong with the token. A token that is accepted never suffers from others' failures.
pub fn refused(services: &Services, request: &HttpRequest, problem: Problem) -> Problem {
    let (limiter, address) = (&services.limiter, address(services, request));
    let counted = match problem.code {
        Code::TokenMissing => limiter.count_anonymous(address),
        Code::TokenInvalid | Code::TokenExpired | Code::TokenRevoked => {
            limiter.count_failed_token(address)
        }
        _ => Ok(()),
    };
    counted.map_or_else(|exhausted| too_many(&exhausted), |()| problem)
}

/// Counts a request of a token that was accepted for it.
pub fn agent(
    services: &Services,
    agent: &Agent,
    demand: Demand,
    under_way: &mut UnderWay<'_>,
    trace: &mut Trace,
) -> Result<(), Problem> {
    let holder = (agent.account.id, agent.token.id);
    let counted = services.limiter.count(holder, demand);
    let counted = counted.map_err(|exhausted| {
        trace.standings.clone_from(&exhausted.standings);
        too_many(&exhausted)
    });
    trace.standings = counted?;
    under_way.belongs_to(holder).map_err(crowded)
}

fn address(services: &Services, request: &HttpRequest) -> IpAddr {
    let told = request.headers().get_all(FORWARDED_FOR);
    let told: Vec<&str> = told.filter_map(|value| value.to_str().ok()).collect();
    client_address(
        request.peer_addr().map(|peer| peer.ip()),
        told.into_iter(),
        &services.config.limits.trusted_proxies,
    )
}

fn too_many(exhausted: &Exhausted) -> Problem {
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
        .hint(format!(
            "Send the request again in {seconds} s; the header RateLimit tells what is left."
        ))
        .retry_after(Duration::from_secs_f64(seconds))
}

fn crowded(reason: TooManyInFlight) -> Problem {
    let (whose, most) = match reason {
        TooManyInFlight::Token(most) => ("token", most),
        TooManyInFlight::Account(most) => ("account", most),
    };
    let problem = Problem::new(
        Code::ConcurrencyLimited,
        format!("The {whose} has {most} requests under way, which is as many as it may."),
    );
    problem
        .with("limit", most)
        .hint("Wait for the answers to earlier requests before you send more.")
        .retry_after(Duration::from_secs(1))
}
