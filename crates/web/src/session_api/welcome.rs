//! GET and POST /api/welcome: the first run.

use super::{hashing_problem, password_refused, sign_in::no_store, signed_in_response};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::VisitorCall;
use crate::links::{Link, Operation};
use crate::problem::{Code, FieldError, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use domain::email::EmailAddress;
use domain::text::Label;
use domain::use_cases::welcome_owner::{NewOwner, WelcomeError};
use serde_json::json;
use std::sync::Arc;

body! {
    WelcomeOwner {
        code: String = required "code";
        email: EmailAddress = required "email";
        name: Label = required "name";
        password: String = required "password";
    }
}

pub async fn read(services: Arc<Services>, call: VisitorCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let open = services.core.awaits_owner().await?;
    Ok(no_store(ApiResponse::value(&json!({ "open": open }))))
}

pub async fn welcome(services: Arc<Services>, call: VisitorCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let new = read_body(&call.body, owner)?;
    let place = &call.visitor.place;
    let hasher = services.hasher.as_ref();
    let welcome = services.core.welcome_owner(hasher, &new, place);
    let signed_in = welcome.await.map_err(refused)?;
    Ok(signed_in_response(&services, 201, &signed_in))
}

fn owner(body: &WelcomeOwner) -> Option<NewOwner> {
    let (code, email) = (body.code(), body.email());
    let (name, password) = (body.name(), body.password());
    Some(NewOwner {
        code: code?,
        email: email?,
        name: name?,
        password: password?,
    })
}

fn refused(error: WelcomeError) -> Problem {
    match error {
        WelcomeError::Over => {
            Problem::new(Code::WelcomeOver, "The first account was created already.")
                .hint(
                    "Sign in; the operator creates more accounts with `sightline account create`.",
                )
                .next_action(Link::to(Operation::SignIn), "Sign in")
        }
        WelcomeError::WrongCode => Problem::invalid_value(FieldError::in_body(
            "/code",
            "wrong-code",
            "is not the code that the server shows when it starts",
        )),
        WelcomeError::Unfit(refusal) => password_refused("password", refusal),
        WelcomeError::Hashing(error) => hashing_problem(&error),
        WelcomeError::Storage(error) => error.into(),
    }
}
