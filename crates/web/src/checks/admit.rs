//! Rate limits and concurrency: 429, 503 and the RateLimit fields.

use super::{authenticate, respond::Noted};
use crate::endpoint::Endpoint;
use crate::limits::{Demand, Exhausted, Holder, NoSlot, Slot, Standing, client};
use crate::problem::{Code, Problem};
use crate::services::Services;
use crate::{counted, refusals};
use actix_web::HttpRequest;
use domain::{device::DeviceMark, scope::Scope, token::PlainToken, use_cases::tokens::Agent};
use std::{net::IpAddr, sync::Arc};

const FORWARDED_FOR: &str = "x-forwarded-for";

pub const OWN_COUNT: &str = "requests with a token that holds are counted by themselves";

/// Counts a request without an accepted token or session, and takes a slot.
pub fn unknown(services: &Services, address: IpAddr) -> Result<Slot, Problem> {
    let counted = services.limiter.count_anonymous(address);
    counted.map_err(|exhausted| refusals::too_many(&exhausted, OWN_COUNT).closing())?;
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
        reason @ NoSlot::KeyFull { .. } => refusals::crowded(reason),
    };
    slot.map_err(|reason| refused(reason).closing())
}

/// Slot for a sign-in from a known device whose address has no slot left; otherwise `refusal`. The mark alone grants no
/// access: marks of disabled accounts or earlier credentials are rejected.
pub async fn device(
    services: &Services,
    mark: &DeviceMark,
    refusal: Problem,
) -> Result<Slot, Problem> {
    let owner = mark.user();
    if services.limiter.count_device(owner).is_err()
        || !services.core.recognize_device(mark).await?
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
    slot.map_err(|reason| refusals::crowded(reason).closing())
}

pub fn accepted(services: &Services, holder: Holder) -> Result<Slot, Problem> {
    services
        .limiter
        .in_flight
        .accepted(holder)
        .map_err(refusals::crowded)
}

/// Counts the failure; above the limit the problem becomes 429. Failures of others never affect accepted tokens.
pub fn refused(services: &Services, address: IpAddr, problem: Problem) -> Problem {
    let limiter = &services.limiter;
    let counted = match problem.code {
        Code::TokenMissing | Code::SessionRequired => limiter.count_anonymous(address),
        Code::TokenInvalid | Code::TokenExpired | Code::TokenRevoked => {
            limiter.count_failed_token(address)
        }
        _ => Ok(()),
    };
    let refusal = |exhausted| refusals::too_many(&exhausted, OWN_COUNT).closing();
    counted.map_or_else(refusal, |()| problem)
}

/// Request data needed for admission.
pub struct Applicant {
    bearer: Option<String>,
    address: IpAddr,
    scope: Scope,
    demand: Demand,
    lookup: Option<Slot>,
}

impl Applicant {
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
            demand: endpoint.demand(),
        })
    }

    pub const fn has_a_token_to_look_up(&self) -> bool {
        self.lookup.is_some()
    }

    /// Requires an accepted token with the scope, and remaining rate.
    pub async fn admit(
        self,
        services: &Arc<Services>,
        noted: &mut Noted,
    ) -> Result<(Agent, Slot), Problem> {
        let agent = authenticate::agent(services, self.bearer.as_deref(), self.scope).await;
        let agent = agent.map_err(|problem| refused(services, self.address, problem))?;
        noted.account = Some(agent.account.id);
        noted.token = Some(agent.token.id);
        let holder = (agent.account.id, agent.token.id.into());
        count(services, holder, self.demand, noted)?;
        let slot = accepted(services, holder)?;
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
    holder: Holder,
    demand: Demand,
    noted: &mut Noted,
) -> Result<(), Problem> {
    kept(services.limiter.count(holder, demand), noted)
}

pub fn count_session(
    services: &Services,
    holder: Holder,
    demand: Demand,
    noted: &mut Noted,
) -> Result<(), Problem> {
    kept(services.limiter.count_session(holder, demand), noted)
}

fn kept(counted: Result<Vec<Standing>, Exhausted>, noted: &mut Noted) -> Result<(), Problem> {
    noted.standings = counted.map_err(|exhausted| {
        noted.standings.clone_from(&exhausted.standings);
        refusals::too_many(&exhausted, "the header RateLimit tells what is left")
    })?;
    Ok(())
}

pub fn address(services: &Services, request: &HttpRequest) -> IpAddr {
    let told = request.headers().get_all(FORWARDED_FOR);
    // Lossy: invalid bytes of the client must not hide what our proxies append.
    let told: Vec<_> = told
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    let found = client(
        request.peer_addr().map(|peer| peer.ip()),
        told.iter().map(AsRef::as_ref),
        &services.config.limits.trusted_proxies,
    );
    if let Some(proxy) = found.unreadable_from
        && services.limiter.may_warn()
    {
        // The entry is not logged, since it may contain secrets.
        tracing::warn!(
            %proxy,
            "X-Forwarded-For of a trusted proxy cannot be read: all callers behind it count as one. Configure the proxy to append the client's address."
        );
    }
    if let Some(proxy) = found.untrusted_proxy {
        counted::from_an_untrusted_proxy();
        if services.limiter.may_warn_of_proxies() {
            tracing::warn!(
                %proxy,
                "X-Forwarded-For came from an address that is not in trusted_proxies: if it is your proxy, all callers behind it count as one, and share one rate of requests and sign-ins. Set trusted_proxies to its address."
            );
        }
    }
    found.address
}
