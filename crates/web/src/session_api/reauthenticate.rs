//! POST /api/session/reauthenticate.

use super::{reauthentication_failed, signed_in_response};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::MemberCall;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::password::TypedPassword;
use std::sync::Arc;

body! {
    Reauthenticate {
        password: TypedPassword = required "password";
    }
}

/// The session gets a new cookie and CSRF token.
pub async fn reauthenticate(
    services: Arc<Services>,
    call: MemberCall,
) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let password = read_body(&call.body, Reauthenticate::password)?;
    let (hasher, place) = (services.known_hasher.as_ref(), &call.visitor.place);
    let renewed = services
        .core
        .reauthenticate(hasher, &call.member, &password, place)
        .await
        .map_err(|error| reauthentication_failed(&services, &call, error, "password"))?;
    Ok(signed_in_response(&services, 200, &renewed))
}
