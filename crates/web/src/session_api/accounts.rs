//! /api/session/accounts and /api/session/account: the accounts of a person.

use super::sign_in::no_store;
use super::{list, signed_in_response};
use crate::contract::body;
use crate::contract::fields::read_body;
use crate::endpoint::MemberCall;
use crate::links::{Link, Operation};
use crate::problem::{Code, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::ids::AccountId;
use domain::use_cases::members::EnterAccountError;
use serde_json::json;
use std::sync::Arc;

body! {
    EnterAccount {
        account: AccountId = required "accountId";
    }
}

/// The home account first.
pub async fn read(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let member = &call.member;
    let accounts = services.core.accounts_of(member).await?;
    let items = accounts.iter().map(|(account, role)| {
        json!({
            "id": account.id.0,
            "name": account.name.as_str(),
            "role": role.name(),
            "current": account.id == member.account.id,
        })
    });
    Ok(no_store(ApiResponse::value(&list(
        &items.collect::<Vec<_>>(),
    ))))
}

/// The session continues in the account with a new cookie and CSRF token.
pub async fn enter(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let account = read_body(&call.body, EnterAccount::account)?;
    let entered = services.core.enter_account(&call.member, account).await;
    let signed_in = entered.map_err(|error| match error {
        EnterAccountError::NoSuchAccount => {
            let problem = Problem::new(Code::NotFound, "You have no account with this id.");
            let problem = problem.hint("List your accounts.");
            problem.next_action(Link::to(Operation::ListAccounts), "Your accounts")
        }
        EnterAccountError::SignedOut => refusals::session_missing(services.config.sessions.cookies),
        EnterAccountError::Storage(error) => error.into(),
    })?;
    Ok(signed_in_response(&services, 200, &signed_in))
}
