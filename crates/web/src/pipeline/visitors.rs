use super::{Arrived, Pipeline, admit};
use crate::{
    answer::Answer,
    cookies::Cookie,
    csrf,
    endpoint::{Handling, Verb, Visitor, VisitorCall},
    links::Operation,
    problem::Problem,
    services::Services,
};
use actix_web::{HttpRequest, http::header};
use domain::{
    device::DeviceMark, session::PlainSession, throttle::AddressPrefix, use_cases::sessions::Place,
};
use std::sync::Arc;

impl Visitor {
    pub(crate) fn of(services: &Services, request: &HttpRequest) -> Self {
        let config = &services.config.sessions;
        let address = admit::address(services, request);
        let browser = request.headers().get(header::USER_AGENT);
        let device = config.cookies.sent(Cookie::Device, request);
        let session = config.cookies.sent(Cookie::Session, request);
        Self {
            address,
            place: Place {
                network: AddressPrefix::of(address),
                browser: browser.and_then(|it| it.to_str().ok()).map(str::to_owned),
                device: device.and_then(|it| {
                    DeviceMark::read(&it, &config.device_key, services.core.clock.now())
                }),
            },
            session: session.and_then(|it| PlainSession::parse(&it).ok()),
        }
    }
}

impl Pipeline {
    /// Protected like everything else: another site's page must not sign somebody in to an account of its own either.
    pub(super) async fn visit(
        &self,
        arrived: Arrived<'_>,
        handler: fn(Arc<Services>, VisitorCall) -> Handling,
    ) -> Result<Answer, Problem> {
        let (services, request) = (&self.services, arrived.request);
        let (visitor, endpoint) = (Visitor::of(services, request), &arrived.served.endpoint);
        let signs_in = endpoint.operation == Operation::SignIn.name();
        let device = visitor.place.device.as_ref().filter(|_| signs_in);
        let _slot = match (admit::unknown(services, visitor.address), device) {
            // Others at the address do not keep the owner of a known device from signing in.
            (Err(refusal), Some(mark)) => {
                let admitting = admit::device(services, mark, refusal);
                self.patiently(admitting).await?
            }
            (outcome, _) => outcome?,
        };
        if endpoint.verb != Verb::Get {
            csrf::check_origin(request, &services.config.public_base_url)?;
        }
        let query = arrived.query();
        let (body, _) = arrived.read(services.config.unknown_body).await?;
        let call = VisitorCall {
            visitor,
            query,
            body,
        };
        self.patiently(handler(Arc::clone(services), call)).await
    }
}
