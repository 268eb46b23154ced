//! Whether there is room for a request: 429 and 503, and the header fields that tell what is left.

use super::{authenticate, respond::Noted};
use crate::{
    counted,
    endpoint::Endpoint,
    limits::{Demand, Exhausted, Holder, TooManyInFlight, UnderWay, client_address},
    problem::{Code, Problem},
    services::Services,
};
use actix_web::HttpRequest;
use domain::{scope::Scope, token::PlainToken, use_cases::authenticate_agent::Agent};
use serde_json::json;
use std::{net::IpAddr, sync::Arc, time::Duration};

const FORWARDED_FOR: &str = "x-forwarded-for";

/// A request begins, when the process has room for it.
pub fn begin(services: &Services) -> Result<UnderWay, Problem> {
    services.limiter.in_flight.begin().ok_or_else(|| {
        counted::limited("in-flight");
        let problem = Problem::new(
            Code::Overloaded,
            "The server has as many requests under way as it may.",
        );
        problem
            .hint("Send the request again a little later.")
            .retry_after(Duration::from_secs(1))
    })
}

/// What a caller without a token may want to know.
pub const OWN_COUNT: &str = "requests with a token that holds are counted by themselves";

/// Counts a request that needs no token.
pub fn anonymous(services: &Services, request: &HttpRequest) -> Result<(), Problem> {
    let counted = services.limiter.count_anonymous(address(services, request));
    counted.map_err(|exhausted| too_many(&exhausted, OWN_COUNT))
}

/// Counts a request whose token was not accepted; beyond the limit the answer says so, instead of
/// what is wrong with the token. A token that is accepted never suffers from others' failures.
pub fn refused(services: &Services, address: IpAddr, problem: Problem) -> Problem {
    let limiter = &services.limiter;
    let counted = match problem.code {
        Code::TokenMissing => limiter.count_anonymous(address),
        Code::TokenInvalid | Code::TokenExpired | Code::TokenRevoked => {
            limiter.count_failed_token(address)
        }
        _ => Ok(()),
    };
    counted.map_or_else(|exhausted| too_many(&exhausted, OWN_COUNT), |()| problem)
}

/// Somebody who asks to come in: everything that their admission takes from the request.
pub struct Applicant {
    bearer: Option<String>,
    address: IpAddr,
    scope: Scope,
    demand: Demand,
    under_way: UnderWay,
}

impl Applicant {
    /// Who sent the request.
    pub fn of(
        request: &HttpRequest,
        services: &Services,
        endpoint: &Endpoint,
        scope: Scope,
        under_way: UnderWay,
    ) -> Self {
        Self {
            bearer: authenticate::bearer(request).map(str::to_owned),
            address: address(services, request),
            scope,
            demand: endpoint.demand(),
            under_way,
        }
    }

    /// Whether the storage has to be asked about the token: one that is missing or mistyped is
    /// refused without it.
    pub fn has_a_token_to_look_up(&self) -> bool {
        let bearer = self.bearer.as_deref();
        bearer.is_some_and(|it| PlainToken::parse(it).is_ok())
    }

    /// Lets them in, when their token is accepted, holds the scope, and has requests left.
    pub async fn admit(
        mut self,
        services: &Arc<Services>,
        noted: &mut Noted,
    ) -> Result<(Agent, UnderWay), Problem> {
        let agent = authenticate::agent(services, self.bearer.as_deref(), self.scope).await;
        let agent = agent.map_err(|problem| refused(services, self.address, problem))?;
        noted.account = Some(agent.account.id);
        noted.token = Some(agent.token.id);
        let holder = (agent.account.id, agent.token.id.into());
        count(services, holder, self.demand, noted)?;
        self.under_way.belongs_to(holder).map_err(crowded)?;
        Ok((agent, self.under_way))
    }
}

/// Counts a request of a token that was accepted.
pub fn count(
    services: &Services,
    holder: Holder,
    demand: Demand,
    noted: &mut Noted,
) -> Result<(), Problem> {
    let counted = services.limiter.count(holder, demand);
    noted.standings = counted.map_err(|exhausted| {
        noted.standings.clone_from(&exhausted.standings);
        too_many(&exhausted, "the header RateLimit tells what is left")
    })?;
    Ok(())
}

/// The address that requests are counted by.
pub fn address(services: &Services, request: &HttpRequest) -> IpAddr {
    let told = request.headers().get_all(FORWARDED_FOR);
    // What a caller writes before our proxies' words must not make those unreadable.
    let told: Vec<_> = told
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    client_address(
        request.peer_addr().map(|peer| peer.ip()),
        told.iter().map(AsRef::as_ref),
        &services.config.limits.trusted_proxies,
    )
}

/// The rate limit is used up.
pub fn too_many(exhausted: &Exhausted, besides: &str) -> Problem {
    counted::limited(exhausted.policy);
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

/// As many requests are under way as may be.
pub fn crowded(reason: TooManyInFlight) -> Problem {
    let (whose, most, policy) = match reason {
        TooManyInFlight::Token(most) => ("token or session", most, "in-flight-per-token"),
        TooManyInFlight::Account(most) => ("account", most, "in-flight-per-account"),
    };
    counted::limited(policy);
    let problem = Problem::new(
        Code::ConcurrencyLimited,
        format!("The {whose} has {most} requests under way, which is as many as it may."),
    );
    problem
        .with("limit", most)
        .hint("Wait for the answers to earlier requests before you send more.")
        .retry_after(Duration::from_secs(1))
}
