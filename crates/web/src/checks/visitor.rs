use super::admit;
use crate::{endpoint::Visitor, http::cookies::Cookie, services::Services};
use actix_web::{HttpRequest, http::header};
use domain::{
    device::DeviceCookie, session::PlainSession, throttle::AddressPrefix,
    use_cases::sessions::ClientInfo,
};

impl Visitor {
    pub(crate) fn of(services: &Services, request: &HttpRequest) -> Self {
        let config = &services.config.sessions;
        let address = admit::address(services, request);
        let browser = request.headers().get(header::USER_AGENT);
        let device = config.cookies.sent(Cookie::Device, request);
        let session = config.cookies.sent(Cookie::Session, request);
        Self {
            address,
            place: ClientInfo {
                network: AddressPrefix::of(address),
                browser: browser.and_then(|it| it.to_str().ok()).map(str::to_owned),
                device: device.and_then(|it| {
                    DeviceCookie::verify(&it, &config.device_key, services.core.clock.now())
                }),
            },
            session: session.and_then(|it| PlainSession::parse(&it).ok()),
        }
    }
}
