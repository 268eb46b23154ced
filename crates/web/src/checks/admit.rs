//! Rate limits and concurrency: 429, 503 and the `RateLimit` fields.

use super::{authenticate, respond::CallerInfo};
use crate::endpoint::Endpoint;
use crate::limits::{
    CallerKey, NoSlot, RateLimitExceeded, RateLimitState, RequestClass, Slot, resolve_client,
};
use crate::problem::{Code, Problem};
use crate::services::Services;
use crate::{refusals, request_metrics};
use actix_web::HttpRequest;
use domain::ids::UserId;
use domain::{device::DeviceCookie, scope::Scope, token::PlainToken, use_cases::tokens::Agent};
use std::{net::IpAddr, sync::Arc};

const FORWARDED_FOR: &str = "x-forwarded-for";

pub const SEPARATE_COUNT_HINT: &str = "requests with a valid token are counted separately";

/// Counts a request without an accepted token or session, and takes a slot.
pub fn unknown(services: &Services, address: IpAddr) -> Result<Slot, Problem> {
    let counted = services.limiter.count_anonymous(address);
    counted.map_err(|exhausted| {
        refusals::too_many(&exhausted, SEPARATE_COUNT_HINT).closing_connection()
    })?;
    unknown_slot(services, address)
}

/// Takes a slot only; the request is counted elsewhere.
pub fn unknown_slot(services: &Services, address: IpAddr) -> Result<Slot, Problem> {
    let slot = services.limiter.in_flight.unknown(address);
    let refused = |reason| match reason {
        NoSlot::Full => refusals::overloaded(
            "in-flight-unknown",
            "The server has as many requests without an accepted token or session under way as it may.",
        ),
        reason @ NoSlot::KeyFull { .. } => refusals::too_many_in_flight(reason),
    };
    slot.map_err(|reason| refused(reason).closing_connection())
}

/// Slot for a sign-in from a known device at an address without a free slot; otherwise `refusal`. The mark alone grants
/// no access: marks of disabled accounts or earlier credentials are rejected.
pub async fn device(
    services: &Services,
    cookie: &DeviceCookie,
    refusal: Problem,
) -> Result<Slot, Problem> {
    let owner = cookie.user();
    if services.limiter.count_device(owner).is_err()
        || !services.core.recognize_device(cookie).await?
    {
        return Err(refusal);
    }
    services
        .limiter
        .in_flight
        .device(owner)
        .map_err(|_| refusal)
}

pub fn lookup(services: &Services, address: IpAddr) -> Result<Slot, Problem> {
    let slot = services.limiter.in_flight.lookup(address);
    slot.map_err(|reason| refusals::too_many_in_flight(reason).closing_connection())
}

pub fn accepted(services: &Services, caller_key: CallerKey) -> Result<Slot, Problem> {
    services
        .limiter
        .in_flight
        .accepted(caller_key)
        .map_err(refusals::too_many_in_flight)
}

/// Counts the failure; above the limit the problem becomes 429. Failures of others never affect accepted tokens.
pub fn count_refusal(services: &Services, address: IpAddr, problem: Problem) -> Problem {
    let limiter = &services.limiter;
    let counted = match problem.code {
        Code::TokenMissing | Code::SessionRequired => limiter.count_anonymous(address),
        Code::TokenInvalid | Code::TokenExpired | Code::TokenRevoked => {
            limiter.count_failed_token(address)
        }
        _ => Ok(()),
    };
    let refusal =
        |exhausted| refusals::too_many(&exhausted, SEPARATE_COUNT_HINT).closing_connection();
    counted.map_or_else(refusal, |()| problem)
}

/// Request data needed for admission.
pub struct AuthRequest {
    bearer: Option<String>,
    address: IpAddr,
    scope: Scope,
    request_class: RequestClass,
    lookup: Option<Slot>,
}

