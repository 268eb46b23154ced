//! /api/operator: accounts of the server, for operators. No project or result of an account is shown.

use super::sign_in::no_store;
use super::{account_view, list};
use crate::contract::fields::read_body;
use crate::contract::{body, string_enums};
use crate::endpoint::MemberCall;
use crate::problem::{Code, Problem};
use crate::response::ApiResponse;
use crate::services::Services;
use domain::account::{Account, AccountStatus};
use domain::audit::Author;
use domain::ids::AccountId;
use domain::user::{User, present};
use serde_json::{Value, json};
use std::sync::Arc;

string_enums!(AccountStatus);

body! {
    ChangeAccountStatus {
        status: AccountStatus = required "status";
    }
}

/// Oldest first.
pub async fn accounts(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let accounts = services.core.all_accounts().await?;
    let items: Vec<Value> = accounts.iter().map(view).collect();
    Ok(no_store(ApiResponse::value(&list(&items))))
}

/// Disabling refuses the account's tokens, ends its sessions and cancels its unfinished analyses.
pub async fn change(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let status = read_body(&call.body, ChangeAccountStatus::status)?;
    let id = AccountId(call.id.unwrap_or_default());
    let by = Author::operator(&call.member.user);
    let changed = services.core.switch_account(by, id, status).await?;
    let account = changed.ok_or_else(|| {
        let problem = Problem::new(Code::NotFound, "The server has no account with this id.");
        problem.hint("List the accounts.")
    })?;
    Ok(no_store(ApiResponse::value(&account_view(&account))))
}

fn view((account, members): &(Account, Vec<User>)) -> Value {
    let mut view = account_view(account);
    let owners = members.iter().filter(|it| it.is_present_owner());
    view["owners"] = owners
        .map(|it| it.email.as_str())
        .collect::<Vec<_>>()
        .into();
    view["members"] = present(members).count().into();
    let (usage, limits) = (account.usage, account.limits);
    view["usage"] = json!({
        "projects": usage.projects,
        "keywords": usage.keywords,
        "aiTracked": usage.ai_tracked,
    });
    view["limits"] = json!({
        "projects": limits.projects,
        "keywords": limits.keywords,
        "keywordsPerProject": limits.keywords_per_project,
        "aiTracked": limits.ai_tracked,
        "keywordResearch": limits.keyword_research,
        "monthlyBudget": limits.monthly_budget.map(|it| it.to_string()),
        "dailyBudget": limits.daily_budget.map(|it| it.to_string()),
    });
    view
}