impl AuthRequest {
    pub fn of(
        request: &HttpRequest,
        services: &Services,
        endpoint: &Endpoint,
        scope: Scope,
    ) -> Result<Self, Problem> {
        let (bearer, address) = (authenticate::bearer(request), address(services, request));
        Ok(Self {
            lookup: token_lookup(services, bearer, address)?,
            bearer: bearer.map(str::to_owned),
            address,
            scope,
            request_class: endpoint.request_class(),
        })
    }

    pub const fn needs_token_lookup(&self) -> bool {
        self.lookup.is_some()
    }

    /// Requires an accepted token with the scope, and remaining rate.
    pub async fn admit(
        self,
        services: &Arc<Services>,
        caller_info: &mut CallerInfo,
    ) -> Result<(Agent, Slot), Problem> {
        let agent =
            authenticate::authenticate_with_scope(services, self.bearer.as_deref(), self.scope)
                .await;
        let agent = agent.map_err(|problem| count_refusal(services, self.address, problem))?;
        caller_info.account = Some(agent.account.id);
        caller_info.token = Some(agent.token.id);
        let caller_key = (agent.account.id, agent.token.id.into());
        count(services, caller_key, self.request_class, caller_info)?;
        let slot = accepted(services, caller_key)?;
        Ok((agent, slot))
    }
}

/// `None` for a missing or malformed token, which is rejected without a database query.
pub fn token_lookup(
    services: &Services,
    bearer: Option<&str>,
    address: IpAddr,
) -> Result<Option<Slot>, Problem> {
    let is_well_formed = bearer.is_some_and(|it| PlainToken::parse(it).is_ok());
    is_well_formed
        .then(|| lookup(services, address))
        .transpose()
}

pub fn count(
    services: &Services,
    caller_key: CallerKey,
    request_class: RequestClass,
    caller_info: &mut CallerInfo,
) -> Result<(), Problem> {
    note_rate_limits(
        services.limiter.count(caller_key, request_class),
        caller_info,
    )
}

pub fn count_session(
    services: &Services,
    caller_key: CallerKey,
    person: UserId,
    request_class: RequestClass,
    caller_info: &mut CallerInfo,
) -> Result<(), Problem> {
    note_rate_limits(
        services
            .limiter
            .count_session(caller_key, person, request_class),
        caller_info,
    )
}

fn note_rate_limits(
    counted: Result<Vec<RateLimitState>, RateLimitExceeded>,
    caller_info: &mut CallerInfo,
) -> Result<(), Problem> {
    caller_info.rate_limits = counted.map_err(|exhausted| {
        caller_info.rate_limits.clone_from(&exhausted.rate_limits);
        refusals::too_many(&exhausted, "the header RateLimit reports what is left")
    })?;
    Ok(())
}

pub fn address(services: &Services, request: &HttpRequest) -> IpAddr {
    let headers = request.headers().get_all(FORWARDED_FOR);
    // Lossy: invalid bytes of the client must not hide what our proxies append.
    let values: Vec<_> = headers
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    let found = resolve_client(
        request.peer_addr().map(|peer| peer.ip()),
        values.iter().map(AsRef::as_ref),
        &services.config.limits.trusted_proxies,
    );
    if let Some(proxy) = found.unreadable_proxy
        && services.limiter.may_warn()
    {
        // The entry is not logged, since it may contain secrets.
        tracing::warn!(
            %proxy,
            "X-Forwarded-For of a trusted proxy cannot be read: all callers behind it count as one. Configure the proxy to append the client's address."
        );
    }
    if let Some(proxy) = found.untrusted_proxy {
        request_metrics::count_untrusted_proxy();
        if services.limiter.may_warn_of_proxies() {
            tracing::warn!(
                %proxy,
                "X-Forwarded-For came from an address that is not in trusted_proxies: if it is your proxy, all callers behind it count as one, and share one rate of requests and sign-ins. Set trusted_proxies to its address."
            );
        }
    }
    found.address
}
